"""One place to look: from the stage that moved most, the failed gates, and the key that changed.

In this order, and never by counting diagnoses over all stages: a change far up the pipeline breaks
every stage behind it, and the commonest diagnosis is that of the last one.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from evalrag.judging.measures import JUDGED
from evalrag.metrics.table import MEASURES
from evalrag.regression.catalogue import CATALOGUE, POINTS
from evalrag.regression.comparable import Pair
from evalrag.regression.conditions import moved_by_reranker
from evalrag.regression.pipeline_changes import Changed
from evalrag.schema.brief import whole
from evalrag.schema.diff import BROKEN, Look, Part, RowChange
from evalrag.schema.gate import GateResult, RowStatus
from evalrag.schema.result import RowResult
from evalrag.schema.words import Outcome, Stage

_ORDER = {stage: place for place, stage in enumerate(Stage)}
_REACH: Mapping[Part, Stage] = {
    Part.REWRITER: Stage.REWRITE,
    Part.TOP_K: Stage.RETRIEVAL,
    Part.INDEX: Stage.RETRIEVAL,
    Part.HYGIENE: Stage.RETRIEVAL,
    Part.RERANKER: Stage.RANKING,
    Part.WINDOW: Stage.RANKING,
    Part.PROMPT: Stage.GENERATION,
    Part.MODEL: Stage.GENERATION,
}
"""The first stage that a part can break."""
OF_CODE: Mapping[str, Part] = {
    "missing-content": Part.INDEX,
    "two-problems": Part.INDEX,
    "rewrite": Part.REWRITER,
    "stale-source": Part.HYGIENE,
    "wrong-sibling": Part.RERANKER,
    "split-evidence": Part.INDEX,
    "truncated": Part.WINDOW,
    "ranked-out": Part.RERANKER,
    "not-retrieved": Part.INDEX,
    "conflicting-sources": Part.HYGIENE,
    "lost-in-the-middle": Part.WINDOW,
    "noisy-context": Part.RERANKER,
    "no-answer": Part.MODEL,
    "forbidden-source": Part.PERMISSIONS,
    "label-or-corpus": Part.LABELS,
    "judge-failed": Part.JUDGE,
    "open-verdict": Part.JUDGE,
}
"""Where nothing is known to have changed; of the others it is the prompt."""
_OF_CONTEXT = ("conflicting-sources", "lost-in-the-middle", "noisy-context")
"""Faults of what the model was given: where that is as it was, the fault is another's."""
_OF_STAGE: Mapping[Stage, Part] = {
    Stage.REWRITE: Part.REWRITER,
    Stage.RETRIEVAL: Part.INDEX,
    Stage.RANKING: Part.RERANKER,
}
_READ = 200
"""Rows whose passages are read to tell two parts apart."""


def first_look(
    changes: Sequence[RowChange],
    pairs: Sequence[Pair],
    gates: Sequence[GateResult],
    changed: Sequence[Changed],
) -> Look | None:
    """Where to look first; None where nothing broke and no gate failed on a row.

    Args:
        changes: the row changes.
        pairs: the same rows, with what both runs stored of them.
        gates: as decided.
        changed: what is known to have changed in the pipeline.
    """
    by_id = {pair.id: pair for pair in pairs}
    stages = _broken(changes) or _held(gates, by_id)
    if not stages:
        return None
    stage = _most(stages, gates, changed)
    rows = [by_id[row] for row in stages[stage] if row in by_id]
    code = _code(stage, rows) or _by_metric(stage, gates)
    seen = _Rows(rows[:_READ])
    part, key = _part(stage, code, seen, changed)
    return Look(
        part=part,
        stage=stage,
        rows=len(stages[stage]),
        of=sum(map(len, stages.values())),
        code=code,
        key=key,
    )


