"""`evalrag cache`, as a process."""

import json
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from evalrag.stores.verdict_cache import VerdictCache
from tests.workspace import Workspace

FILE = ".evalrag/cache/verdicts.sqlite"
TODAY = date(2026, 11, 30)
"""The day of the workspace."""


@pytest.fixture
def kept(shop: Workspace) -> Path:
    """Three verdicts of two judges, the first of them from 30 days ago."""
    path = shop.path / FILE
    for day, judge, key, tokens in (
        (date(2026, 10, 31), "j1", "a", 1200),
        (TODAY, "j1", "b", 34),
        (TODAY, "j2", "c", None),
    ):
        with closing(VerdictCache(path, day=day)) as cache:
            model = "gpt" if tokens else None
            cache.put(key, "{}", judge=judge, model=model, tokens_in=tokens, tokens_out=None)
    return path


def entries(shop: Workspace) -> int:
    return int(shop.evalrag("cache", "stats", "--format", "json").json["entries"])


def test_stats_of_no_cache_make_none(shop: Workspace) -> None:
    done = shop.evalrag("cache", "stats")

    assert (done.code, done.err) == (0, "")
    assert done.out == f"{FILE}: no verdict is kept\nnext: evalrag run PLAN\n"
    assert not (shop.path / ".evalrag").exists()


def test_stats_name_every_judge(shop: Workspace, kept: Path) -> None:
    done = shop.evalrag("cache", "stats")

    size = kept.stat().st_size
    assert done.code == 0
    assert done.out == (
        f"{FILE}: 3 verdicts, {size:,} bytes\n"
        "  judge j1: 2 verdicts\n    from gpt\n    tokens: 1,234 in\n"
        "    kept: 2026-10-31 to 2026-11-30\n"
        "  judge j2: 1 verdict\n    tokens: unknown\n    kept: 2026-11-30 to 2026-11-30\n"
        "next: evalrag cache clear --older-than 30\n"
    )


def test_stats_as_json(shop: Workspace, kept: Path) -> None:
    done = shop.evalrag("cache", "stats", "--format", "json")

    assert done.code == 0
    assert done.json == {
        "schema_version": 1,
        "path": FILE,
        "entries": 3,
        "bytes": kept.stat().st_size,
        "judges": [
            {
                "judge": "j1",
                "entries": 2,
                "models": ["gpt"],
                "tokens_in": 1234,
                "tokens_out": None,
                "first_day": "2026-10-31",
                "last_day": "2026-11-30",
            },
            {
                "judge": "j2",
                "entries": 1,
                "models": [],
                "tokens_in": None,
                "tokens_out": None,
                "first_day": "2026-11-30",
                "last_day": "2026-11-30",
            },
        ],
    }


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("options", "gone"),
    [
        pytest.param([], 3, id="all"),
        pytest.param(["--judge", "j1"], 2, id="of a judge"),
        pytest.param(["--older-than", "30"], 0, id="exactly as old"),
        pytest.param(["--older-than", "29"], 1, id="older"),
        pytest.param(["--older-than", "0"], 1, id="before today"),
        pytest.param(["--judge", "j2", "--older-than", "0"], 0, id="both"),
    ],
)
def test_clear_says_how_many(shop: Workspace, options: list[str], gone: int) -> None:
    done = shop.evalrag("cache", "clear", *options)

    assert (done.code, done.err) == (0, "")
    said = {0: "nothing to clear in", 1: "cleared 1 verdict from"}
    assert done.out.startswith(f"{said.get(gone, f'cleared {gone} verdicts from')} {FILE}\nnext: ")
    assert entries(shop) == 3 - gone


@pytest.mark.usefixtures("kept")
def test_the_file_may_stand_elsewhere(shop: Workspace) -> None:
    assert "no verdict is kept" in shop.evalrag("cache", "stats", "--cache", "o.sqlite").out
    assert "no verdict is kept" in shop.evalrag("cache", "stats", EVALRAG_CACHE="o.sqlite").out
    assert "nothing to clear" in shop.evalrag("cache", "clear", "--cache", "o.sqlite").out
    assert entries(shop) == 3


def test_a_damaged_file_is_an_error_until_it_is_cleared(shop: Workspace, kept: Path) -> None:
    kept.write_bytes(b"damaged" * 1000)

    for command in (["stats"], ["stats", "--format", "json"], ["clear", "--judge", "j1"]):
        done = shop.evalrag("cache", *command)
        assert (done.code, done.out) == (2, "")
        verb = "read" if "stats" in command else "cleared"
        assert done.err == (
            f"error: {FILE}: the verdict cache cannot be {verb}: it is damaged\n"
            "next: evalrag cache clear\n"
        )
    assert kept.read_bytes() == b"damaged" * 1000

    done = shop.evalrag("cache", "clear")

    assert done.code == 0
    assert done.out == (
        f"{FILE} was no verdict cache that can be used, and is now {FILE}.set-aside\n"
        "next: evalrag run PLAN\n"
    )
    assert shop.evalrag("cache", "stats").code == 0


@pytest.mark.parametrize(
    "options",
    [["stats", "--format", "xml"], ["clear", "--older-than", "-1"], ["clear", "--older-than", "x"]],
)
def test_what_cannot_be_meant_clears_nothing(
    shop: Workspace, kept: Path, options: list[str]
) -> None:
    assert shop.evalrag("cache", *options).code == 2
    assert entries(shop) == 3


def test_json_of_stats_is_one_document(shop: Workspace) -> None:
    done = shop.evalrag("cache", "stats", "--format", "json")

    assert json.loads(done.out)["judges"] == []
