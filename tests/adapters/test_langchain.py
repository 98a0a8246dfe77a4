"""LangChain's own objects, asked through a plan: what they know comes through, row by row."""

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from evalrag.adapters.fingerprint import pipeline_print
from evalrag.adapters.imports import unwatched
from evalrag.adapters.reach import Reached, reached
from evalrag.adapters.sources import code_digest
from evalrag.errors import PluginError
from tests.adapters.plans import GIVEN, asked, build, load, placed


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """Imported where its tests run, not where tests are looked for."""
    pytest.importorskip("langchain_core", reason="pip install 'evalrag[langchain]'")


BOT = dedent("""
    import asyncio
    import time
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import FakeListChatModel, GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableLambda, RunnablePassthrough
    from langchain_core.vectorstores import InMemoryVectorStore

    WORDS = ["refund", "delivery", "days", "gift"]

    class Counted(Embeddings):
        def embed_query(self, text):
            return [text.lower().count(word) + 0.1 for word in WORDS]
        def embed_documents(self, texts):
            return [self.embed_query(text) for text in texts]

    def chunk(id, text, **metadata):
        return Document(id=id, page_content=text, metadata=metadata)

    DOCS = [
        chunk("r1", "Refund within 30 days.", source="refunds", start_index=40, version="3"),
        chunk("d1", "Delivery takes 3 days.", source="delivery", start_index=0, version="1"),
        chunk("g1", "Gift cards.", source="gifts", start_index=-1),
    ]
    store = InMemoryVectorStore(Counted())
    store.add_documents(DOCS)
    retriever = store.as_retriever(search_kwargs={"k": 2})

    def make(k):
        return store.as_retriever(search_kwargs={"k": k})

    def joined(docs):
        return " ".join(doc.page_content for doc in docs)

    prompt = ChatPromptTemplate.from_template("{context} :: {question}")

    class Echo(FakeListChatModel):
        responses: list = ["unused"]
        def _call(self, messages, *args, **kwargs):
            return "said " + messages[-1].content
    chain = (
        {"context": retriever | joined, "question": RunnablePassthrough()}
        | prompt | Echo() | StrOutputParser()
    )
    generator = prompt | Echo()
    metered = prompt | RunnableLambda(
        lambda value: GenericFakeChatModel(messages=iter([AIMessage(
            "30 days", usage_metadata={"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}
        )])).invoke(value)
    )
    calls = []
""")


def pipeline(
    folder: Path, settings: dict[str, Any], more: str = "", *, stage: str = "retriever"
) -> Any:
    folder.mkdir(exist_ok=True)
    return build(folder, placed("langchain", settings, stage), code=BOT + dedent(more))


def test_a_retriever_gives_ids_documents_texts_metadata_and_spans(tmp_path: Path) -> None:
    (trace,) = asked(pipeline(tmp_path, {"object": "bot:retriever"}), ["refund days"])

    assert "error" not in trace
    assert trace["candidates"] == [
        {
            "id": "r1",
            "doc": "refunds",
            "text": "Refund within 30 days.",
            "metadata": {"source": "refunds", "start_index": 40, "version": "3"},
            "span": (40, 62),
        },
        {
            "id": "d1",
            "doc": "delivery",
            "text": "Delivery takes 3 days.",
            "metadata": {"source": "delivery", "start_index": 0, "version": "1"},
            "span": (0, 22),
        },
    ]


def test_the_vector_store_is_asked_for_scores(tmp_path: Path) -> None:
    made = pipeline(tmp_path, {"object": "bot:retriever", "scores": True})
    (trace,) = asked(made, ["refund days"])

    scores = [passage["score"] for passage in trace["candidates"]]
    assert len(scores) == 2
    assert 0.9 < scores[0] <= 1.0
    assert scores[1] < scores[0]
    sync = pipeline(tmp_path, {"object": "bot:retriever", "scores": True, "async": False})
    assert asked(sync, ["refund days"])[0]["candidates"] == trace["candidates"]


