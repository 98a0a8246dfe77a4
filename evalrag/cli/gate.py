"""`evalrag gate`: decide a stored run again, without calling anything."""

from typing import Annotated

import typer

from evalrag.cli.options import (
    RUNS,
    Format,
    Full,
    NoBaseline,
    Output,
    Quiet,
    RunName,
    RunsFolder,
)


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
    full: Full = False,
    quiet: Quiet = False,
    form: Format = "text",
    output: Output = None,
) -> None:
    """Gate a stored RUN against its baseline; the exit code is that of `run`.

    Example: evalrag gate latest
    """
    from evalrag.cli.output import drawing, report
    from evalrag.cli.prepare import quoted as path
    from evalrag.cli.reports import report_of, to_files
    from evalrag.cli.verdicts import baseline_of, open_run, ref_of, verdict_of
    from evalrag.regression.exits import quoted

    drawn = drawing(form, full=full, quiet=quiet)
    files = to_files(output)
    stored = open_run(run, runs)
    against = baseline_of(stored, baseline, wanted=not no_baseline)
    ref = ref_of(stored, runs)
    verdict = verdict_of(stored, against, ref=ref)
    more = f"evalrag gate {quoted(ref)}"
    more += f" --baseline {path(baseline)}" if baseline is not None else ""
    more += " --no-baseline" * no_baseline + " --full"
    found = report_of(stored, against, verdict, ref=ref, more=more, files=files)
    raise typer.Exit(report(found, drawn, files))
