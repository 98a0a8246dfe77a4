"""A row is written in the bytes of its model, whichever way it is written."""

from hypothesis import given
from hypothesis import strategies as st

from evalrag.regression.scoring import Scoring, score_attempt, score_row
from evalrag.schema.plan import Thresholds
from evalrag.schema.result import RowResult
from evalrag.schema.run import Reading
from evalrag.schema.trace import ProbeTrace
from evalrag.schema.words import Probe
from evalrag.stores.lines import line_of, loads
from evalrag.stores.row_lines import row_line
from evalrag.stores.traces import timing_bytes, timing_line, trace_bytes, trace_line, unpack
from tests.builders import row, trace

KINDS = ("happy-path", "near-miss", "multi-hop", "stale-policy", "unanswerable")
NAMES = ("h-gold", "h-gold2", "h-old", "h-sibling", "a", "é\u2028", 'q"\\')
names = st.lists(st.sampled_from(NAMES), max_size=6)
FIELDS = {"tags": ("a", "b"), "meta": {"n": 1}, "split": "holdout", "expect": ("DECLINED",)}


@given(
    st.sampled_from(KINDS),
    names,
    names,
    st.sets(st.sampled_from(sorted(FIELDS))),
    st.sampled_from([None, "", "An answer."]),
    st.sampled_from([{}, {"error": "boom"}, {"error": "boom", "error_stage": "generation"}]),
    st.integers(1, 2),
    st.sets(st.sampled_from(Probe)),
)
def test_a_line_is_what_the_model_says_without_defaults(
    kind: str,
    window: list[str],
    more: list[str],
    fields: set[str],
    answer: str | None,
    error: dict[str, str],
    attempts: int,
    probes: set[Probe],
) -> None:
    golden = row("h", kind, standalone_question="q", **{name: FIELDS[name] for name in fields})
    seen = trace(window, *more, answer=answer, **error)
    if probes:
        asked: ProbeTrace = {"query": "q", "candidates": [*seen["candidates"][:2]], "answer": "a"}
        seen["probes"] = {probe.value: asked for probe in probes}
        seen["probe_costs"] = {probe.value: {"seconds": 0.5} for probe in probes}
    scoring = Scoring(
        reading=Reading(context_k=4), thresholds=Thresholds(), generates=answer is not None
    )
    one = score_attempt(golden, seen, None, scoring)
    result = score_row(golden, [one] * attempts, digest="d", asked="a")

    line = row_line(result)

    assert line == result.model_dump_json(exclude_defaults=True).encode() + b"\n"
    assert trace_bytes(golden, 1, seen) == line_of(trace_line(golden, 1, seen))
    assert timing_bytes("h", 1, seen) == line_of(timing_line("h", 1, seen))
    assert unpack(loads(trace_bytes(golden, 1, seen))).get("probes") == seen.get("probes")
    assert b"seconds" not in trace_bytes(golden, 1, seen)
    assert row_line(RowResult.model_validate_json(line)) == line