def test_scores_are_refused_where_there_are_none(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="bot:chain is a RunnableSequence"):
        pipeline(tmp_path, {"object": "bot:chain", "scores": True})
    more = "mmr = store.as_retriever(search_type='mmr')"
    with pytest.raises(PluginError, match="VectorStoreRetriever of search_type mmr"):
        pipeline(tmp_path / "mmr", {"object": "bot:mmr", "scores": True}, more)


def test_a_function_makes_the_object_once_of_its_args(tmp_path: Path) -> None:
    more = """
    def counted(k):
        calls.append(k)
        return make(k)
    """
    made = pipeline(tmp_path, {"object": "bot:counted", "args": {"k": 1}}, more)
    traces = asked(made, ["refund", "delivery"])

    assert [[p["id"] for p in trace["candidates"]] for trace in traces] == [["r1"], ["d1"]]
    assert sys.modules["bot"].calls == [1]


def test_the_plan_says_where_the_parts_of_a_passage_stand(tmp_path: Path) -> None:
    fields = {"doc": "metadata.version", "id": "metadata.source", "metadata": None, "span": None}
    made = pipeline(tmp_path, {"object": "bot:retriever", "passages": fields})
    (trace,) = asked(made, ["refund days"])

    assert trace["candidates"][0] == {"id": "refunds", "doc": "3", "text": "Refund within 30 days."}


def test_a_wrong_mapping_costs_the_row_and_names_the_keys_that_are_there(tmp_path: Path) -> None:
    made = pipeline(tmp_path, {"object": "bot:retriever", "passages": {"doc": "metadata.url"}})
    (trace,) = asked(made, ["refund days"])

    assert trace["error"] == (
        "langchain returned no 'metadata.url' (passage 1: doc): metadata has no 'url'; there are "
        "source, start_index, version"
    )


@pytest.mark.parametrize("run_async", [True, False])
def test_a_whole_chain_that_returns_a_text_and_the_retriever_seen_inside(
    tmp_path: Path, run_async: bool
) -> None:
    settings = {"object": "bot:chain", "async": run_async}
    (trace,) = asked(pipeline(tmp_path, settings, stage="whole"), ["refund in days"])

    assert "error" not in trace
    assert [passage["id"] for passage in trace["candidates"]] == ["r1", "d1"]
    assert trace["candidates"][0]["span"] == (40, 62)
    assert "told" not in trace
    assert "usage" not in trace
    assert trace["answer"] == "said Refund within 30 days. Delivery takes 3 days. :: refund in days"


def test_a_whole_chain_that_returns_a_dict_with_its_context(tmp_path: Path) -> None:
    more = """
    whole = RunnablePassthrough.assign(context=lambda x: retriever.invoke(x["input"])[:1]).assign(
        answer=(lambda x: {"context": joined(x["context"]), "question": x["input"]})
        | prompt | Echo()
    )
    """
    settings = {"object": "bot:whole", "inputs": {"input": "question"}}
    (trace,) = asked(pipeline(tmp_path, settings, more, stage="whole"), ["refund in days"])

    assert "error" not in trace
    assert [passage["id"] for passage in trace["candidates"]] == ["r1", "d1"]
    assert [passage["id"] for passage in trace["context"]] == ["r1"]
    assert trace["told"]
    assert trace["answer"] == "said Refund within 30 days. :: refund in days"


def test_a_state_of_messages_answers_with_its_last_one(tmp_path: Path) -> None:
    more = """
    from langchain_core.messages import HumanMessage
    agent = RunnableLambda(
        lambda x: {"messages": [HumanMessage("?"), AIMessage(joined(retriever.invoke("gift")))]}
    )
    """
    (trace,) = asked(pipeline(tmp_path, {"object": "bot:agent"}, more, stage="whole"), ["gift"])

    assert trace["answer"].startswith("Gift cards.")
    assert trace["candidates"][0]["id"] == "g1"


def test_a_retriever_around_another_one_reranks_it(tmp_path: Path) -> None:
    more = """
    class Reversed(BaseRetriever):
        inner: BaseRetriever
        def _get_relevant_documents(self, query, *, run_manager):
            found = self.inner.invoke(query, config={"callbacks": run_manager.get_child()})
            for document in found:
                document.metadata["relevance_score"] = 0.5
            return found[::-1][:1]
    whole = Reversed(inner=retriever) | joined
    """
    (trace,) = asked(pipeline(tmp_path, {"object": "bot:whole"}, more, stage="whole"), ["refund"])

    assert [passage["id"] for passage in trace["candidates"]] == ["r1", "d1"]
    assert all("score" not in passage for passage in trace["candidates"])
    assert [(p["id"], p["score"]) for p in trace["reranked"]] == [("d1", 0.5)]
    assert [passage["id"] for passage in trace["context"]] == ["d1"]


