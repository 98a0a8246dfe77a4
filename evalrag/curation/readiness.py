"""What would bite in a plan, seen before anything runs."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from evalrag.curation.answers import tried
from evalrag.evidence.absent import why_absent
from evalrag.evidence.assess import assess
from evalrag.evidence.corpus import matches
from evalrag.evidence.match import leaf_of
from evalrag.evidence.nearest import seems_edited
from evalrag.judging.answer_checks import has_checks
from evalrag.judging.facts import facts_of
from evalrag.judging.measures import FREE, JUDGED
from evalrag.metrics.table import MEASURES
from evalrag.regression.default_gates import DEFAULTS, default_names
from evalrag.regression.ended import ended
from evalrag.regression.narrative import names
from evalrag.schema.evidence import Evidence
from evalrag.schema.gate import Gate, Missing
from evalrag.schema.plan import Plan
from evalrag.schema.row import Row
from evalrag.schema.run import Reading, RunRecord
from evalrag.schema.trace import Passage
from evalrag.schema.words import Kind, Probe


@dataclass(frozen=True, slots=True)
class Readiness:
    """Errors are of single rows, which will error; warnings are for a person to weigh."""

    errors: tuple[str, ...]
    warnings: tuple[str, ...]


def readiness(
    plan: Plan,
    rows: Sequence[Row],
    *,
    record: RunRecord,
    gates: Sequence[Gate],
    missing: Sequence[Missing],
    corpus: Sequence[Passage] | None,
    reading: Reading,
    texts_alone: bool,
    offers: frozenset[str],
    at: Callable[[str], str],
    unwatched: Sequence[str] = (),
    rules: bool = False,
) -> Readiness:
    """Weigh a plan that loaded and resolved; `corpus` is None where it is not known.

    `at` says of a row where it stands: `golden.jsonl:7`. `unwatched` are files that its code
    imports and its `pipeline.watch` does not cover. `rules`: the judge works by rules.
    """
    errors: list[str] = []
    warnings = [
        *_left_out(plan),
        *_gates(gates, missing, record, offers),
        *ended(record),
        *_window(plan, rows, told=plan.pipeline.use is not None),
        *_probes(plan, rows, corpus=corpus is not None, offers=offers),
    ]
    warnings += _limits(plan)
    warnings += _assumed(plan)
    warnings += _superseded(plan, rows, corpus or (), reading)
    if unwatched:
        warnings.append(_unseen(plan, unwatched))
    if texts_alone:
        chunked = [row.id for row in rows if _by_chunk(row.gold)]
        if chunked:
            warnings.append(
                "the retriever returns texts, which carry no ids, and gold is given by chunk id "
                f"on {names(chunked)}: return dicts with ids, or give quotes"
            )
    unseen = [row.id for row in rows if row.answerable and not row.gold]
    if unseen:
        blind = [gate.name for gate in gates if gate.metric in MEASURES]
        warnings.append(
            f"rows without gold evidence ({names(unseen)}) are not looked at by "
            f"{', '.join(map(repr, blind)) or 'any gate on retrieval'}"
        )
    if corpus is None:
        warnings.append(
            "no corpus is known, so whether the evidence exists was not checked; "
            "add corpus: {path: ...} to the plan"
        )
    else:
        rivals = plan.corpus.path is not None
        warnings += [
            f"{at(row)}: {row}: {why}"
            for row, why in _missing(rows, corpus, reading, rivals=rivals)
        ]
        errors += [f"{at(row.id)}: {row.id}: {why}" for row, why in _clashes(rows, corpus, reading)]
    if record.generates:
        decides = "answer_correctness" in offers
        answers = tried(rows, corpus, reading, rules=rules, decides=decides)
        errors += [f"{at(row)}: {row}: {why}" for row, why in answers.errors]
        warnings += [f"{at(row)}: {row}: {why}" for row, why in answers.warnings]
        if answers.unjudged:
            warnings.append(
                f"whether the answer is right is decided by nobody on {names(answers.unjudged)}: "
                "add answer_contains, or a reference for a judge that measures answer_correctness"
            )
    return Readiness(tuple(errors), tuple(warnings))


def _assumed(plan: Plan) -> Iterator[str]:
    """A pipeline in one piece of which nothing says what it gave to its model."""
    pipeline = plan.pipeline
    if pipeline.use is None or pipeline.use == "recorded":
        return
    if "context" in _keys(pipeline.with_):
        return
    window = "the first candidates that fit the window" if _windowed(plan) else "all candidates"
    yield (
        f"context assumed: where {pipeline.use} returns no `context`, {window} count as seen by "
        "the model; say what it used, with a `context` of passages or ids among its outputs"
    )


def _windowed(plan: Plan) -> bool:
    return plan.pipeline.context_k is not None or plan.pipeline.context_chars is not None


def _keys(settings: object) -> set[str]:
    """All keys of a mapping, at any depth."""
    if not isinstance(settings, dict):
        return set()
    return set(settings).union(*(_keys(value) for value in settings.values()))


def _superseded(
    plan: Plan, rows: Sequence[Row], corpus: Sequence[Passage], reading: Reading
) -> Iterator[str]:
    """A value that all old passages carry and no gold one: it could mark them for every row."""
    if plan.superseded_when or plan.valid_until is not None:
        return
    by_name: dict[tuple[str, str], list[Passage]] = {}
    for passage in corpus:
        for field, name in (("id", passage.get("id")), ("doc", passage.get("doc"))):
            if name is not None:
                by_name.setdefault((field, name), []).append(passage)
    old = [leaf for row in rows for one in row.superseded for leaf in one.leaves()]
    gold = [leaf for row in rows for one in row.gold for leaf in one.leaves()]
    shared: list[_Value] = []
    for number, leaf in enumerate(old):
        carried = _carried(leaf, by_name, reading)
        every = [value for value in _any_of(carried) if all(value in one for one in carried)]
        shared = [value for value in shared if value in every] if number else every
    kept = {value for leaf in gold for value in _any_of(_carried(leaf, by_name, reading))}
    current = {
        value
        for (field, _), passages in by_name.items()
        if field == "doc"
        for value in _of_all(passages)
        if value[0] == reading.version_key
    }
    told = next((value for value in shared if value not in kept | current), None)
    if told is not None:
        key, value = told[0], json.loads(told[1])
        written = f"{_in_yaml(key)}: {json.dumps(value, ensure_ascii=False)}"
        yield (
            f"all superseded evidence has the metadata {key} {told[1]}: to mark such passages as "
            f"old on every row, add the line  superseded_when: {{metadata: {{{written}}}}}"
        )


_Value: TypeAlias = tuple[str, str]
"""A metadata key and its value as JSON."""


def _carried(
    leaf: Evidence, by_name: Mapping[tuple[str, str], Sequence[Passage]], reading: Reading
) -> list[dict[_Value, None]]:
    """What evidence asks for, and the metadata of each passage that it finds by its name."""
    name = ("id", leaf.chunk) if leaf.chunk is not None else ("doc", leaf.doc or "")
    wanted = leaf_of(leaf, reading)
    found = [p.get("metadata") or {} for p in by_name.get(name, ()) if wanted.touch(p)]
    return [_values({**metadata, **leaf.metadata}) for metadata in found or ({},)]


def _values(metadata: Mapping[str, Any]) -> dict[_Value, None]:
    return {
        (key, json.dumps(value, sort_keys=True, ensure_ascii=False)): None
        for key, value in metadata.items()
    }


def _of_all(passages: Sequence[Passage]) -> list[_Value]:
    """What every passage carries: a version of which a document has no other is its current one."""
    each = [_values(passage.get("metadata") or {}) for passage in passages]
    return [value for value in each[0] if all(value in one for one in each)]


def _any_of(carried: Sequence[dict[_Value, None]]) -> dict[_Value, None]:
    return {value: None for one in carried for value in one}


def _limits(plan: Plan) -> Iterator[str]:
    if plan.run.retry_on and not plan.run.retries:
        yield "run.retry_on says what is tried again, and run.retries is 0: nothing is"
    priced = plan.judge.use == "offline" or plan.judge.with_.get("price") is not None
    if plan.run.max_cost is not None and not priced:
        yield "run.max_cost cannot count the judge, whose price is not known (judge.with.price)"


def _left_out(plan: Plan) -> Iterator[str]:
    """Default gates that a plan's own list does without, and has nothing like."""
    if plan.gates is None or "defaults" in plan.gates:
        return
    own = [(gate.metric, gate.must) for gate in plan.gates if isinstance(gate, Gate)]
    gates = [default.gate for default in DEFAULTS]
    left = [gate.name for gate in gates if (gate.metric, gate.must) not in own]
    if left:
        yield (
            "`gates` is written without the word `defaults`, which leaves these default gates out: "
            f"{', '.join(left)}; to have them too: gates: [defaults, ...]"
        )


