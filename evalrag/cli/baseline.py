"""`evalrag baseline`: accept a run as what later runs are held against, and show what was."""

import json
import shlex
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from evalrag.cli.commands import Commands
from evalrag.cli.options import RUNS, RunName, RunsFolder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalrag.regression.acceptance_review import ScoreMove
    from evalrag.schema.result import RowResult
    from evalrag.schema.run import RunRecord
    from evalrag.stores.merging import Merged
    from evalrag.stores.runs import StoredRun


class Wanted(NamedTuple):
    """Which rows of the run to accept; empty for all."""

    row: tuple[str, ...]
    kind: tuple[str, ...]
    improved: bool

    @property
    def some(self) -> bool:
        return bool(self.row or self.kind or self.improved)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    help="Accept a run as the baseline, or show the baseline.",
)


@app.command()
def accept(
    run: RunName = "latest",
    reason: Annotated[
        str, typer.Option(envvar="EVALRAG_REASON", help="Why this run is right; kept for ever.")
    ] = "",
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            envvar="EVALRAG_BASELINE",
            metavar="DIR",
            help="Where, if the plan names no baseline.",
        ),
    ] = None,
    without_traces: Annotated[
        bool,
        typer.Option(
            "--without-traces",
            envvar="EVALRAG_WITHOUT_TRACES",
            help="Keep no texts: smaller, private; a changed label then cannot be scored again.",
        ),
    ] = False,
    with_undecided: Annotated[
        bool,
        typer.Option(
            "--with-undecided",
            envvar="EVALRAG_WITH_UNDECIDED",
            help="Take undecided rows too, in place of their decided results of before.",
        ),
    ] = False,
    row: Annotated[
        list[str] | None,
        typer.Option(
            "--row",
            envvar="EVALRAG_ROW",
            metavar="ID",
            help="Take this row alone; may be repeated.",
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            envvar="EVALRAG_KIND",
            metavar="KIND",
            help="Take the rows of this kind alone.",
        ),
    ] = None,
    improved: Annotated[
        bool,
        typer.Option(
            "--improved",
            envvar="EVALRAG_IMPROVED",
            help="Take the rows that were fixed, improved or recovered, and no other.",
        ),
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(envvar="EVALRAG_BY", metavar="NAME", help="Who accepts; git's user.name."),
    ] = None,
    from_plan: Annotated[
        str | None,
        typer.Option(
            "--from-plan",
            envvar="EVALRAG_FROM_PLAN",
            metavar="NAME",
            help="The name of RUN's plan, where the baseline is of another: it was renamed.",
        ),
    ] = None,
    runs: RunsFolder = RUNS,
) -> None:
    """Copy RUN, or some of its rows, to the plan's baseline path. Nothing else moves a baseline.

    Example: evalrag baseline accept latest --reason "reranker on, checked by hand"

    Example: evalrag baseline accept latest --improved --reason "fixed by the new chunker"
    """
    from pathlib import Path

    from evalrag.cli.output import say
    from evalrag.cli.verdicts import open_run
    from evalrag.errors import UsageError
    from evalrag.stores.accepted_files import ChangedBaseline
    from evalrag.stores.baselines import one_at_a_time, open_baseline, refuse_run

    if not reason.strip(" ."):
        raise UsageError(
            "say why this run is right",
            hint=f'evalrag baseline accept {shlex.quote(run)} --reason "..."',
        )
    stored = open_run(run, runs)
    target = to if to is not None else stored.record.baseline
    if target is None:
        raise UsageError(
            "the plan of this run names no baseline",
            hint="add `baseline: {path: PATH}` to the plan, or give --to PATH",
        )
    path = Path(target)
    refuse_run(path, Path(runs))
    wanted = Wanted(tuple(row or ()), tuple(kind or ()), improved)
    changed: ChangedBaseline | None = None
    with one_at_a_time(path):
        try:
            old = open_baseline(path)
        except ChangedBaseline as error:
            if stored.record.dataset.left_out or wanted.some:  # rows of the changed one would stay
                raise
            old, changed = None, error
        theirs = (
            old.record if old is not None else _record_in(path) if changed is not None else None
        )
        _refuse_other_plan(stored, theirs, from_plan, path, runs)
        said = _accept(
            stored,
            old,
            path,
            reason=reason,
            by=by,
            wanted=wanted,
            with_traces=not without_traces,
            with_undecided=with_undecided,
        )
    if changed is not None:
        said = f"note: {changed.where}: {changed.message}; nothing of those rows was kept\n{said}"
    say(said)


def _record_in(path: "Path") -> "RunRecord | None":
    """The head of a baseline that was changed: its plan's name is as good as nothing better."""
    from evalrag.errors import RunError
    from evalrag.stores.runs import StoredRun

    try:
        return StoredRun(path).record
    except RunError:
        return None


