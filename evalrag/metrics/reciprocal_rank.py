"""Inverse of the position of the first relevant candidate."""

from collections.abc import Sequence

from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored


def reciprocal_rank(relevant: Sequence[bool], *, gold: int) -> Scored | NotApplicable:
    """How near the top the retriever put the first relevant passage. Its mean is MRR.

    Args:
        relevant: for each candidate, in order, whether it is relevant.
        gold: how many gold evidences the row has.

    Returns:
        `Scored` in [0, 1], higher is better: 1 / position; 0 where no candidate is relevant, an
        empty list included. `NotApplicable` where the row has no gold.

    Source:
        Voorhees, The TREC-8 Question Answering Track Report, 1999; `recip_rank` of trec_eval.

    >>> reciprocal_rank([False, True], gold=1)
    Scored(value=0.5)
    """
    if not gold:
        return NO_GOLD
    for place, one in enumerate(relevant, start=1):
        if one:
            return Scored(1.0 / place)
    return Scored(0.0)
