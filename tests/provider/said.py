"""What a test lets a provider say, and what the provider was asked.

A script is a callable from `Asked` to `Said`. It runs in the server's own thread, one call at a
time, so it may keep state without a lock; it must not block, since a wait belongs in `Said.after`.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Literal

Provider = Literal["openai", "anthropic"]
End = Literal["stop", "length", "refusal", "filter"]
Fault = Literal["never", "reset", "reset_within", "close_within"]
Pick = Mapping[Any, float] | float | None


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that a real provider would have answered: its key, model, parameters and schema
    are in order.
    """

    provider: Provider
    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    """By lower-case name."""
    system: str
    user: str
    schema: Mapping[str, Any] | None
    retry: int
    """Which repetition of the same call this is, by the client's own count; 0 is the first try."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An error in the provider's own shape. `kind`, `code` and `param` are the fields of that
    shape.
    """

    status: int
    message: str
    kind: str | None = None
    code: str | None = None
    param: str | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    """A reply that is not in the provider's shape at all: from a proxy, or broken."""

    body: bytes
    type: str = "text/html; charset=utf-8"
    status: int = 200


@dataclass(frozen=True, slots=True)
class Said:
    """One reply. `text` None is a content that is null."""

    text: str | None = None
    end: End = "stop"
    refusal: str = ""
    thought: str = ""
    """What stands before the text as a block of its own: Anthropic's thinking, the Responses API's
    reasoning.
    """
    choices: int | None = None
    """How many choices (Anthropic: text blocks) stand in the reply; None is as many as were asked
    for.
    """
    picks: tuple[Pick, ...] | None = None
    """Answers of a decision, in the order of its questions; None is one made from the questions."""
    usage: tuple[int, int] | None = None
    """Tokens of input and output; None is a count by length."""
    model: str | None = None
    """The served model's name; None is the server's own."""
    error: Refused | None = None
    raw: Raw | None = None
    fault: Fault | None = None
    cut_envelope: bool = False
    after: float = 0.0
    """Seconds until the answer goes out."""
    headers: Mapping[str, str] = field(default_factory=dict)


Script = Callable[[Asked], Said]


def text(content: str, **more: Any) -> Said:
    return Said(text=content, **more)


def refusal(words: str = "I cannot help with that.") -> Said:
    return Said(end="refusal", refusal=words)


def filtered() -> Said:
    """Withheld by the provider's content filter (OpenAI); a refusal without words at Anthropic."""
    return Said(text="", end="filter")


def cut(content: str) -> Said:
    """The first half of the content, and the reason that the limit of tokens was reached."""
    return Said(text=content[: len(content) // 2], end="length")


def half(content: str) -> Said:
    """The first half of the content, said to be all of it."""
    return Said(text=content[: len(content) // 2])


def null() -> Said:
    return Said(text=None)


def choices(count: int, content: str) -> Said:
    return Said(text=content, choices=count)


def decided(*picks: Pick) -> Said:
    """Answers of a decision: probabilities by value or level, a predicate's probability, None to
    refuse that one.
    """
    return Said(picks=picks)


def html(status: int = 200) -> Said:
    page = b"<!doctype html><html><body><h1>Sign in to the network</h1></body></html>"
    return Said(raw=Raw(page, status=status))


def empty() -> Said:
    return Said(raw=Raw(b"", type="application/json"))


def garbled(content: str) -> Said:
    """The provider's own JSON, cut in the middle, with the length of what is there."""
    return Said(text=content, cut_envelope=True)


def unknown_parameter(name: str) -> Said:
    return Said(error=Refused(400, "", code="unknown_parameter", param=name))


def unauthorized() -> Said:
    return Said(error=Refused(401, "Incorrect API key provided."))


def forbidden() -> Said:
    return Said(error=Refused(403, "This key may not use this model."))


def no_such_model() -> Said:
    return Said(error=Refused(404, "", code="model_not_found"))


def rate_limited(seconds: float | None = None, *, as_date: bool = False) -> Said:
    """429; a date has whole seconds, so it is rounded up to one that is not past."""
    headers: dict[str, str] = {}
    if seconds is not None and as_date:
        until = datetime.now(UTC) + timedelta(seconds=seconds)
        if until.microsecond:
            until = until.replace(microsecond=0) + timedelta(seconds=1)
        headers["retry-after"] = format_datetime(until, usegmt=True)
    elif seconds is not None:
        headers["retry-after"] = f"{seconds:g}"
    return Said(error=Refused(429, "Rate limit reached."), headers=headers)


def out_of_credit(**headers: str) -> Said:
    """A 429 that no wait mends (OpenAI), a 402 (Anthropic)."""
    return Said(error=Refused(429, "", code="insufficient_quota"), headers=named(headers))


def failing(status: int, **headers: str) -> Said:
    """An error of the server; `retry_after="1"` is a header `retry-after: 1`."""
    return Said(error=Refused(status, "The server had an error."), headers=named(headers))


def named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def slow(seconds: float, then: Said) -> Said:
    return replace(then, after=seconds)


def never() -> Said:
    return Said(fault="never")


def reset() -> Said:
    """The connection is reset before a byte of the answer."""
    return Said(fault="reset")


def reset_within(content: str = "") -> Said:
    return Said(text=content, fault="reset_within")


def closed_within(content: str = "") -> Said:
    """The connection ends in order, in the middle of the body."""
    return Said(text=content, fault="close_within")


def always(said: Said) -> Script:
    return lambda asked: said


def first(count: int, said: Said, then: Script) -> Script:
    """The same reply to the first `count` requests of any kind, and then the other script."""
    seen = 0

    def script(asked: Asked) -> Said:
        nonlocal seen
        seen += 1
        return said if seen <= count else then(asked)

    return script


def each(count: int, said: Said, then: Script) -> Script:
    """The same reply to the first `count` requests with the same user text, and then the other
    script.
    """
    seen: Counter[str] = Counter()

    def script(asked: Asked) -> Said:
        seen[asked.user] += 1
        return said if seen[asked.user] <= count else then(asked)

    return script
