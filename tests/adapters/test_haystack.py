"""Haystack's own pipelines and components, asked through a plan: what the plan names comes out."""

import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from evalrag.adapters.reach import reached
from evalrag.errors import PluginError
from tests.adapters.plans import GIVEN, asked, build, placed, print_of

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """Imported where its tests run, not where tests are looked for."""
    pytest.importorskip("haystack", reason="pip install 'evalrag[haystack]'")


BOT = dedent("""
    import asyncio
    import time
    from dataclasses import replace
    from haystack import Document, component
    from haystack.components.builders import AnswerBuilder, PromptBuilder
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.dataclasses import ChatMessage
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    try:  # before Haystack 3 only this one had run_async
        from haystack import AsyncPipeline as Pipeline
    except ImportError:
        from haystack import Pipeline

    store = InMemoryDocumentStore()
    store.write_documents([
        Document(id="r1", content="Refund within 30 days.",
                 meta={"file_path": "refunds", "split_idx_start": 40, "version": "3"}),
        Document(id="d1", content="Delivery takes 3 days.",
                 meta={"source_id": "delivery", "split_idx_start": 0, "version": "1"}),
        Document(id="g1", content="Gift cards.", meta={}),
    ])
    retriever = InMemoryBM25Retriever(document_store=store, top_k=2)

    @component
    class Echo:
        def __init__(self, usage=None):
            self.usage = usage
        @component.output_types(replies=list[str], meta=list[dict])
        def run(self, prompt: str):
            return {"replies": ["said " + prompt], "meta": [{"usage": self.usage}]}

    @component
    class Last:
        @component.output_types(documents=list[Document])
        def run(self, documents: list[Document]):
            return {"documents": [replace(documents[-1], score=0.25)]}

    def made(usage=None, retriever=None, ranker=None):
        built = Pipeline()
        built.add_component("retriever", retriever or fresh())
        built.add_component("ranker", ranker or Last())
        built.add_component("prompt", PromptBuilder(
            "{% for d in documents %}{{ d.content }}{% endfor %} :: {{ question }}",
            required_variables=["documents", "question"]))
        built.add_component("llm", Echo(usage))
        built.connect("retriever.documents", "ranker.documents")
        built.connect("ranker.documents", "prompt.documents")
        built.connect("prompt.prompt", "llm.prompt")
        return built

    def fresh():
        return InMemoryBM25Retriever(document_store=store, top_k=2)

    whole = made()
    alone = Pipeline()
    alone.add_component("retriever", fresh())
    calls = []
""")
GENERATOR = GIVEN + dedent("""
    generator = Pipeline()
    generator.add_component("prompt", PromptBuilder(
        "{% for d in documents %}{{ d.id }} {{ d.content }} {% endfor %}:: {{ question }}",
        required_variables=["documents", "question"]))
    generator.add_component("llm", Echo({"prompt_tokens": 7, "completion_tokens": 2}))
    generator.connect("prompt.prompt", "llm.prompt")
""")
INPUTS = {"retriever.query": "question", "prompt.question": "question"}
OUTPUTS = {
    "candidates": "retriever.documents",
    "context": "ranker.documents",
    "answer": "llm.replies",
}
WHOLE = {"object": "bot:whole", "inputs": INPUTS, "outputs": OUTPUTS}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Haystack makes a folder in the user's home when a pipeline fails."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def pipeline(
    folder: Path, settings: dict[str, Any], more: str = "", *, stage: str = "retriever"
) -> Any:
    return build(folder, placed("haystack", settings, stage), code=BOT + dedent(more))


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"object": "bot:retriever"}, id="a component"),
        pytest.param(
            {
                "object": "bot:alone",
                "inputs": {"retriever.query": "question", "retriever.top_k": 2},
                "outputs": {"candidates": "retriever.documents"},
            },
            id="a pipeline",
        ),
    ],
)
def test_a_retriever_gives_ids_documents_texts_scores_metadata_and_spans(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    (trace,) = asked(pipeline(tmp_path, settings), ["refund within 30 days"])

    assert "error" not in trace
    first, second = trace["candidates"]
    assert second.pop("score") < first.pop("score")
    assert first == {
        "id": "r1",
        "doc": "refunds",
        "text": "Refund within 30 days.",
        "metadata": {"file_path": "refunds", "split_idx_start": 40, "version": "3"},
        "span": (40, 62),
    }
    assert (second["id"], second["doc"], second["span"]) == ("d1", "delivery", (0, 22))


def test_the_plan_says_where_the_parts_of_a_passage_stand(tmp_path: Path) -> None:
    fields = {"doc": "meta.version", "score": None, "span": None, "metadata": {"v": "meta.version"}}
    made = pipeline(tmp_path, {"object": "bot:retriever", "passages": fields})
    (trace,) = asked(made, ["refund within 30 days"])

    assert trace["candidates"][0] == {
        "id": "r1",
        "doc": "3",
        "text": "Refund within 30 days.",
        "metadata": {"v": "3"},
    }


def test_a_wrong_mapping_costs_the_row_and_names_the_keys_that_are_there(tmp_path: Path) -> None:
    made = pipeline(tmp_path, {"object": "bot:retriever", "passages": {"doc": "meta.url"}})
    (trace,) = asked(made, ["refund within 30 days"])

    assert trace["error"] == (
        "haystack returned no 'meta.url' (passage 1: doc): meta has no 'url'; there are "
        "file_path, split_idx_start, version"
    )


@pytest.mark.parametrize("run_async", [True, False])
def test_a_whole_pipeline_gives_each_output_that_the_plan_names(
    tmp_path: Path, run_async: bool
) -> None:
    more = 'metered = made({"prompt_tokens": 7, "completion_tokens": 2})'
    outputs = {**OUTPUTS, "reranked": "ranker.documents", "citations": "ranker.documents"}
    settings = {**WHOLE, "object": "bot:metered", "outputs": outputs, "async": run_async}
    (trace,) = asked(pipeline(tmp_path, settings, more, stage="whole"), ["refund within 30 days"])

    assert "error" not in trace
    assert [passage["id"] for passage in trace["candidates"]] == ["r1", "d1"]
    assert trace["candidates"][1]["score"] != 0.25
    assert [(p["id"], p["score"]) for p in trace["context"]] == [("d1", 0.25)]
    assert [passage["id"] for passage in trace["reranked"]] == ["d1"]
    assert trace["citations"] == ["d1"]
    assert trace["answer"] == "said Delivery takes 3 days. :: refund within 30 days"
    assert trace["usage"] == {"input_tokens": 7, "output_tokens": 2}


def test_a_function_makes_the_pipeline_once(tmp_path: Path) -> None:
    more = """
    def counted(usage):
        calls.append(usage)
        return made(usage)
    """
    settings = {**WHOLE, "object": "bot:counted", "args": {"usage": None}}
    traces = asked(pipeline(tmp_path, settings, more, stage="whole"), ["refund", "gift"])

    assert all("error" not in trace for trace in traces)
    assert sys.modules["bot"].calls == [None]


def test_an_answer_builder_brings_its_documents_and_a_message_its_tokens(tmp_path: Path) -> None:
    more = """
    @component
    class Chat:
        @component.output_types(replies=list[ChatMessage])
        def run(self, prompt: str):
            usage = {"prompt_tokens": 5, "completion_tokens": 1}
            return {"replies": [ChatMessage.from_assistant("30 days", meta={"usage": usage})]}
    chat = Pipeline()
    chat.add_component("retriever", fresh())
    chat.add_component("llm", Chat())
    chat.add_component("answers", AnswerBuilder())
    chat.connect("retriever.documents", "answers.documents")
    chat.connect("llm.replies", "answers.replies")
    """
    names = ("retriever.query", "llm.prompt", "answers.query")
    settings = {
        "object": "bot:chat",
        "inputs": dict.fromkeys(names, "question"),
        "outputs": {"answer": "answers.answers"},
    }
    made = pipeline(tmp_path, settings, more, stage="whole")
    (trace,) = asked(made, ["refund within 30 days"])

    assert "error" not in trace
    assert trace["answer"] == "30 days"
    assert [passage["id"] for passage in trace["context"]] == ["r1", "d1"]
    assert trace["usage"] == {"input_tokens": 5, "output_tokens": 1}


def test_tokens_that_one_of_two_models_does_not_say_are_not_known(tmp_path: Path) -> None:
    more = """
    two = made({"prompt_tokens": 7, "completion_tokens": 2})
    two.add_component("other", Echo())
    """
    settings = {**WHOLE, "object": "bot:two", "inputs": {**INPUTS, "other.prompt": "question"}}
    (trace,) = asked(pipeline(tmp_path, settings, more, stage="whole"), ["refund"])

    assert "error" not in trace
    assert "usage" not in trace


def test_tokens_of_a_pipeline_with_a_loop_are_not_known(tmp_path: Path) -> None:
    more = """
    @component
    class Again:
        @component.output_types(replies=list[str], meta=list[dict])
        def run(self, prompt: str, worse: str = ""):
            usage = {"prompt_tokens": 7, "completion_tokens": 2}
            return {"replies": [prompt + worse], "meta": [{"usage": usage}]}
    @component
    class Check:
        @component.output_types(good=str, worse=str)
        def run(self, replies: list[str]):
            done = replies[0].endswith("!")
            return {"good": replies[0]} if done else {"worse": "!"}
    loop = Pipeline()
    loop.add_component("retriever", fresh())
    loop.add_component("start", PromptBuilder("{{ question }}", required_variables=["question"]))
    loop.add_component("llm", Again())
    loop.add_component("check", Check())
    loop.connect("start.prompt", "llm.prompt")
    loop.connect("llm.replies", "check.replies")
    if LOOPS:
        loop.connect("check.worse", "llm.worse")
    """
    settings = {
        "object": "bot:loop",
        "inputs": {"retriever.query": "question", "start.question": "question"},
        "outputs": {"candidates": "retriever.documents", "answer": "check.good"},
    }
    (tmp_path / "straight").mkdir()
    for loops, folder in ((True, "."), (False, "straight")):
        code = f"LOOPS = {loops}\n" + dedent(more)
        made = pipeline(tmp_path / folder, settings, code, stage="whole")
        (trace,) = asked(made, ["fine!"])
        assert trace["answer"] == "fine!"
        assert ("usage" in trace) is not loops


@pytest.mark.parametrize("run_async", [None, True, False])
def test_rows_that_run_at_once_do_not_see_one_another(
    tmp_path: Path, run_async: bool | None
) -> None:
    more = """
    @component
    class Slow:
        model = None
        def warm_up(self):
            if self.model is None:
                time.sleep(0.02)
                self.model = "loaded"
                calls.append("warm")
        def found(self, query):
            return {"documents": [Document(id=f"{query}-{n}", content=query) for n in range(3)]}
        @component.output_types(documents=list[Document])
        def run(self, query: str):
            time.sleep(0.002 * (int(query[1:]) * 5 % 7))
            return self.found(query)
        @component.output_types(documents=list[Document])
        async def run_async(self, query: str):
            await asyncio.sleep(0.002 * (int(query[1:]) * 5 % 7))
            return self.found(query)
    slow = made(retriever=Slow())
    """
    settings: dict[str, Any] = {**WHOLE, "object": "bot:slow"}
    if run_async is not None:
        settings["async"] = run_async
    made = pipeline(tmp_path, settings, more, stage="whole")
    questions = [f"q{n}" for n in range(96)]
    traces = asked(made, questions, concurrency=16)

    assert sys.modules["bot"].calls == ["warm"]
    for question, trace in zip(questions, traces, strict=True):
        assert trace["answer"] == f"said {question} :: {question}"
        assert [p["id"] for p in trace["candidates"]] == [f"{question}-{n}" for n in range(3)]
        assert [p["id"] for p in trace["context"]] == [f"{question}-2"]


def test_a_pipeline_generates_from_the_documents_it_is_given(tmp_path: Path) -> None:
    settings = {
        "object": "bot:generator",
        "inputs": {"prompt.documents": "passages", "prompt.question": "question"},
        "outputs": {"answer": "llm.replies.0"},
    }
    (trace,) = asked(pipeline(tmp_path, settings, GENERATOR, stage="generator"), ["how long?"])

    assert trace["answer"] == "said p1 Within 30 days. p2 Else not. :: how long?"
    assert trace["usage"] == {"input_tokens": 7, "output_tokens": 2}


def test_a_component_rewrites_with_the_history_as_messages(tmp_path: Path) -> None:
    more = GIVEN + dedent("""
    @component
    class Rewriter:
        @component.output_types(query=str)
        def run(self, query: str, messages: list[ChatMessage]):
            return {"query": " / ".join([*(m.text for m in messages), query])}
    rewriter = Rewriter()
    """)
    settings = {
        "object": "bot:rewriter",
        "inputs": {"query": "question", "messages": "history"},
        "outputs": {"query": "query"},
    }
    (trace,) = asked(pipeline(tmp_path, settings, more, stage="rewriter"), ["and gifts?"])

    assert trace["query"] == "hello / and gifts?"


def test_an_error_inside_costs_its_row_and_no_other(tmp_path: Path) -> None:
    more = """
    @component
    class Fragile:
        @component.output_types(documents=list[Document])
        def run(self, query: str):
            if query == "bad":
                raise RuntimeError("no index")
            return {"documents": [Document(id="x", content="fine")]}
    fragile = made(retriever=Fragile())
    """
    made = pipeline(tmp_path, {**WHOLE, "object": "bot:fragile"}, more, stage="whole")
    bad, good = asked(made, ["bad", "good"])

    assert "no index" in bad["error"]
    assert "error" not in good


def test_a_branch_that_was_not_taken_is_said_unless_it_may_be_missing(tmp_path: Path) -> None:
    more = """
    @component
    class Gate:
        @component.output_types(query=str, refusal=str)
        def run(self, question: str):
            return {"query": question} if "refund" in question else {"refusal": "I cannot say."}
    routed = Pipeline()
    routed.add_component("gate", Gate())
    routed.add_component("retriever", fresh())
    routed.add_component("llm", Echo())
    routed.connect("gate.query", "retriever.query")
    routed.connect("gate.query", "llm.prompt")
    """
    outputs: dict[str, Any] = {"candidates": "retriever.documents", "answer": "llm.replies"}
    inputs = {"gate.question": "question"}
    settings: dict[str, Any] = {"object": "bot:routed", "inputs": inputs, "outputs": outputs}
    one, two = asked(pipeline(tmp_path, settings, more, stage="whole"), ["refund", "rain"])
    assert "error" not in one
    assert two["error"].startswith("haystack returned no 'retriever.documents' (candidates): it ")

    outputs |= {"candidates": "retriever.documents?", "answer": ["llm.replies?", "gate.refusal"]}
    outputs |= {"context": "retriever.documents?"}
    _, two = asked(pipeline(tmp_path, settings, more, stage="whole"), ["refund", "rain"])
    assert "nothing stands where the plan looks for its documents" in two["error"]

    settings["may_skip_retrieval"] = True
    _, two = asked(pipeline(tmp_path, settings, more, stage="whole"), ["refund", "rain"])
    assert "error" not in two
    assert (two["answer"], two["candidates"]) == ("I cannot say.", [])


@pytest.mark.parametrize(
    ("settings", "stage", "said"),
    [
        pytest.param({"object": "bot:store"}, "retriever", "a InMemoryDocumentStore", id="a store"),
        pytest.param({"object": "bot:Echo"}, "whole", "must be given prompt", id="a class"),
        pytest.param(
            {**WHOLE, "inputs": {"retriever.query": "question"}},
            "whole",
            "bot:whole must be given prompt.question",
            id="an input that is lacking",
        ),
        pytest.param(
            {**WHOLE, "inputs": {**INPUTS, "retriver.query": "question"}},
            "whole",
            "no input 'retriver.query'; did you mean 'retriever.query'?",
            id="an input that is not there",
        ),
        pytest.param(
            {**WHOLE, "inputs": {**INPUTS, "retriever.top_k": "topk"}},
            "whole",
            "nothing is called 'topk'; did you mean 'top_k'?",
            id="what nobody offers",
        ),
        pytest.param(
            {**WHOLE, "outputs": {**OUTPUTS, "answer": "lm.replies"}},
            "whole",
            "no output 'lm.replies'; did you mean 'llm.replies'?",
            id="an output that is not there",
        ),
        pytest.param(
            {**WHOLE, "outputs": {"answer": "llm.replies"}},
            "whole",
            "nothing is said of candidates",
            id="no passages",
        ),
        pytest.param(
            {**WHOLE, "outputs": {"answer": "llm.replies"}},
            "retriever",
            "nothing is said of candidates",
            id="no candidates",
        ),
    ],
)
def test_what_does_not_fit_is_said_before_anything_runs(
    tmp_path: Path, settings: dict[str, Any], stage: str, said: str
) -> None:
    with pytest.raises(PluginError) as error:
        pipeline(tmp_path, settings, stage=stage)

    assert said in error.value.message


@pytest.mark.parametrize(
    ("output", "said"),
    [
        pytest.param("'text'", "returned str 'text' in place of a list of documents", id="a text"),
        pytest.param("['t']", "passage 1 is str 't', no Document of Haystack", id="texts"),
    ],
)
def test_what_has_another_shape_costs_the_row(tmp_path: Path, output: str, said: str) -> None:
    more = f"""
    @component
    class Odd:
        @component.output_types(documents=list[Document])
        def run(self, query: str):
            return {{"documents": {output}}}
    odd = Odd()
    """
    (trace,) = asked(pipeline(tmp_path, {"object": "bot:odd"}, more))

    assert said in trace["error"]


def test_it_is_said_what_the_object_is_and_nothing_is_run(tmp_path: Path) -> None:
    made = pipeline(tmp_path, WHOLE, stage="whole")

    (said,) = reached(made.hooks.values())
    assert said.well
    assert re.fullmatch(
        r"haystack (Async)?Pipeline of bot:whole: retriever, ranker, prompt, llm", said.said
    )


def test_the_code_of_the_object_is_unknown_unless_it_is_watched(tmp_path: Path) -> None:
    entry = {"use": "haystack", "with": WHOLE}
    unknown = print_of(tmp_path, entry, code=BOT).unknown
    assert unknown[0] == "code of bot:whole (list its files under pipeline.watch)"
    watched = print_of(tmp_path, {**entry, "watch": ["bot.py"]}, code=BOT).unknown
    assert not any("code of" in what for what in watched)


TELEMETRY = """
    import sys, pathlib
    from tests.adapters.plans import build
    folder = pathlib.Path(sys.argv[1])
    build(folder, {"retriever": {"use": "bot:given"}, "generator": {"use": "haystack", "with": {
        "object": "bot:generator",
        "inputs": {"prompt.documents": "passages", "prompt.question": "question"},
        "outputs": {"answer": "llm.replies"},
    }}}, code=(folder / "code.py").read_text())
    from haystack.telemetry import _telemetry
    print(_telemetry.telemetry is None)
"""


@pytest.mark.parametrize(("variable", "silent"), [(None, "True"), ("true", "False")])
def test_the_librarys_telemetry_is_off_unless_the_user_turned_it_on(
    tmp_path: Path, variable: str | None, silent: str
) -> None:
    (tmp_path / "code.py").write_text(BOT + GENERATOR)
    environ = {k: v for k, v in os.environ.items() if k != "HAYSTACK_TELEMETRY_ENABLED"}
    environ |= {"HOME": str(tmp_path)}
    if variable is not None:
        environ["HAYSTACK_TELEMETRY_ENABLED"] = variable
    done = subprocess.run(
        [sys.executable, "-c", dedent(TELEMETRY), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env=environ,
        cwd=Path(__file__).parents[2],
    )

    assert done.stdout.strip() == silent
    assert (tmp_path / ".haystack").exists() is (silent == "False")
