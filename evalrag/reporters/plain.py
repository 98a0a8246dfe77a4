"""Text from datasets, passages, answers and judges, made safe to print on one line."""

import re

from evalrag.loading.show import clean

LONG = 100_000
BLANK = "(blank)"
_AT_START = re.compile(r"^((?:[^\S\n]|\x1b\[[0-9;]*m)*:)(?=:)", re.MULTILINE)
_ANYWHERE = re.compile(r"#(?=#[A-Za-z]*\[)")
_OBEYED = re.compile(
    "[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
"""Controls, signs of no width, and those that turn the reading direction; lone surrogates."""


def disarmed(text: str) -> str:
    """A text in which a CI server finds no command in what it logs.

    GitHub's runner obeys `::name ...::` at the start of a line, indented or not, and `##[name]`
    anywhere; Azure's obeys `##vso[`, TeamCity `##teamcity[`. A row's words can come to stand there.
    """
    if "::" not in text and "##" not in text:
        return text
    broken = _AT_START.sub("\\1\N{REPLACEMENT CHARACTER}", text)
    return _ANYWHERE.sub("#\N{REPLACEMENT CHARACTER}", broken)


def disarmed_json(text: str) -> str:
    """The same for JSON, in which no value changes: no line of it can begin with a colon.

    What a terminal would obey, or UTF-8 cannot hold, is written as a code.
    """
    text = _OBEYED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)
    return _ANYWHERE.sub(r"\\u0023", text) if "##" in text else text


def safe(text: object, limit: int = 400) -> str:
    """One line without anything that a terminal would act upon, cut to `limit` characters."""
    return clean(" ".join(str(text).split()), limit)


def named(text: object, limit: int = 400) -> str:
    """The same where a format asks for a word: a name of spaces alone is said to be one."""
    return safe(text, limit) or BLANK


def block(text: str, limit: int = LONG) -> list[str]:
    """The lines of a text, each made safe; blank lines at the ends are dropped."""
    return [clean(line.replace("\t", "    "), limit) for line in text.strip().splitlines()]


def number(value: float) -> str:
    """At most four significant decimals, without trailing zeros; 0.99996 is not shown as 1."""
    shown = f"{value:.4f}".rstrip("0").rstrip(".")
    if shown in ("1", "0", "-0") and value not in (0.0, 1.0):
        return f"{value:.6g}"
    return shown
