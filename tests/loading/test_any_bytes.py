"""A law: whatever stands in a file, it loads, or the error is ours and can be printed."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evalrag.errors import DatasetError, FileError, PlanError
from evalrag.loading.corpus import read_corpus
from evalrag.loading.dataset import load_dataset
from evalrag.loading.plan import load_plan

same_folder = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

ROW_WORDS = st.sampled_from(
    ["id", "kind", "question", "gold", "near_miss", "history", "meta", "expect", "doc", "quote",
     "span", "any_of", "all_of", "grade", "chunk", "metadata", "happy-path", "near-miss", "\ud800"]
)  # fmt: skip
PLAN_WORDS = st.sampled_from(
    ["version", "name", "dataset", "path", "pipeline", "retriever", "use", "with", "gates", "must",
     "where", "metric", "waivers", "run", "repeats", "judge", "${A}", "${B:-1}", "${", "not_drop"]
)  # fmt: skip


def values(words: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | words
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words | st.text(), inner),
        max_leaves=12,
    )


def near(plain: dict[str, Any], words: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    """Files that are nearly right: one with some fields replaced by anything."""
    return st.dictionaries(st.sampled_from(list(plain)) | words, values(words)).map(
        lambda changed: json.dumps({**plain, **changed}).encode()
    )


ROW = {"id": "a", "kind": "happy-path", "question": "q", "gold": ["c"], "near_miss": [{"doc": "d"}]}
PLAN = {
    "version": 1,
    "name": "n",
    "dataset": {"path": "d.jsonl"},
    "pipeline": {"retriever": {"use": "a:b"}},
    "gates": [{"name": "g", "metric": "m", "must": {"at_least": 1}}],
    "waivers": [{"row": "r", "gate": "g", "until": "2026-11-30", "reason": "x"}],
}
YAML = st.text("abc:-[]{}&*!|>'\"#%@`,?\\ \n\t\r~<=.0x1e_$\ud800\u2028\x85\ufeff\x00")


def told(error: FileError) -> None:
    assert error.problems
    assert error.exit_code == 2
    for problem in error.problems:
        assert problem.message
        assert str(problem).isprintable()
        assert str(problem).encode()


@same_folder
@example(b'{"id":"a","kind":"happy-path","question":"q","gold":[{"doc":"d","span":[1,1e400]}]}')
@example(b'{"id":"a","kind":"happy-path","question":"q","gold":{"any_of":' + b"[" * 3000)
@given(st.binary() | near(ROW, ROW_WORDS))
def test_dataset(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(data)
    try:
        dataset = load_dataset(path)
    except DatasetError as error:
        told(error)
    else:
        assert dataset.rows
        assert len(dataset.lines) == len(dataset.rows)


@same_folder
@example(b"a: &a [*a, *a]")
@example(b'"\\UFFFFFFFF"')
@example(b"? ? ? a")
@example(b"<:")
@example(b"<gate>: 1")
@example(b"%TAG ! tag:x,2000:\n---\na: !b c")
@example(b"- - - - - - - - -\n" * 50)
@given(
    st.binary()
    | YAML.map(lambda text: text.encode("utf-8", "surrogatepass"))
    | near(PLAN, PLAN_WORDS)
)
def test_plan(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "d.jsonl").touch()
    path = tmp_path / "p.yaml"
    path.write_bytes(data)
    try:
        loaded = load_plan(path, {"A": "a-secret-value"})
    except PlanError as error:
        told(error)
    else:
        assert loaded.digest
        assert "a-secret-value" not in json.dumps(loaded.shown)


@same_folder
@given(
    st.binary() | near({"id": "a", "text": "t"}, ROW_WORDS),
    st.dictionaries(ROW_WORDS, st.text()),
    st.dictionaries(ROW_WORDS, values(ROW_WORDS)),
)
def test_corpus(tmp_path: Path, data: bytes, fields: dict[str, str], where: dict[str, Any]) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(data)
    try:
        assert list(read_corpus(path, fields=fields, where=where))
    except DatasetError as error:
        told(error)


@pytest.mark.parametrize("depth", [10, 99, 1000, 50_000])
def test_a_deep_row_never_ends_in_recursion(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "d.jsonl"
    gold = '{"any_of":[' * depth + '"c"' + "]}" * depth
    path.write_text(f'{{"id":"a","kind":"happy-path","question":"q","gold":[{gold}]}}')

    if depth < 50:
        assert load_dataset(path).rows
    else:
        with pytest.raises(DatasetError, match="deep"):
            load_dataset(path)
