"""What probes decide, and what they never decide."""

from typing import Any

import pytest

from evalrag.judging.decided import Decisions
from evalrag.regression.comparable import pair_runs
from evalrag.regression.probing import reusable, wanted
from evalrag.regression.scoring import decide_again, score_attempt, score_row
from evalrag.regression.verdict import scoring_of
from evalrag.schema.plan import Thresholds
from evalrag.schema.result import FactVerdict, RowResult, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.trace import ProbeTrace, Trace
from evalrag.schema.words import FactLabel, Outcome, Probe, Stage
from tests.builders import (
    JUDGE,
    as_mapping,
    passage,
    pipeline,
    record,
    row,
    scoring,
    trace,
    verdicts,
)

STANDALONE, ORACLE, NONE = Probe
READING = Reading(top_k=20, context_k=3)
H = row("h", standalone_question="What about h, then?", reference_facts=["f"])
GOLD = passage("h-gold")


def probed(
    golden: Row,
    seen: Trace,
    said: Verdicts | None = None,
    /,
    thresholds: Thresholds | None = None,
    offers: frozenset[str] | None = None,
    **probes: tuple[ProbeTrace, Verdicts | None],
) -> RowResult:
    """A scored row with those probes, each with what the judge said of its answer."""
    whole: Trace = {**seen, "probes": {name: asked for name, (asked, _) in probes.items()}}
    how = scoring(thresholds=thresholds or Thresholds(), offers=offers or frozenset(JUDGE.offers))
    told = {name: v for name, (_, v) in probes.items() if v is not None}
    scored = score_attempt(golden, whole, said or verdicts(), how, probe_verdicts=told)
    digest, asked = as_mapping([golden])[golden.id]
    return score_row(golden, [scored], digest=digest, asked=asked)


def found(*names: str) -> tuple[ProbeTrace, None]:
    """What the standalone question finds."""
    asked: ProbeTrace = {
        "query": "What about h, then?",
        "candidates": [passage(name) for name in names],
    }
    return asked, None


def fact(label: str) -> tuple[FactVerdict, ...]:
    return (FactVerdict(fact="f", label=FactLabel(label)),)


def codes(result: RowResult) -> list[str]:
    return [finding.code for finding in result.diagnoses]


MISSED = trace(["x"], answer="An answer.")
FETCHED = trace(["h-gold"], answer="An answer.")


@pytest.mark.parametrize(
    ("seen", "probe", "stage"),
    [
        pytest.param(MISSED, found("h-gold"), "fail", id="the query lost it"),
        pytest.param(FETCHED, found("h-gold"), "pass", id="both find it"),
        pytest.param(FETCHED, found("x"), "pass", id="the query is better"),
        pytest.param(MISSED, found("x"), "pass", id="neither finds it: no fault of the rewriter"),
        pytest.param(MISSED, ({"unresolved": "away"}, None), "na", id="asked something else"),
        pytest.param(
            FETCHED,
            ({"query": "What about h, then?", "unresolved": "away"}, None),
            "unresolved",
            id="the call failed",
        ),
    ],
)
def test_the_rewrite_stage(seen: Trace, probe: Any, stage: str) -> None:
    result = probed(H, seen, verdicts(facts=fact("STATED")), standalone_question=probe)

    assert result.stages.get(Stage.REWRITE, Outcome.NA) == stage
    assert ("rewrite" in codes(result)) is (stage == "fail")


def test_a_standalone_question_that_finds_nothing_says_so() -> None:
    result = probed(H, MISSED, standalone_question=found("x"))

    assert result.probes[STANDALONE].because == (
        "the standalone question finds none of the evidence either"
    )


def test_a_probe_that_could_not_be_had_costs_a_passing_row_nothing() -> None:
    away: ProbeTrace = {"query": "What about h, then?", "unresolved": "away"}

    result = probed(H, FETCHED, verdicts(facts=fact("STATED")), standalone_question=(away, None))

    assert result.outcome is Outcome.PASS
    assert result.probes[STANDALONE].because == "away"


