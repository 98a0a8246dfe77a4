"""The exit ladder, tampering, and what is said first."""

from typing import Any

import pytest

from evalrag.regression.default_gates import DEFAULTS
from evalrag.schema.gate import Gate
from evalrag.schema.plan import Quarantine, Retired, Thresholds, Waiver
from evalrag.schema.run import Selection
from evalrag.schema.words import Outcome
from tests.builders import (
    as_mapping,
    changed,
    decide,
    failed_gates,
    gate_of,
    good,
    good_run,
    named,
    pipeline,
    result,
    row,
    run,
    trace,
    verdicts,
)

ROWS = [
    row("h1"),
    row("h2", tags=["vip"]),
    row("n1", "near-miss"),
    row("s1", "stale-policy"),
    row("m1", "multi-hop"),
    row("u1", "unanswerable"),
]
BASE = good_run(ROWS)
LOST = (trace(["x-1"], answer="I cannot find that."), verdicts("DECLINED"))
ERRORED = ({"candidates": [], "context": [], "error": "boom", "error_stage": "retrieval"}, None)


def after(rows: Any = None, *, attempts: dict[str, Any] | None = None, **fields: Any) -> Any:
    wanted = rows if rows is not None else ROWS
    return run(wanted, changed(BASE, ROWS, **(attempts or {})), **fields)


def gate(name: str = "recall", **fields: Any) -> Gate:
    return Gate.model_validate(
        {"name": name, "metric": "context_recall", "must": "not_drop"} | fields
    )


def test_a_failed_gate_names_the_worst_row_to_show() -> None:
    verdict = decide(after(attempts={"h1": LOST}), BASE)

    assert verdict.exit_code == 1
    assert verdict.next == ("evalrag show 0002 h1",)


def test_a_failure_comes_before_a_missing_baseline_and_before_an_error() -> None:
    invented = (trace(["x-1"], answer="An answer."), verdicts())

    assert decide(after(attempts={"u1": invented, "h1": ERRORED})).exit_code == 1


def test_a_missing_baseline_comes_before_an_error() -> None:
    verdict = decide(after(attempts={"h1": ERRORED}))

    assert verdict.exit_code == 4
    assert "evalrag show" in verdict.next[0], "accepted as it is, the row would protect nothing"
    assert "baseline accept" in verdict.next[1]


def test_a_baseline_without_a_comparable_row_is_none() -> None:
    strangers = good_run([row("z1"), row("z2", "unanswerable")])
    kept = [row("h1"), row("u1", "unanswerable")]

    verdict = decide(
        good_run(
            kept, id="0002", retired=(Retired(row="z1", reason="r"), Retired(row="z2", reason="r"))
        ),
        strangers,
    )

    assert verdict.exit_code == 4


def test_without_a_baseline_on_request_the_gates_left_out_are_listed() -> None:
    verdict = decide(after(), BASE, wanted=False)

    assert verdict.exit_code == 0
    assert [g.name for g in verdict.gates] == ["nothing is invented"]
    assert any("--no-baseline leaves out: evidence is retrieved" in line for line in verdict.head)


def test_leaving_out_every_gate_is_never_a_pass() -> None:
    now = after(gates=(gate(),))

    verdict = decide(now, BASE, wanted=False)

    assert verdict.exit_code == 3
    assert "nothing was gated" in verdict.reasons


def test_a_run_whose_gates_all_have_no_rows_is_never_a_pass() -> None:
    chosen = [ROWS[0]]
    now = run(
        ROWS,
        [BASE[1][0]],
        chosen=chosen,
        selection=Selection(row=("h1",)),
        gates=(gate(where={"kind": "stale-policy"}),),
    )

    assert decide(now, BASE).exit_code == 3


def test_allowed_errors_are_left_out_and_named() -> None:
    verdict = decide(after(attempts={"h1": ERRORED}, allow_errors=1), BASE)

    assert verdict.exit_code == 0
    assert verdict.errored == ("h1",)


