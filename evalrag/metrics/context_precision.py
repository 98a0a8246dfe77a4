"""Share of relevant passages in the context."""

from collections.abc import Sequence

from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored


def context_precision(relevant: Sequence[bool], *, gold: int) -> Scored | NotApplicable:
    """How much of what the model was given is relevant.

    In a window of fixed size it cannot see an old page climb: see `current_precision`.

    Args:
        relevant: for each place of the context, whether the passage there is relevant. A repeated
            passage keeps its place and is not.
        gold: how many gold evidences the row has.

    Returns:
        `Scored` in [0, 1], higher is better: relevant passages / passages; 0 for an empty context.
        `NotApplicable` where the row has no gold.

    Source:
        Precision, as in Manning, Raghavan and Schütze (2008), 8.3, over what was handed over.

    >>> context_precision([True, False, False, True, False], gold=3)
    Scored(value=0.4)
    """
    if not gold:
        return NO_GOLD
    return Scored(sum(relevant) / len(relevant) if relevant else 0.0)
