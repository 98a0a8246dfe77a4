"""Answers that nothing decided, and the pass that says how many they are."""

from typing import Any

import pytest

from evalrag.regression.to_read import passed_but
from evalrag.regression.unjudged import is_unjudged, unjudged_words
from evalrag.schema.result import Verdicts
from tests.builders import claims, decide, good, good_run, result, row, run, trace, verdicts

OPEN = verdicts("ANSWERED", "UNRESOLVED")
CASES = [
    pytest.param({}, verdicts(), False, id="every claim is supported"),
    pytest.param({}, verdicts("ANSWERED", "CONTRADICTED"), False, id="a contradiction"),
    pytest.param({}, OPEN, True, id="an open claim"),
    pytest.param({"answer_contains": ["An answer"]}, OPEN, False, id="a check holds"),
    pytest.param({"answer_contains": ["42"]}, OPEN, False, id="a check fails"),
    pytest.param({}, verdicts("DECLINED"), False, id="a decline"),
    pytest.param({"expect": ["CLARIFIES"]}, verdicts("CLARIFIES", claims=()), False, id="it asks"),
    pytest.param({}, verdicts("ANSWERED", claims=()), True, id="no claim was found"),
    pytest.param({}, None, True, id="nobody judged"),
]


@pytest.mark.parametrize(("fields", "said", "wanted"), CASES)
def test_an_answer_is_unjudged_where_nothing_decided_it(
    fields: dict[str, Any], said: Verdicts | None, wanted: bool
) -> None:
    golden = row("h1", **fields)
    assert is_unjudged(result(golden, (good(golden)[0], said))) is wanted


def test_a_row_without_an_answer_has_none_to_judge() -> None:
    golden = row("h1")
    assert not is_unjudged(result(golden, (trace(["h1-gold"]), None)))


def test_a_pass_that_could_not_see_the_answers_is_no_plain_pass() -> None:
    rows = [row(f"h{n}") for n in range(15)]
    reworded = [result(one, (good(one)[0] | {"answer": "In other words."}, OPEN)) for one in rows]

    verdict = decide(run(rows, reworded), good_run(rows))

    assert verdict.exit_code == 0
    assert (len(verdict.unjudged), verdict.answers) == (15, 15)
    assert unjudged_words(verdict) in (passed_but(verdict) or "")
    assert unjudged_words(verdict)
    plain = decide(good_run(rows, id="0002"), good_run(rows))
    assert (plain.unjudged, plain.answers) == ((), 15)
    assert (unjudged_words(plain), passed_but(plain)) == ("", None)


def test_a_judge_that_failed_on_every_changed_answer_leaves_the_run_undecided() -> None:
    rows = [row("h1"), row("h2")]
    down = verdicts(
        "ANSWERED",
        claims=(claims("UNRESOLVED")[0].model_copy(update={"judge_failed": True}),),
    )
    now = [result(one, (good(one)[0] | {"answer": "Other words."}, down)) for one in rows]

    assert decide(run(rows, now), good_run(rows)).exit_code == 3
