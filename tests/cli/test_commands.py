"""The other commands, as processes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import evalrag
from tests.workspace import BOT, ROWS, Workspace


def test_version_and_help_end_well(shop: Workspace) -> None:
    assert shop.evalrag("--version").out.strip() == f"evalrag {evalrag.__version__}"
    shown = shop.evalrag("--help")
    assert shown.code == 0
    for command in (
        "run",
        "diff",
        "gate",
        "baseline",
        "cache",
        "check",
        "show",
        "explain",
        "schema",
        "history",
    ):
        assert command in shown.out


@pytest.mark.parametrize(
    "command",
    [
        *("run", "diff", "gate", "check", "show", "explain", "schema", "rescore", "history"),
        *("baseline accept", "cache stats", "cache clear", "judge calibrate"),
    ],
)
def test_every_command_has_help_with_an_example_or_a_sentence(
    shop: Workspace, command: str
) -> None:
    shown = shop.evalrag(*command.split(), "--help")

    assert shown.code == 0
    assert "Usage" in shown.out


def test_show_draws_the_windows_edge_and_the_gold_below_it(shop: Workspace) -> None:
    shop.accepted()
    shop.write(
        "bot.py", BOT.replace('["wrap#0"]', '["other#0", "market#0", "returns#0", "wrap#0"]')
    )
    shop.evalrag("run", "plan.yaml")

    shown = shop.evalrag("show", "latest", "h2").out

    edge = shown.index("the window's edge")
    assert shown.index("other#0") < edge < shown.index("GOLD  wrap#0")
    assert "ranked-out: evidence 1 is at position 4, outside a context of 2" in shown
    assert "Baseline: pass" in shown


def test_show_names_both_versions_of_a_stale_source(shop: Workspace) -> None:
    shop.accepted()
    shop.write(
        "bot.py",
        BOT.replace('["delivery@2#0", "delivery@1#0"]', '["delivery@1#0", "delivery@2#0"]'),
    )
    shop.evalrag("run", "plan.yaml")

    shown = shop.evalrag("show", "latest", "s1").out

    assert "stale-source: delivery@1#0 stands at 1 in the context, before the gold at 2" in shown
    assert "OLD   delivery@1#0" in shown
    assert "GOLD  delivery@2#0" in shown


def test_show_without_a_row_lists_what_did_not_pass_and_with_full_all(shop: Workspace) -> None:
    shop.write("bot.py", BOT.replace('["wrap#0"]', '["other#0", "market#0"]'))
    shop.evalrag("run", "plan.yaml")

    short = shop.evalrag("show", "latest").out.splitlines()
    full = shop.evalrag("show", "latest", "--full").out.splitlines()

    assert short[0].split()[:3] == full[0].split()[:3] == ["fail", "happy-path", "h2"]
    assert short[1] == "5 rows pass; listed by: evalrag show 0001 --full"
    assert len(short) == 3
    assert len(full) == len(ROWS) + 1


def test_show_of_an_errored_row_says_why_once_and_how_to_run_it_again(shop: Workspace) -> None:
    shop.write("bot.py", BOT.replace('["wrap#0"]', '["gone#0"]'))
    shop.evalrag("run", "plan.yaml")

    shown = shop.evalrag("show", "latest", "h2").out

    assert "stages: every one error\n" in shown
    assert "error at retrieval: KeyError: 'gone#0'" in shown
    assert shown.count("gone#0") == 2, "once, and as the reason of all that is not scored"
    flat = " ".join(shown.split())
    assert "Not scored context_recall, evidence_coverage, candidate_recall, hit, " in flat
    assert " more: failed (KeyError: 'gone#0'" in flat
    again = shown.splitlines()[-1]
    assert again == "next: evalrag run plan.yaml --row=h2"
    shop.write("bot.py", BOT)
    assert "h2" in shop.evalrag(*again.removeprefix("next: evalrag ").split()).out
    assert shop.evalrag("show", "latest", "h2").out.startswith("h2  happy-path  PASS")


def test_gate_decides_a_stored_run_again(shop: Workspace) -> None:
    shop.accepted()
    shop.write("bot.py", BOT.replace('["wrap#0"]', '["other#0", "market#0"]'))
    ran = shop.evalrag("run", "plan.yaml", "--format", "json")
    (shop.path / "bot.py").unlink()

    again = shop.evalrag("gate", "latest", "--format", "json")

    assert again.code == ran.code == 1
    assert again.json == ran.json


def test_diff_shows_what_moved_between_any_two_runs(shop: Workspace) -> None:
    shop.accepted()
    shop.write("bot.py", BOT.replace('["wrap#0"]', '["other#0", "market#0"]'))
    shop.evalrag("run", "plan.yaml")

    done = shop.evalrag("diff", "0001", "0002", "--full")

    assert done.code == 0
    assert "broke: h2 (retrieval broke" in done.out or "broke: h2 (ranking broke" in done.out
    assert "context_recall 1 -> 0" in done.out
    assert shop.evalrag("diff", "0001", "0002", "--gate").code == 1
    assert (
        shop.evalrag("diff", "latest", EVALRAG_FULL="1").out.splitlines()[1:]
        == done.out.splitlines()[1:]
    )


def test_accepting_says_what_moved_since_the_last_and_the_first(shop: Workspace) -> None:
    shop.accepted()
    shop.write("bot.py", BOT.replace('["wrap#0"]', '["other#0", "market#0"]'))
    shop.evalrag("run", "plan.yaml")

    done = shop.evalrag("baseline", "accept", "latest", "--reason", "the price list moved")

    assert "since the last baseline: pass -> fail: h2" in done.out
    assert "since the first one: pass -> fail: h2" in done.out
    shown = shop.evalrag("baseline", "show", "baseline").out
    assert "the price list moved" in shown
    assert "run 0001" in shown
    assert not (shop.path / "baseline/timings.jsonl").exists()
    assert shop.evalrag("run", "plan.yaml").code == 0


def test_accepting_a_selected_run_replaces_those_rows_and_no_other(shop: Workspace) -> None:
    shop.accepted()
    shop.write(
        "bot.py",
        BOT.replace('["wrap#0"]', '["other#0"]').replace("4 euros", "6 euros"),
    )
    shop.evalrag("run", "plan.yaml", "--row", "n1")

    done = shop.evalrag("baseline", "accept", "latest", "--reason", "one row")

    assert "6 rows, 1 of them from this run" in done.out
    stored = (shop.path / "baseline/rows.jsonl").read_text()
    assert [json.loads(line)["outcome"] for line in stored.splitlines()] == ["pass"] * 6
    assert (shop.path / "baseline/traces.jsonl").read_text().count('"repeat":0') == 6


def test_accepting_keeps_the_decided_result_of_a_row_that_errored(shop: Workspace) -> None:
    shop.accepted()
    broken = BOT.replace(
        "first = FIRST.get(question, [])",
        "first = FIRST.get(question, [])\n        if 'cost' in question: raise ValueError('x')",
    )
    shop.write("bot.py", broken)
    shop.evalrag("run", "plan.yaml")

    kept = shop.evalrag("baseline", "accept", "latest", "--reason", "r")
    outcome = {
        json.loads(line)["id"]: json.loads(line)["outcome"]
        for line in (shop.path / "baseline/rows.jsonl").read_text().splitlines()
    }

    assert "kept as they were, undecided in this run: h2" in kept.out
    assert outcome["h2"] == "pass"
    shop.evalrag("baseline", "accept", "latest", "--reason", "r", "--with-undecided")
    assert '"outcome":"error"' in (shop.path / "baseline/rows.jsonl").read_text()


def test_a_changed_label_is_scored_again_from_the_baselines_traces(shop: Workspace) -> None:
    shop.accepted()
    shop.rows([{**ROWS[0], "gold": ["returns#0", "other#0"]}, *ROWS[1:]])

    done = shop.evalrag("run", "plan.yaml", "--format", "json")

    change = {c["id"]: c for c in done.json["diff"]["changes"]}["h1"]
    assert (change["relation"], change["change"]) == ("relabelled", "relabelled")
    assert done.code == 0


def test_a_changed_label_counts_as_edited_and_says_so_once_the_dataset_has_moved_on(
    shop: Workspace,
) -> None:
    shop.accepted()
    shop.rows([{**ROWS[0], "gold": ["returns#0", "other#0"]}, *ROWS[1:]])
    shop.evalrag("run", "plan.yaml")
    shop.rows(ROWS)

    out = " ".join(shop.evalrag("gate", "latest").out.split())

    assert "1 row is edited: h1 (labels changed, and the dataset file does not hold" in out


def test_without_traces_it_counts_as_edited(shop: Workspace) -> None:
    shop.evalrag("run", "plan.yaml")
    shop.evalrag("baseline", "accept", "latest", "--reason", "r", "--without-traces")
    assert not (shop.path / "baseline/traces.jsonl").exists()
    shop.rows([{**ROWS[0], "gold": ["returns#0", "other#0"]}, *ROWS[1:]])

    done = shop.evalrag("run", "plan.yaml", "--format", "json")

    assert {c["id"]: c["relation"] for c in done.json["diff"]["changes"]}["h1"] == "edited"


def test_a_deleted_row_fails_and_a_retired_one_is_said(shop: Workspace) -> None:
    shop.accepted()
    shop.rows(ROWS[1:])
    assert shop.evalrag("run", "plan.yaml").code == 1

    shop.plan(retired=[{"row": "h1", "reason": "no returns any more"}])
    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 0
    assert "row h1 is retired: no returns any more" in done.out


def test_a_lowered_threshold_and_a_removed_gate_are_said_first(shop: Workspace) -> None:
    gates = [
        {"name": "recall", "metric": "context_recall", "must": "not_drop"},
        {"name": "floor", "metric": "context_recall", "must": {"mean_at_least": 0.5}},
    ]
    shop.plan(gates=gates)
    shop.accepted()
    shop.plan(gates=gates[:1], thresholds={"faithfulness": 0.5})

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 0
    assert done.out.index("Loosened") < done.out.index("Gates")
    assert "gate 'floor' is gone" in done.out
    assert "threshold faithfulness 0.8 -> 0.5" in done.out
    shop.plan(gates=gates[:1], thresholds={"faithfulness": 0.5}, fail_on_loosened=True)
    assert shop.evalrag("run", "plan.yaml").code == 1


def test_rescore_judges_stored_traces_again_and_calls_no_pipeline(shop: Workspace) -> None:
    shop.accepted()
    shop.write(
        "bot.py",
        BOT.replace(
            "def retrieve(question, top_k):",
            "def retrieve(question, top_k):\n        raise ValueError",
        ),
    )

    done = shop.evalrag("rescore", "baseline")

    assert done.code == 0, done
    assert shop.run_files("0002") == shop.run_files("0001")


JUDGE = """
    from evalrag.judges.offline import OfflineJudge

    class Mine:
        name = "mine/1"
        offers = OfflineJudge().offers
        def fingerprint(self):
            return {"judge": "mine"}
        async def ask(self, task):
            return await OfflineJudge().ask(task)
