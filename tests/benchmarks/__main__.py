"""`python -m tests.benchmarks`: what evalrag costs, beside what it is measured against.

Not collected by pytest, and it asserts no time: a table to read, best run twice. Ratios are taken
within one run, since machines differ. For the comparison with ir-measures: pip install -e .[bench]
"""

import argparse
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from compileall import compile_dir
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.benchmarks.adapters import adapters
from tests.benchmarks.diffing import diffing
from tests.benchmarks.judging import AT_ONCE, ROWS, judging
from tests.benchmarks.meter import Cost, in_turn, measured, median
from tests.benchmarks.workload import hooked, recorded

EVALRAG = [sys.executable, "-P", "-m", "evalrag"]
ROOT = Path(__file__).parents[2]
LARGEST = 6
"""Packages of an install that are named."""
IR_MEASURES = """
import sys
import ir_measures
from ir_measures import RR, P, R, nDCG
qrels = ir_measures.read_trec_qrels(sys.argv[1] + "/qrels.txt")
run = ir_measures.read_trec_run(sys.argv[1] + "/run.txt")
print(sum(1 for _ in ir_measures.iter_calc([R @ 5, P @ 5, RR, nDCG @ 5], qrels, run)))
"""
OBSERVE = """
import asyncio, time
from pathlib import Path
from evalrag.cli.prepare import prepare
from evalrag.execution.observe import observe
from evalrag.schema.ask import Ask
setting = prepare(Path("plan.yaml"))
asks = [Ask(row.id, row.question) for row in setting.dataset.rows]
started = time.perf_counter()
asyncio.run(observe(asks, setting.pipeline, concurrency=16, on_done=lambda ask, trace: None))
print(time.perf_counter() - started)
"""
Line = tuple[str, str, str]
"""What was measured, the figure, and the ratio with what it is of."""


def main() -> None:
    asked = _arguments()
    compile_dir(Path(__file__).parents[2] / "evalrag", quiet=1)  # as an installer does
    for name in ("evalrag", "ir-measures", "pydantic", "typer", "rich"):
        print(f"{name} {_version(name)}", end=", ")  # noqa: T201
    print(f"Python {sys.version.split()[0]}\n")  # noqa: T201
    with tempfile.TemporaryDirectory() as folder:
        for title, lines in _parts(asked, Path(folder)):
            print(title, flush=True)  # noqa: T201
            for what, figure, ratio in lines:
                print(f"  {what:<44} {figure:>22}  {ratio}", flush=True)  # noqa: T201


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000, help="rows of the scoring runs")
    parser.add_argument("--chars", type=int, default=300, help="characters of text a passage")
    parser.add_argument("--times", type=int, default=3, help="runs of each, of which the median")
    parser.add_argument(
        "--memory-rows", type=int, nargs="*", default=[1_000, 10_000, 100_000], metavar="N"
    )
    parser.add_argument("--memory-chars", type=int, nargs="*", default=[0, 300, 1_000], metavar="N")
    parser.add_argument(
        "--environment",
        action="store_true",
        help="the size of a fresh install, and nothing else; needs the network",
    )
    return parser.parse_args()


def _parts(asked: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Iterator[Line]]]:
    if asked.environment:
        yield "installed size, beyond an empty environment", _installed(folder)
        return
    times: int = asked.times
    yield f"start-up (medians of {times + 4})", _start_up(times + 4)
    yield (
        f"{asked.rows} rows of 10 passages from JSONL to a gated run (medians of {times})",
        _scoring(folder, asked.rows, asked.chars, times),
    )
    yield f"200 calls of 50 ms, 16 at once (medians of {times})", _runner(folder, times)
    yield (
        f"{ROWS} rows by a model judge, {AT_ONCE} calls at once (medians of {times})",
        judging(folder / "judging", times),
    )
    yield f"two stored runs (medians of {times})", diffing(folder / "diffing", times)
    yield (
        f"connecting: over http, and a child's pipes (medians of {times})",
        adapters(folder / "adapters", times),
    )
    yield (
        "peak memory of such a run, and of accepting it",
        _memory(folder, asked.memory_rows, asked.memory_chars),
    )


