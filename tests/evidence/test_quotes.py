"""Quotes, cut and whole, siblings and old versions."""

import pytest

from evalrag.evidence.assess import Assessment
from tests.evidence.build import (
    PARTIAL,
    RELEVANT,
    UNJUDGED,
    quoted,
    row,
    seen,
    text,
)

QUOTE = "You may return unused items within 30 days of delivery for a full refund"
SIBLING = "You may return sale items within 14 days of delivery for a full refund"


def test_a_quote_is_found_whole_however_it_is_set() -> None:
    whole = text(
        "Returns. You may *return* unused\nitems within **30** days of delivery, for a full refund."
    )
    got = quoted(QUOTE, whole)
    assert (got.found, got.covered, got.completed_at) == ((True,), (1.0,), (1,))
    assert got.context == (RELEVANT,)
    assert got.context_gold == ((0,),)


def test_both_halves_in_the_window_are_found_and_relevant() -> None:
    got = quoted(
        QUOTE,
        text("Returns. You may return unused items"),
        text("within 30 days of delivery for a full refund. Bye."),
    )
    assert got.found == (True,)
    assert got.completed_at == (2,)
    assert got.context == (RELEVANT, RELEVANT)
    assert got.context_gold == ((0,), (0,))


def test_one_half_is_partial_and_not_found() -> None:
    got = quoted(QUOTE, text("Returns. You may return unused items"))
    assert (got.found, got.covered) == ((False,), (5 / 14,))
    assert got.context == (PARTIAL,)
    assert got.context_gold == ((0,),)


def test_an_edge_of_three_is_partial_and_one_of_two_is_not() -> None:
    assert quoted(QUOTE, text("Returns. You may return")).context == (PARTIAL,)
    assert quoted(QUOTE, text("Returns. You may")).context == (UNJUDGED,)
    assert quoted(QUOTE, text("a full refund. Bye")).context == (PARTIAL,)
    assert quoted(QUOTE, text("full refund. Bye")).context == (UNJUDGED,)


def test_halves_never_add_up_over_documents() -> None:
    got = quoted(
        QUOTE,
        text("You may return unused items"),
        text("within 30 days of delivery for a full refund", "other"),
    )
    assert got.found == (False,)
    assert got.covered == (9 / 14,)


def test_halves_never_add_up_over_versions() -> None:
    old = text("You may return unused items", metadata={"version": "1"})
    new = text("within 30 days of delivery for a full refund", metadata={"version": "2"})
    assert quoted(QUOTE, old, new).found == (False,)
    assert quoted(QUOTE, old, new, version_key="release").found == (True,)


def test_a_version_may_be_any_value_and_missing_is_a_version_of_its_own() -> None:
    first, second = "You may return unused items", "within 30 days of delivery for a full refund"
    for version in (3, [3], {"major": 3}, 1.5, True):
        one = text(first, metadata={"version": version})
        assert quoted(QUOTE, one, text(second, metadata={"version": version})).found == (True,)
        assert quoted(QUOTE, one, text(second)).found == (False,)


def test_passages_without_a_doc_are_documents_of_their_own() -> None:
    first, second = "You may return unused items", "within 30 days of delivery for a full refund"
    assert quoted(QUOTE, text(first, None), text(second, None)).found == (False,)
    assert quoted(QUOTE, {"text": first}, {"text": second}).found == (False,)
    assert quoted(QUOTE, {"text": f"{first} {second}"}).found == (True,)


def test_short_runs_inside_a_passage_are_no_cover() -> None:
    got = quoted(QUOTE, text("Well, you may return unused goods within 30 days of arrival to us."))
    assert got.covered == (0.0,)
    assert got.context == (UNJUDGED,)


def test_a_passage_inside_the_quote_is_cover_however_short() -> None:
    got = quoted(
        QUOTE,
        text("You may return unused items"),
        text("within 30"),
        text("days of delivery for a full refund"),
    )
    assert got.found == (True,)
    assert got.context == (RELEVANT,) * 3


def siblings() -> list[tuple[str, Assessment]]:
    right, wrong = text(QUOTE), text(SIBLING)
    return [
        ("before", quoted(QUOTE, wrong, right)),
        ("after", quoted(QUOTE, right, wrong)),
    ]


