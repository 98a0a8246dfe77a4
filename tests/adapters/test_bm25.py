"""The embedded retriever: chunks are slices, rankings are the same everywhere."""

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evalrag.adapters.bm25 import Bm25
from evalrag.adapters.chunks import chunked, spans
from evalrag.adapters.words import content_words
from evalrag.errors import DatasetError, PluginError
from evalrag.schema.trace import Passage
from tests.adapters.plans import asked, build, lines

texts = st.text(alphabet="ab \n\u00e9\u4e2d\u2003", max_size=80)
sizes = st.integers(1, 20)


@example("aaaa bb", 3)
@given(texts, sizes)
def test_chunks_put_together_are_the_text(text: str, size: int) -> None:
    assert "".join(text[start:end] for start, end in spans(text, size)) == text


@given(texts, sizes)
def test_a_chunk_is_no_longer_than_asked_and_is_cut_at_white_space(text: str, size: int) -> None:
    for start, end in spans(text, size):
        assert 0 < end - start <= size
        whole_word = not any(c.isspace() for c in text[start:end])
        assert end == len(text) or text[end - 1].isspace() or (whole_word and end - start == size)


@example(" a aa", 3, 2)  # a second chunk once ended where the first did
@given(texts, sizes, st.integers(0, 19))
def test_chunks_with_an_overlap_leave_nothing_out_and_go_on(
    text: str, size: int, overlap: int
) -> None:
    overlap %= size
    found = list(spans(text, size, overlap))

    assert [end for _, end in found] == sorted({end for _, end in found})
    assert [start for start, _ in found] == sorted({start for start, _ in found})
    for (_, end), (start, _) in pairwise(found):
        assert end - overlap <= start <= end
        assert start == 0 or text[start - 1].isspace() or start == end
    assert not text or (found[0][0], found[-1][1]) == (0, len(text))


@given(texts, sizes)
def test_the_spans_of_chunks_are_exact(text: str, size: int) -> None:
    record: Passage = {"id": "refunds", "text": text, "metadata": {"v": 1}}

    for number, chunk in enumerate(chunked(record, size)):
        start, end = chunk["span"]
        assert chunk == {
            "id": f"refunds#{number}",
            "doc": "refunds",
            "text": text[start:end],
            "span": (start, end),
            "metadata": {"v": 1},
        }


def test_a_part_of_a_document_keeps_counting_in_the_document() -> None:
    record: Passage = {"id": "refunds@2", "doc": "refunds", "text": "ab cd", "span": (100, 105)}

    assert list(chunked(record, 3)) == [
        {"id": "refunds@2#0", "doc": "refunds", "text": "ab ", "span": (100, 103)},
        {"id": "refunds@2#1", "doc": "refunds", "text": "cd", "span": (103, 105)},
    ]


_opened: list[Bm25] = []


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    while _opened:
        _opened.pop().close()


def index(*texts: str) -> Bm25:
    _opened.append(Bm25({"id": str(n), "text": text} for n, text in enumerate(texts)))
    return _opened[-1]


def found(retriever: Bm25, question: str, top_k: int = 10) -> list[str]:
    return [passage["id"] for passage in retriever.retrieve(question, top_k)]


def test_the_passage_with_more_of_the_words_comes_first() -> None:
    retriever = index("refunds take days", "shipping takes days", "a refund of shipping costs")

    assert found(retriever, "How are shipping costs refunded?") == ["2", "0", "1"]


def test_equal_scores_keep_the_order_of_the_corpus() -> None:
    assert found(index(*["same words"] * 20, "other"), "words") == [str(n) for n in range(10)]


def test_a_better_score_is_larger() -> None:
    scores = [p["score"] for p in index("refund", "refund me now please").retrieve("refund", 5)]

    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[1]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        pytest.param("What is the refund?", ["refund"], id="stop words"),
        pytest.param("Who are we?", ["who", "are", "we"], id="stop words alone are kept"),
        pytest.param("?!", [], id="no word"),
        pytest.param('refund" OR body:x NEAR(*)', ["refund", "body", "x", "near"], id="syntax"),
        pytest.param("Stra\u00dfe", ["strasse"], id="folded"),
    ],
)
def test_the_words_of_a_question(question: str, words: list[str]) -> None:
    assert content_words(question) == words
    index("refund").retrieve(question, 5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text())
def test_no_question_is_a_syntax_error(question: str) -> None:
    index("refund", "x").retrieve(question, 5)


def test_no_word_finds_nothing() -> None:
    assert found(index("refund"), "...") == []


def test_threads_may_ask_at_once() -> None:
    retriever = index(*[f"refund {n}" for n in range(200)])
    wrong: list[Any] = []

    def ask() -> None:
        for n in range(50):
            if found(retriever, f"{n}", 1) != [str(n)]:
                wrong.append(n)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong


