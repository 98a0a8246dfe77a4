"""The report that a stranger meets in a log of 80 columns: short, and nothing grave is hidden."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evalrag.reporters.changes import listing
from evalrag.reporters.changes import render as render_diff
from evalrag.reporters.terminal import render
from evalrag.schema.gate import Gate
from evalrag.schema.plan import Waiver
from evalrag.schema.verdict import Verdict
from tests.builders import (
    Run,
    changed,
    decide,
    good,
    good_run,
    result,
    row,
    run,
    trace,
    verdicts,
)

N = row("a-near-miss", "near-miss")
ROWS = [row("h1"), row("h2"), row("a-hop", "multi-hop"), N, row("u1", "unanswerable")]
BASE = good_run(ROWS)
RIVAL_FIRST = (
    trace(["a-near-miss-sibling", "a-near-miss-gold", "x-1"], answer="An answer."),
    verdicts(),
)
MISSED = (trace(["x-1"], answer="An answer."), verdicts())
UNSURE = (good(ROWS[1])[0], verdicts("ANSWERED", "UNRESOLVED"))


def after(**fields: Any) -> Run:
    attempts = {name: fields.pop(name) for name in list(fields) if name in ("h2", "a_near_miss")}
    return run(ROWS, changed(BASE, ROWS, **attempts), **fields)


def short(verdict: Verdict, now: Run, **how: Any) -> str:
    return render(verdict, now[0], more="evalrag gate 0002 --full", **how)


def before_in(text: str, *parts: str) -> list[int]:
    return [text.index(part) for part in parts]


def test_what_broke_is_said_before_all_else_and_the_verdict_last() -> None:
    now = after(a_near_miss=RIVAL_FIRST)
    said = short(decide(now, BASE), now)

    assert said.splitlines()[2:4] == [
        "Broke: 1 of 5 rows",
        "  a-near-miss near-miss ranking pass -> fail wrong-sibling",
    ]
    places = before_in(said, "Broke:", "What happened", "Gates", "  passed ", "FAILED")
    assert places == sorted(places)
    assert said.endswith("next: evalrag show 0002 a-near-miss\nmore: evalrag gate 0002 --full\n")


def test_what_was_loosened_stands_before_what_broke() -> None:
    now = after(
        a_near_miss=RIVAL_FIRST,
        waivers=(
            Waiver.model_validate(
                {"row": "h1", "gate": "evidence is retrieved", "until": "2999-01-01", "reason": "r"}
            ),
        ),
    )
    said = short(decide(now, BASE), now)

    places = before_in(said, "Loosened since the baseline", "Broke:")
    assert places == sorted(places)


def test_rows_that_stand_above_are_not_named_again_and_the_long_report_names_each() -> None:
    rows = [row(f"h{n}") for n in range(7)]
    base = good_run(rows)
    now = run(rows, changed(base, rows, **{r.id: MISSED for r in rows}))
    verdict = decide(now, base)

    assert "dropped" not in short(verdict, now), "all of these rows stand above"
    assert "  h6  1 -> 0  dropped; not-retrieved" in short(verdict, now, full=True)


def test_a_long_list_of_broken_rows_ends_in_a_count() -> None:
    rows = [row(f"h{n}") for n in range(25)]
    base = good_run(rows)
    now = run(rows, changed(base, rows, **{r.id: MISSED for r in rows}))
    said = short(decide(now, base), now)

    assert "Broke: 25 of 25 rows" in said
    assert sum("happy-path retrieval pass -> fail" in line for line in said.splitlines()) == 20
    assert "\n  and 5 more\n" in said


@pytest.mark.parametrize("width", [40, 80, 200])
def test_every_row_keeps_its_whole_name_at_any_width(width: int) -> None:
    long = row("a-row-of-a-very-long-name-that-leaves-no-room", "stale-policy")
    rows = [row("h1"), long]
    base = good_run(rows)
    now = run(rows, [base[1][0], result(long, MISSED)])
    said = short(decide(now, base), now, width=width)

    assert "a-row-of-a-very-long-name-that-leaves-no-room" in said.replace("\n  ", "")
    assert max(map(len, said.splitlines())) <= width or width == 40


def test_without_a_baseline_the_rows_that_did_not_pass_stand_first() -> None:
    now = after(h2=MISSED)
    said = short(decide(now), now)

    assert said.splitlines()[2:4] == [
        "Did not pass: 1 of 5 rows",
        "  h2 happy-path fail not-retrieved",
    ]


def test_a_row_that_was_judged_and_is_not_now_is_listed_as_lost_and_counted() -> None:
    now = after(h2=UNSURE)
    said = short(decide(now, BASE), now)

    assert "Lost: 1 of 5 rows\n  h2 happy-path generation pass -> unresolved" in said
    assert "1 row was judged before and is not now: h2" in said
    assert "happy-path 1 of 2 (1 unresolved)" in said


def test_refusal_and_over_refusal_stand_together_with_their_denominators() -> None:
    now = after(h2=(trace(["h2-gold"], answer="I cannot say."), verdicts("DECLINED")))
    said = short(decide(now, BASE), now)

    assert "unanswerable 1 (1); over-refusal happy-path 0.5^ (2), near-miss 0 (1)" in " ".join(
        said.split()
    )


def test_what_a_gate_ignored_is_counted_and_named() -> None:
    gates = (
        Gate.model_validate(
            {"name": "g", "metric": "faithfulness", "must": "not_drop", "on_unresolved": "ignore"}
        ),
    )
    base = good_run(ROWS, gates=gates)
    now = run(ROWS, changed(base, ROWS, h2=UNSURE), gates=gates)
    said = short(decide(now, base), now)

    assert "(1 unresolved, which it ignores)" in " ".join(said.split())
    assert "ignored: h2" in said


def test_means_and_tables_wait_for_the_long_report() -> None:
    now = after(h2=MISSED)
    verdict = decide(now, BASE)
    brief, full = short(verdict, now), short(verdict, now, full=True)

    assert "Means: context_recall happy-path 1.00 -> 0.50 (n = 2)" in full
    for part in ("Means", "Kinds\n", "Diagnoses (first that fits)"):
        assert part in full
        assert part not in brief
    assert "more: " not in full
    assert len(brief.splitlines()) < len(full.splitlines())


def test_a_diff_names_what_else_changed_and_keeps_metrics_for_the_long_one() -> None:
    now = after(h2=MISSED)
    back = good_run(ROWS, id="0003")
    verdict = decide(back, now)
    brief = render_diff(verdict, now[0], back[0], more="evalrag diff --full latest")
    full = render_diff(verdict, now[0], back[0], full=True, more="evalrag diff --full latest")

    assert "Other rows\n  fixed (1): h2\n" in brief
    assert "context_recall 0 -> 1" in full
    assert "context_recall" not in brief
    assert brief.endswith("more: evalrag diff --full latest\n")
    assert "more: " not in full


def test_the_question_and_the_words_that_changed_stand_under_each_row_that_broke() -> None:
    wrong = verdicts("ANSWERED", "CONTRADICTED")
    now = after(h2=(trace(["h2-gold"], answer="Another answer."), wrong))
    lines = short(decide(now, BASE), now).splitlines()

    at = lines.index("  h2 happy-path generation pass -> fail ignored-context")
    assert lines[at + 1 : at + 4] == [
        "    Q: What about h2?",
        "    then: [-An-] answer.",
        "    now: {+Another+} answer.",
    ]
    assert "1 of 5 answers changed" in lines[0]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("An answer.", ["    then and now: An answer."]),
        ("", ["    then: An answer.", "    now: an empty answer"]),
        (None, ["    then: An answer.", "    now: no answer"]),
    ],
)
def test_an_answer_that_did_not_change_or_did_not_come_is_said_to_be_so(
    answer: str | None, said: list[str]
) -> None:
    how = {} if answer is not None else {"error": "boom", "error_stage": "generation"}
    judged = verdicts("ANSWERED", "CONTRADICTED") if answer else None
    now = after(h2=(trace(["h2-gold"], answer=answer, **how), judged))
    lines = short(decide(now, BASE), now).splitlines()

    at = lines.index("    Q: What about h2?")
    assert lines[at + 1 : at + 1 + len(said)] == said


def test_of_many_rows_the_changed_words_take_a_line_and_those_of_the_first_six_are_shown() -> None:
    rows = [row(f"h{n}") for n in range(9)]
    base = good_run(rows)
    wrong = (trace(["x-1"], answer=f"Another {'very ' * 60}answer."), verdicts())
    now = run(rows, changed(base, rows, **{r.id: wrong for r in rows}))
    said = short(decide(now, base), now).splitlines()
    full = short(decide(now, base), now, full=True).splitlines()

    assert sum(line.startswith("    A: [-An-] {+Another") for line in said) == 6
    assert max(map(len, said)) <= 80
    assert sum(line.startswith("    now: {+Another") for line in full) == 9


def test_a_report_in_colour_has_the_same_marks() -> None:
    wrong = verdicts("ANSWERED", "CONTRADICTED")
    now = after(h2=(trace(["h2-gold"], answer="Another answer."), wrong))

    assert "{+Another+}" in short(decide(now, BASE), now, color=True)


@pytest.mark.parametrize(("plan", "most"), [("demo", 25), ("demo-halved-chunks", 45)])
def test_a_report_is_read_at_a_glance(plan: str, most: int, tmp_path: Path) -> None:
    for folder in ("configs", "datasets"):
        shutil.copytree(Path(__file__).parents[2] / folder, tmp_path / folder)
    command = [sys.executable, "-m", "evalrag", "run", f"configs/{plan}.yaml"]
    env = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)

    assert len(done.stdout.splitlines()) <= most, done.stdout


def test_every_answer_that_changed_is_listed_whatever_became_of_its_row() -> None:
    wrong = verdicts("ANSWERED", "CONTRADICTED")
    again = (trace(["near-gold"], answer="Another answer."), verdicts())
    now = after(h2=(trace(["h2-gold"], answer="x " * 900 + "end."), wrong), a_near_miss=again)
    said = listing(decide(now, BASE), BASE[0], now[0])

    assert said.splitlines()[1] == "2 of 5 answers changed"
    assert "  h2  pass -> fail (broke)\n    Q: What about h2?\n    then: An answer." in said
    assert "end." in said, "an answer is listed whole"
    assert said.count("    now: ") == 2
    quiet = listing(decide(after(), BASE), BASE[0], after()[0])
    assert quiet.splitlines()[1:] == ["0 of 5 answers changed"]
