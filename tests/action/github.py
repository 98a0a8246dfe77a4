"""In place of GitHub: its API for comments and issues, and its runner for a composite action."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import yaml

from tests.workspace import DAY

ACTION = Path(__file__).parents[2] / ".github/actions/evalrag"
BOT = "github-actions[bot]"
REPOSITORY = "someone/bot"
TOKEN = "token-of-the-job-0123456789"


class Api(ThreadingHTTPServer):
    """Comments of pull request 7, issues, and every request that was made."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.comments: list[dict[str, Any]] = []
        self.issues: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str]] = []
        self.refuses = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def writes(self) -> list[str]:
        return [method for method, _ in self.asked if method != "GET"]

    def comment(self, body: str, by: str) -> dict[str, Any]:
        made = {"id": 1000 + len(self.comments), "body": body, "user": {"login": by}}
        self.comments.append(made)
        return made

    def issue(self, made: dict[str, Any], by: str) -> dict[str, Any]:
        number = 1 + len(self.issues)
        made = {"id": 5000 + number, "number": number, "state": "open", **made}
        self.issues.append(made | {"user": {"login": by}})
        return self.issues[-1]

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Api

    def log_message(self, format: str, *args: Any) -> None:
        return

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def do_PATCH(self) -> None:
        self._answer("PATCH")

    def _answer(self, method: str) -> None:
        api = self.server
        url = urlsplit(self.path)
        api.asked.append((method, self.path))
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            return self._send(401, {})
        if api.refuses:
            return self._send(403, {"message": "Resource not accessible by integration"})
        asked = {key: values[0] for key, values in parse_qs(url.query).items()}
        at = url.path.removeprefix(f"/repos/{REPOSITORY}/issues")
        if at == "/7/comments":
            if method == "POST":
                return self._send(201, api.comment(body["body"], BOT))
            return self._send(200, _page(api.comments, asked))
        if found := re.fullmatch(r"/comments/(\d+)", at):
            (known,) = [one for one in api.comments if one["id"] == int(found[1])]
            known |= body
            return self._send(200, known)
        if at == "":
            if method == "POST":
                return self._send(201, api.issue(body, BOT))
            wanted = [one for one in api.issues if one["state"] == asked["state"]]
            return self._send(200, _page(wanted, asked))
        if found := re.fullmatch(r"/(\d+)", at):
            known = api.issues[int(found[1]) - 1]
            known |= body
            return self._send(200, known)
        return self._send(404, {})

    def _send(self, status: int, body: Any) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def _page(entries: list[dict[str, Any]], asked: Mapping[str, str]) -> list[dict[str, Any]]:
    size, page = int(asked.get("per_page", "30")), int(asked.get("page", "1"))
    return entries[size * (page - 1) : size * page]


@dataclass
class Job:
    """How a job ended, and what its steps left behind."""

    code: int = 0
    log: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    ran: list[str] = field(default_factory=list)
    used: dict[str, dict[str, str]] = field(default_factory=dict)

    def commands(self) -> list[str]:
        """The workflow commands that a runner would obey, in order."""
        found, halted = [], ""
        for line in map(str.strip, self.log.splitlines()):
            if halted:
                halted = "" if line == f"::{halted}::" else halted
            elif line.startswith("::stop-commands::"):
                halted = line.removeprefix("::stop-commands::")
            elif line.startswith("::") or "##[" in line:
                found.append(line)
        assert not halted, "commands were not resumed"
        return found


