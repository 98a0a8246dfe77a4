"""What a record must show before a judge may gate, and what moved since the last one."""

from typing import Any

import pytest

from evalrag.judging.agreement import Pair, measure
from evalrag.judging.calibration import ANSWER_LABELS, movement, unproven
from evalrag.schema.calibration import Calibration, Change, LabelsPrint, Moved, Requirement

GOOD = [Pair("SUPPORTED", "SUPPORTED")] * 20 + [Pair("CONTRADICTED", "CONTRADICTED")] * 20


def record(pairs: list[Pair] | None = None, **fields: Any) -> Calibration:
    given = GOOD if pairs is None else pairs
    plain: dict[str, Any] = {
        "day": "2026-11-30",
        "version": "0.1.0",
        "judge": "rules/1",
        "fingerprint": "0123456789abcdef",
        "details": {},
        "labels": LabelsPrint(file="labels.jsonl", digest="d", n=len(given)),
        "figures": measure(given, ANSWER_LABELS),
        "judged": {f"r{n}": pair.judge for n, pair in enumerate(given)},
    }
    return Calibration(**plain | fields)


def why(found: Calibration | None, day: str = "2026-12-01", **required: Any) -> str | None:
    return unproven(found, Requirement(**required), day)


def test_a_judge_that_was_shown_to_be_good_may_gate() -> None:
    assert why(record()) is None


def test_one_that_nobody_calibrated_may_not() -> None:
    assert why(None) == "it was never calibrated"


@pytest.mark.parametrize(
    ("day", "said"),
    [
        ("2026-11-30", None),
        ("2027-02-28", None),
        ("2027-03-01", "its record of 2026-11-30 is 91 days old, and 90 may be"),
        ("2026-11-29", "its record is of 2026-11-30, which is after 2026-11-29"),
    ],
)
def test_a_record_grows_old_at_the_end_of_a_day(day: str, said: str | None) -> None:
    assert why(record(), day) == said


@pytest.mark.parametrize(
    ("misses", "said"),
    [
        (2, None),
        (3, "its recall of CONTRADICTED is 17 of 20, below 0.9"),
    ],
)
def test_recall_of_contradictions_may_equal_what_is_asked(misses: int, said: str | None) -> None:
    pairs = GOOD[: 40 - misses] + [Pair("CONTRADICTED", "UNRESOLVED")] * misses

    assert why(record(pairs), min_agreement=0.5) == said


def test_agreement_may_equal_what_is_asked() -> None:
    pairs = GOOD[6:] + [Pair("SUPPORTED", "UNRESOLVED")] * 6

    assert why(record(pairs)) is None
    assert why(record(pairs), min_agreement=0.851) == "its agreement is 34 of 40, below 0.851"


def test_labels_may_be_as_many_as_asked() -> None:
    assert why(record(), min_labels=40) is None
    assert why(record(), min_labels=41) == "it was held against 40 labels, and 41 are needed"


def test_a_figure_that_could_not_be_had_proves_nothing() -> None:
    assert why(record(GOOD[:20]), min_labels=1) == (
        "its recall of CONTRADICTED is not known (people labelled nothing CONTRADICTED)"
    )


def test_all_that_is_wrong_is_said() -> None:
    said = why(record([Pair("CONTRADICTED", "SUPPORTED"), *GOOD[:2]]), "2028-01-01")

    assert said is not None
    assert [part.split()[1] for part in said.split("; ")] == [
        "record",
        "was",
        "agreement",
        "recall",
    ]


def test_what_moved_is_said_by_figure_and_by_row() -> None:
    before = record([*GOOD[:39], Pair("CONTRADICTED", "UNRESOLVED")], judge="rules/0")

    moved = movement(before, record())

    assert (moved.day, moved.judge) == ("2026-11-30", "rules/0")
    assert moved.figures["recall CONTRADICTED"] == Change(before=0.95, after=1.0)
    assert set(moved.figures) == {
        "agreement",
        "kappa",
        "ac1",
        "unresolved",
        "recall CONTRADICTED",
    }
    assert moved.rows == (Moved(id="r39", before="UNRESOLVED", after="CONTRADICTED"),)


def test_a_figure_that_is_had_for_the_first_time_moved() -> None:
    moved = movement(record(GOOD[:20]), record([*GOOD[:19], Pair("ABSENT", "SUPPORTED")]))

    assert moved.figures["kappa"] == Change(before=None, after=0.0)


def test_nothing_moved_between_a_record_and_itself() -> None:
    moved = movement(record(), record(day="2026-12-24"))

    assert (moved.figures, moved.rows) == ({}, ())