def test_one_error_more_than_allowed_is_undecided() -> None:
    now = after(attempts={"h1": ERRORED, "h2": ERRORED}, allow_errors=1)

    assert decide(now, BASE).exit_code == 3


def test_deleting_a_row_fails_and_names_it() -> None:
    rows = ROWS[1:]

    verdict = decide(run(rows, BASE[1][1:]), BASE)

    assert verdict.exit_code == 1
    assert named(verdict, "evidence is retrieved") == ["h1"]
    assert verdict.diff.loosened == ("row h1 was removed",)


def test_retiring_a_row_is_said_and_does_not_fail() -> None:
    now = run(ROWS[1:], BASE[1][1:], retired=(Retired(row="h1", reason="product is gone"),))

    verdict = decide(now, BASE)

    assert verdict.exit_code == 0
    assert verdict.diff.loosened == ("row h1 is retired: product is gone",)


def test_moving_a_row_to_the_holdout_split_fails_and_names_it() -> None:
    rows = [row("h1", split="holdout"), *ROWS[1:]]
    now = run(rows, BASE[1][1:], chosen=rows[1:])

    verdict = decide(now, BASE)

    assert verdict.exit_code == 1
    assert named(verdict, "evidence is retrieved") == ["h1"]
    assert "row h1 was moved to the holdout split" in verdict.diff.loosened


def test_a_holdout_row_of_both_is_not_removed_by_a_run_that_did_not_ask() -> None:
    rows = [row("h1", split="holdout"), *ROWS[1:]]
    before = good_run(rows)

    verdict = decide(run(rows, before[1][1:], chosen=rows[1:]), before)

    assert verdict.exit_code == 0
    assert [change.id for change in verdict.diff.changes if change.change == "removed"] == []


def test_editing_the_question_of_a_broken_row_is_undecided_and_names_it() -> None:
    rows = [row("h1", question="Another question?"), *ROWS[1:]]
    now = run(rows, [result(rows[0], LOST), *BASE[1][1:]])

    verdict = decide(now, BASE)

    assert verdict.exit_code == 3
    assert named(verdict, "evidence is retrieved", "undecided") == ["h1"]


def test_editing_the_question_of_a_good_row_passes_and_names_it() -> None:
    rows = [row("h1", question="Another question?"), *ROWS[1:]]
    now = run(rows, [result(rows[0], good(rows[0])), *BASE[1][1:]])

    verdict = decide(now, BASE)

    assert verdict.exit_code == 0
    assert any("1 row is edited: h1" in line for line in verdict.head)


def test_white_space_at_the_ends_of_a_question_is_no_edit() -> None:
    rows = [row("h1", question="  What about h1? \n"), *ROWS[1:]]
    now = run(rows, [result(rows[0], good(rows[0])), *BASE[1][1:]])

    assert {c.id: c.change for c in decide(now, BASE).diff.changes}["h1"] == "still passing"


def test_a_label_that_a_baseline_without_traces_cannot_score_again_counts_as_edited() -> None:
    rows = [row("h1", gold=["h1-gold", "x-1"]), *ROWS[1:]]
    now = run(rows, [result(rows[0], good(rows[0])), *BASE[1][1:]])

    verdict = decide(now, BASE, rows={"h1": rows[0]}, digests=as_mapping(rows))

    change = next(c for c in verdict.diff.changes if c.id == "h1")
    assert change.change == "edited"
    assert change.note == "labels changed, and the baseline keeps no trace to score again"
    assert f"1 row is edited: h1 ({change.note})" in verdict.head


def test_a_label_of_a_row_that_the_dataset_file_does_not_hold_any_more_says_so() -> None:
    rows = [row("h1", gold=["h1-gold", "x-1"]), *ROWS[1:]]
    now = run(rows, [result(rows[0], good(rows[0])), *BASE[1][1:]])

    (said,) = [line for line in decide(now, BASE).head if "edited" in line]

    assert said == (
        "1 row is edited: h1 (labels changed, and the dataset file does not hold the rows of this "
        "run any more; run the plan again)"
    )


