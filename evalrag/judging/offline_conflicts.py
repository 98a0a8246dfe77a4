"""Values and words of a claim that a sentence excludes: another one stands in their place."""

from collections.abc import Iterator
from itertools import pairwise

from evalrag.judging import dates, quantities
from evalrag.judging.alignment import OTHER, SAME, Pair
from evalrag.judging.bounds import BOUND_WORDS
from evalrag.judging.offline_match import Match
from evalrag.judging.quantities import Quantity
from evalrag.judging.reading import Item

Conflict = tuple[str, str, str]
"""The code, the claim's words, and the words that stand in their place in the context."""

_SMALL_OPPOSITES = tuple(
    pair
    for one, other in (("before", "after"), ("above", "below"), ("over", "under"))
    for pair in ((one, other), (other, one))
)
_HARD = {"quantity", "unit", "rate", "bound", "date", "identifier", "entity", "antonym"}


def conflicts(laid: Match) -> list[Conflict]:
    """Pairs of values or words of which one excludes the other."""
    found = [*_paired(laid), *_unpaired(laid), *_turned(laid)]
    if any(code == "bound" for code, _, _ in found):
        found = [c for c in found if c[0] != "antonym" or c[1].lower() not in BOUND_WORDS]
    return _names_once(found)


def _paired(laid: Match) -> Iterator[Conflict]:
    """Another value, name or opposite in the same place."""
    at = {(pair.mine, pair.theirs) for pair in laid.pairs}
    for pair in laid.pairs:
        if pair.how != OTHER or pair.code not in _HARD or not _neighboured(laid, pair):
            continue
        mine, theirs = laid.claim.items[pair.mine], laid.sentence.items[pair.theirs]
        firm = {(pair.mine - 1, pair.theirs - 1), (pair.mine + 1, pair.theirs + 1)} <= at
        if firm or not _elsewhere(mine, laid):
            yield pair.code, mine.text, theirs.text


def _unpaired(laid: Match) -> Iterator[Conflict]:
    """A value of the claim that the sentence does not have, where it has another of its kind."""
    paired = {pair.mine for pair in laid.pairs} | laid.loose
    for place, item in enumerate(laid.claim.items):
        if place in paired or not item.value or _elsewhere(item, laid):
            continue
        for other, rival in enumerate(laid.sentence.items):
            code = None if other in laid.taken else _rival(item, rival)
            if code is not None:
                yield code, item.text, rival.text
                break


def _turned(laid: Match) -> Iterator[Conflict]:
    """The same word behind an opposite small word: `before` for `after`."""
    for pair in laid.pairs:
        mine, theirs = laid.claim.items[pair.mine], laid.sentence.items[pair.theirs]
        if pair.how != SAME or mine.value:
            continue
        for one, other in _SMALL_OPPOSITES:
            if one in mine.before and other in theirs.before and one not in theirs.before:
                yield "antonym", one, other


def _elsewhere(item: Item, laid: Match) -> bool:
    """Does the figure stand in the sentence all the same, equal or as the size of something?"""
    size = item.quantity
    if size is None:
        return False
    figure = size.said.split()[:1]
    return any(
        quantities.equal(size, other) or (other.plain and other.said.split()[:1] == figure)
        for other in laid.sentence.quantities
        if not _bounded_apart(size, other)
    )


def _bounded_apart(one: Quantity, other: Quantity) -> bool:
    """Equal but for what is a conflict of its own: a bound, a rate."""
    code = quantities.clash(one, other) if quantities.comparable(one, other) else None
    return code in ("bound", "rate")


def _names_once(found: list[Conflict]) -> list[Conflict]:
    """Two parts of one name are one conflict."""
    kept: list[Conflict] = []
    for conflict in found:
        if conflict[0] == "entity" and kept and kept[-1][0] == "entity":
            kept[-1] = (
                "entity", f"{kept[-1][1]} {conflict[1]}", f"{kept[-1][2]} {conflict[2]}"
            )  # fmt: skip
        else:
            kept.append(conflict)
    return kept


def _rival(mine: Item, theirs: Item) -> str | None:
    """Another value of the same kind, wherever in the sentence it stands."""
    code: str | None = None
    if mine.quantity is not None and theirs.quantity is not None:
        named = not mine.quantity.plain or bool(mine.quantity.nouns & theirs.quantity.nouns)
        if named and quantities.comparable(mine.quantity, theirs.quantity):
            code = quantities.clash(mine.quantity, theirs.quantity)
    when, rival = mine.moment, theirs.moment
    if when is not None and rival is not None and dates.overlapping(when, rival):
        code = dates.clash(when, rival)
    return None if code is None or code.startswith("?") else code


def _neighboured(laid: Match, pair: Pair) -> bool:
    """Does another value stand in the same slot: next to the same word on one side at least?"""
    item = laid.claim.items[pair.mine]
    if item.value:
        return True
    at = {other.mine: other.theirs for other in laid.pairs}
    ends = (
        pair.mine == len(laid.claim.items) - 1,
        pair.theirs == len(laid.sentence.items) - 1,
    )
    before = at.get(pair.mine - 1) == pair.theirs - 1
    after = at.get(pair.mine + 1) == pair.theirs + 1
    if pair.code != "entity":
        return before or after
    if (
        laid.loose
        or item.text.lower() in laid.sentence.lows
        or laid.sentence.items[pair.theirs].text.lower() in laid.claim.lows
    ):
        return False  # a name stands in both: who did what to whom is not for rules
    before = before or (pair.mine == 0 and (pair.theirs == 0 or _boundary(laid, pair.theirs)))
    beyond = _past_name(laid, pair.theirs)
    at_end = pair.mine == _last_of_name(laid, pair.mine)
    after = after or all(ends) or (ends[0] and _boundary(laid, beyond))
    after = after or (at_end and at.get(pair.mine + 1) == beyond)
    return before and after


def _past_name(laid: Match, place: int) -> int:
    """The item after the name that `place` belongs to: a name may have several words."""
    items = laid.sentence.items
    place += 1
    while place < len(items) and items[place].name and not items[place].before:
        place += 1
    return place


def _last_of_name(laid: Match, place: int) -> int:
    items = laid.claim.items
    while place + 1 < len(items) and items[place + 1].name and not items[place + 1].before:
        place += 1
    return place


def _boundary(laid: Match, place: int) -> bool:
    items = laid.sentence.items
    if place >= len(items):
        return True
    return bool({",", ";", "and", "but", "or", ".", ":"} & set(items[place].before))


def slot_swap(laid: Match) -> tuple[str, str] | None:
    """A value taken from its neighbour: `$29.99 for regular parcels`, where these cost $6.50."""
    theirs = laid.sentence.items
    pairs = laid.pairs
    for left, right in pairwise(pairs):
        value = laid.claim.items[left.mine]
        if not value.value or left.how == OTHER or right.mine != left.mine + 1:
            continue
        skipped = theirs[left.theirs + 1 : right.theirs]
        for rival in reversed(skipped):
            if _rival(value, rival) and {"and", ",", ";"} & set(rival.before):
                return value.text, rival.text
    return None
