"""OpenAI's protocol: which requests it takes, and how its replies and errors look."""

from collections.abc import Mapping
from typing import Any

from tests.provider import decisions
from tests.provider.connection import Reply
from tests.provider.openai_rules import (
    CHAT,
    DECISIONS,
    RESPONSES,
    format_problem,
    parameter_problem,
)
from tests.provider.said import Asked, Refused, Said
from tests.provider.wire import (
    Question,
    Rules,
    error_reply,
    flat_text,
    json_reply,
    shortened,
    tokens,
)

MODELS = "/v1/models"
PATHS = {CHAT, RESPONSES, DECISIONS}
RELEASED = 1_780_000_000
"""A fixed day in seconds: a reply must not differ between two runs of a test."""


def headers(request_id: str) -> dict[str, str]:
    return {"x-request-id": request_id, "openai-version": "2020-10-01"}


def refused(question: Question, rules: Rules, problem: Refused | None) -> Refused | None:
    """Why the request is refused before a model sees it, in the order of the real one."""
    path = question.path
    known = path in PATHS if question.method == "POST" else path.startswith(MODELS)
    if not known or path in rules.without:
        return Refused(404, f"Invalid URL ({question.method} {path})")
    if (denied := key_problem(question.headers, rules.key)) is not None:
        return denied
    if question.method == "GET":
        name = path.removeprefix(MODELS).removeprefix("/")
        return (
            None if not name or name in rules.models else Refused(404, "", code="model_not_found")
        )
    if problem is not None:
        return problem
    model = question.body.get("model")
    if not isinstance(model, str) or not model:
        return Refused(400, "you must provide a model parameter")
    if model not in rules.models:
        return Refused(404, "", code="model_not_found")
    return parameter_problem(question, rules.unsupported) or format_problem(question)


def key_problem(headers: Mapping[str, str], key: str) -> Refused | None:
    """The real one repeats the ends of a wrong key, so an error must be shown without trust."""
    given = headers.get("authorization", "")
    if given == f"Bearer {key}":
        return None
    if not given.startswith("Bearer "):
        return Refused(401, "You didn't provide an API key.", code="no_key")
    wrong = given.removeprefix("Bearer ")
    shown = f"{wrong[:4]}{'*' * max(len(wrong) - 8, 0)}{wrong[-4:]}"
    return Refused(401, f"Incorrect API key provided: {shown}.")


def error(refused: Refused, question: Question, request_id: str, said: Said | None = None) -> Reply:
    model = question.body.get("model") or question.path.rpartition("/")[2]
    kind, code, message = "invalid_request_error", refused.code, refused.message
    match refused.status, refused.code:
        case _, "unknown_parameter":
            message = message or f"Unknown parameter: '{refused.param}'."
        case _, "unsupported_parameter":
            message = (
                message
                or f"Unsupported parameter: '{refused.param}' is not supported with this model."
            )
        case _, "insufficient_quota":
            kind = "insufficient_quota"
            message = "You exceeded your current quota, please check your plan and billing details."
        case _, "no_key":
            code = None
        case 401, None:
            code = "invalid_api_key"
        case 403, None:
            code = "model_not_found"
        case 404, "model_not_found":
            message = f"The model `{model}` does not exist or you do not have access to it."
        case 429, None:
            kind, code = "requests", "rate_limit_exceeded"
        case status, None if status >= 500:
            kind = "server_error"
    body = {
        "error": {
            "message": message,
            "type": refused.kind or kind,
            "param": refused.param,
            "code": code,
        }
    }
    return error_reply(refused.status, body, headers(request_id), said)


def model_reply(question: Question, rules: Rules, request_id: str) -> Reply:
    name = question.path.removeprefix(MODELS).removeprefix("/")
    if name:
        return json_reply(Said(), model_body(name), headers(request_id))
    data = [model_body(known) for known in sorted(rules.models)]
    return json_reply(Said(), {"object": "list", "data": data}, headers(request_id))


def model_body(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "object": "model",
        "created": RELEASED,
        "owned_by": "system",
        "shutdown_date": None,
    }


# --- reading ---


