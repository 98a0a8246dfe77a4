"""What a baseline's history says of its rows: how each one stands, and since which acceptance."""

from collections.abc import Mapping

from evalrag.schema.run import Acceptance, Accepted


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
