"""A command that there is not leads to the one that was meant."""

import pytest

from tests.workspace import Workspace


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("chek", "did you mean: evalrag check"),
        ("RUN", "did you mean: evalrag run"),
        ("accept", "did you mean: evalrag baseline accept"),
        ("decide", "did you mean: evalrag judge decide"),
        ("calibrate latest", "did you mean: evalrag judge calibrate"),
        ("baseline acept", "did you mean: evalrag baseline accept"),
        ("baseline decide", "did you mean: evalrag judge decide"),
        ("judge show", "did you mean: evalrag show"),
        ("xyzzy", "evalrag --help"),
        ("cache xyzzy", "evalrag cache --help"),
    ],
)
def test_what_was_meant_is_said(shop: Workspace, typed: str, hint: str) -> None:
    done = shop.evalrag(*typed.split())

    assert done.code == 2
    assert f"\nnext: {hint}\n" in done.err
    assert "there is no command " in done.err
    assert done.out == ""


def test_a_stored_row_that_is_no_json_has_no_empty_field(shop: Workspace) -> None:
    shop.evalrag("run", "plan.yaml", "--no-baseline")
    rows = next(shop.path.glob(".evalrag/runs/*/rows.jsonl"))
    rows.write_text("{\n" + rows.read_text())

    done = shop.evalrag("gate", "latest")

    assert "line 1: Invalid JSON: " in done.err
    assert ": : " not in done.err
