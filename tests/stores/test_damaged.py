"""Specification of stores that cannot be read: an error that says what to do, and no traceback."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from evalrag.errors import RunError
from evalrag.stores.baselines import history, open_baseline, refuse_run
from evalrag.stores.journal import Journal
from evalrag.stores.lines import read_lines
from evalrag.stores.row_lines import RowReader
from evalrag.stores.runs import RunFolder, StoredRun


def stored(path: Path) -> StoredRun:
    """A run whose head is not asked for."""
    run = StoredRun.__new__(StoredRun)
    run.path = path
    return run


@pytest.mark.parametrize(
    ("name", "read"),
    [
        pytest.param("run.json", StoredRun, id="head"),
        pytest.param("rows.jsonl", lambda path: stored(path).results, id="rows"),
        pytest.param("traces.jsonl", lambda path: stored(path).lines("q"), id="traces"),
        pytest.param("timings.jsonl", lambda path: stored(path).costs(), id="timings"),
        pytest.param("accepted.json", history, id="acceptances"),
    ],
)
def test_a_folder_in_the_place_of_a_file(
    tmp_path: Path, name: str, read: Callable[[Path], object]
) -> None:
    (tmp_path / name).mkdir()

    with pytest.raises(RunError, match="cannot be read: Is a directory") as caught:
        read(tmp_path)

    assert name in str(caught.value.where)


@pytest.mark.parametrize(
    "line",
    [
        '{"seconds":{}}',
        '{"id":"a","seconds":5}',
        '{"id":"a","usage":1}',
        '{"id":"a","usage":{"cost":1e308}}\n{"id":"a","usage":{"cost":1e308}}',
        pytest.param(f'{{"id":"a","seconds":{{"retrieval":1{"0" * 400}}}}}', id="a huge number"),
    ],
)
def test_timings_that_are_none(tmp_path: Path, line: str) -> None:
    (tmp_path / "timings.jsonl").write_text(line + "\n")

    with pytest.raises(RunError, match="times no attempt"):
        stored(tmp_path).costs()


MOVED = '{"format":1,"history":[{"run":"1","day":"d","reason":"r","rows":1,"moved":{"new":5}}]}'


@pytest.mark.parametrize("text", ["null", "[]", "5", "{}", '{"format":1,"history":5}', MOVED])
def test_acceptances_of_another_shape(tmp_path: Path, text: str) -> None:
    (tmp_path / "accepted.json").write_text(text)

    with pytest.raises(RunError, match="not what evalrag wrote"):
        history(tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        '{"id":5,"repeat":0,"trace":{"candidates":[],"context":[]}}',
        '{"id":"q","repeat":"0","trace":{"candidates":[],"context":[]}}',
        '{"id":"q","repeat":0,"trace":{}}',
        '{"id":"q","repeat":0,"trace":[]}',
    ],
)
def test_a_journal_of_another_shape(tmp_path: Path, line: str) -> None:
    Journal.create(tmp_path, {}).close()
    with (tmp_path / "journal.jsonl").open("a") as file:
        file.write(line + "\n")

    with pytest.raises(RunError, match="no attempt") as caught:
        Journal.resume(tmp_path)

    assert caught.value.hint == "start anew: evalrag run PLAN"


TRACE = {"id": "q", "candidates": [{"id": "a"}], "context": [0]}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"candidates": "h1"}, id="a word for a list"),
        pytest.param({"candidates": [{"id": "a", "text": 5}]}, id="a text that is a number"),
        pytest.param({"candidates": [{"id": "a", "span": [1]}]}, id="half a span"),
        pytest.param({"answer": ["x"]}, id="an answer that is a list"),
        pytest.param({"error_stage": "lunch"}, id="a stage that there is not"),
        pytest.param({"history": [{"role": "user"}]}, id="a turn that says nothing"),
        pytest.param({"repeat": "first"}, id="a number in words"),
    ],
)
def test_a_line_that_is_no_trace_is_neither_shown_nor_scored(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    (tmp_path / "traces.jsonl").write_text(json.dumps(TRACE | changes) + "\n")
    run = stored(tmp_path)

    for read in (run.lines, run.traces):
        with pytest.raises(RunError, match=r"not what evalrag wrote \(row q") as caught:
            read("q")
        assert caught.value.where == str(tmp_path / "traces.jsonl")


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ('"candidates":[{"metadata":{"a":1e999}}]', "a number is too large"),
        ('"candidates":[{"score":NaN}]', "NaN is not JSON"),
        (r'"answer":"half \udC00 of it"', "half of a surrogate pair is no character"),
        (r'"candidates":[{"metadata":{"\uD800":1}}]', "half of a surrogate pair is no character"),
    ],
)
def test_a_line_that_could_not_be_written_again_is_not_read(
    tmp_path: Path, field: str, why: str
) -> None:
    whole = '{"id":"p","candidates":[],"context":[],"answer":"\\ud83d\\ude00"}\n'
    file = tmp_path / "traces.jsonl"
    file.write_text(whole + '{"id":"q","context":[0],' + field + "}\n")
    run = stored(tmp_path)

    for read in (run.lines, run.traces):
        with pytest.raises(RunError, match=rf"not what evalrag wrote \({why}\)") as caught:
            read("q")
        assert caught.value.where == f"{file}:2"
    file.write_text(whole)
    assert stored(tmp_path).lines("p")[0]["answer"] == "\U0001f600"


@pytest.mark.parametrize(
    ("text", "why"),
    [("[]\n", "its first line is no object"), ('{"for', "its first line is torn")],
    ids=["whole", "torn"],
)
def test_a_journal_that_cannot_be_resumed_is_let_go(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "journal.jsonl").write_text(text)

    for _ in range(2):  # a lock that is kept would say that another process is writing
        with pytest.raises(RunError, match=why):
            Journal.resume(tmp_path)


def test_a_single_row_that_was_damaged_names_its_line(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    line = '{"id":"%s","kind":"happy-path","digest":"d","asked":"a","outcome":"pass"}\n'
    rows.write_text(line % "a" + line % "b")
    reader = RowReader(rows)
    assert reader.read("b").id == "b"
    rows.write_text(line % "a" + (line % "b").replace("happy", "happi"))

    with pytest.raises(RunError, match="line 2: kind"):
        reader.read("b")


def test_a_file_in_the_place_of_a_baseline(tmp_path: Path) -> None:
    (tmp_path / "baseline").touch()

    with pytest.raises(RunError):
        open_baseline(tmp_path / "baseline")


def test_a_line_names_its_number(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"id":"a"}\nnonsense\n')

    with pytest.raises(RunError) as caught:
        list(read_lines(tmp_path / "x.jsonl"))

    assert caught.value.where == f"{tmp_path}/x.jsonl:2"


@pytest.mark.parametrize("name", ["²", "x" * 5000, "\0", "٣"])
def test_a_name_that_is_no_run(tmp_path: Path, name: str) -> None:
    (tmp_path / "0003").mkdir()
    (tmp_path / "²").mkdir()

    with pytest.raises(RunError, match="there is no run"):
        RunFolder(tmp_path).find(name)


def test_a_run_is_not_written_over(tmp_path: Path) -> None:
    run = tmp_path / "elsewhere"
    run.mkdir()
    (run / "timings.jsonl").touch()

    for path in (run, tmp_path / "runs" / "0001", tmp_path / "runs"):
        with pytest.raises(RunError, match="this is a run"):
            refuse_run(path, tmp_path / "runs")
    refuse_run(tmp_path / "baseline", tmp_path / "runs")
