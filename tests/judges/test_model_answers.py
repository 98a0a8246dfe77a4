"""Answers and contexts at the edge, before a model judge: each has its clear outcome."""

import json

import pytest

from evalrag.schema.score import Scored, Unresolved
from evalrag.schema.words import Form, Label
from tests.judges.asking import (
    PAGE,
    PROVIDERS,
    Asking,
    again,
    claim,
    entry,
    in_rounds,
    on_claims,
    only,
    scores,
)
from tests.judges.scripted import body_of, fenced, honest, named
from tests.provider import said
from tests.provider.said import Asked, Provider, Said
from tests.provider.server import KEY, ProviderServer

SENTENCE = "The refund window is 30 days from delivery and runs on every day of the week. "


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)


@PROVIDERS
def test_characters_that_nobody_sees_reach_no_judge_and_hide_no_figure(
    provider: ProviderServer, provider_name: Provider
) -> None:
    answer = "The refund window is 1\u200b4 days\u200b from delivery."
    provider.script = in_rounds(
        [claim("The refund window is 14 days from delivery.", "SUPPORTED", PAGE)],
        again(entry("SUPPORTED", [PAGE])),
    )
    asking = Asking(provider, provider_name)
    found = asking(answer)

    data = dict(fenced(asking.claims_calls[0].user))
    assert data["answer s1"] == "The refund window is 14 days from delivery."
    assert {one.label for one in found.claims} == {Label.UNRESOLVED}
    assert {one.code for one in found.claims} == {"guard"}
    assert any("the answer: " in what and "nobody sees" in what for what in found.suspicious)


@PROVIDERS
def test_characters_that_nobody_sees_in_a_passage_break_no_quote(
    provider: ProviderServer, provider_name: Provider
) -> None:
    hidden = "The re\u200bfund window is 30\u200b days from deli\u00advery."
    provider.script = in_rounds([claim(PAGE, "SUPPORTED", PAGE)], said.failing(500))
    found = Asking(provider, provider_name)(PAGE, [hidden])
    assert (only(found).label, only(found).passages) == (Label.SUPPORTED, (1,))


RUSSIAN = "Срок возврата составляет 30 дней, если товар цел."


@PROVIDERS
def test_an_answer_in_another_script(provider: ProviderServer, provider_name: Provider) -> None:
    """Plain code leaves its form to the judge, and still holds its figures against the page."""
    answer = "По нашим правилам срок возврата составляет целых 30 дней."
    provider.script = in_rounds([claim(answer, "SUPPORTED", RUSSIAN)], said.failing(500))
    asking = Asking(provider, provider_name)
    found = asking(answer, [RUSSIAN])
    assert [heard.task for heard in asking.heard] == ["form", "claims", "relevancy"]
    assert (found.form, only(found).label) == (Form.ANSWERED, Label.SUPPORTED)


@PROVIDERS
@pytest.mark.parametrize(
    ("page", "answer"),
    [
        (RUSSIAN, "Срок возврата составляет 14 дней."),
        ("退款期限为自送达之日起30天。", "退款期限为14天。"),
        ("مدة الاسترجاع 30 يوما من التسليم.", "مدة الاسترجاع 14 يوما."),
    ],
)
def test_another_figure_in_another_script_is_never_a_pass(
    provider: ProviderServer, provider_name: Provider, page: str, answer: str
) -> None:
    provider.script = in_rounds(
        [claim(answer, "SUPPORTED", page)], again(entry("SUPPORTED", [page]))
    )
    found = Asking(provider, provider_name)(answer, [page])
    assert (only(found).label, only(found).code) == (Label.UNRESOLVED, "guard")


@PROVIDERS
@pytest.mark.parametrize(
    ("label", "quotes", "faithful"),
    [
        ("SUPPORTED", [PAGE], 1.0),
        ("SUPPORTED", ["30 days"], 1.0),
        ("SUPPORTED", ["The answer says 30."], None),
        ("CONTRADICTED", [PAGE], 0.0),
    ],
)
def test_an_answer_that_is_only_a_number(
    provider: ProviderServer,
    provider_name: Provider,
    label: str,
    quotes: list[str],
    faithful: float | None,
) -> None:
    told = "The refund window is 30 days."
    provider.script = in_rounds([claim(told, label, *quotes)], again(entry(label, quotes)))
    asking = Asking(provider, provider_name)
    found = asking("30")
    assert named(fenced(asking.claims_calls[0].user), "answer s") == ["30"]
    score = scores(found, "30")["faithfulness"]
    if faithful is None:
        assert isinstance(score, Unresolved)
        assert score.low == 0.0
    else:
        assert score == Scored(faithful)


