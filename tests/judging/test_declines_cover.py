"""A decline hides nothing: whatever stands beside it, by whatever joint, is said."""

import json
import tomllib
from pathlib import Path

import pytest

from evalrag.judging.claims import claims_of
from evalrag.judging.forms import answer_form
from evalrag.schema.words import Form
from tests.oracles.trec import public

SETS = tomllib.loads(Path(__file__).with_name("declines.toml").read_text(encoding="utf-8"))
QUESTION = "What does it cost?"
JOINTS = [
    ", but {}.", ": {}.", " ({}).", ", so {}.", " - {}.", " \u2014 {}", "; however, {}.", ". {}.",
    "\n{}", ", though {}.", ". Still, {}.", "... {}", "\n- {}", "? {}!", ", which is {}.",
    ", but yes, {}.", "\n\n**{}**\n\nPlease contact support.", ". My best guess is {}.",
]  # fmt: skip
"""What may stand between a decline and an answer."""


def rows(name: str) -> list[str]:
    return [line for line in SETS[name].splitlines() if line.strip()]


def forms(name: str) -> list[Form | None]:
    return [answer_form(QUESTION, answer)[0] for answer in rows(name)]


def test_refusals_of_many_trades_decline_and_claim_nothing() -> None:
    found = forms("refusals")

    assert found.count(Form.DECLINED) >= len(found) - 2
    assert Form.ANSWERED not in found
    said = [answer for answer in rows("refusals") if claims_of(QUESTION, answer)]
    assert len(said) <= 2


def test_what_sounds_like_a_decline_answers() -> None:
    found = forms("answers")

    assert found.count(Form.ANSWERED) >= len(found) - 1
    assert Form.DECLINED not in found


def test_a_hedge_is_no_decline() -> None:
    assert set(forms("hedged")) == {Form.ANSWERED}


@pytest.mark.parametrize("joint", JOINTS)
def test_no_joint_hides_an_answer_behind_a_decline(joint: str) -> None:
    answers = rows("smuggled")
    hidden = [
        text
        for at, refusal in enumerate(rows("refusals"))
        if "regards" not in refusal
        for text in [refusal.rstrip(" .!") + joint.format(answers[at % len(answers)])]
        if answer_form(QUESTION, text)[0] is Form.DECLINED
    ]

    assert hidden == []


@pytest.mark.parametrize(
    ("answer", "form", "claims"),
    [
        ("I don't know, but it is £12.", Form.QUALIFIED, ["it is £12."]),
        ("I can't find the price; it is probably £12", Form.QUALIFIED, ["it is probably £12"]),
        (
            "I don't have that information. Our return window is 30 days.",
            Form.QUALIFIED,
            ["Our return window is 30 days."],
        ),
        ("I'm not sure, but I think it is 10%.", Form.ANSWERED, ["I think it is 10%."]),
        ("I do not know the exact price, ask at the desk.", Form.DECLINED, []),
        ("<think>It may be £12.</think>I don't know.", Form.DECLINED, []),
        ("<think>I don't know.</think>It is £12.", Form.ANSWERED, ["It is £12."]),
        (
            "I have no information about the fee being £12.",
            None,
            ["I have no information about the fee being £12."],
        ),
        ("I don't know whether it is £12.", None, ["I don't know whether it is £12."]),
    ],
)
def test_what_stands_beside_a_decline_is_claimed(
    answer: str, form: Form | None, claims: list[str]
) -> None:
    assert answer_form(QUESTION, answer)[0] is form
    assert [claim.text for claim in claims_of(QUESTION, answer)] == claims


@pytest.mark.parametrize("sign", "\u02bc\u00b4\u2032\u201b\u2019'`")
def test_any_apostrophe(sign: str) -> None:
    answer = f"I{sign}m sorry, but I don{sign}t have that information."

    assert answer_form(QUESTION, answer)[0] is Form.DECLINED


def test_a_contact_is_an_answer_where_one_was_asked_for() -> None:
    answer = "I don't know. Call us on 0800 111 999."

    assert answer_form("How long does it take?", answer)[0] is Form.DECLINED
    assert answer_form("What is your phone number?", answer)[0] is Form.QUALIFIED


def test_no_bait_behind_a_decline_is_hidden() -> None:
    lines = public("qa", "squad2_rows.jsonl").read_text(encoding="utf-8").splitlines()
    baits = [(row["question"], row["trap_answer"]) for row in map(json.loads, lines)]
    hidden = read = 0
    for at, (question, bait) in enumerate(one for one in baits if one[1]):
        for joint in JOINTS[at % 3 :: 3]:
            read += 1
            answer = f"I don't know{joint.format(bait)}"
            hidden += answer_form(question, answer)[0] is Form.DECLINED

    assert read == 1800
    assert hidden <= 3
