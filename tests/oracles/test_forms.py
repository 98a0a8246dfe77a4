"""Forms on public texts: answers that people labelled, and sentences that answer no question."""

import json
from collections import Counter

from evalrag.judging import phrases
from evalrag.judging.forms import answer_form
from evalrag.schema.words import Form
from evalrag.text import sentences
from tests.oracles.labelled import contractnli, ragtruth
from tests.oracles.trec import public

CORPORA = [
    ("qa", "squad2_chunks.jsonl"),
    ("qa", "multihop_chunks.jsonl"),
    ("policies", "chunks.jsonl"),
]


def test_model_answers_that_decline_in_part_are_found_as_before() -> None:
    rows = ragtruth(public("judge", "ragtruth_qa.jsonl").parent)

    found = Counter(answer_form(row["question"], row["answer"])[0] for row in rows)

    assert found == {Form.ANSWERED: 262, Form.QUALIFIED: 38}


def test_no_statement_about_a_contract_declines() -> None:
    rows = contractnli(public("judge", "contractnli_claims.jsonl").parent)

    assert {answer_form(row["question"], row["answer"])[0] for row in rows} == {Form.ANSWERED}


def test_next_to_no_sentence_of_a_passage_declines() -> None:
    read = wrong = 0
    for name in CORPORA:
        for line in public(*name).read_text(encoding="utf-8").splitlines():
            for sentence in sentences(json.loads(line)["text"]):
                read += 1
                wrong += phrases.declines(sentence.text)

    assert read > 17_000
    assert wrong <= 16
