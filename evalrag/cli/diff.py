"""`evalrag diff`: what changed between two runs, row by row."""

from typing import Annotated

import typer

from evalrag.cli.options import RUNS, Format, Full, Output, Quiet, RunsFolder


def diff(
    first: Annotated[
        str, typer.Argument(metavar="RUN", help="A run; with a second one, the older of the two.")
    ] = "latest",
    second: Annotated[
        str | None,
        typer.Argument(
            metavar="[NEWER]", help="The newer run; alone, RUN is held against its plan's baseline."
        ),
    ] = None,
    gate: Annotated[
        bool, typer.Option("--gate", envvar="EVALRAG_GATE", help="Exit with the gates' code.")
    ] = False,
    answers: Annotated[
        bool,
        typer.Option("--answers", help="List every answer that changed, whatever became of it."),
    ] = False,
    runs: RunsFolder = RUNS,
    full: Full = False,
    quiet: Quiet = False,
    form: Format = "text",
    output: Output = None,
) -> None:
    """Show every row that changed from one run to another, or since the baseline.

    Examples: evalrag diff latest; evalrag diff 0003 0004; evalrag diff --answers
    """
    from functools import partial

    from evalrag.cli.output import COMMANDS, colored, drawing, say, tell, width, written
    from evalrag.cli.prepare import quoted
    from evalrag.cli.reports import report_of, to_files
    from evalrag.cli.verdicts import Against, baseline_of, open_run, ref_of, verdict_of
    from evalrag.errors import BaselineError, UsageError
    from evalrag.reporters.build import reporter
    from evalrag.reporters.changes import listing, render

    drawing(form, full=full, quiet=quiet)
    files = to_files(output)
    newer = open_run(second if second is not None else first, runs)
    against = Against(open_run(first, runs)) if second is not None else baseline_of(newer)
    if against.run is None:
        raise BaselineError(
            against.why_none,
            hint=f'evalrag baseline accept {quoted(ref_of(newer, runs))} --reason "..."',
        )
    verdict = verdict_of(newer, against, ref=ref_of(newer, runs))
    old = against.run.record
    named = [quoted(name) for name in (first, second) if name is not None]
    more = " ".join((f"evalrag diff{' --gate' * gate}{_elsewhere(runs)} --full", *named))
    found = report_of(newer, against, verdict, ref=ref_of(newer, runs), more=more, files=files)
    drawn = partial(render, verdict, old, newer.record, gates=gate, full=full, more=more)
    if answers:
        drawn = partial(listing, verdict, old, newer.record)
    short = partial(drawn, quiet=True, more=None) if quiet and not answers else drawn
    if form == "text":
        say(short(width=width(), color=colored()))
    else:
        say(reporter(form).render(found), obeyed=form == COMMANDS)
    code = int(verdict.exit_code) if gate else 0
    done = []
    for one in files:
        text = drawn() if one.reporter.name == "terminal" else one.reporter.render(found)
        if one.path is not None and written(one.path, text):
            done.append(one.path)
        else:
            code = code or UsageError.exit_code
    if not quiet:
        tell(done, form)
    raise typer.Exit(code)


def _elsewhere(runs: str) -> str:
    from evalrag.cli.prepare import quoted

    return "" if runs == RUNS else f" --runs {quoted(runs)}"
