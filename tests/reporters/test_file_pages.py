"""`evalrag explain row`, `plan`: every field that the models have, and examples that load."""

import json
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from evalrag.adapters import bm25, extractive, haystack, langchain, llamaindex, recorded
from evalrag.adapters.build import BUILTIN, build_pipeline
from evalrag.errors import DatasetError
from evalrag.loading.dataset import load_dataset
from evalrag.loading.plan import load_plan
from evalrag.loading.shape import fields_of
from evalrag.reporters.pages import pages
from evalrag.reporters.plan_pages import EXAMPLES
from evalrag.schema.evidence import Evidence
from evalrag.schema.plan import PipelinePlan, Plan, Quarantine, Waiver
from evalrag.schema.row import Row
from evalrag.schema.run_plan import RunPlan
from evalrag.schema.words import Form, Kind
from tests.adapters.plans import load

_SETTINGS: dict[str, type[BaseModel]] = {
    "recorded": recorded.Settings,
    "bm25": bm25.Settings,
    "extractive": extractive.Settings,
    "langchain": langchain.Settings,
    "llamaindex": llamaindex.Settings,
    "haystack": haystack.Settings,
}


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("row", Row),
        ("row", Evidence),
        ("gold", Evidence),
        ("plan", Plan),
        ("pipeline", PipelinePlan),
        ("run", RunPlan),
        ("waivers", Waiver),
        ("quarantine", Quarantine),
        *_SETTINGS.items(),
    ],
)
def test_a_page_has_every_field_with_what_is_said_of_it(name: str, model: type[BaseModel]) -> None:
    text = pages()[name].text

    for field, (_, info) in fields_of(model).items():
        (line,) = [one for one in text.splitlines() if one.startswith(f"  {field} (")][:1]
        assert ("required" in line) is info.is_required()
        assert (info.description or "") in line
        assert line.partition("): ")[2], f"{name}: nothing is said of {field}"


@pytest.mark.parametrize("name", [*fields_of(Row), *fields_of(Evidence), *fields_of(Plan)])
def test_every_field_and_key_has_a_page(name: str) -> None:
    assert name in pages()


@pytest.mark.parametrize("name", ["watch", "top_k", "context_k", "retries", "tolerance", "until"])
def test_a_key_below_another_has_a_page_that_says_where_it_stands(name: str) -> None:
    assert f"`: {name} (" in pages()[name].text
    assert "Of a plan, under `" in pages()[name].text


def test_every_built_in_adapter_has_a_page() -> None:
    assert set(BUILTIN) <= set(pages())


def test_the_page_of_forms_has_each_of_them() -> None:
    for name in ("form", "answer form"):
        assert all(f"  {form.value}: " in pages()[name].text for form in Form)


def test_the_rows_on_the_page_load_one_of_each_kind(tmp_path: Path) -> None:
    lines = [one for one in pages()["row"].text.splitlines() if one.startswith('{"id": ')]
    file = tmp_path / "golden.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")

    rows = load_dataset(file).rows

    assert [row.kind for row in rows] == list(Kind)


def test_the_examples_of_the_plans_pages_load_together(tmp_path: Path) -> None:
    shown = [pages()[key].text for key in EXAMPLES]
    parts = [text.split("For example:\n")[1].partition("\n\n")[0] for text in shown]
    whole: dict[str, object] = {}
    for part in parts:
        whole |= yaml.safe_load(part)
    for name in ("golden.jsonl", "corpus.jsonl"):
        (tmp_path / name).write_text("{}\n", encoding="utf-8")
    file = tmp_path / "plan.yaml"
    file.write_text(json.dumps(whole, default=str), encoding="utf-8")

    plan = load_plan(file, {}).plan

    assert all((plan.waivers, plan.quarantine, plan.retired, plan.gates, plan.reports))


@pytest.mark.parametrize("name", ["recorded", "bm25", "extractive"])
def test_the_plan_on_the_page_of_an_adapter_can_be_built(tmp_path: Path, name: str) -> None:
    text = pages()[name].text
    example = yaml.safe_load(text.split("\n\n")[1])
    (tmp_path / "corpus.jsonl").write_text(
        '{"id": "a", "text": "Gift wrapping costs 4 euros.", "status": "current"}\n',
        encoding="utf-8",
    )
    line = [one for one in text.splitlines() if one.startswith('    {"id": "a"')]
    (tmp_path / "outputs.jsonl").write_text("".join(line), encoding="utf-8")
    searched = {"use": "bm25", "with": {"path": "corpus.jsonl"}}
    pipeline = example.get("pipeline") or {"retriever": searched, **example}

    build_pipeline(load(tmp_path, pipeline), ["a"]).close()


@pytest.mark.parametrize("name", ["langchain", "llamaindex", "haystack"])
def test_the_settings_on_the_page_of_a_library_are_good(name: str) -> None:
    example = yaml.safe_load(pages()[name].text.split("\n\n")[1])["pipeline"]

    assert example["use"] == name
    _SETTINGS[name].model_validate(example["with"])


def test_a_row_that_is_wrong_leads_to_the_page(tmp_path: Path) -> None:
    file = tmp_path / "golden.jsonl"
    file.write_text('{"id": "a"}\n', encoding="utf-8")

    with pytest.raises(DatasetError, match="evalrag explain row"):
        load_dataset(file)
