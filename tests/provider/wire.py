"""What both wire protocols share: the question as the server holds it, its rules, and the reply in
bytes.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tests.provider.connection import Reply, Request
from tests.provider.said import Asked, Refused, Said


@dataclass(frozen=True, slots=True)
class Question:
    method: str
    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rules:
    key: str
    models: frozenset[str]
    served: Mapping[str, str]
    unsupported: frozenset[str]
    without: frozenset[str]

    def served_as(self, said: Said, model: str) -> str:
        return said.model or self.served.get(model, model)


class Wire(Protocol):
    """One provider's protocol."""

    def refused(
        self, question: Question, rules: Rules, problem: Refused | None
    ) -> Refused | None: ...

    def error(
        self, refused: Refused, question: Question, request_id: str, said: Said | None = None
    ) -> Reply: ...

    def model_reply(self, question: Question, rules: Rules, request_id: str) -> Reply: ...

    def asked(self, question: Question) -> Asked: ...

    def user_text(self, question: Question) -> str: ...

    def headers(self, request_id: str) -> dict[str, str]: ...

    def reply(self, said: Said, question: Question, rules: Rules, request_id: str) -> Reply: ...


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def parsed(request: Request) -> tuple[Mapping[str, Any], Refused | None]:
    """The body as an object, and why it is none."""
    if request.method == "GET":
        return {}, None
    try:
        body = json.loads(request.body)
    except ValueError as error:
        return {}, Refused(400, f"The request body is not valid JSON: {error}")
    if not isinstance(body, dict):
        return {}, Refused(400, "The request body is not a JSON object.")
    return body, None


def flat_text(content: Any) -> str:
    """The text of a message's content: a string, or a list of parts of which those with text
    count.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, Iterable):
        return ""
    return "\n".join(
        part["text"]
        for part in content
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    )


def tokens(words: str) -> int:
    """A count that only a test relies on: four characters are a token."""
    return (len(words) + 3) // 4


def shortened(said: Said, limit: Any) -> tuple[str | None, bool]:
    """The text under the limit of tokens that was asked for, and whether it is cut."""
    if said.text is None or not isinstance(limit, int) or tokens(said.text) <= limit:
        return said.text, said.end == "length"
    return said.text[: 4 * limit], True


def json_reply(said: Said, body: Mapping[str, Any], headers: Mapping[str, str]) -> Reply:
    data = json.dumps(body, ensure_ascii=False).encode()
    if said.cut_envelope:
        data = data[: len(data) // 2]
    return Reply(
        200,
        data,
        {"content-type": "application/json", **headers, **said.headers},
        said.after,
        said.fault,
    )


def raw_reply(said: Said, headers: Mapping[str, str]) -> Reply | None:
    if said.raw is None:
        return None
    named = {"content-type": said.raw.type, **headers, **said.headers}
    return Reply(said.raw.status, said.raw.body, named, said.after, said.fault)


def error_reply(
    status: int, body: Mapping[str, Any], headers: Mapping[str, str], said: Said | None
) -> Reply:
    said = said or Said()
    return Reply(
        status,
        json.dumps(body).encode(),
        {"content-type": "application/json", **headers, **said.headers},
        said.after,
        said.fault,
    )
