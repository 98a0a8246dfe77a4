"""What people decided: which decision stands, on what, and which of them a run had no use for."""

from typing import Any

import pytest
from pydantic import ValidationError

from evalrag.judging.decided import PEOPLE, UNDECIDED, Decisions, unsigned
from evalrag.judging.ruling import Nothing, Read, Thing, ruled
from evalrag.schema.decision import Decision, answer_digest, context_digest
from evalrag.schema.result import Attempt, Claim, FactVerdict, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.words import FactLabel, Form, Label, Outcome
from tests.builders import claims, row, verdicts

ROW = row("r")
CONTEXT = ["It is $5.", "It is red."]
ANSWER = "It is $5 and red."
READ = Read(answer_digest(ROW, ANSWER), context_digest(ROW, CONTEXT))


def decision(**fields: Any) -> Decision:
    base: dict[str, Any] = {"content": READ.answer, "row": "r", "reason": "read it"}
    base |= {"by": "Ana", "on": "2026-11-30"}
    if "claim" in fields:
        base |= {"content": READ.context, "answer": READ.answer}
        base |= {"claims": ("claim 1", "claim 2"), "label": "SUPPORTED"}
    if "fact" in fields:
        base |= {"label": "STATED"}
    return Decision.model_validate(base | fields)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        pytest.param({}, "one of them", id="about nothing"),
        pytest.param({"form": "ANSWERED", "fact": "f"}, "one of them", id="about two things"),
        pytest.param({"claim": "claim 1", "label": "STATED"}, "SUPPORTED, ABSENT", id="a fact's"),
        pytest.param({"claim": "claim 1", "label": "UNRESOLVED"}, "label of a claim", id="open"),
        pytest.param({"fact": "f", "label": ""}, "STATED, MISSING", id="a fact without a label"),
        pytest.param({"form": "ANSWERED", "label": "ABSENT"}, "about the form", id="a form's"),
        pytest.param({"form": "ANSWERED", "claims": ("a",)}, "go with a claim", id="odd claims"),
        pytest.param({"claim": "claim 3"}, "not among the claims", id="a claim of another answer"),
        pytest.param({"form": "ANSWERED", "on": "30.11.2026"}, "YYYY-MM-DD", id="a day"),
        pytest.param({"form": "ANSWERED", "content": "abc"}, "content", id="no digest"),
        pytest.param({"form": "ANSWERED", "reason": ""}, "reason", id="no reason"),
        pytest.param({"form": "MAYBE"}, "form", id="a form that there is not"),
    ],
)
def test_a_decision_is_about_one_thing_in_its_own_words(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        decision(**fields)


OTHER = row("r", question="Another?")
LATER = row("r", history=[{"role": "user", "content": "Hi."}])


@pytest.mark.parametrize(
    ("golden", "answer"),
    [
        pytest.param(OTHER, ANSWER, id="question"),
        pytest.param(LATER, ANSWER, id="history"),
        pytest.param(ROW, "It is $6 and red.", id="answer"),
    ],
)
def test_a_form_and_a_fact_read_question_and_answer(golden: Row, answer: str) -> None:
    assert answer_digest(golden, answer) != READ.answer


@pytest.mark.parametrize(
    ("golden", "context"),
    [
        pytest.param(OTHER, CONTEXT, id="question"),
        pytest.param(LATER, CONTEXT, id="history"),
        pytest.param(ROW, CONTEXT[:1], id="less context"),
        pytest.param(ROW, [*CONTEXT, "It is big."], id="more context"),
        pytest.param(ROW, ["It is $5.It is red."], id="context cut otherwise"),
    ],
)
def test_a_claim_reads_question_and_passages(golden: Row, context: list[str]) -> None:
    assert context_digest(golden, context) != READ.context


def test_nothing_else_is_read() -> None:
    same = row("other", "near-miss", question=f" {ROW.question}\n", note="n")

    assert answer_digest(same, f"{ANSWER} ") == READ.answer
    assert context_digest(same, [*CONTEXT[::-1], CONTEXT[0]]) == READ.context


def test_another_context_voids_no_decision_on_a_fact_or_a_form() -> None:
    book = Decisions([decision(fact="f"), decision(form="ANSWERED"), decision(claim="claim 1")])

    found = book.about(ROW, ["Something else."], ANSWER)

    assert list(found.facts) == ["f"]
    assert found.form is not None
    assert found.labels == {}


def test_a_claim_stays_decided_in_another_answer_from_the_same_context() -> None:
    book = Decisions([decision(claim="claim 1"), decision(fact="f")])
    found = book.about(ROW, CONTEXT, "Another answer.")
    said = verdicts("ANSWERED", claims=claims("ABSENT", "ABSENT"))

    assert (found.claims, found.facts) == ((), {})
    assert [claim.label for claim in found.over(said).claims] == ["SUPPORTED", "ABSENT"]


def test_stored_verdicts_take_what_people_decided() -> None:
    book = Decisions([decision(claim="claim 1"), decision(fact="f"), decision(form="CORRECTS")])
    facts = (FactVerdict(fact="f", label=FactLabel.MISSING),)
    said = verdicts("ANSWERED", claims=claims("ABSENT", "SUPPORTED"), facts=facts)

    found = book.about(ROW, CONTEXT, ANSWER).over(said)

    assert (found.form, found.form_by) == (Form.CORRECTS, PEOPLE)
    assert [(c.label.value, c.code) for c in found.claims] == [
        ("SUPPORTED", PEOPLE), ("SUPPORTED", None)]  # fmt: skip
    assert [fact.label.value for fact in found.facts] == ["STATED"]
    assert UNDECIDED.over(said) is said


def test_a_later_decision_on_the_same_thing_wins() -> None:
    said = [
        decision(claim="claim 1", label="ABSENT"),
        decision(form="ANSWERED"),
        decision(claim="claim 1"),
        decision(form="DECLINED"),
        decision(fact="f", label="MISSING"),
        decision(fact="f"),
    ]

    found = Decisions(said).about(ROW, CONTEXT, ANSWER)

    assert found.labels["claim 1"].label == "SUPPORTED"
    assert found.form is not None
    assert found.form.form is Form.DECLINED
    assert found.facts["f"].label == "STATED"
    assert len(Decisions(said)) == 3


def test_where_claims_were_cut_in_two_ways_the_later_cut_stands() -> None:
    said = [
        decision(claim="claim 1"),
        decision(claim="claim 2"),
        decision(claim="claim 2", claims=("claim 2", "claim 3"), label="ABSENT"),
    ]

    found = Decisions(said).about(ROW, CONTEXT, ANSWER)

    assert found.claims == ("claim 2", "claim 3")
    assert list(found.labels) == ["claim 1", "claim 2"]
    assert found.labels["claim 2"].label == "ABSENT"
    assert found.open_claims == ("claim 3",)


def test_a_claim_that_is_decided_anew_brings_its_cut_back() -> None:
    other = ("claim 2", "claim 3")
    said = [
        decision(claim="claim 1"),
        decision(claim="claim 3", claims=other),
        decision(claim="claim 1", label="ABSENT"),
    ]

    found = Decisions(said).about(ROW, CONTEXT, ANSWER)

    assert found.claims == ("claim 1", "claim 2")
    assert {text: one.label for text, one in found.labels.items()} == {
        "claim 1": "ABSENT", "claim 3": "SUPPORTED"}  # fmt: skip


def test_without_an_answer_nothing_is_decided() -> None:
    assert Decisions([decision(form="ANSWERED")]).about(ROW, CONTEXT, None) is UNDECIDED


def test_what_was_used_is_known_by_its_rows_and_the_rest_by_why_not() -> None:
    elsewhere = answer_digest(ROW, "Another answer.")
    form, claim = decision(form="ANSWERED"), decision(claim="claim 1")
    fact = decision(fact="never asked")
    changed = decision(form="ANSWERED", content=elsewhere, row="s")
    gone = decision(form="ANSWERED", content=elsewhere[::-1], row="gone")
    older = decision(form="ANSWERED", content="0" * 64, row="r")
    book = Decisions([form, claim, fact, changed, gone, older])

    decided = book.about(ROW, CONTEXT, ANSWER)
    said = verdicts("ANSWERED", by=PEOPLE, claims=decided.with_claims({}, "not asked"))
    book.used("r", decided, said)

    assert list(book.rows) == ["r"]
    assert book.idle({"r", "s"}, {"r", "s"}) == ((changed, gone), (fact,))
    assert book.idle({"r"}, {"r", "s"}) == ((gone,), (fact,))


def test_a_decision_that_a_judge_had_no_ear_for_is_not_used() -> None:
    form = decision(form="ANSWERED")
    book = Decisions([form])

    decided = book.about(ROW, CONTEXT, ANSWER)
    book.used("r", decided, verdicts("ANSWERED", by="forms/1"))

    assert list(book.rows) == []
    assert book.idle({"r"}, {"r"}).unused == (form,)


def test_no_judge_signs_for_people() -> None:
    forged = Claim(id="c1", text="t", label=Label.SUPPORTED, code=PEOPLE)
    own = Claim(id="c2", text="t", label=Label.SUPPORTED, code="guard")

    assert [claim.code for claim in unsigned((forged, own))] == [None, "guard"]


FACTS = (FactVerdict(fact="f", label=FactLabel.MISSING),)
SAID = verdicts("ANSWERED", claims=claims("SUPPORTED", "UNRESOLVED"), facts=FACTS)


def attempt(said: Verdicts | None, answer: str | None = ANSWER) -> Attempt:
    return Attempt(outcome=Outcome.UNRESOLVED, answer=answer, verdicts=said)


def decided(thing: Thing, of: Attempt) -> tuple[Decision, str]:
    return ruled(thing, of, read=READ, row="r", reason="read it", by="Ana", on="2026-11-30")


@pytest.mark.parametrize(
    ("thing", "made", "was"),
    [
        (Thing("claim", 2, "ABSENT"), decision(claim="claim 2", label="ABSENT"), "UNRESOLVED"),
        (Thing("fact", 1, "STATED"), decision(fact="f"), "MISSING"),
        (Thing("form", 0, "CORRECTS"), decision(form="CORRECTS"), "ANSWERED (forms/1)"),
    ],
)
def test_a_number_points_as_show_counts(thing: Thing, made: Decision, was: str) -> None:
    assert decided(thing, attempt(SAID)) == (made, was)


@pytest.mark.parametrize(
    ("thing", "of", "said"),
    [
        pytest.param(Thing("claim", 3, "ABSENT"), attempt(SAID), "from 1 to 2", id="beyond"),
        pytest.param(Thing("claim", -1, "ABSENT"), attempt(SAID), "from 1 to 2", id="before"),
        pytest.param(Thing("claim", 1, "ABSENT"), attempt(None), "no answer", id="not judged"),
        pytest.param(Thing("form", 0, "DECLINED"), attempt(SAID, " "), "no answer", id="empty"),
        pytest.param(
            Thing("claim", 1, "ABSENT"),
            attempt(verdicts("DECLINED")),
            "no claim: the answer declines",
            id="a decline",
        ),
        pytest.param(
            Thing("fact", 1, "STATED"),
            attempt(verdicts(facts=(), unresolved={"facts": "time-out"})),
            "no fact: time-out",
            id="a judge that failed",
        ),
    ],
)
def test_what_is_not_there_cannot_be_decided(thing: Thing, of: Attempt, said: str) -> None:
    with pytest.raises(Nothing, match=said):
        decided(thing, of)


def test_an_open_form_was_undecided() -> None:
    assert decided(Thing("form", 0, "ANSWERED"), attempt(verdicts(None)))[1] == "undecided"
