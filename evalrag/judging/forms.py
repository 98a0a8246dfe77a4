"""What an answer does: plain code looks first, and says None where it is not sure.

Declining needs a word of knowing, about the sources or about the one who speaks. "We cannot refund
after 30 days" is about the world, and an answer.
"""

from functools import lru_cache

from evalrag.judging import phrases
from evalrag.judging.language import NOT_ENGLISH, english
from evalrag.judging.lexicon import FRAMING, FUNCTION
from evalrag.judging.sentences import Sentence, sentences
from evalrag.judging.stems import listed, stem, stemmed
from evalrag.judging.tokens import plain, tokenize
from evalrag.schema.words import Form

FORMS = "forms/1"
"""The version of these rules. Another version makes forms not comparable."""

_LOOKED_AT = 200_000
_SENTENCES = 400
_KEPT = 4000
"""Characters of an answer whose form is kept: all that finds its claims asks for it."""
_SAYS_SOMETHING = 3
"""Content words that a clause beside a decline needs to say something of its own."""

_NO_DECLINE = "none of the forms of a decline that the rules know"

_FURTHER = 2
"""Words beyond the question's that a denial of its premise may have."""

_YES_NO = listed(
    """
    is are was were am do does did can could will would shall should has have had may might
    must isn't aren't doesn't don't won't can't
    """
)
_NOTHING_OF = stemmed(
    """
    fee charge cost limit deadline penalty minimum maximum restriction exception difference
    extra additional cap upper lower change need requirement surcharge interest waiting
    period expiry expiration
    """
)
"""Of which there being none is as good an answer as an amount."""


def answer_form(question: str, answer: str) -> tuple[Form | None, str]:
    """The form of `answer`, and why; None where plain code is not sure.

    The same answer to the same question always has the same form.

    >>> answer_form("How much is the stipend?", "I could not find that in the documents.")[0]
    <Form.DECLINED: 'DECLINED'>
    """
    return (_form_once if len(answer) <= _KEPT else _form)(question, answer)


def _form(question: str, answer: str) -> tuple[Form | None, str]:
    text = plain(answer[:_LOOKED_AT]).strip()
    if not text:
        return None, "empty"
    found = [s for s in sentences(text) if s.text][:_SENTENCES]
    if not found or not any(c.isalnum() for c in text):
        return None, "no words"
    if not english(text):
        return None, NOT_ENGLISH
    said = [s for s in found if not _beside_the_point(s)]
    declining = [s for s in said if phrases.declines(s.text)]
    telling = [s for s in said if s not in declining and not _asking(s)]
    if declining:
        return _declining(declining, telling)
    asking = [s for s in said if _asking(s)]
    if asking:
        return _asks_back(asking, telling)
    if not telling:
        return None, f"no statement, and {_NO_DECLINE}: {_short(found[0].text)}"
    if all(phrases.speaker_denies(s.text) for s in telling):
        return None, f"may decline, and in {_NO_DECLINE}: {_short(telling[0].text)}"
    return _answers(question, telling)


_form_once = lru_cache(maxsize=256)(_form)


def _declining(declining: list[Sentence], telling: list[Sentence]) -> tuple[Form | None, str]:
    said = [s for s in telling if not phrases.meta(s.text) and not s.heading]
    if any(_content(s.text) >= 1 for s in said):
        return Form.QUALIFIED, f"declines in part: {_short(declining[0].text)}"
    for sentence in declining:
        for part in phrases.parts(sentence.text):
            free = not phrases.declines(part) and not phrases.meta(part)
            free = free and not phrases.polite(part) and not phrases.points(part)
            if free and _content(part) >= _SAYS_SOMETHING and phrases.declines(sentence.text):
                return _beside(sentence, part)
    return Form.DECLINED, f"declines: {_short(declining[0].text)}"


def _beside(sentence: Sentence, part: str) -> tuple[Form | None, str]:
    """Something is said in the sentence that declines; sure only where it can be true or false."""
    lead = phrases.flat(part)
    if lead.startswith(("sorry", "unfortunately", "i'm sorry", "i am sorry", "so ", "please")):
        return Form.DECLINED, f"declines: {_short(sentence.text)}"
    return Form.QUALIFIED, f"declines in part: {_short(sentence.text)}"


def _asks_back(asking: list[Sentence], telling: list[Sentence]) -> tuple[Form | None, str]:
    back = [s for s in asking if phrases.asks(s.text)]
    if back and len(telling) <= 3:
        return Form.CLARIFIES, f"asks back: {_short(back[0].text)}"
    if back:
        return None, "answers and asks back"
    if not telling:
        return None, "nothing but a question"
    return Form.ANSWERED, "makes a statement"


def _answers(question: str, telling: list[Sentence]) -> tuple[Form | None, str]:
    first = telling[0].text
    if phrases.denies_premise(first):
        return Form.CORRECTS, f"denies the premise: {_short(first)}"
    thing = phrases.denied(first)
    if thing is None or not _presupposes(question) or any(c.isdigit() for c in thing):
        return Form.ANSWERED, "makes a statement"
    asked, denied = _words(question), _words(thing)
    if not asked & denied:
        return Form.ANSWERED, "makes a statement"
    if _NOTHING_OF & denied:
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
    words = [token.low for token in tokenize(plain(question[:2000])) if token.word]
    return bool(words) and words[0] not in _YES_NO


def _asking(sentence: Sentence) -> bool:
    return sentence.text.rstrip("\"'”\u2019)* ").endswith("?") or (
        phrases.asks(sentence.text) and sentence.text.lower().startswith(("please", "clarify"))
    )


def _beside_the_point(sentence: Sentence) -> bool:
    text = sentence.text
    if phrases.declines(text):
        return False
    return phrases.polite(text) or phrases.offers(text) or phrases.points(text)


def _words(text: str) -> set[str]:
    return {
        stem(token.low)
        for token in tokenize(plain(text[:2000]))
        if token.word and token.low not in FUNCTION and stem(token.low) not in FRAMING
    }


def _content(text: str) -> int:
    return sum(
        (token.word and token.low not in FUNCTION) or token.number
        for token in tokenize(text[:2000])
    )


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "..."
