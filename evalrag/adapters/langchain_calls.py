"""Asks a LangChain object, and puts what it returns into the words of a trace."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.vectorstores import VectorStoreRetriever

from evalrag.adapters.fields import PassageFields, first, offered
from evalrag.adapters.langchain import Settings
from evalrag.adapters.langchain_seen import Seen, view
from evalrag.adapters.objects import Named, check_inputs, offers_in
from evalrag.adapters.passages import ShapeError, what
from evalrag.adapters.reach import Reached
from evalrag.adapters.stages import AnyStage
from evalrag.errors import PluginError
from evalrag.loading.plan import LoadedPlan
from evalrag.schema.trace import Passage

USUAL_FIELDS: Final = PassageFields(
    id="id?",
    doc="metadata.source?",
    text="page_content",
    metadata="metadata",
    score=("score?", "metadata.relevance_score?"),
    span="metadata.start_index?",
)
"""As LangChain's loaders, splitters and rerankers write them."""
USUAL_ANSWER: Final = ("answer", "result", "output", "messages.-1", "answer")
"""`answer` again at the end, since an error names the last of them."""
USUAL_CONTEXT: Final = ("context", "source_documents")
USUAL_INPUTS: Mapping[str, Any] = {"generate": {"question": "question", "context": "texts"}}

Reader = Callable[[Any, Seen], Any]


