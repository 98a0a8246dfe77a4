"""A trace, a row and a judge's verdicts become a scored row. Pure: a run can be scored again."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalrag.evidence.assess import assess
from evalrag.judging.answer_checks import ANSWER_CHECKS, checked, has_checks, with_context
from evalrag.judging.citations import citations_of
from evalrag.judging.decided import Decided
from evalrag.judging.measures import CITING, JUDGED
from evalrag.judging.scores import judged_scores
from evalrag.metrics.table import MEASURES, retrieval_scores
from evalrag.regression.attempts import combine, flaky
from evalrag.regression.diagnosis import REUSED, diagnose
from evalrag.regression.placing import placed_of, sought_of
from evalrag.regression.probed import decided as decided_probes
from evalrag.regression.probed import probed_of, without_answers
from evalrag.regression.stages import outcome_of, stage_outcomes
from evalrag.regression.where import about
from evalrag.schema.digest import asks_of
from evalrag.schema.frozen import made
from evalrag.schema.plan import Thresholds
from evalrag.schema.result import Attempt, Placed, Probed, RowResult, Sought, Verdicts
from evalrag.schema.row import Row, default_forms
from evalrag.schema.run import Reading
from evalrag.schema.score import Failed, Score, to_wire
from evalrag.schema.trace import Trace
from evalrag.schema.words import Kind, Outcome, Probe, Stage

NEEDED = (
    "candidate_recall",
    "context_recall",
    "ranked_precision",
    "rival_first",
    "forbidden_retrieved",
)
"""Metrics that stages and diagnoses read; kept whatever the plan's `metrics` say."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """Everything but the row and its trace that can change a score."""

    reading: Reading
    thresholds: Thresholds
    generates: bool = True
    offers: frozenset[str] = frozenset()
    judge: str = "the judge"
    keep: frozenset[str] | None = None
    """Retrieval metrics to keep; None keeps all."""


def score_attempt(
    row: Row,
    trace: Trace,
    verdicts: Verdicts | None,
    scoring: Scoring,
    *,
    corpus: Sequence[int | None] = (),
    probe_verdicts: Mapping[str, Verdicts] | None = None,
) -> Attempt:
    """Score one attempt at `row`.

    `corpus` gives, for each gold evidence, its matches in the corpus, None where that is not
    known. An error of the pipeline fails the metrics of the stage it came in and of later ones;
    what was had before it is scored. `probe_verdicts` is what the judge said of the answers to
    probes, by their names.
    """
    error_stage = Stage(trace["error_stage"]) if "error_stage" in trace else None
    error = trace.get("error")
    if error is not None and error_stage is None:
        error_stage = Stage.RETRIEVAL
    candidates, context = trace["candidates"], trace["context"]
    scores: dict[str, Score] = {}
    placed: tuple[Placed | str, ...] = ()
    sought: tuple[Sought, ...] = ()
    if error_stage in (Stage.REWRITE, Stage.RETRIEVAL, Stage.RANKING):
        scores |= _failed(_kept(scoring), error or "the pipeline failed")
    else:
        assessment = assess(row, candidates, context, scoring.reading)
        scores |= retrieval_scores(
            row, assessment, reading=scoring.reading, candidates=candidates, keep=_kept(scoring)
        )
        if assessment.error is not None:
            error, error_stage = _first_error(error, error_stage, assessment.error)
        else:
            placed = placed_of(candidates, context, assessment)
            sought = sought_of(row, trace, assessment, scoring.reading, corpus)
    answer = trace.get("answer")
    asked = [name for name in JUDGED if _asked_of(name, row, scoring, cites="citations" in trace)]
    if scoring.generates and answer is None:
        scores |= _failed(asked, error or "the pipeline gave no answer")
    else:
        scores |= judged_scores(
            row,
            verdicts,
            answer,
            asked=asked,
            offers=scoring.offers,
            judge=scoring.judge,
            citations=citations_of(trace),
        )
    numbers, reasons = to_wire(scores)
    probes: dict[Probe, Probed] = {}
    if "probes" in trace:
        probes = probed_of(
            row,
            trace,
            sought,
            probe_verdicts or {},
            reading=scoring.reading,
            offers=scoring.offers,
            judge=scoring.judge,
        )
    attempt = made(
        Attempt,
        {
            "outcome": Outcome.PASS,
            "stages": {},
            "scores": numbers,
            "reasons": reasons,
            "diagnoses": (),
            "warnings": (),
            "passages": placed,
            "evidence": sought,
            "answer": answer,
            "checks": with_context(
                checked(row, answer) if scoring.generates and answer is not None else (),
                [passage.get("text", "") for passage in context],
            ),
            "verdicts": verdicts,
            "error": error,
            "error_stage": error_stage,
            "probes": probes,
        },
    )
    return decide(attempt, row.kind, row.expected_forms, scoring, trace=trace)


def decide(
    attempt: Attempt,
    kind: Kind,
    expect: Sequence[Any],
    scoring: Scoring,
    *,
    trace: Trace | None = None,
) -> Attempt:
    """Derive stages, outcome, diagnoses and warnings from what an attempt stores."""
    if attempt.probes:
        probes = decided_probes(attempt.probes, expect, scoring.thresholds)
        attempt = made(type(attempt), attempt.__dict__ | {"probes": probes})
    stages = stage_outcomes(
        attempt,
        kind=kind,
        expect=expect,
        generates=scoring.generates,
        thresholds=scoring.thresholds,
    )
    outcome = outcome_of(stages)
    decided = made(type(attempt), attempt.__dict__ | {"stages": stages, "outcome": outcome})
    reused = trace is not None and "context_reused_from" in trace
    reused = reused or any(warning.code == REUSED for warning in attempt.warnings)
    diagnoses, warnings = diagnose(decided, kind, scoring.thresholds, reused=reused)
    if not diagnoses and not warnings and not attempt.diagnoses and not attempt.warnings:
        return decided
    return made(type(attempt), decided.__dict__ | {"diagnoses": diagnoses, "warnings": warnings})


