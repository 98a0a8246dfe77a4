"""The word lists of the reading of text, read once from the data files beside it."""

import tomllib
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple


class Unit(NamedTuple):
    """`factor` of the `family`'s base unit. The same `kind` is not always convertible."""

    kind: str
    family: str
    factor: Fraction
    word: str


@cache
def _file(name: str) -> Mapping[str, object]:
    return tomllib.loads((files("evalrag.text") / "data" / name).read_text(encoding="utf-8"))


@cache
def table(name: str) -> Mapping[str, str | int]:
    """A table of `en.toml`, by its name."""
    found = _file("en.toml")[name]
    if not isinstance(found, dict):
        raise TypeError(name)
    return MappingProxyType(found)


@cache
def numbers(name: str) -> Mapping[str, int]:
    """A table of `en.toml` whose values are numbers."""
    return MappingProxyType({word: int(value) for word, value in table(name).items()})


@cache
def listed(name: str) -> frozenset[str]:
    """A list of words of `en.toml`."""
    return frozenset(str(table("words")[name]).split())


@cache
def elements(name: str) -> frozenset[str]:
    """Names of HTML elements, by what they do."""
    return frozenset(str(_file("html.toml")[name]).split())


@cache
def units() -> tuple[Mapping[str, Unit], Mapping[str, Unit]]:
    """Units by the word in small letters, and those that are told apart by their capitals."""
    low: dict[str, Unit] = {}
    cased: dict[str, Unit] = {}
    found = _file("units.toml")["unit"]
    if not isinstance(found, list):
        raise TypeError("unit")
    for entry in found:
        words, case = entry["words"].split(), entry.get("case", "").split()
        name = (words or case)[0]
        unit = Unit(entry["kind"], entry["family"], Fraction(entry["factor"]), name)
        low.update(dict.fromkeys(words, unit))
        cased.update(dict.fromkeys(case, unit))
    return MappingProxyType(low), MappingProxyType(cased)


@cache
def phrases(name: str, *, by_last: bool) -> Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """Phrases of a table, the longest first, with what they mean: by their last or first word."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for phrase, meaning in table(name).items():
        words = tuple(phrase.split())
        found.setdefault(words[-1 if by_last else 0], []).append((words, str(meaning)))
    return {key: tuple(sorted(some, key=lambda one: -len(one[0]))) for key, some in found.items()}
