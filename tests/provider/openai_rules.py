"""Which parameters OpenAI's endpoints know, and what they demand of them."""

import re
from collections.abc import Mapping
from typing import Any

from tests.provider.said import Refused
from tests.provider.schemas import openai_problem
from tests.provider.wire import Question, words

CHAT = "/v1/chat/completions"
RESPONSES = "/v1/responses"
DECISIONS = "/v1/decisions"
DECIDING_MODEL = "gpt-6-luna"
MOST_QUESTIONS = 400
MOST_CHOICES = 255
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

KNOWN: Mapping[str, frozenset[str]] = {
    CHAT: words(
        """messages model audio frequency_penalty function_call functions logit_bias logprobs
    max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls
    prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention
    reasoning_effort response_format safety_identifier seed service_tier stop store stream
    stream_options temperature tool_choice tools top_logprobs top_p user verbosity
    web_search_options"""
    ),
    RESPONSES: words(
        """access_programs background background_options context_management conversation image
    include input instructions max_output_tokens max_tool_calls metadata model moderation
    parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options
    prompt_cache_retention reasoning safety_identifier service_tier store stream
    stream_options temperature text tool_choice tools top_logprobs top_p truncation user"""
    ),
    DECISIONS: words(
        """input model questions prompt_cache_key prompt_cache_options safety_identifier"""
    ),
}
NEEDED = {CHAT: ("messages",), RESPONSES: ("input",), DECISIONS: ("input", "questions")}
RANGES = {"temperature": (0.0, 2.0), "top_p": (0.0, 1.0)}
COUNTS = ("max_completion_tokens", "max_tokens", "max_output_tokens", "n")


def invalid(message: str, param: str | None, code: str | None = None) -> Refused:
    return Refused(400, message, code=code, param=param)


def parameter_problem(question: Question, unsupported: frozenset[str]) -> Refused | None:
    body, path = question.body, question.path
    for name in body:
        if name not in KNOWN[path]:
            return invalid("", name, "unknown_parameter")
        if name in unsupported:
            return invalid("", name, "unsupported_parameter")
    for name in NEEDED[path]:
        if not body.get(name):
            message = f"Missing required parameter: '{name}'."
            return invalid(message, name, "missing_required_parameter")
    if body.get("stream"):
        return invalid("This server does not stream.", "stream", "unsupported_value")
    for name, (least, most) in RANGES.items():
        value = body.get(name)
        if value is not None and not (is_number(value) and least <= value <= most):
            message = f"Invalid '{name}': expected a number from {least:g} to {most:g}."
            return invalid(message, name, "invalid_value")
    for name in COUNTS:
        value = body.get(name)
        if value is not None and not (isinstance(value, int) and value >= 1):
            message = f"Invalid '{name}': integer below minimum value."
            return invalid(message, name, "integer_below_min_value")
    return question_problem(body) if path == DECISIONS else None


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def format_problem(question: Question) -> Refused | None:
    """What is wrong with the wanted form of the answer; a strict schema must be one that it can
    hold to.
    """
    if question.path == DECISIONS:
        return None
    if question.path == CHAT:
        place, inner, code = "response_format", "response_format.json_schema", None
        wanted = question.body.get("response_format")
        spec = wanted.get("json_schema") if isinstance(wanted, dict) else None
    else:
        place, inner, code = "text.format", "text.format", "invalid_json_schema"
        text = question.body.get("text")
        spec = wanted = text.get("format") if isinstance(text, dict) else None
    if wanted is None:
        return None
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if kind in {"text", "json_object"}:
        return None
    if kind != "json_schema":
        message = (
            f"Invalid value: '{kind}'. Supported values are 'json_object', 'json_schema', 'text'."
        )
        return invalid(message, f"{place}.type", "invalid_value")
    if not isinstance(spec, dict) or not isinstance(spec.get("schema"), dict):
        message = f"Missing required parameter: '{inner}.schema'."
        return invalid(message, f"{inner}.schema", "missing_required_parameter")
    name = spec.get("name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return invalid(
            f"Invalid '{inner}.name': string does not match pattern.",
            f"{inner}.name",
            "invalid_value",
        )
    problem = openai_problem(spec["schema"]) if spec.get("strict") else None
    if problem is None:
        return None
    where = "response_format" if question.path == CHAT else "text.format.schema"
    return invalid(f"Invalid schema for response_format '{name}': {problem}", where, code)


def question_problem(body: Mapping[str, Any]) -> Refused | None:
    """What is wrong with a decision's questions, by the bounds that its reference states."""
    if body["model"] != DECIDING_MODEL:
        message = f"The model '{body['model']}' is not supported with this endpoint."
        return invalid(message, "model", "unsupported_model")
    questions = body["questions"]
    if not isinstance(questions, list) or len(questions) > MOST_QUESTIONS:
        return invalid(
            f"Invalid 'questions': 1 to {MOST_QUESTIONS} are allowed.", "questions", "invalid_value"
        )
    for index, asked in enumerate(questions):
        place = f"questions[{index}]"
        if not isinstance(asked, dict) or asked.get("type") not in {"predicate", "choice", "score"}:
            return invalid(f"Invalid '{place}.type'.", f"{place}.type", "invalid_value")
        if not asked.get("instructions"):
            message = f"Missing required parameter: '{place}.instructions'."
            return invalid(message, f"{place}.instructions", "missing_required_parameter")
        key, name = ("choices", "value") if asked["type"] == "choice" else ("levels", "label")
        if asked["type"] == "predicate":
            continue
        options = asked.get(key)
        if not isinstance(options, list) or not 2 <= len(options) <= MOST_CHOICES:
            return invalid(
                f"Invalid '{place}.{key}': array of the wrong length.",
                f"{place}.{key}",
                "invalid_value",
            )
        values = [(type(option.get(name)), option.get(name)) for option in options]
        if len(set(values)) != len(values):
            return invalid(
                f"Invalid '{place}.{key}': each must be unique.", f"{place}.{key}", "invalid_value"
            )
    return None
