"""What a child wrote beside its replies: the end of it stands in the error of a row."""

import re
from collections import deque
from collections.abc import Callable, Iterator

from evalrag.redaction import one_line

LINES, LINE_CHARS, CHARS = 20, 200, 240
LOOKED_AT = 20_000
"""Bytes of a line in which secrets are hidden before it is cut."""
CHUNK = 65_536
_FRAME = re.compile(r"\s+at\s.*:\d+\)?\s*$|\s+from\s.*:\d+:in\s|Node\.js v[\d.]+\s*$")
"""What Node, Java and Ruby write below the error itself, which it would push out."""


class LastWords:
    """The newest lines, each without secrets and bounded before it is kept."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._lines: deque[str] = deque(maxlen=LINES)

    def keep(self, line: bytes) -> None:
        text = _text(line)
        if not _FRAME.match(text) and (shown := self.shown(line)):
            self._lines.append(shown)

    def shown(self, line: bytes) -> str:
        return one_line(self._redact(_text(line)), LINE_CHARS)

    def after(self, said: str) -> str:
        """`said`, with as many of the newest lines as there is room for."""
        kept: list[str] = []
        room = CHARS
        for line in reversed(tuple(self._lines)):
            if len(line) > room:
                break
            kept.append(line)
            room -= len(line) + 3
        return said + f"; last words: {' | '.join(reversed(kept))}" * bool(kept)


def _text(line: bytes) -> str:
    return line[:LOOKED_AT].decode("utf-8", "replace")


def lines_of(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Lines from a pipe to its end; what goes on without a line end is cut."""
    rest = b""
    while chunk := read(CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
        if len(rest) > CHUNK:
            yield rest
            rest = b""
    yield rest
