"""`evalrag explain METRIC`: for people, with a gate to copy. No text names a missing command."""

import re
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from evalrag.cli.main import app
from evalrag.metrics.table import MEASURES
from evalrag.reporters.pages import pages
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
