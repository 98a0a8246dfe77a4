"""Whether the context holds any gold evidence."""

from collections.abc import Sequence

from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored


def hit(found: Sequence[bool]) -> Scored | NotApplicable:
    """Whether the model was given any gold evidence at all.

    Its mean over rows is the hit rate. It says little of rows that need more than one evidence.

    Args:
        found: for each gold evidence, whether the context holds it.

    Returns:
        `Scored` 1 or 0, higher is better; 0 for an empty context. `NotApplicable` where the row has
        no gold.

    Source:
        `success_k` of trec_eval.

    >>> hit([False, True, False])
    Scored(value=1.0)
    """
    if not found:
        return NO_GOLD
    return Scored(1.0 if any(found) else 0.0)
