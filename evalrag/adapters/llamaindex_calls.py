"""Asks a LlamaIndex object, and puts what it returns into the words of a trace."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine.types import BaseChatEngine
from llama_index.core.indices.query.query_transform.base import BaseQueryTransform
from llama_index.core.response_synthesizers import BaseSynthesizer
from llama_index.core.schema import NodeWithScore, TextNode

from evalrag.adapters.fields import PassageFields
from evalrag.adapters.llamaindex import Settings
from evalrag.adapters.llamaindex_seen import Seen, listen, view, watched
from evalrag.adapters.objects import Named
from evalrag.adapters.passages import ShapeError, what
from evalrag.adapters.reach import Reached
from evalrag.errors import PluginError
from evalrag.loading.plan import LoadedPlan
from evalrag.schema.trace import Passage

USUAL_FIELDS: Final = PassageFields(
    id="node_id",
    doc="ref_doc_id?",
    text="text",
    metadata="metadata",
    score="score?",
    span=("start_char_idx?", "end_char_idx?"),
)
"""As LlamaIndex's own parsers write them: `ref_doc_id` is the id of the document that was cut."""

KINDS: Mapping[type, str] = {
    BaseRetriever: "retrieve",
    BaseQueryTransform: "rewrite",
    BaseSynthesizer: "generate",
    BaseQueryEngine: "answer",
    BaseChatEngine: "answer",
}
"""What an object can be in a plan."""
IN_WORDS: Mapping[str, str] = {
    "retrieve": "a retriever",
    "rewrite": "a query transform",
    "generate": "a response synthesizer",
    "answer": "a query engine or a chat engine",
}
PLACES: Mapping[str, str] = {
    "retrieve": "pipeline.retriever",
    "rewrite": "pipeline.rewriter",
    "generate": "pipeline.generator",
    "answer": "the whole pipeline: {use: llamaindex, with: ...}",
}


