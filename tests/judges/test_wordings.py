"""A fact with several wordings before a model judge: one fact, stated when one wording is."""

import json

import pytest

from evalrag.schema.words import FactLabel
from tests.judges.asking import PAGE, PROVIDERS, Asking, row
from tests.judges.scripted import fenced, honest, named
from tests.provider.said import Asked, Provider, Said, Script
from tests.provider.server import KEY, ProviderServer

FACT = ["The refund window is one month from delivery.", PAGE]


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


def stating(quote: str) -> Script:
    def script(asked: Asked) -> Said:
        if not named(fenced(asked.user), "fact f"):
            return honest(asked)
        one = {"id": "f1", "reason": "read", "label": "STATED", "quotes": [quote]}
        return Said(text=json.dumps({"facts": [one]}))

    return script


@PROVIDERS
@pytest.mark.parametrize(
    ("answer", "label"),
    [
        (PAGE, FactLabel.STATED),
        ("The refund window is 14 days from delivery.", FactLabel.UNRESOLVED),
    ],
)
def test_it_is_asked_about_once(
    provider: ProviderServer, provider_name: Provider, answer: str, label: FactLabel
) -> None:
    provider.script = stating(answer)
    found = Asking(provider, provider_name)(answer, [answer], row(reference_facts=[FACT]))

    assert [(one.fact, one.label) for one in found.facts] == [(FACT[0], label)]
    assert [(one.fact, one.label) for one in found.recalled] == [(FACT[0], label)]
    asked = [fenced(call.user) for call in provider.calls if "fact f" in call.user]
    assert asked
    for data in asked:
        assert named(data, "fact f") == [FACT[0]]
        assert named(data, "other wording of f1") == [FACT[1]]
