"""Ask a judge about one row. What it cannot or will not say becomes data: never a pass."""

import dataclasses
from collections.abc import Collection, Mapping, Sequence

from evalrag.judges.desk import Desk, Visit
from evalrag.judges.guarded import guarded_claims, guarded_facts
from evalrag.judging.answer_checks import has_checks
from evalrag.judging.decided import PEOPLE, UNDECIDED, Decided, unsigned
from evalrag.judging.facts import (
    asked_of,
    facts_of,
    facts_of_decline,
    names_of,
    of_facts,
)
from evalrag.judging.forms import FORMS, answer_form
from evalrag.judging.reconciled import named, reconcile_claims, reconcile_facts
from evalrag.judging.retold import another_form
from evalrag.judging.suspicion import suspicious
from evalrag.judging.tasks import (
    CLAIM_METRICS,
    CLAIMS,
    FACTS,
    FORM,
    RELEVANCY,
    USEFUL,
    ClaimsReply,
    ClaimsTask,
    FactsReply,
    FactsTask,
    FormReply,
    FormTask,
    History,
    Judge,
    RecallTask,
    RelevancyReply,
    RelevancyTask,
    Unjudged,
    UsefulReply,
    UsefulTask,
    by_rules,
    history_of,
    task_name,
)
from evalrag.judging.thoughts import spoken
from evalrag.schema.result import Claim, FactVerdict, Verdicts
from evalrag.schema.row import Row, Wordings
from evalrag.schema.words import Form, Relevancy


async def judge_row(
    judge: Judge,
    row: Row,
    *,
    context: Sequence[str],
    answer: str | None,
    visit: Visit | None = None,
    decided: Decided = UNDECIDED,
    only: Collection[str] | None = None,
) -> Verdicts:
    """Everything that `judge` offers and this row calls for.

    Args:
        judge: who judges.
        row: the golden row: its question, its references.
        context: the passages that the model was given, in their order.
        answer: the pipeline's answer; None in a retrieval-only plan.
        visit: where the questions are put, with a cache and a limit; `judge.ask` itself by
            default. What was heard stands in it afterwards.
        decided: what people decided about this very answer. It stands before plain code and
            judge, nobody is asked for it, and no cache keeps it.
        only: metrics to ask for, with the form; all that the judge offers by default.

    Returns:
        The verdicts. Whatever a judge raises makes that task unresolved, with the error as the
        reason; cancellation is never caught.
    """
    visit = visit or Desk(judge).visit()
    offers = frozenset(judge.offers)
    if only is not None:
        offers &= {*only, "answer_form"}
    return await _Asking(judge, row, tuple(context), visit, decided, offers).verdicts(answer)


