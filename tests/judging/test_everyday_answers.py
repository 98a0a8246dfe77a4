"""Everyday answers of ten domains: right ones, and ones wrong by one small word or value."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evalrag.judging.offline import judge_claims, state_facts
from evalrag.schema.words import FactLabel, Label

FILE = Path(__file__).with_name("everyday_answers.jsonl")
DOMAINS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
OVER = "Returns take 30 days. The shop opened in 1998 with 12 people. Shipping costs £48 for 20 kg."


def labels(domain: dict[str, Any], answers: str) -> list[tuple[str, set[Label]]]:
    return [
        (answer, {claim.label for claim in judge_claims(question, domain["context"], answer)})
        for question, answer in domain[answers]
    ]


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: str(domain["id"]))
def test_no_right_answer_is_red(domain: dict[str, Any]) -> None:
    red = {Label.CONTRADICTED, Label.ABSENT}

    assert [answer for answer, judged in labels(domain, "right") if judged & red] == []


def test_half_of_the_right_answers_are_supported() -> None:
    found = Counter(
        judged == {Label.SUPPORTED} for domain in DOMAINS for _, judged in labels(domain, "right")
    )

    assert found[True] >= 60


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: str(domain["id"]))
def test_no_wrong_answer_is_supported_or_states_a_fact(domain: dict[str, Any]) -> None:
    facts = re.split(r"(?<=\.)\s+", " ".join(domain["context"]))

    assert [
        answer for answer, judged in labels(domain, "wrong") if judged == {Label.SUPPORTED}
    ] == []
    for question, answer in domain["wrong"]:
        verdicts = state_facts(question, facts, answer)
        assert all(verdict.label is not FactLabel.STATED for verdict in verdicts), answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("", "Shipping 40 kg would be £96, twice the price of 20 kg."),
        ("", "The shop has existed for 28 years as of 2026."),
        ("How much is it for 3 parcels?", "That would be £144."),
        ("", "The shop opened in the 1990s."),
        ("", "Returns take about 27 days."),
        ("", "It weighs 44 lb."),
        ("", "Passage 14 says how long returns take."),
        ("", "The 5G phone is slow."),
        ("", "This holds for Windows 11 too."),
        ("", "There are 5 things to know."),
        ("", "Returns take between 28 and 31 days."),
        ("", "I am 100% sure."),
        ("", "On average, it comes to £2.40 a kilo."),
    ],
)
def test_what_an_answer_counts_reckons_or_names_is_no_proof_of_absence(
    question: str, answer: str
) -> None:
    assert {claim.label for claim in judge_claims(question, [OVER], answer)} <= {Label.UNRESOLVED}


@pytest.mark.parametrize(
    "answer",
    [
        "The warehouse stores 4,711 boxes.",
        "Call us at +44 20 7946 0991.",
        "Gift cards cost £35.",
        "The sale ends on 14 March 2027.",
        "Write to help@shop.example for a new label.",
        "The warranty lasts 19 months.",
        "Use the coupon SAVE2041.",
        "Alloy wheels get 17% off.",
    ],
)
def test_a_figure_of_the_subject_that_stands_nowhere_is_absent(answer: str) -> None:
    assert {claim.label for claim in judge_claims("", [OVER], answer)} == {Label.ABSENT}