def _broken(changes: Sequence[RowChange]) -> dict[Stage, list[str]]:
    """The rows that broke, each under the first of its stages that did."""
    found: dict[Stage, list[str]] = {}
    for row in changes:
        if row.change not in BROKEN:
            continue
        failing = [stage for stage, (_, after) in row.outcomes.items() if after is Outcome.FAIL]
        if failing:
            found.setdefault(min(failing, key=_ORDER.__getitem__), []).append(row.id)
    return found


def _held(gates: Sequence[GateResult], pairs: Mapping[str, Pair]) -> dict[Stage, list[str]]:
    """Where no row broke: rows that a gate fails, under the stage that its metric is of."""
    found: dict[Stage, list[str]] = {}
    done: set[str] = set()
    for gate in gates:
        for row in gate.named(RowStatus.FAILED):
            stage = stage_of(gate.metric) or _first_failing(pairs.get(row.id))
            if gate.metric in _RECALL and stage is None:
                stage = Stage.RANKING
            if stage is not None and row.id not in done:
                done.add(row.id)
                found.setdefault(stage, []).append(row.id)
    return found


def _first_failing(pair: Pair | None) -> Stage | None:
    if pair is None or pair.new is None:
        return None
    return next((s for s in Stage if pair.new.stages.get(s) is Outcome.FAIL), None)


_FETCHING = ("candidate_recall", "first_relevant_rank", "reciprocal_rank", "forbidden_retrieved")


_RECALL = ("context_recall", "evidence_coverage", "hit", "ndcg")
"""Of retrieval and ranking together."""


def stage_of(metric: str) -> Stage | None:
    """The stage that a metric measures; None of one that several of them make."""
    if metric.startswith("stage."):
        return Stage(metric.removeprefix("stage."))
    if metric in _FETCHING:
        return Stage.RETRIEVAL
    if metric in MEASURES:
        return None if metric in _RECALL else Stage.RANKING
    return JUDGED[metric].stage if metric in JUDGED else None


def _most(
    stages: Mapping[Stage, Collection[str]],
    gates: Sequence[GateResult],
    changed: Sequence[Changed],
) -> Stage:
    """Most rows; then most rows of failed gates; then where a key changed; then the first."""
    failed: Counter[Stage | None] = Counter()
    for gate in gates:
        failed[stage_of(gate.metric)] += len(gate.named(RowStatus.FAILED))
    reached = {_REACH[one.part] for one in changed if one.part is not None}
    return max(
        stages,
        key=lambda stage: (
            len(stages[stage]),
            failed[stage],
            stage in reached,
            -_ORDER[stage],
        ),
    )


def _code(stage: Stage, rows: Sequence[Pair]) -> str | None:
    """The commonest diagnosis of this stage, on rows that broke in it; without one, of any."""
    found: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for pair in rows:
        codes = [one.code for one in pair.new.diagnoses] if pair.new is not None else []
        own = [code for code in codes if code in CATALOGUE and CATALOGUE[code].stage is stage]
        found.update(own[:1])
        others.update(codes[:1])
    counted = found or others
    order = {code: place for place, code in enumerate(CATALOGUE)}
    return min(counted, key=lambda c: (-counted[c], order.get(c, len(order))), default=None)


def _by_metric(stage: Stage, gates: Sequence[GateResult]) -> str | None:
    """Of rows that pass: the diagnosis that the metric of a failed gate would lead to."""
    failed = (g for g in gates if g.named(RowStatus.FAILED) and stage_of(g.metric) is stage)
    return next(filter(None, (POINTS.get(gate.metric) for gate in failed)), None)