@dataclasses.dataclass(slots=True)
class _Asking:
    """One row in front of one judge; lives for the length of one `judge_row`."""

    judge: Judge
    row: Row
    context: tuple[str, ...]
    visit: Visit
    decided: Decided
    offers: frozenset[str]
    unresolved: dict[str, str] = dataclasses.field(default_factory=dict)
    failed: set[str] = dataclasses.field(default_factory=set)
    guard: list[str] = dataclasses.field(default_factory=list)

    @property
    def history(self) -> History:
        return history_of(self.row)

    @property
    def asked(self) -> str:
        """All that was asked, with the turns before it."""
        return "\n".join((*(said for _, said in self.history), self.row.question))

    async def verdicts(self, answer: str | None) -> Verdicts:
        form: Form | None = None
        form_by: str | None = None
        form_reason = ""
        claims: tuple[Claim, ...] = ()
        facts: tuple[FactVerdict, ...] = ()
        relevancy: Relevancy | None = None
        padded = False
        whole, answer = answer, None if answer is None else spoken(answer).strip()
        if answer:
            form, form_by, form_reason = await self._form(answer)
            if whole is not None and answer != whole.strip():
                form_reason = f"{form_reason} (text between <think> marks is left out)"
            claims = await self._claims(answer, form)
            facts = await self._facts(answer, form)
            relevancy, padded = await self._relevancy(answer, form)
        return Verdicts(
            judge=self.visit.judge_digest,
            form=form,
            form_by=form_by,
            form_reason=form_reason,
            claims=claims,
            facts=facts,
            recalled=await self._recalled(),
            relevancy=relevancy,
            padded=padded,
            useful=await self._useful(),
            unresolved=self.unresolved,
            failed=tuple(task for task in self.unresolved if task in self.failed),
            guard=tuple(self.guard),
            suspicious=suspicious(self.context, whole, self.asked),
        )

    async def _form(self, answer: str) -> tuple[Form | None, str | None, str]:
        """People first, then plain code; the judge is asked only where that is not sure."""
        ruling = self.decided.form
        if ruling is not None:
            return ruling.form, PEOPLE, ruling.why
        form, reason = answer_form(self.row.question, answer)
        if form is not None:
            return form, FORMS, reason
        if "answer_form" in self.offers:
            try:
                reply = await self.visit.ask(FormTask(self.row.question, answer, self.history))
                if not isinstance(reply, FormReply):
                    raise Unjudged(f"replied with {type(reply).__name__}")
                other = reply.form and another_form(reply.form, self.row.question, answer)
                if other:
                    self.guard.append(f"form: {other}")
                    reason = f"guard: {other}"
                elif reply.form is not None:
                    return reply.form, self.judge.name, reply.reason
                else:
                    reason = reply.reason or reason
            except Exception as error:  # noqa: BLE001  a judge may raise anything
                self._unjudged(FORM, error)
                return None, None, self.unresolved[FORM]
        self.unresolved[FORM] = reason
        return None, None, reason

    async def _claims(self, answer: str, form: Form | None) -> tuple[Claim, ...]:
        if form is Form.DECLINED or not CLAIM_METRICS & self.offers:
            return ()
        if self.decided.claims:
            return await self._claims_left(answer)
        try:
            task = ClaimsTask(self.row.question, self.context, answer, history=self.history)
            return self.decided.relabelled(await self._labelled(task))
        except Exception as error:  # noqa: BLE001
            self._unjudged(CLAIMS, error)
            return ()

    async def _claims_left(self, answer: str) -> tuple[Claim, ...]:
        """The claims as people saw them. The judge labels those that they left to it."""
        decided = self.decided
        said: Mapping[str, Claim] = {}
        why, failed = "", False
        if decided.open_claims:
            asked = decided.open_claims
            task = ClaimsTask(
                self.row.question, self.context, answer, claims=asked, history=self.history
            )
            try:
                said = {claim.text: claim for claim in await self._labelled(task)}
            except Exception as error:  # noqa: BLE001
                why, failed = _said(error), _failed(error)
        return decided.with_claims(said, why, judge_failed=failed)

    async def _labelled(self, task: ClaimsTask) -> tuple[Claim, ...]:
        """The judge's claims, those that it was given by their names among all.

        Raises:
            Exception: whatever the judge raises.
        """
        reply = await self.visit.ask(task)
        if not isinstance(reply, ClaimsReply):
            raise Unjudged(f"replied with {type(reply).__name__}")
        reconcile_claims(reply.claims, len(self.context))
        told = unsigned(reply.claims)
        if task.claims:
            told = named(told, task.claims, self.decided.claims)
        self.visit.keep(task, dataclasses.replace(reply, claims=told))  # paid for: not to lose
        claims, caught = await guarded_claims(self.visit, task, told, self.asked)
        claims, caught = unsigned(claims), (*reply.caught, *caught)
        self.visit.keep(task, dataclasses.replace(reply, claims=claims, caught=caught))
        self.guard += [f"{claims[place].id}: {why}" for place, why in caught]
        return claims

    async def _facts(self, answer: str, form: Form | None) -> tuple[FactVerdict, ...]:
        facts = facts_of(self.row)
        if not facts or "answer_correctness" not in self.offers:
            return ()
        if has_checks(self.row) and by_rules(self.judge) and not self.decided.facts:
            return ()
        open_ = tuple(fact for fact in facts if fact[0] not in self.decided.facts)
        said: tuple[FactVerdict, ...] = ()
        if form is Form.DECLINED:
            said = facts_of_decline(open_)
        elif open_:
            names, also = asked_of(self.judge, open_)
            task = FactsTask(self.row.question, names, answer, history=self.history, also=also)
            said = await self._about_facts(task, open_, facts)
        if len(open_) == len(facts):
            return said
        failed, why = FACTS in self.failed, self.unresolved.pop(FACTS, "")
        return self.decided.with_facts(names_of(facts), said, why, judge_failed=failed)

    async def _recalled(self) -> tuple[FactVerdict, ...]:
        facts = self.row.reference_facts
        if not facts or "claim_recall" not in self.offers:
            return ()
        names, also = asked_of(self.judge, facts)
        return await self._about_facts(RecallTask(names, self.context, also=also), facts, facts)

    async def _about_facts(
        self,
        task: FactsTask | RecallTask,
        facts: tuple[Wordings, ...],
        among: tuple[Wordings, ...],
    ) -> tuple[FactVerdict, ...]:
        """A verdict on each of `facts`, whose wordings the task asks about.

        What was caught is named by its place `among` all facts of the row.
        """
        try:
            reply = await self.visit.ask(task)
            if not isinstance(reply, FactsReply):
                raise Unjudged(f"replied with {type(reply).__name__}")
            verdicts = reconcile_facts(reply.verdicts, task.facts)
            self.visit.keep(task, dataclasses.replace(reply, verdicts=verdicts))
            verdicts, caught = await guarded_facts(self.visit, task, verdicts, self.asked)
            caught = (*reply.caught, *caught)
        except Exception as error:  # noqa: BLE001
            self._unjudged(task_name(task), error)
            return ()
        self.visit.keep(task, dataclasses.replace(reply, verdicts=verdicts, caught=caught))
        for place, why in caught:
            wording = verdicts[place].fact
            number = next(at for at, fact in enumerate(among, 1) if wording in fact)
            self.guard.append(f"fact {number}: {why}")
        return of_facts(facts, verdicts)

    async def _useful(self) -> tuple[bool, ...]:
        if not self.context or "passage_usefulness" not in self.offers:
            return ()
        task = UsefulTask(self.row.question, self.context, self.history)
        try:
            reply = await self.visit.ask(task)
            if not isinstance(reply, UsefulReply) or len(reply.useful) != len(self.context):
                raise Unjudged("a reply that is not about every passage")
        except Exception as error:  # noqa: BLE001
            self._unjudged(USEFUL, error)
            return ()
        self.visit.keep(task, reply)
        return reply.useful

    async def _relevancy(self, answer: str, form: Form | None) -> tuple[Relevancy | None, bool]:
        apart = form in (Form.DECLINED, Form.CORRECTS, Form.CLARIFIES)
        if apart or "answer_relevancy" not in self.offers:
            return None, False
        task = RelevancyTask(self.row.question, answer, self.history)
        try:
            reply = await self.visit.ask(task)
            if not isinstance(reply, RelevancyReply):
                raise Unjudged(f"replied with {type(reply).__name__}")
        except Exception as error:  # noqa: BLE001
            self._unjudged(RELEVANCY, error)
            return None, False
        if reply.relevancy is None:
            self.unresolved[RELEVANCY] = reply.reason or "not sure"
        self.visit.keep(task, reply)
        return reply.relevancy, reply.padded

    def _unjudged(self, task: str, error: Exception) -> None:
        self.unresolved[task] = _said(error)
        if _failed(error):
            self.failed.add(task)


def _failed(error: Exception) -> bool:
    """No usable reply, for whatever reason: only a judge that says so left the task open."""
    return not isinstance(error, Unjudged) or error.judge_failed


def _said(error: Exception) -> str:
    words = str(error).strip() or "no message"
    if isinstance(error, Unjudged):
        return words
    return f"{type(error).__name__}: {words}"
