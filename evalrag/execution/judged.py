"""The second pass: stored traces become scored rows, in dataset order, with bounded concurrency."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace

from evalrag.errors import EvalragError
from evalrag.evidence.corpus import matches as matches_in_corpus
from evalrag.evidence.nearest import seems_edited
from evalrag.judges.ask import judge_row
from evalrag.judges.desk import Cache, Desk, Visit
from evalrag.judges.panel import close
from evalrag.judging.decided import Decisions
from evalrag.judging.tasks import Heard, Judge
from evalrag.regression.diagnosis import with_pages
from evalrag.regression.probed import ASKED
from evalrag.regression.scoring import (
    Scoring,
    corpus_needed,
    decide,
    score_attempt,
    score_row,
    with_corpus,
)
from evalrag.schema.result import Attempt, RowResult, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.rows import Golden, whole_row
from evalrag.schema.trace import Passage, Trace
from evalrag.schema.words import Probe

Attempts = Sequence[tuple[int, Trace]]
Said = tuple[Verdicts | None, Mapping[str, Verdicts]]
"""What the judge said of an attempt, and of the answers to its probes."""
Calls = Sequence[Sequence[Heard]]
"""What was heard of the judge at each attempt."""

AHEAD = 2
"""Rows that are begun for each call in flight: while one waits for another call, the next goes."""

BREATH = 64
"""Rows without a question to a judge after which others are let on, such as Ctrl-C."""


Rows = Iterable[tuple[Golden, Attempts]]
Done = Callable[[RowResult, Golden, Attempts, Calls], None]


@dataclass(frozen=True, slots=True)
class Scorer:
    """What scoring a row needs beside the row and its traces."""

    scoring: Scoring
    judge: Judge
    digests: Callable[[str], tuple[str, str]]
    """Row id -> (row digest, asked digest)."""
    corpus: Callable[[], Sequence[Passage]] | None = None
    """The corpus, read when it is first needed; None where it is not known."""
    cache: Cache | None = None
    """Verdicts that were settled before; None where every one is asked for."""
    decisions: Decisions = field(default_factory=Decisions)
    """What people decided, whatever the judge and the cache say."""


async def score_rows(
    rows: Rows,
    scorer: Scorer,
    *,
    at_once: int,
    on_done: Done,
    room: AbstractAsyncContextManager[object] | None = None,
    on_heard: Callable[[Heard], None] | None = None,
) -> None:
    """Score every row, `at_once` calls of the judge in flight, and hand them over in their order.

    `room` is entered for every call in their place, and `on_heard` told what came of each. A row
    that asks the judge nothing is scored where it stands, unless one before it still waits.
    """
    room = room or asyncio.Semaphore(at_once)
    desk = Desk(scorer.judge, room=room, cache=scorer.cache, on_heard=on_heard)
    try:
        await _score_rows(rows, scorer, desk, at_once=AHEAD * at_once, on_done=on_done)
    finally:
        await close(scorer.judge)


async def _score_rows(
    rows: Rows,
    scorer: Scorer,
    desk: Desk,
    *,
    at_once: int,
    on_done: Done,
) -> None:
    waiting: deque[tuple[Row, Attempts, asyncio.Task[tuple[RowResult, Calls]]]] = deque()
    try:
        async with asyncio.TaskGroup() as group:
            for number, (golden, attempts) in enumerate(rows, 1):
                if number % BREATH == 0:
                    await asyncio.sleep(0)
                row = whole_row(golden)
                if not waiting and not any(_asks(row, trace, scorer) for _, trace in attempts):
                    traces = [trace for _, trace in attempts]
                    scored = _scored(row, traces, [(None, {})] * len(traces), scorer)
                    on_done(scored, row, attempts, ())
                    continue
                task = group.create_task(score(row, attempts, scorer, desk))
                waiting.append((row, attempts, task))
                if len(waiting) >= at_once:
                    first, its, done = waiting.popleft()
                    result, calls = await done
                    on_done(result, first, its, calls)
            while waiting:
                first, its, done = waiting.popleft()
                result, calls = await done
                on_done(result, first, its, calls)
    except* EvalragError as group_error:
        raise group_error.exceptions[0] from None


async def score(
    row: Row, attempts: Attempts, scorer: Scorer, desk: Desk
) -> tuple[RowResult, Calls]:
    """Judge and score all attempts at one row."""
    verdicts: list[Said] = []
    calls: list[Sequence[Heard]] = []
    for repeat, trace in attempts:
        visit = desk.visit(repeat)
        said = await _verdicts(row, trace, scorer, visit)
        verdicts.append((said, await _probe_verdicts(row, trace, scorer, visit)))
        calls.append(visit.heard)
    return _scored(row, [trace for _, trace in attempts], verdicts, scorer), calls


def _scored(
    row: Row, traces: Sequence[Trace], verdicts: Sequence[Said], scorer: Scorer
) -> RowResult:
    attempts = [
        score_attempt(row, trace, said, scorer.scoring, probe_verdicts=of_probes)
        for trace, (said, of_probes) in zip(traces, verdicts, strict=True)
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


async def _verdicts(row: Row, trace: Trace, scorer: Scorer, visit: Visit) -> Verdicts | None:
    if not _asks(row, trace, scorer):
        return None
    return await _judged(row, trace["context"], _answered(trace, scorer), scorer, visit)


async def _probe_verdicts(
    row: Row, trace: Trace, scorer: Scorer, visit: Visit
) -> Mapping[str, Verdicts]:
    """What the judge says of the answers to probes, each on what the generator was given for it."""
    found: dict[str, Verdicts] = {}
    for name, probe in trace.get("probes", {}).items():
        if "answer" in probe:
            context, only = probe.get("context", ()), ASKED[Probe(name)]
            before = len(visit.heard)
            found[name] = await _judged(row, context, probe["answer"], scorer, visit, only)
            visit.heard[before:] = [replace(one, probe=name) for one in visit.heard[before:]]
    return found


async def _judged(
    row: Row,
    passages: Sequence[Passage],
    answer: str | None,
    scorer: Scorer,
    visit: Visit,
    only: Collection[str] | None = None,
) -> Verdicts:
    context = [passage.get("text", "") for passage in passages]
    decided = scorer.decisions.about(row, context, answer)
    said = await judge_row(
        scorer.judge,
        row,
        context=context,
        answer=answer,
        visit=visit,
        decided=decided,
        only=only,
    )
    scorer.decisions.used(row.id, decided, said)
    return said


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
    nowhere = [index for index, count in matches.items() if count == 0]
    said = seems_edited([row.gold[at] for at in nowhere], passages, scorer.scoring.reading)
    edited = {at: words for at, words in zip(nowhere, said, strict=True) if words is not None}
    decided = (
        decide(
            with_corpus(attempt, matches), row.kind, row.expected_forms, scorer.scoring, trace=trace
        )
        for attempt, trace in zip(attempts, traces, strict=True)
    )
    return [with_pages(attempt, edited) for attempt in decided]
