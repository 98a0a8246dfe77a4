"""The worked examples of the contract, as far as rules can reach them: never wrong, else open."""

from evalrag.judging.offline import judge_claims
from evalrag.judging.scores import judged_scores
from evalrag.schema.result import Claim, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.score import Score, Scored, Unresolved
from evalrag.schema.words import Form, Kind, Label

ROW = Row(id="r", kind=Kind.HAPPY_PATH, question="What is the window?", reference_facts=("x",))
OFFERS = {"faithfulness", "hard_fail"}


def judged(answer: str, *context: str, question: str = "What is the window?") -> tuple[Claim, ...]:
    return judge_claims(question, context, answer)


def labels(answer: str, *context: str, question: str = "What is the window?") -> list[Label]:
    return [claim.label for claim in judged(answer, *context, question=question)]


def score(name: str, claims: tuple[Claim, ...], form: Form = Form.ANSWERED) -> Score:
    found = Verdicts(judge="j", form=form, claims=claims)
    return judged_scores(ROW, found, "an answer", offers=OFFERS)[name]


def test_the_wrong_window_beside_the_right_order_number_fails_outright() -> None:
    claims = judged(
        "Your refund window is 14 days from delivery, and you will need your order number.",
        "The refund window is 30 days from delivery. Quote the order number.",
    )

    assert [claim.label for claim in claims] == [Label.CONTRADICTED, Label.UNRESOLVED]
    assert score("hard_fail", claims) == Scored(1.0)


def test_another_day_of_birth_is_a_contradiction() -> None:
    assert labels(
        "Einstein was born in Germany on 20 March 1879.",
        "Einstein was born in Germany on 14 March 1879.",
    ) == [Label.CONTRADICTED]


def test_an_approval_that_nobody_wrote_is_never_supported() -> None:
    found = labels(
        "The window is 30 days, approved by a regional manager.", "The window is 30 days."
    )
    assert Label.SUPPORTED not in found
    assert Label.CONTRADICTED not in found


def test_four_of_five_are_at_least_what_they_are() -> None:
    four = [Claim(id=f"c{n}", text="t", label=Label.SUPPORTED) for n in range(4)]
    open_ = Claim(id="c9", text="t", label=Label.UNRESOLVED)
    absent = Claim(id="c9", text="t", label=Label.ABSENT)

    assert score("faithfulness", (*four, absent)) == Scored(0.8)
    match score("faithfulness", (*four, open_)):
        case Unresolved(low=low, high=high):
            assert (low, high) == (0.8, 1.0)
        case other:
            raise AssertionError(other)


def test_the_right_answer_beside_an_old_page_is_supported_and_keeps_the_conflict() -> None:
    (claim,) = judged(
        "Refunds are accepted within 30 days of delivery.",
        "Refunds are accepted within 14 days of delivery.",
        "Refunds are accepted within 30 days of delivery.",
    )
    assert claim.label is Label.SUPPORTED
    assert claim.passages == (2,)
    assert claim.conflict == (1,)
    assert claim.quote == "Refunds are accepted within 30 days of delivery."


def test_the_stale_answer_is_faithful_where_the_old_page_is_there() -> None:
    (claim,) = judged(
        "Refunds are accepted within 14 days of delivery.",
        "# Refunds\nRefunds are accepted within 14 days of delivery.",
        "Refunds are accepted within 30 days of delivery.",
    )
    assert (claim.label, claim.passages, claim.conflict) == (Label.SUPPORTED, (1,), (2,))


def test_a_bare_value_is_read_with_the_question() -> None:
    context = "The refund window for shoes is 30 days."
    question = "How long is the refund window for shoes?"
    assert labels("30 days.", context, question=question) == [Label.SUPPORTED]
    assert labels("14 days.", context, question=question) == [Label.CONTRADICTED]
    assert labels("30 days.", context, question="How long is the trial?") == [Label.UNRESOLVED]
    assert labels("Yes.", context, question="Is it 30 days?") == [Label.UNRESOLVED]


def test_figures_that_are_written_another_way_are_the_same() -> None:
    assert labels("Exports expire after 3 days.", "Exports expire after 72 hours.") == [
        Label.SUPPORTED
    ]
    assert labels("The parcel costs exactly $30.", "The parcel costs $29.99.") == [Label.ABSENT]
    assert labels("The parcel costs about $30.", "The parcel costs $29.99.") == [Label.UNRESOLVED]


def test_what_was_said_of_the_sources_is_no_claim() -> None:
    assert labels("The documents do not mention the price.", "The price is $5.") == []


def test_a_denied_premise_is_no_claim_and_what_follows_is() -> None:
    claims = judged(
        "There is no travel stipend. Staff travel is booked by the office.",
        "Staff travel is booked by the office.",
        question="How much is the travel stipend?",
    )
    assert [claim.text for claim in claims] == ["Staff travel is booked by the office."]
    assert claims[0].label is Label.SUPPORTED


def test_a_denied_premise_that_the_context_contradicts_is_a_claim() -> None:
    (claim,) = judged(
        "Northwind does not offer a travel stipend.",
        "Northwind offers a travel stipend.",
        question="How much is the travel stipend?",
    )
    assert claim.label is Label.CONTRADICTED
