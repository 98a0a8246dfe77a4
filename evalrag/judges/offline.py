"""The judge that needs no key and no network: plain rules, run in this process."""

from dataclasses import dataclass
from typing import ClassVar

from pydantic import JsonValue

from evalrag.judging.forms import FORMS, answer_form
from evalrag.judging.offline import (
    OFFERS,
    RULES,
    judge_claims,
    label_claims,
    recall_facts,
    state_facts,
)
from evalrag.judging.tasks import (
    ClaimsReply,
    ClaimsTask,
    FactsReply,
    FactsTask,
    FormReply,
    FormTask,
    Judge,
    RecallTask,
    RelevancyReply,
    RelevancyTask,
    Reply,
    Task,
    Unjudged,
    UsefulTask,
)


@dataclass(frozen=True, slots=True)
class OfflineJudge:
    """Proves what rules can prove, and says UNRESOLVED of the rest."""

    name: str = RULES
    offers: frozenset[str] = OFFERS
    rules: ClassVar[bool] = True

    def fingerprint(self) -> dict[str, JsonValue]:
        return {"judge": "offline", "rules": RULES, "forms": FORMS}

    async def ask(self, task: Task) -> Reply:
        match task:
            case FormTask(question=question, answer=answer):
                form, reason = answer_form(question, answer)
                return FormReply(form, reason)
            case ClaimsTask(question=question, context=context, claims=claims) if claims:
                return ClaimsReply(label_claims(question, context, claims))
            case ClaimsTask(question=question, context=context, answer=answer):
                return ClaimsReply(judge_claims(question, context, answer))
            case FactsTask(question=question, facts=facts, answer=answer):
                return FactsReply(state_facts(question, facts, answer))
            case RecallTask(facts=facts, context=context):
                return FactsReply(recall_facts(facts, context))
            case RelevancyTask():
                return RelevancyReply(None, reason="not offered by rules")
            case UsefulTask():
                raise Unjudged("not offered by rules")


def build(**settings: JsonValue) -> Judge:
    """The offline judge. It has nothing to set.

    Raises:
        ValueError: when it is given a setting all the same.
    """
    if settings:
        names = ", ".join(sorted(settings))
        raise ValueError(f"the offline judge takes no settings, and was given: {names}")
    return OfflineJudge()
