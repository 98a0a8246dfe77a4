"""What the stages took, from a run that a pipeline went through."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalrag.schema.verdict import StageCost
from evalrag.stores.running_costs import percentile, row_costs, running_costs
from evalrag.stores.runs import StoredRun
from tests.workspace import BOT, Workspace

SECONDS = st.lists(st.floats(0, 1e6, allow_nan=False), min_size=1, max_size=50)


@given(SECONDS, st.sampled_from([0.01, 0.25, 0.5, 0.9, 0.95, 1.0]))
def test_a_percentile_is_numpys_inverted_cdf(values: list[float], share: float) -> None:
    assert percentile(values, share) == np.percentile(values, share * 100, method="inverted_cdf")


def stored(shop: Workspace, timings: list[dict[str, object]]) -> StoredRun:
    """A finished run whose stages took that long."""
    shop.evalrag("run", "plan.yaml")
    folder = shop.path / ".evalrag/runs/0001"
    lines = "".join(json.dumps(line) + "\n" for line in timings)
    (folder / "timings.jsonl").write_text(lines, encoding="utf-8")
    return StoredRun(folder)


def test_seconds_tries_tokens_and_cost_stand_at_their_stage(shop: Workspace) -> None:
    usage = {"input_tokens": 100, "output_tokens": 10, "cost": 0.5}
    run = stored(
        shop,
        [
            {"id": f"r{n}", "repeat": 0, "seconds": {"retrieval": n / 10, "generation": 1.0}}
            | ({"usage": usage, "attempts": {"generation": 3}} if n == 20 else {})
            for n in range(1, 21)
        ],
    )
    retrieval, generation = running_costs(run)
    assert retrieval == StageCost(
        stage="retrieval", calls=20, tries=20, seconds=21.0, p50=1.0, p95=1.9
    )
    assert generation == StageCost(
        stage="generation", calls=20, tries=22, seconds=20.0, p50=1.0, p95=1.0,
        tokens_in=100, tokens_out=10, cost=0.5,
    )  # fmt: skip
    (attempt,) = row_costs(run, "r20")
    assert [(one.stage, one.tries, one.cost) for one in attempt] == [
        ("retrieval", 1, None),
        ("generation", 3, 0.5),
    ]


def test_a_failed_first_stage_has_no_later_one(shop: Workspace) -> None:
    run = stored(shop, [{"id": "a", "repeat": 0, "seconds": {"retrieval": 2.0}}])
    assert [one.stage for one in running_costs(run)] == ["retrieval"]


@pytest.mark.parametrize("lines", [[], [{"id": "a", "repeat": 0}]])
def test_where_nothing_was_timed_nothing_is_said(
    shop: Workspace, lines: list[dict[str, object]]
) -> None:
    assert running_costs(stored(shop, lines)) == ()


def test_the_full_report_and_the_row_say_it_and_no_outcome_does(shop: Workspace) -> None:
    dear = BOT.replace(
        'return passages[0]["text"]',
        'return {"answer": passages[0]["text"], "usage": {"input_tokens": 7, "output_tokens": 3, '
        '"cost": 0.25}}',
    )
    shop.write("bot.py", dear)
    shop.accepted()
    done = shop.evalrag("run", "plan.yaml", "--full")
    assert done.code == 0
    table = done.out.split("Running costs")[1].splitlines()[1:4]
    assert " ".join(table[0].split()) == "stage calls tries p50 s p95 s all s tokens in out cost"
    assert table[1].split()[:3] == ["retrieval", "6", "6"]
    assert table[2].split()[:3] == ["generation", "6", "6"]
    assert table[2].split()[-3:] == ["35", "15", "$1.2500"]
    shown = shop.evalrag("show", "latest", "h1").out
    assert "Took" in shown
    assert "7 tokens in, 3 out, $0.2500" in shown
    rows = Path(shop.path / ".evalrag/runs/0002/rows.jsonl").read_text(encoding="utf-8")
    assert "seconds" not in rows
