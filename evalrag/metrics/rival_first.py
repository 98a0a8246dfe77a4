"""Whether any rival stands before the first relevant passage."""

from collections.abc import Sequence

from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored
from evalrag.schema.words import Mark


def rival_first(marks: Sequence[Mark], *, gold: int) -> Scored | NotApplicable:
    """Whether the model met an old version or a similar wrong passage before anything relevant.

    Args:
        marks: for each place of the context, in order, what the passage there is for the row.
        gold: how many gold evidences the row has.

    Returns:
        `Scored` 1 or 0, lower is better: 1 when `superseded_first` or `near_miss_first` is; 0 for
        an empty context. `NotApplicable` where the row has no gold.

    Source:
        evalrag's own.

    >>> rival_first([Mark.NEAR_MISS, Mark.RELEVANT], gold=1)
    Scored(value=1.0)
    """
    if not gold:
        return NO_GOLD
    for mark in marks:
        if mark is Mark.RELEVANT:
            return Scored(0.0)
        if mark is Mark.SUPERSEDED or mark is Mark.NEAR_MISS:
            return Scored(1.0)
    return Scored(0.0)