class Runner:
    """Runs the steps of the action in a folder, as GitHub's runner does; `uses` is only noted."""

    def __init__(self, folder: Path, temp: Path, api: Api, action: Path = ACTION) -> None:
        self.folder, self.temp, self.api, self.path = folder, temp, api, action
        self.action = yaml.safe_load((action / "action.yml").read_text(encoding="utf-8"))
        self.event: dict[str, Any] = {}
        bin_ = temp / "bin"
        bin_.mkdir(parents=True)
        for name, words in (("python", ""), ("evalrag", "-m evalrag")):
            script = bin_ / name
            script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
            script.chmod(0o755)

    def pull_request(self, *, fork: bool = False) -> None:
        head = {"repo": {"full_name": "stranger/bot" if fork else REPOSITORY}}
        self.event = {"pull_request": {"number": 7, "head": head}}

    def run(self, **inputs: str) -> Job:
        given = {"install": "", "token": TOKEN, **inputs}
        assert set(given) <= set(self.action["inputs"]), "an input that is not there"
        values = {
            f"inputs.{name}": given.get(name.replace("-", "_"), about.get("default", ""))
            for name, about in self.action["inputs"].items()
        }
        job, steps = Job(), {}
        for number, step in enumerate(self.action["runs"]["steps"]):
            always = "!cancelled()" in str(step.get("if", ""))
            if (job.code and not always) or not self._wanted(step.get("if"), values):
                continue
            if step["name"] == "Install evalrag" and not values["inputs.install"]:
                continue
            job.ran.append(step["name"])
            if "uses" in step:
                given_to = step.get("with", {})
                job.used[step["name"]] = {k: _filled(str(v), values) for k, v in given_to.items()}
                continue
            env = {key: _filled(value, values) for key, value in step.get("env", {}).items()}
            code = self._step(number, step["run"], env, job)
            job.code = job.code or code
            if "id" in step:
                steps[step["id"]] = job.outputs
                values |= {f"steps.{step['id']}.outputs.{k}": v for k, v in job.outputs.items()}
        declared = self.action["outputs"].items()
        job.outputs = {name: _filled(about["value"], values) for name, about in declared}
        return job

    def _step(self, number: int, script: str, env: Mapping[str, str], job: Job) -> int:
        output, summary = self.temp / f"output-{number}", self.temp / f"summary-{number}"
        event = self.temp / "event.json"
        event.write_text(json.dumps(self.event))
        for path in (output, summary):
            path.write_text("")
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("EVALRAG_", "GITHUB_", "GATE_"))
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.folder,
            env=kept
            | {
                "PATH": f"{self.temp / 'bin'}{os.pathsep}{os.environ['PATH']}",
                "SOURCE_DATE_EPOCH": DAY,
                "RUNNER_TEMP": str(self.temp),
                "GITHUB_ACTIONS": "true",
                "GITHUB_ACTION_PATH": str(self.path),
                "GITHUB_API_URL": self.api.url,
                "GITHUB_EVENT_PATH": str(event),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_REPOSITORY": REPOSITORY,
                "GITHUB_RUN_ID": "42",
                "GITHUB_SERVER_URL": "https://github.com",
                "GITHUB_STEP_SUMMARY": str(summary),
                "GITHUB_WORKSPACE": str(self.folder),
            }
            | dict(env),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        job.log += done.stdout
        job.summary += summary.read_text(encoding="utf-8")
        job.outputs |= outputs_of(output.read_text(encoding="utf-8"))
        return done.returncode

    def _wanted(self, condition: str | None, values: Mapping[str, str]) -> bool:
        """The few forms of `if` that the action uses; any other is an error here."""
        if condition is None:
            return True
        for part in condition.strip("${} ").split(" && "):
            if part == "!cancelled()":
                continue
            if found := re.fullmatch(r"hashFiles\('(.+)/\*\*'\) != ''", part):
                if not (self.folder / found[1]).exists():
                    return False
                continue
            found = re.fullmatch(r"([\w.-]+) (==|!=) '(.*)'", part)
            assert found, f"a condition that this runner does not know: {part}"
            if (values.get(found[1], "") == found[3]) != (found[2] == "=="):
                return False
        return True


def _filled(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: values.get(found[1], ""), text)


def outputs_of(text: str) -> dict[str, str]:
    """What a runner reads from $GITHUB_OUTPUT: `name=value`, or `name<<END`, lines, `END`."""
    found, lines = {}, iter(text.split("\n"))
    for line in lines:
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if heredoc >= 0 and (equals < 0 or heredoc < equals):
            name, end = line.split("<<", 1)
            body = []
            for one in lines:
                if one == end:
                    break
                body.append(one)
            found[name] = "\n".join(body)
        else:
            assert equals >= 0, f"no output: {line!r}"
            found[line[:equals]] = line[equals + 1 :]
    return found
