"""What judges said, by content, in one SQLite file: no verdict is paid for twice.

A cache is a convenience. Whatever is wrong with it, a run goes on and asks its judge, and
`problem` says so. Only `evalrag cache clear` takes anything away.
"""

import os
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from evalrag.redaction import one_line, well_formed
from evalrag.stores.cache_access import Access
from evalrag.stores.cache_contents import (
    Entry,
    JudgeEntries,
    checksum,
    count,
    find,
    judges,
    keep,
    take_away,
)
from evalrag.stores.cache_file import (
    DEFAULT,
    FAULTS,
    Busy,
    Damaged,
    Unusable,
    of_system,
    remove,
    set_aside,
    size,
    unusable,
)
from evalrag.stores.cache_problem import cannot
from evalrag.stores.lines import line_of
from evalrag.stores.secrecy import Redact, unredacted

WAIT = 0.2
"""Seconds that a call waits for another process, and holds up the event loop."""
LARGEST = 16_000_000
"""Bytes of a verdict that is kept."""
HELD = 1000
"""Verdicts that are held in memory while the file cannot be written."""
LONGEST_NAME = 200
"""Characters of a model's name."""
MOST_TOKENS = 10**12
"""A count above is an error of the server's, and would overflow a sum."""


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What the file holds, and what this process had of it."""

    entries: int | None
    """None where the file cannot be read; `problem` says why."""
    bytes: int
    judges: tuple[JudgeEntries, ...]
    hits: int
    misses: int
    problem: str | None


class VerdictCache:
    """The verdicts at `path`. Nothing is opened, and no file made, before the first call.

    Several processes may use one file. When a process is killed, nothing that `put` wrote is lost;
    when a machine loses power, the last entries may be.

    Attributes:
        hits: lookups of this process that had a verdict.
        misses: lookups that had none, for whatever reason.
        aside: where `clear` put a file that was no cache of this format.
    """

    def __init__(
        self,
        path: Path = DEFAULT,
        *,
        read: bool = True,
        redact: Redact = unredacted,
        day: date | None = None,
        wait: float = WAIT,
    ) -> None:
        """A cache that is not opened yet.

        Args:
            path: the file; its folders are made.
            read: False is `--no-cache`: `get` looks at nothing and counts nothing, so that every
                verdict is asked for. What the judge says now is written all the same, in place of
                what it said before: the next run without the flag goes on with it.
            redact: takes secrets out of JSON. A verdict that holds one is not kept, since with
                other words it would be another verdict.
            day: the day that entries are marked with; by the clock (UTC) without it.
            wait: seconds that a call waits for another process.
        """
        self.path, self._read, self._redact = path, read, redact
        self._day = day
        self.aside: Path | None = None
        self._access = Access(path, wait=wait, on_fork=self._start)
        self._start()

    def _start(self) -> None:
        """What belongs to this process alone: what a parent holds, the parent writes."""
        self._held: dict[str, Entry] = {}
        self.hits = self.misses = 0

    def get(self, key: str) -> str | None:
        """The verdict under `key`; None where there is none, or none that is whole.

        Never raises for what is wrong with the file.
        """
        if not self._read:
            return None
        with self._access.mine():
            self._write()  # what could not be written before
            value = self._found(key)
            if value is None:
                self.misses += 1
            else:
                self.hits += 1
            return value

    def put(
        self,
        key: str,
        value: str,
        *,
        judge: str,
        model: str | None,
        tokens_in: int | None,
        tokens_out: int | None,
    ) -> None:
        """Keep `value`, a JSON text, under `key`, in place of what was there.

        Never raises for what is wrong with the file. While it cannot be written, entries are held
        in memory, `HELD` of them, and written when it can be.

        Args:
            key: of `cache_key`.
            value: a decided verdict; errors and unresolved ones are the caller's to leave out.
            judge: the digest of its fingerprint.
            model: the model that served it, as it names itself.
            tokens_in: what the verdict cost, where that is known.
            tokens_out: the same.
        """
        with self._access.mine():
            data = well_formed(value).encode("utf-8")
            if self._holds_secret(data):
                self._access.losses.secret += 1
            elif self._access.losses.off or len(data) > LARGEST:
                self._access.losses.unkept += 1
            else:
                day = self._day or datetime.now(UTC).date()
                self._held[key] = Entry(
                    key,
                    data,
                    checksum(key, data),
                    judge,
                    self._plain(model),
                    _tokens(tokens_in),
                    _tokens(tokens_out),
                    day.isoformat(),
                )
                self._write()

    def close(self) -> None:
        """Write what is held, if that can be done now, and close the file."""
        with self._access.mine():
            self._access.rested()
            self._write()
            self._access.losses.unkept += len(self._held)
            self._held.clear()
            self._access.shut()

    @property
    def problem(self) -> str | None:
        """What went wrong up to now, in one line for people; None if nothing did."""
        return self._access.losses.said(self.path, len(self._held))

    @property
    def why(self) -> Unusable | None:
        """The last thing that went wrong."""
        return self._access.losses.why

    def stats(self) -> CacheStats:
        """What is kept. Never raises for what is wrong with the file, and makes none."""
        with self._access.mine():
            kept: tuple[JudgeEntries, ...] | None = ()
            if os.path.lexists(self.path):
                kept = self._access.attempt("read", judges)
            return CacheStats(
                entries=None if kept is None else sum(judge.entries for judge in kept),
                bytes=size(self.path),
                judges=kept or (),
                hits=self.hits,
                misses=self.misses,
                problem=self.problem,
            )

    def clear(self, judge: str | None = None, older_than: date | None = None) -> int:
        """Take away the entries of a judge, those from before a day, or all; how many there were.

        All of them also means a file that is damaged, or of another format: it gets another name,
        `aside`.

        Raises:
            CacheError: they cannot be taken away.
        """
        with self._access.mine():
            if not os.path.lexists(self.path):
                return 0
            counted, recognised, why = 0, False, None
            try:
                db = self._access.opened()
                recognised = True
                counted = count(db)
                counted = take_away(db, judge, older_than)
            except (Unusable, *FAULTS) as error:
                why = error if isinstance(error, Unusable) else unusable(error)
                self._access.shut()
            partly = judge is not None or older_than is not None
            if why is not None:
                if partly or isinstance(why, Busy) or not (recognised or isinstance(why, Damaged)):
                    raise cannot("cleared", why, self.path)
                self._make_way(why)
            if not partly:
                self._access.forget()
            return counted

    def _make_way(self, why: Unusable) -> None:
        """What cannot be emptied leaves its place.

        Raises:
            CacheError: it cannot.
        """
        try:
            if isinstance(why, Damaged):
                self.aside = set_aside(self.path)
            else:  # it cannot be written, as on a full disk
                remove(self.path)
        except Unusable as error:
            raise cannot("cleared", error, self.path) from None
        except OSError as error:
            raise cannot("cleared", of_system(error), self.path) from None

    def _found(self, key: str) -> str | None:
        if key in self._held:
            return self._held[key].value.decode("utf-8")
        found = self._access.attempt("read", lambda db: (find(db, key),))
        if found is None:
            self._access.losses.unread += 1
            return None
        return found[0]

    def _write(self) -> None:
        """Write what is held; where that fails, hold the newest, as long as there is hope."""
        if not self._held:
            return
        losses = self._access.losses
        if self._access.attempt("write", lambda db: keep(db, [*self._held.values()])):
            self._held.clear()
        while len(self._held) > (0 if losses.off else HELD):
            del self._held[next(iter(self._held))]
            losses.unkept += 1

    def _holds_secret(self, data: bytes) -> bool:
        return self._redact(data) != data

    def _plain(self, model: str | None) -> str | None:
        """A server may name its model as it likes; a name that is a secret is left out."""
        if model is None:
            return None
        name = one_line(model, LONGEST_NAME)
        return None if self._holds_secret(line_of(name)) else name


def _tokens(tokens: int | None) -> int | None:
    return tokens if tokens is not None and 0 <= tokens <= MOST_TOKENS else None
