"""Hostile text made harmless in a page: what cannot be seen is shown, what is endless is cut.

A page has two doors. Jinja's templates escape by themselves and pass every text through `visible`;
`script_json` is the only way for data into the scripts.
"""

import json
import re
from typing import Any
from urllib.parse import quote

from pydantic_core import to_json

_NONE = "\ufdd0-\ufdef" + "".join(
    chr(n - 2) + chr(n - 1) for n in range(1 << 16, 18 << 16, 1 << 16)
)
_ALWAYS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b"
    "\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb"
    f"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff{_NONE}"
)
"""Control, bidirectional and zero-width characters, tags, halves of surrogate pairs, and what
Unicode says is no character."""
_JOINERS = "\u200c\u200d\ufe00-\ufe0f"
"""Persian words and families of emoji need them: they stay between characters beyond ASCII."""
_UNSEEN = f"[{_ALWAYS}]|(?<![^\x00-\x7f{_JOINERS}])[{_JOINERS}]"
_RAW = re.compile(_UNSEEN)
_JSON = re.compile(
    rf"(?=[\\{_ALWAYS}{_JOINERS}])(?:(\\r(?=\\n))|\\(?:u[0-9a-fA-F]{{4}}|.)|{_UNSEEN})"
)
"""Every escape is taken whole, so that a backslash that is text begins none."""
_ESCAPES = (r"\u", r"\b", r"\f", r"\r")
_SHORT = {r"\b": 8, r"\f": 12, r"\r": 13}
_AT_FIRST = re.compile(r"\n([ \t]*):(?=:[\w-]+[^\n]*::)")
_ANYWHERE = re.compile(r"(##[A-Za-z]*)\[")
"""What a CI server obeys in a log, which a page is part of when it goes to stdout.

Two patterns that begin with a letter of their own are sought ten times as fast as one of both.
"""
ROW = "row-"
"""How the fragment of a row's page begins."""


def visible(text: str) -> str:
    """The same text with every character that cannot be seen written as `[U+202E]`."""
    if text.isascii() and text.isprintable():
        return text
    return _RAW.sub(lambda found: _named(ord(found[0])), text.replace("\r\n", "\n"))


def _named(code: int) -> str:
    return f"[U+{code:04X}]"


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, and how many are left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} ... ({len(text) - limit:,} characters left out)"


def script_json(value: Any) -> str:
    r"""JSON for a `<script type="application/json">`, which nothing in it can close or leave.

    No `<`, `>` or `&` is in it, hence no `</script>` and no `<!--`; no unseen character either.
    """
    try:
        text = to_json(value).decode()
    except ValueError:  # half of a surrogate pair
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    seen = text.isascii() and text.isprintable()
    if not seen or ("\\" in text and any(escape in text for escape in _ESCAPES)):
        text = _JSON.sub(_harmless, text)
    text = text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")
    return _ANYWHERE.sub(r"\1\\u005b", text)


def _harmless(found: re.Match[str]) -> str:
    said = found[0]
    if found[1]:  # the lines of a file from Windows
        return ""
    if said[0] != "\\":
        return _named(ord(said))
    if said[1] == "u":
        return _named(int(said[2:], 16))
    return _named(_SHORT[said]) if said in _SHORT else said


def disarmed(page: str) -> str:
    """A page whose text is no command to the CI server that prints it; it reads as before."""
    return _ANYWHERE.sub(r"\1&#91;", _AT_FIRST.sub(r"\n\1&#58;", page))


def fragment(key: str) -> str:
    """The link to a row's page within the file."""
    return f"#{ROW}{quote(key, safe='')}"