@pytest.mark.parametrize(("where", "got"), siblings())
def test_a_sibling_of_the_same_document_is_not_relevant_beside_the_gold(
    where: str, got: Assessment
) -> None:
    assert got.found == (True,)
    assert sorted(got.context) == sorted((RELEVANT, UNJUDGED))
    assert got.context.index(RELEVANT) == (1 if where == "before" else 0)


@pytest.mark.parametrize("coverage", [1.0, 0.9, 0.5, 0.1])
def test_a_sibling_with_another_number_is_never_found(coverage: float) -> None:
    got = quoted(QUOTE, text(QUOTE.replace("30", "14")), quote_coverage=coverage)
    assert got.found == (False,)
    assert got.covered == (13 / 14,)
    assert got.context == (PARTIAL,)


@pytest.mark.parametrize("coverage", [1.0, 0.5])
def test_a_sibling_is_not_relevant_between_two_halves(coverage: float) -> None:
    got = quoted(
        QUOTE,
        text(QUOTE.replace("30", "14")),
        text("You may return unused items within 30"),
        text("days of delivery for a full refund"),
        quote_coverage=coverage,
    )
    assert got.found == (True,)
    assert got.context == (UNJUDGED, RELEVANT, RELEVANT)


@pytest.mark.parametrize("coverage", [1.0, 0.5])
@pytest.mark.parametrize(
    "other",
    [
        pytest.param("The customer who bought it may not return items within 30 days", id="not"),
        pytest.param(
            "The customer who bought it may never return items within 30 days", id="never"
        ),
    ],
)
def test_a_negation_put_into_the_quote_voids_the_passage(other: str, coverage: float) -> None:
    quote = "The customer who bought it may return items within 30 days"
    got = quoted(quote, text(other), quote_coverage=coverage)
    assert (got.found, got.covered, got.context) == ((False,), (0.0,), (UNJUDGED,))


def test_an_apostrophe_negation_voids_the_passage() -> None:
    quote = "Any customer who bought an item can return it within 30 days"
    got = quoted(quote, text(quote.replace("can", "can't")))
    assert (got.found, got.covered) == ((False,), (0.0,))
    quote = "All customers of our shop do pay the postage of a return"
    other = text(quote.replace("do pay", "don\u2019t pay"))
    assert quoted(quote, other, quote_coverage=0.5).found == (False,)


def test_a_negation_at_a_cut_voids_the_half() -> None:
    quote = "The customer who bought it may return items within 30 days"
    got = quoted(
        quote, text("The customer who bought it may not"), text("return items within 30 days")
    )
    assert got.found == (False,)


@pytest.mark.parametrize("coverage", [1.0, 0.5])
def test_a_negation_of_the_quote_must_be_covered(coverage: float) -> None:
    quote = "The customer who bought it may not return items within 30 days"
    got = quoted(quote, text(quote.replace("not ", "")), quote_coverage=coverage)
    assert got.found == (False,)


def test_a_heading_in_the_middle_of_a_sentence_does_not_void_it() -> None:
    got = quoted(
        QUOTE,
        text("You may return unused items within | page 7 | 30 days of delivery for a full refund"),
    )
    assert got.found == (True,)


@pytest.mark.parametrize(("coverage", "found"), [(1.0, False), (0.8, True)])
def test_coverage_forgives_words_and_no_numbers(coverage: float, found: bool) -> None:
    got = quoted(
        QUOTE,
        text("Kindly return unused items within 30 days of delivery for a full refund"),
        quote_coverage=coverage,
    )
    assert got.found == (found,)
    assert got.covered == (12 / 14,)


def test_coverage_is_reached_exactly() -> None:
    got = quoted("a b c d e f g h i j", text("a b c d e f g"), quote_coverage=0.7)
    assert got.found == (True,)


CUTS = [
    pytest.param(
        "You may return unused items wit", "hin 30 days of delivery for a full refund", id="a word"
    ),
    pytest.param(
        "You may return unused items within 3",
        "0 days of delivery for a full refund",
        id="a number",
    ),
    pytest.param(
        "Yo",
        "u may return unused items within 30 days of delivery for a full refund",
        id="the first word",
    ),
    pytest.param(
        "You may return unused items within 30 days of delivery for a full r",
        "efund",
        id="the last word",
    ),
    pytest.param(
        "You may return unused items within ",
        " 30 days of delivery for a full refund",
        id="a space",
    ),
    pytest.param(
        "You may return unused items within 30 days of deliv",
        "30 days of delivery for a full refund",
        id="overlap",
    ),
]


