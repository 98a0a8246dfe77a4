"""The end of the way: gates, diff and exit code of a run, from stored data alone."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evalrag.evidence.validity import marks_old
from evalrag.judging.decided import Decisions
from evalrag.regression.acceptances import fails_as_accepted
from evalrag.regression.cells import reading_table
from evalrag.regression.comparable import Pair, Traces, pair_runs
from evalrag.regression.compare import compare
from evalrag.regression.default_gates import Held, default_gates, default_names
from evalrag.regression.exits import Ending, decide_exit
from evalrag.regression.gates import GateSettings, evaluate
from evalrag.regression.head import (
    background,
    fails_quietly,
    head,
    too_many_unresolved,
    unheld,
)
from evalrag.regression.loosened import loosened
from evalrag.regression.means import counts_by, means, metric_names
from evalrag.regression.measured import Costs
from evalrag.regression.probed import probe_counts
from evalrag.regression.scoring import NEEDED, Scoring
from evalrag.regression.turns import by_turn
from evalrag.regression.unjudged import unjudged_of
from evalrag.schema.brief import Result
from evalrag.schema.diff import Relation
from evalrag.schema.gate import Gate, Missing
from evalrag.schema.row import Row
from evalrag.schema.run import Accepted, RunRecord
from evalrag.schema.trace import Trace
from evalrag.schema.verdict import Verdict
from evalrag.schema.words import Outcome

RunData = tuple[RunRecord, Sequence[Result]]


def _no_traces(row: str) -> Sequence[Trace] | None:
    return None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a run is held against, and what is at hand to score the baseline again."""

    baseline: RunData | None = None
    why_none: str = "there is no baseline"
    """Said where `baseline` is None."""
    wanted: bool = True
    """False under `--no-baseline`: relative rules are left out, and listed."""
    traces: Traces = _no_traces
    rows: Mapping[str, Row] = field(default_factory=dict)
    digests: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    holdout_runs: int = 0
    """Finished runs kept here, this one included, in which the holdout rows were asked for."""
    read: Sequence[str] = ()
    """Notes on the files that are read beside the run."""
    accepted: Accepted | None = None
    """How the baseline came to be; None where it is another run."""


def judge_run(
    run: RunData,
    comparison: Comparison,
    *,
    ref: str,
    costs: Mapping[str, Costs] | None = None,
) -> Verdict:
    """Decide a finished run. Pure: the same stored data give the same verdict.

    `ref` is the run as a command names it, for what to type next.
    """
    record, results = run
    old = comparison.baseline if comparison.wanted else None
    pairs = pair_runs(
        old,
        run,
        rows=comparison.rows,
        traces=comparison.traces,
        scoring=scoring_of(record, old[0] if old else None),
        digests=comparison.digests,
        decisions=Decisions(record.decisions),
    )
    gates, missing = installed(record, pairs, old[0] if old else None)
    before = installed(old[0], pairs)[0] if old else ()
    left_out = _relative_parts(gates) if not comparison.wanted else ()
    if not comparison.wanted:
        gates = tuple(filter(None, map(_absolute_part, gates)))
    errored = tuple(result.id for result in results if is_errored(result))
    outside = outside_gates(record, errored)
    settings = _settings(record, comparison, outside, costs)
    decided = tuple(evaluate(gate, pairs, settings) for gate in gates)
    eased = (
        loosened(old[0], record, old_gates=before, new_gates=gates, pairs=pairs, day=record.day)
        if old
        else ()
    )
    table = means(pairs, metric_names(results))
    diff = compare(
        old[0] if old else None,
        record,
        pairs,
        means=table,
        gates=decided,
        loosened=eased,
        read=comparison.read,
    )
    loose = unheld(diff, decided)
    ending = decide_exit(
        Ending(
            record=record,
            ref=ref,
            gates=decided,
            diff=diff,
            errored=tuple(row for row in errored if row not in outside),
            scored=any(result.scores for result in results),
            comparable=record.selection.partial or _comparable(pairs),
            relative=any(gate.relative for gate in gates)
            or (record.fail_on_loosened and comparison.wanted),
            has_baseline=old is not None,
            why_none=comparison.why_none,
            unheld=loose,
            other_judge=any("hard_fail" in pair.incomparable for pair in pairs),
            results=results,
        )
    )
    kinds, stages = counts_by(results)
    unjudged, answers = unjudged_of(results)
    return Verdict(
        exit_code=ending.code,
        run=record.id,
        baseline=old[0].id if old else None,
        reasons=ending.reasons,
        next=ending.next,
        head=tuple(
            head(
                record,
                results,
                diff,
                missing=missing,
                left_out=left_out,
                holdout_runs=comparison.holdout_runs,
                unheld=loose,
                quiet=fails_quietly(diff, decided),
            )
        ),
        background=(
            *_accepted_failures(comparison, old, results),
            *background(record, results, missing),
        ),
        hidden_means=("faithfulness",) if too_many_unresolved(results) else (),
        gates=decided,
        missing_gates=missing,
        means=table,
        outcomes={kind: dict(counts) for kind, counts in kinds.items()},
        stages={stage: dict(counts) for stage, counts in stages.items()},
        cells=reading_table(results, generates=record.generates, thresholds=record.thresholds),
        diagnoses=_by_code((c.id, c.diagnosis_after) for c in diff.changes if c.diagnosis_after),
        warnings=_by_code((c.id, code) for c in diff.changes if c.warnings for code in c.warnings),
        errored=errored,
        unresolved=tuple(r.id for r in results if r.outcome is Outcome.UNRESOLVED),
        flaky=tuple(r.id for r in results if r.flaky),
        answers=answers,
        unjudged=unjudged,
        probes=probe_counts(results),
        turns=by_turn(results),
        diff=diff,
    )


