"""A stored run is not quietly read beside another dataset than it was made with."""

import json
from typing import Any

import pytest

from tests.workspace import ROWS, Done, Workspace

RELABELLED = {**ROWS[0], "gold": ["returns#0", "market#0"]}
NOTED = {**ROWS[0], "note": "read again"}
OTHERS = ROWS[1:]


def said(done: Done) -> str:
    return " ".join(done.out.split())


@pytest.fixture
def held(shop: Workspace) -> Workspace:
    """Run 0002 was held against the baseline."""
    shop.accepted()
    assert shop.evalrag("run", "plan.yaml").code == 0
    return shop


def test_a_label_that_changed_after_the_run_is_said_first(held: Workspace) -> None:
    held.rows([RELABELLED, *OTHERS])
    line = "golden.jsonl has changed since run 0002 was made (1 row differs: h1); "

    for command in (("gate",), ("diff",), ("show",), ("show", "latest", "h1")):
        assert line in said(held.evalrag(*command)), command
    head = held.evalrag("gate", "--format", "json").json["head"]
    assert [note.startswith(line) for note in head].count(True) == 1
    assert any(note.endswith("evalrag run plan.yaml") for note in head)
    assert "has changed since" in held.evalrag("gate", "--format", "markdown").out


def test_the_verdict_of_a_run_whose_relabelled_rows_cannot_be_scored_again_says_why(
    held: Workspace,
) -> None:
    held.rows([RELABELLED, *OTHERS])
    held.evalrag("run", "plan.yaml")
    before = held.evalrag("gate", "0003")
    held.rows([{**RELABELLED, "gold": ["market#0"]}, *OTHERS])

    after = held.evalrag("gate", "0003")

    assert "has changed since" not in before.out
    assert "golden.jsonl has changed since run 0003 was made (1 row differs: h1)" in said(after)


def test_new_and_deleted_rows_are_counted_and_a_note_is_no_change(held: Workspace) -> None:
    held.rows([NOTED, *OTHERS])
    noted = held.evalrag("gate")
    held.rows([*OTHERS, {**ROWS[0], "id": "h9"}])
    moved = held.evalrag("gate")

    assert "has changed since" not in noted.out
    assert "run 0002 was made (2 rows differ: h9, h1)" in said(moved)


def test_rows_that_a_run_left_out_are_no_rows_that_differ(held: Workspace) -> None:
    held.evalrag("run", "plan.yaml", "--row", "h2")
    held.rows([RELABELLED, *OTHERS])

    done = held.evalrag("gate", "latest")

    assert "run 0003 was made (rows differ that were not in it); " in said(done)


def test_a_dataset_that_cannot_be_read_is_said(held: Workspace) -> None:
    (held.path / "golden.jsonl").unlink()

    done = held.evalrag("gate")

    assert done.code == 0, done
    assert "golden.jsonl cannot be read, so nobody knows whether it has changed" in said(done)


def test_the_run_itself_does_not_say_so(held: Workspace) -> None:
    held.rows([RELABELLED, *OTHERS])

    done = held.evalrag("run", "plan.yaml", "--format", "json")

    assert not any("has changed since" in note for note in json.loads(done.out)["head"])


def _relations(shop: Workspace) -> tuple[int, dict[str, str]]:
    done = shop.evalrag("run", "plan.yaml", "--format", "json")
    changes = done.json["diff"]["changes"]
    return done.code, {c["id"]: c["relation"] for c in changes if c["relation"] != "same"}


def test_a_row_that_has_another_id_and_nothing_else_is_renamed(shop: Workspace) -> None:
    shop.accepted()
    shop.rows([{**row, "id": "window"} if row["id"] == "h1" else row for row in ROWS])

    assert _relations(shop) == (0, {"window": "renamed"})


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"question": "How long is a return window?"}, id="question"),
        pytest.param({"gold": ["wrap#0"]}, id="labels"),
    ],
)
def test_a_row_with_another_id_and_more_is_new(shop: Workspace, other: dict[str, Any]) -> None:
    shop.accepted()
    shop.rows([{**row, "id": "window", **other} if row["id"] == "h1" else row for row in ROWS])

    assert _relations(shop) == (1, {"h1": "removed", "window": "new"})


def test_two_rows_of_one_question_are_told_apart_by_their_ids_alone(shop: Workspace) -> None:
    twins = [{**ROWS[0], "id": "h0"}, *ROWS]
    shop.rows(twins)
    shop.accepted()
    shop.rows([{**row, "id": f"{row['id']}-new"} if row["id"][0] == "h" else row for row in twins])

    code, found = _relations(shop)

    assert code == 1
    assert found == {"h2-new": "renamed", "h0": "removed", "h1": "removed",
                     "h0-new": "new", "h1-new": "new"}  # fmt: skip


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(("--kind", "unanswerable"), id="another kind"),
        pytest.param(("--row", "h2"), id="another row"),
        pytest.param((), id="all rows"),
    ],
)
def test_a_retired_row_is_none_of_the_rows_that_are_selected(
    shop: Workspace, asked: tuple[str, ...]
) -> None:
    shop.accepted()
    shop.rows(ROWS[1:])
    shop.plan(retired=[{"row": "h1", "reason": "no longer asked"}])

    assert shop.evalrag("run", "plan.yaml", *asked).code == 0


def test_a_new_row_that_is_run_alone_has_a_baseline_and_nothing_to_compare(
    shop: Workspace,
) -> None:
    shop.accepted()
    shop.rows([*ROWS, {**ROWS[0], "id": "h9", "question": "How long is it?"}])

    done = shop.evalrag("run", "plan.yaml", "--row", "h9", "--format", "json")

    assert done.code == 3
    assert {gate["status"] for gate in done.json["gates"]} == {"not evaluated"}
    assert shop.evalrag("run", "plan.yaml").code == 0


def test_an_edit_of_the_facts_alone_breaks_nothing(shop: Workspace) -> None:
    first = {**ROWS[0], "reference_facts": ["The return window is 30 days from delivery."]}
    shop.rows([first, *ROWS[1:]])
    shop.accepted()
    shop.rows([{**first, "reference_facts": ["The window is 30 days."]}, *ROWS[1:]])

    done = shop.evalrag("run", "plan.yaml", "--format", "json")

    (edited,) = [c for c in done.json["diff"]["changes"] if c["id"] == "h1"]
    assert (done.code, edited["relation"]) == (0, "relabelled")
    assert edited["change"] != "broke"
