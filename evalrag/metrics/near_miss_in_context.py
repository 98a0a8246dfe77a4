"""Number of near-miss passages in the context."""

from evalrag.schema.score import Scored


def near_miss_in_context(near_miss: int) -> Scored:
    """How many near-miss passages the model was given.

    Args:
        near_miss: the places of the context that are marked near-miss; a repeat is not counted.

    Returns:
        `Scored`, an integer from 0, lower is better; 0 for an empty context. Asked of every row,
        unanswerable ones included.

    Source:
        evalrag's own.

    >>> near_miss_in_context(2)
    Scored(value=2.0)
    """
    return Scored(float(near_miss))
