"""`evalrag gate`: decide a stored run again, without calling anything."""

from typing import Annotated

import typer

from evalrag.cli.options import RUNS, Format, NoBaseline, Output, RunName, RunsFolder


def gate(
    run: RunName = "latest",
    baseline: Annotated[
        str | None,
        typer.Option(
            envvar="EVALRAG_BASELINE", metavar="DIR", help="A run or baseline to hold it against."
        ),
    ] = None,
    no_baseline: NoBaseline = False,
    runs: RunsFolder = RUNS,
    form: Format = "text",
    output: Output = None,
) -> None:
    """Gate a stored RUN against its baseline; the exit code is that of `run`.

    Example: evalrag gate latest
    """
    from evalrag.cli.output import check_format, check_output, report
    from evalrag.cli.verdicts import baseline_of, open_run, ref_of, verdict_of

    check_format(form)
    check_output(output)
    stored = open_run(run, runs)
    against = baseline_of(stored, baseline, wanted=not no_baseline)
    verdict = verdict_of(stored, against, ref=ref_of(stored, runs))
    raise typer.Exit(report(verdict, stored.record, form=form, files=output or []))
