"""The file of the verdict cache: made, opened, recognised, and put out of the way."""

import contextlib
import os
import sqlite3
import time
from pathlib import Path

from evalrag.redaction import one_line

FORMAT = 1
APPLICATION = 0x65766C72
"""Says in SQLite's own header whose file it is: "evlr"."""

TABLE = """CREATE TABLE verdicts (
    key TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL,
    checksum BLOB NOT NULL,
    judge TEXT NOT NULL,
    model TEXT,
    tokens_in INTEGER,
    tokens_out INTEGER,
    day TEXT NOT NULL
)"""
"""Read back word for word when a file is opened: a file with anything else in it is not used."""

BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite keeps next to a file while it is used, and after a kill."""

DEFAULT = Path(".evalrag/cache/verdicts.sqlite")
SMALLEST = 512
"""Bytes of the smallest database. SQLite takes a shorter file for an empty one, and fills it."""
PAUSE = 0.01
"""Seconds between two tries at what SQLite itself does not wait for."""
CHECKPOINT = 4000
"""Pages between two checkpoints, which wait for the disk."""

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_PASSING = _BUSY | {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
}
_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged file raises: Python also stumbles over its bytes in SQLite's own message."""


class Unusable(Exception):
    """What is there cannot be used as a cache."""

    hint = "make room, or check the rights of the folder"

    def __init__(self, why: str, hint: str | None = None) -> None:
        super().__init__(why)
        self.why, self.hint = why, hint or self.hint


class Busy(Unusable):
    """Another process holds it for longer than one waits."""

    hint = "try again when that process has ended"


class Damaged(Unusable):
    """It is no cache of this format, and will not become one: only `clear` helps."""

    hint = "evalrag cache clear"


def open_file(path: Path, *, wait: float) -> sqlite3.Connection:
    """A connection to the cache at `path`, which is made where there is none.

    What is not recognised is left exactly as it is.

    Raises:
        Busy: it is locked for longer than `wait` seconds.
        Damaged: it is no cache of this format.
        Unusable: it cannot be made or opened.
    """
    db: sqlite3.Connection | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(path) and not path.is_file():
            raise Unusable("it is no file", "move it out of the way, or name another file")
        if path.exists() and 0 < path.stat().st_size < SMALLEST:
            raise Damaged("it is damaged")
        db = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
        _recognise(db, wait)
    except BaseException as error:
        if db is not None:
            db.close()
        if isinstance(error, FAULTS):
            raise unusable(error) from None
        if isinstance(error, OSError):
            raise of_system(error) from None
        if isinstance(error, ValueError):  # a name that no file can have
            raise Unusable("no file can have this name", "name another file") from None
        raise
    return db


def _recognise(db: sqlite3.Connection, wait: float) -> None:
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    if not _tables(db):
        _make(db, wait)
    if _pragma(db, "application_id") != APPLICATION:
        raise Damaged("it is no verdict cache")
    if (found := _pragma(db, "user_version")) != FORMAT:
        raise Damaged(f"it has format {found}, and this version of evalrag writes {FORMAT}")
    if _tables(db) != [("table", "verdicts", TABLE)]:
        raise Damaged("it is damaged")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")


def _make(db: sqlite3.Connection, wait: float) -> None:
    """Fill an empty file, unless another process does so meanwhile."""
    marked = _pragma(db, "application_id") or _pragma(db, "user_version")
    if marked and not _tables(db):  # with them, another process has filled it since we looked
        raise Damaged("it is no verdict cache")
    give_up = time.monotonic() + wait
    while True:  # SQLite itself does not wait for the change of mode
        try:
            db.execute("PRAGMA journal_mode = WAL").fetchone()
            break
        except sqlite3.OperationalError as error:
            if code_of(error) not in _BUSY or time.monotonic() > give_up:
                raise
            time.sleep(PAUSE)
    db.execute("BEGIN IMMEDIATE")
    if not _tables(db):
        db.execute(TABLE)
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {FORMAT}")
    db.execute("COMMIT")


def _tables(db: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Everything that the file defines; the index of a primary key has no text of its own."""
    found = db.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return [(str(kind), str(name), str(sql)) for kind, name, sql in found]


def _pragma(db: sqlite3.Connection, name: str) -> int:
    row = db.execute(f"PRAGMA {name}").fetchone()
    return int(row[0]) if row else 0


def code_of(error: sqlite3.Error) -> int:
    """SQLite's own primary code; the general one where Python raised the error itself."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def passes(error: sqlite3.Error | UnicodeDecodeError) -> bool:
    """Later it may be otherwise: a lock, a full disk. The file itself is not at fault."""
    return isinstance(error, sqlite3.Error) and code_of(error) in _PASSING


def of_system(error: OSError) -> Unusable:
    return Unusable(f"the system says: {error.strerror or error}")


def unusable(error: sqlite3.Error | UnicodeDecodeError) -> Unusable:
    """What SQLite says, in words for people, with what to do."""
    if isinstance(error, UnicodeDecodeError):
        return Damaged("it is damaged")
    code = code_of(error)
    if code in _BUSY:
        return Busy("another process holds it")
    if code in _BROKEN:
        return Damaged("it is damaged")
    plain = {
        sqlite3.SQLITE_FULL: "the disk is full",
        sqlite3.SQLITE_IOERR: "the disk cannot be read or written, or is full",
        sqlite3.SQLITE_READONLY: "it cannot be written",
        sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    }
    if code in plain:
        return Unusable(plain[code])
    return Damaged(f"SQLite says: {one_line(str(error), 200)}")


def size(path: Path) -> int:
    """Bytes of the entries on the disk.

    The system is asked: opening the file beside SQLite, in one process, would drop its locks.
    """
    total = 0
    for part in ("", "-wal"):
        with contextlib.suppress(OSError, ValueError):
            total += os.stat(f"{path}{part}").st_size
    return total


def remove(path: Path) -> None:
    """Take the file from the disk, first what stands beside it: a new file must not find it.

    Raises:
        OSError: the system does not allow it.
    """
    for part in (*BESIDE, ""):
        Path(f"{path}{part}").unlink(missing_ok=True)


def set_aside(path: Path) -> Path:
    """Give what stands at `path` another name, so that a new cache can take its place.

    Nothing is deleted, and nothing is moved but what is called a cache: what is not recognised may
    be a slip of the pen, `--cache golden.jsonl`.

    Raises:
        Unusable: its name is not that of a cache.
        OSError: the system does not allow it.
    """
    if path.suffix != DEFAULT.suffix:
        raise Unusable(
            f"it is no verdict cache, and its name does not end in {DEFAULT.suffix}",
            "move it out of the way, or name another file",
        )
    number, aside = 1, Path(f"{path}.set-aside")
    while os.path.lexists(aside):
        number += 1
        aside = Path(f"{path}.set-aside-{number}")
    for part in (*BESIDE, ""):
        if os.path.lexists(f"{path}{part}"):
            os.replace(f"{path}{part}", f"{aside}{part}")
    return aside
