"""Rows that stand alike are scored once, and those that name a passage are scored by themselves."""

from typing import Any

import pytest

from evalrag.regression.alike import Patterns
from evalrag.regression.scoring import score_attempt
from evalrag.schema.alike import Pattern
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.score import Scored
from evalrag.schema.trace import Trace
from tests.builders import row, scoring, trace

READING = Reading(top_k=20, context_k=3)
PLAIN = scoring(generates=False)


def patterns(reading: Reading = READING, *, generates: bool = False) -> Patterns:
    return Patterns(
        reading, lambda golden, seen: score_attempt(golden, seen, None, PLAIN), generates=generates
    )


SHARED = patterns()


def pattern(golden: Row, seen: Trace, of: Patterns = SHARED) -> Pattern | None:
    found = of.of(golden, seen)
    return found[0] if found is not None else None


def seen_as(name: str, *more: str) -> Trace:
    """Gold in the second place of a window of three, and what else was fetched below."""
    return trace([f"{name}-x", f"{name}-gold", f"{name}-y"], *more)


def test_rows_of_other_ids_whose_gold_stands_at_the_same_places_share_a_pattern() -> None:
    one = pattern(row("a"), seen_as("a"))

    assert one is not None
    assert pattern(row("b"), seen_as("b")) is one


@pytest.mark.parametrize(
    ("golden", "seen"),
    [
        pytest.param(row("b"), trace(["b-gold", "b-x", "b-y"]), id="another place"),
        pytest.param(row("b"), trace(["b-x", "b-gold"], "b-y"), id="another window"),
        pytest.param(row("b"), seen_as("b", "b-z"), id="more candidates"),
        pytest.param(row("b", gold=[{"chunk": "b-gold", "grade": 2}]), seen_as("b"), id="a grade"),
        pytest.param(row("b", gold=["b-gold", "b-none"]), seen_as("b"), id="more gold"),
    ],
)
def test_what_changes_a_score_is_another_pattern(golden: Row, seen: Trace) -> None:
    found = pattern(golden, seen)

    assert found is not None
    assert found is not pattern(row("a"), seen_as("a"))


SEEN = seen_as("a")
ANSWERED: Any = {**SEEN, "answer": "An answer."}
REORDERED: Any = {"candidates": SEEN["candidates"], "context": SEEN["candidates"][::-1]}
LONGER: Any = {"candidates": SEEN["candidates"][:2], "context": SEEN["candidates"]}
NAMELESS: Any = {**SEEN, "candidates": [*SEEN["candidates"], {"text": "No id."}]}
TWICE: Any = {**SEEN, "candidates": [*SEEN["candidates"], {"id": "a-x"}]}


@pytest.mark.parametrize(
    ("golden", "seen"),
    [
        pytest.param(row("a"), ANSWERED, id="an answer"),
        pytest.param(row("a"), REORDERED, id="a context in another order"),
        pytest.param(row("a"), LONGER, id="a context that is longer"),
        pytest.param(row("a"), NAMELESS, id="a passage without an id"),
        pytest.param(row("a"), TWICE, id="a passage that is there twice"),
        pytest.param(row("a", gold=[{"doc": "a", "quote": "Text of a-gold."}]), SEEN, id="a quote"),
        pytest.param(row("a", reference_facts=["A fact."]), SEEN, id="facts for a judge"),
        pytest.param(row("a", "unanswerable"), SEEN, id="no gold"),
        pytest.param(row("a", superseded=["a-x"]), SEEN, id="a rival, which is called by its name"),
    ],
)
def test_what_has_to_be_scored_by_itself(golden: Row, seen: Trace) -> None:
    assert pattern(golden, seen) is None


def test_what_is_acceptable_is_a_hit_without_gold() -> None:
    found = SHARED.of(row("a", acceptable=["a-y"]), SEEN)

    assert found is not None
    assert found[0] is not pattern(row("a"), SEEN)
    assert found[0].attempt.score("context_precision") == Scored(2 / 3)
    assert list(found[1]) == ["a-x", "a-gold", "a-y"]


def test_no_pattern_under_settings_that_read_more_than_places() -> None:
    assert pattern(row("a"), SEEN, patterns(generates=True)) is None
    old = READING.model_copy(update={"superseded_when": {"metadata": {"old": True}}})
    assert pattern(row("a"), SEEN, patterns(old)) is None


def test_a_pattern_holds_what_scoring_by_itself_gives_but_for_the_names() -> None:
    for name in ("a", "b", "c"):
        golden = row(name, acceptable=[f"{name}-y", f"{name}-z"])
        for seen in (seen_as(name), seen_as(name, f"{name}-z"), trace([f"{name}-x"])):
            alone = score_attempt(golden, seen, None, PLAIN)
            found = pattern(golden, seen)
            assert found is not None
            kept = found.attempt
            assert (kept.scores, kept.stages, kept.outcome) == (
                alone.scores,
                alone.stages,
                alone.outcome,
            )