def test_a_label_that_was_weakened_to_hide_a_break_does_not_hide_it() -> None:
    """The baseline is scored with the new label too, so that the drop stays a drop."""
    rows = [row("h1", gold=["h1-gold", "h1-more"]), *ROWS[1:]]
    traces = {"h1": [trace(["h1-gold", "h1-more"], answer="An answer.")]}
    before = run(
        ROWS,
        [result(ROWS[0], (traces["h1"][0], verdicts())), *BASE[1][1:]],
        id="0001",
    )
    now = run(
        rows, [result(rows[0], (trace(["h1-gold"], answer="An answer."), verdicts())), *BASE[1][1:]]
    )

    verdict = decide(
        now,
        before,
        rows={"h1": rows[0]},
        digests=as_mapping(rows),
        traces=lambda name: traces.get(name),
    )

    assert verdict.exit_code == 1
    assert named(verdict, "evidence is retrieved") == ["h1"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param([gate(), gate("other")], [gate()], "gate 'other' is gone", id="removed"),
        pytest.param([gate()], [gate(tolerance=0.5)], "tolerance 0 -> 0.5", id="tolerance"),
        pytest.param(
            [gate()], [gate(where={"kind": "near-miss"})], "looks at fewer rows", id="narrower"
        ),
        pytest.param(
            [gate(where={"kind": ["near-miss", "multi-hop"]})],
            [gate(where={"kind": ["near-miss"]})],
            "looks at fewer rows",
            id="fewer kinds",
        ),
        pytest.param(
            [gate()], [gate(on_unresolved="ignore")], "on_unresolved undecided -> ignore", id="lax"
        ),
        pytest.param(
            [gate(on_unresolved="fail")], [gate()], "on_unresolved fail -> undecided", id="laxer"
        ),
        pytest.param(
            [gate(must=["not_drop", {"at_least": 0.5}])],
            [gate()],
            "no longer asks at_least 0.5",
            id="a rule dropped",
        ),
        pytest.param(
            [gate(must={"at_least": 0.5})],
            [gate(must={"at_least": 0.4})],
            "at_least 0.5 -> at_least 0.4",
            id="a number lowered",
        ),
        pytest.param(
            [gate(must={"at_most": 1})], [gate(must={"at_most": 2})], "-> at_most 2", id="raised"
        ),
        pytest.param([gate()], [gate(allow_empty=True)], "may be empty", id="empty"),
        pytest.param([gate()], [gate(metric="hit")], "looks at hit", id="another metric"),
    ],
)
def test_a_weaker_gate_is_said_first(old: list[Gate], new: list[Gate], said: str) -> None:
    before = good_run(ROWS, gates=tuple(old))

    verdict = decide(after(gates=tuple(new)), before)

    assert [line for line in verdict.diff.loosened if said in line]


def test_a_gate_that_is_written_otherwise_and_asks_the_same_is_not_loosened() -> None:
    before = good_run(ROWS, gates=(gate(where={"kind": ["near-miss"]}),))
    now = after(gates=(gate("renamed", where={"kind": ["near-miss"]}),))

    assert decide(now, before).diff.loosened == ()


def test_a_default_gate_that_a_written_list_leaves_out_is_loosened() -> None:
    verdict = decide(
        after(
            gates=(
                gate(
                    "evidence is retrieved",
                    where={"kind": ["happy-path", "near-miss", "multi-hop", "stale-policy"]},
                ),
            )
        ),
        BASE,
    )

    assert "gate 'nothing is invented' is gone" in verdict.diff.loosened
    assert not any("evidence is retrieved" in line for line in verdict.diff.loosened)


