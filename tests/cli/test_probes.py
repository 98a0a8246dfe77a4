"""Probes through `evalrag run`: what they tell apart, what they cost, and what they never cost."""

import json
import signal
import time
from typing import Any

import pytest

from tests.judges.scripted import honest
from tests.provider.server import ProviderServer
from tests.workspace import Workspace

BOT = """
    import json, pathlib

    RETURNS = "The return window is 30 days from delivery."
    DECLINE = "I do not have information about that."
    NOISE = "Our shop opens at nine in the morning."

    def log(**said):
        with pathlib.Path("calls.log").open("a") as file:
            file.write(json.dumps(said) + "\\n")

    def rewrite(question, history):
        return question

    def retrieve(question, top_k):
        log(search=question)
        return [{"id": "returns#0", "doc": "returns", "text": RETURNS}]

    def generate(question, passages):
        log(given=[passage["text"] for passage in passages])
        if "rugby" in question:
            return "I do not have information about that."
        if not passages:
            return {"answer": DECLINE}
        return {"answer": passages[0]["text"], "usage": {"input_tokens": 7, "output_tokens": 2}}
"""
AWAY = ('return [{"id": "returns#0", "doc": "returns", "text": RETURNS}]',
        'return [{"id": "other#0", "doc": "other", "text": NOISE}]')  # fmt: skip
"""The retriever does not find it."""
WRONG = 'passages[0]["text"], "usage"', '"The return window is 14 days from delivery.", "usage"'
"""The generator says the same whatever it reads."""
MEMORY = '{"answer": DECLINE}', '{"answer": RETURNS}'
"""The model knows it without a passage."""
NEEDS = 'return {"answer": DECLINE}', "passages[0]"
"""The generator cannot do without a passage."""
FETCHED = "log(search=question)"
PICKY = FETCHED, f"{FETCHED}; assert 'of the shop' not in question, 'index away'"
"""The retriever fails at the standalone question."""
SLOW = FETCHED, f"{FETCHED}; import time; time.sleep(0.4)"
ROW: dict[str, Any] = {
    "id": "days",
    "kind": "happy-path",
    "question": "How long is the return window?",
    "gold": [{"doc": "returns", "quote": "The return window is 30 days from delivery"}],
    "reference_facts": ["The return window is 30 days from delivery."],
    "standalone_question": "How long is the return window of the shop?",
}
OTHER = {"id": "u1", "kind": "unanswerable", "question": "Who won the rugby final?",
         "unanswerable_because": "out-of-scope"}  # fmt: skip
PIPELINE = {
    "generator": {"use": "bot:generate", "model": "none"},
    "top_k": 3,
    "context_k": 2,
    "watch": ["bot.py"],
}
ORACLE, NONE, STANDALONE = "oracle_context", "no_context", "standalone_question"


def laid(shop: Workspace, *faults: tuple[str, str], probes: list[str], **more: Any) -> None:
    """The bot with those faults, and a plan that probes."""
    code = BOT
    for before, after in faults:
        assert code.count(before) == 1, before
        code = code.replace(before, after)
    shop.write("bot.py", code)
    rows = more.pop("rows", [ROW, OTHER])
    shop.rows(rows)
    shop.plan(pipeline=PIPELINE | more.pop("pipeline", {}), probes=probes, baseline=None, **more)


def ran(shop: Workspace, *arguments: str) -> Any:
    done = shop.evalrag("run", "plan.yaml", "--no-baseline", "--format", "json", *arguments)
    return json.loads(done.out)


def stored(shop: Workspace, name: str, run: str = "latest") -> list[dict[str, Any]]:
    folder = shop.path / ".evalrag" / "runs"
    found = max(folder.iterdir()) if run == "latest" else folder / run
    return [json.loads(line) for line in (found / name).read_text().splitlines()]


def calls(shop: Workspace) -> list[Any]:
    path = shop.path / "calls.log"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_both_stages_broken_are_two_problems_with_both_facts(shop: Workspace) -> None:
    laid(shop, AWAY, WRONG, probes=[ORACLE])

    verdict = ran(shop)

    assert verdict["diagnoses"] == {"two-problems": ["days"]}
    because = stored(shop, "rows.jsonl")[0]["diagnoses"][0]["because"]
    assert because.startswith("retrieval failed: evidence 1 is not among 1 candidates; ")
    assert "with the gold in the context c1 is" in because
    assert "answer_correctness is 0" in because
    assert [f["code"] for f in stored(shop, "rows.jsonl")[0]["diagnoses"]][1] == "not-retrieved"