def _refuse_other_plan(
    stored: "StoredRun", old: "RunRecord | None", from_plan: str | None, path: "Path", runs: str
) -> None:
    """A baseline is its plan's own: the newest run may be of a plan that only reads it.

    Raises:
        UsageError: the run is of another plan than the baseline, or than `from_plan` says.
    """
    from evalrag.cli.prepare import quoted
    from evalrag.cli.verdicts import newest_of, ref_of
    from evalrag.errors import UsageError

    record, ref = stored.record, quoted(ref_of(stored, runs))
    if from_plan is not None and from_plan != record.plan:
        raise UsageError(
            f"run {record.id} is of plan {record.plan!r}, and not of {from_plan!r}",
            hint=f"evalrag show {ref}",
        )
    if old is None or old.plan == record.plan or from_plan is not None:
        return
    elsewhere = "" if runs == RUNS else f" --runs {quoted(runs)}"
    newest = newest_of(old.plan, runs)
    command = f"evalrag run {quoted(old.plan_path or 'PLAN')}"
    if newest is not None:
        command = f'evalrag baseline accept{elsewhere} {quoted(newest)} --reason "..."'
    renamed = f"evalrag baseline accept{elsewhere} {ref} --from-plan {shlex.quote(record.plan)}"
    raise UsageError(
        f"run {record.id} is of plan {record.plan!r}, and the baseline in {path} is of "
        f"{old.plan!r}: accepting it would replace that",
        hint=f'{command}\nnext, if the plan was renamed: {renamed} --reason "..."',
    )


def _rows_wanted(
    stored: "StoredRun", old: "StoredRun | None", wanted: Wanted
) -> "frozenset[str] | None":
    """Ids of the rows to take from the run; None for all.

    Raises:
        UsageError: a row or kind that the run has not, or nothing left to take.
    """
    from evalrag.cli.prepare import quoted
    from evalrag.cli.selecting import selection_of
    from evalrag.cli.verdicts import Against, ref_of, verdict_of
    from evalrag.errors import UsageError
    from evalrag.schema.diff import Change

    if not wanted.some:
        return None
    ref = ref_of(stored)
    selection_of(wanted.kind, (), (), ())
    kinds = {result.id: result.kind.value for result in stored.briefs}
    unknown = [row for row in wanted.row if row not in kinds]
    if unknown:
        raise UsageError(
            f"run {stored.record.id} has no row {', '.join(map(repr, unknown))}",
            hint=f"evalrag show {quoted(ref)}",
        )
    found = {
        row
        for row, kind in kinds.items()
        if (not wanted.row or row in wanted.row) and (not wanted.kind or kind in wanted.kind)
    }
    if wanted.improved:
        if old is None:
            raise UsageError(
                "there is no baseline that rows could have improved on",
                hint=f'evalrag baseline accept {quoted(ref)} --reason "..."',
            )
        better = (Change.FIXED, Change.IMPROVED, Change.RECOVERED)
        verdict = verdict_of(stored, Against(old), ref=ref)
        found &= {change.id for change in verdict.diff.changes if change.change in better}
    if not found:
        raise UsageError(
            "no row of the run is left to accept",
            hint=f"see what moved: evalrag diff {quoted(ref)}",
        )
    return frozenset(found)