def test_a_lower_threshold_is_said_and_the_baseline_is_decided_again() -> None:
    half = (good(ROWS[0])[0], verdicts("ANSWERED", "SUPPORTED", "ABSENT"))
    before = run(ROWS, changed(BASE, ROWS, h1=half), id="0001")
    lowered = Thresholds(faithfulness=0.5)
    results = [result(g, half if g.id == "h1" else good(g), how=_with(lowered)) for g in ROWS]

    verdict = decide(run(ROWS, results, thresholds=lowered), before)

    assert "threshold faithfulness 0.8 -> 0.5" in verdict.diff.loosened
    change = next(c for c in verdict.diff.changes if c.id == "h1")
    assert (change.before, change.after) == (Outcome.PASS, Outcome.PASS)


def _with(thresholds: Thresholds) -> Any:
    from tests.builders import scoring

    return scoring(thresholds=thresholds)


def test_what_was_loosened_fails_where_the_plan_says_so() -> None:
    now = run(
        ROWS[1:],
        BASE[1][1:],
        retired=(Retired(row="h1", reason="gone"),),
        fail_on_loosened=True,
    )

    assert decide(now, BASE).exit_code == 1


def test_a_waiver_holds_to_the_end_of_its_day() -> None:
    waiver = Waiver(row="h1", gate="evidence is retrieved", until="2026-11-30", reason="known")
    broken = {"h1": LOST}

    assert decide(after(attempts=broken, waivers=(waiver,)), BASE).exit_code == 0
    late = decide(after(attempts=broken, waivers=(waiver,), day="2026-12-01"), BASE)
    assert late.exit_code == 1
    assert late.diff.loosened == ()


def test_a_row_in_quarantine_is_outside_every_gate_to_the_end_of_its_day() -> None:
    entry = Quarantine(row="h1", until="2026-11-30", owner="ana", reason="flaky")

    verdict = decide(after(attempts={"h1": LOST}, quarantine=(entry,)), BASE)

    assert verdict.exit_code == 0
    assert any("h1 is in quarantine" in line for line in verdict.diff.loosened)
    late = after(attempts={"h1": LOST}, quarantine=(entry,), day="2026-12-01")
    assert decide(late, BASE).exit_code == 1


def test_a_row_that_lost_a_tag_and_with_it_a_gate_is_loosened() -> None:
    rows = [ROWS[0], row("h2"), *ROWS[2:]]
    vip = (gate("vip", where={"tags": "vip"}), gate())
    before = good_run(ROWS, gates=vip)
    untagged = [r if r.id != "h2" else result(rows[1], good(rows[1])) for r in BASE[1]]

    verdict = decide(run(rows, untagged, gates=vip), before)

    assert "row h2 is no longer looked at by 'vip'" in verdict.diff.loosened
    assert failed_gates(verdict) == ["vip"]  # it matches no row of the dataset any more


def test_a_row_that_moved_to_another_kind_is_loosened() -> None:
    rows = [*ROWS[:2], row("n1"), *ROWS[3:]]
    now = run(rows, [r if r.id != "n1" else result(rows[2], good(rows[2])) for r in BASE[1]])

    assert "row n1 moved from near-miss to happy-path" in decide(now, BASE).diff.loosened


def test_dataset_and_pipeline_changed_together_is_a_warning() -> None:
    rows = [*ROWS, row("h9")]
    now = run(rows, [*BASE[1], result(rows[-1], good(rows[-1]))], pipeline=pipeline(index="new"))

    verdict = decide(now, BASE)

    assert any("mixes two causes" in line for line in verdict.head)
    assert verdict.diff.pipeline_changes == ("index",)


def test_several_causes_in_the_pipeline_are_said_to_be_mixed() -> None:
    now = after(pipeline=pipeline(index="new", window="new"))

    assert "The causes are mixed" in decide(now, BASE).diff.paragraph[0]