class _Rows:
    """What the rows in question show of why they broke."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.rows: list[tuple[RowResult | None, RowResult]] = [
            (whole(pair.old) if pair.old is not None else None, whole(pair.new))
            for pair in pairs
            if pair.new is not None
        ]

    def mostly(self, held: Iterator[bool]) -> bool:
        """On more than half of them."""
        return sum(held) * 2 > len(self.rows)

    def context_changed(self) -> bool:
        """The model was given other passages, in any of the rows."""
        return any(old is None or _window(old) != _window(new) for old, new in self.rows)

    def cut_by_top_k(self) -> bool:
        """What is not retrieved stood further down than the candidates now go."""
        return self.mostly(
            old is not None
            and any(
                was.get("rank", 0) > sum(place.rank is not None for place in new.places())
                for was, now in zip(old.evidence, new.evidence, strict=False)
                if not now["candidates"]
            )
            for old, new in self.rows
        )

    def cut_by_window(self) -> bool:
        """What the model did not see stands where its window went before."""
        return self.mostly(
            old is not None
            and any(
                not now["context"] and now.get("rank", 0) in range(1, len(_window(old)) + 1)
                for now in new.evidence
            )
            for old, new in self.rows
        )

    def moved_by_reranker(self) -> bool:
        return self.mostly(
            any(moved_by_reranker(s, len(_window(new))) for s in new.evidence if not s["context"])
            for _, new in self.rows
        )

    def reranked_anew(self) -> bool:
        """The pipeline says what it reranked, and did not before."""
        return self.mostly(
            any("reranked" in s for s in new.evidence)
            and old is not None
            and not any("reranked" in s for s in old.evidence)
            for old, new in self.rows
        )

    def nearly(self) -> bool:
        """What is not retrieved is there in another writing."""
        return self.mostly(any("nearly" in s for s in new.evidence) for _, new in self.rows)


def _window(row: RowResult) -> list[str]:
    """The names of what the model was given, in order."""
    places = [place for place in row.places() if place.window is not None]
    return [place.name for place in sorted(places, key=lambda place: place.window or 0)]


def _part(
    stage: Stage, code: str | None, rows: _Rows, changed: Sequence[Changed]
) -> tuple[Part, str | None]:
    keys = {one.part: one.key for one in reversed(changed) if one.part is not None}
    for part in _suspects(stage, code, rows, keys):
        if part in keys:
            return part, keys[part]
        if part is Part.RERANKER and rows.reranked_anew():
            return part, None
        if part is Part.INDEX and Part.HYGIENE in keys and stage is Stage.RETRIEVAL:
            return part, keys[Part.HYGIENE]
        if part is Part.HYGIENE and Part.INDEX in keys:
            return part, keys[Part.INDEX]
    if stage is Stage.RETRIEVAL and rows.nearly():
        return Part.LABELS, None
    if stage is Stage.RANKING and rows.moved_by_reranker():
        return Part.RERANKER, None
    if code in _OF_CONTEXT and not rows.context_changed():
        return Part.PROMPT, None
    if code is not None and code in OF_CODE:
        return OF_CODE[code], None
    return _OF_STAGE.get(stage, Part.PROMPT), None


def _suspects(
    stage: Stage, code: str | None, rows: _Rows, keys: Collection[Part]
) -> Iterator[Part]:
    """The parts whose change would break this stage, the likeliest first."""
    if stage is Stage.REWRITE:
        yield Part.REWRITER
    elif stage is Stage.RETRIEVAL:
        if code == "forbidden-source" or (code == "not-retrieved" and rows.nearly()):
            return
        if rows.cut_by_top_k():
            yield Part.TOP_K
        if code == "rewrite" or Part.INDEX not in keys:
            yield Part.REWRITER
        yield from (Part.INDEX, Part.HYGIENE, Part.TOP_K, Part.RERANKER)
    elif stage is Stage.RANKING:
        if rows.cut_by_window():
            yield Part.WINDOW
        yield Part.RERANKER
        if code == "stale-source":
            yield Part.HYGIENE
        yield from (Part.INDEX, Part.HYGIENE, Part.WINDOW, Part.REWRITER, Part.TOP_K)
    else:
        if code == "label-or-corpus":
            return
        yield from (Part.PROMPT, Part.MODEL)
        if rows.context_changed():
            yield from (Part.WINDOW, Part.RERANKER)
            yield from (Part.HYGIENE, Part.INDEX) if code == "stale-source" else (Part.INDEX,)
            yield from (Part.HYGIENE, Part.TOP_K, Part.REWRITER)
