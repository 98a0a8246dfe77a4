"""Runs that are killed at any moment, each gone on with to its end: nothing is lost or asked twice.

python -m tests.execution.kills 100        so many kills; prints what was seen
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.workspace import BOT, Workspace

ROWS = 200
LOGGED = BOT.replace(
    "def retrieve(question, top_k):",
    """def retrieve(question, top_k):
        import os, time
        with open("calls.txt", "a") as file:
            file.write(question + "\\n")
        time.sleep(0.01)""",
)


@dataclass
class Kills:
    """What was seen of many runs."""

    seed: int
    runs: int = 0
    kills: int = 0
    kept: list[int] = field(default_factory=list)
    """Attempts that the journal held at each kill."""
    same: int = 0
    """Runs whose bytes are those of the undisturbed run."""
    called_again: int = 0
    """Calls of rows that the journal held."""
    called_twice: int = 0
    """Calls of rows that were in flight at a kill, which nobody can know the end of."""

    def said(self) -> str:
        return (
            f"seed {self.seed}: {self.kills} kills of {self.runs} runs of {ROWS} rows; "
            f"{self.same} of {self.runs} ended with the bytes of the undisturbed run; "
            f"{self.called_again} calls of journalled rows; {self.called_twice} of rows that were "
            f"in flight at a kill; attempts kept at a kill: {sorted(self.kept)}"
        )


def shop_of(path: Path) -> Workspace:
    """A plan of many rows and a pipeline that logs its calls."""
    shop = Workspace(path, process=True)
    shop.rows(
        [
            {
                "id": f"q{i}",
                "kind": "unanswerable",
                "question": f"Question {i}?",
                "unanswerable_because": "out-of-scope",
            }
            for i in range(ROWS)
        ]
    )
    shop.write("bot.py", LOGGED)
    shop.plan(run={"concurrency": 4})
    return shop


def kept_of(shop: Workspace) -> set[str]:
    """The questions whose attempt the journal of the unfinished run holds, whole."""
    found: set[str] = set()
    for path in (shop.path / ".evalrag/runs").glob("*.part/journal.jsonl"):
        for line in path.read_bytes().split(b"\n")[1:-1]:
            found.add(line.split(b'"q', 1)[1].split(b'"', 1)[0].decode())
    return {f"Question {name}?" for name in found}


def calls_of(shop: Workspace) -> list[str]:
    path = shop.path / "calls.txt"
    return path.read_text().splitlines() if path.exists() else []


def kill_often(path: Path, kills: int, seed: int) -> Kills:
    """Kill runs at random moments, some of them more than once, and finish each."""
    shop, chance, seen = shop_of(path), random.Random(seed), Kills(seed)
    began = time.monotonic()
    assert shop.evalrag("run", "plan.yaml").code == 4
    lasts = time.monotonic() - began
    whole = shop.run_files("0001")
    while seen.kills < kills:
        _one(shop, whole, seen, chance, lasts)
    return seen


def _one(
    shop: Workspace, whole: dict[str, bytes], seen: Kills, chance: random.Random, lasts: float
) -> None:
    name = f"{seen.runs + 2:04d}"
    (shop.path / "calls.txt").unlink(missing_ok=True)
    arguments: tuple[str, ...] = ("run", "plan.yaml")
    for _ in range(chance.choice((1, 1, 2, 3))):
        before = len(calls_of(shop))
        journalled = kept_of(shop)
        process = shop.start(*arguments)
        _moment(shop, process, chance, lasts)
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen.kills += 1
        seen.called_again += len(journalled & set(calls_of(shop)[before:]))
        seen.kept.append(len(kept_of(shop)))
        parts = list((shop.path / ".evalrag/runs").glob("*.part"))
        begun = any((part / "journal.jsonl").exists() for part in parts)
        arguments = ("run", "plan.yaml", "--resume") if begun else arguments
    folder = shop.path / ".evalrag/runs"
    if not (folder / name).exists():
        before, journalled = len(calls_of(shop)), kept_of(shop)
        again = shop.evalrag("run", "plan.yaml", "--resume")
        if again.code == 2:  # it was killed before there was anything to go on with
            assert "no unfinished run" in again.err, again
            for part in folder.glob("*.part"):
                for file in part.iterdir():
                    file.unlink()
                part.rmdir()
            again = shop.evalrag("run", "plan.yaml")
        assert again.code == 4, again
        seen.called_again += len(journalled & set(calls_of(shop)[before:]))
    times = Counter(calls_of(shop))
    seen.called_twice += sum(times.values()) - ROWS
    seen.same += shop.run_files(name) == whole
    seen.runs += 1


def _moment(
    shop: Workspace, process: "subprocess.Popen[bytes]", chance: random.Random, lasts: float
) -> None:
    """Wait for a moment to kill: mostly while rows are asked, else at any time of the run."""
    if chance.random() < 0.2:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.05, 1.05) * lasts)
        return
    wanted = chance.randrange(ROWS + 1)
    while len(kept_of(shop)) < wanted and process.poll() is None:
        time.sleep(0.005)
    time.sleep(chance.uniform(0, 0.1) if wanted == ROWS else chance.uniform(0, 0.01))


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as folder:
        seed = int(os.environ.get("EVALRAG_SEED", "1"))
        sys.stdout.write(kill_often(Path(folder), number, seed).said() + "\n")
