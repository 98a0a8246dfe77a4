"""The file of decisions: what is damaged in it is said at its place, and nothing is left out."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalrag.errors import DecisionError, RunError
from evalrag.loading.decisions import load_decisions
from evalrag.schema.decision import Decision
from evalrag.stores.decisions import keep

FORM: dict[str, Any] = {
    "content": "a" * 64,
    "row": "r",
    "form": "DECLINED",
    "reason": "read it",
    "by": "Ana",
    "on": "2026-11-30",
}
CLAIM = {k: v for k, v in FORM.items() if k != "form"} | {
    "claims": ["One.", "Zwei\u2028drei."],
    "claim": "Zwei\u2028drei.",
    "label": "ABSENT",
}


def decision(**fields: Any) -> Decision:
    return Decision.model_validate(FORM | fields)


def problems(path: Path) -> list[str]:
    with pytest.raises(DecisionError) as caught:
        load_decisions(path, shown="decisions.jsonl")
    assert caught.value.exit_code == 2
    assert "evalrag judge decide" in caught.value.hint
    return [str(problem).removeprefix("decisions.jsonl:") for problem in caught.value.problems]


def test_where_there_is_no_file_nothing_was_decided(tmp_path: Path) -> None:
    assert load_decisions(tmp_path / "decisions.jsonl") == ()


def test_what_is_kept_is_read_in_its_order(tmp_path: Path) -> None:
    path = tmp_path / "said" / "decisions.jsonl"
    said = [decision(), Decision.model_validate(CLAIM), decision(form="CORRECTS")]

    for one in said:
        keep(path, one)

    assert load_decisions(path) == tuple(said)
    assert path.read_text(encoding="utf-8").count("\n") == 3
    assert json.loads(path.read_text(encoding="utf-8").split("\n")[0]) == FORM


def test_a_last_line_that_an_editor_left_open_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    path.write_text(json.dumps(FORM), encoding="utf-8")

    keep(path, decision(form="CORRECTS"))

    assert load_decisions(path) == (decision(), decision(form="CORRECTS"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(json.dumps(FORM)[:60], "2:13: not JSON", id="torn"),
        pytest.param("<<<<<<< HEAD", "2:1: a merge left its marks", id="left by a merge"),
        pytest.param("[]", "2: each line is one JSON object", id="no object"),
        pytest.param(
            json.dumps(FORM | {"lable": "ABSENT"}), '2: lable: unknown field "lable"', id="a typo"
        ),
        pytest.param(json.dumps(FORM | {"form": "NO"}), '2: form: "NO" is none of', id="a word"),
        pytest.param(json.dumps(FORM | {"form": None}), "2: a decision is about", id="nothing"),
        pytest.param(json.dumps(FORM | {"on": 5}), "2: on: 5 is a number", id="a number"),
        pytest.param(json.dumps(CLAIM | {"label": "YES"}), "2: label of a claim is", id="a label"),
    ],
)
def test_a_damaged_line_is_named_and_so_is_every_other(
    tmp_path: Path, line: str, said: str
) -> None:
    path = tmp_path / "decisions.jsonl"
    path.write_text("\n".join([json.dumps(FORM), line, json.dumps(CLAIM), "{}"]), encoding="utf-8")

    found = problems(path)

    assert found[0].startswith(said)
    assert any(one.startswith("4: ") for one in found)


def test_a_folder_in_its_place_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DecisionError, match="folder"):
        load_decisions(tmp_path)


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    with pytest.raises(RunError, match="cannot be kept") as caught:
        keep(tmp_path / "file" / "decisions.jsonl", decision())

    assert caught.value.exit_code == 2


def test_a_secret_is_taken_out_of_the_line(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"

    keep(path, decision(reason="it is hunter2"), lambda line: line.replace(b"hunter2", b"***"))

    assert load_decisions(path)[0].reason == "it is ***"
