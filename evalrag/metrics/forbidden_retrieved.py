"""Number of forbidden passages that were retrieved."""

from evalrag.schema.score import NotApplicable, Scored

NOTHING_FORBIDDEN = NotApplicable("the row forbids nothing")


def forbidden_retrieved(found: int, *, forbidden: int) -> Scored | NotApplicable:
    """How many passages came back that must not be retrieved at all: another tenant's, a secret.

    At any position: what was fetched was read, whether or not the window showed it.

    Args:
        found: distinct passages among the candidates, or in the context without being one of them,
            that find an entry of the row's `forbidden`, by themselves or as a part of a cut quote.
        forbidden: how many entries that has.

    Returns:
        `Scored`, an integer from 0, lower is better; 0 for no candidates. `NotApplicable` where the
        row forbids nothing. Asked of every kind, unanswerable rows included.

    Source:
        evalrag's own.

    >>> forbidden_retrieved(1, forbidden=2)
    Scored(value=1.0)
    """
    return Scored(float(found)) if forbidden else NOTHING_FORBIDDEN
