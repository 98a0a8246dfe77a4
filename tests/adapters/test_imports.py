"""Local files that the pipeline's code imports and that nobody watches."""

from pathlib import Path

import pytest

from evalrag.adapters.imports import unwatched
from tests.adapters.plans import load


def found(folder: Path, files: dict[str, str], watch: tuple[str, ...] = ()) -> tuple[str, ...]:
    for name, text in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    use = files.get("use", "hook:retrieve")
    pipeline = {"retriever": {"use": use}, "watch": list(watch), "context_k": 5}
    return unwatched(load(folder, pipeline))


HOOK = "import json\nimport prompts\nfrom shop import index\ndef retrieve(question): return []\n"
FILES = {
    "hook.py": HOOK,
    "prompts.py": "TEXT = ''\n",
    "shop/__init__.py": "",
    "shop/index.py": "from .deep import far\n",
    "shop/deep/__init__.py": "X = 1\n",
    "shop/deep/far.py": "Y = 1\n",
    "shop/never.py": "Z = 1\n",
}


def test_what_is_imported_by_any_way_is_found_and_nothing_else(tmp_path: Path) -> None:
    assert found(tmp_path, FILES) == (
        "prompts.py",
        "shop/deep/__init__.py",
        "shop/deep/far.py",
        "shop/index.py",
    )


def test_what_is_watched_is_covered(tmp_path: Path) -> None:
    assert found(tmp_path, FILES, ("prompts.py", "shop/**/*.py")) == ()
    assert found(tmp_path, FILES, ("shop/**/*.py",)) == ("prompts.py",)


def test_an_import_that_waits_in_a_function_counts(tmp_path: Path) -> None:
    files = {"hook.py": "def retrieve(question):\n    import late\n", "late.py": "A = 1\n"}

    assert found(tmp_path, files) == ("late.py",)


@pytest.mark.parametrize(
    "text",
    ["import hook\n", "def f(:\n", "\x00", "A = '\\d'\n"],
    ids=["circle", "broken", "nul", "warns"],
)
def test_a_file_that_is_odd_is_named_and_not_run(tmp_path: Path, text: str) -> None:
    files = {"hook.py": "import odd\ndef retrieve(question): return []\n", "odd.py": text}

    assert found(tmp_path, files) == ("odd.py",)


def test_installed_packages_are_not_local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "hook.py": "import yaml, ours, evalrag.errors\ndef retrieve(question): return []\n",
        "venv/lib/site-packages/ours.py": "A = 1\n",
        "evalrag/errors.py": "A = 1\n",
    }

    assert found(tmp_path, files) == ()


def test_a_file_of_the_working_directory_is_named_as_the_plan_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outside.py").write_text("A = 1\n", encoding="utf-8")
    (tmp_path / "plans").mkdir()

    assert found(tmp_path / "plans", {"hook.py": "import outside\n"}) == ("../outside.py",)


def test_the_packages_that_a_hook_stands_in_are_imported_with_it(tmp_path: Path) -> None:
    files = {
        "use": "app.rag.hook:retrieve",
        "app/__init__.py": "SETTING = 1\n",
        "app/rag/hook.py": "from ..index import build\n",
        "app/index.py": "def build(): pass\n",
    }

    assert found(tmp_path, files) == ("app/__init__.py", "app/index.py")
