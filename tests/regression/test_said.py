"""What a report says of a run before and beside its gates: notes, moves, reasons and diagnoses."""

from typing import Any

import pytest
from pydantic import JsonValue

from evalrag.evidence.assess import UNMATCHED, assess
from evalrag.evidence.match import LACKING
from evalrag.regression.changes import drifting, row_change
from evalrag.regression.comparable import Pair
from evalrag.regression.gates import GateSettings, evaluate
from evalrag.regression.measured import measurable, measurable_names
from evalrag.regression.narrative import counted
from evalrag.regression.placing import placed_of
from evalrag.schema.diff import Change, Relation
from evalrag.schema.gate import Gate, GateStatus
from evalrag.schema.result import FactVerdict, RowResult
from evalrag.schema.run import JudgePrint, Reading, Selection
from evalrag.schema.score import Unresolved
from evalrag.schema.trace import Passage, Trace
from evalrag.schema.words import FactLabel, Outcome, Stage
from tests.builders import (
    changed,
    decide,
    good,
    good_run,
    pipeline,
    result,
    row,
    run,
    scoring,
    trace,
    verdicts,
)
from tests.regression.test_relative_table import ERROR, LOW, NA, UNSURE, VALUE, scored

H, U = row("h1"), row("u1", "unanswerable")
ROWS = [H, row("h2"), U]
BASE = good_run(ROWS)
LOST = (trace(["x-1"], answer="I cannot find that."), verdicts("DECLINED"))


def after(**attempts: Any) -> Any:
    return run(ROWS, changed(BASE, ROWS, **attempts))


def error(said: str) -> tuple[Trace, None]:
    return trace([], error=said, error_stage="retrieval"), None


def codes(found: RowResult) -> list[str]:
    return [finding.code for finding in found.diagnoses]


def test_a_run_that_is_as_it_was_has_nothing_to_note() -> None:
    verdict = decide(good_run(ROWS, id="0002"), BASE)

    assert verdict.diff.notes == ()
    assert verdict.diff.loosened == ()
    assert verdict.unresolved == verdict.errored == verdict.flaky == ()
    assert {change.moved for change in verdict.diff.changes} == {()}


def test_the_commonest_three_errors_are_said_and_the_others_counted() -> None:
    rows = [row(f"h{n}") for n in range(1, 8)]
    texts = ["a", "a", "a", "b", "b", "c", "d"]
    results = [result(r, error(text)) for r, text in zip(rows, texts, strict=True)]

    said = [line for line in decide(run(rows, results)).head if "error" in line]

    assert said == [
        "errored on 3 of 7 rows: a",
        "errored on 2 of 7 rows: b",
        "errored on 1 of 7 rows: c",
        "and 1 other error; evalrag show RUN ROW prints each",
    ]
    fewer = decide(run(rows[:6], results[:6]))
    assert not [line for line in fewer.head if "other error" in line]


def test_evidence_that_cannot_be_matched_for_one_reason_is_one_error() -> None:
    rows = [row("h1", gold=[{"doc": "a", "quote": "x"}]), row("h2", gold=[{"doc": "b"}])]
    found: list[Passage] = [{"id": "c", "text": "x"}]
    bare = Trace(candidates=found, context=found, answer="x")
    results = [result(each, (bare, None)) for each in rows]

    assert results[0].error != results[1].error
    (said,) = [line for line in decide(run(rows, results)).head if "errored" in line]
    assert said == "errored on 2 of 2 rows: evidence cannot be matched, no passage has a doc"


@pytest.mark.parametrize(
    ("shown", "way"),
    [
        ({"retriever": {"use": "bot:find"}}, ": return `doc` from bot:find"),
        ({"use": "bot:answer"}, ": return `doc` from bot:answer"),
        ({"use": "http"}, ""),
        ({}, ""),
        ({"retriever": "?"}, ""),
    ],
)
def test_rows_that_lack_one_field_are_one_line(shown: dict[str, JsonValue], way: str) -> None:
    rows = [row(f"h{n}") for n in range(1, 4)]
    texts = [f"{UNMATCHED}{LACKING['doc']}: d{n}" for n in range(2)]
    errors = [*texts, f"{UNMATCHED}the quote has no words: d"]
    results = [result(r, error(text)) for r, text in zip(rows, errors, strict=True)]
    known = pipeline().model_copy(update={"shown": shown})

    said = [line for line in decide(run(rows, results, pipeline=known)).head if "errored" in line]

    assert said == [
        f"errored on 2 of 3 rows: {UNMATCHED}no passage has a doc{way}",
        f"errored on 1 of 3 rows: {UNMATCHED}the quote has no words",
    ]


