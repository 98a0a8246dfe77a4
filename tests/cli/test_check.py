"""`evalrag check`: what would bite is said before anything runs."""

import json

import pytest

from evalrag.cli.check import parts
from evalrag.schema.plan import PipelinePlan
from tests.workspace import BOT, ROWS, Workspace


def test_gold_by_chunk_id_with_a_hook_that_returns_texts(shop: Workspace) -> None:
    shop.write("bot.py", BOT.replace("(question, top_k):", "(question, top_k) -> list[str]:"))

    assert (
        "the retriever returns texts, which carry no ids" in shop.evalrag("check", "plan.yaml").out
    )


def test_rows_without_gold_name_the_gates_that_do_not_look_at_them(shop: Workspace) -> None:
    shop.rows([{**ROWS[0], "gold": [], "reference_facts": ["30 days"]}, *ROWS[1:]])

    out = shop.evalrag("check", "plan.yaml").out.replace("\n", " ")

    assert "rows without gold evidence (h1) are not looked at by 'evidence is retrieved'" in out


def test_default_gates_that_look_at_no_row_say_what_nothing_guards(shop: Workspace) -> None:
    shop.rows(ROWS[:2])

    out = shop.evalrag("check", "plan.yaml").out

    assert "default gate not installed: nothing is invented (no unanswerable rows)" in out


def test_rivals_that_are_nowhere_in_the_plans_corpus(shop: Workspace) -> None:
    lines = [
        {"id": n, "doc": n, "text": "x"}
        for n in ("returns#0", "wrap#0", "market#0", "delivery@2#0")
    ]
    shop.write("corpus.jsonl", "\n".join(map(json.dumps, lines)))
    shop.plan(corpus={"path": "corpus.jsonl"})

    out = shop.evalrag("check", "plan.yaml").out

    assert (
        "warning: golden.jsonl:4: s1: superseded[0] (delivery@1#0) is not in the corpus; "
        'no passage has the id "delivery@1#0": did you mean "delivery@2#0"?\n' in out
    )
    assert "gold[" not in out


def test_evidence_that_clashes_or_is_nowhere_is_named_with_its_line_and_why(
    shop: Workspace,
) -> None:
    page = {"id": "o", "doc": "opening", "text": "Doors close at 9:30 on weekdays."}
    shop.write("corpus.jsonl", json.dumps(page | {"version": "2026"}))
    quote = {"doc": "opening", "quote": "doors close at 9:30 on weekdays"}
    shop.rows(
        [
            ROWS[0] | {"gold": [quote | {"quote": "doors close at 9.30 on weekdays"}]},
            ROWS[1] | {"gold": [quote | {"metadata": {"version": 2026}}]},
            ROWS[2] | {"gold": [quote], "near_miss": ["o"]},
        ]
    )
    shop.plan(corpus={"path": "corpus.jsonl"})

    done = shop.evalrag("check", "plan.yaml")

    assert 'with "9:30" for "9.30"; mend the label or the page\n' in done.out
    assert "warning: golden.jsonl:1: h1: gold[0] (" in done.out
    assert (
        'corpus; its version 2026 is a number, where the corpus has text: write "2026"' in done.out
    )
    assert "error: golden.jsonl:3: n1: " in done.out
    assert done.code == 2


def test_a_quote_that_stands_in_two_documents_is_ambiguous(shop: Workspace) -> None:
    quote = "Returns are accepted within 30 days of delivery"
    lines = [{"id": n, "doc": n, "text": quote} for n in ("a", "b")]
    shop.write("corpus.jsonl", "\n".join(map(json.dumps, lines)))
    shop.rows([{**ROWS[0], "gold": [{"quote": quote}]}])
    shop.plan(corpus={"path": "corpus.jsonl"})

    assert "stands in 2 documents" in shop.evalrag("check", "plan.yaml").out


def test_without_a_corpus_it_says_what_was_not_checked(shop: Workspace) -> None:
    assert "no corpus is known" in shop.evalrag("check", "plan.yaml").out


def test_a_gate_on_what_the_judge_does_not_measure(shop: Workspace) -> None:
    shop.plan(gates=[{"name": "g", "metric": "answer_relevancy", "must": {"mean_at_least": 0.5}}])

    out = shop.evalrag("check", "plan.yaml").out

    assert "which offline-rules/2 does not measure" in out
    assert shop.evalrag("run", "plan.yaml").code == 3


