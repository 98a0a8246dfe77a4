"""Share of gold among the passages that somebody judged."""

from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored


def judged_precision(
    *, gold_passages: int, superseded: int, near_miss: int, gold: int
) -> Scored | NotApplicable:
    """How much of the context is gold, of what is gold or a known rival.

    Passages that nobody judged, that cover a part, or that are merely acceptable stand on neither
    side, so it does not move when unknown passages come and go.

    Args:
        gold_passages: relevant passages in the context that find gold or add cover to it.
        superseded: superseded passages in the context.
        near_miss: near-miss passages in the context.
        gold: how many gold evidences the row has.

    Returns:
        `Scored` in [0, 1], higher is better: gold / (gold + superseded + near-miss); 0 when no gold
        passage is in the context, an empty one included. `NotApplicable` where the row has no gold.

    Source:
        evalrag's own, after condensed lists: Sakai, Alternatives to bpref, SIGIR 2007,
        doi:10.1145/1277741.1277756.

    >>> judged_precision(gold_passages=1, superseded=0, near_miss=1, gold=1)
    Scored(value=0.5)
    """
    if not gold:
        return NO_GOLD
    if not gold_passages:
        return Scored(0.0)
    return Scored(gold_passages / (gold_passages + superseded + near_miss))
