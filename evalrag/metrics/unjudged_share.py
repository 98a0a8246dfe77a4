"""Share of the context that nobody judged."""

from collections.abc import Sequence

from evalrag.metrics.reasons import NO_PASSAGES
from evalrag.schema.score import NotApplicable, Scored
from evalrag.schema.words import Mark


def unjudged_share(marks: Sequence[Mark]) -> Scored | NotApplicable:
    """How much of what the model was given the labels say nothing of.

    The higher it is, the less the precisions of the row can be trusted: label these passages.

    Args:
        marks: for each place of the context, what the passage there is for the row.

    Returns:
        `Scored` in [0, 1]; neither way is better. `NotApplicable` for an empty context, where the
        share is 0/0. Asked of every answerable row, one without gold included.

    Source:
        `unj_k` of trec_eval, over the passages that came in place of k.

    >>> unjudged_share([Mark.RELEVANT, Mark.UNJUDGED])
    Scored(value=0.5)
    """
    if not marks:
        return NO_PASSAGES
    return Scored(marks.count(Mark.UNJUDGED) / len(marks))
