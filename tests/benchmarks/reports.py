"""`python -m tests.benchmarks.reports`: what the HTML report of many rows costs, in a browser too.

Not collected by pytest, and it asserts nothing: figures to read. The browser's are left out where
there is no Chromium.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from evalrag.cli.reports import report_of
from evalrag.cli.verdicts import baseline_of, open_run, verdict_of
from evalrag.reporters.build import reporter
from tests.benchmarks.meter import measured

EVALRAG = [sys.executable, "-P", "-m", "evalrag"]
CORPUS, CANDIDATES, WINDOW = 3_000, 20, 5
WORDS = ("parcel", "window", "return", "days", "delivery", "partner", "refund", "order", "shop")
PLAN = {
    "version": 1,
    "name": "benchmark",
    "dataset": {"path": "rows.jsonl"},
    "pipeline": {
        "use": "recorded",
        "with": {"path": "outputs.jsonl"},
        "top_k": CANDIDATES,
        "context_k": WINDOW,
    },
    "baseline": {"path": "baseline"},
}
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
FILTER = """() => {
  const text = document.getElementById('filter-text');
  const times = ['9', '99', '', 'clause 4', 'nothing at all'].map((words) => {
    const started = performance.now();
    text.value = words;
    text.dispatchEvent(new Event('input'));
    document.body.getBoundingClientRect();
    return performance.now() - started;
  });
  return Math.max(...times);
}"""
OPEN = """() => {
  const started = performance.now();
  document.querySelector('#rows tbody tr').click();
  return new Promise((done) => setTimeout(() => done(performance.now() - started)));
}"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.reports", description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000)
    parser.add_argument("--chars", type=int, default=600, help="characters of a passage")
    parser.add_argument("--keep", type=Path, help="a folder to make the runs in once")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for what, figure in _figures(asked.keep or Path(folder), asked.rows, asked.chars):
            print(f"  {what:<44} {figure:>16}", flush=True)  # noqa: T201


def _figures(folder: Path, rows: int, chars: int) -> Iterator[tuple[str, str]]:
    if not (folder / ".evalrag" / "runs" / "0002").exists():
        _two_runs(folder, rows, chars)
    os.chdir(folder)
    stored = open_run("latest", ".evalrag/runs")
    against = baseline_of(stored)
    report = report_of(stored, against, verdict_of(stored, against, ref="latest"), ref="r", more="")
    changes = report.verdict.diff.counts()
    yield "rows", ", ".join(f"{n} {name}" for name, n in changes.items())
    wall, cpu = time.perf_counter(), time.process_time()
    text = reporter("html").render(report)
    Path("report.html").write_text(text, encoding="utf-8")
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    yield "read both runs and write the report", f"{cpu:.2f} s CPU, {wall:.2f} s wall"
    yield "size of the report", f"{len(text.encode()) / 1_000_000:.1f} MB"
    yield from _seen(Path("report.html"))


def _two_runs(folder: Path, rows: int, chars: int) -> None:
    """An accepted run, and one that ranks a tenth of its rows otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plan.yaml").write_text(json.dumps(PLAN))
    made_up(folder, rows, chars, seed=1)
    measured([*EVALRAG, "run", "plan.yaml"], folder)
    measured([*EVALRAG, "baseline", "accept", "latest", "--reason", "first"], folder)
    made_up(folder, rows, chars, seed=2)
    measured([*EVALRAG, "run", "plan.yaml"], folder)


def _seen(file: Path) -> Iterator[tuple[str, str]]:
    from tests.reporters.browser import CHROMIUM, WHY_NOT, chromium, opened

    if CHROMIUM is None:
        yield WHY_NOT, ""
        return
    with chromium() as browser, opened(browser, file) as seen:
        yield "first paint in Chromium", f"{seen.page.evaluate(FIRST_PAINT):.0f} ms"
        yield "the slowest of five filters", f"{seen.page.evaluate(FILTER):.0f} ms"
        seen.page.evaluate("() => document.getElementById('filter-reset').click()")
        yield "open a row's page", f"{seen.page.evaluate(OPEN):.0f} ms"


def made_up(folder: Path, rows: int, chars: int, *, seed: int) -> None:
    """Rows of two gold passages, and what a pipeline gave them; another seed ranks otherwise."""
    dice = random.Random(1)
    texts = [" ".join(dice.choices(WORDS, k=chars // 5))[:chars] for _ in range(CORPUS)]
    luck = random.Random(seed)
    with (folder / "rows.jsonl").open("w") as dataset, (folder / "outputs.jsonl").open("w") as out:
        for number in range(rows):
            listed = dice.sample(range(CORPUS), CANDIDATES)
            gold = [f"doc{place}" for place in listed[:2]]
            row = {"id": f"row-{number:05d}", "kind": "happy-path", "gold": gold}
            row["question"] = f"What does clause {number} of the policy say about returns?"
            dataset.write(json.dumps(row) + "\n")
            if luck.random() < 0.1:
                luck.shuffle(listed)
            found = [{"id": f"doc{place}", "text": texts[place]} for place in listed]
            said = {"id": row["id"], "candidates": found, "answer": texts[listed[0]][:120]}
            out.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()
