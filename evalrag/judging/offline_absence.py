"""Proof that a claim is not in the context: a number or a name that stands nowhere in it."""

from collections.abc import Sequence
from itertools import combinations

from evalrag.judging import dates, quantities
from evalrag.judging.bounds import APPROXIMATE
from evalrag.judging.evidence_text import Sources
from evalrag.judging.quantities import Quantity
from evalrag.judging.reading import Reading, read
from evalrag.judging.stems import listed

SPARSE = 0.30
"""Share of a claim's words in the whole context, under which the claim is not about it."""

_COUNTED = 12
_SOURCES = listed(
    """
    passage passages context document documents sources evidence note
    """
)
_GENERIC = listed(
    """
    typ kind way step option category reason factor thing method part main key different
    """
)
_NUMBERED = frozenset(
    f"#{stem}" for stem in ["option", "step", "part", "section", "phas", "item", "number", "not"]
)
_DERIVED = 40
_NEW = 3


def absence(
    claim: Reading, question: str, sources: Sources, *, by_words: bool = True
) -> tuple[str, str] | None:
    """The code and the words of the proof; None where there is none.

    Args:
        claim: the claim.
        question: names that it has are no invention.
        sources: where the claim should stand.
        by_words: whether few common words are proof: not against an answer, which may be short.
    """
    content = [item for item in claim.items if not item.framing]
    words = [item for item in content if not item.value]
    known = [item for item in words if item.key in sources.words]
    about_sources = _SOURCES & set(claim.lows)
    if (
        by_words
        and len(content) >= _NEW
        and not about_sources
        and _sparse(len(known), len(words))
        and not _borne(claim, sources)
    ):
        return "low-overlap", f"{len(known)} of {len(words)} words stand in the context"
    for item in claim.items:
        if item.quantity is not None and _nowhere(item.quantity, sources):
            return "new-number", f"{item.text!r} stands nowhere in the context"
        if (
            item.moment is not None
            and not any(
                item.moment.kind == other.kind
                and dates.clash(item.moment, other) in (None, "?bound", "bound")
                for other in sources.moments
            )
            and not _year_known(item.moment.year, sources)
        ):
            return "new-number", f"{item.text!r} stands nowhere in the context"
    asked = read(question).words
    initials = "".join(item.text[0].lower() for item in words if item.name)
    for item in words:
        if not item.name or item.start == 0 or item.key in sources.words | asked:
            continue
        if not _short_for(item.text, initials, sources):
            return "new-name", f"{item.text!r} stands nowhere in the context"
    return None


def _sparse(known: int, words: int) -> bool:
    return words > 0 and known / words < SPARSE


def _borne(claim: Reading, sources: Sources) -> bool:
    """Does a value of the claim stand in the context? Then it may be about it in other words."""
    return any(
        mine.value == other.value and mine.dimension == other.dimension
        for mine in claim.quantities
        for other in sources.quantities
    ) or any(
        dates.clash(mine, other) is None for mine in claim.moments for other in sources.moments
    )


def _year_known(year: int | None, sources: Sources) -> bool:
    """The year stands there in some other way, or may be reckoned from what stands there."""
    if year is None:
        return False
    if str(year) in sources.lows:
        return True
    years = {moment.year for moment in sources.moments if moment.year is not None}
    spans = [q.value / 31557600.0 for q in sources.quantities if q.dimension == "time"]
    spans += [q.value for q in sources.quantities if q.plain]
    return any(abs(abs(year - known) - span) < 1 for known in years for span in spans[:_DERIVED])


def _nowhere(claim: Quantity, sources: Sources) -> bool:
    """No such size in the context, and none that two of its sizes add up to."""
    same = [q for q in sources.quantities if q.dimension == claim.dimension]
    if any(quantities.equal(claim, q) or _about(claim, q) for q in same):
        return False
    if claim.plain:
        if claim.dimension == "ordinal" or any(q.value == claim.value for q in same):
            return False
        if claim.unit == "times" and claim.value == 1:
            return False
        if claim.value <= _COUNTED and claim.nouns <= sources.words | _GENERIC:
            return False  # it may count what the context lists
        if claim.nouns and claim.nouns <= _NUMBERED:
            return False  # it numbers the answer's own parts
    figure = claim.said.split()[0] if claim.said else ""
    return not _reckoned(claim, same) and not (figure.isdigit() and figure in sources.lows)


def _about(claim: Quantity, other: Quantity) -> bool:
    return other.bound == APPROXIMATE and quantities.within(claim, other)


def _reckoned(claim: Quantity, same: Sequence[Quantity]) -> bool:
    sizes = sorted({q.value for q in same})[:_DERIVED]
    for one, other in combinations(sizes, 2):
        results = (one + other, abs(one - other), one * other, other / one if one else 0.0)
        if any(abs(result - claim.value) <= 1e-6 * abs(claim.value) for result in results):
            return True
    return False


def _short_for(name: str, initials: str, sources: Sources) -> bool:
    """Initials of words that stand there, a name whose initials do, or a form of one of them."""
    if len(initials) > 1 and any(len(low) > 1 and low in initials for low in sources.lows):
        return True
    low = name.lower()
    if low in sources.lows:
        return True
    if len(low) >= 4 and any(known.startswith(low[:5]) for known in sources.lows):
        return True
    return name.isupper() and 2 <= len(name) <= 5
