"""A pipeline of Haystack, or one of its components (pip install 'evalrag[haystack]').

    pipeline:
      use: haystack
      with:
        object: "my_haystack:pipeline"
        inputs: {retriever.query: question, llm.query: question}
        outputs: {candidates: retriever.documents, answer: llm.replies}
        passages: {doc: meta.page}

`inputs` says what each open input of the pipeline is given, `outputs` where things come out. Its
telemetry is turned off unless HAYSTACK_TELEMETRY_ENABLED is set.
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
    from evalrag.adapters.haystack_calls import Haystack


class Settings(ObjectSettings):
    """What `with` takes."""

    inputs: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="Input -> name, as {retriever.query: question}; a component's own without it.",
    )


def build(use: Use, loaded: LoadedPlan, ids: Collection[str]) -> "Haystack":
    """The object that the plan names, ready to be asked."""
    wanted = settings(Settings, use.with_, of="haystack")
    library("haystack")
    from evalrag.adapters.haystack_calls import Haystack

    return Haystack(wanted, loaded, stage_of(use, loaded))
