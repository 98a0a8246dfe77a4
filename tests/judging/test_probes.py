"""Probes change what is shown and nothing that is true of it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalrag.judging.calibration import Judged, judged
from evalrag.judging.probes import (
    LESS_SURE,
    PROBES,
    SURER,
    less_sure,
    padded,
    probe_figure,
    reordered,
    surer,
)
from evalrag.schema.labels import LabelledRow
from tests.builders import verdicts

CONTEXT = (
    "Returns are accepted within 30 days of delivery. Refunds are issued within 5 business days.",
    "What about sale items? Final-sale items cannot be returned. We are happy to help.",
)


def labelled(answer: str, **fields: Any) -> LabelledRow:
    plain = {"id": "a", "question": "How long?", "context": list(CONTEXT), "label": "SUPPORTED"}
    return LabelledRow.model_validate({**plain, "answer": answer, **fields})


def test_passages_are_turned_round() -> None:
    shown = reordered(labelled("30 days."))

    assert shown is not None
    assert shown.context == CONTEXT[::-1]
    assert shown.answer == "30 days."


@pytest.mark.parametrize("context", [["one"], "one", [], ["same", "same"]])
def test_what_has_one_order_alone_is_not_reordered(context: Any) -> None:
    assert reordered(labelled("30 days.", context=context)) is None


def test_filler_stands_in_the_context_and_not_in_the_answer() -> None:
    shown = padded(labelled("Returns are accepted within 30 days of delivery"))

    assert shown is not None
    assert shown.context == CONTEXT
    assert shown.answer == (
        "Returns are accepted within 30 days of delivery. Final-sale items cannot be returned."
    )


def test_a_list_is_padded_by_a_line() -> None:
    shown = padded(labelled("- Returns: 30 days\n- Refunds: 5 days."))

    assert shown is not None
    assert shown.answer.splitlines()[-1] == "Final-sale items cannot be returned."


@pytest.mark.parametrize(
    ("answer", "fields"),
    [
        pytest.param("The documents do not say.", {}, id="declines by its form"),
        pytest.param("Hm.", {"label": "ABSTAINED"}, id="declines by its label"),
        pytest.param("Hm.", {"acceptable_labels": ["ABSTAINED"]}, id="may be called a decline"),
        pytest.param("It is blue.", {"context": "Is it blue? See our page."}, id="no filler"),
        pytest.param(
            "Final-sale items cannot be returned!",
            {"context": "Final-sale items cannot be returned."},
            id="the answer holds all there is",
        ),
    ],
)
def test_what_filler_would_change_is_not_padded(answer: str, fields: dict[str, Any]) -> None:
    assert padded(labelled(answer, **fields)) is None


@pytest.mark.parametrize(
    ("answer", "framed"),
    [
        ("The window is open for 30 days.", "{}the window is open for 30 days."),
        ("All returns by post are free. Do ask.", "{}all returns by post are free. Do ask."),
        ("Items are accepted for 5 euros.", "{}items are accepted for 5 euros."),
        ("It takes 5 days.\n\nIs that all?", "{}it takes 5 days.\n\nIs that all?"),
        ("- The parcel takes 5 days.", "- {}the parcel takes 5 days."),
        ("I'm told it takes five days.", "{}I'm told it takes five days."),
    ],
)
def test_a_frame_stands_before_the_statement_and_leaves_it_as_it_is(
    answer: str, framed: str
) -> None:
    for probe, frame in ((surer, SURER), (less_sure, LESS_SURE)):
        shown = probe(labelled(answer))
        assert shown is not None
        assert shown.answer == framed.format(frame)


def test_a_name_keeps_its_capital() -> None:
    shown = surer(labelled("Northwind takes returns.", context="Items sold by Northwind."))

    assert shown is not None
    assert shown.answer == "I am certain that Northwind takes returns."


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("Click the red button.", id="an order"),
        pytest.param("Is the parcel free of charge?", id="a question"),
        pytest.param("The documents do not say when it takes effect.", id="a decline"),
        pytest.param("Yes, it takes five days.", id="an answer in front"),
        pytest.param("5 days is the usual time.", id="no word first"),
        pytest.param("Acme takes returns.", id="a name or not"),
        pytest.param("30 days.", id="a fragment"),
    ],
)
def test_what_no_frame_fits_is_left_alone(answer: str) -> None:
    assert surer(labelled(answer)) is None


@settings(deadline=None)
@given(
    st.text(min_size=1).filter(lambda text: text.strip() != ""),
    st.lists(st.text() | st.sampled_from(CONTEXT), max_size=3),
)
def test_any_text_can_be_probed(answer: str, context: list[str]) -> None:
    row = labelled(answer, context=context)
    for probe in PROBES.values():
        shown = probe(row)
        assert shown is None or shown != (row.context, row.answer)


def said(id: str, label: str, **fields: Any) -> Judged:
    return judged(labelled("x", id=id), verdicts("ANSWERED", label, **fields))


def failed(id: str) -> Judged:
    return judged(
        labelled("x", id=id), verdicts("ANSWERED", claims=(), unresolved={"claims": "no reply"})
    )


def test_the_share_that_moved_is_over_what_was_judged_both_times() -> None:
    before = [said("a", "SUPPORTED"), said("b", "ABSENT"), said("c", "ABSENT"), failed("d")]
    after = [said("a", "UNRESOLVED"), said("b", "ABSENT"), failed("c"), said("d", "ABSENT")]

    probe = probe_figure([*before, said("e", "ABSENT")], {one.row.id: one for one in after})

    assert (probe.moved.hits, probe.moved.n, probe.failed) == (1, 2, 2)
    assert [(row.id, row.before, row.after) for row in probe.rows] == [
        ("a", "SUPPORTED", "UNRESOLVED")
    ]


def test_a_probe_that_fits_no_row_has_no_share_and_says_so() -> None:
    assert probe_figure([said("a", "ABSENT")], {}).moved.reason == "no row that it fits"
    gone = probe_figure([said("a", "ABSENT")], {"a": failed("a")})
    assert (gone.moved.reason, gone.failed) == ("every ask of it failed", 1)
