"""A name in the plan to the thing it names: a built-in, an installed plug-in, or a dotted path."""

import difflib
import importlib
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from evalrag.errors import PluginError
from evalrag.loading.show import relative
from evalrag.redaction import raised

M = TypeVar("M", bound=BaseModel)

_added: list[str] = []
"""Folders that were made importable here, the newest first."""


def resolve(
    use: str, *, group: str, builtins: Mapping[str, str], paths: Sequence[Path] = ()
) -> Any:
    """The object that `use` names.

    Args:
        use: A built-in's name, an entry point's name, or `package.module:attribute`.
        group: The entry-point group, such as `evalrag.adapters`.
        builtins: Names and dotted paths of what comes with evalrag. They are strings, so that
            nothing is imported until it is used.
        paths: Folders from which dotted paths may be imported, before installed packages.

    Raises:
        PluginError: Nothing, or more than one thing, has that name, or importing it raised.
    """
    if ":" in use:
        make_importable(paths)
        return _load(use, use, paths)
    sources = {f"evalrag itself ({builtins[use]})": builtins[use]} if use in builtins else {}
    installed = _entry_points(group)
    for name, package, target in installed:
        if name == use:
            sources[f"{package} ({target})"] = target
    if len(sources) > 1:
        raise PluginError(
            f"{use!r} is found twice: in {' and in '.join(sources)}",
            hint="uninstall one of them, or name the one you mean as package.module:attribute",
        )
    if not sources:
        raise _unknown(use, group, [*builtins, *(name for name, _, _ in installed)])
    make_importable(paths)  # a plug-in may import the user's own modules
    return _load(next(iter(sources.values())), use, paths)


def settings(model: type[M], values: Mapping[str, Any], *, of: str) -> M:
    """`values` (a `with` of the plan) as a `model`, or a PluginError that names key and closest."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        known = [field.alias or name for name, field in model.model_fields.items()]
        lines = [_problem(detail["type"], detail, known) for detail in error.errors()]
        raise PluginError(
            f"with of {of}: {'; '.join(lines)}", hint=f"{of} takes {', '.join(known)}"
        ) from None


def closest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or nothing when nothing is near."""
    folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold(), list(folded), n=1, cutoff=0.6)
    return f"; did you mean {folded[near[0]]!r}?" if near else ""


def make_importable(paths: Sequence[Path]) -> None:
    """Put `paths` on `sys.path`, the first of them first, and keep them for later lazy imports.

    They stand before installed packages and behind Python's own modules: a `queue.py` beside the
    plan must not take the place of the standard library's for everybody.
    """
    wanted = [str(path.resolve()) for path in paths]
    for folder in wanted:
        if folder in _added:
            _added.remove(folder)
            if folder in sys.path:  # the user's code may have taken it out
                sys.path.remove(folder)
    own = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    own |= {f"{path}/lib-dynload" for path in own}
    behind = max((i + 1 for i, entry in enumerate(sys.path) if entry in own), default=0)
    fresh = [folder for folder in dict.fromkeys(wanted) if folder not in sys.path[:behind]]
    sys.path[behind:behind] = fresh
    _added[:0] = fresh
    importlib.invalidate_caches()


def own_path() -> list[str]:
    """`sys.path` without the folders that were made importable here."""
    return [folder for folder in sys.path if folder not in _added]


def _load(target: str, use: str, paths: Sequence[Path]) -> Any:
    module_name, _, attribute = target.partition(":")
    if not module_name or not attribute:
        raise PluginError(
            f"{use!r} is not package.module:attribute", hint="write both sides of the colon"
        )
    found: Any = _import(module_name, use, paths)
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise _no_attribute(found, part, use) from None
    return found


def _import(name: str, use: str, paths: Sequence[Path]) -> ModuleType:
    root = name.partition(".")[0]
    if root != __name__.partition(".")[0]:  # a checkout of evalrag here does not replace this one
        _forget_another_plans(root, use)
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            raise _no_module(name, error.name, use, paths) from None
        failure: BaseException = error
    except BaseException as error:  # noqa: BLE001 - importing runs the user's code: it may even exit
        failure = error
    raise PluginError(
        f"{use}: importing {name} raised {raised(failure)}",
        hint=f"make `python -c 'import {name}'` work in that folder",
    ) from None


def _forget_another_plans(root: str, use: str) -> None:
    """Drop a module of that name that was loaded from the folder of another plan.

    One process can hold several plans (tests do), and two `hooks.py` are two modules.
    """
    file = getattr(sys.modules.get(root), "__file__", None)
    today = PathFinder.find_spec(root)
    if file is None or today is None or today.origin is None:
        return
    loaded, wanted = Path(file).resolve(), Path(today.origin).resolve()
    if loaded == wanted:
        return
    if not any(loaded.is_relative_to(folder) for folder in _added):
        raise PluginError(
            f"{use}: {root} is already loaded from {loaded}, so {wanted} cannot be",
            hint="give your module another name",
        )
    for name in [name for name in sys.modules if name == root or name.startswith(f"{root}.")]:
        del sys.modules[name]


def _entry_points(group: str) -> list[tuple[str, str, str]]:
    """Name, distribution and target of every installed plug-in of `group`, each once."""
    from importlib.metadata import entry_points

    found = {
        (point.name, point.dist.name if point.dist else "an unnamed package", point.value)
        for point in entry_points(group=group)
    }
    return sorted(found)


def _unknown(use: str, group: str, known: list[str]) -> PluginError:
    if "." in use:
        module, _, attribute = use.rpartition(".")
        return PluginError(
            f"nothing is called {use!r}", hint=f"a dotted path has a colon: {module}:{attribute}"
        )
    return PluginError(
        f"nothing is called {use!r}{closest(use, known)}",
        hint=f"known: {', '.join(sorted(set(known)))}; or install a plug-in with an entry point "
        f"in {group}; or write package.module:attribute",
    )


def _no_module(name: str, missing: str, use: str, paths: Sequence[Path]) -> PluginError:
    folders = " or ".join(dict.fromkeys(_folder(path) for path in paths)) or "no folder of the plan"
    what = name if missing == name else f"{name} (there is no {missing})"
    return PluginError(
        f"{use}: no module {what} in {folders}, nor among installed packages"
        f"{closest(missing, (file.stem for path in paths for file in path.glob('*.py')))}",
        hint="modules are found from the plan's folder, then the working directory; "
        "install the package otherwise",
    )


def _folder(path: Path) -> str:
    name = relative(path)
    return "this folder" if name == "." else name


def _no_attribute(found: Any, part: str, use: str) -> PluginError:
    names = [name for name in dir(found) if not name.startswith("_")]
    file = getattr(found, "__file__", None)
    it = "it" if file is None else relative(Path(file))
    hint = f"{it} has {', '.join(names[:12])}" if names else f"{it} has no public names"
    name = getattr(found, "__name__", type(found).__name__)
    if name.partition(".")[0] in sys.stdlib_module_names:
        hint = f"{name} is a module of Python itself: give yours another name"
    return PluginError(f"{use}: {name} has no {part!r}{closest(part, names)}", hint=hint)


def _problem(kind: str, detail: Mapping[str, Any], known: Sequence[str]) -> str:
    where = ".".join(str(part) for part in detail["loc"]) or "it"
    if kind == "extra_forbidden":
        near = closest(where, known) if len(detail["loc"]) == 1 else ""
        return f"unknown key {where!r}{near}"
    if kind == "missing":
        return f"{where!r} is missing"
    message = str(detail["msg"]).removeprefix("Value error, ")
    return f"{where}: {message[:1].lower()}{message[1:]}"