def messages(question: Question) -> list[tuple[str, str]]:
    """Role and text of every message, over all three endpoints."""
    body = question.body
    found: list[tuple[str, str]] = []
    if isinstance(body.get("instructions"), str):
        found.append(("system", body["instructions"]))
    given = body.get("messages") if question.path == CHAT else body.get("input")
    if isinstance(given, str):
        found.append(("user", given))
    elif isinstance(given, list):
        for message in given:
            if isinstance(message, dict) and "role" in message:
                found.append((message["role"], flat_text(message.get("content"))))
    return found


def user_text(question: Question) -> str:
    return "\n".join(text for role, text in messages(question) if role == "user")


def asked(question: Question) -> Asked:
    return Asked(
        provider="openai",
        path=question.path,
        body=question.body,
        headers=question.headers,
        system="\n".join(
            text for role, text in messages(question) if role in {"system", "developer"}
        ),
        user=user_text(question),
        schema=schema_of(question),
        retry=int(question.headers.get("x-stainless-retry-count", "0")),
    )


def schema_of(question: Question) -> Mapping[str, Any] | None:
    if question.path == CHAT:
        wanted = (question.body.get("response_format") or {}).get("json_schema") or {}
    else:
        wanted = (question.body.get("text") or {}).get("format") or {}
    schema: Mapping[str, Any] | None = wanted.get("schema")
    return schema


# --- replies ---


def reply(said: Said, question: Question, rules: Rules, request_id: str) -> Reply:
    make = {CHAT: chat, RESPONSES: response, DECISIONS: decisions.decision}[question.path]
    body = make(said, question, rules.served_as(said, question.body["model"]), request_id)
    return json_reply(said, body, headers(request_id))


def spent(said: Said, question: Question, content: str) -> tuple[int, int]:
    if said.usage is not None:
        return said.usage
    sent = sum(tokens(text) for _, text in messages(question))
    return sent, tokens(content) + tokens(said.refusal) + tokens(said.thought)


def chat(said: Said, question: Question, model: str, request_id: str) -> dict[str, Any]:
    body = question.body
    content, cut = shortened(said, body.get("max_completion_tokens") or body.get("max_tokens"))
    reason = "length" if cut else {"filter": "content_filter"}.get(said.end, "stop")
    count = said.choices if said.choices is not None else body.get("n") or 1
    sent, written = spent(said, question, content or "")
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if said.end == "refusal" else content,
        "refusal": said.refusal if said.end == "refusal" else None,
        "annotations": [],
    }
    return {
        "id": f"chatcmpl-{request_id}",
        "object": "chat.completion",
        "created": RELEASED,
        "model": model,
        "choices": [
            {"index": index, "message": message, "logprobs": None, "finish_reason": reason}
            for index in range(count)
        ],
        "usage": {
            "prompt_tokens": sent,
            "completion_tokens": written,
            "total_tokens": sent + written,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        },
        "service_tier": "default",
        "system_fingerprint": "fp_test",
    }


def response(said: Said, question: Question, model: str, request_id: str) -> dict[str, Any]:
    content, cut = shortened(said, question.body.get("max_output_tokens"))
    why = "max_output_tokens" if cut else "content_filter" if said.end == "filter" else None
    status = "incomplete" if why else "completed"
    if said.end == "refusal":
        parts: list[dict[str, Any]] = [{"type": "refusal", "refusal": said.refusal}]
    elif content is None:
        parts = []
    else:
        parts = [{"type": "output_text", "text": content, "annotations": [], "logprobs": []}]
    output: list[dict[str, Any]] = []
    if said.thought:
        summary = [{"type": "summary_text", "text": said.thought}]
        output.append({"type": "reasoning", "id": f"rs_{request_id}", "summary": summary})
    for index in range(1 if said.choices is None else said.choices):
        output.append(
            {
                "type": "message",
                "id": f"msg_{request_id}_{index}",
                "role": "assistant",
                "status": status,
                "content": parts,
            }
        )
    sent, written = spent(said, question, content or "")
    return {
        "id": f"resp_{request_id}",
        "object": "response",
        "created_at": RELEASED,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": why} if why else None,
        "instructions": question.body.get("instructions"),
        "model": model,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "metadata": {},
        "usage": {
            "input_tokens": sent,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": tokens(said.thought)},
            "total_tokens": sent + written,
        },
    }