def _accept(
    stored: "StoredRun",
    old: "StoredRun | None",
    path: "Path",
    *,
    reason: str,
    by: str | None,
    wanted: Wanted,
    with_traces: bool,
    with_undecided: bool,
) -> str:
    from pathlib import Path

    from evalrag.cli.person import person
    from evalrag.cli.prepare import quoted, today
    from evalrag.cli.secrecy import hide_lines
    from evalrag.errors import RunError
    from evalrag.regression.acceptance_review import (
        changed_scores,
        first_values,
        movements,
        score_moves,
    )
    from evalrag.regression.acceptances import standing
    from evalrag.regression.narrative import counted, names
    from evalrag.reporters.baseline_summary import baseline_summary
    from evalrag.schema.run import Acceptance
    from evalrag.schema.words import Outcome
    from evalrag.stores.baselines import accept as write
    from evalrag.stores.baselines import history, same_as_accepted
    from evalrag.stores.merging import merge

    only = _rows_wanted(stored, old, wanted)
    merged = merge(stored, old, with_undecided=with_undecided, only=only)
    if all(r.outcome is Outcome.ERROR for r in merged.results):
        raise RunError(
            f"every row of run {stored.record.id} errored: as a baseline it would protect nothing",
            hint=f"see why, fix it and run again: evalrag show {quoted(stored.record.id)}",
        )
    past = history(path)
    if same_as_accepted(merged, with_traces=with_traces):
        last_entry = past.history[-1]
        return (
            f"nothing to accept: run {stored.record.id} is what was accepted on {last_entry.day} "
            f"as run {last_entry.run}; {path} was not touched"
        )
    last = {row: r.outcome.value for row, r in merged.before.items()}
    if old is None:  # there is none, or it cannot be believed
        last = {row: outcome for row, (outcome, _) in standing(past).items()}
    moved = movements(merged.results, last or None)
    first = movements(merged.results, past.first or None)
    left_out = set(stored.record.dataset.left_out) & {r.id for r in merged.results}
    partial = bool(left_out) or only is not None
    entry = Acceptance(
        run=stored.record.id,
        day=today(),
        reason=" ".join(reason.split()),
        by=person(by, Path.cwd()),
        rows=len(merged.replaced),
        partial=partial,
        taken=merged.replaced if partial else (),
        kept=() if partial else merged.kept,
        moved={how: tuple(rows) for how, rows in moved.items()},
    )
    metrics, better_low = _gated_metrics(stored)
    last_scores = changed_scores(merged.before, merged.results, metrics)
    accepted = past.model_copy(
        update={
            "history": (*past.history, entry),
            "first": {r.id: r.outcome.value for r in merged.results} | past.first,
            "last_scores": last_scores,
            "first_scores": first_values(past.first_scores, last_scores, merged.results),
        }
    )
    now = {result.id: result.scores for result in merged.results}
    drops = score_moves(last_scores, now, better_low=better_low)
    since_first = score_moves(accepted.first_scores, now, better_low=better_low)
    summary = baseline_summary(
        stored.record.plan,
        entry,
        _changed(merged),
        new=[r.id for r in merged.results if r.id not in merged.before],
        removed=moved.get("removed", ()),
        failing={r.id: r.diagnosis or "" for r in merged.results if r.outcome is Outcome.FAIL},
        scores=drops,
    )
    write(path, merged, accepted, summary=summary, with_traces=with_traces, redact=hide_lines())
    lines = [
        f"accepted run {stored.record.id} as the baseline in {path}: "
        f"{counted(len(merged.results), 'row')}, "
        f"{len(merged.replaced)} of them from this run"
    ]
    if merged.kept:
        lines.append(f"kept as they were, undecided in this run: {names(merged.kept)}")
    for title, found in (("since the last baseline", moved), ("since the first one", first)):
        lines += [f"{title}: {how}: {names(rows)}" for how, rows in found.items()]
    lines += _worse("since the last baseline", drops)
    if len(accepted.history) > 2:
        lines += _worse("since the first one", since_first)
    failing = [r.id for r in merged.results if r.outcome is Outcome.FAIL]
    if failing:
        verb = "fails in it and counts as an accepted failure"
        if len(failing) > 1:
            verb = "fail in it and count as accepted failures"
        lines.append(f"{counted(len(failing), 'row')} {verb}: {names(failing)}")
    errored = [r.id for r in merged.results if r.outcome is Outcome.ERROR]
    if errored:
        lines.append(
            f"{counted(len(errored), 'row')} errored in it: what was not measured protects nothing "
            f"until a run that measures it is accepted: {names(errored)}"
        )
    still_open = [r.id for r in merged.results if r.outcome is Outcome.UNRESOLVED]
    if still_open:
        lines.append(
            f"{counted(len(still_open), 'row')} with an open verdict: gates compare the stages "
            f"that are decided, and not what the judge left open: {names(still_open)}"
        )
    lines += _absolute(stored, set(merged.replaced))
    lines.append(f"next: git add {quoted(path)}")
    return "\n".join(lines)


def _gated_metrics(stored: "StoredRun") -> "tuple[frozenset[str], frozenset[str]]":
    """The metrics that the run's gates look at, and those of them that are better low."""
    from evalrag.regression.measured import measurable
    from evalrag.regression.verdict import installed
    from evalrag.schema.words import Direction

    known = [measurable(gate.metric) for gate in installed(stored.record, ())[0]]
    looked = [one for one in known if one is not None and not one.stage]
    low = frozenset(one.name for one in looked if one.direction is Direction.DOWN)
    return frozenset(one.name for one in looked), low


def _changed(merged: "Merged") -> "list[tuple[RowResult, RowResult]]":
    """The rows whose outcome or answer the acceptance changes, before and after."""
    from evalrag.schema.brief import whole

    replaced, found = set(merged.replaced), []
    for result in merged.results:
        before = merged.before.get(result.id)
        if before is None or result.id not in replaced or before is result:
            continue
        old, new = whole(before), whole(result)
        if old.outcome is not new.outcome or old.answer != new.answer:
            found.append((old, new))
    return found


