"""A retriever, query engine, chat engine or response synthesizer of LlamaIndex.

    pipeline:
      use: llamaindex
      with:
        object: "my_index:query_engine"
        passages: {doc: metadata.file_name}

Install it with: pip install 'evalrag[llamaindex]'. A retriever alone goes under `retriever`, a
synthesizer under `generator`. A chat engine is named by the function that makes it, which is called
for every row. Candidates are what was retrieved, the context is what postprocessors left of it.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

from evalrag.adapters.objects import ObjectSettings, library
from evalrag.adapters.stages import stage_of
from evalrag.loading.plan import LoadedPlan
from evalrag.plugins import settings
from evalrag.schema.plan import Use

if TYPE_CHECKING:
    from evalrag.adapters.llamaindex_calls import LlamaIndex


class Settings(ObjectSettings):
    """What `with` takes."""


def build(use: Use, loaded: LoadedPlan, ids: Collection[str]) -> "LlamaIndex":
    """The object that the plan names, ready to be asked."""
    wanted = settings(Settings, use.with_, of="llamaindex")
    library("llamaindex")
    from evalrag.adapters.llamaindex_calls import LlamaIndex

    return LlamaIndex(wanted, loaded, stage_of(use, loaded))
