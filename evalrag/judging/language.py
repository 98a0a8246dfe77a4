"""Whether a text is English enough for rules that look words up.

Of another language they know no small words, no endings and no capitals: a word that stands
nowhere in the context proves nothing then.
"""

import re
from functools import lru_cache

from evalrag.judging.lexicon import FUNCTION
from evalrag.judging.stems import listed
from evalrag.judging.tokens import plain, tokenize

NOT_ENGLISH = "not English enough for rules"

_LOOKED_AT = 4000
_FEW = 8
"""Words under which an answer may have no small word: `Standard delivery takes five days.`"""
_SMALL_WORDS = 0.1
"""Share of small English words that a longer text has at least."""
_TWO = 2
"""Small words of other languages that a text has before it counts as one: one may be in a name."""

_LATIN_ENDS = 0x24F
_EXTENDED = range(0x1E00, 0x1F00)
_LETTER = re.compile(r"[^\W\d_]")

_ELSEWHERE = listed(
    """
    das ich nicht leider wir ihnen ihr ihre ist sind kann kein keine keinen dazu weiss weiß
    darüber über und wird werden haben habe auf für bei zum zur eine einen einer
    einem auch nur aber oder wenn nach noch mir uns steht gibt unseren unsere dokumenten
    je ne sais pas nous vous sont dans cette ces avec cela ça désolé n'ai n'est c'est
    mais ou où ils elle aucune aucun trouve peux
    lo sé puedo tengo esta está están pero información siento sobre nosotros nuestros
    usted ustedes qué más tiene como cómo muy ningún ninguna puede pueden documentos
    posso sono questo questa purtroppo dispiace informazioni nostri della degli nei
    ik weet het niet een zijn wij deze dit heb kan geen maar ook naar onze wordt helaas
    sei não uma são isso está nosso nossos nossa você posso infelizmente
    jag vet inte och det är som jeg ikke og er på har kan
    """
)
"""Small words of neighbours that mean nothing in English, and are seldom part of a name."""


@lru_cache(maxsize=4096)
def english(text: str) -> bool:
    """Enough small English words; a short text is taken on trust where nothing speaks against it.

    >>> [english(text) for text in ("30 days.", "Das weiß ich leider nicht.", "Ik weet het niet.")]
    [True, False, False]
    """
    piece = text[:_LOOKED_AT]
    if foreign(piece):
        return False
    words = _words(piece)
    if len(words) < _FEW:
        return piece[:200].isascii() or any(word in FUNCTION for word in words) or len(words) < 4
    return sum(word in FUNCTION for word in words) >= _SMALL_WORDS * len(words)


@lru_cache(maxsize=4096)
def foreign(text: str) -> bool:
    """Positively another language: its small words, or letters that are not Latin."""
    piece = text[:_LOOKED_AT]
    letters = _LETTER.findall(piece)
    other = sum(ord(c) > _LATIN_ENDS and ord(c) not in _EXTENDED for c in letters)
    if 2 * other > len(letters):
        return True
    words = _words(piece)
    elsewhere = sum(word in _ELSEWHERE for word in words)
    return elsewhere >= _TWO and elsewhere > sum(word in FUNCTION for word in words)


def may_be_english(text: str) -> bool:
    """Nothing speaks against it: enough for one sentence of a text that is English as a whole.

    >>> [may_be_english(text) for text in ("Tall trees, vines, ferns.", "Toto bohužel nevím.")]
    [True, False]
    """
    if foreign(text):
        return False
    letters = "".join(_LETTER.findall(text[:_LOOKED_AT]))
    return letters.isascii() or any(word in FUNCTION for word in _words(text[:_LOOKED_AT]))


def _words(text: str) -> list[str]:
    return [token.low for token in tokenize(plain(text)) if token.word]
