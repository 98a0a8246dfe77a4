"""`evalrag run`: one run of a plan, held against its baseline."""

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from evalrag.cli.options import (
    DryRun,
    Format,
    Full,
    MaxCost,
    MaxSeconds,
    NoBaseline,
    NoCache,
    Output,
    PlanPath,
    Quiet,
    UpToFailure,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalrag.cli.prepare import Setting
    from evalrag.cli.verdicts import Against
    from evalrag.reporters.build import ToFile
    from evalrag.schema.brief import Result
    from evalrag.schema.run import Selection
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
    dry_run: DryRun = False,
    first_failure: UpToFailure = False,
    max_cost: MaxCost = None,
    max_seconds: MaxSeconds = None,
    no_cache: NoCache = False,
    full: Full = False,
    quiet: Quiet = False,
    form: Format = "text",
    output: Output = None,
) -> None:
    """Run PLAN, compare every row with the baseline, and gate.

    Example: evalrag run configs/demo.yaml
    """
    from evalrag.cli.limits import above_zero
    from evalrag.cli.output import drawing, note, report, say
    from evalrag.cli.reports import report_of, to_files
    from evalrag.cli.selecting import selection_of
    from evalrag.cli.verdicts import ref_of, verdict_of
    from evalrag.regression.exits import quoted

    drawn = drawing(form, full=full, quiet=quiet)
    files = to_files(output)
    selection = selection_of(kind or (), row or (), tag or (), split or ())
    asked = Asked(
        selection,
        failing=failing,
        resume=resume,
        compare=not no_baseline,
        reuse=not no_cache,
        first_failure=first_failure,
        max_cost=above_zero("--max-cost", max_cost),
        max_seconds=above_zero("--max-seconds", max_seconds),
    )
    if dry_run:
        say(_dry(plan, asked, form))
        raise typer.Exit
    stored, against, planned = _run(plan, asked)
    ref = ref_of(stored)
    verdict = verdict_of(stored, against, ref=ref)
    more = f"evalrag gate {quoted(ref)}{' --no-baseline' * no_baseline} --full"
    files += planned
    found = report_of(stored, against, verdict, ref=ref, more=more, files=files)
    code = report(found, drawn, files)
    if not quiet:
        note(f"stored as {stored.path}")
    raise typer.Exit(code)


class Asked(NamedTuple):
    """What the command line asks for."""

    selection: "Selection"
    failing: bool
    resume: bool
    compare: bool
    reuse: bool
    first_failure: bool
    max_cost: float | None
    max_seconds: float | None


def _dry(plan: str | None, asked: Asked, form: str) -> str:
    from evalrag.cli.dry_run import say_estimate
    from evalrag.cli.prepare import plan_path, prepare
    from evalrag.cli.selecting import select
    from evalrag.errors import UsageError

    if asked.resume:
        raise UsageError("--dry-run looks at a new run", hint="leave out --resume")
    setting = prepare(plan_path(plan))
    try:
        chosen, wanted = asked.selection, None
        if asked.failing:
            chosen, wanted = _failing(setting, chosen)
        return say_estimate(setting, select(setting, chosen, wanted), form=form)
    finally:
        setting.pipeline.close()


def _run(plan: str | None, asked: Asked) -> tuple["StoredRun", "Against", "list[ToFile]"]:
    from evalrag.cli.prepare import plan_path, prepare
    from evalrag.cli.reports import to_files
    from evalrag.cli.resuming import unfinished_plan
    from evalrag.cli.verdicts import Against, baseline_at
    from evalrag.errors import UsageError
    from evalrag.execution.session import Replays
    from evalrag.loading.show import relative

    if asked.resume and (asked.failing or asked.selection.words()):
        raise UsageError(
            "--resume takes the rows of the unfinished run",
            hint="leave out --kind, --row, --tag, --split and --failing",
        )

    with _terminable():
        path = plan_path(plan if plan is not None or not asked.resume else unfinished_plan())
        setting = prepare(path)
        try:
            planned = to_files(None, setting.loaded)
            # Read before anything is called: a baseline that is damaged is found out for nothing.
            against = Against(None, wanted=False)
            if asked.compare:
                against = baseline_at(
                    relative(setting.baseline) if setting.baseline else None,
                    read=not isinstance(setting.pipeline, Replays),
                )
            return _conduct(setting, asked, against), against, planned
        finally:
            setting.pipeline.close()


