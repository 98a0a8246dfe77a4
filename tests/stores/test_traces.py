"""Specification of a stored trace: places instead of texts, and no time that nobody measured."""

from pathlib import Path

import pytest

from evalrag.schema.trace import Passage, ProbeTrace, Trace
from evalrag.stores.journal import Journal
from evalrag.stores.runs import StoredRun
from evalrag.stores.traces import check, pack, timing_line, unpack

A, B = Passage(id="a", text="one"), Passage(id="b", text="two")
C = Passage(id="c", text="three", metadata={"n": 1})


def copy(passage: Passage) -> Passage:
    return Passage(**passage)


@pytest.mark.parametrize(
    ("candidates", "context", "places"),
    [
        pytest.param([A, B], [B, A], [1, 0], id="the same objects"),
        pytest.param([A, B], [copy(B)], [1], id="an equal one"),
        pytest.param([A, B, A], [A, B, A], [0, 1, 2], id="one object twice"),
        pytest.param(
            [A, B, copy(A)], [copy(A), B, copy(A)], [0, 1, 2], id="equal ones take what is left"
        ),
        pytest.param([A, B], [A, copy(A)], [0, 0], id="a repeat that was fetched once"),
        pytest.param([A], [B], [B], id="one that was not fetched"),
    ],
)
def test_places(candidates: list[Passage], context: list[Passage], places: list[object]) -> None:
    assert pack(Trace(candidates=candidates, context=context))["context"] == places


def test_a_journal_gives_back_the_places_and_the_times(tmp_path: Path) -> None:
    trace = Trace(candidates=[A, B, A], context=[A, B, A], seconds={"retrieval": 0.5})
    journal = Journal.create(tmp_path, {})
    journal.add("q", 0, trace)
    [(repeat, back)] = journal.reader().attempts("q")
    journal.close()

    assert (repeat, back) == (0, trace)
    assert all(back["context"][n] is back["candidates"][n] for n in range(3))


def test_probes_are_kept_as_places_and_their_times_apart(tmp_path: Path) -> None:
    probe: ProbeTrace = {"query": "q", "candidates": [B, C], "context": [copy(A)], "answer": "x"}
    trace = Trace(candidates=[A, B], context=[A], probes={"oracle_context": probe})
    trace["probe_costs"] = {"oracle_context": {"seconds": 0.5, "usage": {"input_tokens": 3}}}

    packed = pack(trace)
    journal = Journal.create(tmp_path, {})
    journal.add("q", 0, trace)
    journal.close()
    again = Journal.resume(tmp_path)
    [(_, back)] = again.reader().attempts("q")
    again.close()

    assert packed["probes"]["oracle_context"]["candidates"] == [1, C]
    assert packed["probes"]["oracle_context"]["context"] == [0]
    assert "probe_costs" not in packed
    assert back == trace
    assert timing_line("q", 0, trace)["probe_costs"] == trace["probe_costs"]


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"probes": {"else": {}}}, id="a probe that there is not"),
        pytest.param({"probes": {"no_context": {"context": ["a"]}}}, id="a context of words"),
        pytest.param({"probe_costs": {"no_context": {"seconds": "1"}}}, id="a time in quotes"),
    ],
)
def test_a_probe_of_another_shape_is_refused(wrong: dict[str, object]) -> None:
    check({"candidates": [], "context": [], "probes": {"no_context": {"context": []}}})

    with pytest.raises(ValueError, match="no trace"):
        check({"candidates": [], "context": [], **wrong})


def test_an_attempt_that_was_written_twice_counts_as_the_last(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, {})
    for answer in ("old", "new"):
        journal.add("q", 0, Trace(candidates=[], context=[], answer=answer))
    attempts = journal.reader().attempts("q")
    journal.close()

    assert [trace["answer"] for _, trace in attempts] == ["new"]
    again = Journal.resume(tmp_path)
    again.close()
    assert again.done == {("q", 0)}


def test_what_was_not_measured_is_missing(tmp_path: Path) -> None:
    bare = Trace(candidates=[], context=[], seconds={})
    run = StoredRun.__new__(StoredRun)
    run.path = tmp_path
    (tmp_path / "timings.jsonl").write_text(
        '{"id":"a","repeat":0}\n{"id":"b","repeat":0,"seconds":{"answer":1.5}}\n'
        '{"id":"c","repeat":0,"seconds":{"answer":1.5}}\n{"id":"c","repeat":1}\n'
    )

    assert timing_line("a", 0, bare) == {"id": "a", "repeat": 0}
    assert run.costs() == {"a": {}, "b": {"seconds": 1.5}, "c": {}}


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"candidates": [5], "context": []},
        {"candidates": [], "context": [0]},
        {"candidates": [{}], "context": [-1]},
        {"candidates": [{"span": 5}], "context": []},
    ],
    ids=str,
)
def test_what_is_no_trace_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no trace"):
        unpack(stored)