def test_the_paragraph_names_what_moved_who_broke_and_where_to_look() -> None:
    verdict = decide(after(attempts={"h1": LOST}, pipeline=pipeline(index="new")), BASE)

    assert verdict.diff.paragraph == (
        "Changed in the pipeline: index.",
        "Moved: retrieval broke on 1 of 2 happy-path.",
        "Means: context_recall happy-path 1.00 -> 0.50 (n = 2); "
        "context_precision happy-path 1.00 -> 0.50 (n = 2); "
        "current_precision happy-path 1.00 -> 0.50 (n = 2).",
        "Broke: h1.",
        "First look at: chunking, embeddings, hybrid search, filters (not-retrieved, retrieval on "
        "1 of 1 row). Try this: search for the evidence's own words: if that finds it, the query "
        "is the fault.",
    )


def test_a_selected_run_is_compared_on_its_rows_and_the_rest_is_not_removed() -> None:
    chosen = [ROWS[0]]
    now = run(ROWS, [BASE[1][0]], chosen=chosen, selection=Selection(row=("h1",)))

    verdict = decide(now, BASE)

    assert verdict.exit_code == 0
    assert [change.id for change in verdict.diff.changes] == ["h1"]
    assert gate_of(verdict, "superseded passages stay out").status.value == "not evaluated"


def test_means_carry_their_denominators() -> None:
    unsure = (good(ROWS[0])[0], verdicts("ANSWERED", "UNRESOLVED"))

    verdict = decide(after(attempts={"h1": unsure}), BASE)

    mean = next(m for m in verdict.means if (m.metric, m.kind) == ("faithfulness", "happy-path"))
    assert (mean.value, mean.scored, mean.eligible, mean.unresolved) == (1.0, 1, 2, 1)
    assert (mean.before, mean.after, mean.paired) == (1.0, 1.0, 1)


def test_synthetic_rows_have_means_of_their_own() -> None:
    rows = [*ROWS, row("h9", origin="synthetic")]

    verdict = decide(good_run(rows, id="0002"), good_run(rows))

    means = {(m.kind, m.origin): m.eligible for m in verdict.means if m.metric == "context_recall"}
    assert means["happy-path", "human"] == 2
    assert means["happy-path", "synthetic"] == 1


def test_a_row_that_broke_and_that_no_gate_holds_is_said_first_also_on_a_pass() -> None:
    absent = (good(ROWS[0])[0], verdicts("ANSWERED", "ABSENT"))
    gates = tuple(d.gate for d in DEFAULTS if d.gate.name == "evidence is retrieved")

    verdict = decide(after(attempts={"h1": absent}, gates=gates), good_run(ROWS, gates=gates))

    assert verdict.exit_code == 0
    assert verdict.head[0].startswith("broke, and no gate holds what broke: h1;")
    assert verdict.reasons == ("every gate passed", "1 row broke that no gate holds")
    assert verdict.next == ("evalrag show 0002 h1",)


def test_a_bot_that_says_nothing_at_all_does_not_pass() -> None:
    silent = {
        golden.id: (good(golden)[0] | {"answer": ""}, verdicts(None, claims=()))
        for golden in ROWS
        if golden.answerable
    }

    verdict = decide(after(attempts=silent), BASE)

    assert verdict.exit_code == 1
    assert failed_gates(verdict) == ["answerable rows are answered", "answers stay faithful"]


def test_rows_that_fail_a_gate_while_their_stages_stand_are_pointed_out() -> None:
    old = trace(["s1-gold", "x-1"], "s1-old", answer="An answer.")
    new = trace(["s1-gold", "s1-old"], "x-1", answer="An answer.")
    before = run(ROWS, changed(BASE, ROWS, s1=(old, verdicts())), id="0001")

    verdict = decide(after(attempts={"s1": (new, verdicts())}), before)

    assert failed_gates(verdict) == ["superseded passages stay out"]
    assert any("every stage stands as it stood: s1" in line for line in verdict.head)


