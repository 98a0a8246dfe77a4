"""What the bot said, as data: of every row its question, its answers, and whether they differ."""

import json
from typing import Any

from evalrag.reporters.as_json import as_json
from evalrag.schema.diff import RowChange
from evalrag.schema.verdict import Verdict
from tests.builders import Run, changed, decide, good, good_run, row, run, trace, verdicts

ROWS = [row("h1"), row("h2"), row("u1", "unanswerable")]
BASE = good_run(ROWS)
OTHER = (trace(["h1-gold"], answer="Another answer."), verdicts())
ERRORED = (trace([], answer=None, error="boom", error_stage="generation"), None)


def after(**attempts: Any) -> Run:
    return run(ROWS, changed(BASE, ROWS, **attempts))


def by_id(verdict: Verdict) -> dict[str, RowChange]:
    return {change.id: change for change in verdict.diff.changes}


def counts(verdict: Verdict) -> tuple[int, int]:
    return verdict.diff.answers_changed, verdict.diff.answers_compared


def test_every_row_has_its_question_and_both_answers() -> None:
    rows = by_id(decide(after(h1=OTHER), BASE))

    assert rows["h1"].question == "What about h1?"
    assert (rows["h1"].answers.before, rows["h1"].answers.after) == (
        "An answer.",
        "Another answer.",
    )
    assert [p.text for p in rows["h1"].answers.words] == ["An", "Another", " answer."]
    assert rows["h2"].answers.before == rows["h2"].answers.after == "An answer."
    assert not rows["h2"].answers_differ


def test_answers_that_changed_are_counted_whatever_became_of_their_rows() -> None:
    assert counts(decide(after(), BASE)) == (0, 3)
    assert counts(decide(after(h1=OTHER), BASE)) == (1, 3)
    assert counts(decide(after(h1=ERRORED), BASE)) == (1, 3)
    spaced = (trace(["h1-gold"], answer="  An answer.\n"), verdicts())
    assert counts(decide(after(h1=spaced), BASE)) == (0, 3)


def test_without_a_baseline_nothing_is_compared() -> None:
    verdict = decide(after())

    assert counts(verdict) == (0, 0)
    assert by_id(verdict)["h1"].answers.after == "An answer."
    assert not by_id(verdict)["h1"].answers_differ


def test_an_answer_to_another_question_is_shown_and_not_counted() -> None:
    rows = [row("h1", question="What else?"), *ROWS[1:]]
    verdict = decide(run(rows, changed(good_run(rows), rows, h1=OTHER)), BASE)

    assert counts(verdict) == (0, 2)
    assert by_id(verdict)["h1"].question == "What else?"
    assert by_id(verdict)["h1"].answers.changed


def test_a_row_that_is_no_more_keeps_its_question_and_its_answer() -> None:
    verdict = decide(run(ROWS[1:], BASE[1][1:]), BASE)

    gone = by_id(verdict)["h1"]
    assert (gone.question, gone.answers.before, gone.answers.after) == (
        "What about h1?",
        "An answer.",
        None,
    )
    assert counts(verdict) == (0, 2)


def test_a_plan_that_generates_nothing_has_no_answers() -> None:
    base = good_run(ROWS[:2], generates=False)
    verdict = decide(run(ROWS[:2], base[1], generates=False), base)

    assert counts(verdict) == (0, 0)
    assert by_id(verdict)["h1"].question == "What about h1?"


def test_of_several_attempts_the_one_that_is_shown_is_compared() -> None:
    wrong = (trace(["x-1"], answer="Wrong."), verdicts("ANSWERED", "CONTRADICTED"))
    verdict = decide(after(h1=[good(ROWS[0]), wrong, wrong]), BASE)

    assert by_id(verdict)["h1"].answers.after == "Wrong."


def test_json_has_all_of_it() -> None:
    verdict = decide(after(h1=OTHER), BASE)
    body = json.loads(as_json(verdict, BASE[0]))

    (change,) = [one for one in body["diff"]["changes"] if one["id"] == "h1"]
    assert change["question"] == "What about h1?"
    assert change["answers"] == {
        "before": "An answer.",
        "after": "Another answer.",
        "changed": True,
        "words": [
            {"how": "removed", "text": "An"},
            {"how": "added", "text": "Another"},
            {"how": "kept", "text": " answer."},
        ],
    }
    assert (body["diff"]["answers_changed"], body["diff"]["answers_compared"]) == (1, 3)
