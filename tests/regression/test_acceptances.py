"""Specification of what a history says of a row: its outcome, and the acceptance of that."""

import pytest

from evalrag.regression.acceptances import fails_as_accepted, standing
from evalrag.schema.result import RowResult
from evalrag.schema.run import Acceptance, Accepted
from evalrag.schema.words import Kind, Outcome


def entry(run: str, **moved: tuple[str, ...]) -> Acceptance:
    named = {how.replace("_to_", " -> "): rows for how, rows in moved.items()}
    return Acceptance(run=run, day="2026-11-30", reason=f"reason {run}", rows=1, moved=named)


def seen(accepted: Accepted) -> dict[str, tuple[str, str]]:
    return {row: (was, by.run) for row, (was, by) in standing(accepted).items()}


def test_nothing_was_ever_accepted() -> None:
    assert seen(Accepted()) == {}
    assert seen(Accepted(first={"a": "pass"})) == {}


def test_a_row_stands_by_the_last_acceptance_that_turned_it() -> None:
    accepted = Accepted(
        history=(
            entry("1"),
            entry("2", pass_to_fail=("a", "b"), new=("d",)),
            entry("3", fail_to_pass=("b",), removed=("c",)),
            entry("4"),
        ),
        first={"a": "pass", "b": "pass", "c": "pass", "d": "fail", "e": "fail"},
    )

    assert seen(accepted) == {
        "a": ("fail", "2"),
        "b": ("pass", "3"),
        "d": ("fail", "2"),
        "e": ("fail", "1"),
    }


def test_a_row_that_came_back_stands_by_its_return() -> None:
    accepted = Accepted(
        history=(entry("1"), entry("2", removed=("a",)), entry("3", new=("a",))),
        first={"a": "fail"},
    )

    assert seen(accepted) == {"a": ("fail", "3")}


def ended(row: str, outcome: Outcome) -> RowResult:
    return RowResult(id=row, kind=Kind.HAPPY_PATH, digest="d", asked="a", outcome=outcome)


def told(accepted: Accepted, before: str, after: str) -> list[str]:
    """Rows by their letter: those of `before` failed, those of `after` fail; others pass."""
    then, now = (
        [ended(row, Outcome.FAIL if row in failing else Outcome.PASS) for row in "abcdefg"]
        for failing in (before, after)
    )
    return list(fails_as_accepted(accepted, then, now))


FIRST = Accepted(history=(entry("1"),), first=dict.fromkeys("abcdefg", "fail"))


def test_rows_that_fail_as_accepted_are_named_with_day_and_reason() -> None:
    assert told(FIRST, "a", "a") == ["1 row fails as accepted on 2026-11-30 (reason 1): a"]
    assert told(FIRST, "abcdefg", "abcdefg") == [
        "7 rows fail as accepted on 2026-11-30 (reason 1): a, b, c, d, e and 2 more"
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", "", id="nothing fails"),
        pytest.param("a", "", id="it is fixed"),
        pytest.param("", "a", id="it broke since"),
        pytest.param("a", "b", id="another one fails"),
    ],
)
def test_there_is_no_line_where_no_row_fails_as_accepted(before: str, after: str) -> None:
    assert told(FIRST, before, after) == []


def test_each_acceptance_has_its_line_and_old_ones_share_one() -> None:
    turned = [entry(str(n), pass_to_fail=(row,)) for n, row in enumerate("bcd", 2)]
    accepted = Accepted(
        history=(entry("1"), *turned),
        first={"a": "fail", "b": "pass", "c": "pass", "d": "pass"},
    )

    assert told(accepted, "abcd", "abcd") == [
        "1 row fails as accepted on 2026-11-30 (reason 4): d",
        "1 row fails as accepted on 2026-11-30 (reason 3): c",
        "1 row fails as accepted on 2026-11-30 (reason 2): b",
        "1 row fails as accepted earlier (evalrag baseline show): a",
    ]


def test_a_long_reason_is_one_short_line() -> None:
    long = FIRST.model_copy(
        update={"history": (entry("1").model_copy(update={"reason": "so\nlong " * 100}),)}
    )

    [line] = told(long, "a", "a")

    assert "\n" not in line
    assert len(line) < 160
