"""What an SDK raises, in words for people: what happened, and whether it would happen again."""

from evalrag.judges.calls import CallFailed
from evalrag.redaction import one_line

_FINAL = {
    401: "the key was refused",
    402: "the account cannot pay",
    403: "the key may not do this",
    404: "there is no such model or address",
}
"""What no second call would mend."""

_QUOTA = "insufficient_quota"
"""By its code alone: the words of a passing limit speak of a quota too."""

_NOT_NOW = {408: "the server took too long", 429: "the server says: too many requests"}


def failed(error: Exception, timeout_s: float) -> CallFailed:
    """The failure of a call after the client's own retries. Works for both SDKs alike."""
    name = type(error).__name__
    status = getattr(error, "status_code", None)
    if name == "APITimeoutError":
        return CallFailed(f"no reply in {timeout_s:g} s")
    if name == "APIConnectionError":
        return CallFailed(f"the server cannot be reached: {_cause(error)}")
    if not isinstance(status, int) or name == "APIResponseValidationError":
        return CallFailed(f"the server's reply is none of this protocol ({name})")
    said = _message(error)
    final = _FINAL.get(status)
    if status == 429 and _QUOTA in (getattr(error, "code", None), getattr(error, "type", None)):
        final = "the quota is used up"
    if final is not None:
        return CallFailed(f"{final} ({status}{said})", final=True)
    words = _NOT_NOW.get(status, "the server failed" if status >= 500 else "the call was refused")
    return CallFailed(f"{words} ({status}{said})")


def _message(error: Exception) -> str:
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    message = inner.get("message") if isinstance(inner, dict) else None
    return f": {one_line(message, 200)}" if isinstance(message, str) and message.strip() else ""


def _cause(error: BaseException) -> str:
    """The words of the first cause that has any; its name where none has."""
    named, step = type(error).__name__, error.__cause__
    while step is not None:
        said = one_line(str(step), 120)
        if said:
            return said
        named, step = type(step).__name__, step.__cause__ or step.__context__
    return named
