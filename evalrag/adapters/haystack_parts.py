"""What a Haystack pipeline is made of, and what it returns, in the words of a trace."""

from collections.abc import Callable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

from haystack import Document
from haystack.core.pipeline.base import PipelineBase
from haystack.dataclasses import ChatMessage, GeneratedAnswer

from evalrag.adapters.fields import OutputFields, paths_of
from evalrag.adapters.passages import ShapeError, what
from evalrag.errors import PluginError
from evalrag.plugins import closest
from evalrag.schema.trace import Passage

Sockets = Mapping[str, bool]
"""Input, written `component.socket` -> whether something must be given to it."""


def is_component(found: Any) -> bool:
    """An object of a class under `@component`."""
    return hasattr(found, "__haystack_input__") and not isinstance(found, type)


def inputs_of(found: Any) -> Sockets:
    """What can be given to a pipeline (`component.socket`) or to a component (`socket`)."""
    if isinstance(found, PipelineBase):
        left_open = found.inputs()  # what other components give need not be given
        every = found.inputs(include_components_with_connected_inputs=True)
        return {
            f"{component}.{socket}": bool(
                known["is_mandatory"] and socket in left_open.get(component, {})
            )
            for component, sockets in every.items()
            for socket, known in sockets.items()
        }
    sockets = found.__haystack_input__._sockets_dict
    return {name: bool(socket.is_mandatory) for name, socket in sockets.items()}


def outputs_of(found: Any) -> tuple[str, ...]:
    """What a pipeline (`component.socket`) or a component (`socket`) gives."""
    if isinstance(found, PipelineBase):
        by_component = found.outputs(include_components_with_connected_outputs=True)
        return tuple(f"{name}.{socket}" for name, known in by_component.items() for socket in known)
    return tuple(found.__haystack_output__._sockets_dict)


def models_of(found: Any) -> list[str]:
    """The components of a pipeline that ask a model, by what they give: replies.

    None are named where the pipeline has a loop. A component's last output is all that a run
    gives, and tokens of the last of several calls are a part of the sum.
    """
    before: dict[str, set[str]] = {}
    for sender, receiver, *_ in found.graph.edges:
        before.setdefault(receiver, set()).add(sender)
    try:
        TopologicalSorter(before).prepare()
    except CycleError:
        return []
    outputs = (output.partition(".") for output in outputs_of(found))
    return [component for component, _, socket in outputs if socket == "replies"]


def check_given(path: str, given: Sequence[str], known: Sockets) -> None:
    """Refuse inputs that are not there, and the lack of one that must be given.

    Raises:
        PluginError: With what is there.
    """
    hint = f"it takes {', '.join(known) or 'nothing'}"
    for name in given:
        if name not in known:
            raise PluginError(
                f"with of haystack: inputs: {path} has no input {name!r}{closest(name, known)}",
                hint=hint,
            )
    lacking = [name for name, mandatory in known.items() if mandatory and name not in given]
    if lacking:
        example = ", ".join(f"{name}: question" for name in lacking)
        raise PluginError(
            f"with of haystack: {path} must be given {', '.join(lacking)}",
            hint=f"say what, as inputs: {{{example}}}",
        )


def check_taken(path: str, outputs: OutputFields, known: Sequence[str]) -> None:
    """Refuse places that begin with nothing that is there.

    Raises:
        PluginError: With what is there.
    """
    for name, place in outputs.named().items():
        for plain in paths_of(place):
            if not any(plain == socket or plain.startswith(f"{socket}.") for socket in known):
                raise PluginError(
                    f"with of haystack: outputs: {name}: {path} has no output {plain!r}"
                    f"{closest(plain, known)}",
                    hint=f"it gives {', '.join(known) or 'nothing'}",
                )


def view(document: Document) -> dict[str, Any]:
    """What a plan's paths lead through."""
    return {
        "id": document.id,
        "content": document.content,
        "text": document.content,
        "meta": dict(document.meta),
        "metadata": dict(document.meta),
        "score": document.score,
    }


def documents(found: Any) -> list[Document]:
    """A list of documents.

    Raises:
        ShapeError: It is something else.
    """
    if not isinstance(found, list | tuple):
        raise ShapeError(f"returned {what(found)} in place of a list of documents")
    for number, entry in enumerate(found, 1):
        if not isinstance(entry, Document):
            raise ShapeError(f"passage {number} is {what(entry)}, no Document of Haystack")
    return list(found)


def text(found: Any) -> str:
    """The text of a reply, or of the first one of several.

    Raises:
        ShapeError: There is none.
    """
    if isinstance(found, list | tuple):
        if not found:
            raise ShapeError("returned an empty list of replies")
        return text(found[0])
    said = found
    if isinstance(found, ChatMessage):
        said = found.text
    elif isinstance(found, GeneratedAnswer):
        said = found.data
    if not isinstance(said, str):
        raise ShapeError(f"returned {what(said)} in place of a text, a message or an answer")
    return said


def documents_of_answer(found: Any) -> list[Document] | None:
    """The documents that an answer builder puts beside its answer."""
    if isinstance(found, list | tuple) and found:
        found = found[0]
    return list(found.documents) if isinstance(found, GeneratedAnswer) else None


def tokens(outputs: Sequence[Mapping[str, Any]]) -> dict[str, int] | None:
    """Tokens of all models that ran; None where one does not say, since a part is no sum."""
    known = [_tokens(output) for output in outputs]
    if not known or None in known:
        return None
    pairs = [pair for pair in known if pair is not None]
    return {
        "input_tokens": sum(sent for sent, _ in pairs),
        "output_tokens": sum(received for _, received in pairs),
    }


def _tokens(output: Mapping[str, Any]) -> tuple[int, int] | None:
    """Of one generator's output: in the reply, or beside it. Several replies share one call."""
    replies, meta = output.get("replies") or [None], output.get("meta") or [None]
    for said in (getattr(replies[0], "meta", None), meta[0] if isinstance(meta, list) else None):
        usage = said.get("usage") if isinstance(said, Mapping) else None
        if isinstance(usage, Mapping):
            sent = usage.get("prompt_tokens", usage.get("input_tokens"))
            received = usage.get("completion_tokens", usage.get("output_tokens"))
            if isinstance(sent, int) and isinstance(received, int):
                return sent, received
    return None


def message(turn: Mapping[str, str]) -> ChatMessage:
    """An earlier turn."""
    makers: dict[str, Callable[[str], ChatMessage]] = {
        "user": ChatMessage.from_user,
        "assistant": ChatMessage.from_assistant,
        "system": ChatMessage.from_system,
    }
    return makers[turn["role"]](turn["content"])


def document(passage: Passage) -> Document:
    """A passage as Haystack has it; without an id it makes one of the content."""
    return Document(
        id=passage.get("id", ""),
        content=passage.get("text"),
        meta=dict(passage.get("metadata", {})),
        score=passage.get("score"),
    )