def score_row(row: Row, attempts: Sequence[Attempt], *, digest: str, asked: str) -> RowResult:
    """Make a row's line of its scored attempts."""
    return _result(
        attempts,
        id=row.id,
        kind=row.kind,
        digest=digest,
        asked=asked,
        question=row.question,
        about=about(row),
        expect=row.expect,
        asks=asks_of(row),
        other_verdicts={},
    )


def decide_again(result: RowResult, scoring: Scoring) -> RowResult:
    """The same scores under other thresholds."""
    attempts = result.attempts or (result,)
    because = result.about.get("unanswerable_because")
    expect = result.expect or default_forms(result.kind, str(because) if because else None)
    again = [decide(attempt, result.kind, expect, scoring) for attempt in attempts]
    kept = {name: getattr(result, name) for name in _IDENTITY}
    return _result(again, **kept)


_IDENTITY = (
    "id",
    "kind",
    "digest",
    "asked",
    "question",
    "about",
    "expect",
    "asks",
    "other_verdicts",
)
_ATTEMPT = tuple(Attempt.model_fields)


def _result(
    attempts: Sequence[Attempt], *, other_verdicts: Mapping[str, Verdicts], **identity: Any
) -> RowResult:
    several = len(attempts) > 1
    return made(
        RowResult,
        identity
        | _plain(combine(attempts)).__dict__
        | {
            "flaky": several and flaky(attempts),
            "attempts": tuple(map(_plain, attempts)) if several else (),
            "other_verdicts": other_verdicts,
        },
    )


def _plain(attempt: Attempt) -> Attempt:
    if type(attempt) is Attempt:
        return attempt
    return made(Attempt, {name: getattr(attempt, name) for name in _ATTEMPT})


def rescored(
    old: RowResult,
    row: Row,
    traces: Sequence[Trace],
    scoring: Scoring,
    *,
    digest: str,
    asked: str,
    relabelled: bool,
    decided: Sequence[Decided],
) -> RowResult:
    """A baseline's row scored again from its traces, with today's labels, settings and decisions.

    Verdicts that read no label (claims, form) are kept; those that do (facts) are dropped where
    the row was `relabelled`, since the judge has not seen the new label. `decided` is what people
    decided about each attempt.
    """
    olds = old.attempts or (old,)
    attempts = []
    for before, trace, ruling in zip(olds, traces, decided, strict=True):
        verdicts = ruling.over(before.verdicts) if before.verdicts is not None else None
        if verdicts is not None and relabelled:
            verdicts = verdicts.model_copy(update={"facts": (), "recalled": ()})
        own = replace(scoring, offers=_offered(before, scoring, relabelled=relabelled))
        corpus = [sought.get("corpus") for sought in before.evidence] if not relabelled else ()
        said = {which.value: p.verdicts for which, p in before.probes.items() if p.verdicts}
        if relabelled:
            trace = without_answers(trace)
        attempts.append(
            score_attempt(row, trace, verdicts, own, corpus=corpus, probe_verdicts=said)
        )
    return score_row(row, attempts, digest=digest, asked=asked).model_copy(
        update={"other_verdicts": old.other_verdicts}
    )


def _offered(before: Attempt, scoring: Scoring, *, relabelled: bool) -> frozenset[str]:
    if not relabelled:
        return scoring.offers
    return scoring.offers - {"answer_correctness", "claim_recall"}


def _kept(scoring: Scoring) -> Collection[str]:
    return MEASURES if scoring.keep is None else scoring.keep | set(NEEDED)


def _asked_of(name: str, row: Row, scoring: Scoring, *, cites: bool) -> bool:
    """The run can have this judged metric. What it cannot goes without saying on every row."""
    if name == ANSWER_CHECKS:
        return scoring.generates and has_checks(row)
    if not scoring.generates:
        return name in ("claim_recall", "passage_usefulness") and name in scoring.offers
    if name in CITING:
        return cites
    return name in scoring.offers or name == "refusal"


def _failed(names: Collection[str], reason: str) -> dict[str, Score]:
    return dict.fromkeys(names, Failed(reason))


def _first_error(error: str | None, stage: Stage | None, evidence_error: str) -> tuple[str, Stage]:
    """Evidence that cannot be matched is an error of the retrieval stage, the earliest there is."""
    both = f"{evidence_error}; then {stage}: {error}" if error is not None else evidence_error
    return both, Stage.RETRIEVAL


def corpus_needed(attempts: Sequence[Attempt]) -> bool:
    """Some evidence was not retrieved, so that it matters whether the corpus has it at all."""
    return any(not sought["candidates"] for attempt in attempts for sought in attempt.evidence)


def with_corpus(attempt: Attempt, matches: Mapping[int, int]) -> Attempt:
    """The attempt with its evidences' matches in the corpus filled in, not yet decided again."""
    evidence = tuple(
        Sought(**{**sought, "corpus": matches[index]}) if index in matches else sought
        for index, sought in enumerate(attempt.evidence)
    )
    return attempt.model_copy(update={"evidence": evidence})
