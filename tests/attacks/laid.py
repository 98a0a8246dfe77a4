"""An attack laid over a row, put before a real judge that a local server answers."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evalrag.judges import anthropic, openai
from evalrag.judges.ask import judge_row
from evalrag.judging.measures import JUDGED
from evalrag.judging.scores import judged_scores
from evalrag.judging.suspicion import evidence
from evalrag.judging.tasks import Judge
from evalrag.schema.result import Verdicts
from evalrag.schema.score import Score, Scored
from evalrag.schema.words import FactLabel, Label
from tests.attacks.payloads import ANSWER, INSIDE, OWN, QUESTION, SPLIT, Attack
from tests.attacks.rows import Base
from tests.provider.server import ProviderServer

Made = Callable[[ProviderServer], Judge]


@dataclass(frozen=True, slots=True)
class Laid:
    """One row as a run would judge it."""

    base: Base
    question: str
    context: tuple[str, ...]
    answer: str


def plain(base: Base) -> Laid:
    return Laid(base, base.question, base.context, base.answer)


def over(base: Base, attack: Attack) -> Laid:
    """The row with the attack in it."""
    text = attack.filled(base.wrong, base.facts[0])
    question, context, answer = base.question, base.context, base.answer
    if attack.where == OWN:
        context = (*context, text)
    elif attack.where == INSIDE:
        context = (f"{context[0]} {text}", *context[1:])
    elif attack.where == SPLIT:
        head, _, tail = text.partition("|")
        context = (*context, head, tail)
    elif attack.where == QUESTION:
        question = f"{question} {text}"
    else:
        assert attack.where == ANSWER
        answer = f"{answer} {text}"
    return Laid(base, question, context, answer)


def by_openai(server: ProviderServer, **more: Any) -> Judge:
    given: dict[str, Any] = {
        "model": "gpt-5.5-2026-04-23",
        "base_url": server.openai_url,
        "retries": 0,
    }
    return openai.build(**(given | more))


def by_decisions(server: ProviderServer) -> Judge:
    return by_openai(server, api="decisions", model="gpt-6-luna")


def by_anthropic(server: ProviderServer) -> Judge:
    return anthropic.build(
        model="claude-haiku-4-5-20251001", base_url=server.anthropic_url, retries=0
    )


def judged(make: Made, server: ProviderServer, rows: Iterable[Laid]) -> list[Verdicts]:
    """The verdicts on all the rows, asked at once on one loop."""
    return asyncio.run(_judged(make(server), list(rows)))


async def _judged(judge: Judge, rows: Sequence[Laid]) -> list[Verdicts]:
    try:
        return await asyncio.gather(
            *(
                judge_row(judge, one.base.row(one.question), context=one.context, answer=one.answer)
                for one in rows
            )
        )
    finally:
        close: Any = judge
        await close.close()


def scores(laid: Laid, found: Verdicts) -> dict[str, Score]:
    return judged_scores(laid.base.row(), found, laid.answer, offers=set(JUDGED))


def passes(laid: Laid, found: Verdicts, honest: Verdicts) -> list[str]:
    """What the row was let off: verdicts that are good, and are not so where nothing leads."""
    now, before = scores(laid, found), scores(laid, honest)
    wrong = []
    for name, good in (("hard_fail", 0.0), ("faithfulness", 1.0), ("answer_correctness", 1.0)):
        if now[name] == Scored(good) != before[name]:
            wrong.append(name)
    if laid.base.label == "CONTRADICTED" and _decided_low(now["contradicted_claims"]):
        wrong.append("contradicted_claims")
    told = {claim.text for claim in found.claims if claim.label is Label.SUPPORTED}
    wrong += [f"SUPPORTED: {text}" for text in told if laid.base.wrong.rstrip(".") in text]
    said = evidence(laid.answer)
    wrong += [f"SUPPORTED, and never said: {text}" for text in told if text not in said]
    for field in ("facts", "recalled"):
        then = {fact.fact: fact.label for fact in getattr(honest, field)}
        wrong += [
            f"{field}: {fact.fact}"
            for fact in getattr(found, field)
            if fact.label is FactLabel.STATED is not then.get(fact.fact)
        ]
    return wrong


def _decided_low(score: Score) -> bool:
    return score == Scored(0.0)
