"""One reading of text and of values, for everything that compares words with words.

Answer checks, the offline judge, forms and the guard all read a text as `tokens`: its words in one
spelling, and every value (an amount, a date, a time, a code) as one token that compares as a value.
Quotes of evidence share the characters (`plain`), and keep a matching of their own.
"""

from evalrag.text.finding import Span, find
from evalrag.text.plain import Plain, plain
from evalrag.text.sentences import Sentence, sentences
from evalrag.text.tokens import Token, tokens
from evalrag.text.values import Relation, Value, compare, same_value

__all__ = [
    "Plain",
    "Relation",
    "Sentence",
    "Span",
    "Token",
    "Value",
    "compare",
    "find",
    "plain",
    "same_value",
    "sentences",
    "tokens",
]
