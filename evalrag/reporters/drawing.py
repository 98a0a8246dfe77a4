"""How text reports are drawn: one console, plain or in colour, and the few shapes they share."""

import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from evalrag.loading.show import clean
from evalrag.reporters.plain import disarmed, safe

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def draw(parts: Iterable[RenderableType], *, width: int, color: bool) -> str:
    """The parts as text; with ANSI colours where `color`. Colour never stands alone."""
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=color,
        no_color=not color,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for part in parts:
        line = part.at_once(width, color=color) if isinstance(part, Hanging) else None
        if line is not None:
            out.write(f"{line}\n")
            continue
        # The console joins texts anew, so that what a text says of wrapping has to be said again.
        console.print(part, soft_wrap=isinstance(part, Text) and part.no_wrap is True)
    text = "\n".join(_shown(line.rstrip(), color) for line in out.getvalue().splitlines())
    return disarmed(text) + "\n"


def _shown(line: str, color: bool) -> str:
    """The last wall: whichever part forgot `safe`, a terminal is told colours alone."""
    if line.isprintable():
        return line
    parts = _COLOURS.split(line) if color else [line]
    colours = _COLOURS.findall(line) if color else []
    said = [clean(part, len(part)) for part in parts]
    return "".join(word for pair in zip_longest(said, colours, fillvalue="") for word in pair)


def title(text: str, style: str = "bold") -> Text:
    return Text(f"\n{text}", style=style)


def lines(name: str, said: Sequence[str], style: str) -> Iterator[RenderableType]:
    if said:
        yield title(name, style)
        for line in said:
            yield hanging("- ", Text(safe(line, 2_000)))


class Hanging:
    """A text whose further lines stand under its first, behind a sign. Thousands are drawn fast."""

    def __init__(self, head: str, body: Text) -> None:
        self._head = head
        self._body = body

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(1, options.max_width - len(self._head))
        head = self._head
        for line in self._body.wrap(console, width, overflow="fold"):
            yield Text(head).append_text(line)
            head = " " * len(head)

    def at_once(self, width: int, *, color: bool) -> str | None:
        """The whole, where it takes one line without a style: what wrapping would come to."""
        said = self._head + self._body.plain
        styled = color and (self._body.style or self._body.spans)
        if styled or "\n" in said or cell_len(said) > width:
            return None
        return said


def hanging(sign: str, body: Text, indent: int = 2) -> Hanging:
    return Hanging(" " * indent + sign, body)


def table(*columns: str) -> Table:
    """An open table: the first column is names, all others are figures."""
    drawn = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for index, column in enumerate(columns):
        drawn.add_column(column, justify="left" if index == 0 else "right", no_wrap=index == 0)
    return drawn


def command_line(command: str, name: str = "next") -> Text:
    """What to type next, on one line however long: to be copied as it is."""
    return Text(f"{name}: {clean(command, 4_000)}", style="bold", no_wrap=True, overflow="ignore")
