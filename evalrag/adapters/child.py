"""A child process: a line of JSON in for each request, a line out for each reply, in any order."""

import contextlib
import json
import os
import select
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from evalrag.adapters.in_flight import InFlight, Key
from evalrag.adapters.last_words import LastWords, lines_of
from evalrag.adapters.passages import listed
from evalrag.adapters.shapes import WHOLE_KEYS
from evalrag.loading.strict_json import JsonError, loads

MOST_BYTES = 10_000_000
"""Of one line. A child that writes a longer one is stopped: whose line it is cannot be read."""
GRACE_S = 2.0
"""Between SIGTERM and SIGKILL."""
DRAIN_S = 0.3


class CommandFailed(Exception):
    """The child died, was stopped, or says itself that it failed."""


class NoAnswer(TimeoutError):
    """The child did not answer within the limit of a call."""


class Start(NamedTuple):
    """How a child is started."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str]


class Child:
    """One process in a group of its own, which is killed as a whole.

    What it writes to stderr, and lines of its stdout that are no reply, are kept as the last words
    that stand in the error of a row.
    """

    def __init__(self, start: Start, redact: Callable[[str], str]) -> None:
        self._words = LastWords(redact)
        self._requests, self._writing = InFlight(), threading.Lock()
        self._replied_at = monotonic()
        self._why: str | None = None
        self.answered = 0
        self.ended: str | None = None
        """How it ended; None while it lives."""
        self._exited, self._gone = threading.Event(), threading.Event()
        self._process = subprocess.Popen(
            start.command,
            cwd=start.folder,
            env=dict(start.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )
        assert self._process.stdin is not None, "it was asked for"
        self._stdin = self._process.stdin
        os.set_blocking(self._stdin.fileno(), False)
        self._threads = [
            threading.Thread(target=work, name="evalrag-child", daemon=True)
            for work in (self._read_replies, self._read_noise)
        ]
        for thread in (*self._threads, threading.Thread(target=self._watch, daemon=True)):
            thread.start()

    @property
    def fate(self) -> str | None:
        """How it ended, or why it is about to; None while it can be asked."""
        return self.ended or self._why

    @property
    def in_flight(self) -> int:
        return len(self._requests)

    def ask(self, key: Key, line: bytes, seconds: float) -> dict[str, Any]:
        """Send a request and wait for its reply.

        A child that answers others meanwhile is only slow with this one, and lives on. One that
        said nothing since the request was sent is stuck, and is stopped.

        Raises:
            NoAnswer: There was none in `seconds`.
            CommandFailed: The child died, or was stopped because of another request.
            ShapeError: What it wrote is no reply to this row.
        """
        began = monotonic()
        waiting = self._requests.add(key)
        if self.ended is not None:  # if later, the watch fails this one with the others
            self._requests.give_up(key)
            raise CommandFailed(self._words.after(f"the command {self.ended}"))
        whole = self._write(line, began + seconds)
        if not waiting.told.wait(max(began + seconds - monotonic(), 0.0)):
            self._give_up(key, began, seconds, whole=whole)
        if waiting.error is not None:
            raise type(waiting.error)(*waiting.error.args)  # others may raise the same
        assert waiting.reply is not None, "it was settled"
        return waiting.reply

    def _give_up(self, key: Key, began: float, seconds: float, *, whole: bool) -> None:
        self._requests.give_up(key)
        stuck = self._replied_at < began or not whole
        said = self._words.after(f"no answer in {seconds:.3g} s")
        if stuck:
            self.stop(f"was stopped, since it answered nothing in {seconds:.3g} s")
        raise NoAnswer(said)

    def _write(self, line: bytes, until: float) -> bool:
        """Whether all of it was taken in time. A child that has gone is found out by its watch."""
        if not self._writing.acquire(timeout=max(until - monotonic(), 0.0)):
            return True  # nothing of it was written
        try:
            left, pipe, room = memoryview(line), self._stdin.fileno(), select.poll()
            room.register(pipe, select.POLLOUT)
            while left:
                try:
                    left = left[os.write(pipe, left) :]
                except BlockingIOError:
                    if not room.poll(max(until - monotonic(), 0.0) * 1000):
                        return False
            return True
        except (OSError, ValueError):  # it has gone, or its stdin was closed here
            return True
        finally:
            self._writing.release()

    # --- what it writes ---

    def _read_replies(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None, "it was asked for"
        with stdout:
            rest = bytearray()
            while chunk := os.read(stdout.fileno(), 65_536):
                rest += chunk
                if b"\n" in chunk:
                    *lines, last = rest.split(b"\n")
                    rest = bytearray(last)
                    for line in lines:
                        self._line(bytes(line))
                if len(rest) > MOST_BYTES:
                    self.stop(f"was stopped, since it wrote a line of over {MOST_BYTES:,} bytes")
                    return
            self._line(bytes(rest))
        if not self._exited.wait(1.0):
            self.stop("was stopped, since it closed its output")

    def _read_noise(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None, "it was asked for"
        with stderr:
            for line in lines_of(lambda size: os.read(stderr.fileno(), size)):
                self._words.keep(line)

    def _line(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            value = loads(line)
        except JsonError as error:
            self._unreadable(line, str(error).partition(";")[0])
            return
        if not isinstance(value, dict) or "row_id" not in value:
            if not _is_nameless(value) or not self._requests.refuse_alone(
                f"answered without 'row_id', which says whose reply it is; it has {listed(value)}"
            ):
                self._words.keep(line)
            return
        noise = self._requests.reply(str(value.pop("row_id")), value.pop("repeat", None), value)
        if noise is not None:
            self._words.keep(noise.encode())
            return
        self._replied_at = monotonic()
        self.answered += 1

    def _unreadable(self, line: bytes, why: str) -> None:
        """A line that is almost a reply may say whose it would have been."""
        value: Any = None
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(line.decode("utf-8", "replace"))
        value = value if isinstance(value, dict) else {}
        said = f"wrote a line that cannot be read ({why}): {self._words.shown(line)}"
        if not self._requests.refuse(str(value.get("row_id")), value.get("repeat"), said):
            self._words.keep(line)

    # --- how it ends ---

    def _watch(self) -> None:
        """Waits for the process, not for its pipes: a grandchild may hold them open."""
        code = self._process.wait()
        self._exited.set()
        for thread in self._threads:
            thread.join(DRAIN_S)
        self._signal(signal.SIGKILL)  # what is left of its group
        for thread in self._threads:
            thread.join(DRAIN_S)
        self.ended = self._why or _ending(code)
        self._requests.fail_all(CommandFailed(self._words.after(f"the command {self.ended}")))
        self._close_stdin()
        self._gone.set()

    def stop(self, why: str) -> None:
        """Kill the group at once."""
        self._why = self._why or why
        self._signal(signal.SIGKILL)

    def leave(self) -> None:
        """Tell it to end: no more input, and SIGTERM."""
        self._why = self._why or "was stopped"
        self._close_stdin()
        self._signal(signal.SIGTERM)

    def close(self) -> None:
        """`leave`, and kill it if it does not go. Never waits for a pipe that somebody holds."""
        try:
            self.leave()
            self._gone.wait(GRACE_S)
        finally:  # also when somebody is impatient
            if not self._gone.is_set():
                self._signal(signal.SIGKILL)
                self._gone.wait(GRACE_S)

    def exits_within(self, seconds: float) -> bool:
        return self._gone.wait(seconds)

    def last_words(self) -> str:
        return self._words.after(self.fate or "lives")

    def _signal(self, number: int) -> None:
        if self._gone.is_set():  # its number may be somebody else's by now
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _close_stdin(self) -> None:
        if self._writing.acquire(timeout=0.1):
            try:
                with contextlib.suppress(OSError):
                    self._stdin.close()
            finally:
                self._writing.release()


def _is_nameless(value: Any) -> bool:
    """A reply that lacks its row_id, and no line of a log: all its keys are a reply's."""
    keys = value.keys() if isinstance(value, dict) else set()
    return bool(keys & {"candidates", "context", "answer"}) and keys <= _OF_A_REPLY


_OF_A_REPLY = {*WHOLE_KEYS, "id", "repeat"}


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    with contextlib.suppress(ValueError):
        return f"was killed by {signal.Signals(-code).name}"
    return f"was killed by signal {-code}"
