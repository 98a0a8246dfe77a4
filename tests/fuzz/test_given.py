"""A law: a damaged file of a user runs or is refused as ours, and no row is lost in silence."""

import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given

from evalrag.stores.runs import StoredRun
from tests.fuzz.commands import evalrag
from tests.fuzz.damage import bounded, documents, encoded, lines
from tests.workspace import DAY, ROWS

BASELINE = Path(__file__).parents[1] / "formats" / "1" / "baseline"
PLAN: dict[str, Any] = {
    "version": 1,
    "name": "shop",
    "dataset": {"path": "golden.jsonl"},
    "corpus": {"path": "corpus.jsonl", "fields": {"id": "name"}, "where": {"metadata": {"k": 1}}},
    "pipeline": {"use": "recorded", "with": {"path": "out.jsonl"}, "top_k": 5, "context_k": 2},
    "baseline": {"path": "baseline"},
    "thresholds": {"faithfulness": 0.8},
    "superseded_when": {"metadata": {"old": True}},
    "valid_until": "until",
    "run": {"concurrency": 2, "repeats": 1},
    "gates": [
        {"name": "recall", "metric": "context_recall", "must": ["not_drop", {"at_least": 0.5}]},
        {"name": "vip", "where": {"tags": ["vip"]}, "metric": "outcome", "must": "not_break",
         "allow_empty": True},
        {"name": "mean", "metric": "ndcg", "must": {"mean_drop_at_most": 0.1}},
        "defaults",
    ],
    "waivers": [{"row": "h1", "gate": "recall", "until": "2026-12-24", "reason": "known"}],
    "quarantine": [{"row": "h2", "until": "2026-12-24", "owner": "me", "reason": "flaky"}],
}  # fmt: skip
MORE: dict[str, dict[str, Any]] = {
    "h1": {"gold": [{"doc": "returns", "quote": "The return window is 30 days"}]},
    "h2": {"gold": [{"any_of": ["wrap#0", {"all_of": ["wrap#1", {"doc": "wrap"}]}]}]},
    "n1": {"history": [{"role": "user", "content": "Hello."}], "tags": ["vip"], "meta": {"a": 1}},
    "s1": {
        "gold": [{"doc": "delivery@2", "span": [0, 31]}],
        "reference_facts": ["The delivery charge is 5 euros."],
    },
}
DECIDED = {"content": "0" * 64, "row": "h1", "reason": "read", "by": "Ana", "on": "2026-11-30"}
DECISIONS = [
    DECIDED | {"claims": ["It is 5 euros."], "claim": "It is 5 euros.", "label": "SUPPORTED"},
    DECIDED | {"form": "CORRECTS"},
    DECIDED | {"fact": "It is 5 euros.", "label": "MISSING"},
]
TRACES = [json.loads(line) for line in (BASELINE / "traces.jsonl").read_bytes().splitlines()]
PASSAGES = {p["id"]: p for trace in TRACES for p in trace["candidates"]}


def jsonl(values: list[Any]) -> bytes:
    return b"".join(encoded(value) + b"\n" for value in values)


def recorded() -> list[dict[str, Any]]:
    """What was seen, as a user's own program would have written it."""
    return [
        {name: value for name, value in line.items() if name != "history"}
        | {
            "candidates": [p | {"span": [0, len(p["text"])]} for p in line["candidates"]],
            "context": [line["candidates"][place]["id"] for place in line["context"]],
            "usage": {"input_tokens": 10, "cost": 0.5},
            "citations": [line["candidates"][0]["id"]],
        }
        for line in TRACES
    ]


FILES = {
    "plan.yaml": encoded(PLAN, indent=2),
    "golden.jsonl": jsonl([row | MORE.get(row["id"], {}) for row in ROWS]),
    "out.jsonl": jsonl(recorded()),
    "corpus.jsonl": jsonl(
        [
            {"name": p["id"], "doc": p["doc"], "text": p["text"], "metadata": {"k": 1}}
            for p in PASSAGES.values()
        ]
    ),
    "decisions.jsonl": jsonl(DECISIONS),
}


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in which the undamaged files were run once, and accepted."""
    kept, folder = signal.getsignal(signal.SIGTERM), tmp_path_factory.mktemp("there")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SOURCE_DATE_EPOCH", DAY)
        lay(folder)
        assert evalrag("run", "plan.yaml") == 4
        assert evalrag("baseline", "accept", "latest", "--reason", "first") == 0
        yield folder
    signal.signal(signal.SIGTERM, kept)


def lay(there: Path) -> None:
    """Nothing but the undamaged files, and the baseline if there is one."""
    for entry in there.iterdir():
        if entry.name == "baseline":
            continue
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    for name, data in FILES.items():
        (there / name).write_bytes(data)


def run(there: Path, name: str, data: bytes) -> None:
    """Check and run the plan with one file in another state."""
    lay(there)
    (there / name).write_bytes(data)
    evalrag("check", "plan.yaml")
    if evalrag("run", "plan.yaml") == 0:
        heads = [path for path in there.rglob("run.json") if path.parent.name != "baseline"]
        stored = StoredRun(heads[0].parent)
        assert {result.id for result in stored.results} == {row["id"] for row in ROWS}


def test_the_undamaged_files_pass(there: Path) -> None:
    lay(there)

    assert evalrag("check", "plan.yaml") == 0
    assert evalrag("run", "plan.yaml") == 0


UNNAMEABLE = PLAN | {"pipeline": PLAN["pipeline"] | {"with": {"path": "1" + "0" * 400}}}


@bounded(40)
@example(encoded(UNNAMEABLE))
@given(documents(FILES["plan.yaml"]))
def test_a_damaged_plan(there: Path, data: bytes) -> None:
    run(there, "plan.yaml", data)


@bounded(40)
@given(lines(FILES["decisions.jsonl"]))
def test_a_damaged_file_of_decisions(there: Path, data: bytes) -> None:
    run(there, "decisions.jsonl", data)


@bounded(40)
@given(lines(FILES["golden.jsonl"]))
def test_a_damaged_dataset(there: Path, data: bytes) -> None:
    run(there, "golden.jsonl", data)


@bounded(25)
@given(lines(FILES["out.jsonl"]))
def test_damaged_recorded_outputs(there: Path, data: bytes) -> None:
    run(there, "out.jsonl", data)


@bounded(20)
@given(lines(FILES["corpus.jsonl"]))
def test_a_damaged_corpus(there: Path, data: bytes) -> None:
    run(there, "corpus.jsonl", data)
