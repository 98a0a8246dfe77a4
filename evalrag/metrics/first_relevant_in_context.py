"""Position of the first relevant passage of the context."""

from collections.abc import Sequence

from evalrag.metrics.first_relevant_rank import first_relevant_rank
from evalrag.schema.score import Absent, NotApplicable, Scored


def first_relevant_in_context(
    relevant: Sequence[bool], *, gold: int
) -> Scored | Absent | NotApplicable:
    """At which position of the context the first relevant passage stands: what a reranker changes.

    Args:
        relevant: for each place of the context, in order, whether the passage there is relevant.
        gold: how many gold evidences the row has.

    Returns:
        `Scored`, lower is better: the position from 1. `Absent` where no passage of the context is
        relevant, an empty one included: gates take it as worse than any position. `NotApplicable`
        where the row has no gold.

    Source:
        As `first_relevant_rank`.

    >>> first_relevant_in_context([True, False], gold=1)
    Scored(value=1.0)
    >>> first_relevant_in_context([], gold=1)
    Absent(reason='no relevant passage')
    """
    return first_relevant_rank(relevant, gold=gold)