def test_a_retriever_around_several_is_taken_as_it_is(tmp_path: Path) -> None:
    more = """
    class Fused(BaseRetriever):
        inner: list[BaseRetriever]
        def _get_relevant_documents(self, query, *, run_manager):
            child = {"callbacks": run_manager.get_child()}
            return [each.invoke(query, config=child)[0] for each in self.inner][::-1]
    whole = Fused(inner=[make(1), make(3)]) | (lambda docs: docs[0].page_content)
    """
    (trace,) = asked(pipeline(tmp_path, {"object": "bot:whole"}, more, stage="whole"), ["refund"])

    assert [passage["id"] for passage in trace["candidates"]] == ["r1", "r1"]
    assert "reranked" not in trace


def test_retrievals_one_after_the_other_are_put_together(tmp_path: Path) -> None:
    more = """
    def twice(question):
        first = make(2).invoke("refund days")
        return joined(first + make(2).invoke("gift"))
    whole = RunnableLambda(twice)
    """
    (trace,) = asked(pipeline(tmp_path, {"object": "bot:whole"}, more, stage="whole"), ["?"])

    ids = [passage["id"] for passage in trace["candidates"]]
    assert ids[:2] == ["r1", "d1"]
    assert sorted(ids) == ["d1", "g1", "r1"]


@pytest.mark.parametrize("run_async", [True, False])
def test_what_is_seen_in_one_row_is_never_anothers(tmp_path: Path, run_async: bool) -> None:
    more = """
    class Slow(BaseRetriever):
        def _get_relevant_documents(self, query):
            time.sleep(0.002 * ((int(query[1:]) * 5 % 7)))
            return [chunk(f"{query}-{n}", query) for n in range(3)]
        async def _aget_relevant_documents(self, query):
            await asyncio.sleep(0.002 * ((int(query[1:]) * 5 % 7)))
            return [chunk(f"{query}-{n}", query) for n in range(3)]
    def pause(docs):
        time.sleep(0.003)
        return docs[0].page_content
    whole = Slow() | RunnableLambda(pause)
    """
    made = pipeline(tmp_path, {"object": "bot:whole", "async": run_async}, more, stage="whole")
    questions = [f"q{n}" for n in range(160)]
    traces = asked(made, questions, concurrency=16)

    for question, trace in zip(questions, traces, strict=True):
        assert trace["answer"] == question
        assert [p["id"] for p in trace["candidates"]] == [f"{question}-{n}" for n in range(3)]


def test_a_chain_generates_from_the_texts_it_is_given(tmp_path: Path) -> None:
    made = pipeline(tmp_path, {"object": "bot:generator"}, GIVEN, stage="generator")
    (trace,) = asked(made, ["how long?"])

    assert trace["answer"] == "said Within 30 days.\n\nElse not. :: how long?"


def test_a_chain_generates_from_documents_under_a_named_key(tmp_path: Path) -> None:
    more = GIVEN + dedent("""
    def stuffed(x):
        assert [type(m).__name__ for m in x["chat"]] == ["HumanMessage"]
        return {"text": "; ".join(f"{d.id} {d.metadata} {d.page_content}" for d in x["docs"]),
                "used": [d.id for d in x["docs"]][:1]}
    stuff = RunnableLambda(stuffed)
    """)
    settings = {
        "object": "bot:stuff",
        "inputs": {"docs": "passages", "chat": "history", "lengthy": True},
        "outputs": {"answer": "text", "citations": "used"},
    }
    (trace,) = asked(pipeline(tmp_path, settings, more, stage="generator"))

    assert trace["answer"] == ("p1 {'v': 1, 'source': 'refunds'} Within 30 days.; p2 {} Else not.")
    assert trace["citations"] == ["p1"]


