"""A warning that the baseline had too is no news: a pull request is not told of it again."""

from evalrag.reporters.changes import render as render_diff
from evalrag.reporters.findings import Weight, findings
from evalrag.reporters.github import build as github
from evalrag.reporters.terminal import render
from evalrag.schema.report import Report
from tests.builders import changed, claims, good, run, verdicts
from tests.reporters import cases

AT_ODDS = verdicts(claims=claims("SUPPORTED", conflict=(1,)))


BEFORE = {"h1": (good(cases.ROWS[0])[0], AT_ODDS)}
AFTER = BEFORE | {"h2": (good(cases.ROWS[1])[0], AT_ODDS)}
NOW = run(cases.ROWS, changed(cases.BASE, cases.ROWS, **AFTER))


def report() -> Report:
    """Of two rows whose sources are at odds, one was like that before."""
    base = run(cases.ROWS, changed(cases.BASE, cases.ROWS, **BEFORE), id="0001")
    return cases.report_of(NOW, base)


def test_only_the_new_one_is_annotated() -> None:
    made = report()
    found = [(one.weight, one.row) for one in findings(made) if one.code == "conflicting-sources"]
    assert found == [(Weight.WARNING, "h2"), (Weight.NOTE, "h1")]
    said = github().render(made)
    assert "h2%3A conflicting-sources" in said
    assert "h1" not in said


def test_without_a_baseline_both_are_new() -> None:
    made = cases.report_of(NOW, None)
    found = {one.row: one.weight for one in findings(made) if one.code == "conflicting-sources"}
    assert found == {"h1": Weight.WARNING, "h2": Weight.WARNING}


def test_a_diff_lists_what_changed_and_the_counts_tell_both() -> None:
    made = report()
    drawn = render_diff(made.verdict, cases.BASE[0], made.record)
    assert "warning conflicting-sources (1): h2\n" in drawn
    assert "warnings  2 conflicting-sources (1 new)\n" in render(made.verdict, made.record)