@pytest.mark.parametrize(("first", "second"), CUTS)
def test_a_chunker_may_cut_through(first: str, second: str) -> None:
    got = quoted(QUOTE, text("Returns. " + first), text(second + ". Bye."))
    assert got.found == (True,)
    assert got.context == (RELEVANT, RELEVANT)


AMOUNTS = [
    ("it costs $29.99", " per month and 20% less if paid by year"),
    ("it costs $29.", "99 per month and 20% less if paid by year"),
    ("it costs $29", ".99 per month and 20% less if paid by year"),
    ("it costs $", "29.99 per month and 20% less if paid by year"),
    ("it costs $29.99 per month and 20", "% less if paid by year"),
    ("it costs $29.99 per month and 2", "0% less if paid by year"),
]


@pytest.mark.parametrize(("first", "second"), AMOUNTS)
def test_a_chunker_may_cut_through_an_amount(first: str, second: str) -> None:
    got = quoted(
        "it costs $29.99 per month and 20% less if paid by year", text(first), text(second)
    )
    assert got.found == (True,)


def test_half_a_number_is_never_the_number() -> None:
    assert quoted(
        QUOTE,
        text("You may return unused items within 3"),
        text("days of delivery for a full refund"),
    ).found == (False,)
    assert quoted(
        QUOTE,
        text("You may return unused items within 3"),
        text("5 days of delivery for a full refund"),
    ).found == (False,)
    assert quoted(
        QUOTE,
        text("You may return unused items within 2"),
        text("0 days of delivery for a full refund"),
    ).found == (False,)


def test_a_word_cut_in_three_by_overlap_is_whole() -> None:
    quote = "before an internationalisation of the shop"
    got = quoted(quote, text("before an internation"), text("nationalisation of the shop"))
    assert got.found == (True,)


def test_a_passage_cut_at_both_ends_is_inside_the_quote() -> None:
    got = quoted(
        QUOTE,
        text("You may ret"),
        text("urn unused items with"),
        text("in 30 da"),
        text("ys of delivery for a full refund"),
    )
    assert got.found == (True,)


def test_a_quote_under_five_tokens_is_found_whole_or_not_at_all() -> None:
    golden = row({"doc": "refunds", "quote": "within 30 days"})
    assert seen(golden, text("Return it within 30 days, please")).found == (True,)
    got = seen(golden, text("Return it within 30"), text("days of delivery"))
    assert (got.found, got.covered, got.context) == ((False,), (0.0,), (UNJUDGED, UNJUDGED))


def test_a_quote_with_a_doc_is_looked_for_nowhere_else() -> None:
    golden = row({"doc": "refunds", "quote": QUOTE})
    assert seen(golden, text(QUOTE, "terms")).found == (False,)
    assert seen(golden, text(QUOTE, None), text("x")).found == (False,)
    assert seen(golden, text(QUOTE)).found == (True,)


def test_a_quote_with_metadata_is_looked_for_in_that_version_alone() -> None:
    golden = row({"doc": "refunds", "metadata": {"version": "3"}, "quote": QUOTE})
    assert seen(golden, text(QUOTE, metadata={"version": "2"})).found == (False,)
    assert seen(golden, text(QUOTE)).found == (False,)
    assert seen(golden, text(QUOTE, metadata={"version": "3", "lang": "en"})).found == (True,)


def test_a_second_chunk_that_adds_nothing_is_not_relevant() -> None:
    first = text("Returns. You may return unused items within 30")
    again = text("may return unused items within 30")
    rest = text("days of delivery for a full refund")
    got = quoted(QUOTE, first, again, rest)
    assert got.found == (True,)
    assert got.context == (RELEVANT, UNJUDGED, RELEVANT)


def test_a_second_chunk_that_finds_it_alone_is_relevant() -> None:
    got = quoted(
        QUOTE, text(QUOTE), text("Again: " + QUOTE), text("Returns. You may return unused items")
    )
    assert got.context == (RELEVANT, RELEVANT, UNJUDGED)


def test_a_half_before_the_whole_adds_cover_and_is_relevant() -> None:
    got = quoted(QUOTE, text("Returns. You may return unused items"), text(QUOTE))
    assert got.context == (RELEVANT, RELEVANT)
    assert got.completed_at == (2,)


