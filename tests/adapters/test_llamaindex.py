"""LlamaIndex's own objects, asked through a plan: what they know comes through, row by row."""

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from evalrag.adapters.reach import Reached, reached
from evalrag.errors import PluginError
from tests.adapters.plans import GIVEN, asked, build, placed, print_of


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """Imported where its tests run, not where tests are looked for."""
    pytest.importorskip("llama_index.core", reason="pip install 'evalrag[llamaindex]'")


BOT = dedent("""
    import asyncio
    import time
    from llama_index.core import Document, PromptTemplate, VectorStoreIndex
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
    from llama_index.core.llms import CustomLLM
    from llama_index.core.llms.callbacks import llm_completion_callback
    from llama_index.core.memory import ChatMemoryBuffer
    from llama_index.core.node_parser import TokenTextSplitter
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.response_synthesizers import get_response_synthesizer
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, TextNode

    def buffer():
        return ChatMemoryBuffer.from_defaults(tokenizer_fn=str.split)

    WORDS = ["refund", "delivery", "days", "gift"]

    class Counted(BaseEmbedding):
        def _get_query_embedding(self, query):
            return [query.lower().count(word) + 0.1 for word in WORDS]
        def _get_text_embedding(self, text):
            return self._get_query_embedding(text)
        async def _aget_query_embedding(self, query):
            return self._get_query_embedding(query)

    class Echo(CustomLLM):
        usage: dict = {}
        @property
        def metadata(self):
            return LLMMetadata()
        @llm_completion_callback()
        def complete(self, prompt, formatted=False, **kwargs):
            return CompletionResponse(text="said " + prompt, additional_kwargs=self.usage)
        @llm_completion_callback()
        def stream_complete(self, prompt, formatted=False, **kwargs):
            def words():
                so_far = ""
                for word in ("said", " it"):
                    so_far += word
                    yield CompletionResponse(text=so_far, delta=word, additional_kwargs=self.usage)
            return words()

    DOCS = [
        Document(id_="refunds", text="Refund within 30 days.", metadata={"version": "3"}),
        Document(id_="delivery", text="Delivery takes 3 days.", metadata={"version": "1"}),
        Document(id_="gifts", text="Gift cards."),
    ]
    splitter = TokenTextSplitter(
        chunk_size=60, chunk_overlap=0,
        tokenizer=lambda text: text.split(), id_func=lambda n, doc: f"{doc.id_}#{n}",
    )
    index = VectorStoreIndex(
        splitter.get_nodes_from_documents(DOCS), embed_model=Counted(), show_progress=False
    )
    retriever = index.as_retriever(similarity_top_k=2)
    TEMPLATE = PromptTemplate("{context_str} :: {query_str}")
    METERED = Echo(usage={"prompt_tokens": 7, "completion_tokens": 2})

    class Last(BaseNodePostprocessor):
        def _postprocess_nodes(self, nodes, query_bundle=None):
            for node in nodes:
                node.score = 0.25
            return nodes[-1:]

    def engine(llm=None, retriever=retriever, **more):
        return RetrieverQueryEngine.from_args(
            retriever, llm=llm or Echo(), text_qa_template=TEMPLATE, **more
        )
    plain = engine()
    synthesizer = get_response_synthesizer(llm=METERED, text_qa_template=TEMPLATE)
    calls = []
""")


def pipeline(
    folder: Path, settings: dict[str, Any], more: str = "", *, stage: str = "retriever"
) -> Any:
    return build(folder, placed("llamaindex", settings, stage), code=BOT + dedent(more))


@pytest.mark.parametrize("run_async", [True, False])
def test_a_retriever_gives_ids_documents_texts_scores_metadata_and_spans(
    tmp_path: Path, run_async: bool
) -> None:
    settings = {"object": "bot:retriever", "async": run_async}
    (trace,) = asked(pipeline(tmp_path, settings), ["refund days"])

    assert "error" not in trace
    first, second = trace["candidates"]
    assert 0 < second.pop("score") < first.pop("score") <= 1.0
    assert first == {
        "id": "refunds#0",
        "doc": "refunds",
        "text": "Refund within 30 days.",
        "metadata": {"version": "3"},
        "span": (0, 22),
    }
    assert (second["id"], second["doc"]) == ("delivery#0", "delivery")


