"""What a person could settle of an undecided row, and the command to type for it."""

import shlex
from typing import Any

import pytest

from evalrag.judging.decided import PEOPLE
from evalrag.regression.exits import decide_command
from evalrag.regression.settling import settled_by
from evalrag.schema.gate import Gate
from evalrag.schema.result import FactVerdict, Verdicts
from evalrag.schema.verdict import Verdict
from evalrag.schema.words import FactLabel
from tests.builders import (
    Run,
    changed,
    decide,
    gate_of,
    good_run,
    result,
    row,
    run,
    trace,
    verdicts,
)

ROWS = [row("h1"), row("h2"), row("u1", "unanswerable")]
BASE = good_run(ROWS)
SEEN = trace(["h1-gold"], answer="An answer.")
OPEN_FORM = verdicts(None, "SUPPORTED", unresolved={"form": "not sure"})
OPEN_CLAIM = verdicts("ANSWERED", "SUPPORTED", "UNRESOLVED", "UNRESOLVED")
OPEN_FACT = verdicts(
    facts=(
        FactVerdict(fact="f", label=FactLabel.STATED),
        FactVerdict(fact="g", label=FactLabel.UNRESOLVED),
    )
)
SILENT = verdicts("ANSWERED", claims=(), unresolved={"claims": "time-out", "facts": "time-out"})
FORM = '--form "ANSWERED|QUALIFIED|DECLINED|CORRECTS|CLARIFIES"'
CLAIM = '--claim 2 --label "SUPPORTED|ABSENT|CONTRADICTED"'
FACT = '--fact 2 --label "STATED|MISSING|CONTRADICTED"'


@pytest.mark.parametrize(
    ("said", "metric", "options"),
    [
        (OPEN_FORM, "stage.boundary", FORM),
        (OPEN_FORM, "refusal", FORM),
        (OPEN_FORM, "hard_fail", FORM),
        (OPEN_FORM, "answer_correctness", None),
        (OPEN_CLAIM, "hard_fail", CLAIM),
        (OPEN_CLAIM, "faithfulness", CLAIM),
        (OPEN_CLAIM, "stage.generation", CLAIM),
        (OPEN_CLAIM, "outcome", CLAIM),
        (OPEN_CLAIM, "stage.boundary", None),
        (OPEN_CLAIM, "context_recall", None),
        (OPEN_FACT, "answer_correctness", FACT),
        (OPEN_FACT, "stage.answer", FACT),
        (OPEN_FACT, "outcome", FACT),
        (OPEN_FACT, "faithfulness", None),
        (SILENT, "outcome", None),
        (SILENT, "hard_fail", None),
        (verdicts(), "outcome", None),
        (None, "outcome", None),
    ],
)
def test_people_are_asked_for_what_the_metric_waits_for(
    said: Verdicts | None, metric: str, options: str | None
) -> None:
    assert settled_by(result(ROWS[0], (SEEN, said)), metric) == options


def test_the_attempt_that_is_open_is_named() -> None:
    several = result(ROWS[0], (SEEN, verdicts()), (SEEN, OPEN_CLAIM))

    assert settled_by(several, "hard_fail") == f"{CLAIM} --attempt 2"


@pytest.mark.parametrize("name", ["h1", "two words", "-dash", "it's"])
def test_the_command_is_what_a_shell_takes(name: str) -> None:
    words = shlex.split(decide_command("0002", name, CLAIM))

    assert words[:4] == ["evalrag", "judge", "decide", "0002"]
    assert name in words
    labels, reason = words.index("--label"), words.index("--reason")
    assert (words[labels + 1], words[reason + 1]) == ("SUPPORTED|ABSENT|CONTRADICTED", "...")
    if name.startswith("-"):
        assert words[-2:] == ["--", name]


def after(said: Verdicts, *, name: str = "h1", **fields: Any) -> Verdict:
    results = changed(BASE, ROWS, **{name: (trace(["h1-gold"], answer="An answer."), said)})
    return decide(run(ROWS, results, **fields), BASE)


GATES = (Gate.model_validate({"name": "g", "metric": "hard_fail", "must": {"at_most": 0}}),)


def test_an_undecided_gate_says_how_a_person_settles_it() -> None:
    verdict = after(OPEN_CLAIM, gates=GATES)

    assert verdict.exit_code == 3
    assert verdict.next == (
        "evalrag show 0002 h1",
        f'evalrag judge decide 0002 h1 {CLAIM} --reason "..."',
    )


def test_a_row_that_people_can_settle_is_shown_before_one_that_they_cannot() -> None:
    seen = trace(["h2-gold"], answer="An answer.")
    results = changed(BASE, ROWS, h1=(SEEN, SILENT), h2=(seen, OPEN_CLAIM))

    verdict = decide(run(ROWS, results, gates=GATES), BASE)

    assert verdict.next[0] == "evalrag show 0002 h2"
    assert "judge decide 0002 h2" in verdict.next[1]


def test_where_no_person_could_nobody_is_asked() -> None:
    assert after(SILENT, gates=GATES).next == ("evalrag show 0002 h1",)


def test_a_default_gate_that_waits_for_the_form_asks_for_it() -> None:
    verdict = after(OPEN_FORM)

    assert verdict.exit_code == 3
    assert verdict.next[1] == f'evalrag judge decide 0002 h1 {FORM} --reason "..."'


@pytest.mark.parametrize("base", [PEOPLE, "forms/1"])
def test_a_form_by_people_is_held_against_any(base: str) -> None:
    """Else a row that was settled could never pass the gate that waited for it."""
    before: Run = run(ROWS, changed(BASE, ROWS, h1=(SEEN, verdicts(by=base))), id="0001")
    other = PEOPLE if base == "forms/1" else "forms/1"
    declines = (trace(["h1-gold"], answer="No."), verdicts("DECLINED", by=other))

    same = decide(run(ROWS, changed(BASE, ROWS, h1=(SEEN, verdicts(by=other)))), before)
    worse = decide(run(ROWS, changed(BASE, ROWS, h1=declines)), before)

    gate = "answerable rows are answered"
    assert gate_of(same, gate).compared == 3
    assert gate_of(worse, gate).status.value == "failed"


def test_rows_that_people_settled_are_named_first() -> None:
    verdict = decide(run(ROWS, BASE[1], totals={"decided": ["h1", "u1"]}), BASE)

    assert "settled by people: h1, u1" in verdict.head
    assert not any("settled by" in line for line in decide(run(ROWS, BASE[1]), BASE).head)
