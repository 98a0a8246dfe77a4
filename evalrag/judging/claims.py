"""The claims of an answer: what of it can be true or false of the subject."""

from typing import NamedTuple

from evalrag.judging import phrases
from evalrag.judging.forms import answer_form, denies_premise
from evalrag.judging.lexicon import FUNCTION
from evalrag.judging.sentences import Sentence, sentences
from evalrag.judging.stems import listed
from evalrag.judging.tokens import Token, tokenize
from evalrag.schema.words import Form

_SUBJECTS = listed(
    """
    it they you we he she there this these that those the your our their its my his her a an
    all each every both no any
    """
)
_VERBS = listed(
    """
    is are was were be has have had will would can could may might must should shall do does
    did cannot can't won't isn't aren't doesn't don't need needs cost costs takes take
    requires require includes include applies apply expires expire gets get receives receive
    """
)
_SPLITS = frozenset({"and", "but", "while", "whereas", "so"})
_WINDOW = 6


class Said(NamedTuple):
    """A statement of the answer. `denial` marks the one that denies what the question assumes."""

    text: str
    denial: bool = False


def claims_of(question: str, answer: str) -> list[Said]:
    """The statements, in order, in the answer's own words.

    Left out: courtesy, offers, pointers, headings, questions back, and sentences that decline.
    The sentence of a correction that denies what the question presupposes is no claim, unless
    the context contradicts it: it is marked.
    """
    corrects = answer_form(question, answer)[0] is Form.CORRECTS
    found: list[Said] = []
    for sentence in sentences(answer):
        if sentence.heading or not _states(sentence.text):
            continue
        if corrects and denies_premise(question, sentence.text):
            corrects = False
            found.append(Said(sentence.text, denial=True))
            continue
        found += [Said(text) for text in _told(sentence)]
    return found


def _told(sentence: Sentence) -> list[str]:
    """What a sentence states beside declining, clause by clause."""
    if not phrases.declines(sentence.text):
        return clauses(sentence.text)
    told = [
        part
        for part in phrases.parts(sentence.text)
        if not phrases.declines(part) and _states(part) and not phrases.meta(part)
    ]
    return [part for part in told if _content(part) >= 3]


def _states(text: str) -> bool:
    if text.rstrip("\"'”\u2019)* ").endswith("?"):
        return False
    told = phrases.bare(text)
    if not _content(told) and not _yes_or_no(told):
        return False
    return not (phrases.polite(text) or phrases.offers(text) or phrases.points(text))


def _yes_or_no(text: str) -> bool:
    return text.strip(" .!*").lower() in ("yes", "no")


def clauses(sentence: str) -> list[str]:
    """A sentence cut before `and`, `but`, `while` where what follows stands alone."""
    tokens = tokenize(sentence)
    cuts = [at for at, token in enumerate(tokens) if token.low in _SPLITS and _alone(tokens, at)]
    pieces: list[str] = []
    start = 0
    for at in cuts:
        piece = sentence[start : tokens[at].start].rstrip(" ,;")
        if _content(piece) < 2:
            continue
        pieces.append(piece)
        start = tokens[at].end
    pieces.append(sentence[start:].strip())
    return pieces


def _alone(tokens: list[Token], at: int) -> bool:
    """Does a clause with a subject and a verb of its own begin behind `at`?"""
    behind = tokens[at + 1 : at + 2 + _WINDOW]
    if len(behind) < 3 or behind[0].low not in _SUBJECTS:
        return False
    before = tokens[max(0, at - 12) : at]
    if not any(token.low in _VERBS for token in before) and len(before) < 4:
        return False
    if {"if", "unless", "when", "only", "not", "either", "both"} & {t.low for t in tokens[:at]}:
        return False  # a condition in front may hold for both halves
    for token in behind[1:]:
        if token.low in _VERBS:
            return True
        if token.kind == "sign" and token.text != "-":
            return False
    return False


def _content(text: str) -> int:
    return sum(
        token.number or (token.word and token.low not in FUNCTION) for token in tokenize(text)
    )
