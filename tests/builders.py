"""Rows, traces, runs and verdicts in a line each, for tests over stored runs."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evalrag.judges.build import judge_print
from evalrag.judges.offline import OfflineJudge
from evalrag.judging.measures import JUDGED
from evalrag.regression.default_gates import DEFAULTS
from evalrag.regression.scoring import Scoring, score_attempt, score_row
from evalrag.regression.verdict import Comparison, judge_run
from evalrag.regression.where import about, matches
from evalrag.schema.digest import asked_digest, dataset_digest, row_digest
from evalrag.schema.gate import GateResult
from evalrag.schema.plan import Thresholds
from evalrag.schema.result import Claim, RowResult, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.run import (
    DatasetPrint,
    JudgePrint,
    PipelinePrint,
    Reading,
    RunRecord,
    Selection,
)
from evalrag.schema.trace import Passage, Trace
from evalrag.schema.verdict import Verdict
from evalrag.schema.words import Form, Kind, Label, Split

JUDGE = judge_print(OfflineJudge())
OTHER_JUDGE = JudgePrint(
    name="model/2", digest="other", details={"judge": "model"}, offers=tuple(JUDGED)
)


def row(id: str, kind: str = "happy-path", **fields: Any) -> Row:
    """A golden row whose gold is the chunk `ID-gold`, with the rivals that its kind needs."""
    base: dict[str, Any] = {"id": id, "kind": kind, "question": f"What about {id}?"}
    if kind == "unanswerable":
        base["unanswerable_because"] = "not-in-corpus"
    elif kind == "multi-hop":
        base["gold"] = [f"{id}-gold", f"{id}-gold2"]
    else:
        base["gold"] = [f"{id}-gold"]
    if kind == "stale-policy":
        base["superseded"] = [f"{id}-old"]
    if kind == "near-miss":
        base["near_miss"] = [f"{id}-sibling"]
    return Row.model_validate(base | fields)


def passage(id: str, text: str = "") -> Passage:
    return {"id": id, "doc": id.rsplit("-", 1)[0], "text": text or f"Text of {id}."}


def trace(window: Sequence[str], /, *more: str, answer: str | None = None, **fields: Any) -> Trace:
    """A trace whose candidates are the window and then `more`."""
    candidates = [passage(name) for name in (*window, *more)]
    made: Trace = {"candidates": candidates, "context": candidates[: len(window)]}
    if answer is not None:
        made["answer"] = answer
    made.update(fields)  # type: ignore[typeddict-item]
    return made


def claims(*labels: str, conflict: tuple[int, ...] = ()) -> tuple[Claim, ...]:
    return tuple(
        Claim(id=f"c{n}", text=f"claim {n}", label=Label(label), conflict=conflict)
        for n, label in enumerate(labels, start=1)
    )


def verdicts(
    form: str | None = "ANSWERED",
    *labels: str,
    judge: str = JUDGE.digest,
    by: str | None = "forms/1",
    **fields: Any,
) -> Verdicts:
    """What a judge said: by default that every claim is supported."""
    said = labels or (("SUPPORTED",) if form in (None, "ANSWERED", "QUALIFIED") else ())
    return Verdicts(
        judge=judge,
        form=Form(form) if form else None,
        form_by=by if form else None,
        claims=fields.pop("claims", claims(*said)),
        **fields,
    )


def scoring(generates: bool = True, **fields: Any) -> Scoring:
    base: dict[str, Any] = {
        "reading": Reading(top_k=20, context_k=3),
        "thresholds": Thresholds(),
        "generates": generates,
        "offers": frozenset(JUDGE.offers),
        "judge": JUDGE.name,
    }
    return Scoring(**(base | fields))


def result(
    golden: Row,
    *attempts: tuple[Trace, Verdicts | None],
    how: Scoring | None = None,
) -> RowResult:
    """A scored row from its attempts."""
    using = how or scoring()
    scored = [score_attempt(golden, seen, said, using) for seen, said in attempts]
    return score_row(golden, scored, digest=row_digest(golden), asked=asked_digest(golden))


def good(golden: Row, *, generates: bool = True) -> tuple[Trace, Verdicts | None]:
    """An attempt at which everything is right: gold first, then the rivals that the row has."""
    rivals = [
        leaf.chunk or ""
        for evidence in (*golden.superseded, *golden.near_miss)
        for leaf in evidence.leaves()
    ]
    gold = [leaf.chunk or "" for evidence in golden.gold for leaf in evidence.leaves()]
    answer = "An answer." if golden.answerable else "I do not have information about that."
    seen = trace([*gold, *rivals][:3], "x-1", "x-2", answer=answer if generates else None)
    if not generates:
        return seen, None
    return seen, verdicts("ANSWERED" if golden.answerable else "DECLINED")


def record(rows: Sequence[Row], *, chosen: Sequence[Row] | None = None, **fields: Any) -> RunRecord:
    """The head of a run over `rows`, of which `chosen` were run."""
    ran = {golden.id for golden in (chosen if chosen is not None else rows)}
    kinds: dict[str, int] = {}
    for golden in rows:
        kinds[golden.kind.value] = kinds.get(golden.kind.value, 0) + 1
    gates = fields.get("gates")
    looked = gates if gates is not None else tuple(default.gate for default in DEFAULTS)
    stored = [Facts(golden.id, golden.kind, about(golden)) for golden in rows]
    base: dict[str, Any] = {
        "id": "0002",
        "day": "2026-11-30",
        "tool": "0",
        "scoring": 1,
        "plan": "plan",
        "plan_digest": "p",
        "dataset": DatasetPrint(
            path="golden.jsonl",
            digest=dataset_digest(map(row_digest, rows)),
            rows=len(rows),
            kinds=kinds,
            labels=dict(Counter(label for golden in rows for label in golden.labels)),
            holdout=tuple(g.id for g in rows if g.split is Split.HOLDOUT),
            left_out=tuple(g.id for g in rows if g.id not in ran),
            gate_rows={g.name: sum(matches(g.where, fact) for fact in stored) for g in looked},
        ),
        "pipeline": pipeline(),
        "generates": True,
        "judge": JUDGE,
        "reading": Reading(top_k=20, context_k=3),
        "selection": Selection(),
    }
    return RunRecord.model_validate(base | fields)


class Facts(NamedTuple):
    """What of a golden row a gate can name."""

    id: str
    kind: Kind
    about: Mapping[str, Any]


def pipeline(**parts: str) -> PipelinePrint:
    base = dict.fromkeys(("window", "index", "prompt", "model", "other"), "same")
    return PipelinePrint(**(base | parts), digest="".join(parts.values()) or "same")


Run = tuple[RunRecord, Sequence[RowResult]]


def run(rows: Sequence[Row], results: Sequence[RowResult], **fields: Any) -> Run:
    return record(rows, **fields), results


def good_run(rows: Sequence[Row], **fields: Any) -> Run:
    """A run in which every row is right."""
    generates = fields.get("generates", True)
    how = scoring(generates)
    results = [result(golden, good(golden, generates=generates), how=how) for golden in rows]
    return run(rows, results, **({"id": "0001"} | fields))


def changed(base: Run, rows: Sequence[Row], **attempts: Any) -> list[RowResult]:
    """The results of `base` with some rows scored anew, by id (`-` written as `_`)."""
    by_id = {golden.id: golden for golden in rows}
    found = []
    for old in base[1]:
        new = attempts.get(old.id.replace("-", "_"))
        if new is None:
            found.append(old)
        else:
            several = new if isinstance(new, list) else [new]
            found.append(result(by_id[old.id], *several))
    return found


def decide(now: Run, before: Run | None = None, **comparison: Any) -> Verdict:
    """The verdict of a run against another."""
    return judge_run(now, Comparison(baseline=before, **comparison), ref="0002")


def gate_of(verdict: Verdict, name: str) -> GateResult:
    return next(gate for gate in verdict.gates if gate.name == name)


def failed_gates(verdict: Verdict) -> list[str]:
    return [gate.name for gate in verdict.gates if gate.status.value == "failed"]


def named(verdict: Verdict, gate: str, status: str = "failed") -> list[str]:
    return [entry.id for entry in gate_of(verdict, gate).rows if entry.status.value == status]


def as_mapping(rows: Sequence[Row]) -> Mapping[str, tuple[str, str]]:
    return {golden.id: (row_digest(golden), asked_digest(golden)) for golden in rows}


def judged(golden: Row, seen: Trace) -> Verdicts:
    """What the offline judge really says of a trace."""
    from evalrag.judges.ask import judge_row

    context = [p.get("text", "") for p in seen["context"]]
    return asyncio.run(
        judge_row(OfflineJudge(), golden, context=context, answer=seen.get("answer"))
    )
