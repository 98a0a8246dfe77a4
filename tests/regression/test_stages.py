"""From scores to stage outcomes, cells and diagnoses."""

from typing import Any

import pytest

from evalrag.regression.cells import cell
from evalrag.regression.changes import row_change
from evalrag.regression.comparable import Pair
from evalrag.schema.diff import Relation
from evalrag.schema.plan import Thresholds
from evalrag.schema.result import Claim, FactVerdict, RowResult
from evalrag.schema.row import Row
from evalrag.schema.words import FactLabel, Label, Outcome, Relevancy, Stage
from tests.builders import JUDGE, claims, good, result, row, scoring, trace, verdicts

H = row("h")
ANSWER = "An answer."


def stages(found: RowResult) -> dict[str, str]:
    return {stage.value: found.stages.get(stage, Outcome.NA).value for stage in Stage}


def one(golden: Row, window: list[str], /, *more: str, **fields: Any) -> RowResult:
    said = fields.pop("said", verdicts())
    return result(
        golden, (trace(window, *more, answer=fields.pop("answer", ANSWER), **fields), said)
    )


@pytest.mark.parametrize(
    ("found", "stage", "outcome"),
    [
        pytest.param(one(H, ["h-gold"]), "retrieval", "pass", id="all evidence is a candidate"),
        pytest.param(one(H, ["x"]), "retrieval", "fail", id="evidence is no candidate"),
        pytest.param(one(H, ["x"]), "ranking", "na", id="nothing fetched, nothing to rank"),
        pytest.param(one(H, ["x"], "h-gold"), "ranking", "fail", id="fetched, outside the window"),
        pytest.param(
            one(row("n", "near-miss"), ["n-sibling", "n-gold"]),
            "ranking",
            "fail",
            id="a rival first",
        ),
        pytest.param(
            one(row("m", "multi-hop"), ["m-gold"]), "ranking", "pass", id="half fetched, and seen"
        ),
        pytest.param(
            one(H, ["h-gold"], said=verdicts("ANSWERED", *["SUPPORTED"] * 4, "UNRESOLVED")),
            "generation",
            "unresolved",
            id="an unresolved claim may still contradict",
        ),
        pytest.param(
            one(H, ["h-gold"], said=verdicts("ANSWERED", *["SUPPORTED"] * 4, "ABSENT")),
            "generation",
            "pass",
            id="4 of 5 is at least 0.8",
        ),
        pytest.param(
            one(H, ["h-gold"], said=verdicts("ANSWERED", "SUPPORTED", "ABSENT")),
            "generation",
            "fail",
            id="1 of 2 is not",
        ),
        pytest.param(
            one(H, ["h-gold"], said=verdicts("ANSWERED", *["SUPPORTED"] * 9, "CONTRADICTED")),
            "generation",
            "fail",
            id="a contradiction fails outright",
        ),
        pytest.param(one(H, ["h-gold"], answer=""), "generation", "fail", id="an empty answer"),
        pytest.param(
            one(H, ["h-gold"], said=verdicts("DECLINED")), "generation", "na", id="a decline"
        ),
        pytest.param(
            one(H, ["h-gold"], said=verdicts("DECLINED")), "boundary", "fail", id="over-refusal"
        ),
        pytest.param(
            one(H, ["x"], said=verdicts("DECLINED")), "boundary", "na", id="a rightful decline"
        ),
        pytest.param(
            one(H, ["h-gold"], said=verdicts(None)), "boundary", "unresolved", id="form unknown"
        ),
        pytest.param(
            one(row("u", "unanswerable"), ["x"], said=verdicts()), "boundary", "fail", id="invented"
        ),
        pytest.param(
            one(row("u", "unanswerable"), ["x"], said=verdicts("DECLINED")),
            "boundary",
            "pass",
            id="declined as it should",
        ),
        pytest.param(
            one(
                row("h", reference_facts=["a", "b"]),
                ["h-gold"],
                said=verdicts(
                    facts=(
                        FactVerdict(fact="a", label=FactLabel.STATED),
                        FactVerdict(fact="b", label=FactLabel.MISSING),
                    )
                ),
            ),
            "answer",
            "fail",
            id="half of the facts",
        ),
    ],
)
def test_a_stage(found: RowResult, stage: str, outcome: str) -> None:
    assert stages(found)[stage] == outcome


