"""What connecting costs: rows over HTTP beside the ideal and a bare client, and rows of a child.

The service is a process of its own, which answers after 20 ms; observing alone is timed, behind
imports. 1,000 rows at 32 at once should take at most 1.3 times the ideal, a row of a child at most
1 ms more than a bare loop that writes and reads its pipes, and memory should not grow with rows.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks.meter import Cost, in_turn, measured

ROWS, AT_ONCE, WAIT = 1_000, 32, 0.02
MANY = 20_000
Line = tuple[str, str, str]

SERVICE = """
import asyncio, sys
BODY = b'{"hits": [{"_id": "a#1", "body": "Thirty days.", "meta": {"source": "a"}}]}'
HEAD = b"HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: %d\\r\\n\\r\\n"
class Answers(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.got = transport, b""
    def data_received(self, data):
        self.got += data
        head, found, body = self.got.partition(b"\\r\\n\\r\\n")
        fields = dict(line.lower().split(b": ") for line in head.split(b"\\r\\n")[1:])
        if found and len(body) >= int(fields[b"content-length"]):
            self.got = b""
            asyncio.get_running_loop().call_later(float(sys.argv[1]), self.answer)
    def answer(self):
        self.transport.write(HEAD % len(BODY) + BODY)
async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Answers, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
BARE_HTTP = """
import json, sys, threading, time, urllib3
url, rows, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
pools, left, lock = urllib3.PoolManager(maxsize=at_once), iter(range(rows)), threading.Lock()
def work():
    while True:
        with lock:
            if next(left, None) is None:
                return
        json.loads(pools.request("POST", url, json={"q": "What is it?", "k": 20}).data)
threads = [threading.Thread(target=work) for _ in range(at_once)]
started, spent = time.perf_counter(), time.process_time()
[t.start() for t in threads], [t.join() for t in threads]
print(time.perf_counter() - started, time.process_time() - spent)
"""
CHILD = """
import json, sys
for line in sys.stdin:
    row = json.loads(line)["row_id"]
    print(json.dumps({"row_id": row, "candidates": [{"id": "a#1"}]}), flush=True)
"""
BARE_CHILD = """
import json, subprocess, sys, time
child = subprocess.Popen([sys.executable, "child.py"], stdin=-1, stdout=-1)
def ask(row):
    child.stdin.write(json.dumps({"row_id": row, "question": "What is it?"}).encode() + b"\\n")
    child.stdin.flush()
    return json.loads(child.stdout.readline())
ask("first")
started, spent = time.perf_counter(), time.process_time()
for number in range(int(sys.argv[1])):
    ask(f"q{number}")
print(time.perf_counter() - started, time.process_time() - spent)
child.stdin.close()
child.wait()
"""
OBSERVE = """
import asyncio, time
from pathlib import Path
from evalrag.cli.prepare import prepare
from evalrag.execution.observe import observe
from evalrag.schema.ask import Ask
setting = prepare(Path("plan.yaml"))
asks = (Ask(row.id, row.question) for row in setting.dataset.rows)
wrong = []
def done(ask, trace):
    if "error" in trace or not trace["candidates"]:
        wrong.append(trace)
at_once = setting.loaded.plan.run.concurrency
asyncio.run(setting.pipeline.run(Ask("first", "What is it?")))
started, spent = time.perf_counter(), time.process_time()
asyncio.run(observe(asks, setting.pipeline, concurrency=at_once, on_done=done))
print(time.perf_counter() - started, time.process_time() - spent)
setting.pipeline.close()
assert not wrong, wrong[0]
"""
PYTHON = [sys.executable, "-P", "-c"]


def adapters(folder: Path, times: int) -> Iterator[Line]:
    yield from _http(folder, times)
    yield from _command(folder, times)
    yield from _memory(folder)


def _http(folder: Path, times: int) -> Iterator[Line]:
    ideal = ROWS * WAIT / AT_ONCE
    with _service(WAIT) as url:
        place = _plan(folder / "http", _over_http(url), rows=ROWS, at_once=AT_ONCE)
        found = in_turn(
            times,
            {
                f"{ROWS} calls of a bare client": lambda: _inner(
                    [*PYTHON, BARE_HTTP, url, str(ROWS), str(AT_ONCE)], place
                ),
                f"evalrag, {ROWS} rows over http": lambda: _inner([*PYTHON, OBSERVE], place),
            },
        )
    for name, cost in found.items():
        yield name, f"{cost.wall:.3f} s, {cost.cpu:.3f} s CPU", f"{cost.wall / ideal:.2f} x ideal"


def _command(folder: Path, times: int) -> Iterator[Line]:
    place = _plan(folder / "command", _over_pipes(), rows=ROWS, at_once=1)
    found = in_turn(
        times,
        {
            "a bare loop over a child's pipes": lambda: _inner(
                [*PYTHON, BARE_CHILD, str(ROWS)], place
            ),
            "evalrag, one row at a time": lambda: _inner([*PYTHON, OBSERVE], place),
        },
    )
    bare = next(iter(found.values()))
    for name, cost in found.items():
        more = (cost.wall - bare.wall) / ROWS * 1000
        yield name, f"{cost.wall / ROWS * 1000:.3f} ms a row", f"{more:.3f} ms more than bare"


def _memory(folder: Path) -> Iterator[Line]:
    with _service(0) as url:
        for name, pipeline in (("http", _over_http(url)), ("command", _over_pipes())):
            peaks = []
            for rows in (ROWS, MANY):
                place = _plan(folder / f"{name}-{rows}", pipeline, rows=rows, at_once=AT_ONCE)
                peaks.append(measured([*PYTHON, OBSERVE], place).mib)
            grown = f"{peaks[1] - peaks[0]:.1f} MiB more"
            yield f"{name}, {ROWS} and {MANY} rows", f"{peaks[0]:.0f}, {peaks[1]:.0f} MiB", grown


def _over_http(url: str) -> dict[str, Any]:
    passage = {"id": "$._id", "doc": "$.meta.source", "text": "$.body"}
    reply = {"candidates": "$.hits[*]", "passage": passage}
    body = {"q": "{question}", "k": "{top_k}"}
    return {"use": "http", "with": {"url": url, "body": body, "reply": reply}}


def _over_pipes() -> dict[str, Any]:
    return {"use": "command", "with": {"command": [sys.executable, "child.py"]}}


def _plan(folder: Path, retriever: dict[str, Any], *, rows: int, at_once: int) -> Path:
    folder.mkdir(parents=True)
    with (folder / "rows.jsonl").open("w") as file:
        for number in range(rows):
            row = {"id": f"q{number}", "kind": "happy-path", "question": "What is it?"}
            file.write(json.dumps({**row, "gold": ["a#1"]}) + "\n")
    plan = {
        "version": 1,
        "name": "adapters",
        "dataset": {"path": "rows.jsonl"},
        "pipeline": {"retriever": retriever},
        "run": {"concurrency": at_once},
    }
    (folder / "plan.yaml").write_text(json.dumps(plan))
    (folder / "child.py").write_text(CHILD)
    return folder


@contextmanager
def _service(wait: float) -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVICE, str(wait)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/ask"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _inner(command: list[str], place: Path) -> Cost:
    """The times that a command printed of its own work, without start and imports."""
    whole = measured(command, place)
    wall, cpu = map(float, whole.out.split())
    return Cost(cpu, wall, whole.mib, whole.out)
