"""Asks a Haystack pipeline or component, and takes what the plan names from what it returns."""

import threading
from collections.abc import Mapping
from typing import Any, Final

from haystack import Document
from haystack.core.pipeline.base import PipelineBase

from evalrag.adapters.fields import MISSING, OutputFields, PassageFields, first, offered, paths_of
from evalrag.adapters.haystack import Settings
from evalrag.adapters.haystack_parts import (
    check_given,
    check_taken,
    document,
    documents,
    documents_of_answer,
    inputs_of,
    is_component,
    message,
    models_of,
    outputs_of,
    text,
    tokens,
    view,
)
from evalrag.adapters.objects import Named, check_inputs, offers_in
from evalrag.adapters.passages import ShapeError
from evalrag.adapters.reach import Reached
from evalrag.adapters.stages import AnyStage
from evalrag.errors import PluginError
from evalrag.loading.plan import LoadedPlan

USUAL_FIELDS: Final = PassageFields(
    id="id",
    doc=("meta.file_path?", "meta.source_id?"),
    text="content?",
    metadata="meta",
    score="score?",
    span="meta.split_idx_start?",
)
"""As Haystack's converters and splitters write them."""

USUAL_INPUTS: Mapping[str, Mapping[str, str]] = {
    "retrieve": {"query": "question"},
    "rewrite": {"query": "question"},
    "generate": {"query": "question", "documents": "passages"},
    "answer": {"query": "question"},
}
USUAL_OUTPUTS: Mapping[str, Mapping[str, Any]] = {
    "retrieve": {"candidates": "documents"},
    "rewrite": {"query": ("query?", "replies.0")},
    "generate": {"answer": ("answers.0?", "replies.0")},
    "answer": {"answer": ("answers.0?", "replies.0"), "candidates": "documents?"},
}
"""Of a single component, where the plan says nothing. A pipeline's are said by the plan."""
NEEDED: Mapping[str, str] = {
    "retrieve": "candidates",
    "rewrite": "query",
    "generate": "answer",
    "answer": "answer",
}