def test_files_that_the_bot_imports_and_nobody_watches_are_named_with_what_to_add(
    shop: Workspace,
) -> None:
    shop.write("prompts.py", "TEXT = 'Be kind.'\n")
    shop.write("bot.py", BOT.replace("TEXTS = {", "import prompts\n    TEXTS = {", 1))

    out = shop.evalrag("check", "plan.yaml").out

    assert (
        "warning: the pipeline's code imports prompts.py, which `watch` does not cover, so that a "
        "change there goes unseen; under pipeline: watch: [bot.py, prompts.py]\n" in out
    )
    shop.plan(pipeline={"watch": ["bot.py", "prompts.py"]})
    assert "does not cover" not in shop.evalrag("check", "plan.yaml").out


def test_many_files_that_nobody_watches_are_counted_and_their_folders_named(
    shop: Workspace,
) -> None:
    names = ["a", "b", "c", "d"]
    for name in names:
        shop.write(f"parts/{name}.py", "X = 1\n")
    imports = "from parts import " + ", ".join(names)
    shop.write("bot.py", BOT.replace("TEXTS = {", f"{imports}\n    TEXTS = {{", 1))

    out = shop.evalrag("check", "plan.yaml").out

    assert "imports parts/a.py, parts/b.py, parts/c.py and 1 more, which" in out
    assert 'watch: [bot.py, "parts/*.py"]' in out


def test_what_is_tried_again_without_a_try(shop: Workspace) -> None:
    shop.plan(run={"retry_on": ["ConnectionError"]})

    assert "run.retries is 0: nothing is" in shop.evalrag("check", "plan.yaml").out


def test_a_window_that_is_larger_than_what_is_kept(shop: Workspace) -> None:
    shop.plan(pipeline={"top_k": 3, "context_k": 4})
    said = "warning: top_k (3) is less than context_k (4): the model is given 3 passages at most"

    assert said in shop.evalrag("check", "plan.yaml").out
    shop.plan(pipeline={"top_k": 4, "context_k": 4})
    assert "is less than" not in shop.evalrag("check", "plan.yaml").out


def test_gates_without_defaults_name_what_they_leave_out(shop: Workspace) -> None:
    mine = {"name": "mine", "metric": "context_recall", "must": "not_drop"}
    left = (
        "facts stay supported, nothing is invented, superseded passages stay out, rivals stay "
        "below the evidence, nothing forbidden is retrieved, answerable rows are answered, "
        "no new contradictions, answers stay faithful, right answers stay right"
    )
    shop.plan(gates=[mine])

    out = shop.evalrag("check", "plan.yaml").out

    assert (
        "warning: `gates` is written without the word `defaults`, which leaves these default gates "
        f"out: {left}; to have them too: gates: [defaults, ...]\n" in out
    )
    for gates in (["defaults", mine], None):
        shop.plan(gates=gates)
        assert "without the word" not in shop.evalrag("check", "plan.yaml").out


def test_a_waiver_and_a_quarantine_that_ended(shop: Workspace) -> None:
    waiver = {"row": "h1", "gate": "evidence is retrieved", "until": "2025-12-31", "reason": "r"}
    entry = {"row": "h2", "until": "2025-12-31", "owner": "Ada", "reason": "r"}
    said = (
        "the waiver of h1 for 'evidence is retrieved' ended 2025-12-31: take it out of the plan, "
        "or extend it",
        "the quarantine of h2 ended 2025-12-31: take it out of the plan, or extend it",
    )
    shop.plan(waivers=[waiver], quarantine=[entry])

    checked = shop.evalrag("check", "plan.yaml")
    run = shop.evalrag("run", "plan.yaml", "--no-baseline", "--format", "json")

    assert all(f"warning: {one}\n" in checked.out for one in said)
    assert [note for note in run.json["head"] if note in said] == list(said)
    later = [{**one, "until": "2026-11-30"} for one in (waiver, entry)]
    shop.plan(waivers=later[:1], quarantine=later[1:])
    assert " ended " not in shop.evalrag("check", "plan.yaml").out


