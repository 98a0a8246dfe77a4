"""`evalrag judge calibrate`: how far the plan's judge and people agree."""

from typing import TYPE_CHECKING, Annotated

import typer

from evalrag.cli.options import Format, NoCache

if TYPE_CHECKING:
    from evalrag.execution.calibrate import Calibrated
    from evalrag.judging.tasks import Judge
    from evalrag.loading.labels import Labels
    from evalrag.loading.plan import LoadedPlan
    from evalrag.schema.calibration import Calibration, CalibrationReport
    from evalrag.stores.verdict_cache import VerdictCache


def calibrate(
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="The plan that names the judge.")],
    labels: Annotated[
        str, typer.Argument(metavar="LABELS", help="Answers that people labelled, in JSON Lines.")
    ],
    no_cache: NoCache = False,
    form: Format = "text",
    probes: Annotated[
        bool,
        typer.Option(
            "--probes",
            envvar="EVALRAG_PROBES",
            help="Also ask again with passages reordered, answers padded and tone changed: up to"
            " five times the calls.",
        ),
    ] = False,
    no_record: Annotated[
        bool,
        typer.Option(
            "--no-record", envvar="EVALRAG_NO_RECORD", help="Keep no record of this calibration."
        ),
    ] = False,
) -> None:
    """Ask PLAN's judge about answers that people labelled, and say how far they agree.

    Example: evalrag judge calibrate configs/demo.yaml labels.jsonl
    """
    from pathlib import Path

    from evalrag.cli.judging import build_judge, verdict_cache
    from evalrag.cli.output import check_format, colored, say, width
    from evalrag.cli.prepare import read_plan, today
    from evalrag.loading.labels import load_labels
    from evalrag.loading.show import relative
    from evalrag.reporters.calibration import calibration_json, calibration_text

    check_format(form)
    loaded = read_plan(Path(plan))
    labelled = load_labels(Path(labels), shown=relative(Path(labels)))
    judge = build_judge(loaded)
    cache = verdict_cache(judge, read=not no_cache, day=today())
    _refuse_without_claims(judge, loaded)
    report = _report(
        loaded, labelled, judge, labels, probes=probes, keep=not no_record, cache=cache
    )
    if form == "json":
        say(calibration_json(report))
    else:
        say(calibration_text(report, width=width(), color=colored()))
    raise typer.Exit(report.exit_code)


def _refuse_without_claims(judge: "Judge", loaded: "LoadedPlan") -> None:
    from evalrag.errors import UsageError
    from evalrag.judging.tasks import CLAIM_METRICS

    if not judge.offers & CLAIM_METRICS:
        raise UsageError(
            f"the judge {judge.name} labels no claims, so there is nothing to calibrate",
            where=loaded.file,
            hint=f"a judge that does offers one of: {', '.join(sorted(CLAIM_METRICS))}",
        )


def _report(
    loaded: "LoadedPlan",
    labels: "Labels",
    judge: "Judge",
    path: str,
    *,
    probes: bool,
    keep: bool,
    cache: "VerdictCache | None",
) -> "CalibrationReport":
    import asyncio

    from evalrag.cli.judging import open_cache
    from evalrag.cli.prepare import quoted
    from evalrag.cli.progress import progress
    from evalrag.cli.secrecy import hide_lines
    from evalrag.execution.calibrate import calibrate as ask_all
    from evalrag.judging.calibration import disagreements, movement
    from evalrag.loading.show import relative
    from evalrag.schema.calibration import CalibrationReport
    from evalrag.stores.calibrations import Calibrations

    store = Calibrations(loaded.resolve(loaded.plan.judge.calibrations))
    before = store.last_on(labels.digest)  # a damaged record is found out before any call
    with open_cache(cache), progress("judging") as show:
        calibrated = asyncio.run(
            ask_all(
                labels.rows,
                judge,
                at_once=loaded.plan.run.concurrency,
                probes=probes,
                cache=cache,
                on_done=show,
            )
        )
    record = _record(labels, judge, calibrated)
    decided = record.figures.decided > 0
    kept = store.keep(record, hide_lines()) if keep and decided else None
    again = f"evalrag judge calibrate {quoted(loaded.file)} {quoted(path)}"
    after = again if decided else f"evalrag check {quoted(loaded.file)}"
    return CalibrationReport(
        record=record,
        disagreements=disagreements(calibrated.found),
        moved=movement(before, record) if before is not None else None,
        notes=_notes(record, calibrated),
        kept=relative(kept) if kept is not None else None,
        next=f"git add {quoted(relative(store.folder))}" if kept is not None else after,
        exit_code=0 if decided else 3,
    )


def _record(labels: "Labels", judge: "Judge", calibrated: "Calibrated") -> "Calibration":
    from pathlib import PurePath

    from evalrag import __version__
    from evalrag.cli.prepare import today
    from evalrag.judges.build import judge_print
    from evalrag.judging.calibration import answer_figures, claim_figures
    from evalrag.schema.calibration import Calibration, LabelsPrint

    who = judge_print(judge)
    return Calibration(
        day=today(),
        version=__version__,
        judge=who.name,
        fingerprint=who.digest,
        details=who.details,
        labels=LabelsPrint(
            file=PurePath(labels.path).name, digest=labels.digest, n=len(labels.rows)
        ),
        failed=sum(one.failed for one in calibrated.found),
        figures=answer_figures(calibrated.found),
        claims=claim_figures(calibrated.found),
        probes=dict(calibrated.probes),
        judged={one.row.id: one.label for one in calibrated.found},
    )


def _notes(record: "Calibration", calibrated: "Calibrated") -> tuple[str, ...]:
    """What a reader should know before believing the figures."""
    notes: list[str] = []
    figures = record.figures
    if record.failed:
        first = next(one for one in calibrated.found if one.failed)
        notes.append(
            f"the judge gave no verdict on {record.failed} of {figures.n} rows, which are "
            f"UNRESOLVED; the first is {first.row.id}: {first.why}"
        )
    if not figures.decided:
        notes.append("the judge decided nothing, so it has no figures and no record was kept")
    if figures.accepted:
        one = figures.accepted == 1
        notes.append(
            f"{figures.accepted} {'row agrees' if one else 'rows agree'} by acceptable_labels alone"
        )
    given = [label for label, row in figures.confusion.items() if sum(row.values())]
    if len(given) == 1:
        notes.append(
            f"people labelled every row {given[0]}: kappa, and the recall of other labels, "
            "cannot be had from this file"
        )
    return tuple(notes)
