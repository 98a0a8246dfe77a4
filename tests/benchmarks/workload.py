"""Made-up runs: a dataset, the recorded outputs of a retriever, and the same as TREC files."""

import json
import random
from pathlib import Path
from typing import IO

SEED = 7
PASSAGES = 10
LOREM = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor "

PLAN = """\
version: 1
name: benchmark
dataset: {path: rows.jsonl}
pipeline:
  retriever: {use: recorded, with: {path: outputs.jsonl}}
  top_k: 10
  context_k: 5
metrics: [context_recall, precision_at_k, reciprocal_rank, ndcg]
baseline: {path: baseline}
"""

HOOKS = """\
import asyncio
import time


async def waits(question):
    await asyncio.sleep(0.05)
    return ["a passage"]


def sleeps(question):
    time.sleep(0.05)
    return ["a passage"]
"""

HOOK_PLAN = """\
version: 1
name: runner
dataset: {{path: rows.jsonl}}
pipeline:
  retriever: {{use: "hooks:{hook}"}}
run: {{concurrency: 16}}
"""


def recorded(folder: Path, rows: int, *, chars: int = 0) -> Path:
    """A plan over `rows` rows of two gold chunks and ten passages, about three in four right.

    Passages are ids alone, or `chars` characters of text each as well.
    """
    folder.mkdir(parents=True, exist_ok=True)
    dice = random.Random(SEED)
    with (
        (folder / "rows.jsonl").open("w") as dataset,
        (folder / "outputs.jsonl").open("w") as outputs,
        (folder / "qrels.txt").open("w") as qrels,
        (folder / "run.txt").open("w") as run,
    ):
        for number in range(rows):
            row = f"q-{number:06d}"
            gold = [f"doc{dice.randrange(100_000)}#{part}" for part in (5, 6)]
            listed = _listed(dice, gold)
            question = f"What does clause {number} of the policy say about refunds?"
            _line(dataset, {"id": row, "kind": "happy-path", "question": question, "gold": gold})
            found = [{"id": i, "text": (i + " " + LOREM * 30)[:chars]} for i in listed]
            _line(outputs, {"id": row, "candidates": found if chars else listed})
            qrels.writelines(f"{row} 0 {name} 1\n" for name in gold)
            run.writelines(
                f"{row} Q0 {name} {place} {100 - place} made-up\n"
                for place, name in enumerate(listed, 1)
            )
    (folder / "plan.yaml").write_text(PLAN)
    return folder


def _listed(dice: random.Random, gold: list[str]) -> list[str]:
    """Ten ids: each gold one mostly near the top, sometimes below the window or missing."""
    listed = [f"doc{place}{dice.randrange(10_000)}#0" for place in range(PASSAGES)]
    for name in gold:
        luck = dice.random()
        if luck < 0.86:
            listed.insert(dice.randrange(4), name)
        elif luck < 0.95:
            listed.insert(dice.randrange(6, 9), name)
    return listed[:PASSAGES]


def _line(file: IO[str], value: object) -> None:
    file.write(json.dumps(value) + "\n")


def hooked(folder: Path, rows: int, hook: str) -> Path:
    """A plan whose retriever takes 50 ms."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "rows.jsonl").open("w") as dataset:
        for number in range(rows):
            _line(
                dataset,
                {"id": f"q{number}", "kind": "happy-path", "question": "What?", "gold": ["c"]},
            )
    (folder / "hooks.py").write_text(HOOKS)
    (folder / "plan.yaml").write_text(HOOK_PLAN.format(hook=hook))
    return folder
