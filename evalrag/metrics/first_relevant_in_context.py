"""Position of the first relevant passage of the context."""

from collections.abc import Sequence

from evalrag.metrics.first_relevant_rank import first_relevant_rank
from evalrag.schema.score import NotApplicable, Scored


def first_relevant_in_context(
    relevant: Sequence[bool], *, places: int, gold: int
) -> Scored | NotApplicable:
    """At which position of the context the first relevant passage stands: what a reranker changes.

    Args:
        relevant: for each place of the context, in order, whether the passage there is relevant.
        places: how many places the retriever was looked at (see `first_relevant_rank`), not the
            size of the window: a wider window alone must not make "absent" worse.
        gold: how many gold evidences the row has.

    Returns:
        `Scored`, lower is better: the position from 1, and `places + 1` where no passage of the
        context is relevant, an empty one included. `NotApplicable` where the row has no gold.

    Source:
        As `first_relevant_rank`.

    >>> first_relevant_in_context([True, False], places=20, gold=1)
    Scored(value=1.0)
    >>> first_relevant_in_context([], places=20, gold=1)
    Scored(value=21.0)
    """
    return first_relevant_rank(relevant, places=places, gold=gold)
