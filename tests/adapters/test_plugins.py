"""A name in the plan resolves to one thing, or the error says which names there are."""

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from pydantic import Field

from evalrag.errors import PluginError
from evalrag.plugins import make_importable, resolve, settings
from evalrag.schema.frozen import Frozen

GROUP = "evalrag.test_plugins"


def find(use: str, *paths: Path, builtins: dict[str, str] | None = None) -> Any:
    return resolve(use, group=GROUP, builtins=builtins or {}, paths=paths)


def module(folder: Path, code: str, name: str = "bot") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(dedent(code), encoding="utf-8")
    return folder


def installed(folder: Path, package: str, name: str, target: str) -> None:
    """A distribution with one entry point, as an installer leaves it."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {target}\n")


def test_a_built_in_is_found_by_its_name() -> None:
    assert find("digest", builtins={"digest": "evalrag.schema.digest:digest"})(1)


def test_a_dotted_path_is_found_from_the_plans_folder(tmp_path: Path) -> None:
    module(tmp_path, "class Bot:\n    def ask(self): return 'yes'\nbot = Bot()")

    assert find("bot:bot.ask", tmp_path)() == "yes"


def test_the_plans_folder_comes_before_the_working_directory(tmp_path: Path) -> None:
    plan = module(tmp_path / "plan", "where = 'plan'")
    work = module(tmp_path / "work", "where = 'work'")

    assert find("bot:where", plan, work) == "plan"


def test_two_plans_may_have_modules_of_the_same_name(tmp_path: Path) -> None:
    one, two = module(tmp_path / "a", "n = 1"), module(tmp_path / "b", "n = 2")

    assert [find("bot:n", one), find("bot:n", two), find("bot:n", one)] == [1, 2, 1]


def test_a_module_beside_the_plan_does_not_take_the_place_of_pythons_own(tmp_path: Path) -> None:
    module(tmp_path, "def retrieve(question): return []", name="colorsys")

    with pytest.raises(PluginError, match="colorsys has no 'retrieve'") as error:
        find("colorsys:retrieve", tmp_path)

    assert "module of Python itself" in error.value.hint


def test_a_module_beside_the_plan_that_hides_a_loaded_package_is_refused(tmp_path: Path) -> None:
    module(tmp_path, "x = 1", name="pydantic")

    with pytest.raises(PluginError, match="pydantic is already loaded from"):
        find("pydantic:x", tmp_path)


def test_lazy_imports_of_the_users_code_work_later(tmp_path: Path) -> None:
    module(tmp_path, "def late():\n    import bot_helper\n    return bot_helper.n")
    module(tmp_path, "n = 7", name="bot_helper")

    assert find("bot:late", tmp_path)() == 7


def test_a_plug_in_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, "acme", "acme", "acme_plug:thing")
    module(tmp_path, "thing = 'acme'", name="acme_plug")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert find("acme") == "acme"


@pytest.mark.parametrize("second", ["built-in", "plug-in"])
def test_a_name_found_twice_names_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: str
) -> None:
    installed(tmp_path, "acme", "search", "acme:thing")
    if second == "plug-in":
        installed(tmp_path, "zenith", "search", "zenith:thing")
    monkeypatch.syspath_prepend(str(tmp_path))
    builtins = {"search": "evalrag.adapters.bm25:build"} if second == "built-in" else {}

    with pytest.raises(PluginError, match="found twice") as error:
        find("search", builtins=builtins)

    assert "acme" in error.value.message
    assert ("zenith" if second == "plug-in" else "evalrag itself") in error.value.message


@pytest.mark.parametrize(
    ("use", "message"),
    [
        pytest.param("bm52", "nothing is called 'bm52'; did you mean 'bm25'", id="unknown name"),
        pytest.param("bot.retrieve", "nothing is called 'bot.retrieve'", id="no colon"),
        pytest.param("bot:retreive", "bot has no 'retreive'; did you mean 'retrieve'", id="typo"),
        pytest.param("nobot:retrieve", "no module nobot in ", id="no module"),
        pytest.param("bot.sub:retrieve", "no module bot.sub in ", id="no sub-module"),
        pytest.param("bot:", "not package.module:attribute", id="nothing behind the colon"),
        pytest.param(":x", "not package.module:attribute", id="nothing before the colon"),
    ],
)
def test_what_does_not_resolve_says_what_is_near(tmp_path: Path, use: str, message: str) -> None:
    module(tmp_path, "def retrieve(question): return []")

    with pytest.raises(PluginError) as error:
        find(use, tmp_path, builtins={"bm25": "evalrag.adapters.bm25:build"})

    assert message in error.value.message


@pytest.mark.parametrize(
    ("code", "message"),
    [
        pytest.param("x = 1\nraise RuntimeError('no index')", "RuntimeError: no index", id="any"),
        pytest.param("x = 1\nimport nowhere_at_all", "ModuleNotFoundError", id="an import of it"),
        pytest.param("x = 1\nraise SystemExit(3)", "SystemExit: 3", id="exits"),
        pytest.param("x = 1\ndef f(:", "SyntaxError", id="syntax"),
    ],
)
def test_a_module_that_raises_is_named_with_file_and_line(
    tmp_path: Path, code: str, message: str
) -> None:
    module(tmp_path, code)

    with pytest.raises(PluginError) as error:
        find("bot:x", tmp_path)

    assert message in error.value.message
    assert "(bot.py:2)" in error.value.message
    assert "Traceback" not in str(error.value)


class _With(Frozen):
    path: str
    top: int = Field(default=1, ge=1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param({"pth": "x"}, "unknown key 'pth'; did you mean 'path'?", id="typo"),
        pytest.param({}, "'path' is missing", id="missing"),
        pytest.param({"path": "x", "top": 0}, "top: input should be greater", id="range"),
        pytest.param({"path": 3}, "path: input should be a valid string", id="type"),
    ],
)
def test_settings_that_do_not_fit_name_the_key(values: dict[str, Any], message: str) -> None:
    with pytest.raises(PluginError) as error:
        settings(_With, values, of="thing")

    assert message in error.value.message
    assert error.value.message.startswith("with of thing: ")


def test_a_folder_is_made_importable_once(tmp_path: Path) -> None:
    make_importable([tmp_path, tmp_path])
    make_importable([tmp_path])

    assert sys.path.count(str(tmp_path.resolve())) == 1
