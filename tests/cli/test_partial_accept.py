"""A part of a run is accepted, rows keep their order, and a reviewer can read what changed."""

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.workspace import BOT, ROWS, Workspace

FORGETFUL = BOT.replace('"How long is the return window?": ["returns#0"],', "")
"""h1 is not retrieved any more."""
FORGETS_WRAPPING = BOT.replace('"What does gift wrapping cost?": ["wrap#0"],', "")
OUTCOMES = "baseline/outcomes.jsonl"


def outcomes(shop: Workspace) -> dict[str, dict[str, Any]]:
    lines = (shop.path / OUTCOMES).read_text(encoding="utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


def history(shop: Workspace) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        (shop.path / "baseline/accepted.json").read_text(encoding="utf-8")
    )["history"]
    return found


def accept(shop: Workspace, *more: str, reason: str = "read it") -> None:
    done = shop.evalrag("baseline", "accept", "latest", "--reason", reason, *more)
    assert done.code == 0, done


@pytest.fixture
def broken(shop: Workspace) -> Workspace:
    """h1 was accepted as failing; in the newest run it is fixed, and h2 is broken."""
    shop.write("bot.py", FORGETFUL)
    shop.evalrag("run", "plan.yaml")
    accept(shop)
    shop.write("bot.py", FORGETS_WRAPPING)
    assert shop.evalrag("run", "plan.yaml").code == 1
    return shop


def test_fixes_are_taken_and_regressions_are_not(broken: Workspace) -> None:
    before = outcomes(broken)

    accept(broken, "--improved")

    after = outcomes(broken)
    assert list(after) == list(before) == [row["id"] for row in ROWS]
    assert [row for row in after if after[row] != before[row]] == ["h1"]
    assert (after["h1"]["outcome"], after["h2"]["outcome"]) == ("pass", "pass")
    assert history(broken)[-1]["taken"] == ["h1"]
    assert broken.evalrag("gate").code == 1


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        pytest.param(["--row", "h2"], ["h2"], id="a row"),
        pytest.param(["--row", "h2", "--row", "h1"], ["h1", "h2"], id="two rows"),
        pytest.param(["--kind", "near-miss"], ["n1"], id="a kind"),
        pytest.param(["--kind", "happy-path", "--improved"], ["h1"], id="what improved of a kind"),
    ],
)
def test_the_rows_that_are_named_are_taken_and_stay_where_they_stand(
    broken: Workspace, asked: list[str], taken: list[str]
) -> None:
    accept(broken, *asked)

    assert history(broken)[-1]["taken"] == taken
    assert list(outcomes(broken)) == [row["id"] for row in ROWS]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--row", "nobody"], "no row 'nobody'"),
        (["--kind", "near"], "--kind 'near' is not known"),
        (["--kind", "near-miss", "--row", "h1"], "no row of the run is left to accept"),
    ],
)
def test_nothing_to_take_is_said(broken: Workspace, asked: list[str], said: str) -> None:
    done = broken.evalrag("baseline", "accept", "latest", "--reason", "r", *asked)

    assert done.code == 2
    assert said in done.err
    assert len(history(broken)) == 1


def test_a_new_row_stands_where_the_dataset_has_it(shop: Workspace) -> None:
    shop.accepted()
    fresh = {**ROWS[1], "id": "h0", "question": "What does gift wrapping cost today?"}
    shop.rows([ROWS[0], fresh, *ROWS[1:]])
    shop.evalrag("run", "plan.yaml", "--row", "h0", "--row", "m1")

    accept(shop)

    assert list(outcomes(shop)) == ["h1", "h2", "n1", "s1", "h0", "m1", "u1"]
    shop.evalrag("run", "plan.yaml")
    accept(shop, "--row", "n1", "--with-undecided")
    assert list(outcomes(shop))[:2] == ["h1", "h0"]


def test_an_unchanged_run_rewrites_no_file(shop: Workspace) -> None:
    shop.accepted()
    files = {path: path.read_bytes() for path in sorted((shop.path / "baseline").iterdir())}
    shop.evalrag("run", "plan.yaml")

    done = shop.evalrag("baseline", "accept", "latest", "--reason", "again")

    assert done.code == 0
    assert {p: p.read_bytes() for p in sorted((shop.path / "baseline").iterdir())} == files


