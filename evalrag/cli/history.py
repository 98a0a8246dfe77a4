"""`evalrag history`: the runs of a plan side by side."""

from typing import TYPE_CHECKING, Annotated

import typer

from evalrag.cli.options import RUNS, Full

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evalrag.regression.history import History
    from evalrag.schema.brief import Result
    from evalrag.schema.run import RunRecord

FORMATS = ("text", "json")
LAST = 30
"""Runs that are shown unless another number is asked for."""


def history(
    of: Annotated[
        str | None,
        typer.Argument(
            metavar="PLAN|DIR",
            help="A plan, or a folder of runs, of which the newest names the plan.",
        ),
    ] = None,
    last: Annotated[
        int, typer.Option("--last", min=1, envvar="EVALRAG_LAST", help="How many runs.")
    ] = LAST,
    full: Full = False,
    form: Annotated[
        str,
        typer.Option(
            "--format", envvar="EVALRAG_FORMAT", metavar="text|json", help="What stdout gets."
        ),
    ] = "text",
) -> None:
    """Show how each row did in the last runs of a plan, and the pass rate of each kind.

    Examples: evalrag history configs/demo.yaml; evalrag history .evalrag/runs --last 10
    """
    from evalrag.cli.output import check_format, colored, say, width
    from evalrag.regression.exits import quoted
    from evalrag.reporters.history import history_json, history_text

    check_format(form, FORMATS)
    folder, plan = _asked(of)
    found = _history(folder, plan, last)
    if form == "json":
        say(history_json(found))
        return
    words = ["evalrag history --full", *([f"--last {last}"] if last != LAST else [])]
    more = " ".join([*words, *([quoted(of)] if of is not None else [])])
    elsewhere = "" if folder.as_posix() == RUNS else f"{folder.as_posix()}/"
    drawn = history_text(
        found, folder=elsewhere, full=full, more=more, width=width(), color=colored()
    )
    say(drawn)


def _history(folder: "Path", plan: str | None, last: int) -> "History":
    from evalrag.errors import RunError
    from evalrag.loading.collector import collector_paused
    from evalrag.regression.history import history as put_together

    with collector_paused():
        runs, left_out = _runs(folder, plan, last)
        if not runs:
            said = f"there is no finished run of {plan}" if plan else "there is no finished run"
            raise RunError(said, where=str(folder), hint="evalrag run PLAN")
        return put_together(runs[-1][0].plan, runs, left_out)


def _asked(of: str | None) -> "tuple[Path, str | None]":
    """The folder of runs, and the plan's name where a plan was named."""
    import os
    from pathlib import Path

    from evalrag.cli.prepare import DEFAULT_PLAN, runs_of
    from evalrag.cli.secrecy import keep
    from evalrag.loading.plan import load_plan

    path = Path(of) if of is not None else Path(DEFAULT_PLAN)
    if path.is_dir():
        return path, None
    if of is None and not path.is_file():
        return Path(RUNS), None
    loaded = load_plan(path, os.environ)
    keep(loaded.secrets)
    return runs_of(loaded).path, loaded.plan.name


def _runs(
    folder: "Path", plan: str | None, last: int
) -> "tuple[list[tuple[RunRecord, Sequence[Result]]], list[str]]":
    """The newest finished runs of one plan, oldest first; those that cannot be read are named."""
    from evalrag.errors import RunError
    from evalrag.regression.narrative import counted
    from evalrag.stores.runs import RunFolder, StoredRun

    found: list[tuple[RunRecord, Sequence[Result]]] = []
    left_out: list[str] = []
    others, newer = 0, None
    for name in reversed(RunFolder(folder).names()):
        if len(found) == last:
            break
        try:
            stored = StoredRun(folder / name)
            if plan is not None and stored.record.plan != plan:
                others += 1
                continue
            # Beside its neighbour, of which most lines are the same.
            results = stored.briefs if newer is None else stored.briefs_beside(newer)
        except RunError as error:
            left_out.append(f"run {name}: {error.message}")
            continue
        newer = newer or stored
        plan = stored.record.plan
        found.append((stored.record, results))
    if others:
        left_out.append(f"{counted(others, 'run')} of other plans")
    return found[::-1], left_out