CORPUS = [
    {"chunk_id": "r1", "doc_id": "refunds", "title": "Refunds", "v": "1", "text": "30 days"},
    {"chunk_id": "r2", "doc_id": "refunds", "title": "Refunds", "v": "2", "text": "60 days"},
]


def plan(folder: Path, **settings: Any) -> Mapping[str, Any]:
    lines(folder / "corpus.jsonl", CORPUS)
    return {"retriever": {"use": "bm25", "with": {"path": "corpus.jsonl", **settings}}}


def test_a_plan_names_the_corpus_its_fields_and_its_records(tmp_path: Path) -> None:
    pipeline = build(tmp_path, plan(tmp_path, where={"v": "2"}))
    assert len(list(pipeline.corpus() or ())) == 1

    (trace,) = asked(pipeline, ["How many days?"])

    (passage,) = trace["context"]
    assert passage.pop("score") < 0.1
    assert passage == {
        "id": "r2",
        "doc": "refunds",
        "text": "60 days",
        "metadata": {"title": "Refunds", "v": "2"},
    }


def test_metadata_is_searched_where_the_plan_says_so(tmp_path: Path) -> None:
    (without,) = asked(build(tmp_path, plan(tmp_path)), ["Refunds?"])
    (with_it,) = asked(build(tmp_path, plan(tmp_path, index=["title", "text"])), ["Refunds?"])

    assert (len(without["candidates"]), len(with_it["candidates"])) == (0, 2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        pytest.param({"chunk_char": 3}, "'chunk_char'; did you mean 'chunk_chars'?", id="typo"),
        pytest.param({"overlap_chars": 3}, "overlap_chars needs chunk_chars", id="alone"),
        pytest.param(
            {"chunk_chars": 3, "overlap_chars": 3}, "must be smaller than chunk_chars", id="larger"
        ),
    ],
)
def test_settings_that_do_not_fit(tmp_path: Path, wrong: Any, message: str) -> None:
    with pytest.raises(PluginError) as error:
        build(tmp_path, plan(tmp_path, **wrong))

    assert message in error.value.message


def test_a_missing_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"no\.jsonl: there is no such file"):
        build(tmp_path, {"retriever": {"use": "bm25", "with": {"path": "no.jsonl"}}})


def test_the_index_is_sqlites_own() -> None:
    base = sqlite3.connect(":memory:")
    base.execute("CREATE VIRTUAL TABLE t USING fts5(body, tokenize='porter unicode61')")
    base.executemany("INSERT INTO t VALUES (?)", [("refund now",), ("refund",), ("later",)])
    rows = base.execute("SELECT rowid, bm25(t) FROM t WHERE t MATCH 'refund' ORDER BY 2")
    expected = [(str(n - 1), round(-score, 9)) for n, score in rows]
    base.close()

    ours = index("refund now", "refund", "later").retrieve("refund", 5)

    assert [(p["id"], p["score"]) for p in ours] == expected


def extract(passages: list[Any], question: str, **settings: Any) -> Any:
    from evalrag.adapters.extractive import Extractive, Settings

    return Extractive(Settings(**settings)).generate(question, passages)


PASSAGES = [
    {"id": "a", "text": "Refund policy\nRefunds take 30 days. Shipping is not refunded."},
    {"id": "b", "text": "Refunds take 60 days, since 2026. We are open on Monday."},
]


@pytest.mark.parametrize(
    ("question", "settings", "said"),
    [
        pytest.param("Are you open on Monday?", {}, "We are open on Monday.", id="one sentence"),
        pytest.param("How many days do refunds take?", {}, "Refunds take 30 days.", id="the first"),
        pytest.param(
            "Is shipping refunded, how many days do refunds take?",
            {"sentences": 2},
            "Refunds take 30 days. Shipping is not refunded.",
            id="two of one passage, in its order",
        ),
        pytest.param("Who is the CEO of Acme?", {"decline_text": "No."}, "No.", id="declines"),
        pytest.param(
            "Who is the CEO of Acme?", {"decline": False}, "Refunds take 30 days.", id="never"
        ),
    ],
)
def test_it_answers_in_the_words_of_one_passage(
    question: str, settings: dict[str, Any], said: str
) -> None:
    assert extract(PASSAGES, question, **settings)["answer"] == said


def test_it_cites_what_it_used_and_nothing_when_it_declines() -> None:
    assert extract(PASSAGES, "Open on Monday?")["citations"] == ["b"]
    assert "citations" not in extract(PASSAGES, "Who is the CEO?")


def test_without_passages_it_declines_whatever_it_is_told() -> None:
    assert "do not have information" in extract([], "Refunds?", decline=False)["answer"]


def test_both_together_in_a_plan(tmp_path: Path) -> None:
    pipeline = {**plan(tmp_path), "generator": {"use": "extractive"}}
    (trace,) = asked(build(tmp_path, json.loads(json.dumps(pipeline))), ["30 days?"])

    assert (trace["answer"], trace["citations"]) == ("30 days", ["r1"])
