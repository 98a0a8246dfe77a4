"""An adapter that another package brings, by entry point, is treated as one of evalrag's own."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from evalrag.adapters.build import GROUP
from evalrag.adapters.reach import Reached, reached
from evalrag.errors import PluginError
from tests.adapters.plans import asked, build, print_of

ACME = """
    from evalrag.adapters.reach import Reached
    seen = []

    class Search:
        def __init__(self, url, index="prod"):
            self.url, self.index = url, index
        def retrieve(self, question, top_k):
            return [{"id": f"{self.index}-{n}", "text": question} for n in range(3)]
        def generate(self, question, passages):
            return passages[0]["text"]
        def reach(self):
            seen.append("reach")
            if self.url == "broken":
                raise OSError("no route")
            return Reached(False, f"{self.url} does not answer", hint="start it")
        def close(self):
            seen.append("close")
        def corpus(self):
            return [{"id": "a"}]
        def fingerprint(self):
            return {"acme": 1}
"""


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An installed package that brings the adapter `acme`; the name of its module."""
    site = tmp_path / "site"
    info = site / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    name = f"acme_{tmp_path.name}".replace("-", "_")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nacme = {name}:Search\n")
    (site / f"{name}.py").write_text(dedent(ACME))
    monkeypatch.syspath_prepend(str(site))
    return name


def plan(**settings: Any) -> Mapping[str, Any]:
    return {"retriever": {"use": "acme", "with": settings}}


def test_its_settings_are_the_keys_of_with(tmp_path: Path, acme: str) -> None:
    (trace,) = asked(build(tmp_path, {**plan(url="u", index="test"), "top_k": 2}))

    assert [passage["id"] for passage in trace["candidates"]] == ["test-0", "test-1"]
    assert trace["dropped"] == 1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"url": "u", "indx": "x"}, "with of acme: unknown key 'indx'; did you mean 'index'?"),
        ({}, "acme: `with` lacks 'url'"),
    ],
)
def test_settings_that_it_does_not_take_are_refused(
    tmp_path: Path, acme: str, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(PluginError) as error:
        build(tmp_path, plan(**settings))

    assert error.value.message == said


def test_it_is_asked_whether_it_is_there_and_is_closed(tmp_path: Path, acme: str) -> None:
    made = build(tmp_path, plan(url="u"))

    assert reached(made.hooks.values()) == [Reached(False, "u does not answer", "start it")]
    made.close()
    assert __import__(acme).seen == ["reach", "close"]
    assert list(made.corpus() or ()) == [{"id": "a"}]


def test_one_that_raises_when_asked_is_not_well(tmp_path: Path, acme: str) -> None:
    (said,) = reached(build(tmp_path, plan(url="broken")).hooks.values())

    assert not said.well
    assert said.said.startswith("acme: asking whether it is there raised OSError: no route")


def test_its_fingerprint_counts_and_the_model_behind_it_is_unknown(
    tmp_path: Path, acme: str
) -> None:
    generator = {"generator": {"use": "acme", "with": {"url": "u"}}}
    whole = {**plan(url="u"), **generator}
    alone, both = print_of(tmp_path, plan(url="u")), print_of(tmp_path, whole)

    assert alone.index != "unknown"
    assert alone.unknown == ()
    assert both.model == "unknown"
    assert both.unknown == (
        "the generator's model (name it under pipeline.generator.model, or say none)",
    )
