"""The exit code of a finished run: the first that holds, and what to type next (SPEC 9)."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evalrag.regression.narrative import counted, names
from evalrag.regression.settling import settled_by
from evalrag.regression.to_read import fails_relabelled, first_to_read, to_read
from evalrag.schema.brief import Result
from evalrag.schema.diff import Change, RunDiff
from evalrag.schema.gate import GateResult, GateRow, GateStatus, RowStatus
from evalrag.schema.run import RunRecord
from evalrag.schema.verdict import ExitCode
from evalrag.schema.words import Outcome


@dataclass(frozen=True, slots=True)
class Ending:
    """What the exit code is decided by."""

    record: RunRecord
    ref: str
    """The run as a command names it."""
    gates: Sequence[GateResult]
    diff: RunDiff
    errored: Sequence[str]
    """Errored rows that neither quarantine nor `allow_errors` takes out of the run."""
    scored: bool
    comparable: bool
    """Some row of the baseline asks what a row of this run asks."""
    relative: bool
    has_baseline: bool
    why_none: str
    unheld: Sequence[str] = ()
    """Rows that broke and that no gate looks at."""
    other_judge: bool = False
    """Judged metrics are not compared, since another judge judged the baseline."""
    results: Sequence[Result] = ()
    """The run's rows, to say what of an undecided one a person could settle."""


@dataclass(frozen=True, slots=True)
class Exit:
    code: ExitCode
    reasons: tuple[str, ...]
    next: tuple[str, ...]


def decide_exit(ending: Ending) -> Exit:
    """Failed before no baseline before undecided before passed; no input is wrong here any more."""
    run = quoted(ending.ref)
    failed = [gate.name for gate in ending.gates if gate.status is GateStatus.FAILED]
    eased = ending.record.fail_on_loosened and ending.diff.loosened
    if failed or eased:
        reasons = [f"gate failed: {name}" for name in failed]
        if eased:
            reasons.append("something was loosened, and the plan says fail_on_loosened")
        worst = first_to_read(ending.diff, ending.gates)
        if worst is None:
            worst = next((change.id for change in fails_relabelled(ending.diff)), None)
        command = f"evalrag show {run} {quoted(worst)}" if worst else f"evalrag show {run}"
        if worst is None and any(c.change is Change.REMOVED for c in ending.diff.changes):
            command = f"evalrag diff {run}"  # what failed may be no more, and cannot be shown
        return Exit(ExitCode.FAILED, tuple(reasons), (command,))
    accept = f'evalrag baseline accept {run} --reason "..."'
    if ending.relative and not ending.has_baseline:
        if ending.errored:  # accepted as they are, they would protect nothing
            show = f"evalrag show {run} {quoted(ending.errored[0])}"
            then = (show, accept) if ending.scored else (show,)
            return Exit(ExitCode.NO_BASELINE, (ending.why_none, _errored(ending)), then)
        listed = to_read(ending.diff, ending.gates)
        first = [f"evalrag show {run} {quoted(part.rows[0].change.id)}" for part in listed[:1]]
        return Exit(ExitCode.NO_BASELINE, (ending.why_none,), (*first, accept))
    if ending.relative and not ending.comparable:
        why = "no row of the baseline asks what a row of this run asks"
        return Exit(ExitCode.NO_BASELINE, (why,), (accept,))
    reasons = list(_undecided(ending))
    if reasons:
        return Exit(ExitCode.UNDECIDED, tuple(reasons), tuple(_settle(ending)))
    return _passed(ending)


def _passed(ending: Ending) -> Exit:
    run, said = quoted(ending.ref), ["every gate passed"]
    unresolved = [result.id for result in ending.results if result.outcome is Outcome.UNRESOLVED]
    if unresolved:
        more = f"{counted(len(unresolved), 'row')} unresolved, which no gate waits for"
        said.append(f"{more}: {names(unresolved)}")
    relabelled = [change.id for change in fails_relabelled(ending.diff)]
    if ending.unheld:
        said.append(f"{counted(len(ending.unheld), 'row')} broke that no gate holds")
    if relabelled:
        verb = "fails under its" if len(relabelled) == 1 else "fail under their"
        rows = f"{counted(len(relabelled), 'row')} {verb} new labels"
        said.append(f"{rows}, which no gate sees: {names(relabelled)}")
    if ending.unheld or relabelled:
        worst = quoted([*ending.unheld, *relabelled][0])
        return Exit(ExitCode.PASSED, tuple(said), (f"evalrag show {run} {worst}",))
    better = (Change.FIXED, Change.IMPROVED, Change.RECOVERED, Change.NEW, Change.RELABELLED)
    if any(change.change in better for change in ending.diff.changes) and ending.has_baseline:
        return Exit(
            ExitCode.PASSED, tuple(said), (f'evalrag baseline accept {run} --reason "..."',)
        )
    return Exit(ExitCode.PASSED, tuple(said), (f"evalrag show {run}",))


def _undecided(ending: Ending) -> Iterator[str]:
    for gate in ending.gates:
        if gate.status is GateStatus.UNDECIDED:
            rows = names(row.id for row in gate.named(RowStatus.UNDECIDED))
            yield f"gate undecided: {gate.name} ({rows or gate.message})"
    if ending.errored:
        yield _errored(ending)
    if not ending.scored:
        yield "nothing was scored"
    decided = [g for g in ending.gates if g.status is not GateStatus.NOT_EVALUATED]
    if not decided:
        yield "nothing was gated"


def _errored(ending: Ending) -> str:
    return f"{counted(len(ending.errored), 'row')} errored: {names(ending.errored)}"


def _settle(ending: Ending) -> Iterator[str]:
    run = quoted(ending.ref)
    if ending.errored:
        yield f"evalrag show {run} {quoted(ending.errored[0])}"
        return
    if ending.other_judge:
        yield f"evalrag rescore {quoted(ending.record.baseline or 'BASELINE')}"
        return
    gone = {change.id for change in ending.diff.changes if change.change is Change.REMOVED}
    for gate in ending.gates:
        rows = [row for row in gate.named(RowStatus.UNDECIDED) if row.id not in gone]
        if gate.status is GateStatus.UNDECIDED and rows:
            row, options = _for_people(rows, gate.metric, ending.results)
            yield f"evalrag show {run} {quoted(row)}"
            if options is not None:
                yield decide_command(run, row, options)
            if any("edited" in row.why for row in rows):
                yield f'evalrag baseline accept {run} --reason "..."'
            return
    yield f"evalrag diff {run}" if ending.has_baseline else f"evalrag show {run}"


def _for_people(
    rows: Sequence[GateRow], metric: str, results: Sequence[Result]
) -> tuple[str, str | None]:
    """The first row that a person could settle, with how; the first one where there is none."""
    by_id = {result.id: result for result in results}
    for row in rows:
        options = settled_by(by_id[row.id], metric) if row.id in by_id else None
        if options is not None:
            return row.id, options
    return rows[0].id, None


def decide_command(run: str, row: str, options: str) -> str:
    """How a person decides; behind `--`, which ends the options, nothing but the row can stand."""
    words = [quoted(row), options, '--reason "..."']
    if row.startswith("-"):
        words = [*words[1:], words[0]]
    return f"evalrag judge decide {run} {' '.join(words)}"


def quoted(word: str | None) -> str:
    """A row id, or a path, as a shell takes it; `--` ends the options before a leading dash."""
    if word is None:
        return ""
    return f"-- {shlex.quote(word)}" if word.startswith("-") else shlex.quote(word)
