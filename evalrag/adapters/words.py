"""The words of a question that say what it is about."""

import re

_STOPPED = (
    "a about after all also am an and any are as at be because been before being but by can "
    "could did do does doing for from had has have having he her here hers him his how i if "
    "in into is it its itself just may me might more most must my no nor not now of off on "
    "once only or other our ours out over own she should so some such than that the their "
    "theirs them then there these they this those through to too under until up us very was "
    "we were what when where which while who whom whose why will with would you your yours "
)
STOP_WORDS = frozenset(_STOPPED.split())

_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Runs of word characters, case folded, in order."""
    return _WORD.findall(text.casefold())


def content_words(text: str) -> list[str]:
    """Each word once, in order, without stop words; all words where there are no others."""
    found = list(dict.fromkeys(words(text)))
    return [word for word in found if word not in STOP_WORDS] or found


def stem(word: str) -> str:
    """`word` without the ending of an English plural."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
