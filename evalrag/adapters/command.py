"""Ask a program in any language: a child process, one line of JSON in, one line out.

    pipeline:
      use: command
      with: {command: [node, bot.js]}

It can stand as retriever, generator or rewriter, or as the whole pipeline. The child is started
once, without a shell, and answers all rows. For each row it reads a line from its stdin:

    {"stage": "retrieve", "question": "...", "history": [], "top_k": 20, "row_id": "a", "repeat": 0}

`stage` is retrieve, generate (which has `passages` as well), rewrite, or answer for a whole
pipeline. It writes one line to stdout, and flushes:

    {"row_id": "a", "repeat": 0, "candidates": [{"id": "x#1", "text": "..."}]}

Of a retriever `candidates` is read, of a rewriter `query`, of a generator `answer` with optional
`citations`, `usage` and `context`, of a whole pipeline all of these. {"row_id": "a", "error":
"..."} is the error of that row; `repeat` can be left out.

A child is asked one row at a time, so that whatever goes wrong costs that row and no other.
`processes` starts several children. `at_once: 8` gives each of them up to eight rows at a time, for
a program that works on them side by side; replies may then come in any order, and a child that dies
takes all its rows with it. Never more are in flight than `run.concurrency`.

What is no reply (a banner, a log line, a reply to nobody) is kept with stderr, and the last words
stand in the error of a row. A child that dies is started again for the next rows, up to three times
without any answer in between; one that does not answer within `run.timeout_s` costs its row, and is
stopped where it answers nobody else either.
At the end, and when a run is interrupted, it gets SIGTERM, and SIGKILL two seconds later, with all
that it has started in its process group.

It stands in the plan's folder, or in `cwd`. Without `env` it has the environment of evalrag; `env:
[NAME, ...]` passes those names alone (with PATH, HOME, and the locale), `env: {NAME: value}` sets
some more. Files of the plan's folder that `command` names count in the fingerprint; of any other
program the code is unknown.

`evalrag check PLAN` starts the child, sends nothing, and stops it.
"""

import atexit
import json
import os
import threading
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, field_validator

from evalrag.adapters.child import Child, CommandFailed, Start
from evalrag.adapters.passages import ShapeError, what
from evalrag.adapters.programs import check_program, check_values, environment_of
from evalrag.adapters.reach import Reached
from evalrag.adapters.stages import AnyStage, stage_of, written_with
from evalrag.errors import PluginError
from evalrag.plugins import closest, settings
from evalrag.redaction import environment_secrets, one_line, redactor
from evalrag.schema.frozen import Frozen
from evalrag.schema.plan import Use

if TYPE_CHECKING:
    from evalrag.loading.plan import LoadedPlan

MOST_DEATHS = 3
"""Children in a row that died without an answer, after which no other is started."""
REACH_S = 0.5
_ONE_FIELD = {"retrieve": "candidates", "rewrite": "query"}


class Settings(Frozen):
    """What `with` takes."""

    command: tuple[str, ...] = Field(
        min_length=1, description="The program and its arguments, as a list; no shell reads it."
    )
    cwd: str | None = Field(default=None, description="Where it runs, relative to the plan.")
    env: tuple[str, ...] | dict[str, str] | None = Field(
        default=None, description="Names to pass, or values to set."
    )
    processes: int = Field(default=1, ge=1, le=256, description="Children at once.")
    at_once: int = Field(
        default=1, ge=1, le=1024, description="Rows that a child is given at once."
    )
    model: str | None = Field(default=None, description="As `model` beside `use`.")

    @field_validator("command", mode="before")
    @classmethod
    def _a_list(cls, value: Any) -> Any:
        if isinstance(value, str):
            raise ValueError(f"write it as a list: [{', '.join(value.split())}]")
        return value


def build(use: Use, loaded: "LoadedPlan", ids: Collection[str]) -> "Command":
    """The program that the plan names, found and not yet started."""
    wanted = settings(Settings, use.with_, of="command")
    if not hasattr(os, "killpg"):
        raise PluginError(
            "command needs process groups, which this system does not have",
            hint="run it under Linux or macOS, or put the program behind `use: http`",
        )
    folder = loaded.resolve(wanted.cwd or ".")
    if not folder.is_dir():
        raise PluginError(
            f"with of command: cwd: there is no folder {wanted.cwd!r}",
            hint="it is relative to the plan's folder",
        )
    stage = stage_of(use, loaded)
    check_values(wanted.env, written_with(stage, loaded).get("env"))
    environment = environment_of(wanted.env, os.environ)
    check_program(wanted.command[0], folder, environment.get("PATH"))
    return Command(
        Start(wanted.command, folder, environment),
        stage,
        processes=wanted.processes,
        at_once=wanted.processes * wanted.at_once,
        limit_s=loaded.plan.run.timeout_s,
        home=loaded.folder,
        redact=redactor(loaded.secrets | environment_secrets(os.environ)),
    )