def test_evidence_that_nothing_can_match_is_an_error_and_the_answer_is_judged_all_the_same() -> (
    None
):
    golden = row("h", gold=[{"doc": "d", "span": [0, 10]}])

    found = one(golden, ["h-gold"])

    assert stages(found)["retrieval"] == stages(found)["ranking"] == "error"
    assert stages(found)["generation"] == "pass"
    assert found.outcome == "error"
    assert "span" in (found.error or "")


def test_an_error_of_the_generator_keeps_what_retrieval_did() -> None:
    broken = trace(["h-gold"], error="TypeError: no", error_stage="generation")

    found = result(H, (broken, None))

    assert stages(found)["retrieval"] == "pass"
    assert stages(found)["generation"] == stages(found)["boundary"] == "error"
    assert found.outcome == "error"


def diagnosis(found: RowResult) -> str | None:
    return found.diagnosis


def supported(*places: int) -> tuple[Claim, ...]:
    return (Claim(id="c1", text="t", label=Label.SUPPORTED, passages=places),)


WRONG_FACT = (FactVerdict(fact="f", label=FactLabel.MISSING),)


@pytest.mark.parametrize(
    ("found", "code"),
    [
        pytest.param(one(H, ["x"]), "not-retrieved", id="no candidate holds it"),
        pytest.param(one(H, ["x"], "y", "h-gold"), "ranked-out", id="a candidate outside"),
        pytest.param(
            one(row("s", "stale-policy"), ["s-old", "s-gold"]), "stale-source", id="the old first"
        ),
        pytest.param(
            one(row("n", "near-miss"), ["n-sibling", "n-gold"]), "wrong-sibling", id="the sibling"
        ),
        pytest.param(
            one(
                row("h", gold=[{"quote": "one two three four five six seven eight nine ten"}]),
                [],
                candidates=[{"id": "a", "doc": "d", "text": "one two three four five six"}],
                context=[{"id": "a", "doc": "d", "text": "one two three four five six"}],
            ),
            "split-evidence",
            id="half of the quote",
        ),
        pytest.param(
            one(
                H,
                ["x"],
                "h-gold",
                reranked=[{"id": "h-gold", "doc": "h", "text": "t"}, {"id": "x", "text": "t"}],
            ),
            "truncated",
            id="reranked into the window, cut before the prompt",
        ),
        pytest.param(
            one(H, ["x"], "h-gold", told=True, handed=2),
            "truncated",
            id="handed to the generator, which says that it did not use it",
        ),
        pytest.param(
            one(H, ["x"], "y", "h-gold", told=True, handed=2),
            "ranked-out",
            id="not even handed to the generator",
        ),
        pytest.param(
            one(H, ["x"], "h-gold", told=True),
            "ranked-out",
            id="one hook named its context, and nobody knows why",
        ),
        pytest.param(
            one(H, ["h-gold"], said=verdicts("DECLINED")), "over-refusal", id="over-refusal"
        ),
        pytest.param(
            one(row("u", "unanswerable"), ["x"], said=verdicts()), "invented", id="invented"
        ),
        pytest.param(
            one(
                row("u", "unanswerable", superseded=["u-old"]),
                ["u-old"],
                said=verdicts(claims=supported(1)),
            ),
            "stale-source",
            id="invented from an old page",
        ),
        pytest.param(
            one(H, ["h-gold"], said=verdicts("ANSWERED", "CONTRADICTED")),
            "ignored-context",
            id="contradicted with the evidence there",
        ),
        pytest.param(
            one(H, ["a", "b", "h-gold", "c", "d", "e"], said=verdicts("ANSWERED", "ABSENT")),
            "lost-in-the-middle",
            id="in the middle third of six",
        ),
        pytest.param(
            one(H, ["a", "b", "c", "h-gold"], said=verdicts("ANSWERED", "ABSENT")),
            "noisy-context",
            id="past the middle of the window",
        ),
        pytest.param(
            one(row("h", reference_facts=["f"]), ["h-gold"], said=verdicts(facts=WRONG_FACT)),
            "incomplete",
            id="faithful, and without a fact that its evidence bears out",
        ),
    ],
)
def test_a_diagnosis(found: RowResult, code: str) -> None:
    assert diagnosis(found) == code


