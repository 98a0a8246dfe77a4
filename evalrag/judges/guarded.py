"""Verdicts of support held against the words they rest on: asked once more, and then left open."""

import dataclasses
from collections.abc import Mapping, Sequence

from evalrag.judges.desk import Visit
from evalrag.judging.guard import doubt, opposed
from evalrag.judging.offline import state_facts
from evalrag.judging.retold import unclaimed, unsaid
from evalrag.judging.tasks import (
    Caught,
    ClaimsReply,
    ClaimsTask,
    FactsReply,
    FactsTask,
    RecallTask,
    Unjudged,
)
from evalrag.schema.result import Claim, FactVerdict
from evalrag.schema.words import FactLabel, Label

CODE = "guard"
"""The reason code of a claim that the guard left open."""


async def guarded_claims(
    visit: Visit, task: ClaimsTask, claims: Sequence[Claim]
) -> tuple[tuple[Claim, ...], tuple[Caught, ...]]:
    """The claims with every doubted one asked again, and all that was doubted.

    Raises:
        Exception: whatever the judge raises, but what it raises when asked again: then the
            doubted claims stay open.
    """
    await visit.let_calls_go()
    doubts = {place: why for place, one in enumerate(claims) if (why := _doubted(one, task))}
    added = []
    if not task.claims:
        open_ = {"label": Label.UNRESOLVED}  # a doubted claim speaks for no statement
        seen = [c.model_copy(update=open_) if n in doubts else c for n, c in enumerate(claims)]
        added = unclaimed(task.question, task.answer, seen, task.context)
    for text, why in added:
        doubts[len(claims)] = why
        name = f"c{len(claims) + 1}"
        claims = (*claims, Claim(id=name, text=text, label=Label.UNRESOLVED))
    if not doubts:
        return tuple(claims), ()
    again = dataclasses.replace(
        task, claims=tuple(claims[place].text for place in doubts), doubts=tuple(doubts.values())
    )
    said = await _labelled_again(visit, again)
    final = list(claims)
    for place, why in doubts.items():
        final[place] = _second(claims[place], why, said, task)
    failed = {place for place, claim in enumerate(claims) if claim.judge_failed}
    if not task.claims:
        _still_missed(final, doubts, task)
    caught = (Caught(place, why) for place, why in doubts.items() if place not in failed)
    return tuple(final), tuple(caught)


def _still_missed(final: list[Claim], doubts: dict[int, str], task: ClaimsTask) -> None:
    """Leave open every statement of the answer that the second verdicts do not settle either."""
    for text, why in unclaimed(task.question, task.answer, final, task.context):
        place = next((n for n in doubts if final[n].text == text), len(final))
        if place == len(final):
            final.append(Claim(id=f"c{place + 1}", text=text, label=Label.UNRESOLVED))
            doubts[place] = why
        final[place] = _open(final[place], why, judge_failed=final[place].judge_failed)


async def guarded_facts(
    visit: Visit,
    task: FactsTask | RecallTask,
    verdicts: Sequence[FactVerdict],
) -> tuple[tuple[FactVerdict, ...], tuple[Caught, ...]]:
    """The same for reference facts, held against the answer or the context."""
    await visit.let_calls_go()
    doubts = {place: why for place, one in enumerate(verdicts) if (why := _misstated(one, task))}
    if not doubts:
        return tuple(verdicts), ()
    facts = tuple(verdicts[place].fact for place in doubts)
    again = dataclasses.replace(task, facts=facts, doubts=tuple(doubts.values()))
    try:
        reply = await visit.ask(again)
        found = reply.verdicts if isinstance(reply, FactsReply) else ()
    except Unjudged:
        found = ()
    said = {one.fact: one for one in found}
    final = list(verdicts)
    for place, why in doubts.items():
        one = said.get(verdicts[place].fact)
        if verdicts[place].judge_failed and (one is None or one.judge_failed):
            continue
        failed = one is None or one.judge_failed
        if one is None or _misstated(one, task):
            open_ = {"label": FactLabel.UNRESOLVED, "reason": f"guard: {why}"}
            one = verdicts[place].model_copy(update={**open_, "judge_failed": failed})
        final[place] = one
    sound = (place for place in doubts if not verdicts[place].judge_failed)
    return tuple(final), tuple(Caught(place, doubts[place]) for place in sound)


def _doubted(claim: Claim, task: ClaimsTask) -> str | None:
    """What stands against a label of support, and against calling absent what is contradicted."""
    if claim.judge_failed:
        return claim.reason
    if claim.label is Label.ABSENT:
        return opposed(claim.text, task.context, task.question)
    if claim.label is not Label.SUPPORTED:
        return None
    texts = task.context
    if claim.quote is None and claim.passages:
        texts = tuple(task.context[place - 1] for place in claim.passages)
    why = None if task.claims else unsaid(claim.text, task.question, task.answer)
    return why or doubt(claim.text, claim.quote, texts, task.question)


def _misstated(verdict: FactVerdict, task: FactsTask | RecallTask) -> str | None:
    if verdict.judge_failed:
        return verdict.reason
    if verdict.label is FactLabel.MISSING and isinstance(task, FactsTask):
        (found,) = state_facts(task.question, (verdict.fact,), task.answer)
        wrong = found.label is FactLabel.CONTRADICTED
        return f"the answer says otherwise: {found.reason}" if wrong else None
    if verdict.label is not FactLabel.STATED:
        return None
    if isinstance(task, RecallTask):
        return doubt(verdict.fact, verdict.quote, task.context)
    return doubt(verdict.fact, verdict.quote, (task.answer,), task.question)


async def _labelled_again(visit: Visit, task: ClaimsTask) -> Mapping[str, Claim]:
    """By the claim's words; empty where the judge has no second verdict."""
    try:
        reply = await visit.ask(task)
    except Unjudged:
        return {}
    return {one.text: one for one in reply.claims} if isinstance(reply, ClaimsReply) else {}


def _second(claim: Claim, why: str, said: Mapping[str, Claim], task: ClaimsTask) -> Claim:
    """The second verdict, unless it only says again what was doubted."""
    second = said.get(claim.text)
    if second is None or any(
        not 1 <= place <= len(task.context) for place in (*second.passages, *second.conflict)
    ):
        return claim if claim.judge_failed else _open(claim, why, judge_failed=True)
    if second.judge_failed:
        return claim if claim.judge_failed else _open(claim, second.reason, judge_failed=True)
    still = _doubted(second, task)
    return second.model_copy(update={"id": claim.id}) if still is None else _open(claim, still)


def _open(claim: Claim, why: str, *, judge_failed: bool = False) -> Claim:
    update = {"label": Label.UNRESOLVED, "code": CODE, "reason": f"guard: {why}", "conflict": ()}
    return claim.model_copy(update={**update, "judge_failed": judge_failed})
