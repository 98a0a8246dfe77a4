"""The lines of rows that stand alike: the first is written, and the others fill in its names."""

from json.encoder import encode_basestring as _text
from typing import Any

from pydantic_core import to_json

from evalrag.schema.alike import Like, Pattern
from evalrag.schema.frozen import made
from evalrag.schema.result import Placed, RowResult
from evalrag.stores.row_lines import row_line


class AlikeLines:
    """Writes a row as `row_line` writes it. A law in `tests/laws` holds the two against each other.

    A pattern's form is a line of `row_line` itself, with a `%s` where a row has something of its
    own: id, digest, what follows the digest, and the names of its passages.
    """

    def __init__(self) -> None:
        self._forms: dict[Pattern, str] = {}

    def line(self, like: Like) -> bytes:
        form = self._forms.get(like.pattern)
        if form is None:
            form = self._forms[like.pattern] = _form(like)
        own = _text(like.asked)
        if like.question or like.about or like.expect:
            own += _more(like)
        said = form % (_text(like.id), _text(like.digest), own, *map(_text, like.names))
        return said.encode("utf-8")


def _form(like: Like) -> str:
    identity, digest, asked, *names = (f"\x00{n}\x00" for n in range(3 + len(like.names)))
    attempt = like.pattern.attempt
    first = made(
        RowResult,
        {"id": identity, "kind": like.kind, "digest": digest, "asked": asked}
        | {"question": "", "about": {}, "expect": ()}
        | attempt.__dict__
        | {"passages": tuple(map(_named, attempt.passages, names))}
        | {"flaky": False, "attempts": (), "other_verdicts": {}},
    )
    line = row_line(first).decode("utf-8").replace("%", "%%")
    for place in (identity, digest, asked, *names):
        line = line.replace(_text(place), "%s")
    return line


def _named(entry: Placed | str, name: str) -> Placed | str:
    return name if isinstance(entry, str) else {**entry, "id": name}


def _more(like: Like) -> str:
    """What stands between `asked` and `outcome`, in the order of the model."""
    said: dict[str, Any] = {}
    if like.question:
        said["question"] = like.question
    if like.about:
        said["about"] = like.about
    if like.expect:
        said["expect"] = like.expect
    return "," + to_json(said).decode("utf-8")[1:-1]