class Haystack(AnyStage):
    """One pipeline or component. Its async run is used where a component has a real one."""

    def __init__(self, wanted: Settings, loaded: LoadedPlan, stage: str) -> None:
        self._wanted, self._stage = wanted, stage
        named = Named(
            "haystack",
            wanted,
            loaded,
            known=lambda found: isinstance(found, PipelineBase) or is_component(found),
            kinds="a Pipeline or a component, or a function that makes one",
        )
        self.object: Any = named.object
        self._whole = isinstance(self.object, PipelineBase)
        self._fields = wanted.passages.over(USUAL_FIELDS)
        self._async = self._is_async() if wanted.run_async is None else wanted.run_async
        if self._async and not hasattr(self.object, "run_async"):
            raise PluginError(
                f"with of haystack: async: {wanted.object} is a {type(self.object).__name__}, "
                "which has no run_async",
                hint="take `async` out",
            )
        self._models = models_of(self.object) if self._whole else []
        self._warm, self._warming = False, threading.Lock()
        self._inputs, self._outputs = self._inputs_of(stage), self._outputs_of(stage)
        self._check_stage()

    def _check_stage(self) -> None:
        """Refuse inputs and outputs that the object does not have, or that the stage lacks."""
        path, stage, inputs, outputs = self._wanted.object, self._stage, self._inputs, self._outputs
        check_inputs("haystack", inputs, stage)
        check_given(path, list(inputs), inputs_of(self.object))
        known = outputs_of(self.object)
        if self._wanted.outputs.named():
            check_taken(path, outputs, known)
        named = outputs.named()
        lacking = [NEEDED[stage]] if NEEDED[stage] not in named else []
        built = any("answers" in path.split(".") for path in paths_of(named.get("answer", ())))
        if stage == "answer" and not built and not {"candidates", "context"} & named.keys():
            lacking.append("candidates")  # an answer builder's answer has its documents in it
        if lacking:
            raise PluginError(
                f"with of haystack: outputs: nothing is said of {' and '.join(lacking)}",
                hint=f"say where it stands, as outputs: {{{lacking[0]}: ...}}; {path} gives "
                f"{', '.join(known)}",
            )

    def ask(self, offers: Mapping[str, Any]) -> Any:
        """What `outputs` name, as the stage gives it."""
        offers = offers_in(offers, message=message, document=document)
        given = offered(self._inputs, offers)
        if self._whole:
            wanted = {*self._models, *_components(self._outputs)}
            given = {"data": _by_component(given), "include_outputs_from": wanted}
        if self._async:
            return self._awaited(given)
        self._warm_up()
        return self._read(self.object.run(**given))

    async def _awaited(self, given: Mapping[str, Any]) -> Any:
        return self._read(await self.object.run_async(**given))

    def reach(self) -> Reached:
        """What the object is and is made of; it is not run."""
        said = f"haystack {type(self.object).__name__} of {self._wanted.object}"
        if self._whole:
            said += f": {', '.join(name for name, _ in self.object.walk())}"
        return Reached(well=True, said=said)

    def _inputs_of(self, stage: str) -> Mapping[str, Any]:
        if self._wanted.inputs or self._whole:
            return self._wanted.inputs
        known = inputs_of(self.object)
        return {name: value for name, value in USUAL_INPUTS[stage].items() if name in known}

    def _outputs_of(self, stage: str) -> OutputFields:
        if self._wanted.outputs.named() or self._whole:
            return self._wanted.outputs
        return OutputFields(**USUAL_OUTPUTS[stage])

    def _is_async(self) -> bool:
        """Whether anything in it has an async run of its own."""
        parts = [part for _, part in self.object.walk()] if self._whole else [self.object]
        supports = any(getattr(part, "__haystack_supports_async__", False) for part in parts)
        return supports and hasattr(self.object, "run_async")

    def _warm_up(self) -> None:
        """Once, and by one thread: a component may load its model here."""
        with self._warming:
            if not self._warm and hasattr(self.object, "warm_up"):
                self.object.warm_up()
            self._warm = True

    def _read(self, returned: Any) -> Any:
        stage, outputs = self._stage, self._outputs
        made = dict.fromkeys(("candidates", "reranked", "context"), self._mapped)
        found = outputs.said(
            returned,
            {"answer": text, "query": text, "citations": _cited, "usage": dict, **made},
        )
        if stage in ("retrieve", "rewrite"):
            return found[NEEDED[stage]]
        if stage == "generate":
            found = {name: found[name] for name in found if name in GENERATED}
        ran = [returned.get(name) for name in self._models] if self._whole else [returned]
        found.setdefault("usage", tokens([output for output in ran if output]))
        if stage == "answer" and "context" not in found and outputs.answer is not None:
            told = documents_of_answer(_whole_answer(returned, outputs))
            if told is not None:
                found["context"] = self._mapped(told)
        if stage == "answer" and "candidates" not in found and "context" not in found:
            if not self._wanted.may_skip_retrieval:
                raise ShapeError(
                    "answered, and nothing stands where the plan looks for its documents: say "
                    "may_skip_retrieval: true where it may do without"
                )
            found["candidates"] = []
        return found

    def _mapped(self, found: Any) -> list[dict[str, Any]]:
        listed = documents(found)
        return [self._fields.passage(view(each), number) for number, each in enumerate(listed, 1)]


GENERATED: Final = ("answer", "citations", "usage", "context")


def _whole_answer(returned: Any, outputs: OutputFields) -> Any:
    """What stands where the answer is taken from, before it became a text."""
    found = first(returned, outputs.answer or (), "answer")
    return None if found is MISSING else found


def _components(outputs: OutputFields) -> set[str]:
    paths = (path for place in outputs.named().values() for path in paths_of(place))
    return {path.partition(".")[0] for path in paths}


def _by_component(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """`{retriever.query: x}` as `{retriever: {query: x}}`."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in given.items():
        component, _, socket = name.partition(".")
        found.setdefault(component, {})[socket] = value
    return found


def _cited(found: Any) -> Any:
    if not isinstance(found, list | tuple):
        return found
    return [entry.id if isinstance(entry, Document) else entry for entry in found]
