"""Finished attempts of a run that is going on: what a crash, a kill or Ctrl-C cannot lose."""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from evalrag.errors import RunError
from evalrag.loading.strict_json import loads
from evalrag.schema.formats import NewerFormat, UnknownFormat, check_format
from evalrag.schema.run import FORMAT
from evalrag.schema.trace import Trace, known_cost
from evalrag.stores.lines import LineIndex, damaged, line_of, read_lines, sync
from evalrag.stores.secrecy import Redact, unredacted
from evalrag.stores.traces import check, pack, timed, unpack

JOURNAL = "journal.jsonl"
PAYMENTS = "paid.jsonl"
SYNC_SECONDS = 1.0
"""A line is handed to the system at once, and forced to the disk this often."""


class Journal:
    """One line an attempt, after a head that says which run it belongs to."""

    def __init__(
        self, path: Path, file: IO[bytes], head: dict[str, Any], redact: Redact = unredacted
    ) -> None:
        self.path, self.head = path, head
        self._file, self._redact = file, redact
        self._synced = time.monotonic()
        self.done: set[tuple[str, int]] = set()
        self.paid = Payments(path.with_name(PAYMENTS))

    @classmethod
    def create(cls, part: Path, head: dict[str, Any], redact: Redact = unredacted) -> "Journal":
        """Begin the journal of a new run.

        Raises:
            RunError: it cannot be written.
        """
        path = part / JOURNAL
        whole = {"format": FORMAT, **head}
        try:
            file = path.open("xb")
            _lock(file, path)
            file.write(redact(line_of(whole)))
            sync(file)
        except OSError as error:
            raise RunError(
                f"the run cannot be written: {error.strerror or error}",
                where=str(part),
                hint="make room, or name another folder in the plan: runs: PATH",
            ) from None
        return cls(path, file, whole, redact)

    @classmethod
    def resume(cls, part: Path, redact: Redact = unredacted) -> "Journal":
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
        try:
            journal = cls(path, file, journal_head_of(part), redact)
            for offset, line in read_lines(path, torn=True):
                if offset:
                    row, repeat, trace = _attempt(path, line, checked=False)
                    journal.done.add((row, repeat))
                    journal.paid.attempts.append(known_cost(trace))
        except RunError:
            file.close()
            raise
        end = _end_of_whole_lines(path)
        file.truncate(end)
        file.seek(end)
        journal.paid.mend()
        return journal

    def add(self, row: str, repeat: int, trace: Trace) -> None:
        """Keep a finished attempt. A full disk raises: nothing is dropped in silence."""
        line = {"id": row, "repeat": repeat, "trace": pack(trace) | timed(trace)}
        self._file.write(self._redact(line_of(line)))
        self._file.flush()
        self.done.add((row, repeat))
        if time.monotonic() - self._synced > SYNC_SECONDS:
            sync(self._file)
            self._synced = time.monotonic()

    def close(self) -> None:
        """Force what is kept to the disk. On a full disk the file is closed all the same."""
        try:
            sync(self._file)
        finally:
            self._file.close()

    def reader(self) -> "JournalReader":
        """What is in it, by row; call it when nothing is added any more."""
        sync(self._file)
        return JournalReader(self.path.absolute())


class Payments:
    """What an unfinished run has cost so far: its attempts, and the calls of its judge."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self.attempts: list[float | None] = []
        """Of those that the journal holds; None where the pipeline did not say."""

    def mend(self) -> None:
        """Cut off a last line that was torn."""
        if self._path.exists():
            os.truncate(self._path, _end_of_whole_lines(self._path))

    def costs(self) -> Iterator[float | None]:
        """Each on its own.

        Raises:
            RunError: the file is not what evalrag wrote.
        """
        yield from self.attempts
        if not self._path.exists():
            return
        for _, line in read_lines(self._path):
            cost = line.get("cost")
            if not isinstance(cost, int | float) or not cost >= 0:
                raise damaged(self._path, "it says no cost")
            yield cost

    def add(self, cost: float) -> None:
        """Keep what a call of the judge cost: its verdict may be lost, its price is not."""
        with self._path.open("ab") as file:
            file.write(line_of({"cost": cost}))


class JournalReader:
    """The journalled attempts of each row, read from the disk when they are asked for."""

    def __init__(self, path: Path) -> None:
        self._path, self._index = path, LineIndex(path)

    def attempts(self, row: str) -> list[tuple[int, Trace]]:
        """The attempts of a row by their number; of one that was written twice, the last."""
        found: dict[int, Trace] = {}
        for line in self._index.read(row):
            _, repeat, trace = _attempt(self._path, line)
            found[repeat] = trace
        return sorted(found.items())


def _attempt(path: Path, line: dict[str, Any], *, checked: bool = True) -> tuple[str, int, Trace]:
    """Row, number and trace of a line; one that an earlier process wrote is not `checked` yet."""
    row, repeat, stored = line.get("id"), line.get("repeat"), line.get("trace")
    try:
        if isinstance(row, str) and type(repeat) is int and isinstance(stored, dict):
            if not checked:
                check(stored)
            return row, repeat, unpack(stored)
    except ValueError:
        pass
    raise RunError(
        "the unfinished run has a line that is no attempt",
        where=str(path),
        hint="start anew: evalrag run PLAN",
    )


def unfinished(parts: Sequence[Path]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Unfinished runs that can be gone on with, the newest first, each with its journal's head."""
    for part in reversed(parts):
        try:
            yield part, journal_head_of(part)
        except RunError:  # killed before it said what it was: nothing of it can be lost
            continue


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
                check_format(head)
                return head
            why = "its first line is no object"
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
