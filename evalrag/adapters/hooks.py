"""The user's functions and objects as hooks, which are asked by the names of their parameters."""

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalrag.errors import PluginError
from evalrag.plugins import closest
from evalrag.redaction import raised

OFFERED: Mapping[str, tuple[str, ...]] = {
    "rewrite": ("question", "history", "row_id", "repeat", "top_k"),
    "retrieve": ("question", "top_k", "history", "row_id", "repeat"),
    "generate": ("question", "passages", "history", "row_id", "repeat", "top_k"),
    "answer": ("question", "top_k", "history", "row_id", "repeat"),
}
"""What a hook of each stage may ask for."""


@dataclass(slots=True)
class Hook:
    """A function, what it asks for, and the keys of `with` that it takes by name."""

    name: str
    """As the plan writes it; errors begin with it."""
    stage: str
    function: Callable[..., Any]
    by_position: tuple[str, ...] = ()
    by_name: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    owner: Any = None
    """The object that the hook is a method of, or the hook itself."""
    is_async: bool = False
    code: str | None = None
    """The dotted path of the user's code, where the plan names any."""

    def call(self, offers: Mapping[str, Any]) -> Any:
        """Call the function with what it asked for."""
        values = {**self.fixed, **offers}
        return self.function(
            *(values[name] for name in self.by_position),
            **{name: values[name] for name in self.by_name},
        )


def hook_of(found: Any, stage: str, *, name: str, settings: Mapping[str, Any]) -> Hook:
    """The hook that a resolved name is, or makes.

    A function with a parameter `question` is the hook and takes the keys of `settings` by name. A
    class, or any other function, is called once with them, and its object is used: its method
    named like the stage, or the object itself where it can be called.

    Raises:
        PluginError: It asks for what is not offered, is given what it does not take, or raised.
    """
    if _is_function(found) and "question" in _parameters(found, name):
        return _asked(found, found, stage, name, settings, strict=True)
    if inspect.isclass(found) or _is_function(found):
        made = _made(found, name, settings)
        return _asked(made, _function_of(made, stage, name), stage, name, settings, strict=False)
    # An object that the module made itself.
    return _asked(found, _function_of(found, stage, name), stage, name, settings, strict=True)


def _asked(
    owner: Any,
    function: Any,
    stage: str,
    name: str,
    settings: Mapping[str, Any],
    *,
    strict: bool,
) -> Hook:
    """Match parameters with what is offered. `strict`: every key of `settings` must be taken."""
    parameters = _parameters(function, name)
    by_position, by_name = _taken(function, parameters, stage, name, settings)
    taken = {*by_position, *by_name}
    catches_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if strict:
        _check_settings(parameters, taken, stage, name, settings, catches_all=catches_all)
    if catches_all:
        more = [*(settings if strict else ()), "question"]
        by_name += [key for key in more if key not in taken]
    taken = {*by_position, *by_name}
    return Hook(
        name,
        stage,
        function,
        tuple(by_position),
        tuple(by_name),
        fixed={key: value for key, value in settings.items() if key in taken},
        owner=owner,
        is_async=_is_async(function),
    )


def _taken(
    function: Any,
    parameters: Mapping[str, inspect.Parameter],
    stage: str,
    name: str,
    settings: Mapping[str, Any],
) -> tuple[list[str], list[str]]:
    """The parameters to give by position, and by name."""
    already = _fixed_by_partial(function)
    by_position: list[str] = []
    by_name: list[str] = []
    skipped = False
    for parameter in parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        known = parameter.name in OFFERED[stage] or parameter.name in settings
        wanted = known and parameter.name not in already
        if not wanted and parameter.default is parameter.empty:
            raise _not_offered(parameter.name, stage, name, settings)
        if parameter.kind is parameter.POSITIONAL_ONLY:
            skipped = skipped or not wanted
            if not skipped:
                by_position.append(parameter.name)
        elif wanted:
            by_name.append(parameter.name)
    return by_position, by_name