@pytest.mark.parametrize(
    ("split", "runs", "said"),
    [
        (("dev",), 0, "1 holdout row did not run; ask for them with --split holdout"),
        (("dev",), 3, "1 holdout row did not run; ask for them with --split holdout"),
        (("dev", "holdout"), 0, None),
        (("dev", "holdout"), 1, "the holdout rows were looked at once; each look makes"),
        (("dev", "holdout"), 2, "the holdout rows were looked at 2 times; each look makes"),
    ],
)
def test_looks_at_the_holdout_rows_are_counted(
    split: tuple[str, ...], runs: int, said: str | None
) -> None:
    rows = [*ROWS, row("o1", split="holdout")]
    now = good_run(rows, selection=Selection(split=split))

    lines = [line for line in decide(now, holdout_runs=runs).head if "holdout row" in line]

    assert len(lines) == (said is not None)
    assert all(said is not None and line.startswith(said) for line in lines)


def test_a_row_that_ran_and_is_a_holdout_row_now_was_moved_there() -> None:
    moved = [row("h1", split="holdout"), *ROWS[1:]]
    now = good_run(moved, id="0002", selection=Selection(split=("dev", "holdout")))

    assert "row h1 was moved to the holdout split" in decide(now, BASE).diff.loosened
    assert decide(good_run(moved), good_run(moved)).diff.loosened == ()


def test_rows_that_fail_and_were_undecided_are_noted_and_no_others() -> None:
    open_ = (good(H)[0], verdicts("ANSWERED", "UNRESOLVED"))
    wrong = (good(H)[0], verdicts("ANSWERED", "CONTRADICTED"))
    before = run(ROWS, changed(BASE, ROWS, h1=open_), id="0001")

    notes = decide(after(h1=wrong), before).diff.notes

    assert [n for n in notes if "failing now" in n] == [
        "1 row is undecided before and failing now: h1"
    ]


def test_a_metric_that_moved_is_there_with_both_values_and_no_other_is() -> None:
    half = (trace(["x-1", "h1-gold"], "x-2", answer="An answer."), verdicts())
    (change,) = [c for c in decide(after(h1=half), BASE).diff.changes if c.id == "h1"]

    moved = {m.metric: (m.before, m.after) for m in change.moved}
    assert moved["reciprocal_rank"] == (1.0, 0.5)
    assert "context_recall" not in moved


def test_a_relabelled_row_that_got_better_is_better() -> None:
    bad, fine = result(H, LOST), result(H, good(H))

    assert row_change(Pair("h1", bad, fine, Relation.RELABELLED)).change is Change.FIXED
    assert row_change(Pair("h1", fine, fine, Relation.RELABELLED)).change is Change.RELABELLED


def test_a_judge_that_does_not_measure_what_a_gate_holds_leaves_it_out_with_a_reason() -> None:
    mute = JudgePrint(name="mute/1", digest="m", offers=("faithfulness",))
    missing = {gate.name: gate.why for gate in decide(good_run(ROWS, judge=mute)).missing_gates}

    assert "mute/1 does not measure hard_fail" in missing.values()
    offered = {gate.why for gate in decide(BASE).missing_gates}
    assert not [why for why in offered if "does not measure" in why]


def test_without_a_baseline_that_is_the_reason() -> None:
    assert decide(BASE).reasons == ("there is no baseline",)


def test_a_run_of_which_nothing_could_be_scored_says_so() -> None:
    gone = run(ROWS, [result(r, error("boom")) for r in ROWS])

    verdict = decide(gone, BASE)

    assert verdict.exit_code == 3
    assert "nothing was scored" in verdict.reasons


def test_stages_moved_are_counted_over_rows_that_were_asked() -> None:
    wrong = (good(H)[0], verdicts("ANSWERED", "CONTRADICTED"))
    declined = [good(H)[0], verdicts("DECLINED")]
    before = run(ROWS, changed(BASE, ROWS, h2=tuple(declined)), id="0001")
    now = run(ROWS, changed(BASE, ROWS, h1=wrong, h2=tuple(declined)))

    assert "generation broke on 1 of 1 happy-path" in " ".join(decide(now, before).diff.paragraph)


def test_an_unanswerable_row_that_was_declined_has_no_diagnosis() -> None:
    assert codes(result(U, good(U))) == []
    invented = (good(U)[0], verdicts("ANSWERED", "ABSENT"))
    assert "invented" in codes(result(U, invented))


