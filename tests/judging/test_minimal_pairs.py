"""The offline judge on sentences that differ from their context in one thing.

`minimal_pairs.jsonl`: 156 answers, each verbatim, in other words, or with one number, unit, date,
name or negation changed; `label` is the worst of its claims, `acceptable_labels` what a careful
reader may also say. The bounds are aims of the judge, not of a single row.
"""

import json
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from evalrag.judging.offline import judge_claims
from evalrag.schema.words import Label

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("minimal_pairs.jsonl").read_text("utf-8").splitlines()
]
WORST_FIRST = (Label.CONTRADICTED, Label.ABSENT, Label.UNRESOLVED, Label.SUPPORTED)
CHECKED_ONLY = {"paraphrase", "inference", "role_swap", "quantifier", "condition_dropped"}


@lru_cache
def verdict(place: int) -> str:
    row = ROWS[place]
    labels = {c.label for c in judge_claims(row["question"], [row["context"]], row["answer"])}
    return next((label.value for label in WORST_FIRST if label in labels), "ABSTAINED")


def judged() -> list[tuple[dict[str, Any], str]]:
    return [(row, verdict(place)) for place, row in enumerate(ROWS)]


def test_there_are_as_many_rows_as_there_were() -> None:
    assert len(ROWS) == 156
    assert Counter(row["label"] for row in ROWS)["CONTRADICTED"] == 93


def test_what_stands_in_the_context_is_supported() -> None:
    found = [label for row, label in judged() if row["edit_type"] == "verbatim"]
    assert found.count("SUPPORTED") >= len(found) - 2


def test_nothing_supported_is_called_contradicted() -> None:
    wrong = [
        row["id"]
        for row, label in judged()
        if label == "CONTRADICTED" and "CONTRADICTED" not in row["acceptable_labels"]
    ]
    assert wrong == []


def test_next_to_nothing_wrong_is_called_supported() -> None:
    wrong = [
        row["id"]
        for row, label in judged()
        if label == "SUPPORTED" and "SUPPORTED" not in row["acceptable_labels"]
    ]
    assert wrong == []


def test_most_contradictions_are_proven() -> None:
    found = [label for row, label in judged() if row["label"] == "CONTRADICTED"]
    assert found.count("CONTRADICTED") / len(found) >= 0.60


def test_half_of_the_rows_are_decided() -> None:
    assert [label for _, label in judged()].count("UNRESOLVED") / len(ROWS) <= 0.50


@pytest.mark.parametrize("place", range(len(ROWS)), ids=[row["id"] for row in ROWS])
def test_no_row_gets_a_wrong_label(place: int) -> None:
    row, label = ROWS[place], verdict(place)
    if row["edit_type"] in CHECKED_ONLY:
        opposite = {"SUPPORTED": "CONTRADICTED"}.get(row["label"], "SUPPORTED")
        assert label != opposite
    elif row["label"] == "SUPPORTED":
        assert label in {"SUPPORTED", "UNRESOLVED"}
    else:
        assert label != "SUPPORTED"
        assert label != "CONTRADICTED" or "CONTRADICTED" in row["acceptable_labels"]
