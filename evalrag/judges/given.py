"""A judge of the user's own: its promises checked once, its calls kept from harming the run."""

import difflib
import inspect
import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pydantic import JsonValue, ValidationError

from evalrag.adapters.loops import Loops
from evalrag.adapters.threads import OutOfTime
from evalrag.judging.decided import PEOPLE
from evalrag.judging.measures import FREE, JUDGED
from evalrag.judging.tasks import (
    ClaimsReply,
    FactsReply,
    FormReply,
    RelevancyReply,
    Reply,
    Task,
    Unjudged,
    UsefulReply,
)
from evalrag.redaction import raised
from evalrag.schema.frozen import first_wrong
from evalrag.schema.result import Claim, FactVerdict
from evalrag.schema.words import Form, Relevancy

P = TypeVar("P", Claim, FactVerdict)

MAY_OFFER = frozenset(JUDGED) - FREE | {"answer_form"}
PARTS = ("name", "offers", "fingerprint", "ask")


class GivenJudge:
    """Stands before the user's judge.

    It runs on a loop in a thread of its own, so that one that blocks, exits or swallows
    cancellation costs the question it was asked and no other; what it says is checked before
    anything is made of it.
    """

    def __init__(self, made: Any, *, limit: float, redact: Callable[[str], str]) -> None:
        self._made, self._limit, self._redact = made, limit, redact
        self._loops = Loops()
        self.name = _name(made.name)
        self.offers = _offers(made.offers)
        self._fingerprint = _fingerprint(made.fingerprint())

    def fingerprint(self) -> dict[str, JsonValue]:
        """As it was when the judge was made: one run has one judge."""
        return self._fingerprint

    async def ask(self, task: Task) -> Reply:
        """The reply, in the shape that the task calls for.

        Raises:
            Unjudged: it raised, took too long, or said what is no reply.
        """
        try:
            outcome = await self._loops.run(lambda: self._ask(task), self._limit)
        except OutOfTime:
            raise Unjudged(f"no verdict in {self._limit:g} s") from None
        if outcome.error is not None:
            raise Unjudged(raised(outcome.error, self._redact))
        return _checked(outcome.value)

    def close(self) -> None:
        """End the thread of its loop; a question that is asked later begins another."""
        self._loops.close()

    async def _ask(self, task: Task) -> Any:
        said = self._made.ask(task)
        return await said if inspect.isawaitable(said) else said


def _name(name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ValueError("its name is not a text")
    if name.strip() == PEOPLE:
        raise ValueError(f"its name is {PEOPLE!r}, as verdicts of people are signed")
    return name


def _offers(offers: object) -> frozenset[str]:
    if isinstance(offers, str) or not isinstance(offers, Iterable):
        raise ValueError("its offers are not a set of metric names")
    found = list(offers)
    for name in found:
        if name not in MAY_OFFER:
            near = difflib.get_close_matches(str(name), MAY_OFFER, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]!r}?" if near else f": {', '.join(sorted(MAY_OFFER))}"
            raise ValueError(f"it offers {name!r}, which no judge can{hint}")
    return frozenset(found)


def _fingerprint(said: object) -> dict[str, JsonValue]:
    if not isinstance(said, dict):
        raise ValueError("its fingerprint() is not a dict")
    kept: dict[str, JsonValue] = json.loads(json.dumps(said, allow_nan=False))
    return kept


def _part(kind: type[P], said: dict[str, Any]) -> P:
    """One verdict. A label that there is not costs that one, and hides none beside it."""
    try:
        return kind.model_validate(said)
    except ValidationError as error:
        why = f"a label that cannot be used: {first_wrong(error)}"
        bare = {"label": "UNRESOLVED", "reason": why, "judge_failed": True}
        if {wrong["loc"][:1] for wrong in error.errors(include_url=False)} != {("label",)}:
            raise
        return kind.model_validate(said | bare)


def _checked(reply: object) -> Reply:
    """The reply made of valid parts: one that was put together past its checks is none."""
    try:
        match reply:
            case ClaimsReply(claims=claims):
                return ClaimsReply(tuple(_part(Claim, dict(claim)) for claim in claims))
            case FactsReply(verdicts=verdicts):
                return FactsReply(tuple(_part(FactVerdict, dict(one)) for one in verdicts))
            case FormReply(form=form, reason=reason):
                return FormReply(None if form is None else Form(form), str(reason))
            case UsefulReply(useful=useful, reason=reason):
                if not all(isinstance(one, bool) for one in useful):
                    raise ValueError("useful is no list of true and false")
                return UsefulReply(tuple(useful), str(reason))
            case RelevancyReply(relevancy=relevancy, padded=padded, reason=reason):
                known = None if relevancy is None else Relevancy(relevancy)
                return RelevancyReply(known, bool(padded), str(reason))
    except ValidationError as error:
        raise Unjudged(f"a reply that cannot be used: {first_wrong(error)}") from None
    except (TypeError, ValueError) as error:
        raise Unjudged(f"a reply that cannot be used: {error}") from None
    raise Unjudged(f"replied with {type(reply).__name__}")
