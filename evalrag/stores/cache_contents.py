"""What stands in the verdict cache: entries put in, found, counted and taken away."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import NamedTuple

from evalrag.stores.cache_file import passes

_GET = "SELECT value, checksum FROM verdicts WHERE key = ?"
_PUT = "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_JUDGES = """
    SELECT judge, count(*), sum(tokens_in), sum(tokens_out), min(day), max(day)
    FROM verdicts GROUP BY judge ORDER BY judge
"""
_MODELS = "SELECT DISTINCT judge, model FROM verdicts WHERE model IS NOT NULL ORDER BY model"


class Entry(NamedTuple):
    """A row of the table. Bytes and not text, so that SQLite has nothing to decode."""

    key: str
    value: bytes
    checksum: bytes
    judge: str
    model: str | None
    tokens_in: int | None
    tokens_out: int | None
    day: str


@dataclass(frozen=True, slots=True)
class JudgeEntries:
    """What is kept of one judge. Tokens are those that are known; None where none are."""

    judge: str
    entries: int
    models: tuple[str, ...]
    tokens_in: int | None
    tokens_out: int | None
    first_day: str
    last_day: str


def checksum(key: str, value: bytes) -> bytes:
    """Over the key too, so that a value in the wrong place is not whole either.

    It finds what a disk, a kill or an editor did; whoever means to deceive can compute it.
    """
    return sha256(key.encode("utf-8") + b"\0" + value).digest()


def find(db: sqlite3.Connection, key: str) -> str | None:
    """The value of an entry; None where there is none, or it is not what was put there."""
    row = db.execute(_GET, (key,)).fetchone()
    if row is None:
        return None
    value, kept = row
    if not isinstance(value, bytes) or kept != checksum(key, value):
        return None
    return value.decode("utf-8")


def keep(db: sqlite3.Connection, entries: Sequence[Entry]) -> bool:
    """Put entries in place of those of the same keys: all of them, or an error and none."""
    if len(entries) == 1:
        db.execute(_PUT, entries[0])
        return True
    db.execute("BEGIN IMMEDIATE")
    with db:
        db.executemany(_PUT, entries)
    return True


def count(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM verdicts").fetchone()[0])


def judges(db: sqlite3.Connection) -> tuple[JudgeEntries, ...]:
    """What is kept, by judge. SQLite itself lets any column hold anything."""
    models: dict[str, list[str]] = {}
    for judge, model in db.execute(_MODELS):
        models.setdefault(str(judge), []).append(str(model))
    return tuple(
        JudgeEntries(
            judge=str(judge),
            entries=entries,
            models=tuple(models.get(str(judge), ())),
            tokens_in=None if tokens_in is None else int(tokens_in),
            tokens_out=None if tokens_out is None else int(tokens_out),
            first_day=str(first),
            last_day=str(last),
        )
        for judge, entries, tokens_in, tokens_out, first, last in db.execute(_JUDGES)
    )


def take_away(db: sqlite3.Connection, judge: str | None, older_than: date | None) -> int:
    """Delete the entries of `judge` that were kept before `older_than`; how many they were."""
    found: dict[str, str] = {}
    if judge is not None:
        found["judge = ?"] = judge
    if older_than is not None:
        found["day < ?"] = older_than.isoformat()
    where = f" WHERE {' AND '.join(found)}" if found else ""
    gone = db.execute(f"DELETE FROM verdicts{where}", tuple(found.values())).rowcount
    try:
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.Error as error:
        if not passes(error):
            raise  # the entries are gone; the next `clear` gives their room back
    return gone
