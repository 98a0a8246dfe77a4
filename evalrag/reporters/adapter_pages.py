"""Reference pages of the adapters that connect to something: what their modules say."""

import inspect

from evalrag.adapters import command, http
from evalrag.reporters.listed import listed


def adapter_pages() -> dict[str, str]:
    """Text by the name that a plan uses."""
    return {
        name: f"{inspect.getdoc(module)}\n\n`with` takes:\n{listed(module.Settings.model_fields)}"
        for name, module in (("http", http), ("command", command))
    }
