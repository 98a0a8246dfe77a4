"""Which failures of a call are worth another try, and how long to wait before it."""

import builtins
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from evalrag.adapters.passages import ShapeError
from evalrag.errors import PluginError
from evalrag.plugins import closest, resolve
from evalrag.schema.run_plan import RunPlan

FIRST_PAUSE = 0.2
LONGEST_PAUSE = 10.0
LONGEST_ASKED = 120.0
"""Seconds. What a server asks for in Retry-After is honoured up to this."""

TOO_MANY = 429
_MAY_PASS = (408, 425, TOO_MANY)
"""Of 4xx, what the same call may be spared the next time. The others say that it is wrong."""
_FINAL = frozenset({"builtins.SystemExit", "builtins.KeyboardInterrupt"})
"""Somebody wants to leave."""


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a call is tried again, and after which failures."""

    more: int = 0
    names: frozenset[str] = frozenset()
    """`module.Name` of exceptions; with `codes`, all that is tried again where either is given."""
    codes: frozenset[int] = frozenset()

    def worth(self, error: BaseException) -> bool:
        """Another try may end otherwise.

        An exception of the user's own code may mean anything, so it is worth one, unless it carries
        an HTTP status that blames the call.
        """
        names = names_of(error)
        if isinstance(error, ShapeError) or names & _FINAL:
            return False
        status = status_of(error)
        if status is not None and status in self.codes:
            return True
        if status is not None and 400 <= status < 500 and status not in _MAY_PASS:
            return False
        if self.names or self.codes:
            return bool(self.names & names)
        return True


def retries_of(run: RunPlan, *, paths: Sequence[Path]) -> Retries:
    """What a plan says of them: `retry_on` holds HTTP codes, built-in names and dotted ones.

    Raises:
        PluginError: a name is that of no exception.
    """
    codes = frozenset(word for word in run.retry_on if isinstance(word, int))
    words = [word for word in run.retry_on if isinstance(word, str)]
    return Retries(run.retries, frozenset(_exception(word, paths) for word in words), codes)


def _exception(word: str, paths: Sequence[Path]) -> str:
    module, _, name = word.rpartition(".")
    if module:
        found = resolve(f"{module}:{name}", group="", builtins={}, paths=paths)
    else:
        found = getattr(builtins, name, None)
    if _is_exception(found):
        return name_of(found)
    known = [cls.__name__ for cls in vars(builtins).values() if _is_exception(cls)]
    raise PluginError(
        f"run.retry_on: {word!r} is no exception{closest(word, known)}",
        hint="name built-in ones (ConnectionError), others with their module "
        "(httpx.ReadTimeout), or HTTP codes (503)",
    )


def _is_exception(found: Any) -> bool:
    return isinstance(found, type) and issubclass(found, Exception)


def pause(tried: int, error: BaseException) -> float:
    """Seconds before the next try: doubling from the first, or what the server asks for."""
    own = min(FIRST_PAUSE * 2.0 ** min(tried - 1, 16), LONGEST_PAUSE)
    return max(own, asked_for(error) or 0.0)


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an exception carries, as the usual clients write it."""
    response = _read(error, "response")
    places = ((error, "status_code"), (error, "status"), (response, "status_code"))
    for found in (_read(thing, name) for thing, name in places):
        if isinstance(found, int) and not isinstance(found, bool):
            return int(found)
    return None


def asked_for(error: BaseException) -> float | None:
    """Seconds that the server asks to be left alone: a number, or a date, within bounds."""
    said = _read(error, "retry_after")
    for owner in (_read(error, "response"), error):
        if said is None:
            said = _header(_read(owner, "headers"))
    return None if said is None else _seconds(said)


def names_of(error: BaseException) -> frozenset[str]:
    """`module.Name` of an exception's classes. One that was raised elsewhere carries them."""
    carried = getattr(error, "raised_names", None)
    if isinstance(carried, frozenset):
        return carried
    return frozenset(name_of(cls) for cls in type(error).__mro__)


def name_of(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _header(headers: Any) -> Any:
    read = _read(headers, "get")
    if not callable(read):
        return None
    try:
        found = read("retry-after")
        return read("Retry-After") if found is None else found
    except Exception:  # noqa: BLE001 - whatever the user's client calls headers
        return None


def _seconds(said: Any) -> float | None:
    try:
        seconds = float(said)
    except (TypeError, ValueError, OverflowError):
        seconds = _until(said)
    return None if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_ASKED)


def _until(said: Any) -> float:
    try:
        when = parsedate_to_datetime(said)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return (when - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError, OverflowError, AttributeError, IndexError):
        return math.nan


def _read(thing: Any, name: str) -> Any:
    """An attribute of an object of the user's, which may raise anything when it is read."""
    try:
        return getattr(thing, name, None)
    except Exception:  # noqa: BLE001 - the user's property
        return None
