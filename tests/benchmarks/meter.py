"""What one command takes: processor time, wall time and peak memory, of itself alone."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple


class Cost(NamedTuple):
    cpu: float
    """Seconds of user and system time."""
    wall: float
    mib: float
    """Most memory at once."""
    out: str = ""


def measured(
    command: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Cost:
    """Run a command to its end. Exit codes that say something about the rows are no failure."""
    with (folder or Path.cwd()).joinpath(".benchmark-out").open("w+") as out:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=out,
            stderr=subprocess.DEVNULL,
            env=_environment(environment),
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read()
    Path(out.name).unlink()
    if process.returncode not in (0, 1, 3, 4):
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{said}")
    scale = 1024 if sys.platform != "darwin" else 1024 * 1024
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / scale, said)


def _environment(more: Mapping[str, str]) -> Mapping[str, str]:
    root = str(Path(__file__).parents[2])
    return {**os.environ, "PYTHONPATH": root, "SOURCE_DATE_EPOCH": "1700000000", **more}


def median(costs: Sequence[Cost]) -> Cost:
    return Cost(
        statistics.median(cost.cpu for cost in costs),
        statistics.median(cost.wall for cost in costs),
        max(cost.mib for cost in costs),
        costs[-1].out,
    )


def in_turn(times: int, ways: Mapping[str, Callable[[], Cost]]) -> dict[str, Cost]:
    """The median of each way, measured one after the other, so that a busy minute meets all."""
    found: dict[str, list[Cost]] = {name: [] for name in ways}
    for _ in range(times):
        for name, way in ways.items():
            found[name].append(way())
    return {name: median(costs) for name, costs in found.items()}
