"""One process and the cache's file: opened late, and left alone for a while when it fails."""

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, TypeVar

from evalrag.stores.cache_file import FAULTS, Busy, Unusable, open_file, passes, unusable
from evalrag.stores.cache_problem import Losses

REST = 5.0
"""Seconds without another try after one that failed, so that waiting does not add up."""

T = TypeVar("T")

_of_parents: list[sqlite3.Connection] = []
"""Connections that came over a fork: SQLite forbids using them, and closing them too."""


class Access:
    """One connection of one process, which many threads may ask for in turn."""

    def __init__(self, path: Path, *, wait: float, on_fork: Callable[[], None]) -> None:
        self.path, self._wait, self._on_fork = path, wait, on_fork
        self._db: sqlite3.Connection | None = None
        self._begin()

    def _begin(self) -> None:
        self._pid, self._lock = os.getpid(), threading.RLock()
        self.forget()

    def forget(self) -> None:
        """What failed may be otherwise now."""
        self.losses = Losses()
        self._resting = {"read": 0.0, "write": 0.0}

    @contextlib.contextmanager
    def mine(self) -> Iterator[None]:
        """One thread at a time, and none of what a parent process had."""
        if self._pid != os.getpid():
            if self._db is not None:
                _of_parents.append(self._db)
                self._db = None
            self._begin()
            self._on_fork()
        with self._lock:
            yield

    def attempt(
        self, what: Literal["read", "write"], use: Callable[[sqlite3.Connection], T]
    ) -> T | None:
        """What `use` makes of the file; None where it fails, or failed in the last seconds."""
        if self.losses.off or time.monotonic() < self._resting[what]:
            return None
        try:
            return use(self.opened())
        except Unusable as error:
            why, again = error, isinstance(error, Busy)
        except FAULTS as error:
            why, again = unusable(error), passes(error)
        self.losses.why = why
        if again:
            self._resting[what] = time.monotonic() + REST
        else:
            self.losses.off = True
            self.shut()
        return None

    def opened(self) -> sqlite3.Connection:
        """The connection, made now if there is none.

        Raises:
            Unusable: it cannot be had.
        """
        if self._db is None:
            self._db = open_file(self.path, wait=self._wait)
        return self._db

    def rested(self) -> None:
        """Try again at once what failed in the last seconds."""
        self._resting = {"read": 0.0, "write": 0.0}

    def shut(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None
