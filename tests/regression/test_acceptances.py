"""Specification of what a history says of a row: its outcome, and the acceptance of that."""

from evalrag.regression.acceptances import standing
from evalrag.schema.run import Acceptance, Accepted


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
