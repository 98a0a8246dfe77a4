"""A program and its environment, as a plan names them: looked for before anything is started."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalrag.errors import PluginError
from evalrag.plugins import closest
from evalrag.redaction import is_secret_key, one_line

_ALWAYS = ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE")
"""Passed beside the names that a plan gives, since few programs start without."""


def environment_of(
    wanted: tuple[str, ...] | dict[str, str] | None, here: Mapping[str, str]
) -> dict[str, str]:
    """All of `here`, the names of a list alone, or all of it and the values of a mapping."""
    if wanted is None:
        return dict(here)
    if isinstance(wanted, dict):
        return {**here, **wanted}
    for name in wanted:
        if name not in here:
            raise PluginError(
                f"with of command: env: {name} is not set{closest(name, here)}",
                hint=f"set it, or take it out; a value is written as env: {{{name}: value}}",
            )
    return {name: here[name] for name in (*_ALWAYS, *wanted) if name in here}


def check_values(wanted: Any, written: Any) -> None:
    """No key stands in the plan itself."""
    if isinstance(wanted, dict):
        for name in wanted:
            as_written = written.get(name) if isinstance(written, Mapping) else None
            if is_secret_key(name) and "${" not in str(as_written):
                raise PluginError(
                    f"with of command: env.{name} stands in the plan itself",
                    hint=f"keys come from the environment: env: [{name}], or {name}: ${{NAME}}",
                )


def check_program(program: str, folder: Path, path: str | None) -> None:
    """It is on PATH, or a file that can be executed, relative to the folder it runs in."""
    if os.sep in program:
        found = folder / program
        if found.is_file() and os.access(found, os.X_OK):
            return
        why = "cannot be executed" if found.is_file() else "is not there"
    else:
        if shutil.which(program, path=path) is not None:
            return
        why = "is not on PATH"
    raise PluginError(
        f"with of command: the program {one_line(program, 200)!r} {why}",
        hint="name a program on PATH, or a path relative to with.cwd such as ./bot",
    )
