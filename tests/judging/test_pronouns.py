"""A claim that begins with a pronoun is in conflict with what is said of the same subject alone."""

import pytest

from evalrag.judging.offline import judge_claims, label_claims

FILMS, BOOKS = "Can films be renewed?", "Can books be renewed?"
PAGE = "Books can be renewed twice online or at the desk."
DENIES = "They cannot be renewed."


@pytest.mark.parametrize(
    ("question", "answer", "context", "label"),
    [
        pytest.param(FILMS, DENIES, PAGE, "UNRESOLVED", id="the question is about another"),
        pytest.param(BOOKS, DENIES, PAGE, "CONTRADICTED", id="the question is about the same"),
        pytest.param("Can they be renewed?", DENIES, PAGE, "UNRESOLVED", id="about nobody knows"),
        pytest.param("How long?", DENIES, PAGE, "UNRESOLVED", id="the question names nothing"),
        pytest.param(
            BOOKS, f"Films are lent for a week. {DENIES}", PAGE, "UNRESOLVED", id="said of another"
        ),
        pytest.param(
            FILMS, f"Books are lent too. {DENIES}", PAGE, "CONTRADICTED", id="said of the same"
        ),
        pytest.param(
            BOOKS, "Films are lent for a week and they cannot be renewed.", PAGE, "UNRESOLVED",
            id="in one sentence, of another",
        ),
        pytest.param(
            FILMS, DENIES, "Films are lent for a week. They can be renewed once.", "CONTRADICTED",
            id="the page says it of a pronoun, of the same",
        ),
        pytest.param(
            FILMS, DENIES, "Books are lent for a week. They can be renewed once.", "UNRESOLVED",
            id="the page says it of a pronoun, of another",
        ),
        pytest.param(
            "What about it?", DENIES, f"{PAGE} They can be renewed by post.", "CONTRADICTED",
            id="neither names its subject",
        ),
        pytest.param(
            FILMS, "These cannot be renewed.", PAGE, "UNRESOLVED", id="pointing is no name either"
        ),
        pytest.param(
            FILMS, "These books cannot be renewed.", PAGE, "CONTRADICTED", id="pointing at a noun"
        ),
        pytest.param(
            FILMS, "Books cannot be renewed.", PAGE, "CONTRADICTED", id="a subject of its own"
        ),
        pytest.param(
            "How long is the loan of films?",
            "It lasts two weeks at most.",
            "The loan of books lasts three weeks at most, after two weeks a note is sent.",
            "UNRESOLVED",
            id="a loan of something else, and figures on both sides",
        ),
        pytest.param(
            "How much rain fell?",
            "It was the most rain since 1945.",
            "The storm brought 112 mm of rain, the most since 1954.",
            "CONTRADICTED",
            id="what the question is about stands in the sentence",
        ),
        pytest.param(
            "What does the Team plan cost?",
            "It costs $9 a month for each user.",
            "The Solo plan costs $5 a month for each user. The Team plan costs more than $9.",
            "UNRESOLVED",
            id="another name, though both are plans",
        ),
        pytest.param(
            "What does the Team plan cost?",
            "It costs $9 a month for each user.",
            "The Team plan costs $5 a month for each user.",
            "CONTRADICTED",
            id="the name that the question says",
        ),
    ],
)  # fmt: skip
def test_whom_a_pronoun_stands_for(question: str, answer: str, context: str, label: str) -> None:
    assert judge_claims(question, [context], answer)[-1].label.value == label


def test_an_open_conflict_says_why_it_is_open() -> None:
    (claim,) = judge_claims(FILMS, [PAGE], DENIES)

    assert claim.code == "negation"
    assert claim.reason == "negation; that may be another subject than the pronoun's"
    assert claim.quote == PAGE


def test_claims_that_people_cut_are_read_in_their_order() -> None:
    told = label_claims(BOOKS, [PAGE], ["Films are lent for a week.", DENIES, "Books are.", DENIES])

    assert [claim.label.value for claim in told][1::2] == ["UNRESOLVED", "CONTRADICTED"]