def test_retrieval_alone_broken_is_a_fault_of_retrieval(shop: Workspace) -> None:
    laid(shop, AWAY, probes=[ORACLE])

    verdict = ran(shop)

    assert verdict["diagnoses"]["not-retrieved"] == ["days"]
    assert "two-problems" not in verdict["diagnoses"]
    assert verdict["probes"] == {ORACLE: {"pass": 1}}
    assert "with the gold in the context the answer is right" in shop.evalrag(
        "show", "latest", "days"
    ).out.replace("\n    ", " ")


def test_gold_of_a_corpus_is_put_in_as_the_passages_that_it_is(shop: Workspace) -> None:
    laid(
        shop,
        AWAY,
        probes=[ORACLE],
        rows=[{**ROW, "gold": ["returns#7"]}],
        corpus={"path": "corpus.jsonl"},
    )
    text = "The return window is 30 days from delivery, says page seven."
    shop.write("corpus.jsonl", json.dumps({"id": "returns#7", "doc": "returns", "text": text}))

    ran(shop)

    assert [text] in [call.get("given") for call in calls(shop)]


def test_gold_that_is_known_nowhere_leaves_the_probe_open_and_the_row_as_it_was(
    shop: Workspace,
) -> None:
    laid(shop, AWAY, probes=[ORACLE], rows=[{**ROW, "gold": ["returns#7"]}])

    verdict = ran(shop)

    (row,) = stored(shop, "rows.jsonl")
    assert row["probes"][ORACLE]["because"] == "no passage is known that holds returns#7"
    assert verdict["probes"] == {ORACLE: {"unresolved": 1}}
    assert verdict["diagnoses"] == {"not-retrieved": ["days"]}
    assert len(calls(shop)) == 2
    assert verdict["spent"][-1]["what"] != "probes"


def test_rows_that_lack_nothing_are_not_asked_again(shop: Workspace) -> None:
    laid(shop, probes=[ORACLE])

    verdict = ran(shop)

    assert verdict["probes"] == {}
    assert len(calls(shop)) == 4  # a search and an answer for each of two rows


def test_an_answer_from_memory_is_warned_of_beside_a_pass(shop: Workspace) -> None:
    laid(shop, MEMORY, probes=[NONE])

    verdict = ran(shop)

    assert verdict["warnings"] == {"from-memory": ["days"]}
    assert verdict["outcomes"]["happy-path"] == {"pass": 1}
    assert "answer_correctness is 1 without any passage" in shop.evalrag(
        "show", "latest", "days"
    ).out.replace("\n    ", " ")


def test_an_answer_that_needs_its_passage_is_not(shop: Workspace) -> None:
    laid(shop, probes=[NONE])

    verdict = ran(shop)

    assert verdict["warnings"] == {}
    assert verdict["probes"] == {NONE: {"pass": 1}}


@pytest.mark.parametrize(
    ("probe", "fault", "reason"),
    [
        pytest.param(NONE, NEEDS, "IndexError", id="the generator"),
        pytest.param(STANDALONE, PICKY, "AssertionError: index away", id="the retriever"),
    ],
)
def test_a_probe_that_fails_costs_the_row_nothing(
    shop: Workspace, probe: str, fault: tuple[str, str], reason: str
) -> None:
    laid(shop, fault, probes=[probe], rows=[ROW], pipeline={"rewriter": {"use": "bot:rewrite"}})

    verdict = ran(shop)

    (row,) = stored(shop, "rows.jsonl")
    assert row["outcome"] == "pass"
    assert reason in row["probes"][probe]["because"]
    assert verdict["probes"] == {probe: {"unresolved": 1}}
    assert row["stages"].get("rewrite") == ("unresolved" if probe == STANDALONE else None)


def test_a_gate_on_the_rewrite_stage_waits_for_a_probe_that_could_not_be_had(
    shop: Workspace,
) -> None:
    gate = {"name": "rewriting", "metric": "stage.rewrite", "must": {"rate_at_least": 1}}
    rewriter = {"rewriter": {"use": "bot:rewrite"}}
    laid(shop, PICKY, probes=[STANDALONE], rows=[ROW], pipeline=rewriter, gates=[gate])

    done = shop.evalrag("run", "plan.yaml", "--no-baseline")

    assert done.code == 3, done.out
    assert "gate undecided: rewriting (days)" in done.out


