"""A run, or a baseline, on its way to the disk: `.part` until it is whole, without secrets."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evalrag.schema.result import RowResult
from evalrag.schema.run import RunRecord
from evalrag.stores.lines import line_of, sync, sync_folder, write_whole
from evalrag.stores.runs import PART, ROWS, RUN, TIMINGS, TRACES
from evalrag.stores.secrecy import Redact, unredacted


class RunWriter:
    """Writes the files of a run into its `.part` folder, and gives it its name at the end."""

    def __init__(self, part: Path, redact: Redact = unredacted) -> None:
        self.part, self._redact = part, redact
        self._files = {name: (part / name).open("wb") for name in (ROWS, TRACES, TIMINGS)}

    def row(self, result: RowResult) -> None:
        self._files[ROWS].write(row_bytes(result, self._redact))

    def trace(self, line: Mapping[str, Any]) -> None:
        self._files[TRACES].write(self._redact(line_of(line)))

    def timing(self, line: Mapping[str, Any]) -> None:
        self._files[TIMINGS].write(self._redact(line_of(line)))

    def finish(self, record: RunRecord, *, leave: Sequence[str] = ()) -> Path:
        """Write the head last, drop what a finished run does not have, and rename the folder."""
        for file in self._files.values():
            sync(file)
            file.close()
        write_whole(self.part / RUN, head_bytes(record, self._redact))
        for path in self.part.iterdir():
            if path.name not in (RUN, ROWS, TRACES, TIMINGS, *leave):
                path.unlink(missing_ok=True)
        whole = self.part.with_name(self.part.name.removesuffix(PART))
        os.rename(self.part, whole)
        sync_folder(whole.parent)
        return whole

    def close(self) -> None:
        for file in self._files.values():
            file.close()


def row_bytes(result: RowResult, redact: Redact = unredacted) -> bytes:
    """A line of `rows.jsonl`; what goes without saying is left out."""
    return redact(result.model_dump_json(exclude_defaults=True).encode("utf-8") + b"\n")


def head_bytes(record: RunRecord, redact: Redact = unredacted) -> bytes:
    """`run.json`, indented so that a change of it can be read in a diff."""
    return redact(record.model_dump_json(indent=2, by_alias=True).encode("utf-8") + b"\n")
