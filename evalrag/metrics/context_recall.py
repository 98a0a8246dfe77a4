"""Recall of the gold evidence in the context."""

from collections.abc import Sequence

from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored


def context_recall(
    found: Sequence[bool], *, all_or_nothing: bool = False
) -> Scored | NotApplicable:
    """How much of the gold evidence the model was given.

    Args:
        found: for each gold evidence, whether the context holds it; any order.
        all_or_nothing: 1 when all is found, else 0. So it is asked of `multi-hop` rows, whose
            question half the evidence does not answer; `evidence_coverage` shows the half.

    Returns:
        `Scored` in [0, 1], higher is better: found evidences / evidences. 0 for an empty context.
        `NotApplicable` where the row has no gold.

    Source:
        Recall, as in Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008),
        8.3, over evidences in place of documents.

    >>> context_recall([True, True, False])
    Scored(value=0.6666666666666666)
    >>> context_recall([True, False], all_or_nothing=True)
    Scored(value=0.0)
    """
    if not found:
        return NO_GOLD
    if all_or_nothing:
        return Scored(1.0 if all(found) else 0.0)
    return Scored(sum(found) / len(found))
