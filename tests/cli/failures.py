"""What a judge's server can do, and what a person then reads: the data of `FAILURES.md`.

python -m tests.cli.failures        writes the file anew
"""

import json
import os
import re
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evalrag.cli.main import app
from tests.judges.asking import on_claims
from tests.judges.scripted import body_of, honest
from tests.provider import said
from tests.provider.said import Asked, Said, Script
from tests.provider.server import KEY, ProviderServer
from tests.workspace import DAY, ROWS, Workspace

FILE = Path(__file__).with_name("FAILURES.md")
MODEL = "gpt-5.5-2026-04-23"
GATES = [
    {"name": "nothing new is contradicted", "metric": "hard_fail", "must": "not_rise"},
    {"name": "answers stand", "metric": "stage.generation", "must": "not_break"},
]
_PLACE = re.compile(r"(cannot be reached: ).*")

_HEAD = """\
# When the judge's server fails

One plan, one gate on `hard_fail` and one on the generation stage, both held against an accepted
run; two questions that were judged well before. Then the server does what stands in the first
column, whenever it is asked for claims (or at every call, where that is said), and nothing else
changes. Two of the calls are about relevancy. `retries` is 0 but where it is said. No row passes,
and no run ends with 0.

Written by `python -m tests.cli.failures` from what was seen; a test holds it word for word.

| The server | calls | the rows | exit | the report's head | `evalrag show RUN ROW` | next |
|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Fault:
    name: str
    script: Script
    settings: Mapping[str, Any] = field(default_factory=dict)


def _claims(change: Any) -> Script:
    """The honest reply about claims, its text made of the body by `change`."""
    return on_claims(lambda asked: said.text(change(body_of(asked))))


def _with(body: dict[str, Any], **fields: Any) -> str:
    """The first claim changed."""
    body["sentences"][0]["claims"][0].update(fields)
    return json.dumps(body)


def _quoting(asked: Asked) -> Said:
    """Supported, whatever is asked, with words that stand nowhere."""
    body = body_of(asked)
    claims = body["claims"] if "claims" in body else body["sentences"][0]["claims"]
    claims[0].update(label="SUPPORTED", quotes=["It is as the answer says."])
    return said.text(json.dumps(body))


FAULTS = [
    Fault("refuses", on_claims(said.refusal())),
    Fault("withholds the reply (content filter)", on_claims(said.filtered())),
    Fault("cuts the reply off", on_claims(said.cut('{"sentences": []}'))),
    Fault("sends half a JSON", _claims(lambda body: json.dumps(body)[:40])),
    Fault("talks", on_claims(said.text("It seems fine to me."))),
    Fault("sends null for the text", on_claims(said.null())),
    Fault("leaves a verdict out", on_claims(said.text('{"sentences": []}'))),
    Fault(
        "gives a verdict twice", _claims(lambda b: json.dumps({"sentences": 2 * b["sentences"]}))
    ),
    Fault("says a label that there is not", _claims(lambda b: _with(b, label="OK"))),
    Fault("says a wrong type", _claims(lambda b: _with(b, quotes=7))),
    Fault("supports by words that stand nowhere", on_claims(_quoting)),
    Fault("sends two choices", on_claims(said.choices(2, "{}"))),
    Fault("sends no choice", on_claims(said.choices(0, ""))),
    Fault("sends a page of a proxy", on_claims(said.html())),
    Fault("sends an empty body", on_claims(said.empty())),
    Fault("401, at every call", said.always(said.unauthorized())),
    Fault("403, at every call", said.always(said.forbidden())),
    Fault("404, at every call", said.always(said.no_such_model())),
    Fault("the quota is used up, at every call", said.always(said.out_of_credit())),
    Fault("400", on_claims(said.unknown_parameter("model"))),
    Fault("429 for ever, 1 retry", on_claims(said.rate_limited(0.02)), {"retries": 1}),
    Fault(
        "500 for ever, 1 retry", on_claims(said.failing(500, retry_after="0.02")), {"retries": 1}
    ),
    Fault("503", on_claims(said.failing(503))),
    Fault("529", on_claims(said.failing(529))),
    Fault("answers too late", on_claims(said.slow(30, said.text("{}"))), {"timeout_s": 0.3}),
    Fault("never answers", on_claims(said.never()), {"timeout_s": 0.3}),
    Fault("resets the connection", on_claims(said.reset())),
    Fault("resets it within the reply", on_claims(said.reset_within("x" * 4000))),
    Fault("ends it within the reply", on_claims(said.closed_within("x" * 4000))),
]


@dataclass(frozen=True, slots=True)
class Seen:
    """What one fault came to."""

    calls: int
    verdict: dict[str, Any]
    shown: str
    """`evalrag show` of a row, on one line."""

    @property
    def rows(self) -> str:
        outcomes: dict[str, int] = self.verdict["outcomes"]["happy-path"]
        return ", ".join(f"{n} {name}" for name, n in outcomes.items())

    @property
    def head(self) -> list[str]:
        guard = [line for line in self.verdict["background"] if line.startswith("the guard")]
        return [_PLACE.sub(r"\1...", line) for line in (*self.verdict["head"], *guard)]

    @property
    def why(self) -> str:
        """What is said of the claims: that they are open, or the label and the reason."""
        found = re.search(r"(claims is unresolved: .*?|c1 [A-Z]+ .*?) Baseline:", self.shown)
        return _PLACE.sub(r"\1...", found.group(1)) if found is not None else ""

    @property
    def next(self) -> str:
        run: str = self.verdict["run"]
        return "; ".join(command.replace(run, "RUN") for command in self.verdict["next"])


class Shop:
    """A judged shop with a baseline, in which commands are run in this process."""

    def __init__(self, path: Path, server: ProviderServer) -> None:
        self.workspace, self.server = Workspace(path), server
        self.workspace.rows(ROWS[:2])
        self.judge()
        server.script = honest
        self.run("run", "plan.yaml", code=4)
        self.run("baseline", "accept", "latest", "--reason", "first")

    def judge(self, **settings: Any) -> None:
        given = {"model": MODEL, "base_url": self.server.openai_url, "retries": 0} | settings
        self.workspace.plan(judge={"use": "openai", "with": given}, gates=GATES)

    def run(self, *arguments: str, code: int | None = 0) -> str:
        result = CliRunner().invoke(app, arguments)
        assert code is None or result.exit_code == code, result.output
        return result.stdout

    def see(self, fault: Fault) -> Seen:
        self.judge(**fault.settings)
        self.server.script = fault.script
        self.server.forget()
        told = self.run("run", "plan.yaml", "--no-cache", "--format", "json", code=None)
        calls = len(self.server.calls)
        shown = " ".join(self.run("show", "latest", "h1").split())
        return Seen(calls, json.loads(told), shown)


@contextmanager
def open_shop() -> Iterator[Shop]:
    handler = signal.getsignal(signal.SIGTERM)
    with (
        tempfile.TemporaryDirectory() as folder,
        ProviderServer() as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name in [name for name in os.environ if name.startswith("EVALRAG_")]:
            patch.delenv(name)
        patch.chdir(folder)
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setenv("SOURCE_DATE_EPOCH", DAY)
        patch.setenv("NO_COLOR", "1")
        try:
            yield Shop(Path(folder), server)
        finally:
            signal.signal(signal.SIGTERM, handler)


def page(seen: Mapping[str, Seen]) -> str:
    lines = []
    for name, one in seen.items():
        cells = [
            name,
            one.calls,
            one.rows,
            one.verdict["exit_code"],
            "; ".join(one.head),
            one.why,
            one.next,
        ]
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |\n")
    return _HEAD + "".join(lines)


def main() -> None:
    with open_shop() as shop:
        seen = {fault.name: shop.see(fault) for fault in FAULTS}
    FILE.write_text(page(seen), encoding="utf-8")


if __name__ == "__main__":
    main()
