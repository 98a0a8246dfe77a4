"""A JSON array or pretty-printed JSON, where JSON Lines are needed: said once, and converted."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from evalrag.errors import DatasetError
from evalrag.loading.dataset import load_dataset
from tests.adapters.plans import build
from tests.workspace import ROWS

TRICKY = [{**ROWS[0], "note": '} {\\n"[] \u2028 é'}, *ROWS[1:]]
ARRAY = "this is a JSON array: one object a line is needed (JSON Lines)"
OBJECT = "this is one object over several lines: one object a line is needed (JSON Lines)"


@pytest.mark.parametrize(
    ("text", "said", "rows"),
    [
        pytest.param(json.dumps(TRICKY, indent=2), ARRAY, TRICKY, id="a pretty array"),
        pytest.param(json.dumps(TRICKY), ARRAY, TRICKY, id="an array on one line"),
        pytest.param(
            "[\n" + ",\n".join(map(json.dumps, TRICKY)) + "\n]", ARRAY, TRICKY, id="a row a line"
        ),
        pytest.param("\ufeff\n " + json.dumps(TRICKY), ARRAY, TRICKY, id="a byte order mark"),
        pytest.param(json.dumps(TRICKY[0], indent=2), OBJECT, TRICKY[:1], id="one pretty object"),
        pytest.param(
            "\n\n".join(json.dumps(row, indent=1, ensure_ascii=False) for row in TRICKY),
            OBJECT,
            TRICKY,
            id="several pretty objects",
        ),
    ],
)
def test_it_is_said_once_and_the_command_converts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str, rows: list[object]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "my golden's.jsonl"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(DatasetError) as caught:
        load_dataset(file, shown="golden.jsonl")

    (problem,) = caught.value.problems
    assert str(problem) == f"golden.jsonl: {said}"
    python, *arguments = shlex.split(caught.value.hint.partition(": ")[2])
    assert python == "python"
    subprocess.run([sys.executable, *arguments], check=True)
    assert [json.loads(line) for line in file.read_text("utf-8").rstrip().split("\n")] == rows
    assert len(load_dataset(file).rows) == len(rows)


def test_an_array_with_a_mistake_says_where_it_is(tmp_path: Path) -> None:
    file = tmp_path / "golden.jsonl"
    file.write_text('[\n  {"id": "a"},\n  {"id": "b",}\n]\n', encoding="utf-8")

    with pytest.raises(DatasetError) as caught:
        load_dataset(file, shown="golden.jsonl")

    first, second = caught.value.problems
    assert first.message == ARRAY
    assert second.line == 3
    assert caught.value.hint.startswith("correct that place; then, to convert it")


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "a"\n{"id": "b"}\n',
        "[1, 2]\n",
        '[{"id": "a"}]\n{"id": "b"}\n',
        '{"id": "a"} {"id": "b"}\n',
        "{]\n",
        "[" * 100_000,
    ],
)
def test_other_mistakes_are_said_line_by_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "golden.jsonl"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(DatasetError) as caught:
        load_dataset(file)

    assert "JSON Lines" not in str(caught.value)
    assert caught.value.problems[0].line == 1


def test_recorded_outputs_in_an_array(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text(json.dumps([{"id": "r0"}], indent=2), encoding="utf-8")

    with pytest.raises(DatasetError, match="this is a JSON array"):
        build(tmp_path, {"use": "recorded", "with": {"path": "out.jsonl"}})
