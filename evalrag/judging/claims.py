"""The claims of an answer: what of it can be true or false of the subject."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from evalrag.judging import phrases
from evalrag.judging.forms import answer_form, denies_premise
from evalrag.judging.rule_words import listed, pattern
from evalrag.judging.thoughts import spoken
from evalrag.judging.wording import bare, statement
from evalrag.schema.words import Form
from evalrag.text import Sentence, Token, sentences, tokens

_LINK = re.compile(r"!?\[[^\[\]]{1,300}\]\([^()\s]{0,1000}\)")
_SPLITS = frozenset({"and", "but", "while", "whereas", "so"})
_WINDOW = 6
_NAMES = 3
"""Lines behind a sign-off that may be names."""


class Said(NamedTuple):
    """A statement of the answer. `denial` marks the one that denies what the question assumes."""

    text: str
    denial: bool = False


def claims_of(
    question: str, answer: str, whole: Callable[[str], bool] = lambda sentence: False
) -> list[Said]:
    """The statements, in order, in the answer's own words.

    Left out: courtesy, greetings and sign-offs, offers, pointers and links, lists of sources,
    headings and the leads of lists, questions back, and sentences that decline. A bare "Yes." is
    read with the sentence behind it. The sentence of a correction that denies what the question
    presupposes is no claim, unless the context contradicts it: it is marked.

    Args:
        question: what was asked.
        answer: what was answered.
        whole: which sentences are one claim, and are not cut into clauses.
    """
    form = answer_form(question, answer)[0]
    if form is Form.DECLINED:
        return []
    corrects = form is Form.CORRECTS
    answer = spoken(answer)
    found: list[Said] = []
    signed = 0
    yes = ""
    for sentence in sentences(answer):
        written = answer[sentence.start : sentence.end]
        if pattern("signs").match(sentence.text):
            signed = _NAMES
            continue
        if signed and _name(sentence.text):
            signed -= 1
            continue
        signed = 0
        if bare(sentence.text)[0].strip(" .!*:,").lower() in ("yes", "no"):
            yes = f"{sentence.text} "
            continue
        declines = phrases.declines(sentence.text)
        if sentence.heading or not (declines or _states(sentence.text)):
            continue
        if not declines and _points(written, sentence.text):
            continue
        if corrects and denies_premise(question, sentence.text):
            corrects = False
            found.append(Said(sentence.text, denial=True))
            continue
        told = [sentence.text] if whole(sentence.text) else _told(sentence)
        found += [Said(f"{yes}{text}" if not at else text) for at, text in enumerate(told)]
        yes = ""
    return found or ([Said(yes.strip())] if yes else [])


def items_of(answer: str) -> tuple[int, ...]:
    """How many things the answer lists: the lines of a list, the parts of an enumeration."""
    lines = len(re.findall(r"(?m)^[ \t]*(?:[-*\u2022]|\d{1,3}[.)])\s", answer))
    parts = [len(re.split(r",\s|;\s|,?\sand\s", one.text)) for one in sentences(answer)]
    told = [one for one in sentences(answer) if not one.heading]
    return (lines, len(told), len(told) - 1, *parts)


def _told(sentence: Sentence) -> list[str]:
    """What a sentence states beside declining, clause by clause."""
    told = phrases.told(sentence.text)
    if told is None:
        return clauses(sentence.text)
    return [clause for text in told for clause in clauses(text)]


def _states(text: str) -> bool:
    said = statement(text)
    if said.asks or not said.units or pattern("leads").match(text):
        return False
    if not said.content and not said.values:
        return False
    return not any(
        told(text) for told in (phrases.polite, phrases.offers, phrases.points, phrases.meta)
    )


def _points(written: str, text: str) -> bool:
    """Sends the reader elsewhere: a list of sources, or links with only words of pointing."""
    told, _ = bare(text)
    if pattern("listing").match(told):
        return True
    rest, links = _LINK.subn(" ", written)
    found = tokens(rest)
    addresses = [t for t in found if t.value is not None and t.value.kind in ("url", "email")]
    if not links and not addresses:
        return False
    words = {t.word for t in found if t.value is None}
    values = [t for t in found if t.value is not None and t not in addresses]
    return not values and words <= listed("pointing")


def _name(line: str) -> bool:
    """`Tom from the Support Team`: a few words, and no figure or verb."""
    found = tokens(line)
    plain = all(token.value is None for token in found)
    return plain and len(found) <= 7 and not listed("verbs") & {token.word for token in found}


def clauses(sentence: str) -> list[str]:
    """A sentence cut before `and`, `but`, `while` where what follows stands alone."""
    found = tokens(sentence)
    cuts = [at for at, token in enumerate(found) if token.word in _SPLITS and _alone(found, at)]
    pieces: list[str] = []
    start = 0
    for at in cuts:
        piece = sentence[start : found[at].start].rstrip(" ,;")
        if len(statement(piece).units) < 3:
            continue
        pieces.append(piece)
        start = found[at].end
    pieces.append(sentence[start:].strip())
    return pieces


def _alone(found: Sequence[Token], at: int) -> bool:
    """Does a clause with a subject and a verb of its own begin behind `at`?"""
    behind = found[at + 1 : at + 2 + _WINDOW]
    before = {token.word for token in found[max(0, at - 12) : at]}
    if len(behind) < 3 or behind[0].word not in listed("subjects"):
        return False
    if not listed("verbs") & before:
        return False
    if {"if", "unless", "when", "only", "not", "either", "both"} & {t.word for t in found[:at]}:
        return False  # a condition in front may hold for both halves
    for token in behind[1:]:
        if token.mark.strip("-"):
            return False
        if token.word in listed("verbs"):
            return True
    return False
