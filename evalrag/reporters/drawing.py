"""How text reports are drawn: one console, plain or in colour, and the few shapes they share."""

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from evalrag.loading.show import clean
from evalrag.reporters.plain import safe


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
        # The console joins texts anew, so that what a text says of wrapping has to be said again.
        console.print(part, soft_wrap=isinstance(part, Text) and part.no_wrap is True)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def title(text: str, style: str = "bold") -> Text:
    return Text(f"\n{text}", style=style)


def lines(name: str, said: Sequence[str], style: str) -> Iterator[RenderableType]:
    if said:
        yield title(name, style)
        for line in said:
            yield hanging("- ", Text(safe(line, 2_000)))


def hanging(sign: str, body: RenderableType, indent: int = 2) -> Table:
    grid = Table.grid(padding=0)
    grid.add_column(width=indent + len(sign), no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    grid.add_row(" " * indent + sign, body)
    return grid


def table(*columns: str) -> Table:
    """An open table: the first column is names, all others are figures."""
    drawn = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for index, column in enumerate(columns):
        drawn.add_column(column, justify="left" if index == 0 else "right", no_wrap=index == 0)
    return drawn


def command_line(command: str, name: str = "next") -> Text:
    """What to type next, on one line however long: to be copied as it is."""
    return Text(f"{name}: {clean(command, 4_000)}", style="bold", no_wrap=True, overflow="ignore")
