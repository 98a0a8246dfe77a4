"""The dependency rule, executable: a module imports its own layer's package or a lower one."""

import ast
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "evalrag"
LAYERS = {
    "errors": 0,
    "text": 0,
    "schema": 1,
    "redaction": 1,
    "evidence": 2,
    "metrics": 2,
    "judging": 2,
    "regression": 3,
    "curation": 3,
    "plugins": 4,
    "loading": 4,
    "stores": 4,
    "adapters": 4,
    "judges": 4,
    "reporters": 4,
    "execution": 5,
    "cli": 6,
}
MAY_NAME_IT = {"__main__", "cli", "stores"}
"""`evalrag` itself, for its version."""
PURE = {"text", "schema", "evidence", "metrics", "judging", "regression", "curation"}
IMPURE = {
    "asyncio",
    "datetime",
    "glob",
    "http",
    "io",
    "os",
    "pathlib",
    "random",
    "rich",
    "secrets",
    "shutil",
    "socket",
    "sqlite3",
    "subprocess",
    "tempfile",
    "threading",
    "time",
    "typer",
    "urllib",
    "uuid",
    "yaml",
}
ALLOWED = {("schema", "datetime"), ("evidence", "datetime")}
"""Parsing an ISO date reads no clock; `now` and `today` are looked for below."""
EMPTY = {"util", "utils", "helper", "helpers", "common", "core", "misc", "manager", "base"}
CLOCK_OR_FILE = re.compile(r"\.now\(|\.today\(|\.utcnow\(|\bopen\(")
PATHS = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


TEXTS = {name_of(path): path.read_text(encoding="utf-8") for path in PATHS}


def layer_of(name: str) -> str:
    return name.partition("/")[0].removesuffix(".py")


def imports(text: str) -> set[str]:
    """The modules that a module imports; relative ones with their dots."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." * node.level + (node.module or ""))
    return found


@pytest.fixture(scope="module")
def imported() -> Mapping[str, set[str]]:
    """Module -> what it imports."""
    return {name: imports(text) for name, text in TEXTS.items()}


def test_imports_point_down(imported: Mapping[str, set[str]]) -> None:
    wrong = []
    for name, used in imported.items():
        layer = layer_of(name)
        if layer.startswith("__"):  # the package and `python -m evalrag`
            continue
        ours = {module for module in used if module.startswith("evalrag.")}
        higher = {module for module in ours if LAYERS[module.split(".")[1]] > LAYERS[layer]}
        wrong += [f"{name} imports {module}, of a higher layer" for module in sorted(higher)]
    assert not wrong, "\n".join(wrong)


def test_imports_name_the_module_that_defines_what_they_import(
    imported: Mapping[str, set[str]],
) -> None:
    wrong = [
        f"{name} imports {module}"
        for name, used in imported.items()
        for module in sorted(used)
        if module.startswith(".") or (module == "evalrag" and layer_of(name) not in MAY_NAME_IT)
    ]
    assert not wrong, "\n".join(wrong)


def test_the_pure_core_touches_nothing_outside(imported: Mapping[str, set[str]]) -> None:
    wrong = []
    for name, used in imported.items():
        layer = layer_of(name)
        if layer not in PURE:
            continue
        outside = {module.partition(".")[0] for module in used} & IMPURE
        wrong += [f"{name} imports {one}" for one in sorted(outside) if (layer, one) not in ALLOWED]
        wrong += [f"{name} calls {one}...)" for one in CLOCK_OR_FILE.findall(TEXTS[name])]
    assert not wrong, "\n".join(wrong)


def test_names_say_something() -> None:
    wrong = [name_of(path) for path in PATHS if path.stem in EMPTY]
    assert not wrong, "\n".join(wrong)