def test_evidence_of_which_one_half_is_lost_is_named() -> None:
    golden = row("m", "multi-hop", standalone_question="q")
    asked: ProbeTrace = {"query": "q", "candidates": [passage("m-gold"), passage("m-gold2")]}

    result = probed(golden, trace(["m-gold"], answer="a"), standalone_question=(asked, None))

    assert result.probes[STANDALONE].finds == (0, 1)
    assert result.probes[STANDALONE].missed == (1,)
    assert codes(result)[0] == "rewrite"
    assert "finds evidence 2, and" in result.diagnoses[0].because


ANSWER: ProbeTrace = {"context": [GOLD], "answer": "An answer."}
RIGHT, WRONG = fact("STATED"), fact("MISSING")


@pytest.mark.parametrize(
    ("probe", "said", "outcome", "because"),
    [
        pytest.param(ANSWER, verdicts(facts=RIGHT), "pass", "is right", id="right"),
        pytest.param(
            ANSWER, verdicts("ANSWERED", "ABSENT", facts=RIGHT), "fail", "c1 is ABSENT", id="absent"
        ),
        pytest.param(ANSWER, verdicts("DECLINED"), "fail", "its form is DECLINED", id="declined"),
        pytest.param(
            ANSWER, verdicts(facts=WRONG), "fail", "answer_correctness is 0", id="not the reference"
        ),
        pytest.param(
            {**ANSWER, "answer": " "}, verdicts(None), "fail", "the answer is empty", id="empty"
        ),
        pytest.param(
            ANSWER,
            verdicts("ANSWERED", "UNRESOLVED", facts=RIGHT),
            "unresolved",
            "faithfulness: 1 of 1 claims",
            id="the judge is not sure",
        ),
        pytest.param(
            ANSWER,
            verdicts("ANSWERED", "UNRESOLVED", facts=WRONG),
            "fail",
            "answer_correctness is 0",
            id="a fact that no open claim can mend",
        ),
        pytest.param(
            {**ANSWER, "context": [passage("x")], "handed": [GOLD]},
            verdicts(facts=WRONG),
            "unresolved",
            "left gold out",
            id="the prompt builder dropped the gold",
        ),
        pytest.param({"unresolved": "boom"}, None, "unresolved", "boom", id="the call failed"),
    ],
)
def test_the_oracle_context(
    probe: ProbeTrace, said: Verdicts | None, outcome: str, because: str
) -> None:
    result = probed(H, MISSED, oracle_context=(probe, said))

    assert result.probes[ORACLE].outcome == outcome
    assert because in result.probes[ORACLE].because
    assert (codes(result)[0] == "two-problems") is (outcome == "fail")
    assert result.outcome is Outcome.FAIL


def test_a_judge_that_measures_nothing_leaves_the_probe_open() -> None:
    result = probed(
        H, MISSED, oracle_context=(ANSWER, verdicts(claims=())), offers=frozenset({"answer_form"})
    )

    assert result.probes[ORACLE].outcome is Outcome.UNRESOLVED
    assert "measures nothing" in result.probes[ORACLE].because


def test_two_problems_need_a_context_that_failed() -> None:
    said = verdicts("ANSWERED", "ABSENT", facts=RIGHT)

    result = probed(H, FETCHED, said, oracle_context=(ANSWER, verdicts(facts=WRONG)))

    assert "two-problems" not in codes(result)


def test_a_lost_rewriting_stands_behind_two_problems() -> None:
    result = probed(
        H,
        MISSED,
        standalone_question=found("h-gold"),
        oracle_context=(ANSWER, verdicts(facts=WRONG)),
    )

    assert codes(result) == ["two-problems", "rewrite", "not-retrieved"]


@pytest.mark.parametrize(
    ("facts", "threshold", "warned"),
    [(RIGHT, 0.8, True), (WRONG, 0.8, False), (fact("UNRESOLVED"), 0.8, False)],
)
def test_an_answer_from_memory(
    facts: tuple[FactVerdict, ...], threshold: float, warned: bool
) -> None:
    asked: ProbeTrace = {"context": [], "answer": "An answer."}

    result = probed(
        H,
        FETCHED,
        verdicts(facts=RIGHT),
        no_context=(asked, verdicts(facts=facts)),
        thresholds=Thresholds(answer_correctness=threshold),
    )

    assert ("from-memory" in [w.code for w in result.warnings]) is warned
    assert result.outcome is Outcome.PASS


