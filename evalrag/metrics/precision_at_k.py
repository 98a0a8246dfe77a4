"""Relevant passages per place of the window."""

from collections.abc import Sequence

from evalrag.metrics.reasons import LONGER, NO_GOLD, NO_WINDOW
from evalrag.schema.score import NotApplicable, Scored


def precision_at_k(relevant: Sequence[bool], *, k: int | None, gold: int) -> Scored | NotApplicable:
    """Precision as trec_eval computes it: a place that was left empty counts against it.

    Args:
        relevant: for each place of the context, whether the passage there is relevant.
        k: the plan's `context_k`; None where it has none.
        gold: how many gold evidences the row has.

    Returns:
        `Scored` in [0, 1], higher is better: relevant passages / k; 0 for an empty context.
        `NotApplicable` where the row has no gold, where the window is measured in characters alone
        or not at all, and where the pipeline handed over more than k.

    Source:
        `P_k` of trec_eval.

    >>> precision_at_k([True, False, True], k=5, gold=2)
    Scored(value=0.4)
    """
    if not gold:
        return NO_GOLD
    if not k:
        return NO_WINDOW
    if len(relevant) > k:
        return LONGER
    return Scored(sum(relevant) / k)