def test_tokens_are_the_sum_of_all_model_calls(tmp_path: Path) -> None:
    more = GIVEN + dedent("""
        twice = RunnablePassthrough.assign(first=metered) | metered
    """)
    (one,) = asked(pipeline(tmp_path / "one", {"object": "bot:metered"}, GIVEN, stage="generator"))
    (two,) = asked(pipeline(tmp_path, {"object": "bot:twice"}, more, stage="generator"))

    assert one["usage"] == {"input_tokens": 7, "output_tokens": 2}
    assert two["usage"] == {"input_tokens": 14, "output_tokens": 4}


def test_tokens_that_one_of_two_models_does_not_say_are_not_known(tmp_path: Path) -> None:
    more = GIVEN + "half = RunnablePassthrough.assign(first=prompt | Echo()) | metered\n"
    (trace,) = asked(pipeline(tmp_path, {"object": "bot:half"}, more, stage="generator"))

    assert trace["answer"] == "30 days"
    assert "usage" not in trace


def test_a_rewriter_is_given_the_history_as_messages(tmp_path: Path) -> None:
    more = GIVEN + dedent("""
    rewriter = ChatPromptTemplate.from_messages(
        [MessagesPlaceholder("chat_history"), ("human", "{input}")]
    ) | RunnableLambda(lambda value: AIMessage(" / ".join(m.content for m in value.messages)))
    """)
    settings = {
        "object": "bot:rewriter",
        "inputs": {"input": "question", "chat_history": "history"},
    }
    (trace,) = asked(pipeline(tmp_path, settings, more, stage="rewriter"), ["and gifts?"])

    assert trace["query"] == "hello / and gifts?"


def test_what_remembers_by_session_gets_a_new_one_at_every_call(tmp_path: Path) -> None:
    more = """
    def remembered(x, config):
        calls.append(config["configurable"]["thread_id"])
        return joined(retriever.invoke(x))
    whole = RunnableLambda(remembered)
    """
    settings = {"object": "bot:whole", "configurable": {"thread_id": "new_id"}}
    asked(pipeline(tmp_path, settings, more, stage="whole"), ["a", "b"])

    assert len(set(sys.modules["bot"].calls)) == 2


def test_an_error_inside_the_chain_costs_its_row_and_no_other(tmp_path: Path) -> None:
    more = """
    def fragile(question):
        if question == "bad":
            raise RuntimeError("no index")
        return retriever.invoke(question)
    whole = RunnableLambda(fragile) | joined
    """
    bad, good = asked(
        pipeline(tmp_path, {"object": "bot:whole"}, more, stage="whole"), ["bad", "gift"]
    )

    assert bad["error"].startswith("RuntimeError: no index (bot.py:")
    assert "error" not in good


def test_an_answer_without_retrieval_is_an_error_unless_the_plan_says_it_may_be(
    tmp_path: Path,
) -> None:
    more = "whole = RunnableLambda(lambda question: 'hello')"
    settings: dict[str, Any] = {"object": "bot:whole"}
    (trace,) = asked(pipeline(tmp_path, settings, more, stage="whole"))
    assert "no retriever of LangChain was seen at work" in trace["error"]

    settings["may_skip_retrieval"] = True
    (trace,) = asked(pipeline(tmp_path, settings, more, stage="whole"))
    assert "error" not in trace
    assert trace["candidates"] == []