def test_a_passage_that_happens_to_end_in_the_first_word_is_not_relevant() -> None:
    got = quoted(QUOTE, text("We like you"), text("We like y"), text(QUOTE))
    assert got.context == (UNJUDGED, UNJUDGED, RELEVANT)


def test_a_sliver_that_is_needed_is_relevant() -> None:
    got = quoted(
        QUOTE,
        text("Returns. You"),
        text("may return unused items within 30 days of delivery for a full refund"),
    )
    assert got.found == (True,)
    assert got.context == (RELEVANT, RELEVANT)


def test_scripts_without_spaces_are_matched_by_character() -> None:
    quote = "\u5546\u54c1\u306f30\u65e5\u4ee5\u5185\u306b\u8fd4\u54c1\u3067\u304d\u307e\u3059"
    assert quoted(quote, text(f"\u8fd4\u54c1\u3002{quote}\u3002")).found == (True,)
    assert quoted(quote, text(quote.replace("30", "14"))).found == (False,)
    for cut in range(1, len(quote)):
        assert quoted(
            quote, text("\u6771\u4eac\u3002" + quote[:cut]), text(quote[cut:] + "\u3002\u4eac")
        ).found == (True,), cut


def test_a_true_half_beside_its_sibling_in_one_passage_counts() -> None:
    both = text(
        "Sale items: you may return unused items within 14 days of delivery for a full refund. "
        "All else: you may return unused items within"
    )
    got = quoted(QUOTE, both, text("30 days of delivery for a full refund. Sale: within 14 days."))
    assert got.found == (True,)
    assert got.context == (RELEVANT, RELEVANT)


def test_a_sibling_never_lends_its_words_to_half_a_quote() -> None:
    half = text("You may return unused items within 30")
    wrong = text("Other goods: within 14 days of delivery for a full refund.")
    got = quoted(QUOTE, half, wrong)
    assert (got.found, got.covered) == ((False,), (1.0,))
    assert got.context == (PARTIAL, PARTIAL)


@pytest.mark.parametrize(
    ("first", "second"), [("30", "0 days"), ("3", "30 days"), ("1", "30 days")]
)
def test_a_cut_through_another_number_never_shows_this_one(first: str, second: str) -> None:
    """300, 330 and 130 days, which read as 30 at the cut."""
    left = text(f"You may return unused items within {first}")
    right = text(f"{second} of delivery for a full refund")
    assert quoted(QUOTE, left, right).found == (False,)
    assert quoted(QUOTE, right, left).found == (False,)
    elsewhere = text("refund. We ship within 30 days.")
    assert quoted(QUOTE, left, right, elsewhere).found == (False,)


def test_a_negation_after_a_run_voids_it_and_one_before_a_run_too() -> None:
    quote = "any item that you do not like can be sent back to our shop at once"
    after = text("any item that you do not like can never be sent somewhere")
    assert quoted(quote, after).covered == (0.0,)
    before = text("and it can not be sent back to our shop at once, or ever")
    assert quoted(quote, before).covered == (0.0,)


def test_a_run_that_stands_twice_counts_by_its_better_place() -> None:
    """First before another number, then at the cut; and the other way round."""
    start = "you may return unused items within"
    rest = text("30 days of delivery for a full refund")
    assert quoted(QUOTE, text(f"{start} 14 hours. Also {start} (see over)"), rest).found == (True,)
    end = "days of delivery for a full refund"
    left = text(f"{start} 30")
    assert quoted(QUOTE, left, text(f"Returns: {end}. Sale: 14 {end}.")).found == (True,)
    assert quoted(QUOTE, left, text(f"Sale: 14 {end}.")).found == (False,)


def test_a_number_at_the_end_of_a_quote_counts_as_any_other() -> None:
    quote = "for unopened items the time to return them is 30"

    assert quoted(quote, text("As said, the time to return them is 30 days.")).covered == (0.7,)
    assert quoted(quote, text("The time to return them is 30")).covered == (0.7,)
    assert quoted(quote, text("for unopened items the time to return them is 30")).found == (True,)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_passage_that_completes_one_quote_and_begins_another_completes_the_one(
    swapped: bool,
) -> None:
    quotes = ["Opened seeds can not be brought back", QUOTE]
    both = text("Opened seeds can not be brought back. You may return unused items within")
    golds = quotes[::-1] if swapped else quotes
    got = seen(row(*({"quote": quote} for quote in golds)), both)

    assert got.completed_at == ((None, 1) if swapped else (1, None))
