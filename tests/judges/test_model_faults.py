"""What a provider can do wrong: each leaves the row unresolved, with a reason that says which."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from evalrag.schema.score import Scored, Unresolved
from evalrag.schema.words import FactLabel, Label, Relevancy
from tests.judges.asking import (
    PAGE,
    PROVIDERS,
    Asking,
    again,
    changed_claims,
    claim,
    entry,
    in_rounds,
    on_claims,
    only,
    row,
    scores,
)
from tests.judges.scripted import body_of, fenced, honest
from tests.provider import said
from tests.provider.said import Asked, Provider, Said, Script
from tests.provider.server import KEY, ProviderServer

TWO = "The refund window is 30 days from delivery. Quote the order number."
"""An answer of two sentences."""


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)


def made_of(change: Callable[[str], str]) -> Script:
    """The honest reply about claims, its text changed."""
    return on_claims(lambda asked: said.text(change(json.dumps(body_of(asked)))))


def first(body: dict[str, Any]) -> dict[str, Any]:
    sentence: dict[str, Any] = body["sentences"][0]
    return sentence


def first_claim(body: dict[str, Any]) -> dict[str, Any]:
    claim: dict[str, Any] = first(body)["claims"][0]
    return claim


UNREADABLE: list[tuple[str, Script, str]] = [
    ("half a JSON", on_claims(lambda asked: said.half(json.dumps(body_of(asked)))), "not one JSON"),
    ("no JSON", on_claims(said.text("It seems to be fine.")), "it is not one JSON object"),
    (
        "two fences",
        made_of(lambda text: f"```json\n{text}\n```\nOr:\n```json\n{text}\n```"),
        "more than one fenced text",
    ),
    (
        "an object beside a fence",
        made_of(lambda text: f"As the passage says: {text}\n```json\n{text}\n```"),
        "more in braces",
    ),
    ("a fence that does not end", made_of(lambda text: f"```json\n{text}"), "not one JSON"),
    (
        "thinking that ends twice",
        made_of(lambda text: f"<think>It says </think>{text}.</think>{text}"),
        "thinking more than once",
    ),
    ("JSON and then words", made_of(lambda text: f"{text} I hope this helps!"), "not one JSON"),
    ("two objects", made_of(lambda text: text + text), "it is not one JSON object"),
    ("a list", made_of(lambda text: f"[{text}]"), "the reply is no JSON object"),
    ("nested too deep", on_claims(said.text("[" * 30_000)), "nested too deep"),
    ("null content", on_claims(said.null()), "it is empty"),
    ("no words", on_claims(said.text("  \n")), "it is empty"),
    ("a verdict missing", changed_claims(lambda b: b["sentences"].pop()), "no verdict on s2"),
    (
        "one too many",
        changed_claims(lambda b: b["sentences"].append({"id": "s3", "claims": [], "none": "x"})),
        "a verdict that was not asked for: 's3'",
    ),
    (
        "one twice",
        changed_claims(lambda b: b["sentences"].append(b["sentences"][0])),
        "'s1' has 2 verdicts",
    ),
    (
        "a claim without words",
        changed_claims(lambda b: first_claim(b).update(claim=" ")),
        "a claim of s1 has no words",
    ),
    (
        "a sentence without a claim or a word why",
        changed_claims(lambda b: first(b).update(claims=[])),
        "sentence s1 has no claim and no word why",
    ),
    (
        "a duplicate key",
        made_of(lambda text: text.replace('{"id": "s1"', '{"id": "s1", "id": "s1"', 1)),
        "a key stands in it twice",
    ),
    (
        "NaN",
        made_of(lambda text: text.replace('"none": ""', '"none": NaN', 1)),
        "NaN",
    ),
]


@PROVIDERS
@pytest.mark.parametrize(
    ("script", "why"), [pytest.param(*fault[1:], id=fault[0]) for fault in UNREADABLE]
)
def test_what_cannot_be_read_is_asked_for_once_more_and_then_open(
    provider: ProviderServer, provider_name: Provider, script: Script, why: str
) -> None:
    provider.script = script
    asking = Asking(provider, provider_name)
    found = asking(TWO, [TWO])

    assert (found.claims, list(found.unresolved)) == ((), ["claims"])
    assert found.unresolved["claims"].startswith("the reply cannot be used: ")
    assert why in found.unresolved["claims"]
    assert found.relevancy is Relevancy.ANSWERS
    told = scores(found, TWO)
    assert told["faithfulness"] == Unresolved(
        found.unresolved["claims"], 0.0, 1.0, judge_failed=True
    )
    assert told["hard_fail"] == Unresolved(found.unresolved["claims"], 0.0, 1.0, judge_failed=True)

    first, second = asking.claims_calls
    assert "An earlier reply could not be used" not in first.user
    assert "An earlier reply could not be used" in second.user
    assert why in second.user
    assert [heard.task for heard in asking.heard] == ["claims", "claims", "relevancy"]
    assert all(why in (heard.problem or "") for heard in asking.heard[:2])
    assert all(heard.tokens_in for heard in asking.heard)


WRAPPED: list[tuple[str, Callable[[str], str]]] = [
    ("a fence", lambda text: f"```json\n{text}\n```"),
    ("a fence without a name", lambda text: f"```\n{text}\n```\n"),
    ("a fence of tildes", lambda text: f"~~~ json\n{text}\n~~~"),
    ("words around a fence", lambda text: f"Sure!\n\n```JSON\n{text}\n```\nI hope this helps!"),
    ("thinking", lambda text: f"<think>Let me see: {{'a': 1}}\n</think>\n\n{text}"),
    ("thinking whose start is not sent", lambda text: f"Let me see.\n</think>\n{text}"),
    ("thinking and a fence", lambda text: f"<THINKING>\n```\nx\n```</THINKING>\n```\n{text}\n```"),
    ("marks in what it quotes", lambda text: text.replace('"read it"', '"</think> ```"')),
]  # fmt: skip


@PROVIDERS
@pytest.mark.parametrize("wrap", [pytest.param(wrap, id=name) for name, wrap in WRAPPED])
def test_json_is_read_in_one_fence_and_behind_what_a_model_thinks(
    provider: ProviderServer, provider_name: Provider, wrap: Callable[[str], str]
) -> None:
    provider.script = made_of(wrap)
    asking = Asking(provider, provider_name)
    assert only(asking()).label is Label.SUPPORTED
    assert len(asking.claims_calls) == 1


BAD_PARTS: list[tuple[str, dict[str, Any], str]] = [
    ("outside the list", {"label": "NOT_SUPPORTED"}, "label is 'NOT_SUPPORTED', not one of"),
    ("in small letters", {"label": "supported"}, "label is 'supported'"),
    ("a number", {"label": 1}, "label is no text"),
    ("none", {"label": None}, "label is no text"),
    ("quotes that are one text", {"quotes": PAGE}, "quotes is no list of texts"),
    ("no reason", {"reason": None}, "reason is no text"),
]


@PROVIDERS
@pytest.mark.parametrize(
    ("bad", "why"), [pytest.param(*part[1:], id=part[0]) for part in BAD_PARTS]
)
def test_what_is_wrong_with_one_claim_costs_that_one_and_hides_nothing(
    provider: ProviderServer, provider_name: Provider, bad: dict[str, Any], why: str
) -> None:
    """The claim beside it is contradicted, and stays it."""
    answer = "The refund window is 14 days. Quote the order number."
    good = claim(answer.split(". ")[0] + ".", "CONTRADICTED", PAGE)
    other = claim("Quote the order number.", "SUPPORTED", "Quote the order number.")
    provider.script = in_rounds([good, other | bad], again(entry("ABSENT") | bad))
    asking = Asking(provider, provider_name)
    found = asking(answer, [TWO])

    labels = [(one.label, one.judge_failed) for one in found.claims]
    assert labels == [(Label.CONTRADICTED, False), (Label.UNRESOLVED, True)]
    assert why in found.claims[1].reason
    assert (found.unresolved, found.failed, found.guard) == ({}, (), ())
    told = scores(found, answer)
    assert told["hard_fail"] == Scored(1.0)
    assert told["faithfulness"] == Unresolved(
        "1 of 2 claims unresolved", 0.0, 0.5, judge_failed=True
    )
    second = dict(fenced(asking.claims_calls[1].user))
    assert second["claim c1"] == "Quote the order number."
    assert why in second["doubt on c1"]


@PROVIDERS
def test_a_claim_without_a_usable_label_is_asked_for_once_more(
    provider: ProviderServer, provider_name: Provider
) -> None:
    first_try = claim(PAGE, "SUPPORTED", PAGE) | {"label": "supported"}
    provider.script = in_rounds([first_try], again(entry("SUPPORTED", [PAGE])))
    found = Asking(provider, provider_name)()
    assert (only(found).label, only(found).judge_failed) == (Label.SUPPORTED, False)


@PROVIDERS
def test_what_is_wrong_with_one_fact_costs_that_one(
    provider: ProviderServer, provider_name: Provider
) -> None:
    def script(asked: Asked) -> Said:
        body = body_of(asked)
        for one in body.get("facts", ()):
            one["label"] = "YES" if one["id"] == "f2" or len(body["facts"]) == 1 else one["label"]
        return said.text(json.dumps(body))

    provider.script = script
    golden = row(reference_facts=[PAGE, "Quote the order number."])
    found = Asking(provider, provider_name)(TWO, [TWO], golden)
    for verdicts in (found.facts, found.recalled):
        labels = [(one.label, one.judge_failed) for one in verdicts]
        assert labels == [(FactLabel.STATED, False), (FactLabel.UNRESOLVED, True)]
    assert scores(found, TWO, golden)["answer_correctness"] == Unresolved(
        "1 of 2 facts unresolved", 0.0, 1.0, judge_failed=True
    )


@PROVIDERS
def test_a_second_reply_that_can_be_read_stands(
    provider: ProviderServer, provider_name: Provider
) -> None:
    provider.script = said.first(1, said.text("Sure! Here it is."), honest)
    asking = Asking(provider, provider_name)

    assert only(asking()).label is Label.SUPPORTED
    assert len(asking.claims_calls) == 2
    assert asking.heard[0].raw == "Sure! Here it is."
    assert [heard.problem is None for heard in asking.heard] == [False, True, True]


FOREIGN = "the server's reply is none of this protocol"
GIVEN_UP = [
    ("refusal", said.refusal("I would rather not."), "the judge refused to judge this"),
    ("filtered", said.filtered(), "the judge refused to judge this"),
    ("cut", said.cut('{"sentences": []}'), "cut off at 8192 tokens (judge.with.max_tokens)"),
    ("two", said.choices(2, '{"sentences": []}'), "the reply has 2 "),
    ("a page of a proxy", said.html(), FOREIGN),
    ("empty body", said.empty(), FOREIGN),
    ("half an envelope", said.garbled("{}"), FOREIGN),
]


@PROVIDERS
@pytest.mark.parametrize(
    ("reply", "why"), [pytest.param(*fault[1:], id=fault[0]) for fault in GIVEN_UP]
)
def test_what_no_second_reply_would_mend_is_asked_for_once(
    provider: ProviderServer, provider_name: Provider, reply: Said, why: str
) -> None:
    provider.script = on_claims(reply)
    asking = Asking(provider, provider_name)
    found = asking()

    assert (found.claims, list(found.unresolved)) == ((), ["claims"])
    assert found.failed == ("claims",)
    assert why in found.unresolved["claims"]
    assert len(asking.claims_calls) == 1
    assert asking.heard[0].problem == found.unresolved["claims"]
    assert found.relevancy is Relevancy.ANSWERS


def test_a_reply_without_a_choice_is_none(provider: ProviderServer) -> None:
    provider.script = on_claims(said.choices(0, ""))
    asking = Asking(provider, "openai")
    assert asking().unresolved == {"claims": "the server's reply has no choice in it"}
    assert len(asking.claims_calls) == 1


@PROVIDERS
def test_the_raw_words_of_a_refusal_and_of_a_cut_are_heard(
    provider: ProviderServer, provider_name: Provider
) -> None:
    provider.script = on_claims(said.refusal("I would rather not."))
    asking = Asking(provider, provider_name)
    asking()
    assert asking.heard[0].raw == "I would rather not."

    provider.script = on_claims(said.cut('{"sentences": []}'))
    asking()
    assert asking.heard[0].raw == '{"senten'
    assert asking.heard[0].finish in ("length", "max_tokens")


def test_a_refusal_without_words_is_none(provider: ProviderServer) -> None:
    """Some servers of the protocol say `"refusal": ""` where nothing is refused."""
    provider.script = _empty_refusal
    assert only(Asking(provider, "openai")()).label is Label.SUPPORTED


def _empty_refusal(asked: Asked) -> Said:
    message = {"role": "assistant", "content": json.dumps(body_of(asked)), "refusal": ""}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return Said(raw=said.Raw(json.dumps(body).encode(), "application/json"))


# --- the call fails ---

FINAL = [
    ("401", said.unauthorized(), "the key was refused (401"),
    ("403", said.forbidden(), "the key may not do this (403"),
    ("404", said.no_such_model(), "there is no such model or address (404"),
    ("quota", said.out_of_credit(), "(4"),
]


@PROVIDERS
@pytest.mark.parametrize(
    ("reply", "why"), [pytest.param(*fault[1:], id=fault[0]) for fault in FINAL]
)
def test_what_every_call_would_fail_of_is_found_out_once(
    provider: ProviderServer, provider_name: Provider, reply: Said, why: str
) -> None:
    provider.script = said.always(reply)
    asking = Asking(provider, provider_name, {"retries": 0})
    found = asking()
    then = asking("The refund window is 14 days.")

    assert len(provider.calls) == 1
    assert why in found.unresolved["claims"]
    assert set(found.unresolved.values()) == set(then.unresolved.values())
    assert set(then.unresolved) == {"claims", "relevancy"}
    assert asking.heard == []


@PROVIDERS
def test_an_account_that_cannot_pay_is_told_apart_from_a_limit(
    provider: ProviderServer, provider_name: Provider
) -> None:
    provider.script = said.always(said.out_of_credit())
    found = Asking(provider, provider_name, {"retries": 0})()
    paid = "the quota is used up (429" if provider_name == "openai" else "cannot pay (402"
    assert paid in found.unresolved["claims"]


def test_a_passing_limit_that_speaks_of_a_quota_is_not_final(provider: ProviderServer) -> None:
    words = "Too many tokens. To raise your quota: https://quota.example"
    limited = Said(error=said.Refused(429, words, code="429"))
    provider.script = on_claims(limited)
    found = Asking(provider, "openai", {"retries": 0})()

    assert "too many requests (429: Too many tokens" in found.unresolved["claims"]
    assert found.relevancy is Relevancy.ANSWERS


@PROVIDERS
@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(said.rate_limited(0.05), id="429"),
        pytest.param(said.failing(500, retry_after="0.05"), id="500"),
        pytest.param(said.failing(503, retry_after="0.05"), id="503"),
        pytest.param(said.failing(529, retry_after="0.05"), id="529"),
    ],
)
def test_a_failure_that_passes_costs_a_wait_and_no_verdict(
    provider: ProviderServer, provider_name: Provider, reply: Said
) -> None:
    provider.script = said.first(2, reply, honest)
    asking = Asking(provider, provider_name)
    found = asking()

    assert (only(found).label, found.unresolved) == (Label.SUPPORTED, {})
    assert [call.status == 200 for call in provider.calls] == [False, False, True, True]
    assert len(asking.heard) == 2


@PROVIDERS
@pytest.mark.parametrize(
    ("reply", "why"),
    [
        pytest.param(said.rate_limited(0.02), "too many requests (429: Rate limit", id="429"),
        pytest.param(said.failing(500, retry_after="0.02"), "the server failed (500", id="500"),
        pytest.param(said.failing(503, retry_after="0.02"), "the server failed (503", id="503"),
        pytest.param(said.failing(529, retry_after="0.02"), "the server failed (529", id="529"),
    ],
)
def test_a_failure_that_stays_is_unresolved_and_the_next_row_asks_again(
    provider: ProviderServer, provider_name: Provider, reply: Said, why: str
) -> None:
    provider.script = on_claims(reply)
    asking = Asking(provider, provider_name, {"retries": 1})
    found = asking()

    assert list(found.unresolved) == ["claims"]
    assert why in found.unresolved["claims"]
    assert len(asking.claims_calls) == 2
    asking()
    assert len(asking.claims_calls) == 4


@PROVIDERS
@pytest.mark.parametrize(
    ("reply", "why"),
    [
        pytest.param(said.slow(30, said.text("{}")), "no reply in 0.3 s", id="slow"),
        pytest.param(said.never(), "no reply in 0.3 s", id="never"),
        pytest.param(said.reset(), "reset by peer", id="reset before"),
        pytest.param(said.reset_within("x" * 4000), "reset by peer", id="reset"),
        pytest.param(said.closed_within("x" * 4000), "cannot be reached: peer closed", id="closed"),
    ],
)
def test_a_connection_that_breaks_or_waits_is_unresolved(
    provider: ProviderServer, provider_name: Provider, reply: Said, why: str
) -> None:
    provider.script = on_claims(reply)
    asking = Asking(provider, provider_name, {"retries": 0, "timeout_s": 0.3})
    found = asking()

    assert list(found.unresolved) == ["claims"]
    assert why in found.unresolved["claims"]
    assert not found.unresolved["claims"].endswith((": ", ":"))
    assert asking.heard[0].problem == found.unresolved["claims"]
    assert asking.heard[0].raw is None


@PROVIDERS
def test_nobody_at_the_address(provider: ProviderServer, provider_name: Provider) -> None:
    asking = Asking(provider, provider_name, {"retries": 0})
    provider.close()
    found = asking()
    assert set(found.unresolved) == set(found.failed) == {"claims", "relevancy"}
    assert "the server cannot be reached: " in found.unresolved["claims"]


@PROVIDERS
def test_relevancy_alone_can_be_missing(provider: ProviderServer, provider_name: Provider) -> None:
    def script(asked: Asked) -> Said:
        body = body_of(asked)
        return said.text(json.dumps({**body, "label": "YES"} if "label" in body else body))

    provider.script = script
    found = Asking(provider, provider_name)()
    assert only(found).label is Label.SUPPORTED
    why = found.unresolved["relevancy"]
    assert "label is 'YES', not one of ANSWERS, PARTLY, EVADES" in why
    assert scores(found)["answer_relevancy"] == Unresolved(why, 0.0, 1.0, judge_failed=True)
