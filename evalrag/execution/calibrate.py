"""Ask a judge about answers that people labelled, with bounded concurrency."""

import asyncio
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import JsonValue

from evalrag.judges.ask import judge_row
from evalrag.judges.desk import Cache, Desk
from evalrag.judges.panel import close
from evalrag.judging.calibration import Judged, judged
from evalrag.judging.probes import PROBES, Shown, probe_figure
from evalrag.judging.tasks import CLAIM_METRICS, Judge, Reply, Task
from evalrag.schema.calibration import Probe
from evalrag.schema.evidence import Evidence
from evalrag.schema.labels import LabelledRow
from evalrag.schema.result import Verdicts
from evalrag.schema.row import Row
from evalrag.schema.words import Kind

_NEEDED = CLAIM_METRICS | {"answer_form"}
_UNREAD = (Evidence(chunk="-"),)
"""A golden row needs gold; no task about claims shows it to a judge."""


class Answer(NamedTuple):
    """What a judge is shown of a labelled row: never the label."""

    id: str
    question: str
    context: tuple[str, ...]
    text: str


class Calibrated(NamedTuple):
    """What the judge said of every labelled row, and of every row as the probes changed it."""

    found: tuple[Judged, ...]
    probes: Mapping[str, Probe]
    """Empty where none was asked for."""


async def calibrate(
    rows: Sequence[LabelledRow],
    judge: Judge,
    *,
    at_once: int,
    probes: bool = False,
    cache: Cache | None = None,
    on_done: Callable[[int, int], None] = lambda done, total: None,
) -> Calibrated:
    """Judge labelled rows, and with `probes` each of them again as every probe changes it.

    `on_done` is told how many answers are judged, and how many there are in all.
    """
    plan = [(row, "", Shown(row.context, row.answer)) for row in rows]
    for name, change in PROBES.items() if probes else ():
        plan += [(row, name, shown) for row in rows if (shown := change(row)) is not None]
    done = itertools.count(1)
    said = await judge_answers(
        [Answer(row.id, row.question, shown.context, shown.answer) for row, _, shown in plan],
        judge,
        at_once=at_once,
        cache=cache,
        on_done=lambda: on_done(next(done), len(plan)),
    )
    by_probe: dict[str, list[Judged]] = {name: [] for name in ("", *PROBES)}
    for (row, name, _), verdicts in zip(plan, said, strict=True):
        by_probe[name].append(judged(row, verdicts))
    found = tuple(by_probe[""])
    figures = {
        name: probe_figure(found, {one.row.id: one for one in by_probe[name]})
        for name in (PROBES if probes else ())
    }
    return Calibrated(found, figures)


async def judge_answers(
    answers: Sequence[Answer],
    judge: Judge,
    *,
    at_once: int,
    cache: Cache | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> list[Verdicts]:
    """The verdicts on every answer, in the order of `answers`, `at_once` in front of the judge.

    Only forms and claims are asked for, as a run would ask. An answer that cannot be judged is
    unresolved with the reason, and costs no other; cancellation is never caught.

    Args:
        answers: what is judged.
        judge: who judges.
        at_once: how many answers at a time, from 1.
        cache: verdicts that were settled before.
        on_done: called once for each answer, when it is judged.
    """
    found: list[Verdicts | None] = [None] * len(answers)
    asked = _ClaimsAlone(judge)
    desk = Desk(asked, room=asyncio.Semaphore(at_once), cache=cache)

    async def worker(waiting: Iterator[tuple[int, Answer]]) -> None:
        for place, answer in waiting:  # one iterator, shared: each answer is taken once
            await asyncio.sleep(0)  # a judge that never waits lets Ctrl-C through here
            row = Row(id=answer.id, kind=Kind.HAPPY_PATH, question=answer.question, gold=_UNREAD)
            found[place] = await judge_row(
                asked, row, context=answer.context, answer=answer.text, visit=desk.visit()
            )
            on_done()

    waiting = iter(enumerate(answers))
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(at_once, len(answers))):
                group.create_task(worker(waiting))
    finally:
        await close(judge)
    return [verdicts for verdicts in found if verdicts is not None]


@dataclass(frozen=True, slots=True)
class _ClaimsAlone:
    """The judge, offering no more than calibration reads: the rest would cost calls."""

    judge: Judge

    @property
    def name(self) -> str:
        return self.judge.name

    @property
    def offers(self) -> frozenset[str]:
        return self.judge.offers & _NEEDED

    def fingerprint(self) -> dict[str, JsonValue]:
        return self.judge.fingerprint()

    async def ask(self, task: Task) -> Reply:
        return await self.judge.ask(task)
