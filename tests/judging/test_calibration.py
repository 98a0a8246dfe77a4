"""From verdicts to the one label of an answer, and what people and judge disagree about."""

from typing import Any

import pytest

from evalrag.judging.calibration import (
    Judged,
    answer_figures,
    answer_label,
    claim_figures,
    disagreements,
    judged,
)
from evalrag.schema.labels import LabelledRow
from evalrag.schema.result import Claim
from tests.builders import verdicts


def labelled(id: str = "a", label: str = "SUPPORTED", **fields: Any) -> LabelledRow:
    plain = {"question": "q?", "context": "c", "answer": "a"}
    return LabelledRow.model_validate({"id": id, "label": label, **plain, **fields})


@pytest.mark.parametrize(
    ("labels", "worst"),
    [
        (("SUPPORTED", "SUPPORTED"), "SUPPORTED"),
        (("SUPPORTED", "UNRESOLVED"), "UNRESOLVED"),
        (("UNRESOLVED", "ABSENT"), "ABSENT"),
        (("ABSENT", "CONTRADICTED", "UNRESOLVED"), "CONTRADICTED"),
    ],
)
def test_an_answer_is_as_bad_as_its_worst_claim(labels: tuple[str, ...], worst: str) -> None:
    assert answer_label(verdicts("ANSWERED", *labels))[0] == worst
    assert answer_label(verdicts(None, *reversed(labels)))[0] == worst


@pytest.mark.parametrize(
    ("said", "label", "why"),
    [
        pytest.param(
            verdicts("DECLINED", form_reason="declines"), "ABSTAINED", "declines", id="declines"
        ),
        pytest.param(
            verdicts("ANSWERED", claims=(), unresolved={"claims": "no reply in 5 s"}),
            "UNRESOLVED",
            "no reply in 5 s",
            id="not judged",
        ),
        pytest.param(verdicts("QUALIFIED", claims=()), "UNRESOLVED", "no claim", id="no claim"),
        pytest.param(
            verdicts("CORRECTS", claims=()),
            "UNRESOLVED",
            "a correction without further claims",
            id="only corrects",
        ),
        pytest.param(verdicts(None, claims=()), "UNRESOLVED", "no claim", id="no form, no claim"),
    ],
)
def test_an_answer_without_claims_has_a_label_all_the_same(said: Any, label: str, why: str) -> None:
    assert answer_label(said) == (label, why)


def test_a_reason_is_that_of_the_worst_claim() -> None:
    claims = (
        Claim(id="c1", text="x", label="SUPPORTED", reason="stands there"),
        Claim(id="c2", text="y", label="CONTRADICTED", reason="14 here, 30 there"),
    )
    assert answer_label(verdicts("ANSWERED", claims=claims))[1] == "14 here, 30 there"


def test_only_what_agrees_by_no_label_is_a_disagreement_and_open_ones_stand_last() -> None:
    found = [
        judged(labelled("open"), verdicts("ANSWERED", "UNRESOLVED")),
        judged(labelled("wrong", "ABSENT"), verdicts("ANSWERED", "SUPPORTED")),
        judged(labelled("right"), verdicts("ANSWERED", "SUPPORTED")),
        judged(
            labelled("either", "CONTRADICTED", acceptable_labels=["ABSENT"]),
            verdicts("ANSWERED", "ABSENT"),
        ),
    ]

    said = disagreements(found)

    assert [(one.id, one.human, one.judge) for one in said] == [
        ("wrong", "ABSENT", "SUPPORTED"),
        ("open", "SUPPORTED", "UNRESOLVED"),
    ]
    assert said[0].claims == found[1].verdicts.claims
    assert answer_figures(found).agreement.hits == 2


def with_claims(*ours: tuple[str, str], theirs: tuple[tuple[str, str], ...]) -> Judged:
    human = [{"text": text, "label": label} for text, label in ours]
    worst = next(
        label for label in ("CONTRADICTED", "ABSENT", "SUPPORTED") if label in dict(ours).values()
    )
    claims = tuple(
        Claim(id=f"c{n}", text=text, label=label) for n, (text, label) in enumerate(theirs)
    )
    return judged(labelled(label=worst, claims=human), verdicts("ANSWERED", claims=claims))


def test_claims_are_matched_by_their_words() -> None:
    one = with_claims(
        ("It takes  5 days.", "SUPPORTED"),
        ("It is free.", "ABSENT"),
        ("It is blue, and big.", "SUPPORTED"),
        theirs=(("it takes 5 days", "SUPPORTED"), ("It is free!", "SUPPORTED"), ("Big.", "ABSENT")),
    )

    found = claim_figures([one])

    assert found is not None
    assert (found.labelled, found.matched) == (3, 2)
    assert (found.figures.agreement.hits, found.figures.agreement.n) == (1, 2)
    assert found.figures.confusion["ABSENT"]["SUPPORTED"] == 1


def test_a_claim_is_matched_once() -> None:
    one = with_claims(
        ("Yes.", "SUPPORTED"),
        ("Yes.", "ABSENT"),
        theirs=(("Yes", "SUPPORTED"), ("yes", "ABSENT"), ("yes", "CONTRADICTED")),
    )

    found = claim_figures([one])

    assert found is not None
    assert found.figures.agreement.hits == found.matched == 2


def test_where_nobody_labelled_claims_there_is_nothing_to_say_of_them() -> None:
    assert claim_figures([judged(labelled(), verdicts("ANSWERED", "SUPPORTED"))]) is None
