"""One sound pipeline, one fault at a time: each fault is diagnosed by its own name."""

from typing import Any

import pytest

from tests.workspace import Workspace

DESK = """
    import re

    DOCS = {
        "returns#0": "Items can be returned within 30 days of delivery.",
        "wrap#0": "Gift wrapping costs 4 euros for each parcel.",
        "club#0": "Club members get free coffee every Sunday.",
        "hours#0": "The shop opens at nine in the morning.",
        "repair#0": "A workshop mends bicycles on Fridays.",
        "market#0": "Marketplace sellers take 10 working days for a refund.",
    }
    TOP_K, WINDOW, ROOM = 4, 2, 1000

    def words(text):
        return set(re.findall("[a-z0-9]{4,}", text.lower()))

    def shared(query, passage):
        return len(words(query) & words(passage["text"]))

    def meant(question, history):
        earlier = [turn["content"] for turn in history if turn["role"] == "user"]
        return " ".join([*earlier[-1:], question])

    def rewrite(question, history):
        return meant(question, history)

    def search(question):
        found = [{"id": name, "doc": name[:-2], "text": text} for name, text in DOCS.items()]
        return sorted(found, key=lambda passage: -shared(question, passage))[:TOP_K]

    def rerank(query, candidates):
        return sorted(candidates, key=lambda passage: -shared(query, passage))

    def prompt(passages):
        kept, room = [], ROOM
        for passage in passages:
            room -= len(passage["text"])
            if room >= 0:
                kept.append(passage)
        return kept

    def generate(question, passages, history):
        kept = prompt(passages)
        asked = meant(question, history)
        said = [passage["text"] for passage in kept if shared(asked, passage)]
        answer = " ".join(said) or "I do not have information about that."
        return {"answer": answer, "context": kept}

    def answer(question, history):
        query = rewrite(question, history)
        candidates = search(query)
        reranked = rerank(query, candidates)
        said = generate(question, reranked[:WINDOW], history)
        return {"query": query, "candidates": candidates, "reranked": reranked, **said}
"""
TALK = [
    {"role": "user", "content": "I bought from marketplace sellers."},
    {"role": "assistant", "content": "What would you like to know?"},
]
ROWS: list[dict[str, Any]] = [
    {"id": "days", "kind": "happy-path", "question": "When can items be returned?",
     "gold": ["returns#0"]},
    {"id": "both", "kind": "multi-hop", "gold": ["returns#0", "wrap#0"],
     "question": "Can items be returned, and what does wrapping of gift items for delivery cost?"},
    {"id": "talk", "kind": "happy-path", "question": "And how long may that last?",
     "standalone_question": "How long may marketplace sellers take for a refund?",
     "history": TALK, "gold": ["market#0"]},
]  # fmt: skip
PROBES = ["standalone_question", "oracle_context"]
STAGED = {
    "rewriter": {"use": "desk:rewrite"},
    "retriever": {"use": "desk:search"},
    "generator": {"use": "desk:generate"},
    "top_k": 4,
    "watch": ["desk.py"],
}
WHOLE = {
    "retriever": None,
    "generator": None,
    "use": "desk:answer",
    "top_k": 4,
    "watch": ["desk.py"],
}
LOST = ("return meant(question, history)", "return question")
"""The rewriter forgets what the conversation was about; the generator does not."""
CUT = ("ROOM = 4, 2, 1000", "ROOM = 4, 2, 60")
"""The prompt builder drops the last passage for length."""
MOVED = (
    "def rerank(query, candidates):\n        return",
    "def rerank(query, candidates):\n        return candidates[::-1] or",
)
"""The reranker puts the worst first."""
REUSED = (
    'return {"query": query,',
    "if history:\n"
    "            used = search('When does the shop open, and who mends bicycles?')[:WINDOW]\n"
    "            said = generate(question, used, history)\n"
    "            return {**said, 'context': used, 'context_reused_from': 1}\n"
    '        return {"query": query,',
)
"""From the second turn on nothing is searched for any more."""