def fact(label: FactLabel) -> tuple[FactVerdict, ...]:
    return (FactVerdict(fact="5 euros", label=label),)


def missed(*labels: str, recalled: FactLabel = FactLabel.STATED) -> RowResult:
    golden = row("h1", reference_facts=["5 euros"])
    said = verdicts("ANSWERED", *labels, facts=fact(FactLabel.MISSING), recalled=fact(recalled))
    return result(golden, (good(H)[0], said))


def test_what_the_answer_leaves_out_is_the_labels_fault_only_where_the_context_lacks_it() -> None:
    assert codes(missed()) == ["incomplete"]
    assert codes(missed(recalled=FactLabel.MISSING)) == ["label-or-corpus"]


def test_a_label_is_not_doubted_while_a_stage_is_open() -> None:
    assert "label-or-corpus" not in codes(missed("SUPPORTED", "UNRESOLVED"))


def test_gold_in_the_last_half_of_the_window_is_noise_before_it() -> None:
    wrong = verdicts("ANSWERED", "CONTRADICTED")
    how = scoring(reading=Reading(top_k=20, context_k=4))

    def found(*window: str) -> list[str]:
        return codes(result(H, (trace(window, answer="x"), wrong), how=how))

    assert "noisy-context" in found("x-1", "x-2", "h1-gold", "x-3")
    assert "noisy-context" not in found("h1-gold", "x-1", "x-2", "x-3")


@pytest.mark.parametrize("name", ["outcome", "stage.answer", "stage.retrieval"])
def test_stages_and_the_outcome_are_measured_as_0_or_1(name: str) -> None:
    metric = measurable(name)

    assert metric is not None
    assert (metric.low, metric.high, metric.binary) == (0.0, 1.0, True)
    assert metric.judged is (name != "stage.retrieval")


@pytest.mark.parametrize(
    ("low", "high", "names"),
    [
        pytest.param(1.0, None, "first_relevant_rank first_relevant_in_context", id="places"),
        pytest.param(
            0.0,
            None,
            "superseded_in_context near_miss_in_context passages_in_context absent_claims "
            "contradicted_claims seconds tokens cost",
            id="counts",
        ),
        pytest.param(None, None, "best_score", id="a retriever's own scale"),
        pytest.param(0.0, 1.0, "ndcg hit faithfulness hard_fail refusal reciprocal_rank", id="1"),
    ],
)
def test_the_ends_of_what_a_metric_can_be(low: float, high: float, names: str) -> None:
    for name in names.split():
        metric = measurable(name)
        assert metric is not None
        assert (metric.low, metric.high) == (low, high), name


def test_what_is_1_or_0_can_be_held_to_a_rate() -> None:
    binary = [n for n in measurable_names() if (found := measurable(n)) and found.binary]

    assert set(binary) - {n for n in binary if n.startswith("stage.")} == {
        "hit",
        "superseded_first",
        "near_miss_first",
        "rival_first",
        "hard_fail",
        "refusal",
        "outcome",
    }


def test_a_stage_that_there_is_not_is_not_measured() -> None:
    assert measurable("stage.lunch") is None


def test_a_passage_of_the_context_is_found_among_the_candidates() -> None:
    a, b, again = {"id": "a"}, {"id": "b"}, {"id": "a"}
    seen: Any = trace([], answer="x") | {
        "candidates": [a, b],
        "context": [b, again, a, {"id": "z"}],
    }
    placed = placed_of(
        seen["candidates"],
        seen["context"],
        assess(row("h1"), seen["candidates"], seen["context"], Reading()),
    )

    assert [entry if isinstance(entry, str) else entry.get("id") for entry in placed] == [
        "a",
        "b",
        "a",
        "z",
    ]
    windows = [entry.get("window") for entry in placed if not isinstance(entry, str)]
    extras = [entry.get("extra", False) for entry in placed if not isinstance(entry, str)]
    assert windows == [2, 1, 3, 4]
    assert extras == [False, False, True, True]


def judged(metric: str, before: Any, now: Any) -> str:
    gate = Gate.model_validate({"name": "g", "metric": metric, "must": "not_drop"})
    pair = Pair(
        "q",
        scored("q", metric, before),
        scored("q", metric, now),
        Relation.SAME,
        incomparable=frozenset([metric]),
    )
    found = evaluate(gate, [pair], GateSettings(baseline=True)).rows
    return found[0].status.value if found else "holds"


def test_another_judge_decides_nothing_and_opens_only_what_both_asked() -> None:
    assert judged("faithfulness", VALUE, VALUE) == "undecided"
    assert judged("faithfulness", VALUE, NA) == "not compared"
    assert judged("faithfulness", NA, VALUE) == "not compared"


