"""Specification of stored formats: whatever an evalrag wrote, every later one reads the same."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from evalrag.cli.main import app
from evalrag.errors import RunError
from evalrag.schema.run import FORMAT
from evalrag.schema.words import Outcome, Probe
from evalrag.stores.baselines import history
from evalrag.stores.runs import NewerRun, StoredRun
from tests.formats.make import FACT, RUNS, noted

FORMATS = sorted(path for path in Path(__file__).parent.iterdir() if path.name.isdecimal())
STORED = [
    pytest.param(folder, name, id=f"{folder.name}-{name}")
    for folder in FORMATS
    for name in RUNS
    if name in json.loads((folder / "expected.json").read_text())
]


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which commands are run; stored runs name their baseline from there."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def copied(folder: Path, there: Path) -> Path:
    shutil.copytree(folder, there, dirs_exist_ok=True)
    return there


def evalrag(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def done(*arguments: str, code: int = 0) -> str:
    result = evalrag(*arguments)
    assert result.exit_code == code, result
    return result.stdout


def test_every_format_so_far_is_kept() -> None:
    assert [int(folder.name) for folder in FORMATS] == list(range(1, FORMAT + 1))


@pytest.mark.parametrize(("folder", "name"), STORED)
def test_a_stored_run_is_gated_as_it_was(folder: Path, name: str, there: Path) -> None:
    copied(folder, there)
    expected = json.loads((folder / "expected.json").read_text())[name]

    verdict = json.loads(done("gate", f"./{name}", "--format", "json", code=expected["exit"]))

    assert noted(verdict) == expected


@pytest.mark.parametrize(("folder", "name"), STORED)
def test_a_stored_run_is_diffed_as_it_was(folder: Path, name: str, there: Path) -> None:
    copied(folder, there)
    expected = json.loads((folder / "expected.json").read_text())[name]

    diff = json.loads(done("diff", "./baseline", f"./{name}", "--format", "json"))

    assert noted(diff)["changes"] == expected["changes"]


@pytest.mark.parametrize(("folder", "name"), STORED)
def test_every_row_of_a_stored_run_is_shown(folder: Path, name: str, there: Path) -> None:
    copied(folder, there)
    run = StoredRun(there / name)

    listed = done("show", f"./{name}", "--full")
    for result in run.results:
        shown = done("show", f"./{name}", result.id)
        assert result.id in listed
        assert f"{result.id}  {result.kind}  {result.outcome.value.upper()}" in shown
        assert "Baseline: pass" in shown
        for attempt in result.attempts or (result,):
            assert all(place.name in shown for place in attempt.places() if place.window)


@pytest.mark.parametrize(("folder", "name"), STORED)
def test_every_trace_of_a_stored_run_is_read(folder: Path, name: str) -> None:
    run = StoredRun(folder / name)

    for result in run.results:
        traces = run.traces(result.id)
        assert traces is not None
        assert len(traces) == run.record.repeats
        assert [trace.get("answer") for trace in traces] == [
            attempt.answer for attempt in result.attempts or (result,)
        ]
    assert run.costs().keys() == {result.id for result in run.results}


def test_each_format_holds_every_run_that_it_began_with() -> None:
    kept = {
        folder.name: {name for f, name in (p.values for p in STORED) if f == folder}
        for folder in FORMATS
    }
    assert kept == {"1": set(RUNS)}


def test_what_probes_found_out_is_read_from_the_format_that_first_had_them() -> None:
    run = StoredRun(Path(__file__).parent / "1" / "probed")
    asked, priced = run.results[:2]
    traces = run.traces(priced.id)

    assert asked.probes[Probe.STANDALONE_QUESTION].missed == (0,)
    assert priced.probes[Probe.ORACLE_CONTEXT].outcome is Outcome.FAIL
    assert [warning.code for warning in priced.warnings] == ["from-memory"]
    assert traces is not None
    assert traces[0]["probes"]["oracle_context"]["context"] == [{"text": FACT, "doc": "wrap"}]
    assert run.costs()[priced.id]["tokens"] == 5


@pytest.mark.parametrize("folder", FORMATS, ids=lambda folder: folder.name)
def test_a_stored_baseline_says_how_it_came_to_be(folder: Path, there: Path) -> None:
    copied(folder, there)

    assert [entry.reason for entry in history(folder / "baseline").history] == ["first"]
    assert "from run 0001 of 2026-11-30" in done("baseline", "show", "baseline")


@pytest.mark.parametrize("name", ["run.json", "accepted.json"])
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(0, id="zero"),
        pytest.param(-1, id="below zero"),
        pytest.param(None, id="null"),
        pytest.param("1", id="in quotes"),
        pytest.param(True, id="true"),
        pytest.param(1.0, id="a fraction"),
        pytest.param(..., id="left out"),
    ],
)
def test_a_number_that_was_never_given_out_is_refused(name: str, number: Any, there: Path) -> None:
    baseline = copied(FORMATS[-1], there) / "baseline"
    renumbered(baseline / name, number)

    with pytest.raises(RunError, match="format is") as caught:
        history(baseline) if name == "accepted.json" else StoredRun(baseline)

    assert not isinstance(caught.value, NewerRun)


@pytest.mark.parametrize("number", [FORMAT + 1, 10**30])
def test_a_run_of_the_future_is_refused(number: int, there: Path) -> None:
    renumbered(copied(FORMATS[-1], there) / "run" / "run.json", number)

    for command in ("gate", "show", "diff"):
        error = evalrag(command, "./run").exception
        assert isinstance(error, NewerRun)
        assert error.exit_code == 2
        assert "upgrade evalrag" in error.message


def test_a_baseline_of_the_future_is_none(there: Path) -> None:
    renumbered(copied(FORMATS[-1], there) / "baseline" / "run.json", FORMAT + 1)

    assert "upgrade evalrag" in done("gate", "./selection", code=4)


def renumbered(path: Path, number: Any) -> None:
    head = json.loads(path.read_text())
    head["format"] = number
    if number is ...:
        del head["format"]
    path.write_text(json.dumps(head))
