"""A file that is JSON as a whole, where one object a line is needed: said once, with a way out."""

import json
import os
import re
import shlex
from pathlib import Path
from typing import NamedTuple

from evalrag.errors import DatasetError, Problem
from evalrag.loading.show import clean
from evalrag.loading.strict_json import plain_words

_LARGEST = 200_000_000
"""Bytes up to which a file is looked at as a whole."""
_WRITE = (
    "t=''.join(json.dumps(r,ensure_ascii=False)+'\\n' for r in rows).encode(); "
    "open(p,'wb').write(t)"
)
_ARRAY = f"import json,sys; p=sys.argv[1]; rows=json.load(open(p,encoding='utf-8-sig')); {_WRITE}"
_OBJECTS = (
    "import json,sys; p=sys.argv[1]; s=open(p,encoding='utf-8-sig').read().strip(); "
    "d=json.JSONDecoder(); "
    f"rows=[(x:=d.raw_decode(s),s:=s[x[1]:].strip())[0][0] for _ in iter(lambda:s,'')]; {_WRITE}"
)
"""All is read and encoded before the file is opened to write: what cannot be, stays as it is."""


class _Seen(NamedTuple):
    kind: str
    """What the file is."""
    convert: str
    """Code that makes JSON Lines of it."""
    broken: json.JSONDecodeError | None = None


def refuse_other_json(path: Path, name: str) -> None:
    """Refuse a JSON array, and objects that stand over several lines. Other files are let pass.

    Args:
        path: the file, whose first line was seen to be no object.
        name: what it is called in errors.

    Raises:
        DatasetError: with one problem, and the command that converts the file.
    """
    seen = _seen(path)
    if seen is None:
        return
    needed = "one object a line is needed (JSON Lines)"
    problems = [Problem(name, f"this is {seen.kind}: {needed}")]
    shown = shlex.quote(clean(os.path.relpath(path), 400))
    hint = f'to convert it in its place, type: python -c "{seen.convert}" {shown}'
    if seen.broken is not None:
        said = f"not JSON: {plain_words(seen.broken.msg)}"
        problems.append(Problem(name, said, seen.broken.lineno, seen.broken.colno))
        hint = f"correct that place; then, {hint}"
    raise DatasetError(problems, hint=hint)


def _seen(path: Path) -> _Seen | None:
    try:
        if path.stat().st_size > _LARGEST:
            return None
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None  # whoever reads its lines says so
    start = re.match(r"\s*", text).end()  # type: ignore[union-attr]
    first = text[start:].partition("\n")[0].strip()
    array = first.startswith("[")
    kind = "a JSON array" if array else "one object over several lines"
    convert = _ARRAY if array else _OBJECTS
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except json.JSONDecodeError as error:
        opened = first in ("[", "{", "[{") and error.lineno > 1
        return _Seen(kind, convert, error) if opened else None
    except (ValueError, RecursionError):
        return None
    if array:
        rows = value and all(isinstance(row, dict) for row in value)
        return _Seen(kind, convert) if rows and not text[end:].strip() else None
    return _Seen(kind, convert) if isinstance(value, dict) and "\n" in text[start:end] else None
