"""What happened inside one call of a LangChain object, as its own callbacks tell it."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.outputs import ChatGeneration, LLMResult

from evalrag.adapters.retrievals import Retrievals, View, seen_retrievals


def view(document: Document, score: float | None = None) -> View:
    """What a plan's paths lead through."""
    return {
        "id": document.id,
        "text": document.page_content,
        "page_content": document.page_content,
        "metadata": dict(document.metadata),
        "score": score,
    }


class Seen(BaseCallbackHandler):
    """Belongs to one call and is handed along with it: no other row's events can be here."""

    run_inline = True
    raise_error = True

    def __init__(self) -> None:
        self._parents: dict[UUID, UUID | None] = {}
        self._retrievers: dict[UUID, list[View] | None] = {}
        """Runs of retrievers in the order of their start; None until they end."""
        self._usage: list[tuple[int, int] | None] = []

    def on_retriever_start(
        self,
        serialized: Any,
        query: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,
    ) -> None:
        self._parents[run_id] = parent_run_id
        self._retrievers[run_id] = None

    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **_: Any) -> None:
        self._retrievers[run_id] = [view(document) for document in documents]

    def on_chain_start(
        self,
        serialized: Any,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,
    ) -> None:
        self._parents[run_id] = parent_run_id

    def on_tool_start(
        self,
        serialized: Any,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,
    ) -> None:
        self._parents[run_id] = parent_run_id

    def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        self._usage.append(_tokens(response))

    def retrievals(self) -> Retrievals | None:
        """What retrievers returned; None where none was seen."""
        ended = {run: found for run, found in self._retrievers.items() if found is not None}
        return seen_retrievals(ended, lambda run: list(self._above(run)))

    def usage(self) -> View | None:
        """Tokens of all model calls; None where one does not say, since a part is no sum."""
        if not self._usage or None in self._usage:
            return None
        known = [tokens for tokens in self._usage if tokens is not None]
        return {
            "input_tokens": sum(sent for sent, _ in known),
            "output_tokens": sum(received for _, received in known),
        }

    def _above(self, run: UUID) -> Iterator[UUID]:
        """The runs that a run was started inside of."""
        above = self._parents.get(run)
        while above is not None:
            yield above
            above = self._parents.get(above)


def _tokens(response: LLMResult) -> tuple[int, int] | None:
    """Tokens in and out of one model call, of the first generation: the others share the prompt."""
    for generations in response.generations:
        for generation in generations:
            message = generation.message if isinstance(generation, ChatGeneration) else None
            said = getattr(message, "usage_metadata", None)
            if said:
                return said["input_tokens"], said["output_tokens"]
    said = (response.llm_output or {}).get("token_usage") or {}
    if "prompt_tokens" in said and "completion_tokens" in said:
        return said["prompt_tokens"], said["completion_tokens"]
    return None
