"""`api: decisions`: choice questions that a model answers with probabilities, and no words."""

import dataclasses
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from evalrag.judges.calls import CallFailed, Calls
from evalrag.judges.model import OFFERS
from evalrag.judges.rubric import Rubric, named, printed
from evalrag.judges.status import failed
from evalrag.judging.claims import claims_of
from evalrag.judging.fence import neutral
from evalrag.judging.forms import FORMS
from evalrag.judging.guard import GUARD
from evalrag.judging.prompts import FACT_LABELS, LABELS, PROMPTS, prompt_of
from evalrag.judging.tasks import (
    ClaimsReply,
    ClaimsTask,
    FactsReply,
    FactsTask,
    FormReply,
    FormTask,
    Heard,
    RecallTask,
    RelevancyReply,
    RelevancyTask,
    Reply,
    Task,
    Unjudged,
    UsefulTask,
    task_name,
)
from evalrag.schema.result import Claim, FactVerdict
from evalrag.schema.words import FactLabel, Form, Label, Relevancy

if TYPE_CHECKING:
    from openai.types import Decision

    from evalrag.judges.openai_client import OpenAIClient

_MOST = 400
"""Questions that one request may hold."""

_FOREIGN = "the server's reply is none of this protocol"


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer: the label, or None below the confidence that is asked for.

    `failed`: it is none of the labels.
    """

    label: str | None
    reason: str
    failed: bool = False


class DecisionsJudge:
    """Plain code finds the claims; the model chooses a label for each."""

    wordings = True
    cached = True

    def __init__(
        self,
        client: "OpenAIClient",
        *,
        price: dict[str, float] | None = None,
        rubric: Rubric | None = None,
    ) -> None:
        self._client, self.price, self._rubric = client, price, rubric
        self._least = client.given.min_confidence
        self._calls = Calls(client.timeout_s, client.retries)
        self.secrets = client.secrets
        self.name = named(f"openai-decisions/{client.model}", rubric)
        self.offers = OFFERS

    @property
    def model(self) -> str:
        return self._client.model

    def fingerprint(self) -> dict[str, JsonValue]:
        return {
            "judge": "openai",
            "model": self._client.model,
            "settings": self._client.settings(),
            "prompts": PROMPTS,
            "guard": GUARD,
            "forms": FORMS,
            **printed(self._rubric),
        }

    async def close(self) -> None:
        await self._client.close()

    async def ask(self, task: Task) -> Reply:
        """The verdict on a task.

        Raises:
            Unjudged: the endpoint gave none.
        """
        match task:
            case ClaimsTask(claims=claims):
                told = claims or tuple(
                    said.text for said in claims_of(task.question, task.answer) if not said.denial
                )
                chosen, heard = await self._choose(task, told, LABELS)
                return ClaimsReply(tuple(map(_claim, range(1, len(told) + 1), told, chosen)), heard)
            case FactsTask(facts=facts) | RecallTask(facts=facts):
                others = task.also or ((),) * len(facts)
                told = tuple(map(_worded, facts, others))
                chosen, heard = await self._choose(task, told, FACT_LABELS)
                return FactsReply(tuple(map(_fact, facts, chosen)), heard)
            case RelevancyTask(answer=answer):
                (one,), heard = await self._choose(task, (answer,), tuple(Relevancy))
                if one.failed:
                    raise Unjudged(one.reason, heard)
                label = None if one.label is None else Relevancy(one.label)
                return RelevancyReply(label, reason=one.reason, heard=heard)
            case UsefulTask():
                raise Unjudged("not offered by api: decisions")
            case FormTask(answer=answer):
                (one,), heard = await self._choose(task, (answer,), tuple(Form))
                if one.failed:
                    raise Unjudged(one.reason, heard)
                form = None if one.label is None else Form(one.label)
                return FormReply(form, one.reason, heard)

    async def _choose(
        self, task: Task, texts: Sequence[str], labels: Sequence[str]
    ) -> tuple[list[Choice], tuple[Heard, ...]]:
        if not texts:
            return [], ()
        if len(texts) > _MOST:
            raise Unjudged(f"more than {_MOST} claims in one answer")
        if self._calls.final is not None:
            raise Unjudged(self._calls.final)
        marker = secrets.token_hex(6)
        prompt = prompt_of(task, marker, self._rubric.text if self._rubric else "")
        doubts = getattr(task, "doubts", ())
        questions = [
            _question(f"q{n}", text, labels, doubts[n - 1] if n <= len(doubts) else "", marker)
            for n, text in enumerate(texts, 1)
        ]
        heard = Heard(task_name(task))
        began = time.monotonic()
        try:
            data = f"{prompt.instructions}\n{prompt.data}"
            made = await self._calls.within(self._decided(data, questions))
            heard = _heard(heard, made)
            chosen = self._answers(made, questions, labels)
        except CallFailed as error:
            passed, why = time.monotonic() - began, str(error)
            raise Unjudged(
                why, (dataclasses.replace(heard, seconds=passed, problem=why),)
            ) from None
        return chosen, (dataclasses.replace(heard, seconds=time.monotonic() - began),)

    async def _decided(self, data: str, questions: list[dict[str, Any]]) -> "Decision":
        import openai

        try:
            create: Any = self._client.client().decisions.create
            made: Decision = await create(input=data, model=self.model, questions=questions)
        except openai.OpenAIError as error:
            raise failed(error, self._client.timeout_s) from None
        except (AttributeError, TypeError, ValueError):
            raise CallFailed(_FOREIGN) from None
        return made

    def _answers(
        self, made: "Decision", questions: Sequence[dict[str, Any]], labels: Sequence[str]
    ) -> list[Choice]:
        try:
            if len(made.answers) != len(questions):
                raise CallFailed(f"{len(made.answers)} answers to {len(questions)} questions")
            for question, answer in zip(questions, made.answers, strict=True):
                if answer.name not in (None, question["name"]):
                    raise CallFailed(f"an answer to {answer.name} in the place of another")
            return [self._choice(answer, labels) for answer in made.answers]
        except (AttributeError, TypeError, ValueError):
            raise CallFailed(_FOREIGN) from None

    def _choice(self, answer: Any, labels: Sequence[str]) -> Choice:
        if answer.type == "refusal":
            return Choice(None, "the judge refused to judge this", failed=True)
        if answer.type != "choice" or answer.choice not in labels:
            return Choice(None, "an answer that is none of the choices", failed=True)
        sure = float(answer.confidence)
        if not 0.0 <= sure <= 1.0:
            return Choice(None, f"a confidence of {sure:g}", failed=True)
        if sure < self._least:
            return Choice(None, f"{answer.choice} with a confidence of {sure:.2f} only")
        return Choice(str(answer.choice), f"chosen with a confidence of {sure:.2f}")


def _heard(heard: Heard, made: "Decision") -> Heard:
    """What came back, before anything is made of it."""
    try:
        return dataclasses.replace(
            heard,
            model=made.model,
            finish="stop",
            tokens_in=made.usage.input_tokens,
            tokens_out=made.usage.output_tokens,
            raw=made.model_dump_json(include={"answers"}, warnings=False),
        )
    except (AttributeError, TypeError, ValueError):
        raise CallFailed(_FOREIGN) from None


def _question(
    name: str, text: str, labels: Sequence[str], doubt: str, marker: str
) -> dict[str, Any]:
    about = f"Which label is right for this? <<{marker} {neutral(text, marker)}>>"
    if doubt:
        about += f" A program doubts an earlier verdict: <<{marker} {neutral(doubt, marker)}>>"
    choices = [{"value": str(label)} for label in labels]
    return {"type": "choice", "name": name, "instructions": about, "choices": choices}


def _worded(fact: str, others: Sequence[str]) -> str:
    """One fact with all its wordings."""
    return " | or in other words: ".join((fact, *others))


def _claim(number: int, text: str, chosen: Choice) -> Claim:
    label = Label.UNRESOLVED if chosen.label is None else Label(chosen.label)
    code = "confidence" if chosen.label is None and not chosen.failed else None
    return Claim(
        id=f"c{number}",
        text=text,
        label=label,
        reason=chosen.reason,
        code=code,
        judge_failed=chosen.failed,
    )


def _fact(fact: str, chosen: Choice) -> FactVerdict:
    label = FactLabel.UNRESOLVED if chosen.label is None else FactLabel(chosen.label)
    return FactVerdict(fact=fact, label=label, reason=chosen.reason, judge_failed=chosen.failed)
