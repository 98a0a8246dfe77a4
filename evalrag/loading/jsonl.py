"""Lines of JSON from a file: every line is an object or a located problem, and reading goes on."""

import codecs
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, NoReturn

from evalrag.errors import DatasetError, Problem
from evalrag.loading.other_json import refuse_other_json
from evalrag.loading.show import clean, show
from evalrag.loading.strict_json import JsonError, loads

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MARKS = (b"\x1e", codecs.BOM_UTF8)
"""One may stand before any object: the separator of RFC 7464, or a mark where files were joined."""

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
    first = True
    for number, line in enumerate(file, 1):
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if not line or line.isspace():
            continue
        if line.startswith(_MARKS):
            line = line[len(next(filter(line.startswith, _MARKS))) :]
        line = line.rstrip(b"\r\n")
        begins, first = first, False
        try:
            value: Any = loads(line)
        except JsonError as error:
            if begins:
                refuse_other_json(path, name)
            merge = line.startswith(_MERGE)
            said = "a merge left its marks here: keep one side" if merge else error.message
            yield number, Problem(name, said, number, error.column), b""
            continue
        if begins and isinstance(value, list):
            refuse_other_json(path, name)
        if isinstance(value, dict):
            yield number, value, line
        else:
            said = f"each line is one JSON object, not {show(value)}"
            yield number, Problem(name, said, number), b""


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
