"""What looks alike and is not: open against failed, relabelled against edited, one against two."""

from typing import Any

import pytest

from evalrag.evidence.assess import assess
from evalrag.regression.attempts import combine
from evalrag.regression.comparable import Pair
from evalrag.regression.diagnosis import diagnose, with_pages
from evalrag.regression.gates import GateSettings, evaluate
from evalrag.regression.measured import from_outcome, measured, words
from evalrag.regression.placing import placed_of
from evalrag.regression.scoring import score_attempt
from evalrag.regression.stages import at_least
from evalrag.schema.diff import Change, Relation
from evalrag.schema.gate import Gate, GateResult, RowStatus
from evalrag.schema.plan import Retired, Thresholds
from evalrag.schema.run import Reading, Selection
from evalrag.schema.score import Failed, NotApplicable, Score, Scored, Unresolved
from evalrag.schema.trace import Passage
from evalrag.schema.words import Kind, Outcome
from tests.builders import (
    OTHER_JUDGE,
    as_mapping,
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
from tests.regression.test_relative_table import LOW, NA, UNSURE, VALUE, scored

ROWS = [row("h1"), row("h2"), row("u1", "unanswerable")]
BASE = good_run(ROWS)
MISSED = (trace(["x-1"], answer="An answer."), verdicts())
MIXED = "changed together"


def changes(now: Any, before: Any = BASE, **comparison: Any) -> dict[str, Change]:
    verdict = decide(now, before, **comparison)
    return {change.id: change.change for change in verdict.diff.changes}


@pytest.mark.parametrize(
    ("score", "outcome"),
    [
        (Scored(0.8), "pass"),
        (Scored(0.79), "fail"),
        (Unresolved("x", 0.8, 1.0), "pass"),
        (Unresolved("x", 0.5, 0.79), "fail"),
        (Unresolved("x", 0.5, 0.8), "unresolved"),
        (Unresolved("x", 0.79, 1.0), "unresolved"),
        (Unresolved("x", None, 0.79), "fail"),
        (Unresolved("x", 0.8, None), "pass"),
        (Unresolved("x", None, None), "unresolved"),
        (NotApplicable("x"), "na"),
        (Failed("x"), "error"),
    ],
    ids=str,
)
def test_a_score_is_held_to_a_threshold_by_the_bounds_it_has(score: Score, outcome: str) -> None:
    assert at_least(score, 0.8) == outcome


def test_a_baseline_of_another_scoring_is_scored_again_from_its_traces_or_is_edited() -> None:
    now = good_run(ROWS, id="0002", scoring=2)
    traces = {golden.id: [good(golden)[0]] for golden in ROWS}

    assert set(changes(now).values()) == {Change.EDITED}
    again = changes(
        now,
        rows={golden.id: golden for golden in ROWS},
        digests=as_mapping(ROWS),
        traces=traces.get,
    )
    assert set(again.values()) == {Change.STILL_PASSING}
    assert set(changes(good_run(ROWS, id="0002")).values()) == {Change.STILL_PASSING}


def test_two_causes_are_said_to_be_mixed_only_where_there_are_two() -> None:
    new = pipeline(index="other")
    more = [*ROWS, row("h3")]
    fewer = ROWS[1:]

    def noted(now: Any) -> bool:
        return any(MIXED in note for note in decide(now, BASE).diff.notes)

    assert not noted(good_run(ROWS, id="0002", pipeline=new))
    assert not noted(good_run(more, id="0002"))
    assert noted(good_run(more, id="0002", pipeline=new))
    assert noted(good_run(fewer, id="0002", pipeline=new))


def test_only_rows_with_new_labels_are_named_as_relabelled() -> None:
    rows = [row("h1", gold=["h1-gold", "x-1"]), *ROWS[1:]]
    there = (trace(["h1-gold", "x-1"], answer="An answer."), verdicts())
    base = run(ROWS, [result(ROWS[0], there), *BASE[1][1:]], id="0001")
    now = run(rows, [result(rows[0], there), *BASE[1][1:]])

    verdict = decide(
        now,
        base,
        rows={"h1": rows[0]},
        digests=as_mapping(rows),
        traces={"h1": [there[0]]}.get,
    )

    assert [note for note in verdict.diff.notes if "labelled" in note] == [
        "1 row is relabelled: h1"
    ]
    assert verdict.diff.loosened == (), "it passes with the old labels and with the new ones"


def test_a_row_that_failed_by_its_old_labels_has_lost_nothing_by_new_ones() -> None:
    rows = [row("h1", gold=["h1-gold", "x-2"]), *ROWS[1:]]
    base = run(ROWS, [result(ROWS[0], MISSED), *BASE[1][1:]], id="0001")
    now = run(rows, [result(rows[0], MISSED), *BASE[1][1:]])

    verdict = decide(
        now,
        base,
        rows={"h1": rows[0]},
        digests=as_mapping(rows),
        traces={"h1": [MISSED[0]]}.get,
    )

    assert verdict.diff.loosened == ()


def test_the_paragraph_names_removed_and_fixed_rows_where_there_are_any() -> None:
    gone = good_run(ROWS[1:], id="0002", retired=(Retired(row="h1", reason="r"),))
    broken = run(ROWS, changed(BASE, ROWS, h1=MISSED))

    def who(now: Any, before: Any) -> str:
        return next(
            s for s in decide(now, before).diff.paragraph if "roke" in s and "Moved" not in s
        )

    assert who(good_run(ROWS, id="0002"), BASE) == "No row broke."
    assert who(gone, BASE) == "No row broke. Removed: h1."
    assert who(broken, BASE) == "Broke: h1."
    assert who(good_run(ROWS, id="0003"), broken) == "No row broke. Fixed: h1."


def waived(before: Score | None, after: Score | None, relation: Relation) -> GateResult:
    gate = Gate.model_validate({"name": "g", "metric": "context_recall", "must": "not_drop"})
    held = scored("held", "context_recall", VALUE)
    pairs = [
        Pair("held", held, held, Relation.SAME),
        Pair(
            "q",
            scored("q", "context_recall", before) if before is not None else None,
            scored("q", "context_recall", after) if after is not None else None,
            relation,
        ),
    ]
    settings = GateSettings(baseline=True, waived={("q", "g"): "waived until then"})
    return evaluate(gate, pairs, settings)


@pytest.mark.parametrize(
    ("before", "after", "relation", "shown"),
    [
        (VALUE, LOW, Relation.SAME, ("1", "0")),
        (VALUE, None, Relation.REMOVED, ("1", None)),
        (None, LOW, Relation.NEW, (None, "0")),
    ],
    ids=["both", "removed", "new"],
)
def test_a_waived_row_is_shown_with_what_it_was_and_is(
    before: Score | None, after: Score | None, relation: Relation, shown: tuple[str | None, ...]
) -> None:
    found = waived(before, after, relation)

    (named,) = found.named(RowStatus.WAIVED)
    assert (named.before, named.after) == shown
    assert (found.waived, found.status.value) == (1, "passed")


def test_a_mean_takes_no_value_of_another_judge_and_none_that_is_not_applicable() -> None:
    gate = Gate.model_validate(
        {"name": "g", "metric": "faithfulness", "must": {"mean_drop_at_most": 0.1}}
    )
    held = scored("held", "faithfulness", VALUE)
    judged = Pair(
        "q",
        scored("q", "faithfulness", VALUE),
        scored("q", "faithfulness", LOW),
        Relation.SAME,
        frozenset(["faithfulness"]),
    )
    silent = Pair(
        "q", scored("q", "faithfulness", NA), scored("q", "faithfulness", LOW), Relation.SAME
    )

    for pair in (judged, silent):
        found = evaluate(
            gate, [Pair("held", held, held, Relation.SAME), pair], GateSettings(baseline=True)
        )
        assert "n = 1" in found.message
        assert found.status.value != "failed"


def test_a_passage_is_named_by_its_id_and_without_one_by_its_document() -> None:
    golden = row("h1", gold=[{"doc": "d1", "quote": "the words that are sought here"}])
    text = "Here are the words that are sought here."
    seen: list[Passage] = [
        {"id": "a", "doc": "d1", "text": text},
        {"doc": "d2", "text": "Other."},
    ]

    found = placed_of(seen, seen, assess(golden, seen, seen, Reading()))

    assert [dict(entry) for entry in found if isinstance(entry, dict)] == [
        {"id": "a", "mark": "relevant", "window": 1, "gold": [0]},
        {"doc": "d2", "window": 2},
    ]


def test_one_attempt_is_the_row_and_two_are_kept_beside_it() -> None:
    golden = row("h1")

    assert result(golden, good(golden)).attempts == ()
    twice = result(golden, good(golden), MISSED)
    assert [attempt.outcome for attempt in twice.attempts] == [Outcome.PASS, Outcome.FAIL]
    assert twice.flaky
    assert not result(golden, good(golden), good(golden)).flaky


def test_an_error_before_evidence_that_cannot_be_matched_is_kept_beside_it() -> None:
    golden = row("h1", gold=[{"doc": "d", "span": [0, 5]}])
    there = trace(["a-1"], answer="An answer.")
    broken: Any = {**there, "error": "the model is down", "error_stage": "generation"}

    alone = result(golden, (there, verdicts()))
    both = result(golden, (broken, None))

    assert (alone.error or "").startswith("evidence cannot be matched")
    assert "then" not in (alone.error or "")
    assert (both.error or "").endswith("; then generation: the model is down")
    assert both.error_stage == "retrieval"


def diagnosed(golden: Any, window: list[str], said: Any) -> list[str]:
    found = result(golden, (trace(window, answer="x"), said))
    return [one.code for one in diagnose(found, golden.kind, Thresholds())[0]]


def test_context_is_ignored_only_where_the_evidence_stood_in_it_and_a_claim_is_wrong() -> None:
    wrong = verdicts("ANSWERED", "ABSENT")
    unsure = verdicts("ANSWERED", "UNRESOLVED")

    assert "ignored-context" in diagnosed(ROWS[0], ["h1-gold"], wrong)
    assert "ignored-context" not in diagnosed(ROWS[0], ["x-1"], wrong)
    assert "ignored-context" not in diagnosed(ROWS[0], ["h1-gold"], unsure)
    assert "ignored-context" not in diagnosed(ROWS[2], ["x-1"], wrong)
    assert ROWS[2].kind is Kind.UNANSWERABLE


@pytest.mark.parametrize(
    ("outcome", "error", "score", "read"),
    [
        (Outcome.PASS, None, Scored(1.0), "pass"),
        (Outcome.FAIL, None, Scored(0.0), "fail"),
        (Outcome.UNRESOLVED, None, Unresolved("undecided", 0.0, 1.0), "unresolved"),
        (Outcome.ERROR, "boom", Failed("boom"), "error"),
        (Outcome.ERROR, None, Failed("the row errored"), "error"),
        (Outcome.NA, None, NotApplicable("no verdict is asked of this stage here"), "n/a"),
    ],
)
def test_an_outcome_is_measured_and_read_as_what_it_is(
    outcome: Outcome, error: str | None, score: Score, read: str
) -> None:
    assert from_outcome(outcome, error) == score
    assert {words(score, name) for name in ("outcome", "stage.answer")} == {read}
    assert words(Scored(1.0), "hit") == "1"
    assert words(None, "hit") is None


def test_what_is_open_is_no_failure_of_a_gate_that_waits_for_it() -> None:
    gate = Gate.model_validate({"name": "g", "metric": "faithfulness", "must": "not_drop"})
    pair = Pair(
        "q", scored("q", "faithfulness", VALUE), scored("q", "faithfulness", UNSURE), Relation.SAME
    )

    assert evaluate(gate, [pair], GateSettings(baseline=True)).status.value == "undecided"


def test_a_clean_run_has_nothing_to_know_first() -> None:
    checked = row("h9", answer_contains=["An answer"])
    whole = [
        *ROWS,
        checked,
        row("n1", "near-miss"),
        row("s1", "stale-policy"),
        row("m1", "multi-hop"),
    ]

    clean = decide(good_run(whole, id="0002"), good_run(whole))
    assert clean.head == ()
    assert [line for line in clean.background if line.endswith(": answer_relevancy")]
    nobody = decide(good_run(whole, id="0002", judge=None), good_run(whole))
    assert not any("not measured" in line for line in nobody.background)


def test_claims_of_which_most_are_open_take_the_mean_of_faithfulness_away() -> None:
    def said(*labels: str) -> bool:
        open_ = (good(ROWS[0])[0], verdicts("ANSWERED", *labels))
        head = decide(run(ROWS, changed(BASE, ROWS, h1=open_)), BASE).head
        return any(line.startswith("more than 40% of the claims are unresolved") for line in head)

    assert said("UNRESOLVED", "UNRESOLVED")
    assert not said("UNRESOLVED", "SUPPORTED", "SUPPORTED")


def test_a_row_that_was_judged_by_nobody_before_is_compared_on_what_both_have() -> None:
    errored: Any = ({**good(ROWS[0])[0], "error": "boom", "error_stage": "generation"}, None)
    before = run(ROWS, changed(BASE, ROWS, h1=errored), id="0001")

    assert changes(good_run(ROWS, id="0002"), before)["h1"] is Change.RECOVERED
    assert changes(run(ROWS, changed(BASE, ROWS, h1=errored)))["h1"] is Change.LOST


def test_gold_in_the_second_of_two_places_is_noise_before_it() -> None:
    found = diagnosed(ROWS[0], ["x-1", "h1-gold"], verdicts("ANSWERED", "CONTRADICTED"))

    assert "noisy-context" in found
    assert "noisy-context" not in diagnosed(
        ROWS[0], ["h1-gold", "x-1"], verdicts("ANSWERED", "CONTRADICTED")
    )


def test_what_to_type_next_follows_from_why_it_is_undecided() -> None:
    gates = (Gate.model_validate({"name": "g", "metric": "faithfulness", "must": "not_drop"}),)
    base = good_run(ROWS, gates=gates)
    open_ = (good(ROWS[0])[0], verdicts("ANSWERED", "UNRESOLVED"))
    unsure = decide(run(ROWS, changed(base, ROWS, h1=open_), gates=gates), base)
    rows = [row("h1", question="Another question?"), *ROWS[1:]]
    wrong = (good(rows[0])[0], verdicts("ANSWERED", "CONTRADICTED"))
    edited = decide(run(rows, [result(rows[0], wrong), *base[1][1:]], gates=gates), base)

    assert unsure.exit_code == 3
    assert unsure.next == (
        "evalrag show 0002 h1",
        "evalrag judge decide 0002 h1 --claim 1 "
        '--label "SUPPORTED|ABSENT|CONTRADICTED" --reason "..."',
    )
    assert (edited.exit_code, edited.next) == (
        3,
        ("evalrag show 0002 h1", 'evalrag baseline accept 0002 --reason "..."'),
    )


def test_a_row_that_is_gone_is_in_no_absolute_gate() -> None:
    gate = Gate.model_validate({"name": "g", "metric": "hit", "must": {"at_least": 1}})
    held = scored("held", "hit", VALUE)
    gone = Pair("q", scored("q", "hit", VALUE), None, Relation.REMOVED)

    found = evaluate(gate, [Pair("held", held, held, Relation.SAME), gone], GateSettings(True))

    assert (found.status.value, found.looked_at) == ("passed", 2)


def test_of_stages_that_moved_as_much_the_first_is_looked_at() -> None:
    rows = [row("a"), row("b"), row("u1", "unanswerable")]
    base = good_run(rows)
    outside = (trace(["x-1"], "b-gold", answer="An answer."), verdicts())
    now = run(rows, changed(base, rows, a=MISSED, b=outside))

    look = decide(now, base).diff.look

    assert look is not None
    assert (look.stage.value, look.code, look.rows, look.of) == ("retrieval", "not-retrieved", 1, 2)


def test_a_baseline_that_is_scored_again_keeps_the_window_that_it_had() -> None:
    rows = [row("h1", gold=["h1-gold", "x-9"]), *ROWS[1:]]
    there = good(ROWS[0])
    base = run(
        ROWS, [result(ROWS[0], there), *BASE[1][1:]], id="0001", reading=Reading(context_k=1)
    )
    now = run(rows, [result(rows[0], there), *BASE[1][1:]], reading=Reading(context_k=3))

    verdict = decide(
        now, base, rows={"h1": rows[0]}, digests=as_mapping(rows), traces={"h1": [there[0]]}.get
    )

    (moved,) = [
        one
        for change in verdict.diff.changes
        for one in change.moved
        if one.metric == "precision_at_k"
    ]
    assert moved.before == 1.0
    assert moved.after == pytest.approx(1 / 3)


def mean_of(*values: Score) -> GateResult:
    gate = Gate.model_validate(
        {"name": "g", "metric": "faithfulness", "must": {"mean_at_least": 0.5}}
    )
    rows = [scored(f"q{n}", "faithfulness", value) for n, value in enumerate(values)]
    pairs = [Pair(one.id, one, one, Relation.SAME) for one in rows]
    return evaluate(gate, pairs, GateSettings(baseline=True))


def test_of_a_mean_that_does_not_hold_the_rows_below_it_are_named() -> None:
    found = mean_of(Scored(0.0), Scored(0.5), Scored(0.6))

    assert [one.id for one in found.named(RowStatus.FAILED)] == ["q0"]
    assert mean_of(Scored(0.0), Scored(0.5), Scored(1.0)).status.value == "passed"


def test_attempts_without_any_bound_stay_open() -> None:
    open_ = scored("q", "best_score", Unresolved("x", None, None))

    assert isinstance(combine([open_, open_, open_]).score("best_score"), Unresolved)


def test_evidence_is_lost_in_the_middle_and_not_at_the_ends() -> None:
    wrong = verdicts("ANSWERED", "CONTRADICTED")

    def lost(at: int) -> bool:
        window = [f"x-{n}" for n in range(1, 7)]
        window[at - 1] = "h1-gold"
        how = scoring(reading=Reading(top_k=20, context_k=6))
        found = result(ROWS[0], (trace(window, answer="x"), wrong), how=how)
        return "lost-in-the-middle" in [one.code for one in found.diagnoses]

    assert [at for at in range(1, 7) if lost(at)] == [3, 4]


def test_why_a_run_failed_and_what_to_type_next_is_said_and_nothing_else() -> None:
    failed = decide(run(ROWS, changed(BASE, ROWS, h1=MISSED)), BASE)
    errored: Any = ({**good(ROWS[1])[0], "error": "boom", "error_stage": "generation"}, None)
    broken = decide(run(ROWS, changed(BASE, ROWS, h2=errored)), BASE)

    assert failed.reasons == ("gate failed: evidence is retrieved",)
    assert broken.exit_code == 3
    assert broken.next == ("evalrag show 0002 h2",)


def test_a_run_of_another_judge_names_the_baseline_to_judge_again() -> None:
    other = verdicts(judge=OTHER_JUDGE.digest)
    results = changed(BASE, ROWS, **{g.id: (good(g)[0], other) for g in ROWS[:2]})
    now = run(ROWS, results, judge=OTHER_JUDGE, baseline="my base")

    assert decide(now, BASE).next == ("evalrag rescore 'my base'",)


def test_what_was_asked_for_and_what_came_without_candidates_is_known_first() -> None:
    some = good_run(ROWS, id="0002", selection=Selection(kind=("happy-path",)))
    merged = good_run(ROWS, id="0002", totals={"merged": 1})

    assert any("only some rows were asked for" in line for line in decide(some, BASE).head)
    assert "1 row came with a context alone: retrieval and ranking cannot be told apart" in (
        decide(merged, BASE).head
    )


def test_of_missing_content_the_page_is_said_where_it_is_known() -> None:
    golden = row("h1", gold=["h1-gold", "h1-more"])
    seen = score_attempt(golden, MISSED[0], MISSED[1], scoring(), corpus=[0, 0])
    (first, *_) = seen.diagnoses
    assert first.because == "evidence 1, evidence 2 is not in the corpus"

    told = with_pages(seen, {1: "returns seems edited"}).diagnoses

    assert told[0].because == f"{first.because}; evidence 2: returns seems edited"
    assert told[1:] == seen.diagnoses[1:]
    assert with_pages(seen, {}) == seen


def test_what_a_row_took_is_measured_where_it_was_timed() -> None:
    one = scored("q", "hit", VALUE)

    assert measured(one, "seconds", {"seconds": 2.0}) == Scored(2.0)
    assert measured(one, "tokens", {"seconds": 2.0}) == NotApplicable("no tokens recorded")
    assert measured(one, "cost") == NotApplicable("no cost recorded")


def test_means_of_two_origins_are_told_apart_in_the_paragraph() -> None:
    rows = [row("h1"), row("h2", origin="synthetic"), row("u1", "unanswerable")]
    base = good_run(rows)
    verdict = decide(run(rows, changed(base, rows, h2=MISSED)), base)

    (said,) = [s for s in verdict.diff.paragraph if s.startswith("Means: ")]

    assert "context_recall happy-path (synthetic) 1.00 -> 0.00 (n = 1)" in said


def test_a_mean_that_nothing_can_be_compared_for_is_undecided() -> None:
    gate = Gate.model_validate(
        {"name": "g", "metric": "faithfulness", "must": {"mean_drop_at_most": 0.1}}
    )
    new = Pair("q", None, scored("q", "faithfulness", VALUE), Relation.NEW)

    found = evaluate(gate, [new], GateSettings(baseline=True))

    assert (found.status.value, found.compared) == ("undecided", 0)
    assert found.message == "nothing could be compared with the baseline"