"""


def test_another_judge_is_undecided_until_the_baseline_is_rescored(shop: Workspace) -> None:
    shop.accepted()
    shop.write("judges.py", JUDGE)
    shop.plan(judge={"use": "judges:Mine"})

    done = shop.evalrag("run", "plan.yaml")
    assert done.code == 3
    assert "next: evalrag rescore baseline" in done.out

    scored = shop.evalrag("rescore", "baseline")
    assert scored.code == 0, scored
    assert shop.evalrag("gate", "0002", "--baseline", ".evalrag/runs/0003").code == 0


@pytest.mark.parametrize("name", ["plan", "row", "decision", "run", "result", "verdict", "report"])
def test_schemas_are_json(shop: Workspace, name: str) -> None:
    body = json.loads(shop.evalrag("schema", name).out)

    assert body["type"] == "object"
    assert body["additionalProperties"] is False


def test_the_schema_of_labels_leaves_room_for_other_fields(shop: Workspace) -> None:
    body = json.loads(shop.evalrag("schema", "labels").out)

    assert body["required"] == ["id", "question", "context", "answer", "label"]
    assert {part["type"] for part in body["properties"]["context"]["anyOf"]} == {"string", "array"}
    assert body["additionalProperties"] is True


def test_explain_has_a_page_for_every_metric_diagnosis_rule_and_exit_code(
    shop: Workspace,
) -> None:
    listed = shop.evalrag("explain").out

    for name in (
        "ndcg",
        "hard_fail",
        "stale-source",
        "not_drop",
        "happy-path",
        "stage.answer",
        "judges",
        "guard",
        "cache",
        "130",
    ):
        assert name in listed
        page = shop.evalrag("explain", name)
        assert page.code == 0
        assert len(page.out) > 60


def test_check_passes_on_a_good_plan_and_warns_of_what_would_bite(shop: Workspace) -> None:
    shop.plan(
        pipeline={"context_k": None},
        gates=[{"name": "recall", "metric": "context_recall", "must": "not_drop"}],
    )

    done = shop.evalrag("check", "plan.yaml")

    assert done.code == 0
    assert "names no window" in done.out
    assert "every gate compares with a baseline" in done.out
    assert not (shop.path / ".evalrag").exists()


def test_check_warns_of_refusal_gated_without_over_refusal(shop: Workspace) -> None:
    shop.plan(
        gates=[
            {
                "name": "g",
                "where": {"kind": "unanswerable"},
                "metric": "hard_fail",
                "must": {"total_at_most": 0},
            }
        ]
    )

    assert "a bot that declines everything" in shop.evalrag("check", "plan.yaml").out


def test_check_warns_of_more_evidence_than_the_window_holds(shop: Workspace) -> None:
    shop.plan(pipeline={"context_k": 1})

    assert "cannot hold all evidence of m1" in shop.evalrag("check", "plan.yaml").out


def test_check_warns_of_evidence_that_the_corpus_does_not_have(shop: Workspace) -> None:
    shop.write("corpus.jsonl", json.dumps({"id": "returns#0", "doc": "r", "text": "x"}) + "\n")
    shop.plan(corpus={"path": "corpus.jsonl"})

    out = shop.evalrag("check", "plan.yaml").out

    assert "h2: gold[0] (wrap#0) is not in the corpus" in out
    assert "h1: gold" not in out


def test_missing_content_is_told_from_what_was_not_retrieved(shop: Workspace) -> None:
    shop.write("corpus.jsonl", json.dumps({"id": "returns#0", "doc": "r", "text": "x"}) + "\n")
    shop.plan(corpus={"path": "corpus.jsonl"})
    shop.rows([{**ROWS[0], "gold": ["gone#0"]}, *ROWS[1:]])

    done = shop.evalrag("run", "plan.yaml", "--no-baseline", "--format", "json")

    assert done.json["diagnoses"]["missing-content"] == ["h1"]


def test_an_edited_page_is_said_by_check_and_by_the_diagnosis(shop: Workspace) -> None:
    page = {"id": "r", "doc": "returns", "text": "The return window is 14 days from delivery."}
    shop.write("corpus.jsonl", json.dumps(page) + "\n")
    shop.plan(corpus={"path": "corpus.jsonl"})
    gold = {"doc": "returns", "quote": "The return window is 60 days from delivery"}
    shop.rows([{**ROWS[0], "gold": [gold]}])
    words = (
        'returns seems edited: its nearest words are "the return window is 14 days from delivery", '
        'with "14" for "60"'
    )

    checked = shop.evalrag("check", "plan.yaml")
    shop.evalrag("run", "plan.yaml", "--no-baseline")
    shown = " ".join(shop.evalrag("show", "latest", "h1").out.split())

    assert f"is not in the corpus; {words}; mend the label or the page" in checked.out
    assert f"missing-content: evidence 1 is not in the corpus; evidence 1: {words}" in shown


def test_a_checkout_of_evalrag_in_the_working_directory_does_not_stand_in_the_way(
    shop: Workspace,
) -> None:
    shop.write("evalrag/__init__.py", "raise RuntimeError('the wrong one')")
    script = Path(sys.executable).parent / "evalrag"

    done = subprocess.run(
        [script, "check", "plan.yaml"],
        cwd=shop.path,
        env=shop.environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_accepting_some_rows_takes_no_row_away_and_weakens_no_gate(shop: Workspace) -> None:
    gates = [{"name": "recall", "metric": "context_recall", "must": "not_drop"}]
    shop.plan(gates=gates)
    shop.accepted()
    shop.rows(ROWS[1:])
    shop.plan(gates=[{**gates[0], "tolerance": 1}])
    shop.evalrag("run", "plan.yaml", "--row", "h2")
    shop.evalrag("baseline", "accept", "latest", "--reason", "h2 alone")

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 1
    assert "row h1 was removed" in done.out
    assert "gate 'recall': tolerance 0 -> 1" in done.out


@pytest.mark.parametrize("where", ["baseline", ".evalrag/runs/0002"])
@pytest.mark.parametrize("how", ["missing", "twice"])
def test_a_stored_row_that_is_missing_or_there_twice_is_damage(
    shop: Workspace, where: str, how: str
) -> None:
    shop.accepted()
    shop.evalrag("run", "plan.yaml")
    rows = shop.path / where / "rows.jsonl"
    lines = rows.read_text().splitlines(keepends=True)
    rows.write_text("".join(lines[1:] if how == "missing" else [*lines, lines[0]]))

    done = shop.evalrag("gate", "0002")

    assert done.code == 2
    said = "it holds 5 rows of 6" if how == "missing" else "stands in it twice"
    assert ("was changed after it was accepted" if where == "baseline" else said) in done.err


def test_a_changed_threshold_cannot_be_accepted_for_some_rows(shop: Workspace) -> None:
    shop.accepted()
    shop.plan(thresholds={"faithfulness": 0.1})
    shop.evalrag("run", "plan.yaml", "--row", "h1")

    done = shop.evalrag("baseline", "accept", "latest", "--reason", "r")

    assert done.code == 2
    assert "another thresholds than the baseline" in done.err


DOWN = """
    def retrieve(question, top_k):
        raise ConnectionError("the service is down")

    def generate(question, passages):
        return ""
