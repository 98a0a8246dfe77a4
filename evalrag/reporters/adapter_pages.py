"""Reference pages of the adapters that come with evalrag: what their modules say."""

import inspect
from types import ModuleType

from evalrag.adapters import bm25, command, extractive, haystack, http, langchain, llamaindex
from evalrag.adapters import recorded as recorded_outputs
from evalrag.reporters.listed import whole

_MODULES: tuple[tuple[str, ModuleType], ...] = (
    ("recorded", recorded_outputs),
    ("bm25", bm25),
    ("extractive", extractive),
    ("http", http),
    ("command", command),
    ("langchain", langchain),
    ("llamaindex", llamaindex),
    ("haystack", haystack),
)


def adapter_pages() -> dict[str, str]:
    """Text by the name that a plan uses."""
    return {
        name: f"{inspect.getdoc(module)}\n\n`with` takes:\n{whole(module.Settings)}"
        for name, module in _MODULES
    }
