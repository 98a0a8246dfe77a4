"""A baseline is not lost to a run of another plan that happens to be the newest."""

import json

import pytest

from tests.workspace import PLAN, Workspace

RECORDED = {"use": "recorded", "with": {"path": "baseline"}, "top_k": 5, "context_k": 2}


@pytest.fixture
def forks(shop: Workspace) -> Workspace:
    """Run 0001 is accepted, 0002 is of the same plan, 0003 of one that only reads the baseline."""
    shop.accepted()
    shop.evalrag("run", "plan.yaml")
    forks = {**PLAN, "name": "shop-forks", "pipeline": RECORDED}
    shop.write("forks.yaml", json.dumps(forks))
    assert shop.evalrag("run", "forks.yaml").code == 0
    return shop


def plan_of(shop: Workspace) -> str:
    return str(json.loads((shop.path / "baseline/run.json").read_text())["plan"])


def test_the_newest_run_of_another_plan_is_not_accepted(forks: Workspace) -> None:
    done = forks.evalrag("baseline", "accept", "--reason", "all is fine")

    assert done.code == 2, done
    assert "run 0003 is of plan 'shop-forks', and the baseline in baseline is of 'shop'" in done.err
    assert 'next: evalrag baseline accept 0002 --reason "..."' in done.err
    renamed = 'evalrag baseline accept 0003 --from-plan shop-forks --reason "..."'
    assert f"next, if the plan was renamed: {renamed}" in done.err
    assert plan_of(forks) == "shop"
    assert forks.evalrag("baseline", "accept", "0002", "--reason", "read").code == 0


def test_a_changed_baseline_is_not_lost_to_another_plan_either(forks: Workspace) -> None:
    rows = forks.path / "baseline/rows.jsonl"
    rows.write_text(rows.read_text() + "\n")

    done = forks.evalrag("baseline", "accept", "--reason", "all is fine")

    assert (done.code, "would replace that" in done.err) == (2, True), done


def test_a_renamed_plan_is_accepted_by_its_name_alone(forks: Workspace) -> None:
    wrong = forks.evalrag("baseline", "accept", "--from-plan", "shop", "--reason", "renamed")
    right = forks.evalrag("baseline", "accept", "--from-plan", "shop-forks", "--reason", "renamed")

    assert wrong.code == 2
    assert "run 0003 is of plan 'shop-forks', and not of 'shop'" in wrong.err
    assert right.code == 0, right
    assert plan_of(forks) == "shop-forks"


def test_where_no_run_of_the_right_plan_is_left_it_is_run(forks: Workspace) -> None:
    for name in ("0001", "0002"):
        (forks.path / ".evalrag/runs" / name / "run.json").write_text("null")

    done = forks.evalrag("baseline", "accept", "--reason", "all is fine")

    assert (done.code, "next: evalrag run plan.yaml\n" in done.err) == (2, True), done
