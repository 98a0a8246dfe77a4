"""`evalrag explain METRIC`: for people, with a gate to copy. No text names a missing command."""

import re
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from evalrag.cli.main import app
from evalrag.metrics.table import MEASURES
from evalrag.regression.default_gates import DEFAULTS, Default
from evalrag.reporters.pages import pages
from evalrag.reporters.written import written
from evalrag.schema.gate import Gate
from evalrag.schema.words import Direction
from tests.workspace import Workspace

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("metric", MEASURES)
def test_the_page_of_a_metric_is_for_people(metric: str) -> None:
    page = pages()[metric].text

    for word in ("Scored", "NotApplicable", ">>>", "Args:", "Returns:", "Mark."):
        assert word not in page
    for head in ("Value: ", "For example:\n  ", "It reads:\n  ", "Source: "):
        assert f"\n\n{head}" in page
    neither = MEASURES[metric].direction is Direction.NEITHER
    assert ("must: not_" in page) is not neither


def test_examples_are_those_that_are_tested() -> None:
    page = pages()["context_recall"].text
    assert "  context_recall([True, True, False]) is 0.6667\n" in page
    assert "  context_recall([True, False], all_or_nothing=True) is 0\n" in page


def test_the_gates_of_the_pages_can_be_copied_into_a_plan(shop: Workspace) -> None:
    lines = [line for page in pages().values() for line in page.text.splitlines()]
    gates = [gate for line in lines if line.startswith("  - {") for gate in yaml.safe_load(line)]
    assert len(gates) > 15
    shop.plan(gates=gates, pipeline={"context_k": 2})

    checked = shop.evalrag("check", "plan.yaml")

    assert checked.code == 0, checked.out + checked.err
    assert f"{len(gates)} gates" in checked.out


@pytest.mark.parametrize("default", DEFAULTS, ids=lambda default: default.gate.name)
def test_the_page_of_a_default_gate_has_it_as_a_plan_writes_it(default: Default) -> None:
    (line,) = [
        one for one in pages()[default.gate.name].text.splitlines() if one.startswith("  - ")
    ]
    (entry,) = yaml.safe_load(line)
    assert Gate.model_validate(entry) == default.gate
    assert "'" not in line


def test_a_gate_of_two_rules_is_written_as_a_list() -> None:
    gate = Gate.model_validate(
        {"name": "a: b", "metric": "hit", "must": ["not_drop", {"mean_at_least": 0.5}]}
    )
    line = written(gate)
    assert line.endswith("must: [not_drop, {mean_at_least: 0.5}]}")
    assert Gate.model_validate(yaml.safe_load(line)) == gate


@pytest.mark.parametrize("code", ["0", "1", "2", "3", "4", "70", "130"])
def test_the_page_of_an_exit_code_says_what_to_type(code: str) -> None:
    assert ": evalrag " in pages()[code].text


def test_every_command_that_a_text_tells_to_type_is_there() -> None:
    """One that is only planned helps nobody."""
    shown = CliRunner().invoke(app, ["--help"]).output
    there = set(re.findall(r"^│ ([a-z]+) ", shown, re.MULTILINE))
    assert {"run", "show", "judge"} <= there
    told: set[str] = set()
    for file in [*ROOT.glob("evalrag/**/*.py"), ROOT / "README.md"]:
        text = file.read_text(encoding="utf-8")
        told.update(re.findall(r"(?:`|next: |hint=f?\"|\$ )evalrag ([a-z]+)[ `\"]", text))
    assert {"run", "show", "judge"} <= told
    assert told - there == set()
