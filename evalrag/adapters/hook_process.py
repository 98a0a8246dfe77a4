"""A process of its own for a hook: requests come in on stdin, replies go out where stdout was.

Started by `evalrag.adapters.processes`; nothing else speaks its protocol.
"""

import asyncio
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO, NamedTuple

from evalrag.adapters.hooks import Hook, hook_of
from evalrag.adapters.loops import finished
from evalrag.adapters.passages import ShapeError
from evalrag.adapters.retries import asked_for, names_of, status_of
from evalrag.adapters.threads import Outcome, attempt
from evalrag.errors import PluginError
from evalrag.plugins import resolve
from evalrag.redaction import raised, redactor


@dataclass(frozen=True, slots=True)
class Spec:
    """The hook that a process runs, as the plan names it."""

    use: str
    stage: str
    settings: Mapping[str, Any]
    paths: tuple[str, ...]
    """Folders that are importable: the plan's, then the working directory."""
    secrets: frozenset[str]


class Request(NamedTuple):
    offers: Mapping[str, Any]
    shape: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call came to: a value in shape, or what there is to say of its failure."""

    value: Any = None
    misshapen: str | None = None
    said: str | None = None
    names: frozenset[str] = frozenset()
    status: int | None = None
    wait: float | None = None


def main() -> None:
    """Make the hook, say whether that went well, and answer until stdin is closed."""
    requests, replies = _taken_over()
    spec: Spec = pickle.load(requests)
    redact = redactor(spec.secrets)
    try:
        hook = _hook(spec)
    except PluginError as error:
        _send(replies, Reply(said=redact(error.message)))
        return
    _send(replies, Reply())
    waiting: SimpleQueue[Request] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests, waiting), daemon=True).start()
    with asyncio.Runner() as runner:
        while True:
            _send(replies, _reply(hook, waiting.get(), runner, redact))


def _taken_over() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes to the parent, out of the hook's reach: what it prints goes to stderr.

    Ctrl-C reaches every process of a terminal; what is in flight is the parent's to break off.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, replies


def _listen(requests: BinaryIO, waiting: "SimpleQueue[Request]") -> None:
    """Take requests; when the parent is gone, however it went, this process goes too."""
    while True:
        try:
            waiting.put(pickle.load(requests))
        except (EOFError, OSError):
            os._exit(0)


def _hook(spec: Spec) -> Hook:
    paths = [Path(path) for path in spec.paths]
    found = resolve(spec.use, group="", builtins={}, paths=paths)
    return hook_of(found, spec.stage, name=spec.use, settings=spec.settings)


def _reply(
    hook: Hook, request: Request, runner: asyncio.Runner, redact: Callable[[str], str]
) -> Reply:
    outcome = attempt(lambda: _shaped(hook, request, runner))
    if outcome.error is None:
        return Reply(value=outcome.value)
    return _failure(outcome, redact)


def _shaped(hook: Hook, request: Request, runner: asyncio.Runner) -> Any:
    made = hook.call(request.offers)
    if hasattr(made, "__await__") or hasattr(made, "__aiter__"):
        made = runner.run(finished(made))
    try:
        value = request.shape(made)
        pickle.dumps(value)
        return value
    except RecursionError:
        raise ShapeError("returned something that is nested without end") from None
    except (pickle.PicklingError, TypeError, AttributeError):
        raise ShapeError("returned what cannot be handed to another process") from None


def _failure(outcome: Outcome, redact: Callable[[str], str]) -> Reply:
    error = outcome.error
    assert error is not None
    if isinstance(error, ShapeError):
        return Reply(misshapen=str(error))
    return Reply(
        said=raised(error, redact),
        names=names_of(error),
        status=status_of(error),
        wait=asked_for(error),
    )


def _send(replies: BinaryIO, reply: Reply) -> None:
    pickle.dump(reply, replies)
    replies.flush()