@contextmanager
def _terminable() -> "Iterator[None]":
    """SIGTERM stops a run as Ctrl-C does, so that it can be resumed; then it is as it was."""
    import signal
    from types import FrameType

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _conduct(setting: "Setting", asked: Asked, against: "Against") -> "StoredRun":
    from contextlib import nullcontext
    from dataclasses import replace

    from evalrag.adapters.sources import code_digest
    from evalrag.adapters.stages import remarks
    from evalrag.cli.jobs import job_of, journal_head, probing, record_of
    from evalrag.cli.judging import note_idle, open_cache, verdict_cache
    from evalrag.cli.limits import first_failure_of, halt_of, note_uncounted
    from evalrag.cli.prepare import today
    from evalrag.cli.progress import progress
    from evalrag.cli.resuming import refuse_another, resumed
    from evalrag.cli.secrecy import hide_lines
    from evalrag.cli.selecting import select
    from evalrag.cli.stuck import Stuck
    from evalrag.execution.conduct import conduct
    from evalrag.execution.session import Replays
    from evalrag.loading.collector import collector_paused
    from evalrag.schema.rows import ids_of
    from evalrag.schema.run import Selection
    from evalrag.stores.journal import Journal
    from evalrag.stores.runs import StoredRun
    from evalrag.stores.writer import RunWriter

    redact = hide_lines()
    selection = asked.selection
    journal = resumed(setting, redact) if asked.resume else None
    day = today()
    wanted = None
    if journal is not None:
        day = str(journal.head["day"])
        selection = Selection.model_validate(journal.head["selection"])
    elif asked.failing:
        selection, wanted = _failing(setting, selection)
    if selection.failing and wanted is None:
        wanted = _failing_in(setting, selection.failing)
    rows = select(setting, selection, wanted)
    # What can be refused is refused before there is a folder: an empty one would look resumable.
    record = record_of(setting, rows, selection, run="", day=day)
    cache = verdict_cache(setting.judge, read=asked.reuse, day=today())
    job = job_of(setting, rows, record, cache=cache)
    pipeline = probing(setting, job, reuse=asked.reuse)
    part = journal.path.parent if journal is not None else setting.runs.begin()
    name = part.name.removesuffix(".part")
    job = replace(job, record=record.model_copy(update={"id": name}))
    head = journal_head(job, selection) | {"code": code_digest(setting.pipeline)}
    if journal is None:
        journal = Journal.create(part, head, redact)
    else:
        refuse_another(journal, head, part)
    written: list[Result] = []

    def writer() -> RunWriter:
        return RunWriter(part, redact, written)

    halt = halt_of(setting, asked.max_cost, asked.max_seconds)
    bulk = collector_paused() if isinstance(setting.pipeline, Replays) else nullcontext()
    with bulk, open_cache(cache), progress(f"run {name}") as show:
        stuck = Stuck(setting.pipeline.waiting, show, limit=setting.loaded.plan.run.timeout_s)
        try:
            folder = conduct(
                job,
                pipeline,
                journal,
                writer,
                on_progress=show,
                halt=halt,
                on_second=stuck.tell,
                surroundings=setting.surroundings,
                first=first_failure_of(job, against) if asked.first_failure else None,
                remarks=lambda: remarks(setting.pipeline.hooks.values()),
            )
        finally:
            note_uncounted(halt)
    note_idle(setting.decisions, set(ids_of(rows)), setting.dataset.digests)
    return StoredRun(folder, written)


def _failing(setting: "Setting", selection: "Selection") -> tuple["Selection", set[str]]:
    from evalrag.cli.prepare import quoted
    from evalrag.errors import UsageError

    names = setting.runs.names()
    command = f"evalrag run {quoted(setting.loaded.file)}"
    if not names:
        raise UsageError("--failing needs a finished run, and there is none", hint=command)
    found = _failing_in(setting, names[-1])
    if not found:
        raise UsageError(f"every row passed in run {names[-1]}: none is failing", hint=command)
    return selection.model_copy(update={"failing": names[-1]}), found


def _failing_in(setting: "Setting", run: str) -> set[str]:
    from evalrag.schema.words import Outcome
    from evalrag.stores.runs import StoredRun

    stored = StoredRun(setting.runs.find(run))
    return {result.id for result in stored.results if result.outcome is not Outcome.PASS}
