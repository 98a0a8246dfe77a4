"""The offline judge on answers that other people labelled, read as labels files.

Neither set has the fields of a labels file: RAGTruth calls the passages `contexts`; ContractNLI
has `claim` for the answer, no question, and its contexts in a file of documents beside it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from evalrag.errors import DatasetError
from evalrag.judging.calibration import answer_figures
from evalrag.loading.labels import load_labels
from evalrag.schema.calibration import Figures
from tests.execution.labelled import judge_file
from tests.oracles.trec import public


def read(name: str) -> list[dict[str, Any]]:
    text = public("judge", name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def written(tmp_path: Path, rows: list[dict[str, Any]]) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def people(figures: Figures) -> dict[str, int]:
    """How many rows people gave each label, from the table."""
    return {label: sum(row.values()) for label, row in figures.confusion.items()}


def test_a_file_with_other_names_is_refused_and_says_which(tmp_path: Path) -> None:
    path = public("judge", "ragtruth_qa.jsonl")

    with pytest.raises(DatasetError) as caught:
        load_labels(path)

    assert len(caught.value.problems) == 300
    assert {problem.message for problem in caught.value.problems} == {
        'is missing; is "contexts" it?'
    }


def test_ragtruth(tmp_path: Path) -> None:
    rows = [{**row, "context": row["contexts"]} for row in read("ragtruth_qa.jsonl")]
    figures = answer_figures(judge_file(written(tmp_path, rows)))

    assert people(figures) == {"SUPPORTED": 223, "ABSENT": 65, "CONTRADICTED": 12, "ABSTAINED": 0}
    assert figures.precision["SUPPORTED"].value == 1
    assert figures.confusion["SUPPORTED"]["CONTRADICTED"] == 0
    assert figures.recall["ABSTAINED"].reason == "people labelled nothing ABSTAINED"


def test_contractnli(tmp_path: Path) -> None:
    texts = {row["doc_id"]: row["text"] for row in read("contractnli_docs.jsonl")}
    rows = [
        {
            **row,
            "question": "What does the agreement say?",
            "context": texts[row["doc_id"]],
            "answer": row["claim"],
        }
        for row in read("contractnli_claims.jsonl")
    ]
    figures = answer_figures(judge_file(written(tmp_path, rows)))

    assert people(figures) == {"SUPPORTED": 100, "ABSENT": 100, "CONTRADICTED": 69, "ABSTAINED": 0}
    assert figures.confusion["ABSENT"]["SUPPORTED"] == 0
    assert figures.confusion["CONTRADICTED"]["SUPPORTED"] == 0
    assert figures.precision["CONTRADICTED"].value == 1
