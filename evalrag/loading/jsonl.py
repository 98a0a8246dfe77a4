"""Lines of JSON from a file: every line is an object or a located problem, and reading goes on."""

import codecs
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, NoReturn

import jsonlines

from evalrag.errors import DatasetError, Problem
from evalrag.loading.other_json import refuse_other_json
from evalrag.loading.show import clean, show
from evalrag.loading.strict_json import JsonError, loads

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_MERGE = (b"<<<<<<< ", b"=======", b">>>>>>> ", b"||||||| ")
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
WHAT_IS_LFS = "this is a Git LFS pointer, and not the file that it stands for"


def read_objects(
    path: Path, *, shown: str | None = None
) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    """Each line's number, from 1, with its object or with what is wrong with it.

    Blank lines, byte order marks and Windows line ends are accepted. Lines end at a
    line feed alone, since U+2028 may stand in a JSON string. `shown` names the file in problems.

    Raises:
        DatasetError: the file is missing or cannot be read, or is JSON and no JSON Lines.
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
            yield from _read(file, name, path)
        except OSError as error:
            _refuse(name, error)


def _read(
    file: BufferedReader, name: str, path: Path
) -> Iterator[tuple[int, dict[str, Any] | Problem, bytes]]:
    if file.peek(2)[:2] in _UTF_16:
        yield 1, Problem(name, "this file is UTF-16: save it as UTF-8", 1), b""
        return
    if file.peek(len(LFS_POINTER)).startswith(LFS_POINTER):
        yield 1, Problem(name, f"{WHAT_IS_LFS}: git lfs pull", 1), b""
        return
    lines = _Lines(file)
    reader = jsonlines.Reader(lines, loads=_value)
    first = True
    while True:
        begins, said, column = first, None, None
        try:
            value: Any = reader.read(allow_none=True, skip_empty=True)
        except EOFError:
            return
        except jsonlines.InvalidLineError as error:
            said, column = _wrong(error, lines.line)
        first = False
        if begins and (said is not None or isinstance(value, list)):
            refuse_other_json(path, name)
        if said is not None:
            yield lines.number, Problem(name, said, lines.number, column), b""
        elif isinstance(value, dict):
            yield lines.number, value, lines.line
        else:
            said = f"each line is one JSON object, not {show(value)}"
            yield lines.number, Problem(name, said, lines.number), b""


class _Lines:
    """The lines of a file without their ends, which remembers the one that was read last."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self.number, self.line = 0, b""

    def __iter__(self) -> Iterator[bytes]:
        for number, line in enumerate(self._file, 1):
            self.number = number
            self.line = line.removesuffix(b"\n").removesuffix(b"\r").removeprefix(codecs.BOM_UTF8)
            if self.line.startswith(b"\x1e"):
                self.line = self.line[1:]
            yield self.line


def _value(text: str | bytes) -> Any:
    return loads(text.encode("utf-8") if isinstance(text, str) else text)


def _wrong(error: jsonlines.InvalidLineError, line: bytes) -> tuple[str, int | None]:
    """What is wrong with a line, and the column where that is known."""
    if line.startswith(_MERGE):
        return "a merge left its marks here: keep one side", 1
    try:
        loads(line)
    except JsonError as wrong:
        return wrong.message, wrong.column
    return str(error), None


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
