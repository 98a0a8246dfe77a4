"""A plan's runs as text, a letter a run, and as JSON."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from evalrag.regression.exits import quoted
from evalrag.regression.history import Counts, History, RowHistory
from evalrag.regression.narrative import counted
from evalrag.reporters.drawing import command_line, draw, hanging, lines, title
from evalrag.reporters.plain import disarmed_json, safe
from evalrag.schema.words import Outcome

SCHEMA_VERSION = 1
SHOWN = 100
"""Rows that the short text lists; `--full` and JSON list all."""
LETTERS = {
    Outcome.PASS: "P",
    Outcome.FAIL: "F",
    Outcome.ERROR: "E",
    Outcome.UNRESOLVED: "?",
    None: ".",
}
FLAKY, RESTLESS = "~", "!"


def history_json(found: History) -> str:
    """Every run and every row; an outcome is null where the row was not run."""
    body: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "plan": found.plan,
        "runs": [
            {
                "id": run.id,
                "day": run.day,
                "commit": run.commit,
                "rows": run.totals.get("rows"),
                "partial": run.selection.partial,
                "pipeline": run.pipeline.digest,
                "judge": run.judge.digest if run.judge else None,
                "dataset": run.dataset.digest,
            }
            for run in found.runs
        ],
        "kinds": {
            kind.value: [
                {
                    "rows": one.rows,
                    "passed": one.passed,
                    "failed": one.failed,
                    "unresolved": one.unresolved,
                    "errored": one.errored,
                }
                for one in counts
            ]
            for kind, counts in found.kinds.items()
        },
        "rows": [
            {
                "id": row.id,
                "kind": row.kind.value,
                "outcomes": [one.value if one else None for one in row.outcomes],
                "flaky": row.flaky,
                "steady": row.steady,
                "turns": row.turns,
            }
            for row in found.rows
        ],
        "left_out": list(found.left_out),
    }
    return disarmed_json(json.dumps(body, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def history_text(
    found: History,
    *,
    folder: str = "",
    full: bool = False,
    more: str = "",
    width: int = 80,
    color: bool = False,
) -> str:
    """Kinds and rows in columns of runs; rows that always passed are counted unless `full`.

    `folder` stands before a run's number where a command needs it to find the run.
    """
    parts = _parts(found, folder=folder, full=full, more=more)
    return draw(parts, width=width, color=color)


def _parts(found: History, *, folder: str, full: bool, more: str) -> Iterator[RenderableType]:
    first, last = found.runs[0], found.runs[-1]
    span = f"run {safe(last.id)} of {last.day}"
    if len(found.runs) > 1:
        span = f"{len(found.runs)} runs, {safe(first.id)} of {first.day} to {safe(last.id)}"
        span += f" of {last.day}, oldest first"
    yield Text(f"{safe(found.plan)}: {span}")
    yield from lines("Left out", found.left_out, "bold")
    yield title("Kinds: tenths of the rows that passed, * is all of them")
    for kind, counts in found.kinds.items():
        told = "".join(map(_tenths, counts))
        yield hanging("", Text(f"{told}  {kind:<12} {_last(counts)}"))
    rows = [row for row in found.rows if full or not row.steady]
    shown = rows if full else rows[:SHOWN]
    yield title(
        "Rows: Pass, Fail, Error, ? unresolved, . not run"
        + f"; {FLAKY} flaky" * any(row.flaky for row in shown)
        + f"; {RESTLESS} passes and fails by turns" * any(row.restless for row in shown)
    )
    yield from (Text(f"  {line}") for line in _heads([run.id for run in found.runs]))
    for row in shown:
        letters = "".join(LETTERS[one] for one in row.outcomes)
        mark = FLAKY if row.flaky else RESTLESS if row.restless else " "
        head = f"{letters} {mark} {row.kind:<12} "
        yield hanging(head, Text(safe(row.id)))
    if len(rows) > len(shown):
        yield hanging("", Text(f"and {len(rows) - len(shown)} more"))
    quiet = len(found.rows) - len(rows)
    if quiet:
        yield hanging("", Text(f"{counted(quiet, 'row')} passed in every run"))
    yield Text()
    yield command_line(_next(found, rows, folder))
    if more and not full and (quiet or len(rows) > len(shown)):
        yield command_line(more, "more")


def _tenths(one: Counts) -> str:
    """A digit, so that nine of ten stands as 9; never rounded up to all."""
    if not one.rows:
        return "."
    return "*" if one.passed == one.rows else str(one.passed * 10 // one.rows)


def _last(counts: Sequence[Counts]) -> str:
    one = next((one for one in reversed(counts) if one.rows), Counts())
    undecided = one.unresolved + one.errored
    more = f" ({undecided} undecided)" if undecided else ""
    return f"last {one.passed} of {one.rows}{more}"


def _heads(names: Sequence[str]) -> Iterator[str]:
    """The runs' numbers from top to bottom, without the digits that all of them share."""
    longest = max(map(len, names))
    padded = [name.rjust(longest) for name in names]
    for place in range(longest):
        column = "".join(name[place] for name in padded)
        if len(set(column)) > 1 or place == longest - 1:
            yield column


def _next(found: History, rows: Sequence[RowHistory], folder: str) -> str:
    """The worst row in the newest run that has it."""
    number, row = len(found.runs) - 1, ""
    for one in rows:
        if one.last is not None and one.last is not Outcome.PASS:
            number = max(n for n, outcome in enumerate(one.outcomes) if outcome is not None)
            row = f" {quoted(one.id)}"
            break
    return f"evalrag show {quoted(folder + found.runs[number].id)}{row}"