@pytest.mark.parametrize(
    ("pipeline", "said"),
    [
        ({}, "retriever bot:retrieve, generator bot:generate; it answers"),
        ({"generator": None}, "retriever bot:retrieve; it retrieves alone"),
        (
            {
                "retriever": {"use": "bm25", "with": {"path": "corpus.jsonl"}},
                "generator": {"use": "extractive"},
            },
            "retriever bm25, generator extractive; it answers",
        ),
        (
            {"use": "bot:both", "retriever": None, "generator": None},
            "bot:both; it answers",
        ),
    ],
)
def test_what_is_in_the_pipeline_is_named(
    shop: Workspace, pipeline: dict[str, object], said: str
) -> None:
    shop.write("bot.py", BOT + "    def both(question):\n        return {}\n")
    shop.write("corpus.jsonl", json.dumps({"id": "returns#0", "text": "x"}))
    shop.plan(pipeline=pipeline)

    assert f"ok: pipeline: {said}" in shop.evalrag("check", "plan.yaml").out


def test_an_object_of_a_library_is_named_beside_its_adapter() -> None:
    entry = {"use": "haystack", "with": {"object": "mine:pipeline"}}

    assert parts(PipelinePlan.model_validate(entry)) == "haystack (mine:pipeline)"


@pytest.mark.parametrize("status", ["current", "superseded"])
def test_a_value_that_all_old_passages_carry_is_offered_as_a_line_to_paste(
    shop: Workspace, status: str
) -> None:
    old = {"doc": "old", "metadata": {"status": "superseded"}}
    gold = {"doc": "new", "metadata": {"status": status}}
    shop.rows([{**ROWS[3], "gold": [gold], "superseded": [old]}])

    out = " ".join(shop.evalrag("check", "plan.yaml").out.split())

    offered = 'superseded_when: {metadata: {status: "superseded"}}' in out
    assert offered is (status == "current")


def test_a_pipeline_that_does_not_say_what_it_used_is_warned_of_and_said_first(
    shop: Workspace,
) -> None:
    shop.write(
        "whole.py",
        "def answer(question):\n"
        "    found = [{'id': 'returns#0', 'text': 'Within 30 days.'}]\n"
        "    return {'candidates': found, 'answer': 'Within 30 days.'}\n",
    )
    stages = {"retriever": None, "generator": None}
    shop.plan(pipeline={**stages, "use": "whole:answer", "context_k": 3})

    assert "context assumed" in shop.evalrag("check", "plan.yaml").out
    shop.evalrag("run", "plan.yaml")
    said = shop.evalrag("gate", "--full").out.replace("\n", " ")
    assert "context assumed on" in said


@pytest.mark.parametrize("copy", [True, False])
def test_words_of_a_named_document_that_stand_in_a_copy_too(shop: Workspace, copy: bool) -> None:
    words = "Returns are accepted within 30 days of delivery"
    pages = [{"id": "a", "doc": "a", "text": f"{words}."}]
    pages.append({"id": "b", "doc": "b", "text": f"{words}!" if copy else "Nothing of it."})
    shop.write("corpus.jsonl", "\n".join(map(json.dumps, pages)))
    shop.rows([{**ROWS[0], "gold": [{"doc": "a", "quote": words}]}])
    shop.plan(corpus={"path": "corpus.jsonl"})

    assert (
        "a copy does not count" in " ".join(shop.evalrag("check", "plan.yaml").out.split())
    ) is copy


@pytest.mark.parametrize("other", ["1", "2"])
def test_a_version_that_another_document_still_has_is_not_offered_as_old(
    shop: Workspace, other: str
) -> None:
    pages = [("a1", "a", "1"), ("a2", "a", "2"), ("b", "b", other)]
    lines = [
        {"id": name, "doc": doc, "text": name, "metadata": {"version": version}}
        for name, doc, version in pages
    ]
    shop.write("corpus.jsonl", "\n".join(map(json.dumps, lines)))
    old, gold = ({"doc": "a", "metadata": {"version": version}} for version in "12")
    shop.rows([{**ROWS[3], "gold": [gold], "superseded": [old]}])
    shop.plan(corpus={"path": "corpus.jsonl"})

    offered = "superseded_when:" in shop.evalrag("check", "plan.yaml").out

    assert offered is (other == "2")
