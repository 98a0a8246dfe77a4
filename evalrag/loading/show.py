"""How a value, a field or a name from a file is shown in an error: short, and on one line."""

import difflib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]
"""Where a value stands in a file: keys and indexes from the outside in."""

_LONGEST = 60
_WORDY = 400
_FEW = 12


def clean(text: str, limit: int = _LONGEST) -> str:
    """`text` cut to `limit` characters, with nothing in it that a terminal would act upon.

    Control, bidirectional and zero-width characters become U+FFFD: a file is untrusted, and its
    words end up in terminals and logs.
    """
    cut = text if len(text) <= limit else text[: limit - 3] + "..."
    if cut.isprintable():
        return cut
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in cut)


def sentence(text: str) -> str:
    """A message that quotes input it does not control, made safe to print."""
    return clean(text, _WORDY)


def relative(path: Path) -> str:
    """As seen from the working directory, so that a stored run names no machine's folders."""
    try:
        return Path(os.path.relpath(path)).as_posix()
    except ValueError:  # another drive
        return path.name


def show(value: Any) -> str:
    """A JSON value for people: `"text"`, `5`, `null`, `a list`, `an object`."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{clean(value)}"'
        case int() | float():
            return clean(str(value))
        case list() | tuple():
            return "a list"
        case dict():
            return "an object"
    return type(value).__name__


def written_at(raw: Any, path: KeyPath) -> Any:
    """What the file itself has at a key path; None where it has nothing."""
    here = raw
    for part in path:
        listed = isinstance(here, list) and isinstance(part, int) and part < len(here)
        if not listed and not (isinstance(here, dict) and part in here):
            return None
        here = here[part]
    return here


def field_name(path: Iterable[str | int]) -> str | None:
    """A key path as people write it: `gold[1].span`; None for the whole."""
    name = ""
    for part in path:
        if isinstance(part, int):
            name += f"[{part}]"
        elif part and all(c.isalnum() or c in "_-" for c in part):
            name += f".{part}" if name else part
        else:
            name += f'["{clean(part)}"]'
    return clean(name, 2 * _LONGEST) or None


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known name that `word` was probably meant to be, if any is near."""
    names = list(known)
    by_lower = {name.lower(): name for name in names}
    found = difflib.get_close_matches(word[:_LONGEST].lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None


def unknown(thing: str, word: str, known: Iterable[str]) -> str:
    """Say that `word` is unknown, and what was probably meant, or else what there is."""
    names = list(known)
    near = closest(word, names)
    said = f'unknown {thing} "{clean(word)}"'
    if near is not None:
        return f'{said}: did you mean "{near}"?'
    return f"{said}: known here are {', '.join(names)}" if 0 < len(names) <= _FEW else said
