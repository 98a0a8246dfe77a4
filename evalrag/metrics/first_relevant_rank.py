"""Position of the first relevant candidate."""

from collections.abc import Sequence

from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored


def first_relevant_rank(
    relevant: Sequence[bool], *, places: int, gold: int
) -> Scored | NotApplicable:
    """At which position the retriever put the first relevant passage.

    Args:
        relevant: for each candidate, in order, whether it is relevant.
        places: how many places were looked at: the plan's `top_k`, or where it has none the number
            of candidates. Never fewer than there are candidates.
        gold: how many gold evidences the row has.

    Returns:
        `Scored`, lower is better: from 1 to `places`, and `places + 1` (one past the last place
        looked at) where no candidate is relevant, an empty list included: worse than any position,
        and the same value however few came back. `NotApplicable` where the row has no gold.

    Source:
        The rank under the reciprocal rank of Voorhees, The TREC-8 Question Answering Track Report,
        1999.

    >>> first_relevant_rank([False, True, True], places=20, gold=1)
    Scored(value=2.0)
    >>> first_relevant_rank([False, False], places=20, gold=1)
    Scored(value=21.0)
    """
    if not gold:
        return NO_GOLD
    for place, one in enumerate(relevant, start=1):
        if one:
            return Scored(float(place))
    return Scored(float(max(places, len(relevant)) + 1))