def test_calls_of_probes_are_counted_apart_from_the_pipelines_own(shop: Workspace) -> None:
    laid(shop, AWAY, probes=[ORACLE])

    spent = {one["what"]: one for one in ran(shop)["spent"]}

    assert (spent["pipeline"]["calls"], spent["pipeline"]["tokens_in"]) == (1, 7)
    assert (spent["probes"]["calls"], spent["probes"]["tokens_in"]) == (1, 7)
    assert "- probes: 1 call, 7 tokens in and 2 out, cost unknown" in shop.evalrag("gate").out
    timed = stored(shop, "timings.jsonl")[0]
    assert timed["usage"] == timed["probe_costs"][ORACLE]["usage"]
    assert set(timed["seconds"]) == {"retrieval", "generation"}


def test_a_later_run_keeps_what_cannot_have_changed(shop: Workspace) -> None:
    probes = [STANDALONE, ORACLE, NONE]
    rewriter = {"rewriter": {"use": "bot:rewrite"}}
    laid(shop, AWAY, probes=probes, rows=[ROW], pipeline=rewriter)
    first = ran(shop)
    files = shop.run_files("0001")
    before = len(calls(shop))

    second = ran(shop)

    assert len(calls(shop)) == before + 2  # the row itself: one search, one answer
    assert shop.run_files("0002") == files
    assert [s["kept"] for s in second["spent"] if s["what"] == "probes"] == [3]
    assert [s["calls"] for s in first["spent"] if s["what"] == "probes"] == [3]
    assert "3 kept from before" in shop.evalrag("gate").out
    ran(shop, "--no-cache")
    assert len(calls(shop)) == before + 2 + 5


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        pytest.param({"rows": [{**ROW, "reference_facts": ["30 days"]}]}, 5, id="the row"),
        pytest.param({"pipeline": {"watch": None}}, 5, id="code that nobody watches"),
        pytest.param(
            {"pipeline": {"generator": {"use": "bot:generate", "model": "new"}}}, 4, id="the model"
        ),
        pytest.param({"pipeline": {"context_k": 1}}, 3, id="the window"),
    ],
)
def test_what_may_have_changed_is_asked_again(
    shop: Workspace, change: dict[str, Any], asked: int
) -> None:
    rewriter = {"rewriter": {"use": "bot:rewrite"}}
    probes = [STANDALONE, ORACLE, NONE]
    laid(shop, AWAY, probes=probes, rows=[ROW], pipeline=rewriter)
    ran(shop)
    before = len(calls(shop))
    pipeline = rewriter | change.get("pipeline", {})
    laid(shop, AWAY, probes=probes, **({"rows": [ROW]} | change | {"pipeline": pipeline}))

    ran(shop)

    assert len(calls(shop)) == before + asked


def test_a_run_that_is_resumed_asks_no_probe_again(shop: Workspace) -> None:
    rows = [{**ROW, "id": f"r{n}"} for n in range(8)]
    laid(shop, AWAY, SLOW, probes=[ORACLE], rows=rows, run={"concurrency": 1})
    started = shop.start("run", "plan.yaml", "--no-baseline")
    deadline = time.monotonic() + 30
    while len(calls(shop)) < 9 and time.monotonic() < deadline:
        time.sleep(0.05)
    started.send_signal(signal.SIGKILL)
    started.wait()
    before = [call for call in calls(shop) if "given" in call]

    done = shop.evalrag("run", "plan.yaml", "--no-baseline", "--resume", "--format", "json")

    assert done.json["probes"] == {ORACLE: {"pass": 8}}
    given = [call for call in calls(shop) if "given" in call]
    assert len(before) >= 4
    assert len(given) <= 16 + 2  # at most the attempt that was on its way is made again
    assert len(stored(shop, "traces.jsonl")) == 8


def test_scoring_again_judges_the_stored_answers_and_calls_nobody(shop: Workspace) -> None:
    laid(shop, AWAY, WRONG, probes=[ORACLE], rows=[ROW])
    ran(shop)
    before = shop.run_files("0001"), len(calls(shop))

    assert shop.evalrag("rescore", "latest").code == 0

    assert (shop.run_files("0002"), len(calls(shop))) == before


