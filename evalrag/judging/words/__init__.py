"""Word lists of what an answer does, one file a language, read when they are first asked for."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_NAME = re.compile(r"<(\w+)>")


@cache
def _file(language: str) -> Mapping[str, Mapping[str, object]]:
    found = files("evalrag.judging.words") / f"{language}.toml"
    return tomllib.loads(found.read_text(encoding="utf-8"))


@cache
def listed(name: str, language: str = "en") -> frozenset[str]:
    """The words of a list."""
    return frozenset(str(_file(language)["lists"][name]).split())


@cache
def pattern(role: str, language: str = "en") -> re.Pattern[str]:
    """All patterns of a role as one; match it in full, or at the beginning."""
    found = _file(language)["patterns"][role]
    if not isinstance(found, list):
        raise TypeError(role)
    return re.compile("|".join(f"(?:{_written(str(one), language)})" for one in found))


def _written(text: str, language: str) -> str:
    """A pattern with its parts written out."""
    parts = _file(language)["parts"]
    return _NAME.sub(lambda match: _written(str(parts[match[1]]), language), text)
