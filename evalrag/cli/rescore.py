"""`evalrag rescore`: judge and score a stored run again, with today's judge and labels."""

from typing import TYPE_CHECKING, Annotated

import typer

from evalrag.cli.options import RUNS, NoCache, RunName, RunsFolder

if TYPE_CHECKING:
    from pathlib import Path

    from evalrag.cli.prepare import Setting
    from evalrag.schema.row import Row
    from evalrag.stores.runs import StoredRun


def rescore(
    run: RunName = "latest",
    plan: Annotated[
        str | None,
        typer.Option("--plan", envvar="EVALRAG_PLAN", help="The plan; the run's own by default."),
    ] = None,
    no_cache: NoCache = False,
    runs: RunsFolder = RUNS,
) -> None:
    """Score the stored traces of RUN (or of a baseline) again, as a new run. Calls no pipeline.

    Example: evalrag rescore datasets/demo/baseline --plan configs/demo.yaml
    """
    from evalrag.cli.output import say
    from evalrag.cli.prepare import plan_path, prepare, quoted
    from evalrag.cli.verdicts import open_run
    from evalrag.errors import RunError
    from evalrag.stores.baselines import Baseline

    stored = open_run(run, runs)
    if not stored.has_traces:
        raise RunError(
            "this run keeps no traces, so there is nothing to score again",
            where=str(stored.path),
            hint="evalrag run PLAN",
        )
    setting = prepare(plan_path(plan if plan is not None else stored.record.plan_path))
    before = setting.runs.names()
    try:
        folder = _rescore(stored, setting, reuse=not no_cache)
    finally:
        setting.pipeline.close()
    new = quoted(folder)
    if isinstance(stored, Baseline):
        newest = quoted(setting.runs.path / before[-1]) if before else None
        command = f"evalrag gate {newest} --baseline {new}"
        if newest is None:
            command = f"evalrag run {quoted(setting.loaded.file)}"
    else:
        command = f"evalrag gate {new}"
    say(f"scored again with {setting.judge.name} as {folder}\nnext: {command}")


def _rescore(stored: "StoredRun", setting: "Setting", *, reuse: bool) -> "Path":
    import asyncio

    from evalrag.cli.jobs import job_of, record_of
    from evalrag.cli.judging import note_idle, open_cache, verdict_cache
    from evalrag.cli.prepare import today
    from evalrag.cli.secrecy import hide_lines
    from evalrag.execution.session import score_job
    from evalrag.stores.runs import StoredAttempts
    from evalrag.stores.writer import RunWriter

    selection = stored.record.selection
    rows = _rows(stored, setting)
    part = setting.runs.begin()
    old = stored.record
    record = record_of(
        setting, rows, selection, run=part.name.removesuffix(".part"), day=today()
    ).model_copy(
        update={
            "pipeline": old.pipeline,
            "generates": old.generates,
            "repeats": old.repeats,
            "reading": old.reading,
            "totals": {k: v for k, v in old.totals.items() if k == "remarks"},
        }
    )
    writer = RunWriter(part, hide_lines())
    cache = verdict_cache(setting.judge, read=reuse, day=today())
    job = job_of(setting, rows, record, cache=cache)
    try:
        with open_cache(cache):
            whole = asyncio.run(score_job(job, StoredAttempts(stored), writer))
        folder = writer.finish(whole)
        note_idle(setting.decisions, {row.id for row in rows}, setting.dataset.digests)
        return folder
    finally:
        writer.close()


def _rows(stored: "StoredRun", setting: "Setting") -> list["Row"]:
    """The rows of the run. One that cannot be scored again is no row that was left out.

    Raises:
        RunError: some row has no trace, or is neither in the dataset any more nor retired.
    """
    from evalrag.cli.prepare import quoted
    from evalrag.errors import RunError
    from evalrag.regression.narrative import names

    retired = {entry.row for entry in setting.loaded.plan.retired}
    ran = [result.id for result in stored.results if result.id not in retired]
    gone = [row for row in ran if row not in setting.dataset.digests]
    if gone:
        raise RunError(
            f"rows of this run are not in the plan's dataset any more: {names(gone)}",
            where=str(stored.path),
            hint="name the plan that it was made with (--plan PLAN), or list them under `retired`",
        )
    bare = [row for row in ran if stored.traces(row) is None]
    if bare:
        raise RunError(
            f"rows of this run keep no traces, so they cannot be scored again: {names(bare)}",
            where=str(stored.path),
            hint=f"evalrag run {quoted(setting.loaded.file)}",
        )
    wanted = set(ran)
    return [row for row in setting.dataset.rows if row.id in wanted]
