"""A retriever, a chain or any other Runnable of LangChain (pip install 'evalrag[langchain]').

    pipeline:
      use: langchain
      with:
        object: "my_chain:chain"
        inputs: question
        passages: {doc: metadata.source}

A retriever alone goes under `retriever`, a chain that answers from given passages under `generator`
(`inputs: {question: question, context: texts}`). In a dict that a chain returns, `answer` and
`context` are found by themselves, other keys by name: `outputs: {answer: reply.text}`.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

from pydantic import Field, JsonValue

from evalrag.adapters.objects import ObjectSettings, library
from evalrag.adapters.stages import stage_of
from evalrag.loading.plan import LoadedPlan
from evalrag.plugins import settings
from evalrag.schema.plan import Use

if TYPE_CHECKING:
    from evalrag.adapters.langchain_calls import LangChain


class Settings(ObjectSettings):
    """What `with` takes."""

    inputs: str | dict[str, JsonValue] | None = Field(
        default=None,
        description="What the Runnable is given: one thing by name, or key -> name. By default the "
        "question; for a generator {question: question, context: texts}.",
    )
    configurable: dict[str, str] = Field(
        default_factory=dict,
        description="Keys of the config's `configurable`, as {thread_id: new_id}.",
    )
    scores: bool = Field(
        default=False, description="Ask a vector store's retriever for scores (similarity only)."
    )


def build(use: Use, loaded: LoadedPlan, ids: Collection[str]) -> "LangChain":
    """The object that the plan names, ready to be asked."""
    wanted = settings(Settings, use.with_, of="langchain")
    library("langchain")
    from evalrag.adapters.langchain_calls import LangChain

    return LangChain(wanted, loaded, stage_of(use, loaded))
