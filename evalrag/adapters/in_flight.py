"""Requests that wait for their replies, which may come in any order, twice, or to nobody."""

import threading
from collections import OrderedDict
from typing import Any, TypeAlias

from evalrag.adapters.passages import ShapeError
from evalrag.redaction import one_line

Key: TypeAlias = tuple[str, int]
"""A row, and which attempt at it."""

REMEMBERED = 1_000
"""Rows that were answered or given up, by which a second or a late reply is known."""


class Waiting:
    """A request. `reply` or `error` is set once, then `told`."""

    def __init__(self) -> None:
        self.told = threading.Event()
        self.reply: dict[str, Any] | None = None
        self.error: Exception | None = None

    def settle(self, reply: dict[str, Any] | None, error: Exception | None = None) -> None:
        self.reply, self.error = reply, error
        self.told.set()


class InFlight:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Key, Waiting] = {}
        self._done: OrderedDict[Key, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, key: Key) -> Waiting:
        waiting = Waiting()
        with self._lock:
            self._waiting[key] = waiting
        return waiting

    def give_up(self, key: Key) -> None:
        with self._lock:
            self._waiting.pop(key, None)
            self._remember(key)

    def reply(self, row: str, repeat: Any, value: dict[str, Any]) -> str | None:
        """Hand a reply to the request it is for; or say why there is none.

        A reply to a row that nobody asked is meant for the only one that waits, if there is only
        one: that is told at once, and does not wait for its limit.
        """
        named = one_line(row, 80)
        with self._lock:
            key = self._key_of(row, repeat)
            if key is not None:
                self._remember(key)
                self._waiting.pop(key).settle(value)
                return None
            if any(done[0] == row for done in self._done):
                return f"a reply for row {named!r}, again or too late"
            if len(self._waiting) == 1:
                (alone,) = self._waiting
                said = f"answered row {named!r} where row {alone[0]!r} was asked"
                self._remember(alone)
                self._waiting.pop(alone).settle(None, ShapeError(said))
        return f"a reply for row {named!r}, which was not asked"

    def refuse(self, row: str, repeat: Any, said: str) -> bool:
        """What came for a row is no reply. Whether it waits."""
        with self._lock:
            key = self._key_of(row, repeat)
            if key is not None:
                self._remember(key)
                self._waiting.pop(key).settle(None, ShapeError(said))
        return key is not None

    def refuse_alone(self, said: str) -> bool:
        """What came names no row, and is no reply to the only one that waits. Whether one does."""
        with self._lock:
            if len(self._waiting) != 1:
                return False
            (alone,) = self._waiting
            self._remember(alone)
            self._waiting.pop(alone).settle(None, ShapeError(said))
        return True

    def fail_all(self, error: Exception) -> None:
        with self._lock:
            left, self._waiting = self._waiting, {}
        for waiting in left.values():
            waiting.settle(None, error)

    def _key_of(self, row: str, repeat: Any) -> Key | None:
        """The request that a reply is to; the oldest of its row where it does not say which."""
        if repeat is None:
            return next((key for key in self._waiting if key[0] == row), None)
        return (row, repeat) if (row, repeat) in self._waiting else None

    def _remember(self, key: Key) -> None:
        self._done[key] = None
        if len(self._done) > REMEMBERED:
            self._done.popitem(last=False)
