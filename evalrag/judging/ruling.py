"""From what a person points at, in a verdict that was shown, to a decision that can be kept."""

from typing import NamedTuple

from evalrag.judging.tasks import CLAIMS, FACTS
from evalrag.schema.decision import Decision
from evalrag.schema.result import Attempt, Verdicts
from evalrag.schema.words import Form


class Thing(NamedTuple):
    """What is decided, and as what: `claim` or `fact` with its number from 1, or `form` with 0."""

    name: str
    number: int
    label: str

    def __str__(self) -> str:
        return f"{self.name} {self.number}" if self.number else self.name


class Nothing(Exception):
    """What was pointed at is not there, and why not."""


def counted(thing: Thing, attempt: Attempt) -> tuple[str, ...]:
    """The texts among which a number points: in the order in which `evalrag show` prints them."""
    said = attempt.verdicts
    if said is None or thing.name == "form":
        return ()
    if thing.name == "claim":
        return tuple(claim.text for claim in said.claims)
    return tuple(fact.fact for fact in said.facts)


class Read(NamedTuple):
    """What was read before deciding, as digests: see `Decision`."""

    answer: str
    context: str


def ruled(
    thing: Thing, attempt: Attempt, *, read: Read, row: str, reason: str, by: str, on: str
) -> tuple[Decision, str]:
    """The decision, and what the verdict was before it.

    Raises:
        Nothing: there is no such claim or fact, or no answer at all.
    """
    said = attempt.verdicts
    if said is None or not (attempt.answer or "").strip():
        raise Nothing("there is no answer to judge")
    content = read.context if thing.name == "claim" else read.answer
    base = {"content": content, "row": row, "reason": reason, "by": by, "on": on}
    if thing.name == "form":
        was = f"{said.form} ({said.form_by})" if said.form else "undecided"
        return Decision.model_validate(base | {"form": thing.label}), was
    texts = counted(thing, attempt)
    if not 1 <= thing.number <= len(texts):
        raise Nothing(_why_not(thing, len(texts), said))
    place = thing.number - 1
    about: dict[str, object] = {thing.name: texts[place], "label": thing.label}
    if thing.name == "claim":
        about |= {"claims": texts, "answer": read.answer}
        return Decision.model_validate(base | about), said.claims[place].label.value
    return Decision.model_validate(base | about), said.facts[place].label.value


def _why_not(thing: Thing, there_are: int, said: Verdicts) -> str:
    if there_are:
        return f"there is no {thing}: they are numbered from 1 to {there_are}"
    why = said.unresolved.get(CLAIMS if thing.name == "claim" else FACTS)
    if why is None and thing.name == "claim" and said.form is Form.DECLINED:
        why = "the answer declines"
    return f"the verdict names no {thing.name}" + (f": {why}" if why else "")