def _accepted_failures(
    comparison: Comparison, old: RunData | None, results: Sequence[Result]
) -> Iterable[str]:
    if old is None or comparison.accepted is None:
        return ()
    return fails_as_accepted(comparison.accepted, old[1], results)


def installed(
    record: RunRecord, pairs: Sequence[Pair], old: RunRecord | None = None
) -> tuple[tuple[Gate, ...], tuple[Missing, ...]]:
    """The gates of a run: those that its plan wrote, and the defaults that can look at a row."""
    named = default_names(record.gates)
    if not named:
        return record.gates or (), ()
    kinds = Counter(record.dataset.kinds)
    kinds.update([pair.old.kind._value_ for pair in pairs if pair.old is not None])
    defaults, missing = default_gates(
        Held(
            kinds,
            Counter(record.dataset.labels) | Counter(old.dataset.labels if old else {}),
            generates=record.generates,
            offers=record.judge.offers if record.judge else (),
            judge=record.judge.name if record.judge else "no judge",
            kept=None if record.metrics is None else {*record.metrics, *NEEDED},
            outdated=marks_old(record.reading),
        )
    )
    if record.gates is None:
        return defaults, missing
    looking = {gate.name: gate for gate in defaults}
    gates = [looking.get(g.name) if g.name in named else g for g in record.gates]
    return tuple(gate for gate in gates if gate is not None), missing


def scoring_of(record: RunRecord, old: RunRecord | None) -> Scoring:
    """How a baseline is scored again: today's settings, over the window that it had."""
    reading = record.reading
    if old is not None:
        own = {name: getattr(old.reading, name) for name in _OWN_READING}
        reading = reading.model_copy(update=own)
    return Scoring(
        reading=reading,
        thresholds=record.thresholds,
        generates=old.generates if old is not None else record.generates,
        offers=frozenset(record.judge.offers) if record.judge else frozenset(),
        judge=record.judge.name if record.judge else "no judge",
    )


_OWN_READING = ("top_k", "context_k", "context_chars", "day")


def is_errored(result: Result) -> bool:
    """Some part of the row could not be measured."""
    return result.outcome is Outcome.ERROR or Outcome.ERROR in result.stages.values()


def outside_gates(record: RunRecord, errored: Sequence[str]) -> dict[str, str]:
    """Rows that stand outside every gate, and why: in quarantine, or an error that is allowed."""
    rows = {
        entry.row: f"in quarantine until {entry.until} ({entry.owner}): {entry.reason}"
        for entry in record.quarantine
        if entry.until >= record.day
    }
    loud = [row for row in errored if row not in rows]
    if 0 < len(loud) <= record.allow_errors:
        rows |= dict.fromkeys(loud, "errored, which run.allow_errors allows")
    return rows


def _settings(
    record: RunRecord,
    comparison: Comparison,
    outside: Mapping[str, str],
    costs: Mapping[str, Costs] | None,
) -> GateSettings:
    return GateSettings(
        baseline=comparison.baseline is not None and comparison.wanted,
        partial=record.selection.partial,
        dataset_rows=record.dataset.gate_rows,
        defaults=default_names(record.gates),
        waived={
            (waiver.row, waiver.gate): f"waived until {waiver.until}: {waiver.reason}"
            for waiver in record.waivers
            if waiver.until >= record.day
        },
        outside=outside,
        retired=frozenset(entry.row for entry in record.retired),
        costs=costs or {},
    )


def _relative_parts(gates: Iterable[Gate]) -> tuple[str, ...]:
    return tuple(gate.name for gate in gates if gate.relative)


def _absolute_part(gate: Gate) -> Gate | None:
    rules = tuple(rule for rule in gate.must if not rule.relative)
    return gate.model_copy(update={"must": rules}) if rules else None


def _comparable(pairs: Sequence[Pair]) -> bool:
    return any(pair.relation in _COMPARED for pair in pairs)


_COMPARED = (Relation.SAME, Relation.RELABELLED, Relation.RENAMED)


def _by_code(found: Iterable[tuple[str, str | None]]) -> dict[str, tuple[str, ...]]:
    rows: dict[str, list[str]] = {}
    for row, code in found:
        if code is not None:
            rows.setdefault(code, []).append(row)
    return {code: tuple(ids) for code, ids in sorted(rows.items(), key=lambda i: -len(i[1]))}
