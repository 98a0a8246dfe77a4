"""What an SDK raises, in words for people: what happened, and whether it would happen again."""

from evalrag.judges.model import CallFailed
from evalrag.redaction import one_line

_FINAL = {
    401: "the key was refused",
    402: "the account cannot pay",
    403: "the key may not do this",
    404: "there is no such model or address",
}
"""What no second call would mend."""

_NOT_NOW = {408: "the server took too long", 429: "the server says: too many requests"}


def failed(error: Exception, timeout_s: float) -> CallFailed:
    """The failure of a call after the client's own retries. Works for both SDKs alike."""
    name = type(error).__name__
    status = getattr(error, "status_code", None)
    if name == "APITimeoutError":
        return CallFailed(f"no reply in {timeout_s:g} s")
    if name == "APIConnectionError":
        why = one_line(str(error.__cause__ or error), 120)
        return CallFailed(f"the server cannot be reached: {why}")
    if not isinstance(status, int) or name == "APIResponseValidationError":
        return CallFailed(f"the server's reply is none of this protocol ({name})")
    said = _message(error)
    final = _FINAL.get(status)
    if status == 429 and "quota" in said.lower():
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