@PROVIDERS
def test_another_number_alone_is_never_a_pass(
    provider: ProviderServer, provider_name: Provider
) -> None:
    told = "The refund window is 14 days."
    provider.script = in_rounds([claim(told, "SUPPORTED", PAGE)], again(entry("SUPPORTED", [PAGE])))
    found = Asking(provider, provider_name)("14")
    assert Label.SUPPORTED not in {one.label for one in found.claims}
    assert isinstance(scores(found, "14")["hard_fail"], Unresolved)


@PROVIDERS
def test_an_empty_context_supports_nothing(
    provider: ProviderServer, provider_name: Provider
) -> None:
    provider.script = in_rounds([claim(PAGE, "SUPPORTED", PAGE)], again(entry("SUPPORTED", [PAGE])))
    asking = Asking(provider, provider_name)
    found = asking(PAGE, [])
    assert "There are no passages." in asking.claims_calls[0].user
    assert (only(found).label, only(found).code) == (Label.UNRESOLVED, "guard")

    provider.script = in_rounds([claim(PAGE, "ABSENT")], said.failing(500))
    found = asking(PAGE, [])
    assert scores(found)["faithfulness"] == Scored(0.0)
    assert scores(found)["hard_fail"] == Scored(0.0)


@PROVIDERS
def test_passages_without_a_word_support_nothing(
    provider: ProviderServer, provider_name: Provider
) -> None:
    provider.script = in_rounds([claim(PAGE, "SUPPORTED", "…")], again(entry("SUPPORTED", ["…"])))
    found = Asking(provider, provider_name)(PAGE, ["", " "])
    assert only(found).label is Label.UNRESOLVED


@PROVIDERS
def test_a_quote_of_no_word_supports_nothing(
    provider: ProviderServer, provider_name: Provider
) -> None:
    told = "Refunds are taken for 30 days."
    for quote in ("…", "...", "-", "***"):
        script = in_rounds([claim(told, "SUPPORTED", quote)], again(entry("SUPPORTED", [quote])))
        provider.script = script
        found = Asking(provider, provider_name)(told)
        assert (only(found).label, only(found).code) == (Label.UNRESOLVED, "guard"), quote


@PROVIDERS
def test_ten_thousand_words_are_too_many_sentences_to_ask_about(
    provider: ProviderServer, provider_name: Provider
) -> None:
    provider.script = honest
    answer = SENTENCE * 667
    asking = Asking(provider, provider_name)
    found = asking(answer)
    assert found.unresolved == {"claims": "the answer has more than 300 sentences"}
    assert asking.claims_calls == []
    why = found.unresolved["claims"]
    assert scores(found, answer)["faithfulness"] == Unresolved(why, 0.0, 1.0, True)


@PROVIDERS
def test_three_hundred_sentences_are_asked_about_in_one_call(
    provider: ProviderServer, provider_name: Provider
) -> None:
    def brief(asked: Asked) -> Said:
        count = len(named(fenced(asked.user), "answer s"))
        listed = [{"id": f"s{n}", "claims": [], "none": "x"} for n in range(2, count + 1)]
        one = {"id": "s1", "claims": [claim(PAGE, "SUPPORTED", PAGE)], "none": ""}
        return said.text(json.dumps({"sentences": [one, *listed]}))

    provider.script = on_claims(brief)
    asking = Asking(provider, provider_name)
    assert only(asking(SENTENCE * 300)).label is Label.SUPPORTED
    assert len(asking.claims_calls) == 1


@PROVIDERS
def test_one_sentence_of_ten_thousand_words_is_cut_off_in_the_reply_and_open(
    provider: ProviderServer, provider_name: Provider
) -> None:
    answer = "The window " + "is thirty days and " * 2500 + "that is all."
    long_winded = on_claims(lambda asked: said.text(json.dumps(body_of(asked))))
    provider.script = long_winded
    asking = Asking(provider, provider_name)
    found = asking(answer)
    assert "cut off at 8192 tokens" in found.unresolved["claims"]
    assert len(asking.claims_calls) == 1