def test_a_new_label_under_which_the_baseline_fails_already_is_loosened() -> None:
    rows = [row("h1", gold=["nowhere"]), *ROWS[1:]]
    now = run(rows, [result(rows[0], good(ROWS[0])), *BASE[1][1:]])

    verdict = decide(
        now,
        BASE,
        rows={"h1": rows[0]},
        digests=as_mapping(rows),
        traces=lambda name: [good(ROWS[0])[0]],
    )

    assert verdict.exit_code == 0
    assert any("row h1 passed in the baseline" in line for line in verdict.diff.loosened)


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({"fail_on_loosened": True}, {}, "fail_on_loosened is off now"),
        ({"repeats": 3}, {"repeats": 1}, "run.repeats 3 -> 1"),
        ({"allow_errors": 0}, {"allow_errors": 2}, "run.allow_errors 0 -> 2"),
        (
            {"reading": {"superseded_when": {"metadata": {"status": "old"}}}},
            {"reading": {}},
            "superseded_when {'metadata': {'status': 'old'}} -> none",
        ),
        ({"reading": {"valid_until": "until"}}, {"reading": {}}, "valid_until until -> none"),
        (
            {"reading": {"quote_coverage": 1.0}},
            {"reading": {"quote_coverage": 0.5}},
            "quote_coverage 1 -> 0.5",
        ),
    ],
)
def test_other_things_that_became_easier(
    before: dict[str, Any], now: dict[str, Any], said: str
) -> None:
    traces = {golden.id: [good(golden)[0]] for golden in ROWS}

    verdict = decide(
        after(**now),
        good_run(ROWS, **before),
        rows={golden.id: golden for golden in ROWS},
        digests=as_mapping(ROWS),
        traces=traces.get,
    )

    assert said in verdict.diff.loosened


def test_a_plan_that_no_longer_answers_says_so_first() -> None:
    verdict = decide(good_run(ROWS, generates=False, judge=None, id="0002"), BASE)

    assert "answers were judged in the baseline, and this run has none" in verdict.diff.loosened


def test_true_is_not_one_in_a_where_that_was_narrowed() -> None:
    wide = gate(where={"meta.vip": [True, 1]})
    narrow = gate(where={"meta.vip": 1})

    verdict = decide(after(gates=(narrow,)), good_run(ROWS, gates=(wide,)))

    assert any("looks at fewer rows" in line for line in verdict.diff.loosened)


def test_a_default_gate_whose_metric_the_plan_leaves_out_is_not_installed() -> None:
    verdict = decide(after(metrics=("hit",)), good_run(ROWS, metrics=("hit",)))

    missing = {gate.name: gate.why for gate in verdict.missing_gates}
    assert (
        missing["superseded passages stay out"]
        == "the plan's `metrics` leave current_precision out"
    )


def test_the_paragraph_names_the_settings_and_files_that_changed() -> None:
    old = pipeline(index="a").model_copy(
        update={"shown": {"retriever": {"with": {"chunk_chars": 1200}}}, "files": {"p.txt": "1"}}
    )
    new = pipeline(index="b").model_copy(
        update={"shown": {"retriever": {"with": {"chunk_chars": 600}}}, "files": {"p.txt": "2"}}
    )

    verdict = decide(after(pipeline=new), good_run(ROWS, pipeline=old))

    assert verdict.diff.paragraph[0] == (
        "Changed in the pipeline: index (retriever.with.chunk_chars 1200 -> 600; file p.txt)."
    )


def test_a_pass_says_which_rows_nobody_could_decide() -> None:
    unsure = (good(ROWS[0])[0], verdicts("ANSWERED", "UNRESOLVED"))
    base = after(attempts={"h1": unsure})

    verdict = decide(after(attempts={"h1": unsure}), base)

    assert verdict.exit_code == 0
    assert verdict.reasons == (
        "every gate passed",
        "1 row unresolved, which no gate waits for: h1",
    )
    assert decide(after(), BASE).reasons == ("every gate passed",)
