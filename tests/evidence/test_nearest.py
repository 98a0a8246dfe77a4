"""A quote that the corpus does not hold, and the page that seems to have been edited under it."""

from typing import Any

import pytest

from evalrag.evidence.corpus import matches_in
from evalrag.evidence.nearest import ANYWHERE, LONG, seems_edited
from evalrag.schema.evidence import Evidence
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage

READING = Reading()
QUOTE = {"doc": "returns", "quote": "Returns are accepted within 30 days of delivery"}
OTHER: Passage = {"id": "o", "doc": "opening", "text": "The shop opens at nine in the morning."}


def page(text: str, doc: str = "returns", **metadata: Any) -> Passage:
    return {"id": f"{doc}#0", "doc": doc, "text": text, "metadata": metadata}


def said(evidence: Any, *corpus: Passage) -> str | None:
    sought = Evidence.model_validate(evidence)
    assert matches_in(sought, corpus, READING) == 0
    return seems_edited([sought], corpus, READING)[0]


def test_a_page_with_another_number_is_said_with_its_nearest_words() -> None:
    now = page("Dear all. Returns are accepted within 14 days of delivery, unopened.")

    assert said(QUOTE, OTHER, now) == (
        'returns seems edited: its nearest words are "returns are accepted within 14 days of '
        'delivery", with "14" for "30"; mend the label or the page'
    )


@pytest.mark.parametrize(
    ("quote", "text", "differs"),
    [
        ("They close at 9.30 on weekdays", "They close at 9:30 on weekdays.", '"9:30" for "9.30"'),
        ("The shop opens early at nine", "The shop opens at nine.", 'no "early"'),
        ("The shop opens at nine", "The shop opens daily at nine sharp.", '"daily" put in'),
        (
            "One two three four five six seven eight nine ten",
            "One x three y five z seven w nine ten",
            '"x" for "two", "y" for "four", "z" for "six"',
        ),
        ("The shop closes at 9.30", "The shop closes at 9:30. Bye!", '"9:30." for "9.30"'),
        ("Our shop closes at noon", "And now: the shop closes at noon", '"the" for "our"'),
        ("The shop closes at 9.30", "The shop closes at", 'no "9.30"'),
        ("木曜日は九時に閉まる", "木曜日は十時に閉まる", '"十" for "九"'),
    ],
)  # fmt: skip
def test_where_the_nearest_words_differ_is_said(quote: str, text: str, differs: str) -> None:
    found = str(said({"doc": "opening", "quote": quote}, page(text, "opening")))

    assert f'", with {differs}; mend the label or the page' in found


def test_a_difference_behind_what_is_shown_is_said_all_the_same() -> None:
    words = " ".join(f"word{n}" for n in range(100))

    found = str(said(QUOTE | {"quote": f"{words} 9.30"}, page(f"{words} 9:30")))

    assert ' ...", with "9:30" for "9.30"; mend' in found


def test_words_put_in_between_are_shown_too() -> None:
    now = page("Returns are, as ever, accepted within the 30 days of delivery.")

    assert '"returns are, as ever, accepted within the 30 days of delivery"' in str(
        said(QUOTE, now)
    )


def test_a_page_that_was_rewritten_is_there_and_has_few_of_the_words() -> None:
    assert said(QUOTE, page("Please ask our staff.")) == (
        "returns seems edited: it has few of these words; mend the label or the page"
    )


def test_a_page_in_another_version_than_the_label_names_is_not_its_page() -> None:
    wanted = QUOTE | {"metadata": {"version": "3"}}

    assert said(wanted, page("Returns are accepted within 14 days.", version="2")) is None
    assert str(said(wanted, page("Returns within 14 days.", version="3"))).startswith(
        "returns (version 3) seems edited"
    )


def test_a_quote_without_a_document_names_the_page_that_holds_most_of_it() -> None:
    quote = {"quote": QUOTE["quote"]}
    far = page("Returns are accepted.", "refunds")
    near = page("Returns are accepted within 14 days of delivery.", "returns")

    assert said(quote, OTHER) is None
    assert str(said(quote, OTHER, far, near)).startswith("returns seems edited")


@pytest.mark.parametrize(
    "evidence",
    [{"chunk": "gone"}, {"doc": "gone"}, {"doc": "returns", "span": [900, 950]}],
    ids=["chunk", "doc", "span"],
)
def test_only_quotes_have_nearest_words(evidence: Any) -> None:
    assert said(evidence, page("Returns are accepted within 14 days of delivery.")) is None


def test_of_alternatives_the_one_with_the_nearest_words_is_said() -> None:
    either = {"any_of": [QUOTE, {"doc": "gone", "quote": "Nobody ever wrote down these words"}]}

    assert str(said(either, page("Returns are accepted within 14 days."))).startswith("returns ")


def test_what_is_shown_is_bounded() -> None:
    quote = " ".join(f"word{n}" for n in range(200))
    text = quote.replace("word7 ", "other ")

    found = str(said({"doc": "returns", "quote": quote}, page(text)))

    assert len(found) < LONG + 120
    assert ' ...", with "other" for "word7"; mend' in found


def test_of_very_many_quotes_without_a_document_the_rest_is_left() -> None:
    many = [Evidence.model_validate({"quote": QUOTE["quote"]})] * (ANYWHERE + 1)

    found = seems_edited(many, [page("Returns are accepted within 14 days.")], READING)

    assert (found[0] is None, found[-1]) == (False, None)
    assert len(found) == len(many)
