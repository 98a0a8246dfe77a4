"""The local files that the plan's own code imports: which of them does nobody watch?"""

import ast
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from evalrag.adapters.fingerprint import watched_files
from evalrag.adapters.objects import code_of, entries_of
from evalrag.loading.plan import LoadedPlan

MOST = 500
"""Files that are read for what they import; a larger tree is not walked to its end."""
_FOREIGN = {"site-packages", "dist-packages", "__pycache__"}


def unwatched(loaded: LoadedPlan) -> tuple[str, ...]:
    """Local files that hooks import, by whatever way, and `pipeline.watch` does not cover.

    Local is what stands in the plan's folder or the working directory; paths are relative to the
    plan. The files of the hooks themselves are not among them: the fingerprint says of those that
    their code is not known. Nothing is imported: the files are read.
    """
    roots = [root.resolve() for root in (loaded.folder, Path.cwd())]
    hooks = list(_modules(loaded))
    own = {file for name in hooks if (file := _file_of(name, roots)) is not None}
    found: set[Path] = set()
    queue: list[Iterator[str]] = [_with_parents(name) for name in hooks]
    queue += [_imported(file, roots) for file in sorted(own)]
    while queue:
        for name in queue.pop():
            file = _file_of(name, roots)
            if file is not None and file not in found | own and len(found) < MOST:
                found.add(file)
                queue.append(_imported(file, roots))
    watched = {path.resolve() for path in watched_files(loaded).values()}
    left = [file for file in found if file not in watched and file.stat().st_size]
    return tuple(sorted(Path(os.path.relpath(file, loaded.folder)).as_posix() for file in left))


def _modules(loaded: LoadedPlan) -> Iterator[str]:
    """The modules that the plan names."""
    for entry in entries_of(loaded.plan.pipeline):
        code = code_of(entry)
        if code is not None:
            yield code.partition(":")[0]


def _imported(file: Path, roots: list[Path]) -> Iterator[str]:
    """Names of modules that a file may import, its own packages among them."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return  # it is not read for this: whoever imports it finds out
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _with_parents(alias.name)
        elif isinstance(node, ast.ImportFrom):
            for base in _bases(node, file, roots):
                yield from _with_parents(base)
                yield from (f"{base}.{alias.name}" for alias in node.names)


def _with_parents(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:n]) for n in range(1, len(parts) + 1))


def _bases(node: ast.ImportFrom, file: Path, roots: list[Path]) -> Iterator[str]:
    """What `from X import` is from; where X is relative, seen from each root the file is in."""
    if not node.level:
        yield node.module or ""
        return
    folder = file.parent
    for _ in range(node.level - 1):
        folder = folder.parent
    for root in roots:
        if folder != root and folder.is_relative_to(root):
            yield ".".join((*folder.relative_to(root).parts, *filter(None, [node.module])))


def _file_of(name: str, roots: list[Path]) -> Path | None:
    """A module's file, if it is local: where it was imported from, or else would be."""
    if name.partition(".")[0] == "evalrag":
        return None
    known = getattr(sys.modules.get(name), "__file__", None)
    if known is not None:
        path = Path(known).resolve()
        return path if _is_local(path, roots) else None
    for root in roots:
        bare = root.joinpath(*name.split("."))
        for path in (bare / "__init__.py", bare.with_name(f"{bare.name}.py")):
            if path.is_file() and _is_local(path.resolve(), roots):
                return path.resolve()
    return None


def _is_local(path: Path, roots: list[Path]) -> bool:
    """Under one of the folders, and neither an installed package nor the environment's own."""
    if path.suffix != ".py" or _FOREIGN & set(path.parts):
        return False
    installed = [Path(prefix).resolve() for prefix in (sys.prefix, sys.base_prefix)]
    installed = [p for p in installed if not any(root.is_relative_to(p) for root in roots)]
    if any(path.is_relative_to(prefix) for prefix in installed):
        return False
    return any(path.is_relative_to(root) for root in roots)