def _gates(
    gates: Sequence[Gate], missing: Sequence[Missing], record: RunRecord, offers: frozenset[str]
) -> Iterator[str]:
    for absent in missing:
        if absent.optional:
            continue
        yield f"default gate not installed: {absent.name} ({absent.why}); {absent.unguarded}"
    if not gates:
        yield "no gate is installed: a run can only end undecided"
        return
    if all(rule.relative for gate in gates for rule in gate.must):
        yield (
            "every gate compares with a baseline: a row that was always wrong, or is new, is "
            "gated by none; add one such as {metric: hard_fail, must: {total_at_most: 0}}"
        )
    defaults = default_names(record.gates)
    for gate in gates:
        empty = not record.dataset.gate_rows.get(gate.name, 0)
        if empty and not gate.allow_empty and gate.name not in defaults:
            yield f"gate {gate.name!r} matches no row, and will fail"
        judged = gate.metric in JUDGED and gate.metric not in FREE
        if judged and not record.generates and gate.metric != "claim_recall":
            yield f"gate {gate.name!r} looks at {gate.metric}, and the plan generates no answers"
        elif judged and gate.metric not in offers:
            name = record.judge.name if record.judge else "the judge"
            yield f"gate {gate.name!r} looks at {gate.metric}, which {name} does not measure"
    yield from _refusal(gates, record)


