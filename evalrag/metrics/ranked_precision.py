"""Whether the relevant passages of the context stand first."""

from collections.abc import Sequence

from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored


def ranked_precision(relevant: Sequence[bool], *, gold: int) -> Scored | NotApplicable:
    """Mean of the precision at each relevant passage of the context.

    It asks only how the relevant passages that came stand among the rest: one that did not come is
    `context_recall`'s. Average precision (`map` of trec_eval) divides by all relevant documents
    instead, and so mixes the two.

    Args:
        relevant: for each place of the context, in order, whether the passage there is relevant.
        gold: how many gold evidences the row has.

    Returns:
        `Scored` in [0, 1], higher is better: 1 when all relevant passages stand before the rest, 0
        when there is none. `NotApplicable` where the row has no gold.

    Source:
        The `context precision` of Ragas (Es et al., 2023, arXiv:2309.15217), with labels.

    >>> ranked_precision([True, False], gold=1)
    Scored(value=1.0)
    >>> ranked_precision([False, True], gold=1)
    Scored(value=0.5)
    """
    if not gold:
        return NO_GOLD
    seen = 0
    total = 0.0
    for place, one in enumerate(relevant, start=1):
        if one:
            seen += 1
            total += seen / place
    return Scored(total / seen if seen else 0.0)
