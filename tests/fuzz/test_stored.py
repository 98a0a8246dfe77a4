"""A law: a damaged store is read, or refused as ours; and no row of it is lost in silence."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalrag.errors import RunError
from evalrag.regression.scoring import score_attempt
from evalrag.regression.verdict import Comparison, judge_run
from evalrag.schema.row import Row
from evalrag.stores.journal import Journal
from evalrag.stores.lines import line_of
from evalrag.stores.runs import StoredAttempts, StoredRun
from tests.builders import as_mapping, judged, scoring
from tests.fuzz.commands import evalrag
from tests.fuzz.damage import bounded, documents, encoded, lines
from tests.workspace import ROWS

FORMAT = Path(__file__).parents[1] / "formats" / "1"
GOLDEN = {row["id"]: Row.model_validate(row) for row in ROWS}
ROW = st.sampled_from(list(GOLDEN))
RUNS = ("baseline", "run", "repeats")


def was(run: str, name: str) -> bytes:
    return (FORMAT / run / name).read_bytes()


def damaged(name: str) -> st.SearchStrategy[tuple[str, bytes]]:
    """A run, and its file `name` in another state."""
    damage = lines if name.endswith(".jsonl") else documents
    runs = [run for run in RUNS if (FORMAT / run / name).exists()]
    return st.one_of([st.tuples(st.just(run), damage(was(run, name))) for run in runs])


def edited(run: str, name: str, *path: Any, to: Any) -> tuple[str, bytes]:
    """A run, and its file `name` with one value of its first line changed."""
    first, *others = was(run, name).splitlines(keepends=True)
    if name.endswith(".json"):
        first, others = was(run, name), []
    value = json.loads(first)
    above = value
    for step in path[:-1]:
        above = above[step]
    above[path[-1]] = to
    return run, b"".join([encoded(value), b"\n", *others])


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("there")


@pytest.fixture(autouse=True)
def _inside(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(there)


def laid(there: Path, run: str, name: str, data: bytes) -> None:
    """`./now` is the run with that file, and `./baseline` a good baseline."""
    shutil.rmtree(there / "now", ignore_errors=True)
    shutil.copytree(FORMAT / run, there / "now")
    if not (there / "baseline").exists():
        shutil.copytree(FORMAT / "baseline", there / "baseline")
    (there / "now" / name).write_bytes(data)


def whole(path: Path) -> bool:
    return {result.id for result in StoredRun(path).results} == GOLDEN.keys()


def all_commands(there: Path, row: str) -> None:
    """Every command that reads a run: as the newer one, and as what it is held against."""
    for arguments in (
        ("gate", "./now"),
        ("gate", "./baseline", "--baseline", "./now"),
        ("diff", "./now", "./baseline", "--gate"),
    ):
        if evalrag(*arguments) == 0:
            assert whole(there / "now"), arguments
    evalrag("diff", "./baseline", "./now")
    evalrag("show", "./now")
    evalrag("show", "./now", row)
    evalrag("baseline", "show", "./now")


@bounded(25)
@given(damaged("run.json"), ROW)
def test_a_damaged_head(there: Path, file: tuple[str, bytes], row: str) -> None:
    laid(there, file[0], "run.json", file[1])

    all_commands(there, row)


@bounded(30)
@example(edited("run", "rows.jsonl", "reasons", "answer_correctness", "state", to=""), "h1")
@given(damaged("rows.jsonl"), ROW)
def test_damaged_rows(there: Path, file: tuple[str, bytes], row: str) -> None:
    laid(there, file[0], "rows.jsonl", file[1])

    all_commands(there, row)


@bounded(15)
@example(edited("run", "timings.jsonl", "seconds", "retrieval", to=10**400), "h1")
@example(edited("run", "timings.jsonl", "seconds", to={"retrieval": 10**400}), "h1")
@given(damaged("timings.jsonl"), ROW)
def test_damaged_timings(there: Path, file: tuple[str, bytes], row: str) -> None:
    laid(there, file[0], "timings.jsonl", file[1])

    all_commands(there, row)


@bounded(30)
@given(damaged("accepted.json"))
def test_damaged_acceptances(there: Path, file: tuple[str, bytes]) -> None:
    laid(there, file[0], "accepted.json", file[1])

    evalrag("baseline", "show", "./now")
    if evalrag("baseline", "accept", "./baseline", "--to", "./now", "--reason", "r") == 0:
        assert whole(there / "now")


@bounded(50)
@given(damaged("traces.jsonl"), ROW)
def test_damaged_traces(there: Path, file: tuple[str, bytes], row: str) -> None:
    laid(there, file[0], "traces.jsonl", file[1])

    evalrag("show", "./now", row)
    for name in GOLDEN:
        scored_again(name, StoredAttempts(StoredRun(there / "now")))
    relabelled(StoredRun(there / "now"))


def scored_again(row: str, stored: Any) -> None:
    """What `rescore` does with a row."""
    try:
        attempts = stored.attempts(row)
    except RunError:
        return
    for _, trace in attempts:
        said = judged(GOLDEN[row], trace)
        attempt = score_attempt(GOLDEN[row], trace, said, scoring())
        assert attempt.model_dump_json()


def relabelled(old: StoredRun) -> None:
    """What `gate` does with a baseline whose labels have changed since."""
    now = StoredRun(FORMAT / "baseline")
    digests = {
        row: ("other", asked) for row, (_, asked) in as_mapping(list(GOLDEN.values())).items()
    }
    results = [r.model_copy(update={"digest": "other"}) for r in now.results]
    try:
        judge_run(
            (now.record, results),
            Comparison(
                baseline=(old.record, old.results),
                traces=old.traces,
                rows=GOLDEN,
                digests=digests,
            ),
            ref="0002",
        )
    except RunError:
        return


def journalled() -> bytes:
    run = StoredRun(FORMAT / "run")
    kept = [{"format": 1, "key": "k", "plan": "plan.yaml", "day": "2026-11-30", "selection": {}}]
    for row in GOLDEN:
        for line in run.lines(row):
            kept.append({"id": row, "repeat": 0, "trace": line | {"seconds": {"retrieval": 0.1}}})
    return b"".join(map(line_of, kept))


@bounded(100)
@given(lines(journalled()))
def test_a_damaged_journal(there: Path, data: bytes) -> None:
    (there / "journal.jsonl").write_bytes(data)
    try:
        journal = Journal.resume(there)
    except RunError:
        return
    reader = journal.reader()
    journal.close()

    for row, _ in journal.done:
        if row in GOLDEN:
            scored_again(row, reader)