def _check_settings(
    parameters: Mapping[str, inspect.Parameter],
    taken: set[str],
    stage: str,
    name: str,
    settings: Mapping[str, Any],
    *,
    catches_all: bool,
) -> None:
    for key in settings:
        if key in OFFERED[stage]:
            raise PluginError(
                f"with of {name}: {key!r} is given by evalrag at every call",
                hint="take it out of `with`" + (", set pipeline.top_k" if key == "top_k" else ""),
            )
        if key not in taken and not catches_all:
            raise _not_taken(key, name, [p for p in parameters if p not in OFFERED[stage]])


def _made(factory: Any, name: str, settings: Mapping[str, Any]) -> Any:
    """The object that a class or a factory makes of `settings`."""
    try:
        signature = inspect.signature(factory)
    except (TypeError, ValueError):
        signature = None
    if signature is not None:
        _check_factory(signature, name, settings)
    try:
        made = factory(**settings)
    except KeyboardInterrupt:
        raise
    except PluginError:
        raise
    except BaseException as error:  # noqa: BLE001 - the user's code may do anything, even exit
        raise PluginError(
            f"{name}: making it raised {raised(error)}",
            hint=f"it has no parameter `question`, so it was called once with the keys of `with` "
            f"({', '.join(settings) or 'none'}), to make the object that is used",
        ) from None
    if inspect.iscoroutine(made):
        made.close()
        raise PluginError(
            f"{name}: the function that makes the hook is async",
            hint="make it a plain function; the hook that it returns may be async",
        )
    return made


def _check_factory(signature: inspect.Signature, name: str, settings: Mapping[str, Any]) -> None:
    parameters = signature.parameters.values()
    kinds = {parameter.kind for parameter in parameters}
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    names = [parameter.name for parameter in named]
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        for key in settings:
            if key not in names:
                raise _not_taken(key, name, names)
    for parameter in named:
        if parameter.default is parameter.empty and parameter.name not in settings:
            raise PluginError(
                f"{name}: `with` lacks {parameter.name!r}",
                hint=f"it has no parameter `question`, so it is called once with the keys of "
                f"`with`, and takes {', '.join(names)}",
            )


def _function_of(made: Any, stage: str, name: str) -> Callable[..., Any]:
    method = getattr(made, stage, None)
    if callable(method):
        return method  # type: ignore[no-any-return]
    if callable(made) and not inspect.isclass(made):
        return made  # type: ignore[no-any-return]
    others = [other for other in OFFERED if callable(getattr(made, other, None))]
    hint = f"give it a method `{stage}(question, ...)`"
    if others:
        hint += f"; it has {', '.join(others)}, which belong to other stages of the plan"
    raise PluginError(
        f"{name} gives a {type(made).__name__}, which has no {stage!r} and cannot be called",
        hint=hint,
    )


def _parameters(function: Any, name: str) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        raise PluginError(
            f"{name}: its parameters cannot be read", hint="wrap it in a def of your own"
        ) from None


def _is_function(found: Any) -> bool:
    return inspect.isroutine(found) or isinstance(found, functools.partial)


def _is_async(function: Any) -> bool:
    """It is certain to return an awaitable. A plain def may return one too: see `calls`."""
    call = function if _is_function(function) else type(function).__call__
    while isinstance(call, functools.partial):
        call = call.func
        call = call if _is_function(call) else type(call).__call__
    return inspect.iscoroutinefunction(call) or inspect.isasyncgenfunction(call)


def _fixed_by_partial(function: Any) -> frozenset[str]:
    fixed: set[str] = set()
    while isinstance(function, functools.partial):
        fixed |= set(function.keywords)
        function = function.func
    return frozenset(fixed)


def _not_offered(parameter: str, stage: str, name: str, settings: Mapping[str, Any]) -> PluginError:
    offered = [*OFFERED[stage], *(key for key in settings if key not in OFFERED[stage])]
    hint = f"a {stage} hook may ask for {', '.join(offered)}; anything else needs a default"
    if parameter in ("self", "cls"):
        hint = "name the class in the plan, not its method: its object is made for you"
    return PluginError(
        f"{name}: it has the parameter {parameter!r}, which nobody gives"
        f"{closest(parameter, offered)}",
        hint=hint,
    )


def _not_taken(key: str, name: str, known: list[str]) -> PluginError:
    takes = f"it takes {', '.join(known)}" if known else "it takes no keys"
    return PluginError(f"with of {name}: unknown key {key!r}{closest(key, known)}", hint=takes)