def _start_up(times: int) -> Iterator[Line]:
    ways = {
        "python -c 'import typer, rich.console'": [
            sys.executable,
            "-c",
            "import typer, rich.console",
        ],
        "evalrag --version": [*EVALRAG, "--version"],
        "evalrag --help": [*EVALRAG, "--help"],
    }
    found = in_turn(times, {name: lambda c=c: measured(c) for name, c in ways.items()})  # type: ignore[misc]
    first = next(iter(found.values()))
    for name, cost in found.items():
        yield name, f"{cost.cpu * 1000:.0f} ms CPU", f"{cost.cpu / first.cpu:.2f} x the import"


def _scoring(folder: Path, rows: int, chars: int, times: int) -> Iterator[Line]:
    ids = _accepted(recorded(folder / "ids", rows))
    texts = _accepted(recorded(folder / "texts", rows, chars=chars))
    ways = {
        "evalrag run, ids only": lambda: measured([*EVALRAG, "run", "plan.yaml"], ids),
        f"evalrag run, {chars} characters a passage": lambda: measured(
            [*EVALRAG, "run", "plan.yaml"], texts
        ),
    }
    rival = importlib.util.find_spec("ir_measures") is not None
    if rival:
        ways["ir-measures, files to per-query values"] = lambda: measured(
            [sys.executable, "-c", IR_MEASURES, str(ids)]
        )
    found = in_turn(times, ways)
    *_, last = found.values()
    for name, cost in found.items():
        ratio = f"{last.cpu / cost.cpu:.2f} x its speed, " if rival else "ir-measures is missing, "
        yield (
            name,
            f"{rows / cost.cpu:,.0f} rows/s CPU",
            f"{ratio}{rows / cost.wall:,.0f} rows/s wall, {cost.mib:.0f} MiB",
        )


def _accepted(folder: Path) -> Path:
    measured([*EVALRAG, "run", "--no-baseline", "plan.yaml"], folder)
    measured([*EVALRAG, "baseline", "accept", "latest", "--reason", "benchmark"], folder)
    return folder


def _runner(folder: Path, times: int) -> Iterator[Line]:
    ideal = 200 * 0.05 / 16
    for kind, hook in (("async", "waits"), ("sync", "sleeps")):
        place = hooked(folder / hook, 200, hook)
        command = [sys.executable, "-P", "-c", OBSERVE]
        took = [float(measured(command, place).out) for _ in range(times)]
        cost = median([Cost(0, seconds, 0) for seconds in took])
        yield f"observing, {kind} hook", f"{cost.wall:.3f} s", f"{cost.wall / ideal:.2f} x ideal"


def _memory(folder: Path, rows: list[int], chars: list[int]) -> Iterator[Line]:
    sizes = [(n, 0) for n in rows] + [(10_000, n) for n in chars]
    for number, size in dict.fromkeys(sizes):
        place = _accepted(recorded(folder / f"memory-{number}-{size}", number, chars=size))
        text = f"{size} characters a passage" if size else "ids only"
        for command in (["run", "plan.yaml"], ["baseline", "accept", "--reason", "benchmark"]):
            cost = measured([*EVALRAG, *command], place)
            name = f"{number} rows, {text}: {command[0]}"
            yield name, f"{cost.mib:.0f} MiB", f"{number / cost.cpu:,.0f} rows/s"
        shutil.rmtree(place)


def _installed(folder: Path) -> Iterator[Line]:
    """What a fresh environment holds more of once evalrag is in it, and which parts are large."""
    place = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    python = place / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    before = _sizes(place)
    source = folder / "source"  # a build leaves its files where it was built
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    subprocess.run([str(python), "-m", "pip", "install", "-q", str(source)], check=True)
    added = _sizes(place)
    for name, size in before.items():
        added[name] -= size
    total = sum(added.values())
    yield "evalrag and all it needs", f"{total / 1e6:.1f} MB", ""
    for name, size in sorted(added.items(), key=lambda item: -item[1])[:LARGEST]:
        yield f"  {name}", f"{size / 1e6:.1f} MB", f"{size / total:.0%}"


def _sizes(place: Path) -> Counter[str]:
    """Bytes of an environment, by the package or folder that they are in."""
    found: Counter[str] = Counter()
    (packages,) = place.glob("[Ll]ib/**/site-packages")
    for path in place.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        inside = path.is_relative_to(packages)
        found[path.relative_to(packages if inside else place).parts[0]] += path.stat().st_size
    return found


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    main()
