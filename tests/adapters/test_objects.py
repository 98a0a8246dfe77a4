"""Objects of other libraries, where the library itself is not there."""

import subprocess
import sys
from textwrap import dedent

import pytest

SCRIPT = """
    import sys
    use, module = sys.argv[1:]
    sys.modules[module] = None
    from evalrag.errors import PluginError
    from evalrag.adapters.objects import library
    try:
        library(use)
    except PluginError as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("use", "module", "distribution"),
    [
        ("langchain", "langchain_core", "langchain-core"),
        ("llamaindex", "llama_index", "llama-index-core"),
        ("haystack", "haystack", "haystack-ai"),
    ],
)
def test_without_the_library_the_plan_says_what_to_install(
    use: str, module: str, distribution: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", dedent(SCRIPT), use, module],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == (
        f"{use} needs {distribution}, which is not installed\nnext: pip install 'evalrag[{use}]'\n"
    )
