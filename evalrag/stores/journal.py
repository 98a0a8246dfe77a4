"""Finished attempts of a run that is going on: what a crash, a kill or Ctrl-C cannot lose."""

import time
from pathlib import Path
from typing import IO, Any

from evalrag.errors import RunError
from evalrag.loading.strict_json import loads
from evalrag.schema.formats import NewerFormat, UnknownFormat, migrate
from evalrag.schema.run import FORMAT
from evalrag.schema.trace import Trace
from evalrag.stores.lines import LineIndex, line_of, read_lines, sync
from evalrag.stores.traces import unpack

JOURNAL = "journal.jsonl"
SYNC_SECONDS = 1.0
"""A line is handed to the system at once, and forced to the disk this often."""


class Journal:
    """One line an attempt, after a head that says which run it belongs to."""

    def __init__(self, path: Path, file: IO[bytes], head: dict[str, Any]) -> None:
        self.path, self.head = path, head
        self._file = file
        self._synced = time.monotonic()
        self.done: set[tuple[str, int]] = set()

    @classmethod
    def create(cls, part: Path, head: dict[str, Any]) -> "Journal":
        """Begin the journal of a new run."""
        path = part / JOURNAL
        file = path.open("xb")
        _lock(file, path)
        whole = {"format": FORMAT, **head}
        file.write(line_of(whole))
        sync(file)
        return cls(path, file, whole)

    @classmethod
    def resume(cls, part: Path) -> "Journal":
        """Open the journal of a run that stopped; a last line that was torn is cut off.

        Raises:
            RunError: it has no journal that can be read, or another process is writing it.
        """
        path = part / JOURNAL
        try:
            file = path.open("r+b")
        except OSError as error:
            raise RunError(
                f"the unfinished run has no journal that can be read: {error.strerror}",
                where=str(part),
                hint="start anew: evalrag run PLAN",
            ) from None
        _lock(file, path)
        head = journal_head_of(part)
        journal = cls(path, file, head)
        end = 0
        for offset, line in read_lines(path, torn=True):
            if offset:
                journal.done.add((str(line["id"]), int(line["repeat"])))
        end = _end_of_whole_lines(path)
        file.truncate(end)
        file.seek(end)
        return journal

    def add(self, row: str, repeat: int, trace: Trace) -> None:
        """Keep a finished attempt. A full disk raises: nothing is dropped in silence."""
        self._file.write(line_of({"id": row, "repeat": repeat, "trace": trace}))
        self._file.flush()
        self.done.add((row, repeat))
        if time.monotonic() - self._synced > SYNC_SECONDS:
            sync(self._file)
            self._synced = time.monotonic()

    def close(self) -> None:
        sync(self._file)
        self._file.close()

    def reader(self) -> "JournalReader":
        """What is in it, by row; call it when nothing is added any more."""
        sync(self._file)
        return JournalReader(self.path)


class JournalReader:
    """The journalled attempts of each row, read from the disk when they are asked for."""

    def __init__(self, path: Path) -> None:
        self._index = LineIndex(path)

    def attempts(self, row: str) -> list[tuple[int, Trace]]:
        """The attempts of a row by their number."""
        lines = sorted(self._index.read(row), key=lambda line: int(line["repeat"]))
        return [(int(line["repeat"]), _trace(line["trace"])) for line in lines]


def _trace(stored: dict[str, Any]) -> Trace:
    """A journal holds whole traces; equal passages of the context become one object again."""
    trace = unpack(stored)
    by_place = list(trace["candidates"])
    trace["context"] = [
        next((known for known in by_place if known == passage), passage)
        for passage in trace["context"]
    ]
    return trace


def journal_head_of(part: Path) -> dict[str, Any]:
    """What the journal of an unfinished run says it belongs to.

    Raises:
        RunError: it cannot be read, or was torn before it said so.
    """
    path = part / JOURNAL
    why = "its first line is torn"
    try:
        with path.open("rb") as file:
            first = file.readline()
        if first.endswith(b"\n"):
            head = loads(first)
            if isinstance(head, dict):
                return migrate(head)
    except (OSError, NewerFormat, UnknownFormat, ValueError) as error:
        why = str(error)
    raise RunError(
        f"the unfinished run cannot be resumed: {why}",
        where=str(path),
        hint="start anew: evalrag run PLAN",
    )


def _end_of_whole_lines(path: Path) -> int:
    data_end = 0
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            data_end += len(line)
    return data_end


def _lock(file: IO[bytes], path: Path) -> None:
    """One process writes a journal. The lock goes with the process, however it ends."""
    try:
        import fcntl
    except ImportError:  # no such locks on Windows; two resumes at once are then the user's
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise RunError(
            "another process is writing this run",
            where=str(path.parent),
            hint="wait for it to end, or start another run: evalrag run PLAN",
        ) from None
