"""JSON Lines on disk: written so that nothing half-written looks whole, read by offset."""

import contextlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NoReturn

from evalrag.errors import RunError


def _refused(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("a number is too large")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refused, parse_float=_finite)


def loads(data: bytes) -> Any:
    """The value of a line that evalrag wrote, which can be written again.

    Quick, since nobody types these files: keys that stand twice are not looked for.
    """
    try:
        value = _DECODER.decode(data.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deep") from None
    if b"\\" in data and b"\\ud" in data.lower():
        _whole_characters(value)
    return value


def _whole_characters(value: Any) -> None:
    try:
        line_of(value)
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair is no character") from None


def line_of(value: Any) -> bytes:
    """One line, the same bytes for the same value."""
    return _ENCODE(value).encode("utf-8") + b"\n"


def sync(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Make a rename in `path` last, where the system can."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:  # Windows opens no folders
        return
    try:
        os.fsync(handle)
    except OSError:
        return
    finally:
        os.close(handle)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(data)
        sync(file)
    part.replace(path)


class LineIndex(Mapping[str, list[int]]):
    """Where the lines of each row start in a file, so that texts need not be held in memory."""

    def __init__(self, path: Path, *, key: str = "id") -> None:
        self.path = path
        self._offsets: dict[str, list[int]] = {}
        for offset, value in read_lines(path):
            self._offsets.setdefault(str(value.get(key)), []).append(offset)

    def __getitem__(self, row: str) -> list[int]:
        return self._offsets[row]

    def __iter__(self) -> Iterator[str]:
        return iter(self._offsets)

    def __len__(self) -> int:
        return len(self._offsets)

    def read(self, row: str) -> list[dict[str, Any]]:
        """The values of a row's lines, in file order; none for an unknown row."""
        offsets = self._offsets.get(row, ())
        if not offsets:
            return []
        with reading(self.path), self.path.open("rb") as file:
            found: list[dict[str, Any]] = []
            for offset in offsets:
                file.seek(offset)
                found.append(_object(self.path, None, file.readline()))
            return found


def read_lines(path: Path, *, torn: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every line's offset and object.

    `torn` allows a last line without its end, as a killed process leaves it; it is not yielded.

    Raises:
        RunError: a line that is not what evalrag wrote.
    """
    offset = 0
    with reading(path), path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if torn and not line.endswith(b"\n"):
                return
            if line.strip():
                yield offset, _object(path, number, line)
            offset += len(line)


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """What the system says against reading `path` is the file's fault, and no bug of ours."""
    try:
        yield
    except OSError as error:
        raise RunError(
            f"cannot be read: {error.strerror or error}",
            where=str(path),
            hint="check its rights, restore it, or make the run again: evalrag run PLAN",
        ) from None


AGAIN = "restore the file, or make the run again: evalrag run PLAN"


def lines_saying(path: Path, said: bytes = b"") -> Iterator[dict[str, Any]]:
    """The objects of a file; none where it is not there, or where none of its lines says `said`.

    Most pipelines say nothing of what they took: then no line need be taken apart.
    """
    if path.exists() and (not said or said in path.read_bytes()):
        for _, line in read_lines(path):
            yield line


def damaged(path: Path, why: str, *, hint: str = AGAIN) -> RunError:
    """The error of a file, or of a line of one, that evalrag did not write like this."""
    return RunError(f"not what evalrag wrote ({why})", where=str(path), hint=hint)


def _object(path: Path, number: int | None, line: bytes) -> dict[str, Any]:
    why = "it is no object"
    try:
        value = loads(line)
        if isinstance(value, dict):
            return value
    except ValueError as error:
        why = str(error)
    raise damaged(path if number is None else path.with_name(f"{path.name}:{number}"), why)
