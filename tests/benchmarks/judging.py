"""What judging by a model costs: beside a bare loop that makes the same calls by the same client.

200 rows, two calls a row, a local server that answers after 50 ms, 16 calls at once. The server
stands in the benchmark's own process, which waits meanwhile; evalrag and the bare loop are
processes of their own, and each takes its time behind its imports. evalrag's time holds the
guard, the scores and the cache of verdicts; it should be at most 1.15 times the bare loop's.
"""

import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.meter import Cost, in_turn, measured
from tests.provider.said import Asked, Said, text
from tests.provider.server import KEY, ProviderServer

ROWS, AT_ONCE, WAIT = 200, 16, 0.05
PASSAGES, CHARS = 3, 400
MODEL = "gpt-5.5-2026-04-23"

SCORE = """
import asyncio, time
from datetime import date
from pathlib import Path
import openai
from evalrag.cli.jobs import job_of, record_of
from evalrag.cli.prepare import prepare
from evalrag.execution.judged import score_rows
from evalrag.loading.collector import collector_paused
from evalrag.schema.run import Selection
from evalrag.stores.runs import StoredAttempts, StoredRun
from evalrag.stores.verdict_cache import VerdictCache
fresh = Path("fresh.sqlite")
fresh.unlink(missing_ok=True)
cache = VerdictCache(fresh, day=date(2026, 1, 1))
setting = prepare(Path("plan.yaml"))
rows = list(setting.dataset.rows)
record = record_of(setting, rows, Selection(), run="x", day="2026-01-01")
job = job_of(setting, rows, record, cache=cache)
kept = StoredAttempts(StoredRun(Path(".evalrag/runs/0001")))
pairs = [(row, kept.attempts(row.id)) for row in rows]
outcomes = []
started, spent = time.perf_counter(), time.process_time()
with collector_paused():  # as a run of recorded answers does
    asyncio.run(score_rows(
        pairs, job.scorer, at_once=16, on_done=lambda r, row, attempts, calls: outcomes.append(r)))
cache.close()
print(time.perf_counter() - started, time.process_time() - spent)
assert {r.outcome.value for r in outcomes} == {"pass"}, "every row passes"
"""
BARE = """
import asyncio, json, sys, time
from openai import AsyncOpenAI
bodies = [json.loads(line) for line in open("bodies.jsonl")]
async def main():
    room = asyncio.Semaphore(16)
    client = AsyncOpenAI(api_key=sys.argv[2], base_url=sys.argv[1], max_retries=2, timeout=60)
    async def one(body):
        async with room:
            reply = await client.chat.completions.create(**body)
            return json.loads(reply.choices[0].message.content)
    async with client:
        await asyncio.gather(*map(one, bodies))
started, spent = time.perf_counter(), time.process_time()
asyncio.run(main())
print(time.perf_counter() - started, time.process_time() - spent)
"""
Line = tuple[str, str, str]
_WORDS = (
    *("the", "a", "of", "for", "and", "with", "on", "every", "customer", "parcel", "refund"),
    *("order", "store", "label", "week", "desk", "card", "carrier", "ships", "arrives", "keeps"),
    *("writes", "opens", "checks", "prints", "signs", "returns", "receives", "packs", "paper"),
    *("season", "member", "address", "phone", "invoice", "basket", "country", "month", "branch"),
)


class Load(NamedTuple):
    """What the server was asked by one command."""

    calls: int
    at_once: int
    most_characters: int
    """Of all prompts about one row."""


def judging(folder: Path, times: int) -> Iterator[Line]:
    with ProviderServer(quick) as server:
        place = _workspace(folder, server)
        python, environment = sys.executable, {"OPENAI_API_KEY": KEY}
        run = [python, "-P", "-m", "evalrag", "run", "plan.yaml", "--no-baseline"]
        first = measured(run, place, environment)
        load = _load(server)
        _keep_bodies(server, place)
        server.forget()
        again = measured(run, place, environment)
        second = _load(server)
        address = server.openai_url
        found = in_turn(
            times,
            {
                "the same calls in a bare loop": lambda: _inner(
                    [python, "-P", "-c", BARE, address, KEY], place, environment
                ),
                "evalrag, judging stored answers": lambda: _inner(
                    [python, "-P", "-c", SCORE], place, environment
                ),
            },
        )
        most = max(load.at_once, _load(server).at_once)
    bare = found["the same calls in a bare loop"]
    ideal = 2 * ROWS * WAIT / AT_ONCE
    for name, cost in found.items():
        yield (
            name,
            f"{cost.wall:.3f} s, {cost.cpu:.3f} s CPU",
            f"{cost.wall / bare.wall:.2f} x the bare loop, {cost.wall / ideal:.2f} x ideal",
        )
    yield "calls a row", f"{load.calls / ROWS:g}", f"{load.calls} calls of {ROWS} rows"
    yield "calls in flight at most", f"{most}", f"concurrency {AT_ONCE}"
    yield (
        "characters of prompts a row, at most",
        f"{load.most_characters:,}",
        f"{PASSAGES} passages of {CHARS} characters",
    )
    yield "evalrag run, all of it", f"{first.wall:.2f} s, {first.cpu:.2f} s CPU", "first run"
    yield (
        "evalrag run, verdicts kept",
        f"{again.wall:.2f} s, {again.cpu:.2f} s CPU",
        f"{second.calls} calls",
    )