def _refusal(gates: Sequence[Gate], record: RunRecord) -> Iterator[str]:
    """A gate against inventing alone is passed best by a bot that refuses everything."""
    if not record.generates:
        return
    boundary = [g for g in gates if g.metric in ("stage.boundary", "refusal", "outcome")]
    strict = [
        g
        for g in gates
        if g.where.get("kind") in ("unanswerable", ["unanswerable"])
        and g.metric in ("hard_fail", "stage.boundary", "refusal")
    ]
    answerable = [g for g in boundary if g not in strict]
    if strict and not answerable:
        yield (
            "inventing is gated and refusing too much is not: a bot that declines everything "
            "passes; add {metric: stage.boundary, must: not_break}"
        )


def _window(plan: Plan, rows: Sequence[Row], *, told: bool) -> Iterator[str]:
    pipeline = plan.pipeline
    if pipeline.context_k is None and pipeline.context_chars is None and not told:
        yield (
            "the plan names no window (context_k or context_chars): all candidates count as seen "
            "by the model, which hides what stands too low"
        )
    if pipeline.context_k is not None and pipeline.top_k < pipeline.context_k:
        yield (
            f"top_k ({pipeline.top_k}) is less than context_k ({pipeline.context_k}): the model is "
            f"given {pipeline.top_k} passages at most; raise top_k, or lower context_k"
        )
    if pipeline.context_k is not None:
        large = [row.id for row in rows if len(row.gold) > pipeline.context_k]
        if large:
            yield (f"a window of {pipeline.context_k} cannot hold all evidence of {names(large)}")


def _probes(
    plan: Plan, rows: Sequence[Row], *, corpus: bool, offers: frozenset[str]
) -> Iterator[str]:
    """Probes that no row calls for, or that can tell nothing of some rows."""
    if Probe.STANDALONE_QUESTION in plan.probes and not any(
        row.standalone_question and row.gold for row in rows
    ):
        yield "no row has a standalone_question and gold, so that probe is never asked"
    if Probe.ORACLE_CONTEXT in plan.probes and not corpus:
        bare = [row.id for row in rows if any(_wordless(one) for one in row.gold)]
        if bare:
            yield (
                f"oracle_context can put gold of {names(bare)} into no context unless it is among "
                "the candidates: no corpus is known, and it is no quote"
            )
    if Probe.NO_CONTEXT in plan.probes:
        checks = any(row.answerable and has_checks(row) for row in rows)
        if not checks and not any(row.answerable and facts_of(row) for row in rows):
            yield (
                "no answerable row has answer checks or a reference, so no_context is never asked"
            )
        elif not checks and "answer_correctness" not in offers:
            yield "no_context tells nothing: the judge does not measure answer_correctness"


def _wordless(evidence: Evidence) -> bool:
    """It names a passage, and has no words to stand for it."""
    if evidence.any_of:
        return all(map(_wordless, evidence.any_of))
    return any(leaf.quote is None for leaf in evidence.leaves())


