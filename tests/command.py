"""evalrag as a user calls it: in this process, which takes a hundredth of the time, or in its own.

A call in this process sees what a process would: its own folder, environment, streams, modules of
the plan, warnings and logs, all of which are put back when it ends. What it cannot have of its own
are signals, encodings of its streams, and an end that cuts short what the plan's code left running:
tests of these are marked `process`.
"""

import contextlib
import faulthandler
import gc
import io
import json
import logging
import os
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from evalrag.cli.main import invoke

DAY = "1796000000"
"""Seconds of a fixed day, so that two runs of one test have one date."""
LEAVING_S = 2.0
"""Seconds that a thread of a command may take to end after it."""


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def environment(**more: str) -> dict[str, str]:
    """What a command finds, whatever is set where the tests run."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("EVALRAG_")}
    return kept | {"SOURCE_DATE_EPOCH": DAY, "NO_COLOR": "1"} | more


def launch(
    folder: Path, *arguments: str, env: Mapping[str, str] | None = None, timeout: float = 60
) -> Done:
    """Run a command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "evalrag", *arguments],
        cwd=folder,
        env=environment() if env is None else env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def call(
    folder: Path, *arguments: str, env: Mapping[str, str] | None = None, timeout: float = 60
) -> Done:
    """Run a command in this process, as it would run in its own.

    After `timeout` seconds this process is ended, with a traceback of every thread.
    """
    env = environment() if env is None else env
    odd = [k for k, v in env.items() if k.startswith(("PYTHON", "LC_")) and os.environ.get(k) != v]
    assert not odd, f"mark this test `process`: {odd} say how a process is to begin"
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with _streams(out, err, timeout), _place(folder, env), _python(), _threads():
            code = invoke(arguments)
        return Done(code, _text(out), _text(err))


def _text(file: IO[bytes]) -> str:
    """What was written, with line ends as `subprocess` reads them."""
    file.seek(0)
    return file.read().decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


@contextlib.contextmanager
def _streams(out: IO[bytes], err: IO[bytes], timeout: float) -> Iterator[None]:
    """The three streams, for Python and for what writes past it."""
    ours = sys.stdin, sys.stdout, sys.stderr
    kept = [os.dup(number) for number in range(3)]
    faulthandler.dump_traceback_later(timeout, exit=True, file=kept[2])
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, file in enumerate((nothing, out.fileno(), err.fileno())):
        os.dup2(file, number)
    os.close(nothing)
    try:
        with (
            open(0, encoding="utf-8", closefd=False) as sys.stdin,
            _open(1, "strict") as sys.stdout,
            _open(2, "backslashreplace") as sys.stderr,
        ):
            yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = ours
        faulthandler.cancel_dump_traceback_later()
        for number, file in enumerate(kept):
            os.dup2(file, number)
            os.close(file)


@contextlib.contextmanager
def _open(number: int, errors: str) -> Iterator[IO[str]]:
    """One that the command may leave with what cannot be written, or closed."""
    stream = io.TextIOWrapper(
        io.FileIO(number, "wb", closefd=False),
        encoding="utf-8",
        errors=errors,
        write_through=True,
    )
    yield stream
    with contextlib.suppress(OSError):
        stream.close()


@contextlib.contextmanager
def _place(folder: Path, env: Mapping[str, str]) -> Iterator[None]:
    """Its folder and environment."""
    before, here = dict(os.environ), Path.cwd()
    _set_environment(env)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        _set_environment(before)


def _set_environment(env: Mapping[str, str]) -> None:
    for name in os.environ.keys() - env.keys():
        del os.environ[name]
    for name, value in env.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


@contextlib.contextmanager
def _python() -> Iterator[None]:
    """What the interpreter keeps: the plan's modules are fresh, and gone when it ends."""
    modules, path, bytecode = dict(sys.modules), list(sys.path), sys.dont_write_bytecode
    hooks = sys.excepthook, sys.unraisablehook, threading.excepthook
    loggers = [logging.root, *_loggers()]
    logs = [(one, one.level, one.propagate, one.disabled, [*one.handlers]) for one in loggers]
    sys.dont_write_bytecode = True  # a module that changes within a second is read again
    sys.unraisablehook, threading.excepthook = sys.__unraisablehook__, threading.__excepthook__
    logging.root.handlers, logging.root.level = [], logging.WARNING
    with warnings.catch_warnings():
        warnings.resetwarnings()
        for quiet in (
            DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning,
        ):  # fmt: skip
            warnings.simplefilter("ignore", quiet)
        warnings.showwarning = _warned
        try:
            yield
        finally:
            if gc.get_freeze_count():
                gc.unfreeze()
            for name, module in list(sys.modules.items()):
                if modules.get(name) is not module and not _lasting(name):
                    del sys.modules[name]
            sys.path[:], sys.dont_write_bytecode = path, bytecode
            sys.excepthook, sys.unraisablehook, threading.excepthook = hooks
            for one, level, propagate, disabled, handlers in logs:
                one.level, one.propagate, one.disabled = level, propagate, disabled
                one.handlers = handlers
            logging.root.manager._clear_cache()  # type: ignore[attr-defined]


def _loggers() -> list[logging.Logger]:
    known = logging.root.manager.loggerDict.values()
    return [one for one in known if isinstance(one, logging.Logger)]


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: str | None = None,
) -> None:
    with contextlib.suppress(OSError, AttributeError):
        (file or sys.stderr).write(
            warnings.formatwarning(message, category, filename, lineno, line)
        )


_STANDARD = tuple(sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib"))


def _lasting(name: str) -> bool:
    """Whether a module is Python's, a package's or ours, rather than the plan's."""
    if name.partition(".")[0] in ("evalrag", "tests"):
        return True
    module = sys.modules[name]
    file = getattr(module, "__file__", None)
    places = [file] if file else [*getattr(module, "__path__", ())]
    return all(
        "site-packages" in place or place.startswith(_STANDARD) for place in map(str, places)
    )


@contextlib.contextmanager
def _threads() -> Iterator[None]:
    """Threads end with their command, or the test needs a process that takes them with it."""
    before = set(threading.enumerate())
    yield
    until = time.monotonic() + LEAVING_S
    while left := [one for one in threading.enumerate() if one not in before]:
        if time.monotonic() > until:
            raise AssertionError(f"mark this test `process`: its command left {left} behind")
        left[0].join(0.05)
