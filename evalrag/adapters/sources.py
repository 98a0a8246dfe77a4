"""The source files of the plan's own hooks: has the code changed since the run was begun?"""

import functools
import inspect
import sys
from pathlib import Path
from typing import Any

from evalrag.adapters.fingerprint import file_digest
from evalrag.adapters.hooks import Hook
from evalrag.adapters.pipeline import Pipeline
from evalrag.schema.digest import digest


def code_digest(pipeline: Pipeline) -> str:
    """Over the files that hooks named by dotted path stand in; what they import is not seen."""
    found: set[tuple[str, str]] = set()
    for hook in pipeline.hooks.values():
        if hook.code is not None:
            found |= {(hook.code, file_digest(path)) for path in _files(hook, hook.code)}
    return digest(sorted(found))


def _files(hook: Hook, code: str) -> set[Path]:
    """Of the module that is named, of the function, and of the class of the object behind it."""
    named = sys.modules.get(code.partition(":")[0])
    adapted = getattr(hook.owner, "object", None) if code != hook.name else None
    things = (
        (named, _plain(hook.function), type(hook.owner))
        if adapted is None
        else (named, type(adapted))
    )
    return {path for thing in things if (path := _source(thing)) is not None}


def _plain(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.unwrap(function)


def _source(thing: Any) -> Path | None:
    try:
        file = inspect.getsourcefile(thing)
    except (TypeError, ValueError):  # a built-in, or an object: its class was asked as well
        return None
    return Path(file) if file is not None and Path(file).is_file() else None
