"""One claim against one sentence: what rules prove, and why not where they prove nothing."""

from dataclasses import dataclass

from evalrag.judging.offline_conflicts import Conflict, conflicts, slot_swap
from evalrag.judging.offline_denials import deniable, denied, excepted, flat_out
from evalrag.judging.offline_match import Match, match
from evalrag.judging.offline_support import objection
from evalrag.judging.reading import Reading
from evalrag.schema.words import Label

SHARED = 0.55
"""Share of the claim's content that a sentence must have before it can contradict it."""

ONE_STATEMENT = 80
"""Content words beyond which a sentence is a table or a run-on, and contradicts nothing."""

_DENIAL = ("negation", "", "")


@dataclass(frozen=True, slots=True)
class Finding:
    """What one sentence says of a claim. `shared` is how much of the claim it has."""

    label: Label
    code: str
    shared: float
    mine: str = ""
    theirs: str = ""
    apart: bool = False
    """A conflict with a sentence that may be about another subject."""


def compare(claim: Reading, sentence: Reading, topic: frozenset[str]) -> Finding:
    """The label that `sentence` alone gives `claim`.

    Args:
        claim: the claim.
        sentence: one sentence of the context.
        topic: content words of the same passage: a claim may name what the sentence calls "it".
    """
    laid = match(claim, sentence)
    found = conflicts(laid)
    short = max(len(claim.items), len(sentence.items)) <= ONE_STATEMENT
    if short and laid.shared >= SHARED and not _strange(laid, topic):
        proven = _contradiction(laid, found)
        if proven is not None:
            return proven
    if found or denied(laid):
        code, mine, theirs = (*found, _DENIAL)[0]
        return Finding(Label.UNRESOLVED, code, laid.shared, mine, theirs)
    against = objection(claim, sentence, laid.pairs)
    if against is None:
        return Finding(Label.SUPPORTED, "", laid.shared)
    return Finding(Label.UNRESOLVED, against, laid.shared)


def _contradiction(laid: Match, found: list[Conflict]) -> Finding | None:
    """One hard conflict, or several values about one subject. Two denials cancel each other."""
    flips = sum(code == "antonym" for code, _, _ in found)
    denials = denied(laid)
    turned = flips + denials
    values = len(found) - flips
    if values + turned == 1 or (values and not turned and _one_subject(laid, found)):
        if turned and excepted(laid):
            return Finding(Label.UNRESOLVED, "condition-dropped", laid.shared)
        if denials and not deniable(laid):
            return Finding(Label.UNRESOLVED, _DENIAL[0], laid.shared)
        return Finding(Label.CONTRADICTED, *_first(laid, found))
    if found or turned:
        return None
    swapped = slot_swap(laid)
    if swapped is not None:
        return Finding(Label.CONTRADICTED, "slot-swap", laid.shared, *swapped)
    if flat_out(laid) and objection(laid.claim, laid.sentence, laid.pairs) == "condition-dropped":
        return Finding(Label.CONTRADICTED, "condition-dropped", laid.shared)
    return None


def _first(laid: Match, found: list[Conflict]) -> tuple[str, float, str, str]:
    code, mine, theirs = (*found, _DENIAL)[0]
    return code, laid.shared, mine, theirs


def _strange(laid: Match, topic: frozenset[str]) -> bool:
    """Does the claim speak of something that neither the sentence nor its passage names?"""
    missing = [laid.claim.items[place] for place in laid.missing]
    return any(not item.value and item.key not in topic for item in missing)


def _one_subject(laid: Match, values: list[Conflict]) -> bool:
    """Several other values, and every word of the claim still in the sentence."""
    words = [place for place in laid.missing if not laid.claim.items[place].value]
    names = any(code in ("entity", "identifier") for code, _, _ in values)
    return not words and not names