def gated(spec: dict[str, Any], *moves: tuple[Any, Any]) -> Any:
    gate = Gate.model_validate({"name": "g"} | spec)
    pairs = [
        Pair(
            f"q{n}", scored(f"q{n}", gate.metric, a), scored(f"q{n}", gate.metric, b), Relation.SAME
        )
        for n, (a, b) in enumerate(moves)
    ]
    return evaluate(gate, pairs, GateSettings(baseline=True))


def test_what_cannot_get_worse_is_counted_also_where_lower_is_better() -> None:
    rise = {"metric": "rival_first", "must": "not_rise"}

    assert [gated(rise, (end, end)).at_floor for end in (VALUE, LOW)] == [1, 0]
    fall = {"metric": "context_recall", "must": "not_drop"}
    assert [gated(fall, (end, end)).at_floor for end in (VALUE, LOW)] == [0, 1]
    drop = {"metric": "rival_first", "must": {"mean_drop_at_most": 0.5}}
    assert gated(drop, (VALUE, LOW)).status is GateStatus.PASSED


def test_a_mean_drop_takes_the_bounds_of_what_is_open() -> None:
    drop = {"metric": "faithfulness", "must": {"mean_drop_at_most": 0.15}}
    held = (VALUE, VALUE)

    assert gated(drop, held, (VALUE, Unresolved("x", 0.8, None))).status is GateStatus.PASSED
    assert gated(drop, held, (VALUE, Unresolved("x", None, 0.5))).status is GateStatus.FAILED
    assert gated(drop, held, (VALUE, UNSURE)).status is GateStatus.UNDECIDED


def test_a_mean_says_between_what_it_is() -> None:
    mean = {"metric": "faithfulness", "must": {"mean_at_least": 0.5}}

    assert gated(mean, (VALUE, VALUE), (VALUE, LOW)).message == (
        "mean 0.5 where at least 0.5 is asked, n = 2"
    )
    assert "mean between 0.5 and 1 where" in gated(mean, (VALUE, VALUE), (VALUE, UNSURE)).message


def test_an_error_reads_as_one() -> None:
    found = gated({"metric": "context_recall", "must": "not_drop"}, (VALUE, ERROR))

    assert (found.rows[0].before, found.rows[0].after) == ("1", "error")


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        ({"partial": True, "dataset_rows": {"g": 2}}, GateStatus.NOT_EVALUATED),
        ({"partial": True}, GateStatus.FAILED),
        ({"dataset_rows": {"g": 2}}, GateStatus.NOT_EVALUATED),
        ({"dataset_rows": {"g": 0}}, GateStatus.FAILED),
        ({"defaults": frozenset("g")}, GateStatus.NOT_EVALUATED),
        ({"outside": {"q": "quarantine"}}, GateStatus.UNDECIDED),
    ],
)
def test_a_gate_without_rows(settings: dict[str, Any], status: GateStatus) -> None:
    gate = Gate.model_validate(
        {"name": "g", "metric": "hit", "must": "not_drop", "where": {"id": "q"}}
    )
    held = scored("q" if "outside" in settings else "z", "hit", VALUE)
    pairs = [Pair(held.id, held, held, Relation.SAME)]

    assert evaluate(gate, pairs, GateSettings(baseline=True, **settings)).status is status


def test_a_plan_without_answers_has_scores_of_retrieval_alone() -> None:
    found = result(H, good(H, generates=False), how=scoring(generates=False))

    assert found.error is None
    assert found.outcome is Outcome.PASS
    assert "refusal" not in {*found.scores, *found.reasons}


def test_a_judge_that_offers_nothing_still_leaves_refusal_known() -> None:
    found = result(H, good(H), how=scoring(offers=frozenset()))

    assert "refusal" in {*found.scores, *found.reasons}
    assert "faithfulness" not in {*found.scores, *found.reasons}


def test_what_a_gate_can_name_of_a_row_is_kept() -> None:
    golden = row("h1", intent="i", labelled_by="l", reviewed_by="r", labelled_on="2026-01-01")

    assert result(golden, good(golden)).about == {
        "intent": "i",
        "labelled_by": "l",
        "reviewed_by": "r",
        "labelled_on": "2026-01-01",
    }


def test_unresolved_rows_are_listed_and_no_others() -> None:
    open_ = (good(H)[0], verdicts("ANSWERED", "UNRESOLVED"))

    assert decide(after(h1=open_), BASE).unresolved == ("h1",)


