"""What may be said of a failure in the user's code: one line, no secrets, no control characters."""

import json
import os
import re
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

LIMIT = 500
"""Characters of an error that are kept."""
HIDDEN = "[redacted]"

_SECRET_NAME = re.compile(
    r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL)S?(?=$|_|\d)", re.IGNORECASE
)
_SECRET_KEY = re.compile(
    r"^key$|(api|access|private|auth|account|subscription|secret)[-_]?key$|token$|secret|passw"
    r"|credential|authori[sz]ation|headers?$|cookie",
    re.IGNORECASE,
)
_SHORTEST = 6
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]+"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{6,}")


def environment_secrets(environ: Mapping[str, str]) -> frozenset[str]:
    """Values of the variables whose names look like secrets.

    Short values and plain numbers (`MAX_TOKENS=100000`) are left out: hiding them would blot out
    words that are no secret.
    """
    return frozenset(
        value
        for name, value in environ.items()
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST and not _plain_number(value)
    )


def is_secret_key(key: str) -> bool:
    """A setting of this name holds what must not be seen: `api_key`, `token`, `headers`."""
    return bool(_SECRET_KEY.search(key))


def redactor(secrets: Iterable[str]) -> Callable[[str], str]:
    """A function that puts `[redacted]` in place of every secret.

    A secret is also found where it is URL-quoted, or escaped as in JSON or in Python.
    """
    plain = {secret for secret in secrets if secret.strip()}
    known = plain | {quote(secret, safe="", errors="replace") for secret in plain}
    known |= {json.dumps(s, ensure_ascii=ascii_)[1:-1] for s in plain for ascii_ in (True, False)}
    known |= {repr(secret)[1:-1] for secret in plain}
    if not known:
        return _unchanged
    pattern = re.compile("|".join(re.escape(s) for s in sorted(known, key=len, reverse=True)))
    return lambda text: pattern.sub(HIDDEN, text)


def well_formed(text: str) -> str:
    """`text` in valid Unicode: surrogate pairs joined, lone surrogates replaced by U+FFFD."""
    if text.isascii() or not _SURROGATES.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def one_line(text: str, limit: int = LIMIT) -> str:
    """`text` on one line of at most `limit` characters, stripped of what a terminal would obey."""
    line = _CONTROLS.sub(" ", _ESCAPES.sub("", well_formed(text)))
    line = " ".join(line.split())
    return line if len(line) <= limit else line[: limit - 4].rstrip() + " ..."


def raised(error: BaseException, redact: Callable[[str], str] | None = None) -> str:
    """`TypeName: message (file.py:12)`: what was raised, and the last line of the user's own code.

    Addresses of objects are dropped, so that the same failure reads the same in the next run.
    """
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - the user's __str__ may do anything
        message = "its message cannot be read"
    message = _ADDRESS.sub("", message)
    if redact is not None:
        message = redact(message)
    where = place(error)
    tail = f" ({where})" if where else ""
    name = type(error).__name__
    line = one_line(f"{name}: {message}" if message.strip() else name, LIMIT - len(tail))
    return line + tail


def place(error: BaseException) -> str | None:
    """`file.py:12` of the innermost frame that is neither Python's, a package's nor ours."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{Path(error.filename).name}:{error.lineno}"
    found = None
    step: TracebackType | None = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if not file.startswith("<") and not file.startswith(_not_the_users()):
            found = f"{Path(file).name}:{step.tb_lineno}"
        step = step.tb_next
    return found


@cache
def _not_the_users() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    own = [str(Path(__file__).parent)]
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple(path + os.sep for path in own + [paths[name] for name in names])


def _plain_number(value: str) -> bool:
    return value.replace(".", "", 1).isdigit() and len(value) < 12


def _unchanged(text: str) -> str:
    return text