def test_what_the_standalone_question_finds_can_be_put_in(shop: Workspace) -> None:
    rewriter = {"rewriter": {"use": "bot:rewrite"}}
    fault = (f"{FETCHED}\n", f"{FETCHED}\n        if 'of the shop' not in question: return []\n")
    gold = {**ROW, "gold": ["returns#0"]}
    laid(shop, fault, probes=[ORACLE, STANDALONE], rows=[gold], pipeline=rewriter)

    verdict = ran(shop)

    assert verdict["probes"] == {STANDALONE: {"fail": 1}, ORACLE: {"pass": 1}}
    assert verdict["diagnoses"] == {"rewrite": ["days"]}


def test_answers_to_probes_are_judged_and_their_calls_say_so(
    shop: Workspace, provider: ProviderServer
) -> None:
    provider.script = honest
    model = {"model": "gpt-5.5-2026-04-23", "base_url": provider.openai_url, "retries": 0}
    judge = {"use": "openai", "with": model}
    laid(shop, AWAY, MEMORY, probes=[ORACLE, NONE], rows=[ROW], judge=judge)

    done = shop.evalrag(
        "run", "plan.yaml", "--no-baseline", "--format", "json", OPENAI_API_KEY=provider.key
    )

    heard = [(call.get("probe"), call["task"]) for call in stored(shop, "calls.jsonl")]
    own = [task for probe, task in heard if probe is None]
    assert [task for probe, task in heard if probe == ORACLE] == [t for t in own if t != "recall"]
    assert [task for probe, task in heard if probe == NONE] == ["facts"]
    assert done.json["spent"][-1]["calls"] == len(provider.calls) == len(heard)
    assert done.json["probes"] == {ORACLE: {"pass": 1}, NONE: {"fail": 1}}


@pytest.mark.parametrize(
    ("probes", "pipeline", "said"),
    [
        pytest.param(["oracle_contxt"], {}, 'did you mean "oracle_context"?', id="a typo"),
        pytest.param([STANDALONE], {}, "the plan has no rewriter", id="no rewriter"),
        pytest.param([ORACLE], {"generator": None}, "the plan has none", id="no generator"),
        pytest.param([NONE, NONE], {}, "stands there twice", id="twice"),
        pytest.param(
            [ORACLE],
            {"retriever": None, "generator": None, "use": "bot:generate"},
            "one hook",
            id="a pipeline in one hook",
        ),
        pytest.param(
            [NONE],
            {"generator": {"use": "recorded", "with": {"path": "out.jsonl"}}},
            "the generator is recorded",
            id="a recorded generator",
        ),
    ],
)
def test_a_probe_that_the_plan_cannot_do_is_refused(
    shop: Workspace, probes: list[str], pipeline: dict[str, Any], said: str
) -> None:
    laid(shop, probes=probes, pipeline=pipeline)

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 2
    assert said in done.err
    assert "plan.yaml:" in done.err
    assert not calls(shop)


def test_check_says_which_probes_can_tell_nothing(shop: Workspace) -> None:
    bare = {k: v for k, v in ROW.items() if not k.startswith(("reference", "standalone"))}
    laid(
        shop,
        probes=[STANDALONE, ORACLE, NONE],
        rows=[{**bare, "gold": ["returns#0"]}],
        pipeline={"rewriter": {"use": "bot:rewrite"}},
    )

    out = shop.evalrag("check", "plan.yaml").out.replace("\n", " ")

    assert "ok: probes: standalone_question, oracle_context, no_context" in out
    assert "no row has a standalone_question and gold" in out
    assert "oracle_context can put gold of days into no context" in out
    assert "no answerable row has a reference, so no_context is never asked" in out


def test_a_probe_that_the_plan_gave_up_is_loosened(shop: Workspace) -> None:
    laid(shop, probes=[NONE])
    shop.plan(pipeline=PIPELINE, probes=[NONE])
    shop.accepted()
    shop.plan(pipeline=PIPELINE)

    assert "no longer probed: no_context" in shop.evalrag("run", "plan.yaml").out


@pytest.mark.parametrize("name", ["probes", "two-problems", "rewrite", "from-memory", ORACLE])
def test_explain_has_a_page(shop: Workspace, name: str) -> None:
    out = shop.evalrag("explain", name).out

    assert "probe" in out
