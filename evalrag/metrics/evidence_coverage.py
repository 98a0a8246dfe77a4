"""Share of the gold evidence in the context, parts counted."""

import math
from collections.abc import Sequence

from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored


def evidence_coverage(covered: Sequence[float]) -> Scored | NotApplicable:
    """How much of the gold evidence the model was given, a cut quote counting by its covered part.

    Where it stands above `context_recall`, the chunker cut the evidence, or one hop is missing.

    Args:
        covered: for each gold evidence, the share of it in [0, 1] that the context covers: 0 or 1
            for a chunk or a doc, by tokens for a quote, by characters for a span.

    Returns:
        `Scored` in [0, 1], higher is better: the mean share, on rows of every kind. 0 for an empty
        context. `NotApplicable` where the row has no gold.

    Source:
        evalrag's own.

    >>> evidence_coverage([1.0, 0.0])
    Scored(value=0.5)
    """
    if not covered:
        return NO_GOLD
    return Scored(math.fsum(covered) / len(covered))
