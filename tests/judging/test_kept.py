"""A settled verdict as a cache keeps it: read back whole, or not at all."""

import json
from typing import Any

import pytest

from evalrag.judging.kept import reply_of, text_of
from evalrag.judging.tasks import (
    Caught,
    ClaimsReply,
    ClaimsTask,
    FactsReply,
    FactsTask,
    Heard,
    Reply,
    Task,
)
from evalrag.schema.result import Claim, FactVerdict
from evalrag.schema.words import FactLabel, Label

CLAIMS = ClaimsTask("How much?", ("It is $5.",), "It is $5.")
FACTS = FactsTask("How much?", ("It is $5.",), "It is $5.")
KEPT = (Heard("claims", model="m", cached=True),)
CLAIM = Claim(id="c1", text="It is $5.", label=Label.SUPPORTED)
FACT = FactVerdict(fact="It is $5.", label=FactLabel.STATED)


@pytest.mark.parametrize("caught", [(), (Caught(0, "no words are quoted"),)], ids=["none", "one"])
@pytest.mark.parametrize(
    ("task", "made"), [(CLAIMS, ClaimsReply((CLAIM,))), (FACTS, FactsReply((FACT,)))]
)
def test_what_was_held_against_a_verdict_is_read_back(
    task: Task, made: Any, caught: tuple[Caught, ...]
) -> None:
    given = type(made)(*_verdicts(made), (Heard("claims", model="m"),), caught)
    back = reply_of(task, text_of(given))
    assert isinstance(back, ClaimsReply | FactsReply)
    assert (_verdicts(back), back.caught) == (_verdicts(given), caught)


@pytest.mark.parametrize(
    "caught", [[[1, "of no claim"]], [[-1, "of no claim"]], [["x", "y"]], [["0"]], 7, None]
)
def test_doubts_that_are_none_make_it_no_entry(caught: Any) -> None:
    body = json.loads(text_of(ClaimsReply((CLAIM,), KEPT, ())))
    assert reply_of(CLAIMS, json.dumps(body)) is not None
    assert reply_of(CLAIMS, json.dumps(body | {"caught": caught})) is None


def _verdicts(reply: Reply) -> tuple[Any, ...]:
    return (reply.claims if isinstance(reply, ClaimsReply) else reply.verdicts,)  # type: ignore[union-attr]
