"""Recall turn by turn, where rows have a history."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding

from evalrag.reporters.drawing import table, title
from evalrag.reporters.plain import number
from evalrag.schema.verdict import TurnRecall
from evalrag.schema.words import Kind


def conversations(turns: Sequence[TurnRecall]) -> Iterator[RenderableType]:
    """A table for each origin: a line a turn, a column a kind, and how many rows reused."""
    for origin in dict.fromkeys(one.origin for one in turns):
        own = [one for one in turns if one.origin == origin]
        kinds = [kind.value for kind in Kind if any(one.kind == kind.value for one in own)]
        drawn = table("turn", *kinds, "reused")
        for turn in dict.fromkeys(one.turn for one in own):
            cells = {one.kind: one for one in own if one.turn == turn}
            rows, reused = (
                sum(getattr(one, name) for one in cells.values()) for name in ("rows", "reused")
            )
            drawn.add_row(str(turn), *(_cell(cells.get(k)) for k in kinds), f"{reused} of {rows}")
        yield title(
            f"Conversations: context_recall of {origin} rows by turn (rows scored/rows); reused: "
            "rows on an earlier turn's passages"
        )
        yield Padding(drawn, (0, 0, 0, 2))


def _cell(one: TurnRecall | None) -> str:
    if one is None:
        return ""
    if one.recall is None:
        return f"n/a (0/{one.rows})"
    part = "" if one.scored == one.rows else f"/{one.rows}"
    return f"{number(round(one.recall, 2))} ({one.scored}{part})"
