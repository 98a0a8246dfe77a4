"""Answers too short to stand alone ("30 days."): read with the question, or not at all."""

from evalrag.judging.alignment import OTHER, SAME, relation
from evalrag.judging.offline_rules import Finding
from evalrag.judging.reading import Item, Reading
from evalrag.judging.stems import listed
from evalrag.schema.words import Label

WORDS = 3
"""Content words under which an answer without a verb is a fragment."""
ASKED = 0.75
"""Share of the question's content words that a sentence must have to be what was asked about."""

_VERBS = listed(
    """
    is are was were be has have had will would can could may might must should do does did
    cannot can't isn't aren't costs takes requires
    """
)


def is_fragment(claim: Reading) -> bool:
    return len(claim.items) < WORDS and not _VERBS & set(claim.lows)


def fragment(claim: Reading, question: Reading, sentence: Reading) -> Finding | None:
    """What a sentence says of a bare value, where it is the sentence the question asks about."""
    values = [item for item in claim.items if item.value]
    if not values or len(values) != len(claim.items) or len(question.words) < 2:
        return None
    shared = len(question.words & sentence.words) / len(question.words)
    if shared < ASKED:
        return None
    for value in values:
        verdict = _held(value, sentence)
        if verdict is None:
            return Finding(Label.UNRESOLVED, "new-number", shared)
        if verdict[0] != SAME:
            label = Label.CONTRADICTED if verdict[0] == OTHER else Label.UNRESOLVED
            return Finding(label, verdict[1], shared, value.text, verdict[2])
    return Finding(Label.SUPPORTED, "", shared)


def _held(value: Item, sentence: Reading) -> tuple[str, str, str] | None:
    """The value beside the only one of its kind in the sentence."""
    rivals = [(relation(value, item), item.text) for item in sentence.items if item.value]
    found = [(how, text) for how, text in rivals if how is not None]
    if len(found) != 1:
        return None
    (how, code), text = found[0]
    return how, code, text
