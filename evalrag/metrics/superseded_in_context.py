"""Number of superseded passages in the context."""

from evalrag.schema.score import Scored


def superseded_in_context(superseded: int) -> Scored:
    """How many superseded passages the model was given.

    Args:
        superseded: the places of the context that are marked superseded; a repeat is not counted.

    Returns:
        `Scored`, an integer from 0, lower is better; 0 for an empty context. Asked of every row,
        unanswerable ones included.

    Source:
        evalrag's own.

    >>> superseded_in_context(2)
    Scored(value=2.0)
    """
    return Scored(float(superseded))
