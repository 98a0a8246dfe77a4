"""How often plain code doubts what is right: over public texts, and over the pairs of this tree.

Public data is no part of this repository: `EVALRAG_SHARED` names the folder that holds it.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalrag.judging.claims import claims_of
from evalrag.judging.guard import doubt, proven_otherwise
from evalrag.judging.proofs import share
from evalrag.judging.retold import unclaimed, unsaid
from evalrag.judging.sources import Sources
from evalrag.judging.suspicion import suspicious
from evalrag.judging.wording import statement
from evalrag.schema.result import Claim
from evalrag.schema.words import Label

ROOT = Path(__file__).parents[2]
PAIRS = ROOT / "tests/judging/minimal_pairs.jsonl"
DATA = Path(os.environ.get("EVALRAG_SHARED", "")) / "data"
PUBLIC = (
    "policies/chunks.jsonl",
    "policies/dataset.jsonl",
    "qa/multihop_chunks.jsonl",
    "qa/multihop_rows.jsonl",
    "qa/squad2_chunks.jsonl",
    "qa/squad2_rows.jsonl",
    "judge/ragtruth_qa.jsonl",
    "judge/contractnli_docs.jsonl",
    "judge/contractnli_claims.jsonl",
)
SPOKEN = {"text", "contexts", "answer", "question", "claim", "reference_answer", "trap_answer"}


def rows(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        pytest.skip(f"{path.name} is not here")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def texts(row: dict[str, Any]) -> Iterator[str]:
    for name in SPOKEN & row.keys():
        value = row[name]
        yield from value if isinstance(value, list) else [value or ""]


@pytest.mark.parametrize("name", PUBLIC)
def test_no_public_text_is_taken_for_one_that_speaks_to_a_judge(name: str) -> None:
    found = rows(DATA / name)
    assert [one for row in found for text in texts(row) if (one := suspicious([text], None))] == []


@pytest.mark.parametrize("name", ["corpus.jsonl", "golden.jsonl"])
def test_nor_is_any_of_the_demo(name: str) -> None:
    found = rows(ROOT / "datasets/demo" / name)
    assert [one for row in found for text in texts(row) if (one := suspicious([text], None))] == []


def best_sentence(text: str, context: str) -> str:
    """The sentence that shares most words with a claim: what a careful judge quotes."""
    claim = statement(text)
    found = Sources([context]).all
    return max(found, key=lambda one: share(claim, one.statement)).statement.text


def doubted(row: dict[str, Any], *, quoted: bool) -> bool:
    context, question = row["context"], row["question"]
    return any(
        doubt(
            claim["text"],
            best_sentence(claim["text"], context) if quoted else None,
            [context],
            question,
        )
        for claim in row["claims"]
    )


@pytest.mark.parametrize(("quoted", "false", "caught"), [(True, 4, 74), (False, 3, 74)])
def test_labels_of_support_on_the_pairs(quoted: bool, false: int, caught: int) -> None:
    told = [row for row in rows(PAIRS) if row.get("claims")]
    counts = Counter((row["label"], doubted(row, quoted=quoted)) for row in told)
    assert counts["SUPPORTED", True] + counts["SUPPORTED", False] == 42
    assert counts["CONTRADICTED", True] + counts["CONTRADICTED", False] == 93
    assert counts["SUPPORTED", True] <= false
    assert counts["CONTRADICTED", True] >= caught


def test_right_verdicts_on_the_pairs_are_not_taken_for_retold_ones() -> None:
    for row in rows(PAIRS):
        claims = [_claim(one["text"], one["label"]) for one in row.get("claims") or []]
        question, answer, context = row["question"], row["answer"], [row["context"]]
        assert [one.text for one in claims if unsaid(one.text, question, answer)] == []
        absent = [one.text for one in claims if one.label is Label.ABSENT]
        assert [text for text in absent if proven_otherwise(text, context, question)] == []
        if claims:
            assert unclaimed(question, answer, claims, context) == []


def test_nor_are_those_of_people_on_public_answers() -> None:
    for row in rows(DATA / "judge/ragtruth_qa.jsonl"):
        question, answer = row["question"], row["answer"]
        claims = [
            _claim(said.text, sentence["label"])
            for sentence in row["sentences"]
            for said in claims_of(question, sentence["text"])
            if not said.denial
        ]
        assert [one.text for one in claims if unsaid(one.text, question, answer)] == []
        assert unclaimed(question, answer, claims, row["contexts"]) == []


def _claim(text: str, label: str) -> Claim:
    return Claim(id="c1", text=text, label=Label(label))
