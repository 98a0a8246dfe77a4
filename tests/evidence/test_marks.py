"""What each passage is for a row: the first rule that fits."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from evalrag.evidence.assess import assess
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage
from tests.evidence.build import (
    NEAR_MISS,
    PARTIAL,
    RELEVANT,
    REPEAT,
    SUPERSEDED,
    UNJUDGED,
    chunk,
    row,
    seen,
    text,
)

NOW = "You may return unused items within 30 days of delivery"
OLD = "You may return unused items within 60 days of delivery"


def test_chunks_are_marked_by_their_ids() -> None:
    golden = row("a", superseded=["b"], near_miss=["c"], acceptable=["d"])
    got = seen(golden, *map(chunk, "edcba"))
    assert got.context == (UNJUDGED, RELEVANT, NEAR_MISS, SUPERSEDED, RELEVANT)
    assert got.context_gold == ((), (), (), (), (0,))
    assert got.completed_at == (5,)


def test_context_and_candidates_are_read_apart() -> None:
    got = assess(row("a", "b"), [*map(chunk, "xab")], [*map(chunk, "bx")], Reading())
    assert got.candidates == (UNJUDGED, RELEVANT, RELEVANT)
    assert got.candidates_gold == ((), (0,), (1,))
    assert got.context == (RELEVANT, UNJUDGED)
    assert (got.found, got.found_in_candidates) == ((False, True), (True, True))
    assert (got.completed_at, got.candidate_completed_at) == ((None, 1), (2, 3))


def test_a_half_is_relevant_among_the_candidates_and_partial_in_the_context() -> None:
    halves = [text("You may return unused items within 30"), text("days of delivery, as new")]
    got = assess(row({"quote": NOW}), halves, halves[:1], Reading())
    assert got.candidates == (RELEVANT, RELEVANT)
    assert got.context == (PARTIAL,)


def test_a_context_that_holds_less_of_a_candidate_is_what_counts() -> None:
    whole, short = text(NOW, id="a"), text("You may return unused", id="a")
    got = assess(row({"quote": NOW}), [whole], [short], Reading())
    assert (got.found_in_candidates, got.found) == ((True,), (False,))


def test_a_repeat_keeps_its_place_and_counts_as_nothing() -> None:
    got = seen(row("a", near_miss=["b"]), *map(chunk, "abab"))
    assert got.context == (RELEVANT, NEAR_MISS, REPEAT, REPEAT)
    assert got.context_gold == ((0,), (), (), ())


def test_a_repeated_id_with_another_text_adds_nothing() -> None:
    first = text("You may return unused items within 30", id="a")
    second = text("days of delivery, as new", id="a")
    got = seen(row({"quote": NOW}), first, second)
    assert got.found == (False,)
    assert got.context == (PARTIAL, REPEAT)


def test_without_ids_the_same_text_is_a_repeat() -> None:
    passages: list[Passage] = [{"text": NOW}, {"text": NOW}, {"text": "x"}, {"id": "", "text": "x"}]
    assert seen(row({"quote": NOW}), *passages).context == (RELEVANT, REPEAT, UNJUDGED, REPEAT)


def test_without_an_id_a_text_that_came_with_one_is_a_repeat() -> None:
    got = seen(row({"quote": NOW}), {"id": "a", "text": NOW}, {"text": NOW})
    assert got.context == (RELEVANT, REPEAT)


def test_passages_without_id_and_text_are_no_repeats() -> None:
    assert seen(row({"doc": "d"}), {"doc": "d"}, {"doc": "d"}).context == (RELEVANT, RELEVANT)


def test_an_old_version_with_another_number_is_superseded_and_finds_nothing() -> None:
    golden = row({"quote": NOW}, superseded=[{"quote": OLD}], kind="stale-policy")
    got = seen(golden, text(OLD, metadata={"version": "1"}))
    assert (got.found, got.context) == ((False,), (SUPERSEDED,))


def test_superseded_comes_before_near_miss() -> None:
    got = seen(row("a", superseded=["b"], near_miss=["b"]), chunk("b"), chunk("a"))
    assert got.context == (SUPERSEDED, RELEVANT)


@pytest.mark.parametrize("rivals", ["superseded", "near_miss"])
@pytest.mark.parametrize("rights", ["gold", "acceptable"])
@pytest.mark.parametrize("rival", ["a", {"doc": "refunds"}])
def test_gold_and_rival_on_one_passage_is_the_rows_error(
    rivals: str, rights: str, rival: Any
) -> None:
    gold = ["a"] if rights == "gold" else ["z"]
    golden = row(*gold, **{rivals: [rival], "acceptable": ["a"]})
    got = seen(golden, chunk("a", doc="refunds"), chunk("b", doc="refunds"))
    assert got.error is not None
    assert got.error.startswith(
        f"{rights} and rival on one passage: a and {rivals.replace('_', '-')}"
    )
    assert (got.context, got.candidates, got.found, got.covered) == ((), (), (), ())


def test_gold_and_rival_labels_that_meet_on_no_passage_are_no_error() -> None:
    assert seen(row("a", "b", superseded=["b"]), chunk("a")).error is None


def test_an_error_among_the_candidates_alone_is_an_error() -> None:
    golden = row("a", near_miss=[{"doc": "d"}])
    assert assess(golden, [chunk("a", doc="d")], [], Reading()).error is not None


def test_a_rival_that_needs_two_passages_marks_neither() -> None:
    golden = row("a", superseded=[{"quote": OLD}])
    got = seen(golden, text("You may return unused items within 60"), text("days of delivery"))
    assert got.context == (UNJUDGED, UNJUDGED)


def test_acceptable_found_in_two_halves_makes_both_relevant_and_neither_gold() -> None:
    golden = row("a", acceptable=[{"quote": NOW}])
    got = seen(golden, text("You may return unused items within 30"), text("days of delivery"))
    assert got.context == (RELEVANT, RELEVANT)
    assert got.context_gold == ((), ())


def test_half_of_an_acceptable_is_not_partial() -> None:
    golden = row("a", acceptable=[{"quote": NOW}])
    assert seen(golden, text("You may return unused items within 30")).context == (UNJUDGED,)


def test_part_of_a_gold_that_was_found_elsewhere_is_unjudged() -> None:
    got = seen(row({"quote": NOW}), text(NOW), text("You may return unused items, or not.", "x"))
    assert got.context == (RELEVANT, UNJUDGED)


ALTERNATIVES = {"any_of": ["a", {"all_of": ["b", "c"]}]}


@pytest.mark.parametrize(
    ("ids", "marks", "found", "covered"),
    [
        ("a", [RELEVANT], True, 1.0),
        ("b", [PARTIAL], False, 0.5),
        ("bc", [RELEVANT, RELEVANT], True, 1.0),
        ("ba", [UNJUDGED, RELEVANT], True, 1.0),
        ("abc", [RELEVANT] * 3, True, 1.0),
        ("x", [UNJUDGED], False, 0.0),
    ],
)
def test_one_alternative_and_every_part(
    ids: str, marks: list[str], found: bool, covered: float
) -> None:
    got = seen(row(ALTERNATIVES), *map(chunk, ids))
    assert list(got.context) == marks
    assert (got.found, got.covered) == ((found,), (covered,))


def test_a_second_passage_for_a_part_that_is_there_adds_nothing() -> None:
    golden = row({"all_of": [{"doc": "a"}, {"doc": "b"}]})
    got = seen(golden, chunk("1", doc="a"), chunk("2", doc="a"), chunk("3", doc="b"))
    assert got.context == (RELEVANT, UNJUDGED, RELEVANT)


def test_two_gold_evidences_may_be_completed_by_one_passage() -> None:
    got = seen(row({"quote": NOW}, {"doc": "refunds"}, "z"), text("x", "y"), text(NOW))
    assert got.context_gold == ((), (0, 1))
    assert got.completed_at == (2, 2, None)


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ({"version": "3", "lang": "en"}, True),
        ({"version": 3}, False),
        ({"version": "2"}, False),
        ({}, False),
        (None, False),
    ],
)
def test_every_metadata_key_must_be_equal(metadata: dict[str, Any] | None, found: bool) -> None:
    golden = row({"doc": "d", "metadata": {"version": "3"}})
    assert seen(golden, chunk("a", doc="d", metadata=metadata)).found == (found,)


def test_one_equal_key_of_two_is_not_enough() -> None:
    golden = row({"doc": "d", "metadata": {"version": "3", "lang": "en"}})
    assert seen(golden, chunk("a", doc="d", metadata={"version": "3", "lang": "de"})).found == (
        False,
    )
    assert seen(golden, chunk("a", doc="d", metadata={"version": "3"})).found == (False,)


def test_the_error_names_the_acceptable_evidence_that_clashes() -> None:
    got = seen(row("z", acceptable=["y", "a"], superseded=["x", "a"]), chunk("a"))
    assert got.error == "acceptable and rival on one passage: a and superseded a (passage a)"


def test_the_error_names_the_near_miss_evidence_that_clashes() -> None:
    got = seen(row("a", near_miss=["x", "a"]), chunk("a"))
    assert got.error == "gold and rival on one passage: a and near-miss a (passage a)"


def test_true_is_not_one() -> None:
    golden = row({"chunk": "a", "metadata": {"draft": True}})
    assert seen(golden, chunk("a", metadata={"draft": 1})).found == (False,)
    assert seen(golden, chunk("a", metadata={"draft": True})).found == (True,)


SPAN = {"doc": "d", "span": [100, 200]}


@pytest.mark.parametrize(
    ("spans", "coverage", "found", "covered"),
    [
        ([(0, 300)], 1.0, True, 1.0),
        ([(0, 150), (150, 300)], 1.0, True, 1.0),
        ([(0, 160), (140, 300)], 1.0, True, 1.0),
        ([(0, 150), (151, 300)], 1.0, False, 0.99),
        ([(0, 150), (151, 300)], 0.99, True, 0.99),
        ([(0, 100), (200, 300)], 0.1, False, 0.0),
        ([[100, 110]], 0.1, True, 0.1),
    ],
)
def test_a_span_is_covered_by_ranges(
    spans: list[Any], coverage: float, found: bool, covered: float
) -> None:
    passages = [chunk(f"c{at}", doc="d", span=span) for at, span in enumerate(spans)]
    got = seen(row(SPAN), *passages, quote_coverage=coverage)
    assert (got.found, got.covered) == ((found,), (covered,))
    if not found and covered:
        assert set(got.context) == {PARTIAL}


def test_a_span_is_of_one_document_and_version() -> None:
    left, right = chunk("l", doc="d", span=(0, 150)), chunk("r", doc="e", span=(150, 300))
    assert seen(row(SPAN), left, right).covered == (0.5,)
    old = chunk("r", doc="d", span=(150, 300), metadata={"version": "1"})
    assert seen(row(SPAN), left, old).covered == (0.5,)
    assert seen(row(SPAN | {"metadata": {"version": "2"}}), left, old).covered == (0.0,)


def test_a_passage_without_a_span_beside_one_with_it_is_a_miss() -> None:
    got = seen(row(SPAN), chunk("a", doc="d"), chunk("b", doc="d", span=(0, 5)))
    assert (got.error, got.found) == (None, (False,))


UNMATCHABLE = [
    pytest.param(SPAN, chunk("a", doc="d"), "no passage carries a span", id="span, no spans"),
    pytest.param(SPAN, chunk("a", span=(1, 2)), "no passage has a doc", id="span, no docs"),
    pytest.param({"quote": NOW}, chunk("a", doc="d"), "no passage has a text", id="quote, no text"),
    pytest.param({"quote": NOW}, chunk("a", text=""), "no passage has a text", id="empty texts"),
    pytest.param(
        {"doc": "d", "quote": NOW}, text(NOW, None), "no passage has a doc", id="doc and quote"
    ),
    pytest.param({"doc": "d"}, chunk("d"), "no passage has a doc", id="doc, no docs"),
    pytest.param("a", {"text": "x"}, "no passage has an id", id="chunk, no ids"),
    pytest.param({"quote": "!!! ..."}, text("x"), "the quote has no words", id="no words"),
    pytest.param({"all_of": ["a", SPAN]}, chunk("a"), "no passage carries a span", id="a part"),
    pytest.param(
        {"any_of": [SPAN, {"doc": "d"}]}, chunk("a"), "no passage", id="every alternative"
    ),
]


@pytest.mark.parametrize("field", ["gold", "acceptable", "superseded", "near_miss"])
@pytest.mark.parametrize(("evidence", "passage", "reason"), UNMATCHABLE)
def test_what_cannot_be_matched_at_all_is_an_error(
    evidence: Any, passage: Passage, reason: str, field: str
) -> None:
    others = {"reference_facts": ["x"], "gold": []} | {field: [evidence]}
    got = seen(row(**others), passage)
    assert got.error is not None
    assert got.error.startswith("evidence cannot be matched, " + reason)
    assert got.context == ()


def test_one_alternative_that_could_be_matched_makes_it_a_miss() -> None:
    assert seen(row({"any_of": [SPAN, "b"]}), chunk("a")).error is None


@pytest.mark.parametrize("evidence", ["a", SPAN, {"quote": NOW}, {"doc": "d"}, ALTERNATIVES])
def test_no_passages_at_all_is_a_miss(evidence: Any) -> None:
    got = seen(row(evidence))
    assert (got.error, got.found, got.covered) == (None, (False,), (0.0,))
    assert (got.context, got.completed_at) == ((), (None,))


def test_a_field_that_the_candidates_alone_carry_is_carried() -> None:
    got = assess(row(SPAN), [chunk("a", doc="d", span=(0, 9))], [chunk("b")], Reading())
    assert got.error is None


WHEN = {"metadata": {"status": "superseded"}}
STALE = {"status": "superseded"}


def test_the_plan_marks_passages_as_superseded() -> None:
    got = seen(row("a"), chunk("a"), chunk("b", metadata=STALE), superseded_when=WHEN)
    assert got.context == (RELEVANT, SUPERSEDED)


@pytest.mark.parametrize("field", ["gold", "acceptable", "near_miss"])
def test_a_passage_that_the_row_lists_is_what_the_row_says(field: str) -> None:
    golden = row(**({"gold": ["z"]} | {field: ["a"]}))
    mark = NEAR_MISS if field == "near_miss" else RELEVANT
    got = seen(golden, chunk("a", metadata=STALE), superseded_when=WHEN)
    assert got.context == (mark,)


def test_an_empty_rule_of_the_plan_marks_nothing() -> None:
    rules: list[dict[str, Any]] = [{}, {"metadata": {}}]
    for when in rules:
        assert seen(row("a"), chunk("b", metadata=STALE), superseded_when=when).context == (
            UNJUDGED,
        )


DAYS: list[tuple[Any, bool]] = [
    ("2026-11-28", True),
    ("2026-11-29", False),
    ("2026-11-30", False),
    (" 2026-11-28 ", True),
    ("2026-11-28T23:59:59Z", True),
    ("2026-11-29T00:00:00+02:00", False),
    (date(2026, 11, 28), True),
    (datetime(2026, 11, 28, tzinfo=UTC), True),
    ("28.11.2026", False),
    ("until further notice", False),
    ("", False),
    (20261128, False),
    (None, False),
    ([], False),
]


@pytest.mark.parametrize(("value", "old"), DAYS)
def test_a_passage_holds_to_the_end_of_its_last_day(value: Any, old: bool) -> None:
    passage = chunk("b", metadata={"until": value})
    got = seen(row("a"), passage, valid_until="until", day="2026-11-29")
    assert got.context == (SUPERSEDED if old else UNJUDGED,)


def test_a_passage_without_a_last_day_holds() -> None:
    got = seen(
        row("a"), chunk("b"), chunk("c", metadata=None), valid_until="until", day="2026-11-29"
    )
    assert got.context == (UNJUDGED, UNJUDGED)
