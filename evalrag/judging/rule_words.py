"""The word lists of the offline judge's rules, read once from the data file beside this module."""

import re
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files


@cache
def _file() -> Mapping[str, object]:
    data = files("evalrag.judging") / "data" / "rules_en.toml"
    return tomllib.loads(data.read_text(encoding="utf-8"))


@cache
def listed(name: str) -> frozenset[str]:
    """A list of words."""
    return frozenset(str(_file()[name]).split())


@cache
def pattern(name: str) -> re.Pattern[str]:
    """One pattern, or the first of several that fits."""
    found = _file()[name]
    several = found if isinstance(found, list) else [found]
    joined = "|".join(f"(?:{one})" for one in several)
    return re.compile(joined.replace("{sources}", str(_file()["sources"])), re.IGNORECASE)


@cache
def opposites() -> frozenset[tuple[str, str]]:
    """Pairs of words of which one denies the other, both ways round."""
    pairs = [
        pair.split() for line in str(_file()["opposites"]).splitlines() for pair in line.split("|")
    ]
    return frozenset((pair[at], pair[1 - at]) for pair in pairs if len(pair) == 2 for at in (0, 1))


@cache
def figures() -> Mapping[str, Fraction]:
    """Words that stand for a figure."""
    table = _file()["figures"]
    if not isinstance(table, dict):
        raise TypeError("figures")
    return {word: Fraction(figure) for word, figure in table.items()}


@cache
def spans() -> Mapping[str, str]:
    """Words that stand for one unit of time."""
    table = _file()["spans"]
    if not isinstance(table, dict):
        raise TypeError("spans")
    return dict(table)
