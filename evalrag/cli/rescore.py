"""`evalrag rescore`: judge and score a stored run again, with today's judge and labels."""

from typing import TYPE_CHECKING, Annotated

import typer

from evalrag.cli.options import RUNS, RunName, RunsFolder

if TYPE_CHECKING:
    from pathlib import Path

    from evalrag.cli.prepare import Setting
    from evalrag.stores.runs import StoredRun


def rescore(
    run: RunName = "latest",
    plan: Annotated[
        str | None,
        typer.Option("--plan", envvar="EVALRAG_PLAN", help="The plan; the run's own by default."),
    ] = None,
    runs: RunsFolder = RUNS,
) -> None:
    """Score the stored traces of RUN (or of a baseline) again, as a new run. Calls no pipeline.

    Example: evalrag rescore datasets/demo/baseline --plan configs/demo.yaml
    """
    from evalrag.cli.output import say
    from evalrag.cli.prepare import plan_path, prepare
    from evalrag.cli.verdicts import open_run
    from evalrag.errors import RunError

    stored = open_run(run, runs)
    if not stored.has_traces:
        raise RunError(
            "this run keeps no traces, so there is nothing to score again",
            where=str(stored.path),
            hint="evalrag run PLAN",
        )
    setting = prepare(plan_path(plan if plan is not None else stored.record.plan_path))
    try:
        folder = _rescore(stored, setting)
    finally:
        setting.pipeline.close()
    say(f"scored again with {setting.judge.name} as {folder}\nnext: evalrag gate {folder}")


def _rescore(stored: "StoredRun", setting: "Setting") -> "Path":
    import asyncio

    from evalrag.cli.jobs import job_of, record_of
    from evalrag.cli.prepare import today
    from evalrag.errors import RunError
    from evalrag.execution.session import score_job
    from evalrag.stores.runs import RunWriter, StoredAttempts

    ran = {result.id for result in stored.results}
    selection = stored.record.selection
    rows = [
        row for row in setting.dataset.rows if row.id in ran and stored.traces(row.id) is not None
    ]
    if not rows:
        raise RunError(
            "no row of this run is in the plan's dataset any more",
            where=str(stored.path),
            hint="name the plan that it was made with: --plan PLAN",
        )
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
        }
    )
    writer = RunWriter(part)
    try:
        return asyncio.run(score_job(job_of(setting, rows, record), StoredAttempts(stored), writer))
    finally:
        writer.close()
