"""Evidence held against a corpus."""

from typing import Any

import pytest

from evalrag.evidence.assess import matches, matches_in
from evalrag.schema.evidence import Evidence
from evalrag.schema.run import Reading
from tests.evidence.build import chunk, text

NOW = "You may return unused items within 30 days of delivery"
CORPUS = [
    text(
        "Returns. You may return unused items", "refunds", metadata={"version": "2"}, span=(0, 36)
    ),
    text("within 30 days of delivery.", "refunds", metadata={"version": "2"}, span=(37, 64)),
    text("You may return unused items within 60 days", "refunds", metadata={"version": "1"}),
    text(NOW, "faq"),
    chunk("a", doc="terms"),
]

COUNTS: list[Any] = [
    pytest.param("a", 1, id="chunk"),
    pytest.param("z", 0, id="no such chunk"),
    pytest.param({"doc": "refunds"}, 3, id="doc: its passages"),
    pytest.param({"doc": "refunds", "metadata": {"version": "2"}}, 2, id="doc in one version"),
    pytest.param({"quote": NOW}, 2, id="quote: two documents, one of them in halves"),
    pytest.param({"quote": NOW, "doc": "refunds"}, 1, id="quote in a doc"),
    pytest.param({"quote": NOW, "metadata": {"version": "1"}}, 0, id="quote in another version"),
    pytest.param({"quote": "return unused items", "doc": "refunds"}, 2, id="short quote: versions"),
    pytest.param({"doc": "refunds", "span": [0, 36]}, 1, id="span"),
    pytest.param({"doc": "refunds", "span": [0, 64]}, 0, id="span with a gap"),
    pytest.param({"metadata": {"version": "2"}}, 2, id="metadata alone"),
    pytest.param({"any_of": ["a", "z", {"quote": NOW}]}, 2, id="alternatives that are found"),
    pytest.param({"all_of": ["a", {"quote": NOW}]}, 1, id="every part"),
    pytest.param({"all_of": ["a", "z"]}, 0, id="not every part"),
]


@pytest.mark.parametrize(("written", "count"), COUNTS)
def test_an_evidence_is_found_at_so_many_places(written: Any, count: int) -> None:
    evidence = Evidence.model_validate(written)
    assert matches_in(evidence, iter(CORPUS), Reading()) == count


def test_many_are_counted_in_one_go() -> None:
    cases = [case.values for case in COUNTS]
    evidences = [Evidence.model_validate(written) for written, _ in cases]
    assert matches(evidences, iter(CORPUS), Reading()) == [count for _, count in cases]


def test_nothing_is_found_in_an_empty_corpus() -> None:
    assert matches_in(Evidence(quote=NOW), [], Reading()) == 0