def test_all_diagnoses_that_hold_are_kept_with_what_shows_them() -> None:
    found = one(row("s", "stale-policy"), ["s-old", "x"], "y", "s-gold")

    codes = {finding.code: finding.because for finding in found.diagnoses}

    assert list(codes) == ["stale-source", "ranked-out"]
    assert codes["ranked-out"] == "evidence 1 is at position 4, outside a context of 2"
    assert codes["stale-source"] == "s-old stands at 1 in the context, without the gold"


@pytest.mark.parametrize(
    ("relevancy", "threshold", "code"),
    [
        ("EVADES", 0.5, "evasive"),
        ("PARTLY", 0.8, "evasive"),
        ("PARTLY", 0.5, None),
        ("ANSWERS", 0.5, None),
    ],
)
def test_a_faithful_answer_to_another_question_is_evasive(
    relevancy: str, threshold: float, code: str | None
) -> None:
    how = scoring(
        offers=frozenset({*JUDGE.offers, "answer_relevancy"}),
        thresholds=Thresholds(answer_relevancy=threshold),
    )
    said = verdicts(relevancy=Relevancy(relevancy))

    found = result(H, (trace(["h-gold"], answer=ANSWER), said), how=how)

    assert found.diagnosis == code
    assert (found.outcome == "pass") is (code is None)


def test_passages_of_an_earlier_turn_are_warned_of() -> None:
    found = one(H, ["h-gold"], context_reused_from=1)

    assert [warning.code for warning in found.warnings] == ["reused-context"]


def test_a_right_answer_without_a_relevant_passage_is_lucky() -> None:
    golden = row("h", gold=[], reference_facts=["f"])
    stated = verdicts(facts=(FactVerdict(fact="f", label=FactLabel.STATED),))
    with_gold = row("h", reference_facts=["f"])

    assert [w.code for w in one(with_gold, ["x"], said=stated).warnings] == ["lucky"]
    assert [w.code for w in one(with_gold, ["h-gold"], said=stated).warnings] == []
    assert [w.code for w in one(golden, ["x"], said=stated).warnings] == []


def test_a_passing_row_with_a_conflict_is_warned_of() -> None:
    found = one(H, ["h-gold", "x"], said=verdicts(claims=claims("SUPPORTED", conflict=(2,))))

    assert found.outcome == "pass"
    assert [warning.code for warning in found.warnings] == ["conflicting-sources"]


