"""Specification of reading JSON Lines: each line by itself, and every line counted."""

from pathlib import Path

import pytest

from evalrag.errors import DatasetError, Problem
from evalrag.loading.jsonl import read_objects


def read(tmp_path: Path, data: bytes) -> list[tuple[int, object]]:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(data)
    return [
        (line, str(found) if isinstance(found, Problem) else found)
        for line, found in read_objects(path, shown="rows.jsonl")
    ]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        pytest.param(b'{"a": 1}\n{"a": 2}\n', [(1, {"a": 1}), (2, {"a": 2})], id="lines"),
        pytest.param(b'{"a": 1}', [(1, {"a": 1})], id="no line end at the end"),
        pytest.param(b'\xef\xbb\xbf{"a": 1}\n', [(1, {"a": 1})], id="a byte order mark"),
        pytest.param(b"\xef\xbb\xbf\n{}", [(2, {})], id="a byte order mark on an empty line"),
        pytest.param(b"{}\n\xef\xbb\xbf{}", [(1, {}), (2, {})], id="a byte order mark inside"),
        pytest.param(b"\x1e{}\n\x1e{}\n", [(1, {}), (2, {})], id="separators of RFC 7464"),
        pytest.param(b'{"a": 1}\r\n{"a": 2}\r\n', [(1, {"a": 1}), (2, {"a": 2})], id="Windows"),
        pytest.param(b'\n  \n{"a": 1}\n\n', [(3, {"a": 1})], id="blank lines are counted"),
        pytest.param('{"a": "x\u2028y"}'.encode(), [(1, {"a": "x\u2028y"})], id="U+2028 in text"),
        pytest.param(b"", [], id="an empty file"),
    ],
)
def test_accepted(tmp_path: Path, data: bytes, found: list[tuple[int, object]]) -> None:
    assert read(tmp_path, data) == found


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(
            b'{"note": "caf\xe9"}',
            "rows.jsonl:2:14: not UTF-8: byte 0xE9 at column 14; save the file as UTF-8",
            id="Latin-1",
        ),
        pytest.param(b"[1]", "rows.jsonl:2: each line is one JSON object, not a list", id="a list"),
        pytest.param(b"null", "rows.jsonl:2: each line is one JSON object, not null", id="a null"),
        pytest.param(
            b'{"a": "x',
            "rows.jsonl:2:7: not JSON: a string starts here and never ends",
            id="a row cut in two",
        ),
        pytest.param(
            b'{"a": NaN}',
            "rows.jsonl:2: NaN is not JSON: use null, or leave the field out",
            id="NaN",
        ),
        pytest.param(
            b'{"a": 1, "a": 2}',
            'rows.jsonl:2: the key "a" stands twice in one object',
            id="an equal key",
        ),
    ],
)
def test_a_broken_line_is_located_and_reading_goes_on(
    tmp_path: Path, line: bytes, said: str
) -> None:
    assert read(tmp_path, b"{}\n" + line + b"\n{}\n") == [(1, {}), (2, said), (3, {})]


def test_a_line_of_ten_megabytes(tmp_path: Path) -> None:
    text = "x" * 10_000_000

    assert read(tmp_path, b'{"a": "' + text.encode() + b'"}\n') == [(1, {"a": text})]


def test_utf_16_is_said_once(tmp_path: Path) -> None:
    data = '{"a": 1}\n{"a": 2}\n'.encode("utf-16")

    assert read(tmp_path, data) == [(1, "rows.jsonl:1: this file is UTF-16: save it as UTF-8")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("nowhere.jsonl", "there is no such file", id="a file that is not there"),
        pytest.param(".", "this is a folder, not a file", id="a folder"),
        pytest.param("a\0b", "this is not the name of a file", id="a null byte in the name"),
        pytest.param("x" * 5000, "cannot be read: File name too long", id="a name without end"),
    ],
)
def test_a_file_that_cannot_be_opened(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(DatasetError) as caught:
        list(read_objects(tmp_path / name, shown="given"))

    assert caught.value.problems == (Problem("given", said),)
