"""Anthropic's protocol: which requests it takes, and how its replies and errors look."""

from collections.abc import Mapping
from typing import Any

from tests.provider.connection import Reply
from tests.provider.said import Asked, Refused, Said
from tests.provider.schemas import anthropic_problem
from tests.provider.wire import (
    Question,
    Rules,
    error_reply,
    flat_text,
    json_reply,
    shortened,
    tokens,
    words,
)

MESSAGES = "/v1/messages"
MODELS = "/v1/models"
KNOWN = words(
    """max_tokens messages model cache_control container diagnostics inference_geo metadata
    output_config service_tier speed stop_sequences stream system thinking tool_choice tools"""
)
"""No `temperature`, `top_p` or `top_k`: the API has none any more."""
EFFORTS = {"low", "medium", "high", "xhigh", "max"}
KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def headers(request_id: str) -> dict[str, str]:
    return {"request-id": request_id}


def refused(question: Question, rules: Rules, problem: Refused | None) -> Refused | None:
    path, given = question.path, question.headers
    known = path == MESSAGES if question.method == "POST" else path.startswith(MODELS)
    if not known or path in rules.without:
        return Refused(404, "Not Found")
    key = given.get("x-api-key") or given.get("authorization", "").removeprefix("Bearer ")
    if not key:
        return Refused(401, "x-api-key header is required")
    if key != rules.key:
        return Refused(401, "invalid x-api-key")
    if "anthropic-version" not in given:
        return Refused(400, "anthropic-version: header is required")
    if question.method == "GET":
        name = path.removeprefix(MODELS).removeprefix("/")
        return (
            None if not name or name in rules.models else Refused(404, "", code="model_not_found")
        )
    return problem or body_problem(question.body, rules)


def body_problem(body: Mapping[str, Any], rules: Rules) -> Refused | None:
    for name in ("model", "max_tokens", "messages"):
        if name not in body:
            return Refused(400, f"{name}: Field required", param=name)
    for name in body:
        if name not in KNOWN or name in rules.unsupported:
            return Refused(400, "", code="unknown_parameter", param=name)
    if body["model"] not in rules.models:
        return Refused(404, "", code="model_not_found")
    most = body["max_tokens"]
    if not isinstance(most, int) or most < 1:
        return Refused(
            400, "max_tokens: Input should be greater than or equal to 1", param="max_tokens"
        )
    said = body["messages"]
    if not isinstance(said, list) or not said:
        return Refused(400, "messages: at least one message is required", param="messages")
    for index, message in enumerate(said):
        if message.get("role") not in {"user", "assistant"}:
            return Refused(400, f"messages.{index}.role: Input should be 'user' or 'assistant'")
        if not flat_text(message.get("content")).strip():
            return Refused(400, f"messages.{index}: text content blocks must be non-empty")
    if body.get("stream"):
        return Refused(400, "stream: this server does not stream", param="stream")
    return output_problem(body.get("output_config"))


def output_problem(config: Any) -> Refused | None:
    if config is None:
        return None
    for name in config:
        if name not in {"effort", "format"}:
            return Refused(400, "", code="unknown_parameter", param=f"output_config.{name}")
    if config.get("effort") is not None and config["effort"] not in EFFORTS:
        return Refused(400, "output_config.effort: Input should be one of the known efforts")
    wanted = config.get("format")
    if wanted is None:
        return None
    for name in wanted:
        if name not in {"type", "schema"}:
            return Refused(400, "", code="unknown_parameter", param=f"output_config.format.{name}")
    if wanted.get("type") != "json_schema":
        return Refused(400, "output_config.format.type: Input should be 'json_schema'")
    if not isinstance(wanted.get("schema"), dict):
        return Refused(400, "output_config.format.schema: Field required")
    problem = anthropic_problem(wanted["schema"])
    return Refused(400, f"output_config.format.schema: {problem}") if problem else None


def error(refused: Refused, question: Question, request_id: str, said: Said | None = None) -> Reply:
    status, message = refused.status, refused.message
    if refused.code == "unknown_parameter":
        message = message or f"{refused.param}: Extra inputs are not permitted"
    elif refused.code == "model_not_found":
        message = f"model: {question.body.get('model') or question.path.rpartition('/')[2]}"
    elif refused.code == "insufficient_quota":
        status, message = 402, "Your credit balance is too low to access the API."
    kind = refused.kind or KINDS.get(status, "api_error")
    body = {
        "type": "error",
        "error": {"type": kind, "message": message},
        "request_id": request_id,
    }
    return error_reply(status, body, headers(request_id), said)


def model_reply(question: Question, rules: Rules, request_id: str) -> Reply:
    name = question.path.removeprefix(MODELS).removeprefix("/")
    if name:
        return json_reply(Said(), model_body(rules.served.get(name, name)), headers(request_id))
    data = [model_body(known) for known in sorted(rules.models)]
    page = {"data": data, "has_more": False, "first_id": data[0]["id"], "last_id": data[-1]["id"]}
    return json_reply(Said(), page, headers(request_id))


def model_body(name: str) -> dict[str, Any]:
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "line": None,
        "max_input_tokens": 1_000_000,
        "max_tokens": 64_000,
    }


# --- reading ---


def user_text(question: Question) -> str:
    given = question.body.get("messages")
    return "\n".join(
        flat_text(message.get("content"))
        for message in (given if isinstance(given, list) else ())
        if isinstance(message, dict) and message.get("role") == "user"
    )


def asked(question: Question) -> Asked:
    wanted = (question.body.get("output_config") or {}).get("format") or {}
    return Asked(
        provider="anthropic",
        path=question.path,
        body=question.body,
        headers=question.headers,
        system=flat_text(question.body.get("system")),
        user=user_text(question),
        schema=wanted.get("schema"),
        retry=int(question.headers.get("x-stainless-retry-count", "0")),
    )


# --- replies ---


def reply(said: Said, question: Question, rules: Rules, request_id: str) -> Reply:
    content, cut = shortened(said, question.body["max_tokens"])
    declined = said.end in {"refusal", "filter"}
    sent, written = said.usage or (
        tokens(user_text(question)) + tokens(flat_text(question.body.get("system"))),
        tokens(content or "") + tokens(said.thought),
    )
    details = {"type": "refusal", "category": None, "explanation": said.refusal or None}
    body = {
        "id": f"msg_{request_id}",
        "type": "message",
        "role": "assistant",
        "model": rules.served_as(said, question.body["model"]),
        "content": blocks(said, content, declined),
        "stop_reason": "refusal" if declined else "max_tokens" if cut else "end_turn",
        "stop_sequence": None,
        "stop_details": details if said.end == "refusal" else None,
        "usage": {
            "input_tokens": sent,
            "output_tokens": written,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "service_tier": "standard",
            "output_tokens_details": {"thinking_tokens": tokens(said.thought)},
        },
    }
    return json_reply(said, body, headers(request_id))


def blocks(said: Said, content: str | None, declined: bool) -> list[dict[str, Any]] | None:
    if declined and not content:
        return []
    if content is None:
        return None
    found: list[dict[str, Any]] = []
    if said.thought:
        found.append({"type": "thinking", "thinking": said.thought, "signature": "c2lnbmVk"})
    for _ in range(1 if said.choices is None else said.choices):
        found.append({"type": "text", "text": content, "citations": None})
    return found
