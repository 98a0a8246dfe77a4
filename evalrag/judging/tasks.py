"""What a judge is asked, what it replies, and the protocol between the two.

A judge is asked one task at a time. It declares what it `offers`, and what it does not offer it is
never asked. Whatever a task cannot show a judge, the judge cannot grade by: the gold and the
reference stand in no task about faithfulness.
"""

import dataclasses
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from pydantic import JsonValue

from evalrag.schema.result import Claim, FactVerdict
from evalrag.schema.row import Row
from evalrag.schema.words import Form, Relevancy


@dataclass(frozen=True, slots=True)
class Example:
    """How people labelled another answer to the same question."""

    answer: str
    label: str


History: TypeAlias = tuple[tuple[str, str], ...]
"""Earlier turns, oldest first: who spoke (`user`, `assistant`, `system`), and what was said."""


def history_of(row: Row) -> History:
    """The earlier turns of a row, as a task shows them: they complete a question or an answer."""
    return tuple((turn.role, turn.content) for turn in row.history)


@dataclass(frozen=True, slots=True)
class FormTask:
    """What does the answer do: answer, decline, correct, ask back?"""

    question: str
    answer: str
    history: History = ()


@dataclass(frozen=True, slots=True)
class ClaimsTask:
    """Which claims does the answer make, and what does the context say of each?

    Question and history are there to complete a short answer ("30 days."), never as evidence.
    """

    question: str
    context: tuple[str, ...]
    answer: str
    claims: tuple[str, ...] = ()
    """The claims to label, in these words and this order; empty where the judge finds them."""
    doubts: tuple[str, ...] = ()
    """What plain code holds against an earlier verdict on each of `claims`."""
    examples: tuple[Example, ...] = ()
    history: History = ()


@dataclass(frozen=True, slots=True)
class FactsTask:
    """Which of the reference facts does the answer state?"""

    question: str
    facts: tuple[str, ...]
    answer: str
    doubts: tuple[str, ...] = ()
    """What plain code holds against an earlier verdict on each of `facts`."""
    history: History = ()
    also: tuple[tuple[str, ...], ...] = ()
    """Other wordings of each of `facts`, for a judge that `reads_wordings`; one is enough."""


@dataclass(frozen=True, slots=True)
class RecallTask:
    """Which of the reference facts does the context support?"""

    facts: tuple[str, ...]
    context: tuple[str, ...]
    doubts: tuple[str, ...] = ()
    """As in `FactsTask`."""
    also: tuple[tuple[str, ...], ...] = ()
    """As in `FactsTask`."""


@dataclass(frozen=True, slots=True)
class RelevancyTask:
    """Does the answer answer the question that was asked?"""

    question: str
    answer: str
    history: History = ()


@dataclass(frozen=True, slots=True)
class UsefulTask:
    """Which passages help to answer the question?"""

    question: str
    context: tuple[str, ...]
    history: History = ()


@dataclass(frozen=True, slots=True)
class Heard:
    """One call of a model: what it cost, and what it said in its own words."""

    task: str
    model: str | None = None
    """The model that the server says it used."""
    finish: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float | None = None
    cached: bool = False
    dropped: tuple[str, ...] = ()
    """Parameters that the model or its server would not take."""
    problem: str | None = None
    """Why the reply settles nothing."""
    raw: str | None = None
    probe: str | None = None
    """The probe whose answer it is about; None where it is about the row's own."""


class Caught(NamedTuple):
    """What plain code held against one verdict of a reply, which was then asked for once more."""

    place: int
    """Among the claims or the facts of the reply, from 0."""
    why: str


@dataclass(frozen=True, slots=True)
class FormReply:
    """`form` is None where the judge is not sure."""

    form: Form | None
    reason: str = ""
    heard: tuple[Heard, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimsReply:
    """Every claim of the answer, each with an id of its own."""

    claims: tuple[Claim, ...]
    heard: tuple[Heard, ...] = ()
    caught: tuple[Caught, ...] = ()
    """What plain code held against a verdict before it was kept. No judge's."""


@dataclass(frozen=True, slots=True)
class FactsReply:
    """Every fact that was asked about, once, in its own words."""

    verdicts: tuple[FactVerdict, ...]
    heard: tuple[Heard, ...] = ()
    caught: tuple[Caught, ...] = ()
    """As in `ClaimsReply`."""


@dataclass(frozen=True, slots=True)
class RelevancyReply:
    """`relevancy` is None where the judge is not sure."""

    relevancy: Relevancy | None
    padded: bool = False
    reason: str = ""
    heard: tuple[Heard, ...] = ()


@dataclass(frozen=True, slots=True)
class UsefulReply:
    """For every passage, in order, whether it helps."""

    useful: tuple[bool, ...]
    reason: str = ""
    heard: tuple[Heard, ...] = ()


Task: TypeAlias = FormTask | ClaimsTask | FactsTask | RecallTask | RelevancyTask | UsefulTask
Reply: TypeAlias = FormReply | ClaimsReply | FactsReply | RelevancyReply | UsefulReply

FORM = "form"
CLAIMS = "claims"
FACTS = "facts"
RECALL = "recall"
RELEVANCY = "relevancy"
USEFUL = "useful"


class Unjudged(Exception):
    """A task that a judge did not settle, and what was heard on the way.

    `judge_failed` is False where it looked at the task and could not decide.
    """

    def __init__(
        self, reason: str, heard: tuple[Heard, ...] = (), *, judge_failed: bool = True
    ) -> None:
        super().__init__(reason)
        self.heard = heard
        self.judge_failed = judge_failed


def sent(task: Task) -> dict[str, JsonValue]:
    """All that a judge is told by a task, as a cache knows it again."""
    told: dict[str, JsonValue] = dataclasses.asdict(task)
    return told


def task_name(task: Task) -> str:
    """`form`, `claims`, `facts`, `recall`, `relevancy` or `useful`."""
    match task:
        case FormTask():
            return FORM
        case ClaimsTask():
            return CLAIMS
        case FactsTask():
            return FACTS
        case RecallTask():
            return RECALL
        case RelevancyTask():
            return RELEVANCY
        case UsefulTask():
            return USEFUL


CLAIM_METRICS = frozenset({"faithfulness", "absent_claims", "contradicted_claims", "hard_fail"})
"""Metrics that rest on claims: a judge that offers one of them is asked for claims."""


class Judge(Protocol):
    """The whole of what a judge is."""

    @property
    def name(self) -> str:
        """As reports name it: `offline-rules/1`."""
        ...

    @property
    def offers(self) -> frozenset[str]:
        """The judged metrics it can measure; see `judging.measures`."""
        ...

    def fingerprint(self) -> dict[str, JsonValue]:
        """Everything that can change a verdict."""
        ...

    async def ask(self, task: Task) -> Reply:
        """Judge one task. Whatever it raises makes that task unresolved, never a pass."""
        ...


def by_rules(judge: Judge) -> bool:
    """It reads words by rules, so that a row's answer checks say all that it could of its facts.

    A judge says so with an attribute `rules`, true.
    """
    return bool(getattr(judge, "rules", False))


def reads_wordings(judge: Judge) -> bool:
    """It is shown one fact with its other wordings, and not each wording as a fact of its own.

    A judge says so with an attribute `wordings`, true.
    """
    return bool(getattr(judge, "wordings", False))
