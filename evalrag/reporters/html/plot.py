"""The reading table drawn: every row a point, in the cell that it was read into.

The cell says what the stages decided. Within it a point stands at its recall and faithfulness, on
the nearest place of a grid that is still free, so that no point hides another.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evalrag.reporters.html.rows import Entry

WIDTH, HEIGHT = 440, 330
MOST = 120
"""Points of a cell; its other rows are counted."""
_LEFT, _TOP, _BOTTOM, _GAP = 18, 4, 22, 6
_TITLE = 20
"""Height that the name of a cell takes."""
_STEP = 13
_BOX = ((WIDTH - _LEFT - _GAP) / 2, (HEIGHT - _TOP - _BOTTOM - _GAP) / 2)
_BROKE = ("broke", "now failing", "lost")
MARKS = {
    "broke": "broke since the baseline",
    "fail": "fails",
    "pass": "passes",
    "plain": "passes, no reference to hold the answer against",
    "open": "undecided",
}
"""What the shape of a point says."""


class Point(NamedTuple):
    key: str
    x: float
    y: float
    mark: str
    said: str


class Quadrant(NamedTuple):
    title: str
    x: float
    y: float
    width: float
    height: float
    rows: int
    points: Sequence[Point]


class Plot(NamedTuple):
    quadrants: Sequence[Quadrant]
    marks: Sequence[tuple[str, str]]
    """The shapes that occur, with what they say."""


def plot(entries: Sequence[Entry]) -> Plot | None:
    """The four cells with their rows; None where no row stands in any."""
    drawn = list(_quadrants(entries))
    if not any(quadrant.rows for quadrant in drawn):
        return None
    used = {point.mark for quadrant in drawn for point in quadrant.points}
    return Plot(drawn, [(mark, said) for mark, said in MARKS.items() if mark in used])


def _quadrants(entries: Sequence[Entry]) -> Iterator[Quadrant]:
    for row, faithful in enumerate(("high", "low")):
        for column, recall in enumerate(("low", "high")):
            title = f"{recall} recall, {faithful} faithfulness"
            own = [entry for entry in entries if entry.shown["l"].startswith(title)]
            x = _LEFT + column * (_BOX[0] + _GAP)
            y = _TOP + row * (_BOX[1] + _GAP)
            points = _points(sorted(own, key=lambda entry: entry.rank)[:MOST], x, y)
            yield Quadrant(title, x, y, *_BOX, len(own), points)


def _points(entries: Sequence[Entry], left: float, top: float) -> list[Point]:
    columns, rows = int((_BOX[0] - 10) / _STEP), int((_BOX[1] - _TITLE - 8) / _STEP)
    free = {(column, row) for column in range(columns) for row in range(rows)}
    made: list[Point] = []
    for entry in entries:
        recall = 1.0 if entry.recall is None else entry.recall
        faithfulness = 1.0 if entry.faithfulness is None else entry.faithfulness
        wanted = recall * (columns - 1), (1 - faithfulness) * (rows - 1)
        place = min(free, key=lambda at: (_far(at, wanted), -at[0], at[1]))
        free.remove(place)
        made.append(
            Point(
                entry.key,
                left + 5 + (place[0] + 0.5) * _STEP,
                top + _TITLE + (place[1] + 0.5) * _STEP,
                _mark(entry),
                _said(entry),
            )
        )
    return made


def _far(at: tuple[int, int], wanted: tuple[float, float]) -> float:
    return (at[0] - wanted[0]) ** 2 + (at[1] - wanted[1]) ** 2


def _mark(entry: Entry) -> str:
    if entry.shown["c"] in _BROKE:
        return "broke"
    if entry.shown["o"] == "pass":
        return "plain" if entry.shown["l"].endswith("no reference") else "pass"
    return "fail" if entry.shown["o"] == "fail" else "open"


def _said(entry: Entry) -> str:
    parts = [f"{entry.key}: {MARKS[_mark(entry)]}"]
    for name, value in (("recall", entry.recall), ("faithfulness", entry.faithfulness)):
        parts.append(f"{name} {'not scored' if value is None else f'{value:.2g}'}")
    return ", ".join(parts)
