"""Records of calibrations, a file for each judge's fingerprint, in a folder that belongs in git.

A figure belongs to one fingerprint: another model, prompt or version starts a file of its own.
Every line is a record; lines are added and never changed.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalrag.errors import RunError
from evalrag.schema.calibration import FORMAT, Calibration
from evalrag.schema.frozen import first_wrong
from evalrag.stores.lines import line_of, read_lines, reading, write_whole
from evalrag.stores.secrecy import Redact, unredacted

FOLDER = "calibrations"
"""Beside the plan, unless the plan names another."""

_NAME = re.compile(r"[0-9a-f]{16}\.jsonl")
_HINT = "restore the file from git, or move it away and calibrate again: evalrag judge calibrate"


class Calibrations:
    """A folder of records. One that is not there yet holds none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> tuple[Calibration, ...]:
        """Every record, the oldest first.

        Raises:
            RunError: a file cannot be read, is damaged, or was written by a later evalrag.
        """
        with reading(self.folder):
            paths = sorted(self.folder.iterdir()) if self.folder.is_dir() else []
        found = [record for path in paths if _NAME.fullmatch(path.name) for record in _read(path)]
        return tuple(sorted(found, key=lambda one: (one.day, one.number, one.fingerprint)))

    def latest(self, fingerprint: str) -> Calibration | None:
        """The newest record of a judge, on whatever labels."""
        return _latest(self.all(), fingerprint)

    def last_on(self, labels: str) -> Calibration | None:
        """The newest record on labels of this digest, of whichever judge."""
        return next((one for one in reversed(self.all()) if one.labels.digest == labels), None)

    def keep(self, record: Calibration, redact: Redact = unredacted) -> Path:
        """Add a record to its judge's file; its number is given here.

        One that says what the judge's newest says already, on the same day, is not added twice.

        Raises:
            RunError: the folder cannot be read or written.
        """
        known = self.all()
        path = self.folder / f"{record.fingerprint}.jsonl"
        newest = _latest(known, record.fingerprint)
        if newest is not None and redact(_line(record, newest.number)) == _line(newest):
            return path
        number = max((one.number for one in known), default=0) + 1
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            before = path.read_bytes() if path.exists() else b""
            if before and not before.endswith(b"\n"):
                before += b"\n"
            write_whole(path, before + redact(_line(record, number)))
        except OSError as error:
            raise RunError(
                f"the calibration cannot be kept: {error.strerror or error}",
                where=str(path),
                hint="check the folder's rights, or leave the record out: --no-record",
            ) from None
        return path


def _latest(known: Sequence[Calibration], fingerprint: str) -> Calibration | None:
    return next((one for one in reversed(known) if one.fingerprint == fingerprint), None)


def _line(record: Calibration, number: int | None = None) -> bytes:
    numbered = record if number is None else record.model_copy(update={"number": number})
    return line_of(numbered.model_dump(mode="json", exclude_none=True))


def _read(path: Path) -> Iterator[Calibration]:
    try:
        values = [value for _, value in read_lines(path)]
    except RunError as error:
        raise RunError(error.message, where=error.where, hint=_HINT) from None
    for value in values:
        yield _record(path, value)


def _record(path: Path, value: dict[str, Any]) -> Calibration:
    number = value.get("format")
    if isinstance(number, int) and number > FORMAT:
        raise RunError(
            f"a record has format {number}, and this evalrag reads up to {FORMAT}",
            where=str(path),
            hint="pip install --upgrade evalrag",
        )
    try:
        record = Calibration.model_validate(value)
    except ValidationError as error:
        why = first_wrong(error)
    else:
        if record.fingerprint == path.stem and record.format == FORMAT:
            return record
        why = "it is the record of another judge, or has no format that ever was"
    raise RunError(f"not a record that evalrag wrote: {why}", where=str(path), hint=_HINT)
