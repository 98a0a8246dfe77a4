"""The dependency rule, executable: a module imports its own layer's package or a lower one."""

import ast
import re
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
MODULES = sorted(PACKAGE.rglob("*.py"))


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found.add(node.module or "")
    return found


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_down(path: Path) -> None:
    layer = layer_of(path)
    if layer.startswith("__"):  # the package and `python -m evalrag`
        return
    used = imports(path)
    ours = {name.split(".")[1] for name in used if name.startswith("evalrag.")}
    assert {name for name in ours if LAYERS[name] > LAYERS[layer]} == set()
    if "evalrag" in used:
        assert layer in {"cli", "stores"}, "import the module that defines the name"


@pytest.mark.parametrize("path", [p for p in MODULES if layer_of(p) in PURE], ids=name_of)
def test_the_pure_core_touches_nothing_outside(path: Path) -> None:
    layer = layer_of(path)
    used = {name.split(".")[0] for name in imports(path)}
    assert {name for name in used & IMPURE if (layer, name) not in ALLOWED} == set()
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\.now\(|\.today\(|\.utcnow\(|\bopen\(", text)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 500


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_names_say_something(path: Path) -> None:
    empty = {"util", "utils", "helper", "helpers", "common", "core", "misc", "manager", "base"}
    assert path.stem not in empty
