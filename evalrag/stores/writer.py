"""A run, or a baseline, on its way to the disk: `.part` until it is whole, without secrets."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from evalrag.schema.brief import Result, Shared
from evalrag.schema.result import RowResult
from evalrag.schema.run import RunRecord
from evalrag.stores.lines import sync, sync_folder, write_whole
from evalrag.stores.row_lines import RowReader, row_line
from evalrag.stores.runs import CALLS, PART, ROWS, RUN, TIMINGS, TRACES
from evalrag.stores.secrecy import Redact, unredacted


class RunWriter:
    """Writes the files of a run into its `.part` folder, and gives it its name at the end."""

    def __init__(
        self, part: Path, redact: Redact = unredacted, briefs: list[Result] | None = None
    ) -> None:
        """`briefs` takes what a verdict reads of the rows, as they are written."""
        self.part, self._redact, self._briefs = part, redact, briefs
        self._shared = Shared()
        self._rows = RowReader(part.with_name(part.name.removesuffix(PART)) / ROWS)
        self._files = {name: _opened(part / name) for name in (ROWS, TRACES, TIMINGS)}

    def row(self, result: RowResult) -> None:
        line = row_line(result)
        stored = self._redact(line)
        self._files[ROWS].write(stored)
        if self._briefs is not None:
            kept = result if stored == line else RowResult.model_validate_json(stored)
            self._briefs.append(self._shared.brief(kept, self._rows.read))

    def trace(self, line: bytes) -> None:
        self._files[TRACES].write(self._redact(line))

    def timing(self, line: bytes) -> None:
        self._files[TIMINGS].write(self._redact(line))

    def call(self, line: bytes) -> None:
        """One call of the judge; a run whose judge calls nobody has no such file."""
        if CALLS not in self._files:
            self._files[CALLS] = _opened(self.part / CALLS)
        self._files[CALLS].write(self._redact(line))

    def finish(self, record: RunRecord, *, leave: Sequence[str] = ()) -> Path:
        """Write the head last, drop what a finished run does not have, and rename the folder."""
        for file in self._files.values():
            sync(file)
            file.close()
        write_whole(self.part / RUN, head_bytes(record, self._redact))
        for path in self.part.iterdir():
            if path.name not in (RUN, *self._files, *leave):
                path.unlink(missing_ok=True)
        whole = self.part.with_name(self.part.name.removesuffix(PART))
        os.rename(self.part, whole)
        sync_folder(whole.parent)
        return whole

    def close(self) -> None:
        for file in self._files.values():
            file.close()


_BLOCK = 1 << 18
"""Bytes that are handed to the system at once: a line with its texts is soon longer than 8 kB."""


def _opened(path: Path) -> BinaryIO:
    return path.open("wb", buffering=_BLOCK)


def head_bytes(record: RunRecord, redact: Redact = unredacted) -> bytes:
    """`run.json`, indented so that a change of it can be read in a diff."""
    return redact(record.model_dump_json(indent=2, by_alias=True).encode("utf-8") + b"\n")
