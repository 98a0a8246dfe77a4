"""What importing costs: nothing heavy is loaded before it is used."""

import subprocess
import sys
from pathlib import Path

import pytest

import evalrag

PACKAGE = Path(evalrag.__file__).parent
HEAVY = (
    "anthropic",
    "asyncio",
    "haystack",
    "httpx2",
    "jinja2",
    "jsonpath",
    "langchain_core",
    "llama_index",
    "numpy",
    "openai",
    "pydantic",
    "pydantic_core",
    "socket",
    "sqlite3",
    "ssl",
    "urllib3",
    "yaml",
)
BEHIND = (
    *("dry_run", "jobs", "judging", "limits", "prepare", "reports", "selecting", "stuck"),
    "verdicts",
)
"""Of the command line, what a command imports when it is called."""
COMMANDS = sorted(
    f"evalrag.cli.{path.stem}"
    for path in (PACKAGE / "cli").glob("*.py")
    if path.stem not in ("__init__", *BEHIND)
)


def loaded_by(code: str) -> list[str]:
    """The heavy modules in `sys.modules` after `code`, beyond what typer itself loads."""
    script = f"{code}\nimport sys\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize("module", ["evalrag", "evalrag.__main__", *COMMANDS])
def test_importing_loads_nothing_heavy(module: str) -> None:
    assert loaded_by(f"import {module}") == []


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import contextlib, io\nfrom evalrag.cli.main import app\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    app(['--help'])"
    )
    assert loaded_by(code) == []


def test_the_offline_judge_and_embedded_pipeline_load_no_sdk() -> None:
    code = (
        "import evalrag.judges.offline, evalrag.adapters.bm25, evalrag.adapters.extractive\n"
        "import evalrag.adapters.build, evalrag.adapters.langchain, evalrag.adapters.llamaindex\n"
        "import evalrag.cli.jobs, evalrag.cli.selecting, evalrag.cli.verdicts"
    )
    connected = {"haystack", "jsonpath", "langchain_core", "llama_index", "urllib3"}
    assert not {"openai", "anthropic", "httpx2", "numpy", *connected} & set(loaded_by(code))


def test_a_run_loads_no_templates_before_a_report_asks_for_them() -> None:
    code = (
        "import evalrag.cli.reports, evalrag.cli.output, evalrag.reporters.terminal\n"
        "from evalrag.reporters.build import reporter\nreporter('terminal'), reporter('json')"
    )
    assert "jinja2" not in loaded_by(code)
    assert "jinja2" in loaded_by(f"{code}, reporter('html')")


@pytest.mark.parametrize("name", evalrag.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(evalrag, name) is not None


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        evalrag.nope


def test_no_pattern_of_the_judge_is_compiled_before_an_answer_is_read() -> None:
    code = (
        "import evalrag.execution.session\n"
        "from evalrag.judging import orders, words\n"
        "late = [kind.known for kind in orders.KINDS]\n"
        "print(len(late) > 5, sum('pattern' in vars(one) for one in late),\n"
        "      words.pattern.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "0", "0"]
