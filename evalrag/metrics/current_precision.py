"""Share of gold among gold and superseded evidences."""

from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored


def current_precision(*, found: int, superseded: int, gold: int) -> Scored | NotApplicable:
    """Whether old versions stand in the context beside the evidence that is in force.

    Plain precision rises when old pages that say the same come in and falls when they are cleaned
    out; this one does the opposite. It counts evidences and never passages, so that another chunk
    size does not move it. Near-miss passages are left out, since they move up when old pages go:
    `rival_first` sees them.

    Args:
        found: gold evidences that the context holds.
        superseded: superseded entries of the row that the context holds; of passages that are
            superseded by the plan alone (`superseded_when`, `valid_until`) the documents, each
            version one.
        gold: how many gold evidences the row has.

    Returns:
        `Scored` in [0, 1], higher is better: gold / (gold + superseded); 0 when no gold evidence is
        found, an empty context included. `NotApplicable` where the row has no gold.

    Source:
        evalrag's own.

    >>> current_precision(found=1, superseded=3, gold=1)
    Scored(value=0.25)
    """
    if not gold:
        return NO_GOLD
    if not found:
        return Scored(0.0)
    return Scored(found / (found + superseded))
