"""Verdicts of support held against the words they rest on: asked once more, and then left open.

Kept verdicts are held against their words like fresh ones: a sound one was doubted by nothing when
it was kept, and costs no call.
"""

import dataclasses
from collections.abc import Mapping, Sequence

from evalrag.judges.desk import Visit
from evalrag.judging.guard import doubt, proven_otherwise
from evalrag.judging.offline import state_facts
from evalrag.judging.retold import repeated, unclaimed, unsaid
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
    visit: Visit, task: ClaimsTask, claims: Sequence[Claim], asked: str
) -> tuple[tuple[Claim, ...], tuple[Caught, ...]]:
    """The claims with every doubted one asked again, and all that was doubted.

    Args:
        visit: where they are asked again.
        task: what was asked.
        claims: what the judge said.
        asked: the question with the turns before it.

    Raises:
        Exception: whatever the judge raises, but what it raises when asked again: then the
            doubted claims stay open.
    """
    await visit.let_calls_go()
    if not task.claims:
        twice = repeated(claims)
        claims = [claim for place, claim in enumerate(claims) if place not in twice]
    final = list(claims)
    doubts = {place: why for place, one in enumerate(claims) if (why := _doubted(one, task, asked))}
    if not task.claims:
        open_ = {"label": Label.UNRESOLVED}  # a doubted claim speaks for no statement
        seen = [c.model_copy(update=open_) if n in doubts else c for n, c in enumerate(final)]
        for text, why in unclaimed(asked, task.answer, seen, task.context):
            doubts[len(final)] = why
            final.append(_added(text, len(final)))
    if not doubts:
        return tuple(final), ()
    again = dataclasses.replace(
        task, claims=tuple(final[place].text for place in doubts), doubts=tuple(doubts.values())
    )
    said = await _labelled_again(visit, again)
    failed = {place for place in doubts if final[place].judge_failed}
    for place, why in doubts.items():
        final[place] = _second(final[place], why, said, task, asked)
    if not task.claims:
        for text, why in unclaimed(asked, task.answer, final, task.context):
            place = next((n for n in doubts if final[n].text == text), len(final))
            if place == len(final):
                final.append(_added(text, place))
            doubts[place] = why
            final[place] = _open(final[place], why, judge_failed=final[place].judge_failed)
    caught = (
        Caught(place, why)
        for place, why in doubts.items()
        if place not in failed or final[place].code == CODE
    )
    return tuple(final), tuple(caught)


async def guarded_facts(
    visit: Visit,
    task: FactsTask | RecallTask,
    verdicts: Sequence[FactVerdict],
    asked: str,
) -> tuple[tuple[FactVerdict, ...], tuple[Caught, ...]]:
    """The same for reference facts, held against the answer or the context."""
    await visit.let_calls_go()
    doubts = {
        place: why for place, one in enumerate(verdicts) if (why := _misstated(one, task, asked))
    }
    if not doubts:
        return tuple(verdicts), ()
    facts = tuple(verdicts[place].fact for place in doubts)
    also = tuple(task.also[place] for place in doubts) if task.also else ()
    again = dataclasses.replace(task, facts=facts, doubts=tuple(doubts.values()), also=also)
    try:
        reply = await visit.ask(again)
        found = reply.verdicts if isinstance(reply, FactsReply) else ()
    except Unjudged:
        found = ()
    said = {one.fact: one for one in found}
    final = list(verdicts)
    for place, why in doubts.items():
        first, second = verdicts[place], said.get(verdicts[place].fact)
        if second is None or second.judge_failed:
            final[place] = first if first.judge_failed else _unsettled(first, why, failed=True)
        else:
            still = _misstated(second, task, asked)
            final[place] = second if still is None else _unsettled(first, still, failed=False)
    sound = (place for place in doubts if not verdicts[place].judge_failed)
    return tuple(final), tuple(Caught(place, doubts[place]) for place in sound)


def _doubted(claim: Claim, task: ClaimsTask, asked: str) -> str | None:
    """What stands against a label of support, and against calling absent what is contradicted."""
    if claim.judge_failed:
        return claim.reason
    if claim.label is Label.ABSENT:
        return proven_otherwise(claim.text, task.context, asked)
    if claim.label is not Label.SUPPORTED:
        return None
    texts = task.context
    if claim.quote is None and claim.passages:
        texts = tuple(task.context[place - 1] for place in claim.passages)
    why = None if task.claims else unsaid(claim.text, asked, task.answer)
    return why or doubt(claim.text, claim.quote, texts, asked)


def _misstated(verdict: FactVerdict, task: FactsTask | RecallTask, asked: str) -> str | None:
    if verdict.judge_failed:
        return verdict.reason
    others = dict(zip(task.facts, task.also, strict=True)) if task.also else {}
    wordings = (verdict.fact, *others.get(verdict.fact, ()))
    if verdict.label is FactLabel.MISSING and isinstance(task, FactsTask):
        found = state_facts(task.question, wordings, task.answer)
        wrong = [one for one in found if one.label is FactLabel.CONTRADICTED]
        if not wrong or any(one.label is FactLabel.STATED for one in found):
            return None
        return f"the answer says otherwise: {wrong[0].reason}"
    if verdict.label is not FactLabel.STATED:
        return None
    texts = task.context if isinstance(task, RecallTask) else (task.answer,)
    given = "" if isinstance(task, RecallTask) else asked
    doubts = [doubt(wording, verdict.quote, texts, given) for wording in wordings]
    return None if None in doubts else doubts[0]


async def _labelled_again(visit: Visit, task: ClaimsTask) -> Mapping[str, Claim]:
    """By the claim's words; empty where the judge has no second verdict."""
    try:
        reply = await visit.ask(task)
    except Unjudged:
        return {}
    return {one.text: one for one in reply.claims} if isinstance(reply, ClaimsReply) else {}


def _second(
    claim: Claim, why: str, said: Mapping[str, Claim], task: ClaimsTask, asked: str
) -> Claim:
    """The second verdict, unless it only says again what was doubted."""
    second = said.get(claim.text)
    if second is None or second.judge_failed or _out_of_range(second, task):
        return claim if claim.judge_failed else _open(claim, why, judge_failed=True)
    still = _doubted(second, task, asked)
    return second.model_copy(update={"id": claim.id}) if still is None else _open(claim, still)


def _out_of_range(claim: Claim, task: ClaimsTask) -> bool:
    places = (*claim.passages, *claim.conflict)
    return not all(1 <= place <= len(task.context) for place in places)


def _added(text: str, place: int) -> Claim:
    return Claim(id=f"c{place + 1}", text=text, label=Label.UNRESOLVED)


def _open(claim: Claim, why: str, *, judge_failed: bool = False) -> Claim:
    update = {"label": Label.UNRESOLVED, "code": CODE, "reason": f"guard: {why}", "conflict": ()}
    return claim.model_copy(update={**update, "judge_failed": judge_failed})


def _unsettled(verdict: FactVerdict, why: str, *, failed: bool) -> FactVerdict:
    open_ = {"label": FactLabel.UNRESOLVED, "reason": f"guard: {why}", "judge_failed": failed}
    return verdict.model_copy(update=open_)
