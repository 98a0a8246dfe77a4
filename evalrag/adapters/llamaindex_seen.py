"""What happened inside one call of a LlamaIndex object, as its own events tell it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.llm import (
    LLMChatEndEvent,
    LLMChatStartEvent,
    LLMCompletionEndEvent,
    LLMCompletionStartEvent,
)
from llama_index.core.instrumentation.events.rerank import ReRankEndEvent
from llama_index.core.instrumentation.events.retrieval import (
    RetrievalEndEvent,
    RetrievalStartEvent,
)
from llama_index.core.schema import NodeWithScore
from llama_index_instrumentation import get_dispatcher

from evalrag.adapters.fields import MISSING, first
from evalrag.adapters.retrievals import Retrievals, View, seen_retrievals

Tokens = tuple[int, int]

SENT: Final = (
    "additional_kwargs.prompt_tokens?",
    "raw.usage.prompt_tokens?",
    "raw.usage.input_tokens?",
    "message.additional_kwargs.prompt_tokens?",
)
RECEIVED: Final = (
    "additional_kwargs.completion_tokens?",
    "raw.usage.completion_tokens?",
    "raw.usage.output_tokens?",
    "message.additional_kwargs.completion_tokens?",
)
"""Where the integrations with model providers put what a call used."""


def view(found: NodeWithScore) -> View:
    """What a plan's paths lead through."""
    node: Any = found.node
    return {
        "id": node.node_id,
        "node_id": node.node_id,
        "text": node.get_content(),
        "metadata": dict(node.metadata),
        "score": found.score,
        "ref_doc_id": node.ref_doc_id,
        "start_char_idx": getattr(node, "start_char_idx", None),
        "end_char_idx": getattr(node, "end_char_idx", None),
    }


class Seen:
    """The events of one call: those that are sent in its context, or in one made from it."""

    def __init__(self) -> None:
        self._parents: dict[str, str | None] = {}
        self._retrieved: dict[str, list[View]] = {}
        self._usage: dict[str, Tokens | None] = {}
        self._started_models: set[str] = set()
        self.reranked: list[View] | None = None
        self.broken: BaseException | None = None

    def note(self, event: BaseEvent) -> None:
        """Keep what an event says. The context knows what the call is inside of."""
        span = event.span_id or event.id_
        if isinstance(event, RetrievalStartEvent | LLMChatStartEvent | LLMCompletionStartEvent):
            if not isinstance(event, RetrievalStartEvent):
                self._started_models.add(span)
            self._parents[span] = _INSIDE.get()
            _INSIDE.set(span)
        elif isinstance(event, RetrievalEndEvent):
            self._retrieved[span] = [view(node) for node in event.nodes]
            _INSIDE.set(self._parents.get(span))
        elif isinstance(event, LLMChatEndEvent | LLMCompletionEndEvent):
            self._usage[span] = _tokens(event.response)
            _INSIDE.set(self._parents.get(span))
        elif isinstance(event, ReRankEndEvent):
            self.reranked = [view(node) for node in event.nodes]

    def retrievals(self) -> Retrievals | None:
        """What retrievers returned, in the order of their start; None where none was seen."""
        ended = {run: self._retrieved[run] for run in self._parents if run in self._retrieved}
        return seen_retrievals(ended, lambda run: list(self._above(run)))

    def usage(self) -> dict[str, int] | None:
        """Tokens of all model calls; None where one does not say, since a part is no sum.

        A model's `chat` may be made of its `complete`: only the outer of the two is counted.
        """
        outer = [
            run
            for run in self._started_models
            if not any(above in self._started_models for above in self._above(run))
        ]
        known = [tokens for run in outer if (tokens := self._usage.get(run)) is not None]
        if not outer or len(known) < len(outer):
            return None
        return {
            "input_tokens": sum(sent for sent, _ in known),
            "output_tokens": sum(received for _, received in known),
        }

    def _above(self, run: str) -> Iterator[str]:
        above = self._parents.get(run)
        while above is not None:
            yield above
            above = self._parents.get(above)


_SEEN: ContextVar[Seen | None] = ContextVar("evalrag_llamaindex_seen", default=None)
_INSIDE: ContextVar[str | None] = ContextVar("evalrag_llamaindex_inside", default=None)
"""The innermost retriever or model call that has begun in this context, by its span."""


class _Handler(BaseEventHandler):
    """The one handler of this process. Outside of our calls it keeps nothing."""

    @classmethod
    def class_name(cls) -> str:
        return "EvalragEventHandler"

    def handle(self, event: BaseEvent, **_: Any) -> None:
        seen = _SEEN.get()
        if seen is None:
            return
        try:
            seen.note(event)
        except Exception as error:  # noqa: BLE001 - the dispatcher swallows it: the row must not
            seen.broken = error


_lock = threading.Lock()
_listening: list[_Handler] = []


def listen() -> None:
    """Be told of LlamaIndex's events, once in a process."""
    with _lock:
        if not _listening:
            _listening.append(_Handler())
            get_dispatcher().add_event_handler(_listening[0])


@contextmanager
def watched() -> Iterator[Seen]:
    """The events of what is called inside, and of nothing else.

    Raises:
        Exception: What went wrong with an event.
    """
    seen = Seen()
    token, inside = _SEEN.set(seen), _INSIDE.set(None)
    try:
        yield seen
    finally:
        _INSIDE.reset(inside)
        _SEEN.reset(token)
    if seen.broken is not None:
        raise seen.broken


def _tokens(response: Any) -> Tokens | None:
    if response is None:
        return None
    sent, received = first(response, SENT, "usage"), first(response, RECEIVED, "usage")
    if sent is MISSING or received is MISSING:
        return None
    return int(sent), int(received)
