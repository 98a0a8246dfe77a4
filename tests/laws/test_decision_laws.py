"""Laws of what people decide: none changes nothing, each its own content alone, twice is once."""

import asyncio
from collections.abc import Sequence
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from evalrag.judges.ask import judge_row
from evalrag.judges.offline import OfflineJudge
from evalrag.judging.decided import UNDECIDED, Decided, Decisions
from evalrag.judging.ruling import Read, Thing, counted, ruled
from evalrag.schema.decision import (
    CLAIM_LABELS,
    FACT_LABELS,
    Decision,
    answer_digest,
    context_digest,
)
from evalrag.schema.result import Attempt, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.words import Form, Outcome
from tests.builders import row

SENTENCES = (
    "The fee is 5 euros.",
    "The fee is 7 euros.",
    "Returns take 30 days after delivery.",
    "Roughly 30 days after delivery it closes.",
    "Hello!",
    "I cannot find that in the documents.",
)
texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3).map(" ".join)
facts = st.lists(st.sampled_from(SENTENCES[:4]), max_size=3, unique=True)
Asked = tuple[Row, tuple[str, ...], str]


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    golden = row("r", question=draw(st.sampled_from(["What is the fee?", "How long?"])),
                 reference_facts=draw(facts))  # fmt: skip
    return golden, tuple(draw(st.lists(texts, max_size=2))), draw(texts)


rulings = st.lists(
    st.tuples(st.sampled_from(["claim", "fact", "form"]), st.integers(0, 8)), max_size=5
)


def judged(of: Asked, decided: Decided = UNDECIDED) -> Verdicts:
    golden, context, answer = of
    return asyncio.run(
        judge_row(OfflineJudge(), golden, context=context, answer=answer, decided=decided)
    )


def said_of(of: Asked, chosen: Sequence[tuple[str, int]], verdicts: Verdicts) -> list[Decision]:
    """Decisions as the command makes them of a verdict, of what numbers point at."""
    golden, context, answer = of
    attempt = Attempt(outcome=Outcome.PASS, answer=answer, verdicts=verdicts)
    about: dict[str, Any] = {"row": "r", "reason": "read it", "by": "Ana", "on": "2026-11-30"}
    made = []
    for name, number in chosen:
        forms, labels = tuple(Form), CLAIM_LABELS if name == "claim" else FACT_LABELS
        label = forms[number % len(forms)].value if name == "form" else labels[number % 3]
        there = len(counted(Thing(name, 1, label), attempt))
        if name != "form" and not there:
            continue
        thing = Thing(name, 0 if name == "form" else number % there + 1, label)
        read = Read(answer_digest(golden, answer), context_digest(golden, context))
        made.append(ruled(thing, attempt, read=read, **about)[0])
    return made


def applied(of: Asked, *files: Sequence[Decision]) -> Verdicts:
    golden, context, answer = of
    book = Decisions([one for file in files for one in file])
    return judged(of, book.about(golden, context, answer))


@given(asked())
def test_applying_no_decision_changes_nothing(of: Asked) -> None:
    assert applied(of) == judged(of)


@given(asked(), asked(), rulings)
@example(
    (row("r", question="How long?"), (SENTENCES[2],), SENTENCES[3]),
    (row("r", question="How long?"), (SENTENCES[2], ""), SENTENCES[3]),
    [("claim", 0)],
)
def test_a_decision_never_changes_another_answer_from_another_context(
    of: Asked, other: Asked, chosen: list[tuple[str, int]]
) -> None:
    made = said_of(of, chosen, judged(of))
    another = answer_digest(other[0], other[2]) != answer_digest(of[0], of[2])
    if another and context_digest(*other[:2]) != context_digest(*of[:2]):
        assert applied(other, made) == judged(other)


@given(asked(), rulings)
@example((row("r"), (SENTENCES[2],), SENTENCES[3]), [("claim", 0), ("claim", 1)])
@example((row("r"), (), f"{SENTENCES[0]} {SENTENCES[2]}"), [("claim", 0), ("form", 2)])
def test_applying_twice_is_applying_once(of: Asked, chosen: list[tuple[str, int]]) -> None:
    made = said_of(of, chosen, judged(of))
    once = applied(of, made)

    assert applied(of, made, made) == once
    again = [(name, number) for name, number in chosen if once.form is judged(of).form]
    assert applied(of, made, said_of(of, again, once)) == once


@given(asked(), rulings)
@example((row("r"), (SENTENCES[2],), SENTENCES[3]), [("claim", 1)])
def test_what_is_decided_is_what_is_said_and_all_else_is_as_it_was(
    of: Asked, chosen: list[tuple[str, int]]
) -> None:
    chosen = [(name, number) for name, number in chosen if name != "form"]
    before = judged(of)
    made = said_of(of, chosen, before)
    after = applied(of, made)

    last = {("claim", one.claim) if one.claim else ("fact", one.fact): one.label for one in made}
    assert [(c.id, c.text) for c in after.claims] == [(c.id, c.text) for c in before.claims]
    for old, new in zip(before.claims, after.claims, strict=True):
        assert new.label == last.get(("claim", old.text), old.label)
    for fact, now in zip(before.facts, after.facts, strict=True):
        assert now.label == last.get(("fact", fact.fact), fact.label)
    assert (after.form, after.judge, after.recalled) == (before.form, before.judge, before.recalled)
