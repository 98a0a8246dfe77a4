"""What a sentence is about, where it begins with a pronoun: found in what was said before it."""

from collections.abc import Iterable

from evalrag.judging.evidence_text import Source, reading
from evalrag.judging.phrases import bare
from evalrag.judging.reading import Reading
from evalrag.judging.stems import listed, stemmed

About = frozenset[str] | None
"""The words of which one names what a pronoun stands for; None where a claim names it itself."""

_PRONOUNS = listed("it they he she it's they're he's she's they've")
_POINTING = listed("this these those that")
_VERBS = listed(
    """
    is are was were be has have had will would can could may might must should do does did
    cannot can't won't isn't aren't wasn't weren't don't doesn't didn't
    """
)
_ASKED = stemmed("long many much often far old soon big kind type sort number amount")
"""Words behind `how` and `what` that name no subject."""
_JOINED = frozenset({"of", "the", "a", "an"})


def led_by_pronoun(one: Reading) -> bool:
    """Is its subject a pronoun and nothing else? `These books` has a noun of its own."""
    lows = [low for low in one.lows[:4] if low[0].isalpha() and low not in ("and", "but", "so")]
    if not lows:
        return False
    return lows[0] in _PRONOUNS or (lows[0] in _POINTING and len(lows) > 1 and lows[1] in _VERBS)


def subject(one: Reading) -> frozenset[str]:
    """The words that it begins with: its names where it has any; empty behind a pronoun.

    >>> sorted(subject(reading("How long is the loan of films in summer?")))
    ['film', 'loan']
    """
    items = [item for item in one.items if not item.framing and item.key not in _ASKED]
    if not items or _PRONOUNS & set(items[0].before):
        return frozenset()
    run = [items[0]]
    for item in items[1:]:
        if item.value or set(item.before) - _JOINED:
            break
        run.append(item)
    names = [item for item in run if item.name]
    return frozenset(item.key for item in names or run if not item.value)


def antecedents(question: str, claims: Iterable[str]) -> list[About]:
    """Of each claim what its pronoun stands for: the subject before it, or the question's."""
    last = subject(reading(question))
    found: list[About] = []
    for text in claims:
        one = reading(bare(text))
        if led_by_pronoun(one):
            found.append(last)
        else:
            last = subject(one) or last
            found.append(None)
    return found


def tied(about: About, source: Source) -> bool:
    """Does the sentence speak of it?

    One that is led by a pronoun too speaks of what its passage does. Where neither names its
    subject they are laid on each other as they stand.
    """
    if about is None:
        return True
    if led_by_pronoun(source.reading):
        return not about or bool(about & source.topic)
    return bool(about & source.reading.words)
