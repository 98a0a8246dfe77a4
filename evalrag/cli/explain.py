"""`evalrag explain`: the reference page of a metric, a diagnosis, an adapter or an exit code."""

from typing import Annotated

import typer


def explain(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="What to explain; all names without it.")
    ] = None,
) -> None:
    """Print the reference page of a metric, diagnosis, gate rule, adapter or exit code.

    Example: evalrag explain current_precision
    """
    import difflib

    from evalrag.cli.output import say
    from evalrag.errors import UsageError
    from evalrag.reporters.pages import pages

    known = pages()
    if name is None:
        groups: dict[str, list[str]] = {}
        for page in known.values():
            groups.setdefault(page.group, []).append(page.name)
        said = [f"{group}:\n  {'; '.join(names)}" for group, names in groups.items()]
        say("\n".join([*said, "next: evalrag explain NAME"]))
        return
    found = known.get(name) or known.get(name.removeprefix("exit "))
    if found is None:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
        hint = f"did you mean: evalrag explain {near[0]}" if near else "evalrag explain"
        raise UsageError(f"there is no page on {name!r}", hint=hint)
    say(f"{found.name} ({found.group})\n\n{found.text.strip()}\n")
