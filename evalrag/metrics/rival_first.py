"""Whether a rival stands before the gold that it competes with."""

from collections.abc import Sequence

from evalrag.evidence.assess import GoldAt
from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored
from evalrag.schema.words import RIVALS, Mark


def rival_first(
    marks: Sequence[Mark], documents: Sequence[str | None], gold_at: Sequence[GoldAt], *, gold: int
) -> Scored | NotApplicable:
    """Whether the model met an old version or a similar wrong passage before the right one.

    A rival competes with the gold of its own document, and stands first when it stands before any
    of that, or when any of that is not in the context. A rival of another document, or of none
    that is known, competes with all gold, and stands first when it stands before the first of it,
    or when none of it is in the context. So the passages need the document's name (`doc`), the same
    for all its versions, for an old second hop to be seen behind a right first one.

    Args:
        marks: for each place of the context, in order, what the passage there is for the row.
        documents: for each place the passage's document; None where it has none. Not read, and may
            be empty, where no mark is a rival's.
        gold_at: for each gold evidence its place and its documents; not read, and may be empty,
            where no mark is a rival's.
        gold: how many gold evidences the row has.

    Returns:
        `Scored` 1 or 0, lower is better; 0 for a context without rivals, an empty one included.
        `NotApplicable` where the row has no gold.

    Source:
        evalrag's own.

    >>> hop, other = GoldAt(1, frozenset({"a"})), GoldAt(3, frozenset({"b"}))
    >>> marks = [Mark.RELEVANT, Mark.SUPERSEDED, Mark.RELEVANT]
    >>> rival_first(marks, ["a", "b", "b"], [hop, other], gold=2)
    Scored(value=1.0)
    >>> rival_first(marks, ["a", "c", "b"], [hop, other], gold=2)
    Scored(value=0.0)
    """
    if not gold:
        return NO_GOLD
    for at, mark in enumerate(marks, start=1):
        if mark in RIVALS and _stands_first(at, documents[at - 1], gold_at):
            return Scored(1.0)
    return Scored(0.0)


def _stands_first(at: int, document: str | None, gold_at: Sequence[GoldAt]) -> bool:
    own = [one.place for one in gold_at if document is not None and document in one.documents]
    if own:
        return any(place is None or at < place for place in own)
    return all(one.place is None or at < one.place for one in gold_at)
