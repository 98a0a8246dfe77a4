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
        if ":" in hook.name:
            found |= {(hook.name, file_digest(path)) for path in _files(hook)}
    return digest(sorted(found))


def _files(hook: Hook) -> set[Path]:
    named = sys.modules.get(hook.name.partition(":")[0])
    things = (named, _plain(hook.function), type(hook.owner))
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
