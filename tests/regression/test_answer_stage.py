"""The answer stage: answer checks first, then what a judge says of the reference facts."""

import asyncio
from typing import Any

import pytest

from evalrag.judges.ask import judge_row
from evalrag.judges.offline import OfflineJudge
from evalrag.judging.decided import UNDECIDED, Decisions
from evalrag.regression.comparable import pair_runs
from evalrag.regression.scoring import rescored
from evalrag.schema.diff import Relation
from evalrag.schema.digest import asked_digest, row_digest
from evalrag.schema.result import FactVerdict, RowResult, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.words import FactLabel, Outcome, Stage
from tests.builders import OTHER_JUDGE, result, row, run, scoring, trace, verdicts

RIGHT, WRONG = "You have 30 days.", "You have 30 days, and 14 for sale items."
CHECKS: dict[str, Any] = {"answer_contains": ["30 days"], "answer_excludes": ["14"]}
GOLDEN = row("h", **CHECKS)
WITH_FACT = row("h", reference_facts=["f"], **CHECKS)


def fact(label: str) -> Verdicts:
    return verdicts(facts=(FactVerdict(fact="f", label=FactLabel(label)),))


def one(golden: Row, answer: str | None, said: Verdicts | None, **how: Any) -> RowResult:
    return result(golden, (trace(["h-gold"], answer=answer), said), how=scoring(**how))


def answer_stage(found: RowResult) -> str:
    return found.stages.get(Stage.ANSWER, Outcome.NA).value


@pytest.mark.parametrize(
    ("found", "outcome"),
    [
        pytest.param(one(GOLDEN, RIGHT, verdicts()), "pass", id="every check holds"),
        pytest.param(one(GOLDEN, WRONG, verdicts()), "fail", id="one does not"),
        pytest.param(one(GOLDEN, RIGHT, None), "pass", id="without a judge"),
        pytest.param(one(GOLDEN, WRONG, None, offers=frozenset()), "fail", id="failed without one"),
        pytest.param(one(WITH_FACT, RIGHT, fact("STATED")), "pass", id="and the fact is stated"),
        pytest.param(one(WITH_FACT, RIGHT, fact("MISSING")), "fail", id="the fact is missing"),
        pytest.param(one(WITH_FACT, RIGHT, fact("UNRESOLVED")), "unresolved", id="it is open"),
        pytest.param(one(WITH_FACT, WRONG, fact("STATED")), "fail", id="whatever a judge says"),
        pytest.param(one(WITH_FACT, WRONG, fact("UNRESOLVED")), "fail", id="or leaves open"),
        pytest.param(one(WITH_FACT, RIGHT, verdicts()), "pass", id="no fact was asked"),
        pytest.param(
            one(row("h", reference_facts=["f"]), WRONG, fact("STATED")), "pass", id="no check"
        ),
        pytest.param(one(row("h"), WRONG, verdicts()), "na", id="neither check nor reference"),
        pytest.param(one(GOLDEN, " ", verdicts()), "fail", id="an empty answer"),
        pytest.param(one(GOLDEN, None, None), "error", id="no answer at all"),
        pytest.param(one(GOLDEN, None, None, generates=False), "na", id="retrieval alone"),
        pytest.param(
            one(row("h", answer_excludes=["14"]), " ", verdicts()), "fail", id="saying nothing"
        ),
    ],
)
def test_the_stage(found: RowResult, outcome: str) -> None:
    assert answer_stage(found) == outcome


def test_what_was_found_is_stored_where_there_are_checks_alone() -> None:
    [contains, excludes] = one(GOLDEN, WRONG, verdicts()).checks

    assert (contains.holds, contains.at, contains.quote) == (True, 9, "30 days")
    assert (excludes.holds, excludes.at, excludes.quote) == (False, 22, "14")
    assert one(row("h"), WRONG, verdicts()).checks == ()
    assert "answer_checks" not in one(row("h"), WRONG, verdicts()).reasons


def test_a_failed_check_has_a_diagnosis() -> None:
    found = one(GOLDEN, WRONG, verdicts())

    assert found.outcome is Outcome.FAIL
    assert found.diagnosis is not None


def test_of_several_attempts_most_decide_and_the_lower_one_is_the_score() -> None:
    said = [(trace(["h-gold"], answer=text), verdicts()) for text in (RIGHT, WRONG, WRONG)]

    found = result(GOLDEN, *said)

    assert answer_stage(found) == "fail"
    assert found.scores["answer_checks"] == 0.5
    assert answer_stage(result(GOLDEN, *said[:2])) == "fail"
    assert answer_stage(result(GOLDEN, said[0], *said[:2])) == "pass"


def test_the_offline_judge_is_not_asked_about_facts_of_a_row_with_checks() -> None:
    def facts(golden: Row) -> tuple[FactVerdict, ...]:
        asked = judge_row(OfflineJudge(), golden, context=["You have 30 days."], answer=RIGHT)
        return asyncio.run(asked).facts

    assert len(facts(row("h", reference_facts=["You have 30 days."]))) == 1
    assert facts(row("h", reference_facts=["You have 30 days."], **CHECKS)) == ()


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [pytest.param(RIGHT, "pass", id="right"), pytest.param(WRONG, "fail", id="wrong")],
)
def test_a_new_check_is_held_against_the_stored_answer(answer: str, outcome: str) -> None:
    old = one(row("h", reference_facts=["f"]), answer, fact("STATED"))

    again = rescored(
        old,
        GOLDEN,
        [trace(["h-gold"], answer=answer)],
        scoring(),
        digest=row_digest(GOLDEN),
        asked=asked_digest(GOLDEN),
        relabelled=True,
        decided=[UNDECIDED],
    )

    assert answer_stage(again) == outcome
    assert len(again.checks) == 2


@pytest.mark.parametrize(
    ("golden", "said", "compared"),
    [
        pytest.param(GOLDEN, verdicts(), True, id="checks alone"),
        pytest.param(WITH_FACT, fact("STATED"), False, id="facts as well"),
    ],
)
def test_checks_are_compared_whoever_judges(golden: Row, said: Verdicts, compared: bool) -> None:
    old = one(golden, RIGHT, said)
    new = one(golden, WRONG, said.model_copy(update={"judge": OTHER_JUDGE.digest}))

    [pair] = pair_runs(
        run([golden], [old]),
        run([golden], [new], judge=OTHER_JUDGE),
        rows={"h": golden},
        traces=lambda _: None,
        scoring=scoring(),
        digests={},
        decisions=Decisions(),
    )

    assert pair.relation is Relation.SAME
    assert "answer_checks" not in pair.incomparable
    assert ("stage.answer" not in pair.incomparable) is compared
    assert "stage.generation" in pair.incomparable
