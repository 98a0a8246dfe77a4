"""The published schemas hold of what they describe: plans, rows and reports as they are."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from evalrag.cli.schema import NAMES, _models, _schema
from tests.workspace import BOT, ROWS, Workspace

ROOT = Path(__file__).parents[2]


def valid(name: str) -> Draft202012Validator:
    body = _schema(name, _models()[name])
    Draft202012Validator.check_schema(body)
    return Draft202012Validator(body)


PLAN, ROW, REPORT = valid("plan"), valid("row"), valid("report")
BASE: dict[str, Any] = {
    "version": 1,
    "name": "p",
    "dataset": {"path": "g"},
    "pipeline": {"retriever": {"use": "bm25"}},
}


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda p: p.name)
def test_the_plans_of_this_repository_are_valid(path: Path) -> None:
    PLAN.validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def test_the_golden_rows_of_this_repository_are_valid() -> None:
    text = (ROOT / "datasets/demo/golden.jsonl").read_text(encoding="utf-8")
    rows = [*map(json.loads, text.splitlines()), *ROWS]
    assert len(rows) > 30
    for row in rows:
        ROW.validate(row)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"reports": ["terminal", {"use": "junit", "to": "x"}]}, id="word"),
        pytest.param({"gates": ["defaults"]}, id="defaults"),
        pytest.param({"gates": [{"name": "g", "metric": "m", "must": "not_drop"}]}, id="rule"),
        pytest.param(
            {"gates": [{"name": "g", "metric": "m", "must": {"at_least": 0.8}}]}, id="number"
        ),
        pytest.param(
            {"gates": [{"name": "g", "metric": "m", "must": ["not_rise", {"at_most": 1}]}]},
            id="several",
        ),
    ],
)
def test_short_forms_are_valid(more: dict[str, Any]) -> None:
    PLAN.validate(BASE | more)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"gate": []}, id="unknown-key"),
        pytest.param({"reports": [7]}, id="report"),
        pytest.param({"gates": ["default"]}, id="misspelt"),
        pytest.param({"gates": [{"name": "g", "metric": "m", "must": "no_drop"}]}, id="rule"),
        pytest.param(
            {"gates": [{"name": "g", "metric": "m", "must": {"atleast": 1}}]}, id="number"
        ),
        pytest.param({"run": {"concurrency": 0}}, id="range"),
    ],
)
def test_mistakes_are_found(more: dict[str, Any]) -> None:
    assert not PLAN.is_valid(BASE | more)


@pytest.mark.parametrize("name", ["plan", "row", "report"])
def test_every_key_that_people_meet_is_described(name: str) -> None:
    body = valid(name).schema
    assert isinstance(body, dict)
    shapes = {**body["$defs"], name: body}
    wanted = ("Published", "Fingerprints") if name == "report" else ("",)
    bare = [
        f"{shape}.{key}"
        for shape, said in shapes.items()
        if shape.startswith(wanted)
        for option in (said, *said.get("anyOf", ()))
        for key, value in option.get("properties", {}).items()
        if "description" not in value
        and "$ref" not in value
        and "type" in option
        and "maxProperties" not in option
    ]
    assert bare == []


def test_real_reports_of_every_ending_are_valid(shop: Workspace) -> None:
    endings = {}

    def report(*arguments: str) -> None:
        done = shop.evalrag(*arguments, "--format", "json")
        REPORT.validate(done.json)
        assert done.json["exit_code"] == done.code
        endings[done.code] = done.json["verdict"]

    report("run", "plan.yaml")
    shop.evalrag("baseline", "accept", "latest", "--reason", "first")
    report("run", "plan.yaml")
    shop.write("bot.py", BOT.replace('["market#0", "returns#0"]', '["returns#0", "market#0"]'))
    report("run", "plan.yaml")
    report("diff", "latest", "--gate")
    crash = "if 'rugby' in question:\n            raise RuntimeError('x')\n        if question not"
    shop.write("bot.py", BOT.replace("if question not", crash))
    report("run", "plan.yaml")
    assert endings == {4: "no baseline", 0: "passed", 1: "failed", 3: "undecided"}


def test_a_report_without_a_key_is_not_valid(shop: Workspace) -> None:
    body = shop.evalrag("run", "plan.yaml", "--format", "json").json
    for key in ("schema_version", "gates", "fingerprints", "diff"):
        assert not REPORT.is_valid({k: v for k, v in body.items() if k != key})
    assert not REPORT.is_valid(body | {"more": 1})


def test_all_schemas_are_written_for_editors(shop: Workspace) -> None:
    done = shop.evalrag("schema", "--write", "schemas")

    assert done.code == 0
    found = sorted(path.name for path in (shop.path / "schemas").iterdir())
    assert found == sorted(f"{name}.schema.json" for name in NAMES)
    assert "# yaml-language-server: $schema=schemas/plan.schema.json" in done.out
    assert json.loads((shop.path / "schemas/plan.schema.json").read_text())["title"] == "Plan"

    done = shop.evalrag("schema", "row", "--write", "one")
    assert done.out == "written: one/row.schema.json\n"
    assert shop.evalrag("schema").code == 2
    assert "evalrag schema --write" in shop.evalrag("explain", "schema").out