class LangChain(AnyStage):
    """One retriever or Runnable, asked for every row with callbacks of that row's own.

    Its async calls are used, since LangChain itself puts whatever has none into a thread.
    """

    def __init__(self, wanted: Settings, loaded: LoadedPlan, stage: str) -> None:
        self._wanted = wanted
        named = Named(
            "langchain",
            wanted,
            loaded,
            known=lambda found: isinstance(found, Runnable),
            kinds="a retriever, a chain or any other Runnable, or a function that makes one",
        )
        self.object: Runnable[Any, Any] = named.object
        self._fields = wanted.passages.over(USUAL_FIELDS)
        self._async = wanted.run_async is not False
        said = wanted.inputs
        self._inputs = USUAL_INPUTS.get(stage, "question") if said is None else said
        readers: Mapping[str, Reader] = {
            "retrieve": self._retrieved,
            "rewrite": self._rewritten,
            "generate": self._generated,
            "answer": self._answered,
        }
        self._read = readers[stage]
        if wanted.scores:
            _check_scores(self.object, wanted.object)
        self._check_stage(stage)

    def _check_stage(self, stage: str) -> None:
        if isinstance(self.object, BaseRetriever) and stage != "retrieve":
            raise PluginError(
                f"langchain: {self._wanted.object} is a retriever, and cannot {stage}",
                hint="name it under pipeline.retriever, or name the chain that it is part of",
            )
        inputs = self._inputs if isinstance(self._inputs, dict) else {"it": self._inputs}
        check_inputs("langchain", inputs, stage)
        check_inputs("langchain", dict(self._wanted.configurable), stage)

    def ask(self, offers: Mapping[str, Any]) -> Any:
        if self._wanted.scores:
            return self._scored(offers["question"])
        offers = offers_in(offers, message=_message, document=_document)
        inputs = self._inputs
        given = offers[inputs] if isinstance(inputs, str) else offered(inputs, offers)
        seen = Seen()
        config: RunnableConfig = {"callbacks": [seen]}
        if self._wanted.configurable:
            config["configurable"] = offered(dict(self._wanted.configurable), offers)
        if not self._async:
            return self._read(self.object.invoke(given, config), seen)
        return self._awaited(given, config, seen)

    async def _awaited(self, given: Any, config: RunnableConfig, seen: Seen) -> Any:
        return self._read(await self.object.ainvoke(given, config), seen)

    def reach(self) -> Reached:
        """What the object is; it is not called."""
        kind = type(self.object).__name__
        return Reached(well=True, said=f"langchain {kind} of {self._wanted.object}")

    def _scored(self, question: str) -> Any:
        """A vector store knows the score and its retriever drops it: the store itself is asked."""
        retriever: Any = self.object
        store, more = retriever.vectorstore, retriever.search_kwargs
        if self._async:
            return self._scored_later(store.asimilarity_search_with_score(question, **more))
        return self._with_scores(store.similarity_search_with_score(question, **more))

    async def _scored_later(self, asked: Any) -> Any:
        return self._with_scores(await asked)

    def _with_scores(self, pairs: Any) -> list[dict[str, Any]]:
        return self._mapped([view(document, score) for document, score in pairs])

    def _retrieved(self, returned: Any, seen: Seen) -> Any:
        place = self._wanted.outputs.candidates
        return self._documents(returned if place is None else first(returned, place, "candidates"))

    def _rewritten(self, returned: Any, seen: Seen) -> Any:
        place = self._wanted.outputs.query
        found = returned if place is None else first(returned, place, "query")
        return _text(found)

    def _generated(self, returned: Any, seen: Seen) -> dict[str, Any]:
        found = self._said(returned, ("answer", "citations", "usage", "context"))
        if "answer" not in found:
            found["answer"] = self._answer(returned)
        found.setdefault("usage", seen.usage())
        return found

    def _answered(self, returned: Any, seen: Seen) -> dict[str, Any]:
        found = self._said(
            returned, ("query", "candidates", "reranked", "context", "answer", "citations", "usage")
        )
        if "answer" not in found:
            found["answer"] = self._answer(returned)
        found.setdefault("usage", seen.usage())
        if "context" not in found and (context := _usual_context(returned)) is not None:
            found["context"] = self._documents(context)
        if "candidates" not in found and (retrievals := seen.retrievals()) is not None:
            found["candidates"] = self._mapped(retrievals.candidates)
            if retrievals.reranked is not None:
                found.setdefault("reranked", self._mapped(retrievals.reranked))
        if "candidates" not in found and "context" not in found:
            if not self._wanted.may_skip_retrieval:
                raise ShapeError(
                    "answered, and no retriever of LangChain was seen at work: name where its "
                    "passages stand, as outputs: {context: ...}, or say may_skip_retrieval: true "
                    "where it may do without"
                )
            found["candidates"] = []
        return found

    def _said(self, returned: Any, names: Sequence[str]) -> dict[str, Any]:
        """What the plan's `outputs` name, as far as it is there."""
        made = {"answer": _text, "query": _text, "citations": _cited, "usage": _unchanged}
        made |= dict.fromkeys(("candidates", "reranked", "context"), self._documents)
        return self._wanted.outputs.said(returned, {name: made[name] for name in names})

    def _answer(self, returned: Any) -> str:
        if not isinstance(returned, Mapping):
            return _text(returned)
        return _text(first(returned, USUAL_ANSWER, "answer"))

    def _documents(self, found: Any) -> list[dict[str, Any]]:
        if not isinstance(found, list | tuple):
            raise ShapeError(f"returned {what(found)} in place of a list of documents")
        for number, entry in enumerate(found, 1):
            if not isinstance(entry, Document):
                raise ShapeError(f"passage {number} is {what(entry)}, no Document of LangChain")
        return self._mapped([view(document) for document in found])

    def _mapped(self, views: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [self._fields.passage(each, number) for number, each in enumerate(views, 1)]


def _message(turn: Mapping[str, str]) -> BaseMessage:
    return convert_to_messages([(turn["role"], turn["content"])])[0]


def _document(passage: Passage) -> Document:
    """A passage as LangChain has it; the document's name stands where its loaders put it."""
    metadata = dict(passage.get("metadata", {}))
    if "doc" in passage:
        metadata.setdefault("source", passage["doc"])
    return Document(id=passage.get("id"), page_content=passage.get("text", ""), metadata=metadata)


def _usual_context(returned: Any) -> Any:
    """Documents under a usual key. Chains also put a prompt's text there, which is none."""
    if not isinstance(returned, Mapping):
        return None
    for key in USUAL_CONTEXT:
        found = returned.get(key)
        if isinstance(found, list) and all(isinstance(entry, Document) for entry in found):
            return found
    return None


def _text(found: Any) -> str:
    if isinstance(found, BaseMessage):
        return str(found.text)
    if isinstance(found, str):
        return found
    raise ShapeError(
        f"returned {what(found)} in place of a text or a message; name where that stands, as "
        "outputs: {answer: ...}"
    )


def _unchanged(found: Any) -> Any:
    return found


def _cited(found: Any) -> Any:
    if not isinstance(found, list | tuple):
        return found
    return [entry.id if isinstance(entry, Document) else entry for entry in found]


def _check_scores(found: Any, path: str) -> None:
    kind = getattr(found, "search_type", None)
    if not isinstance(found, VectorStoreRetriever) or kind != "similarity":
        said = type(found).__name__ + (f" of search_type {kind}" if kind else "")
        raise PluginError(
            f"with of langchain: scores: {path} is a {said}",
            hint="scores come from a vector store's retriever of search_type similarity; "
            "or map where they stand: passages: {score: metadata.score}",
        )
