"""Plans that lie where one was looked for."""

import difflib
import re
import shlex
from pathlib import Path

from evalrag.loading.show import clean, relative

_KEYS = tuple(re.compile(rf'^[\s{{"]*{key}"?\s*:', re.MULTILINE) for key in ("dataset", "pipeline"))
_READ = 100_000
"""Characters of a file that are looked at."""
_FILES = 100
_SHOWN = 5


def plans_near(path: Path) -> str:
    """What to type in the place of a plan that is not there, as `evalrag check FILE; or `.

    The file that is named most like it, and beside it the others of that folder, or of the working
    directory where there is no such folder. Nothing where there is none.
    """
    folder = path.parent if path.parent.is_dir() else Path()
    names = [relative(file) for file in _plans(folder)]
    if not names:
        return ""
    like = difflib.get_close_matches(relative(path), names, n=1, cutoff=0.0)
    first, *rest = dict.fromkeys([*like, *names])
    shown = ", ".join(clean(name, 200) for name in rest[:_SHOWN])
    more = f" and {len(rest) - _SHOWN} more" if len(rest) > _SHOWN else ""
    others = f" (plans here as well: {shown}{more})" if rest else ""
    return f"evalrag check {shlex.quote(clean(first, 200))}{others}; or "


def _plans(folder: Path) -> list[Path]:
    """Files of YAML that have the keys of a plan."""
    try:
        files = sorted(file for file in folder.iterdir() if file.suffix in (".yaml", ".yml"))
    except OSError:
        return []
    return [file for file in files[:_FILES] if _is_plan(file)]


def _is_plan(file: Path) -> bool:
    try:
        if not file.is_file():
            return False
        with file.open(encoding="utf-8", errors="replace") as opened:
            text = opened.read(_READ)
    except OSError:
        return False
    return all(key.search(text) for key in _KEYS)