class LlamaIndex:
    """One object of LlamaIndex, asked in threads of evalrag's own unless the plan says `async`.

    Much of LlamaIndex answers an async call by a plain one, which would hold up all other rows.
    """

    def __init__(self, wanted: Settings, loaded: LoadedPlan, stage: str) -> None:
        self._wanted = wanted
        self._named = Named(
            "llamaindex",
            wanted,
            loaded,
            known=lambda found: isinstance(found, tuple(KINDS)),
            kinds="a retriever, query engine, chat engine, response synthesizer or query "
            "transform, or a function that makes one",
        )
        self.object: Any = self._named.object
        self._fields = wanted.passages.over(USUAL_FIELDS)
        self._async = wanted.run_async is True
        if isinstance(self.object, BaseChatEngine) and not self._named.made:
            raise PluginError(
                f"with of llamaindex: {wanted.object} is a chat engine, which remembers what it "
                "was asked: rows would see one another's questions",
                hint="name a function that makes one; it is called for every row",
            )
        self._check_stage(stage)
        listen()

    def _check_stage(self, stage: str) -> None:
        """Refuse a stage that the object cannot be: with the place where it belongs."""
        can = next(can for kind, can in KINDS.items() if isinstance(self.object, kind))
        if can != stage:
            raise PluginError(
                f"llamaindex: {self._wanted.object} is {IN_WORDS[can]}, and cannot {stage}",
                hint=f"it belongs under {PLACES[can]}; here belongs {IN_WORDS[stage]}",
            )

    def retrieve(self, question: str) -> Any:
        """The nodes that a retriever returns."""
        if self._async:
            return self._retrieved_later(question)
        return self._nodes(self.object.retrieve(question))

    async def _retrieved_later(self, question: str) -> Any:
        return self._nodes(await self.object.aretrieve(question))

    def rewrite(self, question: str) -> Any:
        """The query that a transform makes of the question."""
        return self.object.run(question).query_str

    def generate(self, question: str, passages: list[Passage]) -> Any:
        """What a response synthesizer answers from the passages that it is given."""
        nodes = [_node(passage) for passage in passages]
        if self._async:
            return self._later(lambda: self.object.asynthesize(question, nodes), self._generated)
        with watched() as seen:
            response = _finished(self.object.synthesize(question, nodes))
        return self._generated(response, seen)

    def answer(self, question: str, history: Sequence[Mapping[str, str]]) -> Any:
        """What an engine answers, its source nodes, and what its retrievers were seen to return."""
        asked, more = self.object, {}
        if isinstance(asked, BaseChatEngine):
            asked = self._named.fresh()
            more["chat_history"] = [ChatMessage(**turn) for turn in history]
        name = "chat" if more else "query"
        if self._async:
            later = getattr(asked, f"a{name}")
            return self._later(lambda: later(question, **more), self._answered)
        with watched() as seen:
            response = _finished(getattr(asked, name)(question, **more))
        return self._answered(response, seen)

    def reach(self) -> Reached:
        """What the object is; it is not called."""
        kind = type(self.object).__name__
        return Reached(well=True, said=f"llamaindex {kind} of {self._wanted.object}")

    async def _later(
        self, ask: Callable[[], Any], read: Callable[[Any, Seen], dict[str, Any]]
    ) -> dict[str, Any]:
        with watched() as seen:
            response = await ask()
            if hasattr(response, "get_response"):  # a stream that is only known at its end
                response = response.get_response()
                response = await response if hasattr(response, "__await__") else response
        return read(response, seen)

    def _generated(self, response: Any, seen: Seen) -> dict[str, Any]:
        found = self._said(response, ("answer", "citations", "usage", "context"))
        if "answer" not in found:
            found["answer"] = _text(response)
        found.setdefault("usage", seen.usage())
        return found

    def _answered(self, response: Any, seen: Seen) -> dict[str, Any]:
        found = self._said(
            response, ("query", "candidates", "reranked", "context", "answer", "citations", "usage")
        )
        if "answer" not in found:
            found["answer"] = _text(response)
        found.setdefault("usage", seen.usage())
        retrievals = seen.retrievals()
        if retrievals is not None:
            reranked = retrievals.reranked if seen.reranked is None else seen.reranked
            found.setdefault("candidates", self._mapped(retrievals.candidates))
            if reranked is not None:
                found.setdefault("reranked", self._mapped(reranked))
        sources = getattr(response, "source_nodes", None)
        if sources or retrievals is not None:
            found.setdefault("context", self._nodes(sources or []))
        if "candidates" not in found and "context" not in found:
            if not self._wanted.may_skip_retrieval:
                raise ShapeError(
                    "answered without source nodes, and no retriever of LlamaIndex was seen at "
                    "work: say may_skip_retrieval: true where it may do without"
                )
            found["candidates"] = []
        return found

    def _said(self, response: Any, names: Sequence[str]) -> dict[str, Any]:
        """What the plan's `outputs` name, as far as it is there."""
        made: dict[str, Callable[[Any], Any]] = {
            name: lambda found: found for name in ("answer", "query", "citations", "usage")
        }
        made |= dict.fromkeys(("candidates", "reranked", "context"), self._nodes)
        return self._wanted.outputs.said(response, {name: made[name] for name in names})

    def _nodes(self, found: Any) -> list[dict[str, Any]]:
        if not isinstance(found, list | tuple):
            raise ShapeError(f"returned {what(found)} in place of a list of nodes")
        for number, entry in enumerate(found, 1):
            if not isinstance(entry, NodeWithScore):
                raise ShapeError(f"passage {number} is {what(entry)}, no NodeWithScore")
        return self._mapped([view(node) for node in found])

    def _mapped(self, views: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [self._fields.passage(each, number) for number, each in enumerate(views, 1)]


def _finished(response: Any) -> Any:
    """A response as a whole: a stream is drained, inside of what is watched."""
    return response.get_response() if hasattr(response, "get_response") else response


def _text(response: Any) -> str:
    """The answer's text. `str()` of a response without one would be the word None."""
    found = getattr(response, "response", response)
    if hasattr(found, "model_dump_json"):
        return str(found.model_dump_json())
    if not isinstance(found, str):
        raise ShapeError(f"returned {what(found)} in place of an answer")
    return found


def _node(passage: Passage) -> NodeWithScore:
    metadata = dict(passage.get("metadata", {}))
    more = {"id_": passage["id"]} if "id" in passage else {}
    node = TextNode(text=passage.get("text", ""), metadata=metadata, **more)
    return NodeWithScore(node=node, score=passage.get("score"))
