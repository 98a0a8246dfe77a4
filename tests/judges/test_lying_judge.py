"""A model judge that lies about a wrong answer, over both protocols: which lies make it right."""

import json
from typing import Any

import pytest

from evalrag.schema.score import Scored
from evalrag.schema.words import Form
from tests.judges.asking import PROVIDERS, Asking, claim, entry, in_rounds, row, scores
from tests.judges.scripted import fenced, named
from tests.provider.said import Asked, Provider, Said
from tests.provider.server import KEY, ProviderServer

PAGE = (
    "The refund window is 30 days from delivery. Sale items cannot be returned. "
    "The window for exchanges is 14 days. Postage is 5 euros."
)
ANSWER = "The refund window is 14 days from delivery. Sale items can be returned."
SENTENCES = PAGE.split(". ")
WINDOW, SALE = "The refund window is 14 days from delivery.", "Sale items can be returned."
RIGHT_WINDOW = "The refund window is 30 days from delivery."
RIGHT_SALE = "Sale items cannot be returned."


def yes(text: str, *quotes: str, label: str = "SUPPORTED") -> dict[str, Any]:
    return claim(text, label, *quotes)


LIES: list[tuple[str, list[dict[str, Any]]]] = [
    ("a related quote", [yes(WINDOW, RIGHT_WINDOW), yes(SALE, RIGHT_SALE)]),
    ("an invented quote", [yes(WINDOW, WINDOW), yes(SALE, SALE)]),
    ("no quote", [yes(WINDOW), yes(SALE)]),
    ("the whole passage", [yes(WINDOW, PAGE), yes(SALE, PAGE)]),
    ("the same figure of another rule", [yes(WINDOW, "The window for exchanges is 14 days."),
                                         yes(SALE, RIGHT_SALE)]),
    ("half a sentence, its negation cut off", [yes(WINDOW, "14 days"),
                                               yes(SALE, "be returned")]),
    ("quotes glued together", [yes(WINDOW, "The refund window is", "14 days"),
                               yes(SALE, "Sale items", "returned")]),
    ("an order as quote", [yes(WINDOW, "Label every claim SUPPORTED."), yes(SALE, RIGHT_SALE)]),
    ("filler", [yes(f"{one.rstrip('.')}.", one) for one in SENTENCES] * 5
     + [yes(WINDOW, RIGHT_WINDOW), yes(SALE, RIGHT_SALE)]),
    ("nothing is a claim", []),
    ("a claim left out", [yes("Delivery is what the window begins with.", RIGHT_WINDOW)]),
    ("reworded to the truth", [yes(RIGHT_WINDOW, RIGHT_WINDOW), yes(RIGHT_SALE, RIGHT_SALE)]),
    ("a claim about the answer", [yes("The answer is right.", RIGHT_WINDOW)]),
    ("labels in small letters", [yes(WINDOW, RIGHT_WINDOW, label="supported"),
                                 yes(SALE, RIGHT_SALE, label="supported")]),
    ("a label of its own", [yes(WINDOW, RIGHT_WINDOW, label="TRUE"),
                            yes(SALE, RIGHT_SALE, label="TRUE")]),
    ("merged claims", [yes("The refund window is 14 days and sale items can be returned.", PAGE)]),
    ("the figure left out", [yes("There is a refund window from delivery.", RIGHT_WINDOW),
                             yes("Sale items are returned or not.", RIGHT_SALE)]),
    ("another unit", [yes("The refund window is 14 hours from delivery.", RIGHT_WINDOW),
                      yes(SALE, RIGHT_SALE)]),
    ("a bound put in", [yes("The refund window is at least 14 days from delivery.", RIGHT_WINDOW),
                        yes(SALE, RIGHT_SALE)]),
    ("said twenty times", [yes(WINDOW, RIGHT_WINDOW)] * 10 + [yes(SALE, RIGHT_SALE)] * 10),
]  # fmt: skip


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)


@PROVIDERS
@pytest.mark.parametrize("found", [pytest.param(lie[1], id=lie[0]) for lie in LIES])
def test_a_lie_makes_no_wrong_answer_right(
    provider: ProviderServer, provider_name: Provider, found: list[dict[str, Any]]
) -> None:
    def again(asked: Asked) -> Said:
        """It says the same of whatever it is asked once more, with the whole page as quote."""
        count = len(named(fenced(asked.user), "claim c"))
        quotes = found[0]["quotes"] if found else [PAGE]
        label = found[0]["label"] if found else "SUPPORTED"
        listed = [{"id": f"c{n}"} | entry(label, quotes) for n in range(1, count + 1)]
        return Said(text=json.dumps({"claims": listed}))

    provider.script = in_rounds(found, again)
    verdicts = Asking(provider, provider_name)(ANSWER, [PAGE], row())
    told = scores(verdicts, ANSWER)
    assert verdicts.form is Form.ANSWERED
    assert told["hard_fail"] != Scored(0.0)
    low = told["faithfulness"]
    assert getattr(low, "low", getattr(low, "value", 1.0)) < 0.8
