"""`evalrag history`: many runs of a plan in one picture."""

import shutil

import pytest

from tests.workspace import BOT, ROWS, Workspace

SWAPPED = BOT.replace('["market#0", "returns#0"]', '["returns#0", "market#0"]')


@pytest.fixture
def past(shop: Workspace) -> Workspace:
    """Three runs: all right, one row broken, right again without one row."""
    shop.accepted()
    shop.write("bot.py", SWAPPED)
    shop.evalrag("run", "plan.yaml")
    shop.write("bot.py", BOT)
    shop.evalrag("run", "plan.yaml", "--row", "n1", "--row", "h1")
    return shop


def test_rows_that_changed_stand_in_columns_of_runs(past: Workspace) -> None:
    done = past.evalrag("history", "plan.yaml")

    assert done.code == 0
    assert done.out.startswith("shop: 3 runs, 0001 of 2026-11-30 to 0003 of 2026-11-30, oldest")
    lines = done.out.splitlines()
    assert "  123" in lines
    assert "  PFP   near-miss    n1" in lines
    assert "  *0*  near-miss    last 1 of 1" in lines
    assert "  **.  multi-hop    last 1 of 1" in lines
    assert "  5 rows passed in every run" in lines
    assert "h1" not in done.out
    assert lines[-2:] == ["next: evalrag show 0003", "more: evalrag history --full plan.yaml"]
    assert past.evalrag("history").out.splitlines()[:-1] == lines[:-1]


def test_full_lists_every_row_and_last_the_newest_runs(past: Workspace) -> None:
    full = past.evalrag("history", ".evalrag/runs", "--full").out
    assert "  PPP   happy-path   h1\n" in full
    assert "  PP.   multi-hop    m1\n" in full

    one = past.evalrag("history", "--last", "1").out
    assert one.startswith("shop: run 0003 of 2026-11-30\n")


def test_json_holds_every_row(past: Workspace) -> None:
    body = past.evalrag("history", "--format", "json").json

    assert body["schema_version"] == 1
    assert [run["id"] for run in body["runs"]] == ["0001", "0002", "0003"]
    assert [run["partial"] for run in body["runs"]] == [False, False, True]
    rows = {row["id"]: row["outcomes"] for row in body["rows"]}
    assert rows["n1"] == ["pass", "fail", "pass"]
    assert rows["m1"] == ["pass", "pass", None]
    assert len(rows) == len(ROWS)
    assert body["kinds"]["near-miss"][1] == {
        "rows": 1,
        "passed": 0,
        "failed": 1,
        "unresolved": 0,
        "errored": 0,
    }


def test_a_run_that_cannot_be_read_is_named_and_costs_no_other(past: Workspace) -> None:
    (past.path / ".evalrag/runs/0002/rows.jsonl").write_text("{}\n")
    done = past.evalrag("history")
    assert done.code == 0
    assert "Left out\n  - run 0002: " in done.out
    assert "2 runs, 0001" in done.out


def test_runs_of_another_plan_are_counted_and_left_out(past: Workspace) -> None:
    plan = (past.path / "plan.yaml").read_text()
    past.write("other.yaml", plan.replace('"name": "shop"', '"name": "other"'))
    past.evalrag("run", "other.yaml", "--no-baseline")
    assert "shop: 3 runs" in past.evalrag("history", "plan.yaml").out
    newest = past.evalrag("history", ".evalrag/runs").out
    assert newest.startswith("other: run 0004")
    assert "3 runs of other plans" in newest


def test_another_folder_is_named_in_the_next_command(past: Workspace) -> None:
    shutil.move(past.path / ".evalrag/runs", past.path / "kept")
    done = past.evalrag("history", "kept")
    assert "next: evalrag show kept/0003\n" in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["nowhere.yaml"], "nowhere.yaml", id="no-plan"),
        pytest.param(["plan.yaml"], "no finished run of shop", id="no-run"),
        pytest.param([], "no finished run", id="nothing"),
        pytest.param(["--format", "junit"], "--format text or --format json", id="format"),
        pytest.param(["--last", "0"], "--last", id="last"),
    ],
)
def test_what_cannot_be_shown_is_an_error_with_what_to_type(
    shop: Workspace, arguments: list[str], said: str
) -> None:
    done = shop.evalrag("history", *arguments)
    assert done.code == 2
    assert said in done.err