class Command(AnyStage):
    """The children of a program, started when a row needs one."""

    def __init__(
        self,
        start: Start,
        stage: str,
        *,
        processes: int,
        at_once: int,
        limit_s: float,
        home: Path,
        redact: Any,
    ) -> None:
        self._start, self._stage, self._home, self._redact = start, stage, home, redact
        self.at_once = at_once
        self._limit_s = limit_s - min(0.25, limit_s / 10)
        """A little before the caller's own limit: the error can say what the child said."""
        self._children: list[Child | None] = [None] * processes
        self._lock = threading.Lock()
        self._deaths = 0
        self._last_death = ""
        self._closed = False

    def ask(self, offers: Mapping[str, Any]) -> Any:
        request = {"stage": self._stage, **offers}
        line = json.dumps(request, ensure_ascii=True).encode("ascii") + b"\n"
        key = (offers["row_id"], offers["repeat"])
        return self._read(self._child().ask(key, line, self._limit_s))

    def _child(self) -> Child:
        """An idle child, or a new one, or the one with the fewest rows in flight."""
        with self._lock:
            if self._closed:
                raise CommandFailed("the command is stopped: the run has ended")
            for place, child in enumerate(self._children):
                if child is not None and child.fate is not None:
                    self._deaths = 0 if child.answered else self._deaths + 1
                    self._last_death = child.last_words()
                    self._children[place] = None
            living = [child for child in self._children if child is not None]
            idle = next((child for child in living if not child.in_flight), None)
            if idle is not None:
                return idle
            if None not in self._children:
                return min(living, key=lambda child: child.in_flight)
            if any(child.answered for child in living):
                self._deaths = 0
            if self._deaths >= MOST_DEATHS:
                raise CommandFailed(
                    f"the command is not started again: {self._deaths} died without an answer, "
                    f"and the last one {self._last_death}"
                )
            return self._started()

    def _started(self) -> Child:
        try:
            child = Child(self._start, self._redact)
        except OSError as error:
            raise CommandFailed(f"the command cannot be started: {error.strerror}") from None
        self._children[self._children.index(None)] = child
        atexit.register(self.close)
        return child

    def _read(self, reply: dict[str, Any]) -> Any:
        said = reply.pop("error", None)
        if said is not None:
            raise CommandFailed(f"the command says: {one_line(self._redact(str(said)), 400)}")
        field = _ONE_FIELD.get(self._stage)
        if field is None:
            return reply
        for name in reply:
            if name != field:
                raise ShapeError(
                    f"answered with the unknown key {one_line(name, 60)!r}"
                    f"{closest(name, (field,))}; {self._stage} gives {field}"
                )
        if field not in reply:
            raise ShapeError(f"answered without {field!r}: {what(reply)}")
        return reply[field]

    def reach(self) -> Reached:
        """Start it, see that it stays, and stop it."""
        name = " ".join(self._start.command)
        shown = one_line(self._redact(name), 200)
        try:
            child = Child(self._start, self._redact)
        except OSError as error:
            return Reached(
                False, f"{shown} cannot be started: {error.strerror}", "see with.command"
            )
        try:
            gone = child.exits_within(REACH_S)
            said = child.last_words()
        finally:
            child.close()
        if gone:
            return Reached(
                False,
                f"{shown} {said}",
                "it should wait for lines on stdin until they end",
            )
        return Reached(True, f"{shown} starts")

    def fingerprint(self) -> dict[str, Any]:
        """The digests of the files that the command names in the plan's folder."""
        from evalrag.adapters.fingerprint import file_digest

        return {"files": {name: file_digest(path) for name, path in self.files().items()}}

    def files(self) -> dict[str, Path]:
        return {p.relative_to(self._home.resolve()).as_posix(): p for p in self._files()}

    def unknown(self, watched: Collection[Path]) -> list[str]:
        """What the fingerprint cannot see: a program elsewhere, and nothing under it watched."""
        folders = [path for path in self._paths() if path.is_dir()]
        seen = any(file.is_relative_to(folder) for file in watched for folder in folders)
        if seen or any(True for _ in self._files()):
            return []
        return [f"code of {self._start.command[0]} (list its files under pipeline.watch)"]

    def _paths(self) -> Iterator[Path]:
        home = self._home.resolve()
        for argument in self._start.command:
            try:
                path = (self._start.folder / argument).resolve()
                if path.is_relative_to(home) and path.exists():
                    yield path
            except (OSError, ValueError):  # an argument that is no name of a file
                continue

    def _files(self) -> Iterator[Path]:
        return (path for path in self._paths() if path.is_file())

    def close(self) -> None:
        with self._lock:
            self._closed = True
            children = [child for child in self._children if child is not None]
        atexit.unregister(self.close)
        for child in children:
            child.leave()
        for child in children:
            child.close()
