"""`evalrag run`: one run of a plan, held against its baseline."""

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalrag.cli.options import Format, Full, NoBaseline, NoCache, Output, PlanPath, Quiet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from evalrag.cli.prepare import Setting
    from evalrag.cli.reports import ToFile
    from evalrag.cli.verdicts import Against
    from evalrag.schema.brief import Result
    from evalrag.schema.run import Selection
    from evalrag.stores.journal import Journal
    from evalrag.stores.runs import StoredRun
    from evalrag.stores.secrecy import Redact


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
    no_cache: NoCache = False,
    full: Full = False,
    quiet: Quiet = False,
    form: Format = "text",
    output: Output = None,
) -> None:
    """Run PLAN, compare every row with the baseline, and gate.

    Example: evalrag run configs/demo.yaml
    """
    from evalrag.cli.output import drawing, note, report
    from evalrag.cli.reports import report_of, to_files
    from evalrag.cli.selecting import selection_of
    from evalrag.cli.verdicts import ref_of, verdict_of
    from evalrag.regression.exits import quoted

    drawn = drawing(form, full=full, quiet=quiet)
    files = to_files(output)
    selection = selection_of(kind or (), row or (), tag or (), split or ())
    stored, against, planned = _run(
        plan,
        selection,
        failing=failing,
        resume=resume,
        compare=not no_baseline,
        reuse=not no_cache,
    )
    ref = ref_of(stored)
    verdict = verdict_of(stored, against, ref=ref)
    more = f"evalrag gate {quoted(ref)}{' --no-baseline' * no_baseline} --full"
    files += planned
    found = report_of(stored, against, verdict, ref=ref, more=more, files=files)
    code = report(found, drawn, files)
    if not quiet:
        note(f"stored as {stored.path}")
    raise typer.Exit(code)


def _run(
    plan: str | None,
    selection: "Selection",
    *,
    failing: bool,
    resume: bool,
    compare: bool,
    reuse: bool,
) -> tuple["StoredRun", "Against", "list[ToFile]"]:
    from evalrag.cli.prepare import plan_path, prepare, relative
    from evalrag.cli.reports import to_files
    from evalrag.cli.verdicts import Against, baseline_at
    from evalrag.errors import UsageError
    from evalrag.execution.session import Replays

    if resume and (failing or selection.words()):
        raise UsageError(
            "--resume takes the rows of the unfinished run",
            hint="leave out --kind, --row, --tag, --split and --failing",
        )

    with _terminable():
        path = plan_path(plan if plan is not None or not resume else _unfinished_plan())
        setting = prepare(path)
        try:
            planned = to_files(None, setting.loaded)
            # Read before anything is called: a baseline that is damaged is found out for nothing.
            against = Against(None, wanted=False)
            if compare:
                against = baseline_at(
                    relative(setting.baseline) if setting.baseline else None,
                    read=not isinstance(setting.pipeline, Replays),
                )
            stored = _conduct(setting, selection, failing=failing, resume=resume, reuse=reuse)
            return stored, against, planned
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


def _conduct(
    setting: "Setting", selection: "Selection", *, failing: bool, resume: bool, reuse: bool
) -> "StoredRun":
    from contextlib import nullcontext

    from evalrag.adapters.sources import code_digest
    from evalrag.cli.jobs import job_of, journal_head, record_of
    from evalrag.cli.judging import note_idle, open_cache, verdict_cache
    from evalrag.cli.prepare import today
    from evalrag.cli.progress import progress
    from evalrag.cli.secrecy import hide_lines
    from evalrag.cli.selecting import select
    from evalrag.execution.session import Replays, conduct
    from evalrag.loading.collector import collector_paused
    from evalrag.schema.rows import ids_of
    from evalrag.schema.run import Selection
    from evalrag.stores.journal import Journal
    from evalrag.stores.runs import StoredRun
    from evalrag.stores.writer import RunWriter

    redact = hide_lines()
    journal = _resumed(setting, redact) if resume else None
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
    # What can be refused is refused before there is a folder: an empty one would look resumable.
    record = record_of(setting, rows, selection, run="", day=day)
    part = journal.path.parent if journal is not None else setting.runs.begin()
    name = part.name.removesuffix(".part")
    cache = verdict_cache(setting.judge, read=reuse, day=today())
    job = job_of(setting, rows, record.model_copy(update={"id": name}), cache=cache)
    head = journal_head(job, selection) | {"code": code_digest(setting.pipeline)}
    if journal is None:
        journal = Journal.create(part, head, redact)
    else:
        _same(journal, head, part)
    written: list[Result] = []

    def writer() -> RunWriter:
        return RunWriter(part, redact, written)

    bulk = collector_paused() if isinstance(setting.pipeline, Replays) else nullcontext()
    with bulk, open_cache(cache), progress(f"run {name}") as show:
        folder = conduct(job, setting.pipeline, journal, writer, on_progress=show)
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


def _unfinished_plan() -> str | None:
    """The plan of the newest unfinished run here."""
    from pathlib import Path

    from evalrag.cli.options import RUNS
    from evalrag.stores.journal import unfinished
    from evalrag.stores.runs import RunFolder

    plans = (head.get("plan") for _, head in unfinished(RunFolder(Path(RUNS)).parts()))
    return next((str(plan) for plan in plans if plan), None)


def _resumed(setting: "Setting", redact: "Redact") -> "Journal":
    """The newest unfinished run of this plan, or else of any: which is then refused by its key."""
    from evalrag.cli.prepare import quoted, relative
    from evalrag.errors import UsageError
    from evalrag.stores.journal import Journal, unfinished

    found = list(unfinished(setting.runs.parts()))
    own = relative(setting.loaded.path)
    parts = [part for part, head in found if head.get("plan") == own] or [p for p, _ in found]
    if not parts:
        raise UsageError(
            "there is no unfinished run to go on with",
            where=str(setting.runs.path),
            hint=f"evalrag run {quoted(setting.loaded.file)}",
        )
    return Journal.resume(parts[0], redact)


def _same(journal: "Journal", head: "Mapping[str, Any]", part: "Path") -> None:
    """A journal of other questions, or of another pipeline, is not gone on with."""
    from evalrag.errors import UsageError

    why = None
    if journal.head.get("key") != head["key"]:
        why = "the unfinished run is of another plan, dataset or pipeline than there is now"
    elif journal.head.get("code") != head["code"]:
        why = "the code of the pipeline has changed since the unfinished run was begun"
    if why is not None:
        journal.close()
        raise UsageError(
            why,
            where=str(part),
            hint="undo the change and resume, or start anew without --resume",
        )