def quick(asked: Asked) -> Said:
    """An honest reply without any thought, since thinking would be the server's time."""
    fields = asked.schema["properties"] if asked.schema else {}
    if "sentences" in fields:
        answer = re.findall(r"answer s\d+>>\n(.*?)\n<<", asked.user, re.DOTALL)
        told = [
            {
                "id": f"s{n}",
                "claims": [
                    {"claim": one, "reason": "read it", "quotes": [one], "against": [],
                     "label": "SUPPORTED"}
                ],
                "none": "",
            }
            for n, one in enumerate(answer, 1)
        ]  # fmt: skip
        return text(json.dumps({"sentences": told}), after=WAIT)
    return text('{"reason": "as asked", "label": "ANSWERS", "padded": false}', after=WAIT)


def _workspace(folder: Path, server: ProviderServer) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    dice = random.Random(7)
    with (folder / "rows.jsonl").open("w") as rows, (folder / "outputs.jsonl").open("w") as outputs:
        for number in range(ROWS):
            question = f"How many days is the refund window of order class {number}?"
            answer = f"The refund window of order class {number} is {number + 10} days."
            found = [
                {"id": f"c{number}-{n}", "text": _passage(dice, answer if n == 0 else "")}
                for n in range(PASSAGES)
            ]
            row = {"id": f"q{number}", "kind": "happy-path", "question": question,
                   "gold": [f"c{number}-0"]}  # fmt: skip
            rows.write(json.dumps(row) + "\n")
            told = {"id": f"q{number}", "candidates": found, "context": found, "answer": answer}
            outputs.write(json.dumps(told) + "\n")
    given = {"model": MODEL, "base_url": server.openai_url}
    plan = {
        "version": 1,
        "name": "judging",
        "dataset": {"path": "rows.jsonl"},
        "pipeline": {"use": "recorded", "with": {"path": "outputs.jsonl"}, "context_k": PASSAGES},
        "judge": {"use": "openai", "with": given},
        "run": {"concurrency": AT_ONCE},
        "gates": [{"name": "g", "metric": "hard_fail", "must": {"total_at_most": 0}}],
    }
    (folder / "plan.yaml").write_text(json.dumps(plan))
    return folder


def _passage(dice: random.Random, start: str) -> str:
    """Prose: sentences of about ten words, some of which have words in common with the answer."""
    told = [start] if start else []
    while len(" ".join(told)) < CHARS:
        words = dice.choices(_WORDS, k=dice.randrange(7, 14))
        told.append(f"{' '.join(words).capitalize()}.")
    return " ".join(told)[:CHARS]


def _load(server: ProviderServer) -> Load:
    calls = server.calls
    rows: dict[str, int] = {}
    for call in calls:
        system = str(call.body["messages"][0]["content"])
        row = re.search(r"order class \d+", call.user)
        name = row.group() if row else ""
        rows[name] = rows.get(name, 0) + len(system) + len(call.user)
    return Load(len(calls), server.most_at_once, max(rows.values(), default=0))


def _keep_bodies(server: ProviderServer, place: Path) -> None:
    with (place / "bodies.jsonl").open("w") as file:
        for call in server.calls:
            file.write(json.dumps(call.body) + "\n")


def _inner(command: list[str], place: Path, environment: dict[str, str]) -> Cost:
    """The times that a command printed of its own work, without start and imports."""
    whole = measured(command, place, environment)
    wall, cpu = map(float, whole.out.split())
    return Cost(cpu, wall, whole.mib, whole.out)
