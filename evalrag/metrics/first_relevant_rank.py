"""Position of the first relevant candidate."""

from collections.abc import Sequence

from evalrag.metrics.reasons import NO_GOLD, NOTHING_RELEVANT
from evalrag.schema.score import Absent, NotApplicable, Scored


def first_relevant_rank(relevant: Sequence[bool], *, gold: int) -> Scored | Absent | NotApplicable:
    """At which position the retriever put the first relevant passage.

    Where there is none it has no number, and gates take it as worse than any position: from 30 to
    absent is a rise, whatever `top_k` was and is. A mean is over the rows that have a position, and
    says how many have none.

    Args:
        relevant: for each candidate, in order, whether it is relevant.
        gold: how many gold evidences the row has.

    Returns:
        `Scored`, lower is better: the position from 1. `Absent` where no candidate is relevant, an
        empty list included. `NotApplicable` where the row has no gold.

    Source:
        The rank under the reciprocal rank of Voorhees, The TREC-8 Question Answering Track Report,
        1999.

    >>> first_relevant_rank([False, True, True], gold=1)
    Scored(value=2.0)
    >>> first_relevant_rank([False, False], gold=1)
    Absent(reason='no relevant passage')
    """
    if not gold:
        return NO_GOLD
    for place, one in enumerate(relevant, start=1):
        if one:
            return Scored(float(place))
    return NOTHING_RELEVANT
