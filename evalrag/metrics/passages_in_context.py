"""Number of passages in the context of a question that has no answer."""

from evalrag.schema.score import Scored


def passages_in_context(passages: int) -> Scored:
    """How many passages were handed over although the question cannot be answered from them.

    The fewer, the less there is to invent from: over-retrieval is seen here.

    Args:
        passages: places of the context, repeats included.

    Returns:
        `Scored`, an integer from 0, lower is better. Asked of unanswerable rows alone.

    Source:
        evalrag's own.

    >>> passages_in_context(5)
    Scored(value=5.0)
    """
    return Scored(float(passages))
