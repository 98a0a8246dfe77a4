"""Make `tests/formats/N`: finished runs and a baseline, as this evalrag stores them.

    python -m tests.formats.make

Run it once for each new format, from the last evalrag that writes it, and read what it noted in
`expected.json` before it is committed. A folder that is there is never made again: it is the past.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from evalrag.schema.run import FORMAT
from tests.workspace import Workspace

FORMATS = Path(__file__).parent
JUDGE = """
    from evalrag.judges.offline import OfflineJudge
    from evalrag.judging.tasks import ClaimsTask

    class Judge(OfflineJudge):
        async def ask(self, task):
            if isinstance(task, ClaimsTask) and "Hm" in task.answer:
                raise RuntimeError("no quota")
            return await super().ask(task)
"""
WORSE = """
    import bot

    def retrieve(question, top_k):
        if "gift wrapping cost" in question:
            raise OSError("the index is away")
        if "How long is" in question:
            return [bot.passage("other#0"), bot.passage("market#0")]
        return bot.retrieve(question, top_k)

    def generate(question, passages, repeat):
        if "marketplace" in question:
            return "Hm. " + bot.generate(question, passages)
        return bot.generate(question, passages)

    def wavering(question, passages, repeat):
        if "delivery" in question and repeat == 1:
            return "The delivery charge is 90 euros."
        return bot.generate(question, passages)
"""
ANEW = {"retriever": {"use": "worse:retrieve"}, "generator": {"use": "worse:generate"}}
WAVERING = {"generator": {"use": "worse:wavering"}}
RUNS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "run": ({"pipeline": ANEW}, ()),
    "repeats": ({"pipeline": WAVERING, "run": {"repeats": 3}}, ()),
    "selection": ({}, ("--kind", "near-miss", "--kind", "multi-hop")),
}
"""Name -> what the plan changes, and what the command adds. A row fails in `run`, one is
unresolved and one errors; in `repeats` a row is right at two attempts of three."""


def make(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shop = Workspace(Path(folder))
        shop.write("judges.py", JUDGE)
        shop.write("worse.py", WORSE)
        shop.plan(judge={"use": "judges:Judge"})
        shop.accepted()
        shutil.copytree(shop.path / "baseline", target / "baseline")
        for name, (changes, arguments) in RUNS.items():
            shop.plan(judge={"use": "judges:Judge"}, **changes)
            shop.evalrag("run", "plan.yaml", *arguments)
            newest = max((shop.path / ".evalrag" / "runs").iterdir())
            shutil.copytree(newest, target / name)
        expected = {name: seen(shop, target / name) for name in RUNS}
    text = json.dumps(expected, indent=2) + "\n"
    (target / "expected.json").write_text(text, encoding="utf-8")


def seen(shop: Workspace, run: Path) -> dict[str, Any]:
    """What this evalrag makes of a stored run."""
    verdict = shop.evalrag("gate", str(run), "--format", "json").json
    return noted(verdict)


def noted(verdict: dict[str, Any]) -> dict[str, Any]:
    """Of a report in JSON: the exit code, the rows that each gate names, and every change."""
    return {
        "exit": verdict["exit_code"],
        "failed": {
            gate["name"]: [row["id"] for row in gate["rows"] if row["status"] == "failed"]
            for gate in verdict["gates"]
            if gate["status"] == "failed"
        },
        "errored": verdict["errored"],
        "unresolved": verdict["unresolved"],
        "flaky": verdict["flaky"],
        "changes": {row["id"]: row["change"] for row in verdict["diff"]["changes"]},
    }


if __name__ == "__main__":
    made = FORMATS / str(FORMAT)
    if made.exists():
        sys.exit(f"{made} is there, and stays as it is")
    make(made)
