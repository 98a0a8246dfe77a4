"""Whether what a plan connects to is there: asked by `evalrag check`, before anything is run."""

from collections.abc import Iterable
from dataclasses import dataclass

from evalrag.adapters.hooks import Hook


@dataclass(frozen=True, slots=True)
class Reached:
    """What an adapter found where it looked, in a line; and what to do where it is not well."""

    well: bool
    said: str
    hint: str = ""


def reached(hooks: Iterable[Hook]) -> list[Reached]:
    """What each built-in adapter says of its service, child or object, each asked once.

    An adapter that connects to something has a method `reach()`, which keeps its own limits of
    time. The user's own objects are not asked: nothing of theirs is called by `check`.
    """
    owners = {id(hook.owner): hook.owner for hook in hooks if ":" not in hook.name}
    asked = (getattr(owner, "reach", None) for owner in owners.values())
    return [ask() for ask in asked if ask is not None]


def close(hooks: Iterable[Hook]) -> None:
    """Let every built-in adapter go of what it holds: connections, children, an index."""
    owners = {id(hook.owner): hook.owner for hook in hooks if ":" not in hook.name}
    for owner in owners.values():
        if hasattr(owner, "close"):
            owner.close()