def test_a_span_is_where_the_parser_cut(tmp_path: Path) -> None:
    text = "Refund within 30 days. Else there is no refund at all here."
    more = f"""
    words = TokenTextSplitter(chunk_size=5, chunk_overlap=0, include_metadata=False,
        tokenizer=lambda text: text.split(), id_func=lambda n, doc: str(n))
    long = Document(id_="long", text={text!r})
    cut = VectorStoreIndex(words.get_nodes_from_documents([long]), embed_model=Counted())
    short = cut.as_retriever(similarity_top_k=9)
    """
    (trace,) = asked(pipeline(tmp_path, {"object": "bot:short"}, more), ["refund"])

    assert len(trace["candidates"]) > 1
    for passage in trace["candidates"]:
        start, end = passage["span"]
        assert text[start:end] == passage["text"]


def test_the_plan_says_where_the_parts_of_a_passage_stand(tmp_path: Path) -> None:
    fields = {"doc": "metadata.version", "score": None, "span": None, "metadata": None}
    made = pipeline(tmp_path, {"object": "bot:retriever", "passages": fields})
    (trace,) = asked(made, ["refund days"])

    assert trace["candidates"][1] == {
        "id": "delivery#0",
        "doc": "1",
        "text": "Delivery takes 3 days.",
    }


def test_a_wrong_mapping_costs_the_row_and_names_the_keys_that_are_there(tmp_path: Path) -> None:
    made = pipeline(tmp_path, {"object": "bot:retriever", "passages": {"doc": "metadata.url"}})
    (trace,) = asked(made, ["refund days"])

    assert trace["error"] == (
        "llamaindex returned no 'metadata.url' (passage 1: doc): metadata has no 'url'; "
        "there are version"
    )


@pytest.mark.parametrize("run_async", [True, False])
def test_a_query_engine_tells_candidates_from_what_its_postprocessors_left(
    tmp_path: Path, run_async: bool
) -> None:
    more = "whole = engine(METERED, node_postprocessors=[Last()])"
    settings = {"object": "bot:whole", "async": run_async}
    (trace,) = asked(pipeline(tmp_path, settings, more, stage="whole"), ["refund days"])

    assert "error" not in trace
    assert [passage["id"] for passage in trace["candidates"]] == ["refunds#0", "delivery#0"]
    assert trace["candidates"][1]["score"] != 0.25
    assert [(p["id"], p["score"]) for p in trace["context"]] == [("delivery#0", 0.25)]
    assert trace["told"]
    assert "reranked" not in trace
    assert trace["answer"].startswith("said version: 1")
    assert trace["answer"].endswith("Delivery takes 3 days. :: refund days")
    assert trace["usage"] == {"input_tokens": 7, "output_tokens": 2}


def test_a_postprocessor_that_says_that_it_reranked_is_told_apart(tmp_path: Path) -> None:
    more = """
    from llama_index.core.instrumentation import get_dispatcher
    from llama_index.core.instrumentation.events.rerank import ReRankEndEvent
    class Reversed(BaseNodePostprocessor):
        def _postprocess_nodes(self, nodes, query_bundle=None):
            get_dispatcher(__name__).event(ReRankEndEvent(nodes=nodes[::-1]))
            return nodes[::-1]
    whole = engine(node_postprocessors=[Reversed(), Last()])
    """
    (trace,) = asked(pipeline(tmp_path, {"object": "bot:whole"}, more, stage="whole"), ["refund"])

    assert [passage["id"] for passage in trace["reranked"]] == ["delivery#0", "refunds#0"]
    assert [passage["id"] for passage in trace["context"]] == ["refunds#0"]


def test_a_stream_is_read_to_its_end(tmp_path: Path) -> None:
    more = "whole = engine(METERED, streaming=True)"
    (trace,) = asked(pipeline(tmp_path, {"object": "bot:whole"}, more, stage="whole"), ["refund"])

    assert trace["answer"] == "said it"
    assert len(trace["context"]) == 2


def test_a_retriever_around_another_one_reranks_it(tmp_path: Path) -> None:
    more = """
    class Reversed(BaseRetriever):
        def _retrieve(self, query_bundle):
            return retriever.retrieve(query_bundle)[::-1][:1]
    class Failing(BaseRetriever):
        def _retrieve(self, query_bundle):
            raise RuntimeError("down")
    class Fallback(BaseRetriever):
        def _retrieve(self, query_bundle):
            try:
                return Failing().retrieve(query_bundle)
            except RuntimeError:
                return Reversed().retrieve(query_bundle)
    whole = engine(retriever=Fallback())
    """
    (trace,) = asked(pipeline(tmp_path, {"object": "bot:whole"}, more, stage="whole"), ["refund"])

    assert [passage["id"] for passage in trace["candidates"]] == ["refunds#0", "delivery#0"]
    assert [passage["id"] for passage in trace["reranked"]] == ["delivery#0"]


