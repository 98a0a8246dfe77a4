"""The offline judge on answers that other people labelled, read as labels files."""

from pathlib import Path

import pytest

from evalrag.errors import DatasetError
from evalrag.judging.calibration import answer_figures
from evalrag.loading.labels import load_labels
from evalrag.schema.calibration import Figures
from tests.execution.labelled import judge_file
from tests.oracles.labelled import contractnli, ragtruth, write
from tests.oracles.trec import public

README = Path(__file__).parents[2] / "README.md"


def told(figures: Figures) -> list[str]:
    """What the README's table says of one set, from top to bottom."""
    table, decided = figures.confusion, figures.agreement_decided
    recall = figures.recall["CONTRADICTED"]
    assert figures.unresolved.value is not None
    return [
        f"{100 * figures.unresolved.value:.0f} %",
        f"{decided.hits or 0} of {decided.n}",
        str(table["CONTRADICTED"]["SUPPORTED"] + table["ABSENT"]["SUPPORTED"]),
        str(table["SUPPORTED"]["CONTRADICTED"]),
        str(table["SUPPORTED"]["ABSENT"]),
        f"{recall.value:.2f}" if recall.hits else f"0 of {recall.n}",
    ]


def test_the_readme_says_what_is_measured(tmp_path: Path) -> None:
    judge = public("judge", "ragtruth_qa.jsonl").parent
    sets = [
        judge.parent / "judge_minimal_pairs.jsonl",
        write(tmp_path / "ragtruth.jsonl", ragtruth(judge)),
        write(tmp_path / "contractnli.jsonl", contractnli(judge)),
    ]
    table = README.read_text(encoding="utf-8").split("<!-- calibrated -->\n")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]

    columns = [told(answer_figures(judge_file(path))) for path in sets]

    assert [row[1:] for row in rows[2:]] == [list(cells) for cells in zip(*columns, strict=True)]


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
    rows = ragtruth(public("judge", "ragtruth_qa.jsonl").parent)
    figures = answer_figures(judge_file(write(tmp_path / "labels.jsonl", rows)))

    assert people(figures) == {"SUPPORTED": 223, "ABSENT": 65, "CONTRADICTED": 12, "ABSTAINED": 0}
    assert figures.confusion["ABSENT"]["SUPPORTED"] == 0
    assert figures.confusion["CONTRADICTED"]["SUPPORTED"] == 0
    assert figures.confusion["SUPPORTED"]["CONTRADICTED"] == 0
    assert figures.recall["ABSTAINED"].reason == "people labelled nothing ABSTAINED"


def test_contractnli(tmp_path: Path) -> None:
    rows = contractnli(public("judge", "contractnli_claims.jsonl").parent)
    figures = answer_figures(judge_file(write(tmp_path / "labels.jsonl", rows)))

    assert people(figures) == {"SUPPORTED": 100, "ABSENT": 100, "CONTRADICTED": 69, "ABSTAINED": 0}
    assert figures.confusion["ABSENT"]["SUPPORTED"] == 0
    assert figures.confusion["CONTRADICTED"]["SUPPORTED"] == 0
    assert figures.confusion["SUPPORTED"]["CONTRADICTED"] == 0