@pytest.mark.parametrize(
    ("settings", "stage", "said"),
    [
        pytest.param({"object": "bot:joined"}, "retriever", "`args` lacks 'docs'", id="a function"),
        pytest.param({"object": "bot:WORDS"}, "retriever", "bot:WORDS is a list", id="a list"),
        pytest.param({"object": "bot:store"}, "retriever", "a InMemoryVectorStore", id="a store"),
        pytest.param({"object": "bot:nope"}, "retriever", "bot has no 'nope'", id="no such name"),
        pytest.param(
            {"object": "bot"}, "retriever", "is not package.module:attribute", id="no colon"
        ),
        pytest.param({"objct": "x"}, "retriever", "did you mean 'object'?", id="a typo"),
        pytest.param(
            {"object": "bot:retriever", "args": {"k": 1}},
            "retriever",
            "a VectorStoreRetriever, which is not called",
            id="args of an object",
        ),
        pytest.param(
            {"object": "bot:make", "args": {"n": 1}},
            "retriever",
            "unknown key 'n'",
            id="wrong args",
        ),
        pytest.param({"object": "bot:given"}, "retriever", "a function of a question", id="a hook"),
        pytest.param(
            {"object": "bot:broken"}, "retriever", "making it raised", id="a broken maker"
        ),
        pytest.param({"object": "bot:late"}, "retriever", "is async", id="an async maker"),
        pytest.param(
            {"object": "bot:other"}, "retriever", "bot:other() returns a int", id="returns"
        ),
        pytest.param(
            {"object": "bot:retriever"}, "generator", "cannot generate", id="no generator"
        ),
        pytest.param({"object": "bot:retriever"}, "whole", "cannot answer", id="no whole pipeline"),
        pytest.param(
            {"object": "bot:chain", "inputs": "qestion"},
            "whole",
            "nothing is called 'qestion'; did you mean 'question'?",
            id="an input nobody offers",
        ),
        pytest.param(
            {"object": "bot:chain", "inputs": {"x": "passages"}},
            "whole",
            "nothing is called 'passages'",
            id="an input of another stage",
        ),
    ],
)
def test_what_does_not_fit_is_said_before_anything_runs(
    tmp_path: Path, settings: dict[str, Any], stage: str, said: str
) -> None:
    more = GIVEN + dedent("""
    def broken(): raise RuntimeError("no key")
    async def late(): return retriever
    def other(): return 3
    """)
    with pytest.raises(PluginError) as error:
        pipeline(tmp_path, settings, more, stage=stage)

    assert said in error.value.message


@pytest.mark.parametrize(
    ("code", "stage", "said"),
    [
        pytest.param("lambda q: 'text'", "retriever", "in place of a list of documents", id="text"),
        pytest.param(
            "lambda q: ['t']", "retriever", "passage 1 is str 't', no Document", id="texts"
        ),
        pytest.param(
            "lambda q: {'reply': joined(retriever.invoke(q))}",
            "whole",
            "returned no 'answer' (answer): it has no 'answer'; there are reply",
            id="an answer under another key",
        ),
        pytest.param(
            "lambda q: len(retriever.invoke(q))", "whole", "int 2 in place of a text", id="a number"
        ),
    ],
)
def test_what_has_another_shape_costs_the_row(
    tmp_path: Path, code: str, stage: str, said: str
) -> None:
    made = pipeline(tmp_path, {"object": "bot:odd"}, f"odd = RunnableLambda({code})", stage=stage)
    (trace,) = asked(made)

    assert said in trace["error"]


def test_it_is_said_what_the_object_is_and_nothing_is_called(tmp_path: Path) -> None:
    made = pipeline(tmp_path, {"object": "bot:make", "args": {"k": 2}})

    assert reached(made.hooks.values()) == [
        Reached(True, "langchain VectorStoreRetriever of bot:make")
    ]


def test_the_code_of_the_object_is_unknown_unless_it_is_watched(tmp_path: Path) -> None:
    entry = {"use": "langchain", "with": {"object": "bot:retriever"}}
    plan = {"retriever": entry, "generator": {"use": "langchain", "with": {"object": "bot:chain"}}}
    code = BOT + "import other\n"
    (tmp_path / "other.py").write_text("x = 1\n")
    loaded = load(tmp_path, plan, code=code)
    made = build(tmp_path, plan, code=code)
    print_ = pipeline_print(loaded, made)

    assert print_.unknown == (
        "code of bot:retriever (list its files under pipeline.watch)",
        "code of bot:chain (list its files under pipeline.watch)",
        "the generator's model (name it under pipeline.generator.model, or say none)",
    )
    assert unwatched(loaded) == ("other.py",)
    watched = load(tmp_path, {**plan, "watch": ["bot.py", "other.py"]}, code=code)
    again = pipeline_print(watched, made)
    assert again.unknown == print_.unknown[2:]
    assert again.other != print_.other

    before = code_digest(made)
    (tmp_path / "bot.py").write_text(code + "# changed\n")
    assert code_digest(made) != before