@pytest.mark.parametrize(
    ("found", "where"),
    [
        (one(H, ["h-gold"]), "high recall, high faithfulness, no reference"),
        (one(H, ["x"]), "low recall, high faithfulness"),
        (one(H, ["h-gold"], said=verdicts("ANSWERED", "ABSENT")), "high recall, low faithfulness"),
        (one(H, ["x"], said=verdicts("ANSWERED", "ABSENT")), "low recall, low faithfulness"),
        (one(H, ["x"], said=verdicts("DECLINED")), "outside: declined"),
        (one(H, ["h-gold"], said=verdicts("ANSWERED", "UNRESOLVED")), "outside: unresolved"),
        (one(row("u", "unanswerable"), ["x"], said=verdicts("DECLINED")), "outside: unanswerable"),
        (
            one(row("n", "near-miss"), ["n-sibling", "n-gold"]),
            "high recall, high faithfulness, no reference",
        ),
        (one(row("f", gold=[], reference_facts=["a"]), ["x"]), "outside: unresolved"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_cell_of_the_reading_table(found: RowResult, where: str) -> None:
    assert cell(found, generates=True, thresholds=Thresholds()) == where


def change(before: RowResult, after: RowResult) -> str:
    return row_change(Pair("h", before, after, Relation.SAME)).change.value


def test_a_ranking_break_on_a_row_whose_retrieval_was_fixed_is_an_improvement() -> None:
    golden = row("m", "multi-hop")
    before = one(golden, ["m-gold"])
    after = one(golden, ["m-gold"], "m-gold2")

    assert stages(before)["ranking"] == "pass"
    assert stages(after)["ranking"] == "fail"
    assert change(before, after) == "improved"


def test_the_change_of_a_row_is_the_worst_of_its_stages() -> None:
    fine = result(H, good(H))
    missed = one(H, ["x"])
    wrong = one(H, ["h-gold"], said=verdicts("ANSWERED", "ABSENT"))
    unsure = one(H, ["h-gold"], said=verdicts("ANSWERED", "UNRESOLVED"))

    assert change(fine, missed) == "broke"
    assert change(missed, fine) == "fixed"
    assert change(missed, wrong) == "broke"  # retrieval fixed, generation broke
    assert change(fine, unsure) == "lost"
    assert change(unsure, fine) == "recovered"
    assert change(unsure, wrong) == "now failing"
    assert change(missed, missed) == "still failing"
    assert change(unsure, unsure) == "still undecided"


def test_a_passing_row_whose_first_relevant_passage_fell_by_three_is_drifting() -> None:
    near = result(H, (trace(["h-gold", "a", "b", "c"], answer=ANSWER), verdicts()))
    far = result(H, (trace(["a", "b", "c", "h-gold"], answer=ANSWER), verdicts()))

    found = row_change(Pair("h", near, far, Relation.SAME))

    assert found.change.value == "still passing"
    assert "drifting" in found.warnings


def test_a_stage_that_had_nothing_to_decide_and_fails_now_breaks_a_passing_row() -> None:
    golden = row(
        "u", "unanswerable", unanswerable_because="false-premise", expect=["CORRECTS", "ANSWERED"]
    )
    before = one(golden, ["x"], said=verdicts("CORRECTS"))
    after = one(golden, ["x"], said=verdicts("ANSWERED", "CONTRADICTED"))

    assert stages(before)[Stage.GENERATION.value] == "na"
    assert change(before, after) == "broke"


@pytest.mark.parametrize("golden", [H, row("u", "unanswerable")], ids=["answerable", "not"])
def test_an_empty_answer_fails_generation_and_boundary(golden: Row) -> None:
    found = one(golden, [f"{golden.id}-gold"], answer="  \n", said=verdicts(None, claims=()))

    assert stages(found)["generation"] == stages(found)["boundary"] == "fail"
    assert found.scores["hard_fail"] == (0.0 if golden.answerable else 1.0)


def test_an_empty_answer_without_its_evidence_is_the_retrievers_fault_too() -> None:
    found = one(H, ["x"], answer="", said=verdicts(None))

    assert found.diagnosis == "not-retrieved"
    assert found.empty == "the answer is empty"


def test_what_is_invented_says_whether_the_context_denies_it() -> None:
    expects = row("u", "unanswerable", expect=["ANSWERED"])

    absent = one(expects, ["x"], said=verdicts("ANSWERED", "ABSENT"))
    denied = one(expects, ["x"], said=verdicts("ANSWERED", "CONTRADICTED"))

    assert absent.diagnoses[0].because == "a claim is not in the context"
    assert denied.diagnoses[0].because == "the context contradicts a claim"
