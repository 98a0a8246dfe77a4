"""Share of gold among gold and superseded passages."""

from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored


def current_precision(*, gold_passages: int, superseded: int, gold: int) -> Scored | NotApplicable:
    """Whether old versions stand in the context beside the evidence that is in force.

    Plain precision rises when old pages that say the same come in and falls when they are cleaned
    out; this one does the opposite. Near-miss passages are left out, since they move up when old
    pages go: `rival_first` sees them.

    Args:
        gold_passages: relevant passages in the context that find gold or add cover to it.
        superseded: superseded passages in the context.
        gold: how many gold evidences the row has.

    Returns:
        `Scored` in [0, 1], higher is better: gold / (gold + superseded); 0 when no gold passage is
        in the context, an empty one included. `NotApplicable` where the row has no gold.

    Source:
        evalrag's own.

    >>> current_precision(gold_passages=1, superseded=3, gold=1)
    Scored(value=0.25)
    """
    if not gold:
        return NO_GOLD
    if not gold_passages:
        return Scored(0.0)
    return Scored(gold_passages / (gold_passages + superseded))
