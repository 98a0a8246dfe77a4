"""Whether a near-miss passage stands before the first relevant one."""

from collections.abc import Sequence

from evalrag.schema.score import Scored
from evalrag.schema.words import Mark


def near_miss_first(marks: Sequence[Mark]) -> Scored:
    """Whether the model met a similar passage that is wrong here before anything relevant.

    Args:
        marks: for each place of the context, in order, what the passage there is for the row.

    Returns:
        `Scored` 1 or 0, lower is better: 1 when a near-miss passage stands before the first
        relevant one, or without one; 0 where there is none, an empty context included. Asked of
        every row: on an unanswerable one nothing is relevant, and any near-miss passage makes 1.

    Source:
        evalrag's own.

    >>> near_miss_first([Mark.UNJUDGED, Mark.NEAR_MISS, Mark.RELEVANT])
    Scored(value=1.0)
    """
    for mark in marks:
        if mark is Mark.RELEVANT:
            return Scored(0.0)
        if mark is Mark.NEAR_MISS:
            return Scored(1.0)
    return Scored(0.0)
