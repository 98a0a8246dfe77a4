"""The oracle context: passages that hold all gold of a row, and no rival."""

import itertools
from typing import Any

import pytest

from evalrag.evidence import oracle
from evalrag.evidence.assess import assess
from evalrag.evidence.oracle import NotAvailable, oracle_context
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage
from tests.evidence.build import chunk, row, text

READING = Reading()
QUOTE = "You may return unused items within 30 days of delivery, for a 12.5% fee"
WHOLE = text(f"Returns. {QUOTE}. No postage.", id="whole")


def given(golden: Any, *sources: list[Passage], reading: Reading = READING) -> list[Passage]:
    return oracle_context(golden, sources, reading)


def ids(passages: list[Passage]) -> list[str]:
    return [passage.get("id", "?") for passage in passages]


def test_the_first_passage_that_finds_it_alone_is_enough() -> None:
    assert ids(given(row({"quote": QUOTE}), [text("else"), WHOLE, text(QUOTE)])) == ["whole"]


def test_what_was_retrieved_comes_before_the_corpus() -> None:
    candidate, corpus = text(QUOTE, id="mine"), text(QUOTE, id="corpus")

    assert ids(given(row({"quote": QUOTE}), [candidate], [corpus])) == ["mine"]
    assert ids(given(row({"quote": QUOTE}), [text("else")], [corpus])) == ["corpus"]


@pytest.mark.parametrize("cut", range(20, len(QUOTE) - 10, 7))
def test_a_quote_that_was_cut_is_put_together_of_one_document(cut: int) -> None:
    halves = [text(QUOTE[:cut], id="a"), text(QUOTE[cut:], id="b")]
    other = text(QUOTE[:cut], doc="other", id="x")
    golden = row({"quote": QUOTE})

    found = given(golden, [other, text("else"), *halves])

    assert ids(found) == ["a", "b"]
    assert assess(golden, found, found, READING).found == (True,)


def test_a_quote_that_is_nowhere_stands_for_itself() -> None:
    golden = row({"doc": "refunds", "quote": QUOTE, "metadata": {"version": "3"}})

    found = given(golden, [WHOLE], [])

    assert found == [{"text": QUOTE, "doc": "refunds", "metadata": {"version": "3"}}]
    assert assess(golden, found, found, READING).found == (True,)


@pytest.mark.parametrize(
    "gold", [["a#0"], [{"doc": "refunds-3"}], [{"doc": "refunds", "span": [3, 9]}]], ids=str
)
def test_what_has_no_words_and_is_nowhere_is_not_available(gold: list[Any]) -> None:
    with pytest.raises(NotAvailable, match="no passage is known that holds"):
        given(row(*gold), [chunk("b#0", doc="other")])


def test_alternatives_and_parts() -> None:
    either = row({"any_of": ["gone", {"all_of": ["a", "b"]}]})

    assert ids(given(either, [chunk("b"), chunk("a")])) == ["a", "b"]
    with pytest.raises(NotAvailable):
        given(either, [chunk("a")])


def test_each_passage_is_put_in_once() -> None:
    golden = row({"quote": QUOTE}, "whole", kind="multi-hop")

    assert ids(given(golden, [WHOLE])) == ["whole"]


def test_the_passages_of_a_whole_document_are_put_in_up_to_a_limit() -> None:
    pages = [chunk(f"p{n}", doc="refunds") for n in range(oracle.MOST + 5)]

    assert given(row({"doc": "refunds"}), pages) == pages[: oracle.MOST]


def test_a_rival_is_never_put_in() -> None:
    old = text(QUOTE[:40], id="old", metadata={"status": "superseded"})
    golden = row({"quote": QUOTE}, superseded=["stale"])
    stale = text(QUOTE[:40], id="stale")
    reading = Reading(superseded_when={"metadata": {"status": "superseded"}})

    assert ids(given(golden, [stale, old, text(QUOTE[40:], id="end")], reading=reading)) == ["?"]


def test_spans_add_up() -> None:
    parts = [
        chunk(f"s{start}", doc="refunds", span=(start, end))
        for start, end in itertools.pairwise((0, 40, 80, 120))
    ]

    assert ids(given(row({"doc": "refunds", "span": [30, 70]}), parts)) == ["s0", "s40"]
