"""A small project on disk, and evalrag run in it as a user runs it."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

from tests.command import DAY, Done, call, environment, launch

__all__ = ["BOT", "DAY", "PLAN", "ROWS", "Done", "Workspace"]

ROWS: list[dict[str, Any]] = [
    {"id": "h1", "kind": "happy-path", "question": "How long is the return window?",
     "gold": ["returns#0"]},
    {"id": "h2", "kind": "happy-path", "question": "What does gift wrapping cost?",
     "gold": ["wrap#0"]},
    {"id": "n1", "kind": "near-miss", "question": "How long do marketplace returns take?",
     "gold": ["market#0"], "near_miss": ["returns#0"]},
    {"id": "s1", "kind": "stale-policy", "question": "What is the delivery charge?",
     "gold": ["delivery@2#0"], "superseded": ["delivery@1#0"]},
    {"id": "m1", "kind": "multi-hop", "question": "Return window and gift wrapping price?",
     "gold": ["returns#0", "wrap#0"]},
    {"id": "u1", "kind": "unanswerable", "question": "Who won the rugby final?",
     "unanswerable_because": "out-of-scope"},
]  # fmt: skip

BOT = """
    TEXTS = {
        "returns#0": "The return window is 30 days from delivery.",
        "wrap#0": "Gift wrapping costs 4 euros for each parcel.",
        "market#0": "Marketplace returns take 10 working days.",
        "delivery@2#0": "The delivery charge is 5 euros.",
        "delivery@1#0": "The delivery charge is 3 euros.",
        "other#0": "Our shop opens at nine in the morning.",
    }
    FIRST = {
        "How long is the return window?": ["returns#0"],
        "What does gift wrapping cost?": ["wrap#0"],
        "How long do marketplace returns take?": ["market#0", "returns#0"],
        "What is the delivery charge?": ["delivery@2#0", "delivery@1#0"],
        "Return window and gift wrapping price?": ["returns#0", "wrap#0"],
    }

    def passage(name):
        return {"id": name, "doc": name.split("#")[0], "text": TEXTS[name]}

    def retrieve(question, top_k):
        first = FIRST.get(question, [])
        names = first + [name for name in TEXTS if name not in first]
        return [passage(name) for name in names][:top_k]

    def generate(question, passages):
        if question not in FIRST:
            return "I do not have information about that."
        return passages[0]["text"]
"""

PLAN: dict[str, Any] = {
    "version": 1,
    "name": "shop",
    "dataset": {"path": "golden.jsonl"},
    "pipeline": {
        "retriever": {"use": "bot:retrieve"},
        "generator": {"use": "bot:generate"},
        "top_k": 5,
        "context_k": 2,
        "watch": ["bot.py"],
    },
    "baseline": {"path": "baseline"},
}


class Workspace:
    """A folder with a plan, a dataset and a bot."""

    process = False

    def __init__(self, path: Path, *, process: bool = False) -> None:
        """`process`: each command gets a process of its own."""
        self.path, self.process = path, process
        self.write("bot.py", BOT)
        self.rows(ROWS)
        self.plan()

    def write(self, name: str, text: str) -> Path:
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(dedent(text), encoding="utf-8")
        return target

    def rows(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.write("golden.jsonl", "".join(json.dumps(row) + "\n" for row in rows))

    def plan(self, name: str = "plan.yaml", **changes: Any) -> None:
        """Write the plan, in JSON, which is YAML; `pipeline` is laid over the one there is."""
        pipeline = {**PLAN["pipeline"], **changes.pop("pipeline", {})}
        pipeline = {key: value for key, value in pipeline.items() if value is not None}
        whole = {**PLAN, **changes, "pipeline": pipeline}
        body = {key: value for key, value in whole.items() if value is not None}
        self.write(name, json.dumps(body, indent=2))

    def environment(self, **more: str) -> dict[str, str]:
        return environment(**more)

    def evalrag(self, *arguments: str, timeout: float = 60, **env: str) -> Done:
        """Run a command and wait for it."""
        run = launch if self.process else call
        done = run(self.path, *arguments, env=environment(**env), timeout=timeout)
        assert "Traceback" not in done.err, done.err
        return done

    def start(self, *arguments: str, **environment: str) -> "subprocess.Popen[bytes]":
        """Start a command and do not wait."""
        return subprocess.Popen(
            [sys.executable, "-m", "evalrag", *arguments],
            cwd=self.path,
            env=self.environment(**environment),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def accepted(self) -> None:
        """Run the plan and accept the run as its baseline."""
        done = self.evalrag("run", "plan.yaml")
        assert done.code == 4, done
        accepted = self.evalrag("baseline", "accept", "latest", "--reason", "first")
        assert accepted.code == 0, accepted

    def run_files(self, name: str) -> dict[str, bytes]:
        """The bytes of a run that do not time it."""
        folder = self.path / ".evalrag" / "runs" / name
        names = ("rows.jsonl", "traces.jsonl")
        return {file: (folder / file).read_bytes() for file in names}
