"""`--dry-run` says how much would be asked, and asks nothing."""

from tests.provider.server import KEY, ProviderServer
from tests.workspace import BOT, ROWS, Workspace

RAISES = BOT.replace("first = FIRST.get(question, [])", "raise SystemExit('called')")
FACTS = ["Gift wrapping costs 4 euros."]


def test_calls_are_counted_and_nothing_is_called_or_written(shop: Workspace) -> None:
    shop.write("bot.py", RAISES)
    shop.plan(run={"repeats": 3, "retries": 2})

    done = shop.evalrag("run", "plan.yaml", "--dry-run")

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "6 rows, 3 attempts each",
        "retrieval: 18 calls",
        "generation: 18 calls, an unknown number of tokens (the passages are not known before) of "
        "questions and passages",
        "a call that fails is tried again up to 2 times",
        "judge offline-rules/2: no calls",
        "nothing was asked",
        "next: evalrag run plan.yaml",
    ]
    assert not (shop.path / ".evalrag").exists()


def test_of_the_rows_that_are_chosen(shop: Workspace) -> None:
    done = shop.evalrag("run", "plan.yaml", "--dry-run", "--kind", "near-miss", "--format", "json")

    assert done.json["rows"] == 1
    assert done.json["calls"] == {"retrieval": 1, "generation": 1}
    assert shop.evalrag("run", "plan.yaml", "--dry-run", "--row", "nowhere").code == 2
    assert shop.evalrag("run", "plan.yaml", "--dry-run", "--resume").code == 2


def test_a_judge_is_asked_no_more_than_was_said(shop: Workspace) -> None:
    from tests.judges.scripted import honest

    shop.rows([ROWS[0], ROWS[1] | {"reference_facts": FACTS}, ROWS[5]])
    with ProviderServer(honest) as server:
        with_ = {"model": "gpt-5.5-2026-04-23", "base_url": server.openai_url, "retries": 0}
        shop.plan(judge={"use": "openai", "with": with_}, pipeline={"context_chars": 4000})
        said = shop.evalrag("run", "plan.yaml", "--dry-run", "--format", "json", OPENAI_API_KEY=KEY)
        assert server.calls == []
        shop.evalrag("run", "plan.yaml", OPENAI_API_KEY=KEY)
        asked = len(server.calls)

    judge = said.json["judge"]
    asking = sum(len(ROWS[n]["question"]) for n in (0, 1, 5))
    assert judge["calls_by_task"] == {
        "form": 3,
        "claims": 6,
        "facts": 2,
        "relevancy": 3,
        "recall": 2,
    }
    assert 0 < asked <= judge["calls_at_most"] == 16
    # Eight prompts hold a window of 4,000 characters, a thousand tokens, beside what is theirs.
    assert 8_000 < judge["about_tokens"] < 20_000
    assert said.json["about_tokens_given"] == (3 * 4000 + asking) // 4


def test_the_window_of_a_known_corpus_is_counted(shop: Workspace) -> None:
    shop.write("corpus.jsonl", '{"id": "a", "text": "%s"}\n' % ("word " * 80))
    retriever = {"use": "bm25", "with": {"path": "corpus.jsonl"}}
    shop.plan(pipeline={"retriever": retriever, "context_k": 2})

    done = shop.evalrag("run", "plan.yaml", "--dry-run", "--format", "json")

    tokens = done.json["about_tokens_given"]
    assert 6 * 2 * 80 < tokens < 6 * 2 * 110 + 100


def test_recorded_outputs_are_no_calls(shop: Workspace) -> None:
    shop.write("outputs.jsonl", '{"id": "h1", "context": ["returns#0"], "answer": ""}\n')
    recorded = {"use": "recorded", "with": {"path": "outputs.jsonl"}}
    shop.plan(pipeline={"retriever": None, "generator": None, **recorded})

    done = shop.evalrag("run", "plan.yaml", "--dry-run")

    assert "pipeline: no calls, its outputs are recorded" in done.out