def ended(shop: Workspace, pipeline: dict[str, Any], before: str, after: str) -> dict[str, Any]:
    """The verdict of a run with that fault, held against the sound pipeline."""
    shop.rows(ROWS)
    shop.write("desk.py", DESK)
    shop.plan(pipeline=pipeline, probes=PROBES if "rewriter" in pipeline else None)
    shop.accepted()
    assert DESK.count(before) == 1
    shop.write("desk.py", DESK.replace(before, after))
    done = shop.evalrag("run", "plan.yaml", "--format", "json")
    assert done.code == 1, done.out
    return dict(done.json)


def stages(verdict: dict[str, Any], row: str) -> dict[str, str]:
    change = next(one for one in verdict["diff"]["changes"] if one["id"] == row)
    return {name: what for name, what in change["stages"].items() if what == "broke"}


@pytest.mark.parametrize("pipeline", [STAGED, WHOLE], ids=["staged", "one hook"])
def test_the_pipeline_without_a_fault_passes(shop: Workspace, pipeline: dict[str, Any]) -> None:
    shop.rows(ROWS)
    shop.write("desk.py", DESK)
    shop.plan(pipeline=pipeline, probes=PROBES if "rewriter" in pipeline else None)
    shop.accepted()

    done = shop.evalrag("run", "plan.yaml", "--format", "json")

    assert done.code == 0, done.out
    assert done.json["outcomes"] == {"happy-path": {"pass": 2}, "multi-hop": {"pass": 1}}
    assert done.json["diagnoses"] == done.json["warnings"] == {}


@pytest.mark.parametrize("pipeline", [STAGED, WHOLE], ids=["staged", "one hook"])
def test_a_prompt_builder_that_cuts_is_truncation(
    shop: Workspace, pipeline: dict[str, Any]
) -> None:
    verdict = ended(shop, pipeline, *CUT)

    assert verdict["diagnoses"] == {"truncated": ["both"]}
    assert stages(verdict, "both")["ranking"] == "broke"
    assert "was in the window and did not reach the prompt" in shop.evalrag(
        "show", "latest", "both"
    ).out.replace("\n    ", " ")


def test_a_reranker_that_moves_the_evidence_out_is_named(shop: Workspace) -> None:
    verdict = ended(shop, WHOLE, *MOVED)

    assert set(verdict["diagnoses"]) == {"ranked-out"}
    assert "evidence 1 is at position 1 before the reranker, which moved it" in shop.evalrag(
        "show", "latest", "days"
    ).out.replace("\n    ", " ")


def test_passages_of_an_earlier_turn_are_named_beside_what_they_lack(shop: Workspace) -> None:
    verdict = ended(shop, WHOLE, *REUSED)

    assert verdict["warnings"] == {"reused-context": ["talk"]}
    assert verdict["diagnoses"] == {"not-retrieved": ["talk"]}
    assert [(t["turn"], t["kind"], t["recall"], t["reused"]) for t in verdict["turns"]] == [
        (1, "happy-path", 1.0, 0),
        (1, "multi-hop", 1.0, 0),
        (2, "happy-path", 0.0, 1),
    ]
    short = shop.evalrag("gate", "latest")
    assert "1 row failed on passages of an earlier turn (reused-context): talk" in (
        short.out.replace("\n    ", " ")
    )
    assert "Conversations" not in short.out
    full = [line.split() for line in shop.evalrag("gate", "latest", "--full").out.splitlines()]
    assert ["1", "1", "(1)", "1", "(1)", "0", "of", "2"] in full
    assert ["2", "0", "(1)", "1", "of", "1"] in full


def test_a_rewriter_that_forgets_the_conversation_is_named(shop: Workspace) -> None:
    verdict = ended(shop, STAGED, *LOST)

    assert verdict["diagnoses"] == {"rewrite": ["talk"]}
    assert stages(verdict, "talk")["rewrite"] == stages(verdict, "talk")["retrieval"] == "broke"
    shown = shop.evalrag("show", "latest", "talk").out.replace("\n    ", " ")
    assert "finds evidence 1, and the rewritten query does not" in shown
    assert "look at the rewriter" in shown