def test_other_thresholds_decide_stored_probes_anew() -> None:
    two = row("h", reference_facts=["f", "g"])
    half = (*fact("STATED"), FactVerdict(fact="g", label=FactLabel.MISSING))
    asked: ProbeTrace = {"context": [], "answer": "An answer."}
    stored = probed(two, FETCHED, verdicts(facts=half), no_context=(asked, verdicts(facts=half)))

    eased = decide_again(stored, scoring(thresholds=Thresholds(answer_correctness=0.5)))

    assert stored.probes[NONE].outcome is Outcome.PASS
    assert eased.probes[NONE].outcome is Outcome.FAIL
    assert [warning.code for warning in eased.warnings] == ["from-memory"]


@pytest.mark.parametrize("relabelled", [False, True])
def test_a_baseline_scored_again_keeps_no_answer_that_a_label_went_into(relabelled: bool) -> None:
    old = probed(
        H,
        MISSED,
        standalone_question=found("h-gold"),
        oracle_context=(ANSWER, verdicts(facts=WRONG)),
    )
    whole: Trace = {**MISSED, "probes": {"oracle_context": ANSWER}}
    whole["probes"]["standalone_question"] = found("h-gold")[0]
    label = {"reference_facts": ["f", "more"]} if relabelled else {}
    now = H.model_copy(update=label)
    new = probed(now, MISSED)
    matching = Reading(top_k=20, context_k=3, quote_coverage=0.9)

    (pair,) = pair_runs(
        (record([H]), [old]),
        (record([now], reading=matching), [new]),
        rows={"h": now},
        traces=lambda name: [whole],
        scoring=scoring_of(record([now]), record([H])),
        digests=as_mapping([now]),
        decisions=Decisions(),
    )

    assert pair.old is not None
    kept = [STANDALONE] if relabelled else [STANDALONE, ORACLE]
    assert sorted(pair.old.probes) == sorted(kept)
    assert ("two-problems" in codes(pair.old)) is not relabelled  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("golden", "seen", "asked"),
    [
        pytest.param(H, FETCHED, {STANDALONE, NONE}, id="nothing is lacking"),
        pytest.param(H, MISSED, {STANDALONE, ORACLE, NONE}, id="not retrieved"),
        pytest.param(
            H, trace(["x"], "h-gold", answer="a"), {STANDALONE, ORACLE, NONE}, id="ranked out"
        ),
        pytest.param(
            row("n", "near-miss"),
            trace(["n-sibling", "n-gold"], answer="a"),
            {ORACLE},
            id="a rival stands first",
        ),
        pytest.param(row("u", "unanswerable"), trace(["x"], answer="a"), set(), id="no answer"),
        pytest.param(
            H,
            trace(["x"], error="boom", error_stage="generation"),
            {STANDALONE},
            id="the generator failed",
        ),
        pytest.param(
            H, trace([], error="boom", error_stage="retrieval"), set(), id="the retriever failed"
        ),
        pytest.param(
            row("h", gold=[], reference_facts=["f"], standalone_question="q"),
            MISSED,
            {NONE},
            id="no gold to find or to put in",
        ),
    ],
)
def test_a_row_is_asked_what_can_tell_something(
    golden: Row, seen: Trace, asked: set[Probe]
) -> None:
    assert set(wanted(golden, seen, tuple(Probe), READING)) == asked
    assert wanted(golden, seen, (), READING) == ()


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        ({}, {STANDALONE, ORACLE, NONE}),
        ({"index": "new"}, {ORACLE, NONE}),
        ({"window": "new"}, {ORACLE, NONE}),
        ({"prompt": "new"}, {STANDALONE}),
        ({"model": "new"}, {STANDALONE}),
        ({"other": "new"}, set()),
        ({"model": "unknown"}, set()),
        ({"unknown": ("code of bot:retrieve",)}, set()),
    ],
    ids=range(8),
)
def test_what_an_earlier_run_was_told_stands_while_the_stage_is_known_to_be_the_same(
    changed: dict[str, Any], kept: set[Probe]
) -> None:
    old, new = record([H]), record([H], pipeline=pipeline().model_copy(update=changed))

    assert reusable(old, new) == reusable(new, old) == kept
    both = record([H], pipeline=pipeline().model_copy(update={"unknown": ("code",)}))
    assert reusable(both, both) == set()
