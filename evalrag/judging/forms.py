"""What an answer does: plain code looks first, and says None where it is not sure.

Declining needs a word of knowing, about the sources or about the one who speaks. "We cannot refund
after 30 days" is about the world, and an answer. An answer declines only where the closed lists
cover every clause of it; a decline and anything else is qualified, and a hedge is no decline.
"""

from collections.abc import Sequence
from functools import lru_cache

from evalrag.judging import phrases
from evalrag.judging.language import NOT_ENGLISH, english
from evalrag.judging.lexicon import FRAMING, FUNCTION
from evalrag.judging.phrases import Role
from evalrag.judging.stems import stem, stemmed
from evalrag.judging.thoughts import spoken
from evalrag.judging.words import listed
from evalrag.schema.words import Form
from evalrag.text import plain, sentences, tokens

FORMS = "forms/2"
"""The version of these rules. Another version makes forms not comparable."""

_LOOKED_AT = 200_000
_SENTENCES = 400
_KEPT = 4000
"""Characters of an answer whose form is kept: all that finds its claims asks for it."""

_NO_DECLINE = "none of the forms of a decline that the rules know"

_FURTHER = 2
"""Words beyond the question's that a denial of its premise may have."""


def answer_form(question: str, answer: str) -> tuple[Form | None, str]:
    """The form of `answer`, and why; None where plain code is not sure.

    The same answer to the same question always has the same form.

    >>> answer_form("How much is the stipend?", "I could not find that in the documents.")[0]
    <Form.DECLINED: 'DECLINED'>
    """
    return (_form_once if len(answer) <= _KEPT else _form)(question, answer)


def _form(question: str, answer: str) -> tuple[Form | None, str]:
    text = spoken(answer)[:_LOOKED_AT].strip()
    if not text:
        return None, "empty"
    said = _said(question, text)
    if not said:
        return None, "no words"
    if not english(plain(text).text):
        return None, NOT_ENGLISH
    roles = [role for role, _ in said]
    if Role.DECLINE in roles or (Role.HEDGE in roles and Role.STATEMENT not in roles):
        return _declining(said)
    told = [words for role, words in said if role is Role.STATEMENT]
    if Role.QUESTION in roles:
        return _asks_back(_first(said, Role.QUESTION), told)
    if told:
        return _answers(question, told)
    if Role.OPEN in roles:
        return None, f"may decline, and in {_NO_DECLINE}: {_first(said, Role.OPEN)}"
    return None, f"no statement, and {_NO_DECLINE}: {_short(said[0][1])}"


_form_once = lru_cache(maxsize=256)(_form)


def _said(question: str, text: str) -> list[tuple[Role, str]]:
    """What each clause does, and its words."""
    found: list[tuple[Role, str]] = []
    signed = False
    for sentence in sentences(text)[:_SENTENCES]:
        written = text[sentence.start : sentence.end]
        parts = phrases.parts(written, question)
        signed = signed or phrases.signs_off(written)
        for part in parts:
            role = part.role
            words = written[part.start : part.end]
            if role is Role.STATEMENT and signed and phrases.name(words):
                role = Role.FILLER
            found.append((role, words))
    return found


def _declining(said: Sequence[tuple[Role, str]]) -> tuple[Form | None, str]:
    roles = [role for role, _ in said]
    first = _first(said, Role.DECLINE) if Role.DECLINE in roles else _first(said, Role.HEDGE)
    if Role.STATEMENT in roles:
        return Form.QUALIFIED, f"declines, and says more: {_first(said, Role.STATEMENT)}"
    if Role.OPEN in roles:
        return None, f"declines, and it is not sure what this does: {_first(said, Role.OPEN)}"
    return Form.DECLINED, f"declines: {first}"


def _asks_back(asked: str, told: list[str]) -> tuple[Form | None, str]:
    if not phrases.asks(asked):
        return (Form.ANSWERED, "makes a statement") if told else (None, "nothing but a question")
    if len(told) <= 3:
        return Form.CLARIFIES, f"asks back: {asked}"
    return None, "answers and asks back"


def _answers(question: str, told: list[str]) -> tuple[Form | None, str]:
    first = told[0]
    if phrases.denies_premise(first):
        return Form.CORRECTS, f"denies the premise: {_short(first)}"
    thing = phrases.denied(first)
    if thing is None or not _presupposes(question) or "#" in thing:
        return Form.ANSWERED, "makes a statement"
    asked, denied = _words(question), _words(thing)
    if not asked & denied:
        return Form.ANSWERED, "makes a statement"
    if stemmed(" ".join(listed("nothing_of"))) & denied:
        return None, "none of it may be an answer or a correction"
    if len(denied - asked) > _FURTHER:
        return None, "denies something narrower than what was asked about"
    return Form.CORRECTS, f"denies what was asked about: {_short(first)}"


def denies_premise(question: str, sentence: str) -> bool:
    """Is it the sentence that denies what the question presupposes?"""
    thing = phrases.denied(sentence)
    if thing is None:
        return phrases.denies_premise(sentence)
    return bool(_words(question) & _words(thing)) or phrases.denies_premise(sentence)


def _presupposes(question: str) -> bool:
    """A question with a question word takes something for granted; a yes-or-no one asks it."""
    found = tokens(question[:2000])
    return bool(found) and found[0].word not in listed("yes_no")


def _words(text: str) -> set[str]:
    return {
        stem(token.word)
        for token in tokens(text[:2000])
        if token.value is None and token.word not in FUNCTION and stem(token.word) not in FRAMING
    }


def _first(said: Sequence[tuple[Role, str]], wanted: Role) -> str:
    return _short(next(words for role, words in said if role is wanted))


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "..."