@pytest.mark.parametrize("run_async", [True, False])
def test_what_is_seen_in_one_row_is_never_anothers(tmp_path: Path, run_async: bool) -> None:
    more = """
    class Slow(BaseRetriever):
        def found(self, query):
            nodes = [TextNode(id_=f"{query}-{n}", text=f"{query} {n}") for n in range(3)]
            return [NodeWithScore(node=node) for node in nodes]
        def _retrieve(self, bundle):
            time.sleep(0.002 * (int(bundle.query_str[1:]) * 5 % 7))
            return self.found(bundle.query_str)
        async def _aretrieve(self, query_bundle):
            await asyncio.sleep(0.002 * (int(query_bundle.query_str[1:]) * 5 % 7))
            return self.found(query_bundle.query_str)
    class Pause(Last):
        def _postprocess_nodes(self, nodes, query_bundle=None):
            time.sleep(0.003)
            return nodes[:2]
    whole = engine(METERED, retriever=Slow(), node_postprocessors=[Pause()])
    """
    settings = {"object": "bot:whole", "async": run_async}
    made = pipeline(tmp_path, settings, more, stage="whole")
    questions = [f"q{n}" for n in range(160)]
    traces = asked(made, questions, concurrency=16)

    for question, trace in zip(questions, traces, strict=True):
        assert trace["answer"].endswith(f":: {question}")
        assert [p["id"] for p in trace["candidates"]] == [f"{question}-{n}" for n in range(3)]
        assert [p["id"] for p in trace["context"]] == [f"{question}-{n}" for n in range(2)]
        assert trace["usage"] == {"input_tokens": 7, "output_tokens": 2}


@pytest.mark.parametrize("run_async", [True, False])
def test_a_synthesizer_generates_from_the_passages_it_is_given(
    tmp_path: Path, run_async: bool
) -> None:
    settings = {"object": "bot:synthesizer", "async": run_async}
    (trace,) = asked(pipeline(tmp_path, settings, GIVEN, stage="generator"), ["how long?"])

    assert trace["answer"] == "said v: 1\n\nWithin 30 days.\n\nElse not. :: how long?"
    assert trace["usage"] == {"input_tokens": 7, "output_tokens": 2}


def test_tokens_of_a_chat_that_is_made_of_a_completion_are_counted_once(tmp_path: Path) -> None:
    more = """
    from llama_index.core.llms import ChatMessage
    from llama_index.core.query_engine import CustomQueryEngine
    class Twice(CustomQueryEngine):
        def custom_query(self, query_str):
            retriever.retrieve(query_str)
            METERED.complete("one")
            return METERED.chat([ChatMessage(query_str)]).message.content
    class Partly(Twice):
        def custom_query(self, query_str):
            Echo().complete("unknown")
            return super().custom_query(query_str)
    whole, partly = Twice(), Partly()
    """
    settings = {"object": "bot:whole"}
    (trace,) = asked(pipeline(tmp_path, settings, more, stage="whole"), ["refund"])
    assert trace["usage"] == {"input_tokens": 14, "output_tokens": 4}

    settings["object"] = "bot:partly"
    (trace,) = asked(pipeline(tmp_path, settings, more, stage="whole"), ["refund"])
    assert "error" not in trace
    assert "usage" not in trace


def test_a_chat_engine_is_made_anew_for_every_row_and_gets_the_history(tmp_path: Path) -> None:
    more = """
    def chat():
        calls.append("made")
        return index.as_chat_engine(
            chat_mode="context", llm=Echo(), similarity_top_k=1,
            context_template="{context_str}", memory=buffer(),
        )
    """
    made = pipeline(tmp_path, {"object": "bot:chat"}, more, stage="whole")
    one, two = asked(made, ["refund?", "gift?"])

    assert sys.modules["bot"].calls == ["made"] * 3
    for trace, question, other in ((one, "refund?", "gift?"), (two, "gift?", "refund?")):
        assert "error" not in trace
        assert "hello" in trace["answer"]
        assert question in trace["answer"]
        assert other not in trace["answer"]
    assert [passage["id"] for passage in one["context"]] == ["refunds#0"]


