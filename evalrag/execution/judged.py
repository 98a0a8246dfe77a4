"""The second pass: stored traces become scored rows, in dataset order, with bounded concurrency."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from evalrag.errors import EvalragError
from evalrag.evidence.corpus import matches as matches_in_corpus
from evalrag.judges.ask import judge_row
from evalrag.judging.tasks import Judge
from evalrag.regression.alike import Patterns
from evalrag.regression.scoring import (
    Scoring,
    about,
    corpus_needed,
    decide,
    score_attempt,
    score_row,
    with_corpus,
)
from evalrag.schema.alike import Like
from evalrag.schema.result import Attempt, RowResult, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.rows import Golden, whole_row
from evalrag.schema.trace import Passage, Trace

Attempts = Sequence[tuple[int, Trace]]

BREATH = 64
"""Rows without a question to a judge after which others are let on, such as Ctrl-C."""


Rows = Iterable[tuple[Golden, Attempts]]
Done = Callable[[RowResult | Like, Golden, Attempts], None]


@dataclass(frozen=True, slots=True)
class Scorer:
    """What scoring a row needs beside the row and its traces."""

    scoring: Scoring
    judge: Judge
    digests: Callable[[str], tuple[str, str]]
    """Row id -> (row digest, asked digest)."""
    corpus: Callable[[], Sequence[Passage]] | None = None
    """The corpus, read when it is first needed; None where it is not known."""
    patterns: Patterns | None = None
    """Where many rows are scored, what those have in common that stand alike."""


async def score_rows(rows: Rows, scorer: Scorer, *, at_once: int, on_done: Done) -> None:
    """Score every row, `at_once` in front of the judge, and hand them over in the given order.

    A row that asks the judge nothing is scored where it stands, unless one before it still waits.
    """
    waiting: deque[tuple[Row, Attempts, asyncio.Task[RowResult]]] = deque()
    try:
        async with asyncio.TaskGroup() as group:
            for number, (golden, attempts) in enumerate(rows, 1):
                if number % BREATH == 0:
                    await asyncio.sleep(0)
                like = None if waiting else _like(golden, attempts, scorer)
                if like is not None:
                    on_done(like, golden, attempts)
                    continue
                row = whole_row(golden)
                if not waiting and not any(_asks(row, trace, scorer) for _, trace in attempts):
                    traces = [trace for _, trace in attempts]
                    on_done(_scored(row, traces, [None] * len(traces), scorer), row, attempts)
                    continue
                task = group.create_task(score(row, [trace for _, trace in attempts], scorer))
                waiting.append((row, attempts, task))
                if len(waiting) >= at_once:
                    first, its, done = waiting.popleft()
                    on_done(await done, first, its)
            while waiting:
                first, its, done = waiting.popleft()
                on_done(await done, first, its)
    except* EvalragError as group_error:
        raise group_error.exceptions[0] from None


def _like(golden: Golden, attempts: Attempts, scorer: Scorer) -> Like | None:
    """The row by its pattern; None where it has none, or where the corpus has to be asked."""
    if scorer.patterns is None or len(attempts) != 1:
        return None
    found = scorer.patterns.of(golden, attempts[0][1])
    if found is None:
        return None
    pattern, names = found
    if scorer.corpus is not None and corpus_needed([pattern.attempt]):
        return None
    digest, asked = scorer.digests(golden.id)
    return Like(pattern, golden.id, golden.kind, digest, asked, about(golden), golden.expect, names)


async def score(row: Row, traces: Sequence[Trace], scorer: Scorer) -> RowResult:
    """Judge and score all attempts at one row."""
    return _scored(row, traces, [await _verdicts(row, t, scorer) for t in traces], scorer)


def _scored(
    row: Row, traces: Sequence[Trace], verdicts: Sequence[Verdicts | None], scorer: Scorer
) -> RowResult:
    attempts = [
        score_attempt(row, trace, said, scorer.scoring)
        for trace, said in zip(traces, verdicts, strict=True)
    ]
    if corpus_needed(attempts) and scorer.corpus is not None:
        attempts = _seen_in_corpus(row, attempts, traces, scorer)
    digest, asked = scorer.digests(row.id)
    return score_row(row, attempts, digest=digest, asked=asked)


def _answered(trace: Trace, scorer: Scorer) -> str | None:
    return trace.get("answer") if scorer.scoring.generates else None


def _asks(row: Row, trace: Trace, scorer: Scorer) -> bool:
    """There is something to ask the judge."""
    if _answered(trace, scorer) is not None:
        return True
    return bool(row.reference_facts) and "error" not in trace


async def _verdicts(row: Row, trace: Trace, scorer: Scorer) -> Verdicts | None:
    if not _asks(row, trace, scorer):
        return None
    answer = _answered(trace, scorer)

    context = [passage.get("text", "") for passage in trace["context"]]
    return await judge_row(scorer.judge, row, context=context, answer=answer)


def _seen_in_corpus(
    row: Row, attempts: Sequence[Attempt], traces: Sequence[Trace], scorer: Scorer
) -> list[Attempt]:
    """Ask the corpus for the evidences that some attempt did not retrieve, and diagnose again."""
    assert scorer.corpus is not None
    passages = scorer.corpus()
    missed = sorted(
        {
            index
            for attempt in attempts
            for index, sought in enumerate(attempt.evidence)
            if not sought["candidates"]
        }
    )
    gold = [row.gold[index] for index in missed]
    counts = matches_in_corpus(gold, passages, scorer.scoring.reading)
    matches = dict(zip(missed, counts, strict=True))
    return [
        decide(
            with_corpus(attempt, matches), row.kind, row.expected_forms, scorer.scoring, trace=trace
        )
        for attempt, trace in zip(attempts, traces, strict=True)
    ]
