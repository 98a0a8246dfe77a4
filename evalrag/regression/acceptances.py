"""What a baseline's history says of its rows: how each one stands, and since which acceptance."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import shorten

from evalrag.regression.narrative import names
from evalrag.schema.brief import Result
from evalrag.schema.run import Acceptance, Accepted
from evalrag.schema.words import Outcome


def standing(accepted: Accepted) -> Mapping[str, tuple[str, Acceptance]]:
    """Row -> its outcome, and the acceptance that last turned it, or that it came with.

    An acceptance that turned nothing is none: who accepted a failing row again gave no reason for
    it. Of a row that was taken out and came back, the outcome is the first one that it ever had.
    """
    if not accepted.history:
        return {}
    later = {row for entry in accepted.history for row in entry.moved.get("new", ())}
    first = accepted.history[0]
    found = {row: (was, first) for row, was in accepted.first.items() if row not in later}
    for entry in accepted.history:
        for how, rows in entry.moved.items():
            for row in rows:
                if how == "removed":
                    found.pop(row, None)
                else:
                    now = how.partition(" -> ")[2]
                    found[row] = now or accepted.first.get(row, ""), entry
    return found


def fails_as_accepted(
    accepted: Accepted, before: Iterable[Result], results: Iterable[Result]
) -> Iterator[str]:
    """A line for each acceptance whose failing rows fail still, newest first; old ones in one.

    `before` are the baseline's rows as they are stored. Nothing of it is an error: somebody said
    why. It is said because no gate on what changed can see these rows.
    """
    failing = {result.id for result in before if result.outcome is Outcome.FAIL}
    rows = [r.id for r in results if r.id in failing and r.outcome is Outcome.FAIL]
    if not rows or not accepted.history:
        return
    known, found = standing(accepted), dict[int, list[str]]()
    places = {id(entry): place for place, entry in enumerate(accepted.history)}
    for row in rows:
        entry = known[row][1] if row in known else accepted.history[-1]
        found.setdefault(places[id(entry)], []).append(row)
    newest = sorted(found, reverse=True)
    for place in newest[:_TOLD]:
        entry = accepted.history[place]
        why = shorten(" ".join(entry.reason.split()), _REASON, placeholder="...")
        yield f"{_fail(found[place])} as accepted on {entry.day} ({why}): {names(found[place])}"
    older = [row for place in newest[_TOLD:] for row in found[place]]
    if older:
        yield f"{_fail(older)} as accepted earlier (evalrag baseline show): {names(older)}"


def _fail(rows: Sequence[str]) -> str:
    return "1 row fails" if len(rows) == 1 else f"{len(rows)} rows fail"


_TOLD, _REASON = 3, 100
"""Acceptances that are told apart, and characters of a reason that are shown."""
