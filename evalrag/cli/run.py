"""`evalrag run`: one run of a plan, held against its baseline."""

from typing import TYPE_CHECKING, Annotated

import typer

from evalrag.cli.options import Format, NoBaseline, Output, PlanPath

if TYPE_CHECKING:
    from pathlib import Path

    from evalrag.cli.prepare import Setting
    from evalrag.schema.brief import Result
    from evalrag.schema.run import Selection
    from evalrag.stores.journal import Journal
    from evalrag.stores.runs import StoredRun


def run(
    plan: PlanPath = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(envvar="EVALRAG_KIND", help="Only rows of this kind; may be repeated."),
    ] = None,
    row: Annotated[
        list[str] | None,
        typer.Option(envvar="EVALRAG_ROW", help="Only the row of this id; may be repeated."),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(envvar="EVALRAG_TAG", help="Only rows with this tag; may be repeated."),
    ] = None,
    split: Annotated[
        list[str] | None,
        typer.Option(envvar="EVALRAG_SPLIT", help="dev (default) or holdout; may be repeated."),
    ] = None,
    failing: Annotated[
        bool,
        typer.Option(
            "--failing",
            envvar="EVALRAG_FAILING",
            help="Only rows that did not pass in the newest finished run.",
        ),
    ] = False,
    no_baseline: NoBaseline = False,
    resume: Annotated[
        bool,
        typer.Option("--resume", envvar="EVALRAG_RESUME", help="Go on with an unfinished run."),
    ] = False,
    form: Format = "text",
    output: Output = None,
) -> None:
    """Run PLAN, compare every row with the baseline, and gate.

    Example: evalrag run configs/demo.yaml
    """
    from evalrag.cli.output import check_format, note, report
    from evalrag.cli.selecting import selection_of
    from evalrag.cli.verdicts import baseline_of, ref_of, verdict_of

    check_format(form)
    selection = selection_of(kind or (), row or (), tag or (), split or ())
    stored, folder = _run(plan, selection, failing=failing, resume=resume)
    against = baseline_of(stored, wanted=not no_baseline)
    verdict = verdict_of(stored, against, ref=ref_of(stored))
    report(verdict, stored.record, form=form, files=output or [])
    note(f"stored as {folder}")
    raise typer.Exit(int(verdict.exit_code))


def _run(
    plan: str | None, selection: "Selection", *, failing: bool, resume: bool
) -> tuple["StoredRun", "Path"]:
    import signal
    from types import FrameType

    from evalrag.cli.prepare import plan_path, prepare
    from evalrag.errors import UsageError

    if resume and (failing or selection.words()):
        raise UsageError(
            "--resume takes the rows of the unfinished run",
            hint="leave out --kind, --row, --tag, --split and --failing",
        )

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    path = plan_path(plan if plan is not None or not resume else _unfinished_plan())
    setting = prepare(path)
    try:
        return _conduct(setting, selection, failing=failing, resume=resume)
    finally:
        setting.pipeline.close()


def _conduct(
    setting: "Setting", selection: "Selection", *, failing: bool, resume: bool
) -> tuple["StoredRun", "Path"]:
    from contextlib import nullcontext

    from evalrag.cli.jobs import job_of, journal_head, record_of
    from evalrag.cli.prepare import today
    from evalrag.cli.progress import progress
    from evalrag.cli.selecting import select
    from evalrag.execution.session import Replays, conduct
    from evalrag.loading.collector import collector_paused
    from evalrag.schema.run import Selection
    from evalrag.stores.journal import Journal
    from evalrag.stores.runs import RunWriter, StoredRun

    journal = _resumed(setting) if resume else None
    day = today()
    wanted = None
    if journal is not None:
        day = str(journal.head["day"])
        selection = Selection.model_validate(journal.head["selection"])
    elif failing:
        selection, wanted = _failing(setting, selection)
    if selection.failing and wanted is None:
        wanted = _failing_in(setting, selection.failing)
    rows = select(setting, selection, wanted)
    part = journal.path.parent if journal is not None else setting.runs.begin()
    name = part.name.removesuffix(".part")
    record = record_of(setting, rows, selection, run=name, day=day)
    job = job_of(setting, rows, record)
    if journal is None:
        journal = Journal.create(part, journal_head(job, selection))
    else:
        _same(journal, job.key(), part)
    written: list[Result] = []

    def writer() -> RunWriter:
        return RunWriter(part, written)

    bulk = collector_paused() if isinstance(setting.pipeline, Replays) else nullcontext()
    with bulk, progress(f"run {name}") as show:
        folder = conduct(job, setting.pipeline, journal, writer, on_progress=show)
    return StoredRun(folder, written), folder


def _failing(setting: "Setting", selection: "Selection") -> tuple["Selection", set[str]]:
    from evalrag.errors import UsageError

    names = setting.runs.names()
    if not names:
        raise UsageError(
            "--failing needs a finished run, and there is none",
            hint=f"evalrag run {setting.loaded.file}",
        )
    chosen = selection.model_copy(update={"failing": names[-1]})
    return chosen, _failing_in(setting, names[-1])


def _failing_in(setting: "Setting", run: str) -> set[str]:
    from evalrag.schema.words import Outcome
    from evalrag.stores.runs import StoredRun

    stored = StoredRun(setting.runs.find(run))
    return {result.id for result in stored.results if result.outcome is not Outcome.PASS}


def _unfinished_plan() -> str | None:
    """The plan of the newest unfinished run here."""
    from pathlib import Path

    from evalrag.cli.options import RUNS
    from evalrag.stores.journal import journal_head_of
    from evalrag.stores.runs import RunFolder

    parts = RunFolder(Path(RUNS)).parts()
    if not parts:
        return None
    plan = journal_head_of(parts[-1]).get("plan")
    return str(plan) if plan else None


def _resumed(setting: "Setting") -> "Journal":
    from evalrag.errors import UsageError
    from evalrag.stores.journal import Journal

    parts = setting.runs.parts()
    if not parts:
        raise UsageError(
            "there is no unfinished run to go on with",
            where=str(setting.runs.path),
            hint=f"evalrag run {setting.loaded.file}",
        )
    return Journal.resume(parts[-1])


def _same(journal: "Journal", key: str, part: "Path") -> None:
    """A journal of other questions, or of another pipeline, is not gone on with."""
    from evalrag.errors import UsageError

    if journal.head.get("key") != key:
        journal.close()
        raise UsageError(
            "the unfinished run is of another plan, dataset or pipeline than there is now",
            where=str(part),
            hint="undo the change and resume, or start anew without --resume",
        )
