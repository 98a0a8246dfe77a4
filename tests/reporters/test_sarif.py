"""SARIF as code scanning reads it: valid, on the row's line, and one alert from run to run."""

from pathlib import Path
from typing import Any

import pytest

from evalrag.regression.catalogue import CATALOGUE
from evalrag.reporters.sarif import ROOM, build
from evalrag.schema.report import Report
from evalrag.schema.verdict import ExitCode
from tests.builders import changed, good_run, row, run
from tests.reporters import cases
from tests.reporters.reading import SARIF, sarif
from tests.workspace import Workspace


def drawn(report: Report) -> dict[str, Any]:
    return sarif(build().render(report))


def marks(found: dict[str, Any]) -> set[str]:
    return {one["partialFingerprints"]["primaryLocationLineHash"] for one in found["results"]}


@pytest.mark.parametrize("ending", cases.ENDINGS)
def test_a_result_is_an_error_exactly_where_the_exit_code_is_not_0(ending: str) -> None:
    report = cases.ENDINGS[ending]()
    found = drawn(report)
    code = report.verdict.exit_code

    red = any(one["level"] == "error" for one in found["results"])
    assert red == (code is not ExitCode.PASSED)
    invocation = found["invocations"][0]
    assert invocation["exitCode"] == code
    measured = code in (ExitCode.PASSED, ExitCode.FAILED)
    assert invocation["executionSuccessful"] == measured
    assert bool(invocation["toolExecutionNotifications"]) == (not measured)


@pytest.mark.parametrize("ending", cases.ENDINGS)
def test_every_result_names_a_rule_and_has_a_fingerprint_of_its_own(ending: str) -> None:
    found = drawn(cases.ENDINGS[ending]())
    rules = found["tool"]["driver"]["rules"]

    for one in found["results"]:
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"]
    assert len(marks(found)) == len(found["results"])


def test_a_row_is_named_on_its_line_under_the_rule_of_its_diagnosis() -> None:
    found = drawn(cases.failed())
    first = found["results"][0]

    assert first["ruleId"] == "not-retrieved"
    place = first["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "golden.jsonl", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 2},
    }
    assert first["message"]["text"].startswith(
        "Row h2: gate evidence is retrieved: 1 -\u003e 0: dropped"
    )
    rule = found["tool"]["driver"]["rules"][first["ruleIndex"]]
    assert CATALOGUE["not-retrieved"].change in rule["help"]["text"]


def test_an_alert_is_the_same_in_the_next_run_and_another_in_another_plan() -> None:
    now = cases.after(h2=cases.MISSED)
    later = cases.after({"id": "0009", "day": "2026-12-24"}, h2=cases.MISSED, near=cases.RIVAL)
    other = cases.after({"plan": "another"}, h2=cases.MISSED)
    first, second, third = (drawn(cases.report_of(one)) for one in (now, later, other))

    assert marks(first) < marks(second)
    assert not marks(first) & marks(third)


def test_what_is_set_aside_is_suppressed_with_its_reason() -> None:
    found = drawn(cases.set_aside())
    reasons = {
        one["ruleId"]: one["suppressions"][0]["justification"]
        for one in found["results"]
        if "suppressions" in one
    }
    assert set(reasons) == {"waived", "quarantined"}
    assert "moving" in reasons["quarantined"]


def test_a_file_holds_the_worst_and_counts_the_rest() -> None:
    rows = [row(f"h{n}") for n in range(ROOM + 7)]
    base = good_run(rows)
    now = run(rows, changed(base, rows, **{one.id: cases.MISSED for one in rows}))
    found = drawn(cases.report_of(now, base))

    assert len(found["results"]) == ROOM
    assert found["properties"]["leftOut"] == 7


@pytest.mark.parametrize(
    ("workspace", "uri"), [("{0}", "a%20%25shop/golden.jsonl"), ("/nowhere", "golden.jsonl")]
)
def test_a_path_is_a_uri_as_the_checkout_has_it(tmp_path: Path, workspace: str, uri: str) -> None:
    (tmp_path / "a %shop").mkdir()
    shop = Workspace(tmp_path / "a %shop")
    shop.evalrag("run", "plan.yaml")
    done = shop.evalrag("gate", "--format", "sarif", GITHUB_WORKSPACE=workspace.format(tmp_path))

    SARIF.validate(done.json)
    (first, *_) = done.json["runs"][0]["results"]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_a_message_holds_no_link() -> None:
    link = "[x](http://x.example)"
    rows = [row(link)]
    base = good_run(rows)
    now = run(rows, changed(base, rows, **{link: cases.MISSED}))
    first = drawn(cases.report_of(now, base))["results"][0]
    assert "Row \\[x\\](http" in first["message"]["text"]