def test_a_query_transform_rewrites(tmp_path: Path) -> None:
    more = GIVEN + dedent("""
    from llama_index.core.indices.query.query_transform.base import BaseQueryTransform
    from llama_index.core.schema import QueryBundle
    class Louder(BaseQueryTransform):
        def _get_prompts(self): return {}
        def _update_prompts(self, prompts): pass
        def _run(self, query_bundle, metadata):
            return QueryBundle(query_bundle.query_str.upper())
    louder = Louder()
    """)
    (trace,) = asked(pipeline(tmp_path, {"object": "bot:louder"}, more, stage="rewriter"))

    assert trace["query"] == "WHAT?"


def test_an_error_inside_costs_its_row_and_no_other(tmp_path: Path) -> None:
    more = """
    class Fragile(BaseRetriever):
        def _retrieve(self, query_bundle):
            if query_bundle.query_str == "bad":
                raise RuntimeError("no index")
            return retriever.retrieve(query_bundle)
    whole = engine(retriever=Fragile())
    """
    made = pipeline(tmp_path, {"object": "bot:whole"}, more, stage="whole")
    bad, good = asked(made, ["bad", "gift"])

    assert bad["error"].startswith("RuntimeError: no index (bot.py:")
    assert "error" not in good


def test_an_event_that_cannot_be_read_costs_its_row(tmp_path: Path) -> None:
    more = """
    class Odd(TextNode):
        def get_content(self, metadata_mode=None):
            if metadata_mode is None:
                raise ValueError("no content")
            return "x"
    class Weird(BaseRetriever):
        def _retrieve(self, query_bundle):
            return [NodeWithScore(node=Odd(text="x"))]
    whole = engine(retriever=Weird())
    """
    (trace,) = asked(pipeline(tmp_path, {"object": "bot:whole"}, more, stage="whole"))

    assert trace["error"].startswith("ValueError: no content")


def test_an_answer_without_retrieval_is_an_error_unless_the_plan_says_it_may_be(
    tmp_path: Path,
) -> None:
    more = """
    from llama_index.core.query_engine import CustomQueryEngine
    class Bare(CustomQueryEngine):
        def custom_query(self, query_str):
            return "hello"
    whole = Bare()
    """
    settings: dict[str, Any] = {"object": "bot:whole"}
    (trace,) = asked(pipeline(tmp_path, settings, more, stage="whole"))
    assert "no retriever of LlamaIndex was seen at work" in trace["error"]

    settings["may_skip_retrieval"] = True
    (trace,) = asked(pipeline(tmp_path, settings, more, stage="whole"))
    assert "error" not in trace
    assert trace["candidates"] == []


@pytest.mark.parametrize(
    ("settings", "stage", "said"),
    [
        pytest.param({"object": "bot:index"}, "retriever", "a VectorStoreIndex", id="an index"),
        pytest.param({"object": "bot:plain"}, "retriever", "cannot retrieve", id="an engine"),
        pytest.param({"object": "bot:retriever"}, "whole", "cannot answer", id="a retriever"),
        pytest.param({"object": "bot:retriever"}, "generator", "cannot generate", id="generates"),
        pytest.param({"object": "bot:synthesizer"}, "rewriter", "cannot rewrite", id="rewrites"),
        pytest.param({"object": "bot:chat"}, "whole", "which remembers", id="a chat engine"),
        pytest.param({"object": "bot:plain", "k": 1}, "whole", "unknown key 'k'", id="a setting"),
        pytest.param({"object": "bot:METERED"}, "generator", "bot:METERED is a Echo", id="a model"),
    ],
)
def test_what_does_not_fit_is_said_before_anything_runs(
    tmp_path: Path, settings: dict[str, Any], stage: str, said: str
) -> None:
    more = GIVEN + 'chat = index.as_chat_engine("context", llm=Echo(), memory=buffer())'
    with pytest.raises(PluginError) as error:
        pipeline(tmp_path, settings, more, stage=stage)

    assert said in error.value.message


def test_it_is_said_what_the_object_is_and_nothing_is_called(tmp_path: Path) -> None:
    made = pipeline(tmp_path, {"object": "bot:engine"}, stage="whole")

    assert reached(made.hooks.values()) == [
        Reached(True, "llamaindex RetrieverQueryEngine of bot:engine")
    ]


def test_the_code_of_the_object_is_unknown_unless_it_is_watched(tmp_path: Path) -> None:
    entry = {"use": "llamaindex", "with": {"object": "bot:plain"}}
    unknown = print_of(tmp_path, entry, code=BOT).unknown
    assert unknown[0] == "code of bot:plain (list its files under pipeline.watch)"
    watched = print_of(tmp_path, {**entry, "watch": ["bot.py"]}, code=BOT).unknown
    assert not any("code of" in what for what in watched)
