"""What it takes to hold two stored runs against each other, and to draw that in every format."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks.meter import in_turn, measured
from tests.benchmarks.workload import recorded

EVALRAG = [sys.executable, "-P", "-m", "evalrag"]
ROWS = 10_000
CHARS = 300
RUNS = 30
ROWS_OF_MANY = 1_000
FORMATS = ("text", "json", "junit", "markdown", "github", "sarif")


def diffing(folder: Path, times: int) -> Iterator[tuple[str, str, str]]:
    """`evalrag diff A B` where few and where all rows changed, each format, and `history`."""
    few = _two_runs(folder / "few", lambda number: number % 100 == 0)
    all_ = _two_runs(folder / "all", lambda number: True)
    ways = {
        f"diff of {ROWS} rows, 1 in 100 changed": (["diff", "0001", "0002"], few),
        f"diff of {ROWS} rows, all changed": (["diff", "0001", "0002"], all_),
        "the same, --full": (["diff", "--full", "0001", "0002"], all_),
    }
    ways |= {
        f"gate of {ROWS} rows as {form}": (
            ["gate", "0002", "--baseline", ".evalrag/runs/0001", "--format", form],
            all_,
        )
        for form in FORMATS
    }
    ways[f"history of {RUNS} runs of {ROWS_OF_MANY} rows"] = (["history"], _many(folder / "many"))
    found = in_turn(
        times,
        {name: lambda c=c, f=f: measured([*EVALRAG, *c], f) for name, (c, f) in ways.items()},  # type: ignore[misc]
    )
    for name, cost in found.items():
        yield name, f"{cost.cpu:.2f} s CPU", f"{cost.wall:.2f} s wall, {cost.mib:.0f} MiB"


def _two_runs(folder: Path, changes: Callable[[int], bool]) -> Path:
    """Two runs; where `changes` says so of a row's number, the second has its gold elsewhere."""
    recorded(folder, ROWS, chars=CHARS)
    measured([*EVALRAG, "run", "--no-baseline", "plan.yaml"], folder)
    outputs = folder / "outputs.jsonl"
    lines = [json.loads(line) for line in outputs.read_text().splitlines()]
    for number, line in enumerate(lines):
        if changes(number):
            line["candidates"].reverse()
    outputs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    measured([*EVALRAG, "run", "--no-baseline", "plan.yaml"], folder)
    return folder


def _many(folder: Path) -> Path:
    """Many runs, of which half are of other outputs than the other half."""
    recorded(folder, ROWS_OF_MANY, chars=CHARS)
    measured([*EVALRAG, "run", "--no-baseline", "plan.yaml"], folder)
    outputs = folder / "outputs.jsonl"
    lines = [json.loads(line) for line in outputs.read_text().splitlines()]
    for line in lines:
        line["candidates"].reverse()
    outputs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    measured([*EVALRAG, "run", "--no-baseline", "plan.yaml"], folder)
    runs = folder / ".evalrag/runs"
    for number in range(3, RUNS + 1):
        copy = runs / f"{number:04d}"
        shutil.copytree(runs / f"{2 - number % 2:04d}", copy)
        head = json.loads((copy / "run.json").read_text())
        (copy / "run.json").write_text(json.dumps({**head, "id": copy.name}))
    return folder