def test_of_several_rules_the_worst_is_said_of_a_row_in_either_order() -> None:
    for rules in (["not_drop", {"at_least": 0.5}], [{"at_least": 0.5}, "not_drop"]):
        found = gated({"metric": "faithfulness", "must": rules}, (LOW, LOW), (VALUE, VALUE))
        assert found.status is GateStatus.FAILED
        assert [one.id for one in found.rows if one.status.value == "failed"] == ["q0"]


def staged(**stages: str) -> RowResult:
    found = {Stage(stage): Outcome(outcome) for stage, outcome in stages.items()}
    outcome = Outcome.FAIL if "fail" in stages.values() else Outcome.PASS
    return result(H, good(H)).model_copy(update={"stages": found, "outcome": outcome})


def test_more_to_rank_than_before_is_no_break_of_the_ranking_and_nothing_else_is_touched() -> None:
    before = staged(retrieval="fail", ranking="pass")

    worse = row_change(Pair("h1", before, staged(retrieval="pass", ranking="fail"), Relation.SAME))
    assert worse.stages[Stage.RANKING] is Change.STILL_FAILING
    better = row_change(Pair("h1", before, staged(retrieval="pass", ranking="pass"), Relation.SAME))
    assert better.stages[Stage.RANKING] is Change.STILL_PASSING
    assert better.change is Change.FIXED


def ranked(outcome: Outcome, rank: float) -> RowResult:
    scores = {"first_relevant_rank": rank}
    return result(H, good(H)).model_copy(update={"scores": scores, "outcome": outcome})


def test_a_row_drifts_only_while_it_passes() -> None:
    down = ranked(Outcome.PASS, 15.0)

    assert drifting(Pair("h1", ranked(Outcome.PASS, 1.0), down, Relation.SAME))
    assert not drifting(Pair("h1", ranked(Outcome.FAIL, 1.0), down, Relation.SAME))
    assert not drifting(Pair("h1", down, ranked(Outcome.PASS, 1.0), Relation.SAME))


def test_new_rows_that_fail_are_noted_and_new_rows_that_pass_are_not() -> None:
    rows = [*ROWS, row("z1"), row("z2")]
    results = [*BASE[1], result(rows[3], LOST), result(rows[4], good(rows[4]))]

    notes = decide(run(rows, results), BASE).diff.notes

    assert "1 row is new and failing: z1" in notes


def test_a_row_that_errored_has_neither_diagnosis_nor_warning() -> None:
    found = result(H, error("boom"))

    assert found.diagnoses == found.warnings == ()


def test_rows_of_another_judge_are_noted() -> None:
    other = JudgePrint(name="model/2", digest="other", offers=("faithfulness",))
    rows = [result(r, (good(r)[0], verdicts(judge="other"))) for r in ROWS]

    notes = " ".join(decide(run(ROWS, rows, judge=other), BASE).diff.notes)

    assert "judged by offline-rules/2 before and by model/2 now" in notes


def test_one_thing_is_said_in_the_singular() -> None:
    assert [counted(n, "row") for n in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]
    alone = [row("u1", "unanswerable")]
    (gate, *_) = decide(good_run(alone, id="0002"), good_run(alone)).gates
    assert gate.message == "total 0 where at most 0 is allowed, 1 row"


def test_a_gate_on_each_row_says_on_how_many_it_holds_and_fails() -> None:
    quick = {"metric": "faithfulness", "must": {"at_least": 0.5}}

    assert gated(quick, (VALUE, VALUE), (LOW, VALUE)).message == "holds on 2 rows"
    assert gated(quick, (VALUE, VALUE), (LOW, UNSURE)).message == "holds on 1 row, 1 undecided"
    assert gated(quick, (VALUE, VALUE), (LOW, LOW)).message == "1 of 2 rows are not at least 0.5"


def test_what_is_not_known_is_named_and_the_hints_are_left_to_check() -> None:
    """Four hints in a row were longer than the rest of the paragraph."""
    unknown = (
        "the generator's model (name it under pipeline.generator.model)",
        "code of ./bot (list its files (all) under pipeline.watch)",
    )
    unseen = pipeline().model_copy(update={"unknown": unknown})
    rows = [row("h1")]

    verdict = decide(good_run(rows, pipeline=unseen), good_run(rows, pipeline=unseen))

    assert verdict.diff.paragraph[0] == (
        "Nothing changed in the pipeline, as far as its fingerprint sees. Not known: the "
        "generator's model, code of ./bot (evalrag check says how to make it known)."
    )
