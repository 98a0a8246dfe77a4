"""Rules read English. Of other languages they prove what figures and equal sentences prove."""

import pytest

from evalrag.judging.forms import answer_form
from evalrag.judging.offline import judge_claims, recall_facts, state_facts
from evalrag.schema.words import FactLabel, Label

QUESTION = "How much is the parking permit?"
ENGLISH = ["Returns are accepted within 30 days of delivery. Refunds take 5 days."]
GERMAN = [
    "Die Frist für Rückgaben beträgt 30 Tage. Wir erstatten die Kosten für den Versand nicht."
]

FOREIGN = [
    "Das weiß ich leider nicht.",
    "Das weiss ich leider nicht.",
    "Dazu habe ich leider keine Informationen in den Dokumenten gefunden.",
    "Je ne sais pas.",
    "Désolé, je ne trouve pas cette information dans nos documents.",
    "Lo siento, no tengo información sobre eso.",
    "No lo sé.",
    "Non lo so, mi dispiace: questo non sono informazioni che ho.",
    "Ik weet het niet, helaas.",
    "Infelizmente não tenho essa informação.",
    "Toto bohužel nevím.",
    "К сожалению, у меня нет такой информации.",  # noqa: RUF001
    "申し訳ありませんが、その情報はありません。",
    "抱歉,我没有找到相关信息,请联系客服。",
]
PLAIN = [
    "30 days.",
    "Standard delivery takes five days.",
    "Müller GmbH, Köln.",
    "Rio de la Plata.",
    "Tall trees, vines, ferns, mushrooms.",
    "The café in Düsseldorf opens at nine.",
    "Das Boot was filmed in La Rochelle.",
]


@pytest.mark.parametrize("answer", FOREIGN)
def test_an_answer_in_another_language_is_left_open(answer: str) -> None:
    form, why = answer_form(QUESTION, answer)
    claims = judge_claims(QUESTION, ENGLISH, answer)

    if answer != "Toto bohužel nevím.":  # three words may be a name
        assert (form, why) == (None, "not English enough for rules")
    assert {claim.label for claim in claims} <= {Label.UNRESOLVED}


@pytest.mark.parametrize("answer", PLAIN)
def test_names_and_short_answers_are_read(answer: str) -> None:
    assert answer_form(QUESTION, answer)[0] is not None


def labels(answer: str, context: list[str]) -> list[tuple[str, str | None]]:
    return [(c.label.value, c.code) for c in judge_claims(QUESTION, context, answer)]


def test_figures_and_equal_sentences_prove_in_any_language() -> None:
    assert labels("Die Frist für Rückgaben beträgt 30 Tage.", GERMAN) == [("SUPPORTED", None)]
    assert labels("Die Frist für Rückgaben beträgt 14 Tage.", GERMAN) == [
        ("CONTRADICTED", "other-value")
    ]


def test_a_denial_at_the_end_is_not_lost() -> None:
    assert labels("Wir erstatten die Kosten für den Versand.", GERMAN)[0][0] == "UNRESOLVED"


def test_an_english_claim_may_stand_in_a_passage_that_is_not_english() -> None:
    answer = "Shipping costs are never refunded to anybody."

    assert labels(answer, ENGLISH)[0][0] == "UNRESOLVED"
    assert labels(answer, [*ENGLISH, *GERMAN])[0][0] == "UNRESOLVED"


def test_one_foreign_passage_takes_nothing_from_the_others() -> None:
    assert labels("Refunds take 5 days.", [*GERMAN, *ENGLISH]) == [("SUPPORTED", None)]
    assert labels("Refunds take 9 days.", [*GERMAN, *ENGLISH]) == [("CONTRADICTED", "other-value")]


def test_facts_are_not_missing_for_words_of_another_language() -> None:
    facts = ("The permit of the Berlin office costs $40 a month.",)

    (stated,) = state_facts(
        QUESTION, facts, "Das kostet leider nicht wenig: der Ausweis ist teuer."
    )
    (recalled,) = recall_facts(facts, GERMAN)

    assert stated.label is FactLabel.UNRESOLVED
    assert recalled.label is FactLabel.UNRESOLVED
    assert recall_facts(facts, ENGLISH)[0].label is not FactLabel.STATED
