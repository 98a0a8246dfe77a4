"""The pronoun that an answer begins with, written out: `It` for the one name its question has.

As strict as can be, since a fact that nobody stated would pass for stated: the question has one
subject, by name, and asks about it with the fact's own verb; the answer begins with a pronoun, or
with `the plan`, and goes on with that verb.
"""

from evalrag.judging.reading import read
from evalrag.judging.stems import listed, stem
from evalrag.judging.tokens import Token, plain, tokenize, written

_LONGEST = 600
_ASKING = listed(
    """
    does do did is are was were can could will would may must should has have
    """
)
_SINGULAR, _PLURAL = "it", "they"
_TWO = listed(
    """
    and or nor vs versus than other others another both either neither unlike instead besides
    compared except if unless when while before after without that who which whose
    """
)
"""Words of a question that may bring a second subject, or a condition."""
_TURNS = listed("that who which whose whereas unlike")
"""Words of a sentence by which the pronoun may stand for what follows: `It is Solo that ...`."""


def named(question: str, fact: str, sentence: str) -> str | None:
    """The sentence with the fact's subject in the place of its pronoun; None where not sure.

    >>> named("What does the Team plan include?", "The Team plan includes five seats.",
    ...       "It includes five seats.")
    'The Team plan includes five seats.'
    """
    asked, told, said = (_tokens(text) for text in (question, fact, sentence))
    if not (asked and told and said) or _TWO & {token.low for token in asked[1:]}:
        return None
    if _TURNS & {token.low for token in said}:
        return None
    for size in range(1, min(len(told), len(asked))):
        subject = told[:size]
        places = _places(subject, asked)
        if not places:
            return None  # a longer one cannot stand there either
        at, rest = places[0], _behind_pronoun(said, subject)
        if rest is None or len(places) > 1 or not _asked_about(asked, at, size, told[size]):
            continue
        if stem(said[rest].low) != stem(told[size].low) or not _one_name(question, at, size):
            continue
        if _names(sentence) - _names(fact):
            return None
        return f"{written(subject)} {plain(sentence)[said[rest].start :]}"
    return None


def _tokens(text: str) -> list[Token]:
    return tokenize(plain(text)) if len(text) <= _LONGEST else []


def _places(subject: list[Token], asked: list[Token]) -> list[int]:
    """Where the question says it."""
    lows = [token.low for token in subject]
    last = len(asked) - len(lows)
    return [
        at for at in range(last + 1) if [token.low for token in asked[at : at + len(lows)]] == lows
    ]


def _behind_pronoun(said: list[Token], subject: list[Token]) -> int | None:
    """The place behind `it`, `they` or `the plan` at the sentence's head."""
    head = subject[-1].low
    pronoun = _PLURAL if head.endswith("s") and not head.endswith("ss") else _SINGULAR
    if said[0].low == pronoun:
        rest = 1
    elif len(said) > 1 and (said[0].low, said[1].low) == ("the", head) and len(subject) > 1:
        rest = 2
    else:
        return None
    return rest if rest < len(said) else None


def _asked_about(asked: list[Token], at: int, size: int, verb: Token) -> bool:
    """Is it the subject of the question: behind an auxiliary, before the fact's verb or the end?"""
    if at == 0 or asked[at - 1].low not in _ASKING:
        return False
    behind = asked[at + size] if at + size < len(asked) else None
    return behind is None or behind.text == "?" or stem(behind.low) == stem(verb.low)


def _one_name(question: str, at: int, size: int) -> bool:
    """The question's names are those of the subject, and it has one."""
    places = [item.start for item in read(question).items if item.name]
    return bool(places) and all(at <= place < at + size for place in places)


def _names(text: str) -> set[str]:
    return {item.key for item in read(text).items if item.name}