def _unseen(plan: Plan, files: Sequence[str]) -> str:
    """What to add to `watch`: the files, or where there are many, all of their folders."""
    shown = ", ".join(files[:_FILES])
    more = f" and {len(files) - _FILES} more" if len(files) > _FILES else ""
    patterns = [_as_it_is(file) for file in files]
    if more:
        folders = dict.fromkeys(file.rpartition("/")[0] for file in files)
        patterns = [f"{_as_it_is(name)}/*.py" if name else "*.py" for name in folders]
    listed = ", ".join(map(_in_yaml, dict.fromkeys((*plan.pipeline.watch, *patterns))))
    return (
        f"the pipeline's code imports {shown}{more}, which `watch` does not cover, so that a "
        f"change there goes unseen; under pipeline: watch: [{listed}]"
    )


_FILES = 3


def _as_it_is(name: str) -> str:
    """A name as a pattern of nothing but itself."""
    return re.sub(r"[*?[]", r"[\g<0>]", name)


def _in_yaml(pattern: str) -> str:
    plain = re.fullmatch(r"[A-Za-z0-9_./-]+", pattern) and not pattern.startswith("-")
    return pattern if plain else json.dumps(pattern, ensure_ascii=False)


def _by_chunk(evidences: Sequence[Evidence]) -> bool:
    return any(leaf.chunk is not None for evidence in evidences for leaf in evidence.leaves())


def _missing(
    rows: Sequence[Row], corpus: Sequence[Passage], reading: Reading, *, rivals: bool
) -> Iterator[tuple[str, str]]:
    """Each evidence held against the corpus: is it there, and is it there once?

    Rivals are looked for where the plan names a corpus: an index may rightly hold none of them.
    """
    lists = ("gold", "superseded", "near_miss") if rivals else ("gold",)
    asked = [
        (row.id, f"{name}[{index}]", evidence)
        for row in rows
        for name in lists
        for index, evidence in enumerate(getattr(row, name))
    ]
    counts = matches([evidence for _, _, evidence in asked], corpus, reading)
    nowhere = [evidence for (*_, evidence), n in zip(asked, counts, strict=True) if n == 0]
    absent = why_absent(nowhere, corpus)
    edited = seems_edited(nowhere, corpus, reading)
    whys = iter([one or other for one, other in zip(absent, edited, strict=True)])
    for (row, where, evidence), count in zip(asked, counts, strict=True):
        if count == 0:
            why = next(whys)
            known = f"; {why}" if why is not None else ""
            yield row, f"{where} ({evidence.label()}) is not in the corpus{known}"
        elif count > 1 and evidence.quote is not None:
            yield (
                row,
                f"{where} ({evidence.label()}) stands in {count} documents or versions: "
                "name the doc, or its metadata",
            )
    yield from _copied(asked, corpus, reading)


def _copied(
    asked: Sequence[tuple[str, str, Evidence]], corpus: Sequence[Passage], reading: Reading
) -> Iterator[tuple[str, str]]:
    """Quotes of a named document whose words stand in another one too: fetching that is a miss."""
    named = [
        (row, where, evidence)
        for row, where, evidence in asked
        if where.startswith("gold") and evidence.quote is not None and evidence.doc is not None
    ]
    anywhere = [
        one.model_copy(update={"doc": None, "metadata": {}, "grade": 1}) for *_, one in named
    ]
    own = [one.model_copy(update={"metadata": {}}) for *_, one in named]
    counts = zip(matches(anywhere, corpus, reading), matches(own, corpus, reading), strict=True)
    for (row, where, evidence), (every, here) in zip(named, counts, strict=True):
        if here and every > here:
            yield (
                row,
                f"the words of {where} ({evidence.label()}) stand in {every - here} other "
                "documents or versions too, and a copy does not count: allow it with any_of, or "
                "list it under acceptable",
            )


def _clashes(
    rows: Sequence[Row], corpus: Sequence[Passage], reading: Reading
) -> Iterator[tuple[Row, str]]:
    """Rows whose gold and rival stand on one passage, or whose evidence nothing can match."""
    for row in rows:
        if not row.superseded and not row.near_miss and row.kind is Kind.UNANSWERABLE:
            continue
        error = assess(row, corpus, corpus, reading).error
        if error is not None:
            yield row, error
