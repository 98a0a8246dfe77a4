"""Lines of JSON from a file: every line is an object or a located problem, and reading goes on."""

import codecs
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, NoReturn

import jsonlines

from evalrag.errors import DatasetError, Problem
from evalrag.loading.show import clean, show
from evalrag.loading.strict_json import JsonError, loads

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_objects(
    path: Path, *, shown: str | None = None
) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    """Each line's number, from 1, with its object or with what is wrong with it.

    Blank lines, a byte order mark at the start and Windows line ends are accepted. Lines end at a
    line feed alone, since U+2028 may stand in a JSON string. `shown` names the file in problems.

    Raises:
        DatasetError: the file is missing or cannot be read.
    """
    for number, value, _ in read_records(path, shown=shown):
        yield number, value


def read_records(
    path: Path, *, shown: str | None = None
) -> Iterator[tuple[int, dict[str, Any] | Problem, bytes]]:
    """The same, and the bytes of each line."""
    name = clean(shown if shown is not None else str(path), 400)
    try:
        file = path.open("rb")
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        _refuse(name, error)
    with file:
        try:
            yield from _read(file, name)
        except OSError as error:
            _refuse(name, error)


class _Lines:
    """Counts the lines that the reader takes, since it tells the number of a broken one alone."""

    def __init__(self, file: BufferedReader) -> None:
        self._file, self.number, self.last = file, 0, b""

    def __iter__(self) -> Iterator[bytes]:
        for line in self._file:
            self.number += 1
            bom = self.number == 1 and line.startswith(codecs.BOM_UTF8)
            self.last = (line[len(codecs.BOM_UTF8) :] if bom else line).rstrip(b"\r\n")
            yield self.last


def _read(file: BufferedReader, name: str) -> Iterator[tuple[int, dict[str, Any] | Problem, bytes]]:
    if file.peek(2)[:2] in _UTF_16:
        yield 1, Problem(name, "this file is UTF-16: save it as UTF-8", 1), b""
        return
    lines = _Lines(file)
    reader = jsonlines.Reader(lines, loads=loads)
    while True:
        try:
            value: Any = reader.read(allow_none=True, skip_empty=True)
        except EOFError:
            return
        except jsonlines.InvalidLineError as error:
            yield lines.number, _broken(name, lines.number, error.__cause__), b""
            continue
        if isinstance(value, dict):
            yield lines.number, value, lines.last
        else:
            said = f"each line is one JSON object, not {show(value)}"
            yield lines.number, Problem(name, said, lines.number), b""


def _broken(name: str, line: int, cause: BaseException | None) -> Problem:
    match cause:
        case JsonError():
            return Problem(name, cause.message, line, cause.column)
        case UnicodeDecodeError():
            column = len(cause.object[: cause.start].decode("utf-8")) + 1
            byte = cause.object[cause.start]
            message = f"not UTF-8: byte 0x{byte:02X} at column {column}; save the file as UTF-8"
            return Problem(name, message, line, column)
    return Problem(name, f"not JSON: {cause}", line)


def _refuse(name: str, error: OSError | ValueError) -> NoReturn:
    match error:
        case FileNotFoundError():
            message = "there is no such file"
        case IsADirectoryError():
            message = "this is a folder, not a file"
        case OSError():
            message = f"cannot be read: {error.strerror or type(error).__name__}"
        case _:
            message = "this is not the name of a file"
    raise DatasetError(
        [Problem(name, message)], hint="check the path; it is relative to the plan"
    ) from error
