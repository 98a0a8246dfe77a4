"""Commands by name; one that there is not leads to the one that was meant."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from typer.core import TyperGroup

from evalrag.errors import UsageError


class Commands(TyperGroup):
    """A group that says what to type where a command is misspelt, or stands in another group."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        if found is not None or ctx.resilient_parsing:
            return found
        here = tuple(_above(ctx))
        meant = _meant(cmd_name, list(_paths(ctx.find_root().command)), here)
        typed = " ".join(("evalrag", *(meant or here)))
        raise UsageError(
            f"there is no command {' '.join((*here, cmd_name))!r}",
            hint=f"did you mean: {typed}" if meant else f"{typed} --help",
        )


def _above(ctx: Any) -> Iterator[str]:
    """The groups that stand before the command, without the program's name."""
    if ctx.parent is not None:
        yield from _above(ctx.parent)
        yield ctx.info_name


def _paths(command: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command as it is typed, without the program's name."""
    commands: Mapping[str, Any] = getattr(command, "commands", {})
    for name, inner in commands.items():
        yield (*above, name)
        yield from _paths(inner, (*above, name))


def _meant(
    word: str, paths: list[tuple[str, ...]], here: tuple[str, ...]
) -> tuple[str, ...] | None:
    """The command of that name, or of one like it: of this group, else of any."""
    own = [path for path in paths if path[:-1] == here]
    for known in (own, paths):
        by_name = {path[-1]: path for path in reversed(known)}
        near = difflib.get_close_matches(word.lower(), by_name, n=1, cutoff=0.7)
        if near:
            return by_name[near[0]]
    return None