"""


def test_a_run_in_which_every_row_errored_is_never_offered_or_accepted(shop: Workspace) -> None:
    shop.write("bot.py", DOWN)
    done = shop.evalrag("run", "plan.yaml")
    assert done.code == 4
    assert "6 rows errored" in done.out
    assert "next: evalrag show 0001 h1" in done.out
    assert "baseline accept" not in done.out

    refused = shop.evalrag("baseline", "accept", "latest", "--reason", "it ran")

    assert refused.code == 2
    assert "every row of run 0001 errored: as a baseline it would protect nothing" in refused.err
    assert not (shop.path / "baseline").exists()


def test_rows_that_are_undecided_when_accepted_are_named(shop: Workspace) -> None:
    flaky = "def retrieve(question, top_k):\n    if 'gift' in question: raise ValueError('no')"
    shop.write(
        "bot.py",
        BOT.replace("    def retrieve(question, top_k):", f"    {flaky}".replace("\n", "\n    ")),
    )
    done = shop.evalrag("run", "plan.yaml")
    assert done.code == 4
    assert done.out.index("next: evalrag show 0001 h2") < done.out.index("baseline accept 0001")

    accepted = shop.evalrag("baseline", "accept", "latest", "--reason", "first")

    assert accepted.code == 0
    assert "2 rows errored in it" in accepted.out
    assert "is accepted: h2, m1" in accepted.out


@pytest.mark.parametrize(
    ("field", "taken_out", "said"),
    [
        (
            "id",
            '"id": name, ',
            "errored on 5 of 6 rows: evidence cannot be matched, no passage has an id",
        ),
        (
            "doc",
            '"doc": name.split("#")[0], ',
            "errored on 2 of 2 rows: evidence cannot be matched, no passage has a doc",
        ),
    ],
)
def test_a_field_that_no_passage_has_is_one_line_with_what_to_return(
    shop: Workspace, field: str, taken_out: str, said: str
) -> None:
    if field == "doc":
        quotes = ("The return window is 30 days.", "Gift wrapping costs 4 euros.")
        shop.rows(
            [
                {**row, "gold": [{"doc": "d", "quote": quote}]}
                for row, quote in zip(ROWS, quotes, strict=False)
            ]
        )
    shop.write("bot.py", BOT.replace(taken_out, ""))

    head = shop.evalrag("run", "plan.yaml", "--no-baseline", "--format", "json").json["head"]

    assert [note for note in head if note.startswith("errored on")] == [
        f"{said}: return `{field}` from bot:retrieve"
    ]