def _worse(title: str, moves: "list[ScoreMove]") -> "Iterator[str]":
    from evalrag.regression.narrative import counted, names

    for move in moves:
        if move.worse:
            yield (
                f"{title}: {move.metric} is worse on {counted(len(move.worse), 'row')}: "
                f"{names(move.worse)} (mean of the {len(move.rows)} that moved: "
                f"{move.before:.4g} -> {move.after:.4g})"
            )


def _absolute(stored: "StoredRun", taken: "set[str]") -> "Iterator[str]":
    """Accepted failures that a gate without a baseline fails again, and what would waive them."""
    from datetime import date, timedelta

    from evalrag.cli.prepare import today
    from evalrag.cli.verdicts import Against, ref_of, verdict_of
    from evalrag.regression.narrative import names
    from evalrag.reporters.plain import safe
    from evalrag.schema.gate import GateStatus, RowStatus

    until = (date.fromisoformat(today()) + timedelta(days=30)).isoformat()
    # Held against itself nothing dropped, so that what fails still is absolute.
    for gate in verdict_of(stored, Against(stored), ref=ref_of(stored)).gates:
        rows = [row.id for row in gate.named(RowStatus.FAILED) if row.id in taken]
        if gate.status is not GateStatus.FAILED or not rows:
            continue
        yield (
            f"gate {safe(gate.name)} asks the same of every run, whatever was accepted, and fails "
            f"again on {names(rows)}: fix the row, or waive it in the plan for a while:"
        )
        yield "  waivers:"
        for row in rows[:5]:
            yield (
                f"    - {{row: {json.dumps(row)}, gate: {json.dumps(gate.name)}, "
                f'until: {until}, reason: "..."}}'
            )


@app.command()
def show(
    path: Annotated[
        str | None,
        typer.Argument(metavar="[DIR]", help="The baseline's folder; the latest run's by default."),
    ] = None,
    runs: RunsFolder = RUNS,
) -> None:
    """Show what the baseline holds, and every acceptance with its reason."""
    from collections import Counter
    from pathlib import Path

    from evalrag.cli.output import say
    from evalrag.cli.prepare import quoted
    from evalrag.cli.verdicts import open_run, stored_or_raise
    from evalrag.errors import UsageError
    from evalrag.regression.acceptance_review import newest_acceptance, score_moves
    from evalrag.regression.narrative import counted, names
    from evalrag.reporters.plain import safe

    where = path if path is not None else open_run("latest", runs).record.baseline
    if where is None:
        raise UsageError("the plan names no baseline", hint="evalrag baseline show DIR")
    stored = stored_or_raise(Path(where))
    outcomes = Counter(result.outcome.value for result in stored.results)
    record, accepted = stored.record, stored.accepted
    said = [
        f"{safe(record.plan)}: baseline in {where}, from run {record.id} of {record.day}",
        f"{counted(len(stored.results), 'row')}: "
        + ", ".join(f"{n} {o}" for o, n in sorted(outcomes.items())),
        f"judge {record.judge.name if record.judge else 'none'}, "
        f"traces {'kept' if stored.has_traces else 'not kept'}",
        "",
    ]
    for entry in accepted.history:
        part = " (some rows)" if entry.partial else ""
        by = f" by {safe(entry.by)}" if entry.by else ""
        said.append(
            f"{entry.day} run {entry.run}{part}, {counted(entry.rows, 'row')}{by}: "
            f"{safe(entry.reason)}"
        )
        said += [f"    {how}: {', '.join(map(safe, rows))}" for how, rows in entry.moved.items()]
    ids = [result.id for result in stored.results]
    ages: dict[tuple[str, str], list[str]] = {}
    for row, entry in newest_acceptance(accepted, ids).items():
        ages.setdefault((entry.day, entry.run), []).append(row)
    said += ["", "Rows by the acceptance that their results came with:"]
    said += [
        f"  {day} run {run}: {counted(len(rows), 'row')}: {names(rows)}"
        for (day, run), rows in sorted(ages.items())
    ]
    now = {result.id: result.scores for result in stored.results}
    low = _gated_metrics(stored)[1]
    for title, before in (
        ("since the acceptance before", accepted.last_scores),
        ("since the first acceptance", accepted.first_scores),
    ):
        moves = score_moves(before, now, better_low=low)
        said += ["", f"Scores that moved {title}:" + ("" if moves else " none")]
        said += [
            f"  {move.metric}: {move.before:.4g} -> {move.after:.4g}, mean of "
            f"{counted(len(move.rows), 'row')}"
            + (f"; worse on {names(move.worse)}" if move.worse else "")
            for move in moves
        ]
    said.append(f"next: evalrag diff {quoted(where)} latest")
    say("\n".join(said))
