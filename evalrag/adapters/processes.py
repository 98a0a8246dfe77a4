"""Hooks in processes of their own, where they do not share an interpreter lock.

A pool of the standard library breaks as a whole when one process dies, and cannot stop a call that
is stuck. Here each process is one call's alone: it is killed with it, and another takes its place.
"""

import asyncio
import contextlib
import json
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evalrag.adapters.hook_process import Reply, Request, Spec
from evalrag.adapters.passages import ShapeError
from evalrag.adapters.threads import Outcome, OutOfTime, Threads
from evalrag.plugins import own_path

START_S = 120.0
"""Seconds for a process to import and make its hook, a model from the disk perhaps."""
DYING_S = 2.0
"""Seconds that a process which has closed its pipe may take to end."""
# What stands beside the plan may bear any name: evalrag is imported before it is looked at.
PROGRAM = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from evalrag.adapters.hook_process import main; main()"
)


class RaisedElsewhere(Exception):
    """What a hook raised in its process, as far as it can be said in another."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.said)
        self.said = str(reply.said)
        self.raised_names = reply.names
        self.status_code, self.retry_after = reply.status, reply.wait


class Processes:
    """So many processes that run one hook, each for one call at a time."""

    def __init__(self, spec: Spec, count: int, threads: Threads) -> None:
        self._spec, self._threads = spec, threads
        self._room = count
        self._idle: list[_Process] = []
        self._alive: set[_Process] = set()
        self._places: asyncio.Semaphore | None = None
        self._folder = Path(spec.paths[-1])

    async def run(
        self, offers: Mapping[str, Any], shape: Callable[[Any], Any], limit: float
    ) -> Outcome:
        """What the hook comes to, through `shape`, which must be a function of a module.

        The time of a call begins when a process is free for it, and has made its hook.

        Raises:
            OutOfTime: It took longer than `limit` seconds; its process was killed.
        """
        if self._places is None:
            self._places = asyncio.Semaphore(self._room)
        async with self._places:
            if self._idle:
                process = self._idle.pop()
            else:
                process = _Process(self._spec, self._folder)
                self._alive.add(process)
                started = await self._started(process, max(limit, START_S))
                if started.error is not None:
                    return started
            request = Request(offers, shape)
            outcome = await self._within(process, lambda: process.ask(request), limit)
            if outcome.error is not None:
                self._end(process)
                return outcome
            self._idle.append(process)
            return _outcome(outcome.value)

    async def _started(self, process: "_Process", limit: float) -> Outcome:
        """Whether it has made its hook; one that has not is of no use."""
        try:
            outcome = await self._within(process, process.start, limit)
        except OutOfTime:
            why = f"the process of {self._spec.use} was not ready in {limit:g} s"
            return Outcome(error=ChildProcessError(why))
        if outcome.error is None:
            outcome = _outcome(outcome.value)
        if outcome.error is not None:
            self._end(process)
        return outcome

    async def _within(
        self, process: "_Process", call: Callable[[], Reply], limit: float
    ) -> Outcome:
        try:
            return await self._threads.run(call, limit)
        except BaseException:  # out of time, or the run is broken off
            self._end(process)
            raise

    def _end(self, process: "_Process") -> None:
        process.kill()
        self._alive.discard(process)

    def close(self) -> None:
        """Kill them all: nothing of a run is left behind."""
        for process in self._alive:
            process.kill()
        self._alive.clear()
        self._idle.clear()


def _outcome(reply: Reply) -> Outcome:
    if reply.misshapen is not None:
        return Outcome(error=ShapeError(reply.misshapen))
    if reply.said is not None:
        return Outcome(error=RaisedElsewhere(reply))
    return Outcome(value=reply.value)


class _Process:
    """One child, which ends when its stdin does: also when this process is killed."""

    def __init__(self, spec: Spec, folder: Path) -> None:
        self._spec, self._folder = spec, folder
        self._child: subprocess.Popen[bytes] | None = None
        self._killed = False
        self._asking = threading.Lock()

    def start(self) -> Reply:
        self._child = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, json.dumps(own_path())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self._folder,
        )
        if self._killed:
            self.kill()
        return self.ask(self._spec)

    def ask(self, what: object) -> Reply:
        """Send, and wait for the reply.

        Raises:
            ChildProcessError: the child died meanwhile, or was killed.
        """
        child = self._child
        assert child is not None
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            with self._asking:
                pickle.dump(what, child.stdin)
                child.stdin.flush()
                reply = pickle.load(child.stdout)
            if isinstance(reply, Reply):
                return reply
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            pass
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(DYING_S)
        raise ChildProcessError(self._epitaph(child.returncode))

    def kill(self) -> None:
        """End it at once. A thread that waits for its reply is told so by its own pipe."""
        self._killed = True
        child = self._child
        if child is None:
            return
        child.kill()
        child.wait()
        if self._asking.acquire(timeout=DYING_S):
            for pipe in (child.stdin, child.stdout):
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            self._asking.release()

    def _epitaph(self, code: int | None) -> str:
        if code is None or code >= 0:
            return f"the process of {self._spec.use} ended with exit code {code}"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        memory = ", as for want of memory" if name == "SIGKILL" else ""
        return f"the process of {self._spec.use} was ended by {name}{memory}"
