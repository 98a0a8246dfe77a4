"""Whether what a plan connects to is there: asked by `evalrag check`, before anything is run."""

from collections.abc import Iterable
from dataclasses import dataclass

from evalrag.adapters.hooks import Hook
from evalrag.redaction import raised


@dataclass(frozen=True, slots=True)
class Reached:
    """What an adapter found where it looked, in a line; and what to do where it is not well."""

    well: bool
    said: str
    hint: str = ""


def reached(hooks: Iterable[Hook]) -> list[Reached]:
    """What each adapter with a name says of its service, child or object, each asked once.

    An adapter that connects to something has a method `reach()`, which keeps its own limits of
    time. The user's own objects are not asked: nothing of theirs is called by `check`.
    """
    owners = {id(hook.owner): hook for hook in hooks if ":" not in hook.name}
    return [_asked(hook) for hook in owners.values() if hasattr(hook.owner, "reach")]


def _asked(hook: Hook) -> Reached:
    """What the adapter says; an installed plug-in's may raise, which is an answer too."""
    try:
        found: Reached = hook.owner.reach()
    except Exception as error:  # noqa: BLE001 - the code of a plug-in
        return Reached(False, f"{hook.name}: asking whether it is there raised {raised(error)}")
    return found


def close(hooks: Iterable[Hook]) -> None:
    """Let every adapter with a name go of what it holds: connections, children, an index."""
    owners = {id(hook.owner): hook.owner for hook in hooks if ":" not in hook.name}
    for owner in owners.values():
        if hasattr(owner, "close"):
            owner.close()
