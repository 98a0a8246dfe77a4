"""A light stemmer: plurals, -ed and -ing, and the irregular verbs that policies are full of.

It need not give real words, only the same string for forms of one word. Where it is not sure it
leaves a word alone: two words made equal by mistake would support a claim that nobody made.
"""

from functools import lru_cache

_IRREGULAR = {
    "began": "begin", "begun": "begin", "bought": "buy", "brought": "bring", "built": "build",
    "chose": "choos", "chosen": "choos", "children": "child", "drove": "driv", "driven": "driv",
    "fed": "feed", "feet": "foot", "fell": "fall", "fallen": "fall", "flew": "fly", "flown": "fly",
    "found": "find", "founded": "founded", "gave": "giv", "given": "giv", "grew": "grow",
    "grown": "grow", "held": "hold", "kept": "keep", "knew": "know", "known": "know",
    "led": "lead", "left": "leav", "lent": "lend", "lost": "los", "made": "mak", "men": "man",
    "met": "meet", "mice": "mous", "paid": "pay", "rose": "ris", "risen": "ris", "said": "say",
    "sent": "send", "sold": "sell", "spent": "spend", "spoke": "speak", "spoken": "speak",
    "stood": "stand", "taught": "teach", "teeth": "tooth", "told": "tell", "took": "tak",
    "taken": "tak", "thought": "think", "women": "woman", "won": "win", "wrote": "writ",
    "written": "writ", "broke": "break", "broken": "break", "wore": "wear", "worn": "wear",
    "ran": "run", "shipped": "ship", "shipping": "shipping", "business": "business",
}  # fmt: skip
_VOWELS = frozenset("aeiouy")
_HISSING = ("sh", "ch", "x", "z", "ss")


def listed(words: str) -> frozenset[str]:
    """A list of words, as one reads it."""
    return frozenset(words.split())


def stemmed(words: str) -> frozenset[str]:
    """The stems of a list of words."""
    return frozenset(stem(word) for word in words.split())


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of one word.

    >>> [stem(word) for word in ("requires", "required", "requiring", "policies", "carried")]
    ['requir', 'requir', 'requir', 'policy', 'carry']
    """
    low = word.lower().replace("\u2019", "'")
    low = low.removesuffix("'s").rstrip("'")
    if len(low) > 40:
        return low
    known = _IRREGULAR.get(low)
    if known is not None:
        return known
    return _spelled(_without_ending(low))


def _without_ending(low: str) -> str:
    if len(low) > 4 and low.endswith(("ies", "ied")):
        return low[:-3] + "y"
    if len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "us", "is")):
        if low.endswith("es") and low[:-2].endswith(_HISSING):
            return low[:-2]
        low = low[:-1]
    for ending in ("ing", "ed"):
        rest = low.removesuffix(ending)
        if rest == low or len(rest) < 3 or not _VOWELS & set(rest) or low.endswith("eed"):
            continue
        doubled = len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "aeiouls"
        return rest[:-1] if doubled else rest
    return low


def _spelled(low: str) -> str:
    """One spelling for a final e, and for -our and -ise."""
    if len(low) > 3 and low.endswith("e") and not low.endswith("ee"):
        low = low[:-1]
    if len(low) > 5 and low.endswith("our"):
        low = low[:-3] + "or"
    if len(low) > 5 and low.endswith("is"):
        low = low[:-2] + "iz"
    return low
