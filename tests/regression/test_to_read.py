"""Which rows are read first, and that every report and the next command agree on it."""

import re

import pytest

from evalrag.regression.to_read import of_verdict, passed_but, to_read
from evalrag.reporters.html.overview import look_and_rest
from evalrag.reporters.html.overview import to_read as of_page
from evalrag.reporters.markdown import build as markdown
from evalrag.reporters.terminal import render
from evalrag.schema.diff import Change
from evalrag.schema.gate import Gate, RowStatus
from evalrag.schema.report import Report
from evalrag.schema.verdict import Verdict
from tests.builders import changed, good_run, row, run, trace, verdicts
from tests.reporters import cases

HELD = {"name": "held", "metric": "evidence_coverage", "must": "not_drop"}


def lists(verdict: Verdict) -> list[tuple[str, list[str]]]:
    return [(one.title, [entry.change.id for entry in one.rows]) for one in of_verdict(verdict)]


def test_rows_that_a_gate_failed_on_and_the_commonest_diagnosis_stand_first() -> None:
    rows = [row("h1"), row("s1", "stale-policy"), row("s2", "stale-policy"), row("free")]
    base = good_run(rows)
    old = {
        id_: (trace([f"{id_}-old", f"{id_}-gold"], answer="A."), verdicts()) for id_ in ("s1", "s2")
    }
    wrong = (trace(["free-gold", "x-1"], answer="A."), verdicts("ANSWERED", "ABSENT"))
    report = cases.report_of(
        run(rows, changed(base, rows, h1=cases.MISSED, free=wrong, **old)), base
    )

    assert lists(report.verdict) == [("Broke", ["s1", "s2", "free", "h1"])]
    assert report.verdict.next == ("evalrag show 0002 s1",)


def test_a_row_that_failed_a_gate_and_broke_nowhere_has_a_list_with_the_metric() -> None:
    rows = [row("m1", "multi-hop"), row("h1")]
    half = (trace(["m1-gold", "x-1"], answer="An answer."), verdicts())
    good = good_run(rows)
    gates = (Gate.model_validate(HELD),)
    base = run(rows, changed(good, rows, m1=half), id="0001", gates=gates)
    now = run(rows, changed(good, rows, m1=cases.MISSED), gates=gates)
    report = cases.report_of(now, base)

    (listed,) = of_verdict(report.verdict)
    assert listed.title == "Failed a gate"
    assert [(r.change.id, r.metric, r.values) for r in listed.rows] == [
        ("m1", "evidence_coverage", "0.5 -> 0")
    ]
    said = render(report.verdict, report.record)
    assert "Failed a gate: 1 of 2 rows\n  m1 multi-hop evidence_coverage 0.5 -> 0 not-ret" in said
    assert [(r.stage, r.what) for r in next(of_page(report.verdict, {})).rows] == [
        ("evidence_coverage", "0.5 → 0")
    ]
    assert report.verdict.next == ("evalrag show 0002 m1",)


def test_a_gate_that_fails_on_a_row_that_passes_says_where_to_look() -> None:
    rows = [row("s1", "stale-policy"), row("h1")]
    clean = {"s1": (trace(["s1-gold", "x-1"], answer="An answer."), verdicts())}
    behind = {"s1": (trace(["s1-gold", "s1-old"], answer="An answer."), verdicts())}
    good = good_run(rows)
    base = run(rows, changed(good, rows, **clean), id="0001")
    report = cases.report_of(run(rows, changed(good, rows, **behind)), base)

    (gate,) = [one for one in report.verdict.gates if one.status.value == "failed"]
    (failed,) = gate.named(RowStatus.FAILED)
    assert (gate.metric, failed.id, failed.diagnosis) == ("current_precision", "s1", None)
    assert failed.look == "index hygiene, version filters"
    said = render(report.verdict, report.record)
    assert "First look at: index hygiene, version filters" in said
    look, _ = look_and_rest(report.verdict)
    assert look is not None
    assert look.startswith("index hygiene, version filters")


def test_a_row_that_errored_in_the_baseline_too_is_not_left_out() -> None:
    rows = [row("h1"), row("h2"), row("u1", "unanswerable")]
    good = good_run(rows)
    base = run(rows, changed(good, rows, h1=cases.CRASHED), id="0001")
    report = cases.report_of(run(rows, changed(good, rows, h1=cases.CRASHED)), base)

    assert int(report.verdict.exit_code) == 3
    assert lists(report.verdict) == [("Undecided", ["h1"])]
    said = render(report.verdict, report.record)
    assert "Undecided: 1 of 3 rows\n  h1 happy-path error\n" in said
    assert "No row broke. Could not be decided: h1." in said
    assert said.count("no index") == 1, "why it errored is said once"
    assert "??   answerable rows are answered" in said
    (listed,) = of_page(report.verdict, {})
    assert [(r.stage, r.what) for r in listed.rows] == [("", "error")]


def test_an_error_that_the_plan_allows_is_not_among_them() -> None:
    report = cases.report_of(cases.after({"allow_errors": 1}, h1=cases.CRASHED))

    assert int(report.verdict.exit_code) == 0
    assert lists(report.verdict) == [("Lost", ["h1"])]


@pytest.mark.parametrize("ending", cases.ENDINGS)
def test_every_report_lists_the_same_rows_once_and_the_command_names_the_first(
    ending: str,
) -> None:
    report: Report = cases.ENDINGS[ending]()
    verdict = report.verdict
    expected = lists(verdict)
    named = [id_ for _, ids in expected for id_ in ids]
    assert len(named) == len(set(named))

    page = [(one.title, [r.id for r in one.rows]) for one in of_page(verdict, {})]
    assert page == expected
    for drawn in (render(verdict, report.record), markdown().render(report)):
        titles = re.findall(
            r"^(?:### )?(Broke|Lost|Failed a gate|Undecided|Did not pass): ", drawn, re.M
        )
        assert titles == [title for title, _ in expected]
    failed = {r.id for gate in verdict.gates for r in gate.named(RowStatus.FAILED)}
    failed -= {one.id for one in verdict.diff.changes if one.change is Change.REMOVED}
    first = next((id_ for id_ in named if id_ in failed), None)
    if first is not None:
        assert verdict.next[0] == f"evalrag show 0002 {first}"
    if ending == "removed":
        assert verdict.next == ("evalrag diff 0002",), "a row that is no more cannot be shown"


@pytest.mark.parametrize("ending", cases.ENDINGS)
def test_only_a_pass_can_be_no_plain_one(ending: str) -> None:
    verdict = cases.ENDINGS[ending]().verdict
    assert (passed_but(verdict) is not None) == (ending == "set_aside")


def test_a_diff_without_gates_lists_what_broke_and_what_was_lost() -> None:
    diff = cases.failed().verdict.diff
    assert [one.title for one in to_read(diff)] == ["Broke"]
    assert [one.title for one in to_read(cases.errored().verdict.diff)] == ["Lost"]


def test_a_first_run_that_is_not_well_names_a_row_before_it_is_accepted() -> None:
    rows = [row("n1", "near-miss"), row("h1")]
    now = run(rows, changed(good_run(rows), rows, n1=cases.MISSED, h1=cases.MISSED))
    verdict = cases.report_of(now, None).verdict

    assert int(verdict.exit_code) == 4
    assert lists(verdict) == [("Did not pass", ["h1", "n1"])]
    show, accept = verdict.next
    assert show == "evalrag show 0002 h1"
    assert accept.startswith("evalrag baseline accept 0002")