def test_five_at_once_leave_one_baseline_and_every_entry(broken: Workspace) -> None:
    def one(row: str) -> None:
        broken.start("baseline", "accept", "0002", "--reason", row, "--row", row).wait()

    rows = ["h1", "h2", "h1", "h2", "h1"]
    threads = [threading.Thread(target=one, args=(row,)) for row in rows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    reasons = [entry["reason"] for entry in history(broken)]
    assert reasons[0] == "read it"
    assert sorted(set(reasons[1:])) == ["h1", "h2"]
    now = outcomes(broken)
    assert (now["h1"]["outcome"], now["h2"]["outcome"]) == ("pass", "fail")
    assert [p.name for p in broken.path.iterdir() if p.name.startswith(".baseline")] == []


def test_who_accepted_is_kept(shop: Workspace) -> None:
    shop.evalrag("run", "plan.yaml")
    accept(shop, "--by", "Ana")
    shop.write("bot.py", FORGETFUL)
    shop.evalrag("run", "plan.yaml")
    done = shop.evalrag("baseline", "accept", "--reason", "r", GITHUB_ACTOR="octo")

    assert done.code == 0
    assert [entry["by"] for entry in history(shop)] == ["Ana", "octo"]
    assert "by Ana" in shop.evalrag("baseline", "show").out


def test_the_difference_of_two_rows_is_two_lines_that_a_reviewer_can_read(
    broken: Workspace,
) -> None:
    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
            cwd=broken.path, capture_output=True, text=True, check=True).stdout  # fmt: skip

    git("init", "--quiet")
    git("add", "baseline")
    git("commit", "--quiet", "-m", "before")
    accept(broken, "--row", "h1", "--row", "h2")

    shown = git("diff", "--", "baseline")
    changed = [line for line in git("diff", "-U0", OUTCOMES).splitlines() if line[:2] == "+{"]

    assert [json.loads(line[1:])["id"] for line in changed] == ["h1", "h2"]
    assert "Binary files a/baseline/traces.jsonl and b/baseline/traces.jsonl differ" in shown
    assert "Binary files a/baseline/rows.jsonl and b/baseline/rows.jsonl differ" in shown
    assert len(shown) < 12_000
    summary = (broken.path / "baseline/SUMMARY.md").read_text(encoding="utf-8")
    assert "h1: fail -> pass" in summary.replace("&gt;", ">").replace("\\", "")
    assert "h2: pass -> fail" in summary.replace("&gt;", ">").replace("\\", "")


def test_an_acceptance_says_which_failures_a_gate_will_not_let_pass(shop: Workspace) -> None:
    shop.write("bot.py", BOT.replace('"I do not have information about that."',
                                     '"The rugby final was won by Leeds, 30 to 12."'))  # fmt: skip
    assert shop.evalrag("run", "plan.yaml").code == 1

    done = shop.evalrag("baseline", "accept", "latest", "--reason", "known")

    assert done.code == 0
    assert (
        '- {row: "u1", gate: "nothing is invented", until: 2026-12-30, reason: "..."}' in done.out
    )


def test_drops_that_a_tolerance_lets_pass_add_up(shop: Workspace) -> None:
    gates = [{"name": "recall", "metric": "evidence_coverage",
              "must": "not_drop", "tolerance": 0.6}]  # fmt: skip
    shop.plan(gates=gates)
    shop.evalrag("run", "plan.yaml")
    accept(shop)
    shop.write("bot.py", BOT.replace('price?": ["returns#0", "wrap#0"]', 'price?": ["returns#0"]'))
    shop.plan(gates=gates, pipeline={"context_k": 1})
    assert shop.evalrag("run", "plan.yaml").code == 0

    done = shop.evalrag("baseline", "accept", "latest", "--reason", "a little less")

    assert "evidence_coverage is worse on 1 row: m1" in done.out
    shown = shop.evalrag("baseline", "show").out
    assert "evidence_coverage: 1 -> 0.5, mean of 1 row; worse on m1" in shown


def test_what_is_not_fresh_is_seen_by_its_age(broken: Workspace) -> None:
    accept(broken, "--improved")

    shown = broken.evalrag("baseline", "show", "baseline").out

    assert "run 0001: 5 rows: h2, n1, s1, m1, u1" in shown
    assert "run 0002: 1 row: h1" in shown


def test_a_file_of_the_users_own_stays(shop: Workspace) -> None:
    own = Path(shop.path / "baseline/.gitattributes")
    own.parent.mkdir()
    own.write_text("* text\n")

    shop.accepted()

    assert own.read_text() == "* text\n"
