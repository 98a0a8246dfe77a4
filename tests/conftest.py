"""What every test may use."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.provider.server import ProviderServer
from tests.workspace import Workspace

sys.dont_write_bytecode = False  # else every process compiles every module again
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.register_profile("default", max_examples=25, deadline=None)
settings.register_profile("nightly", max_examples=200, deadline=None)
settings.load_profile(os.environ.get("EVALRAG_HYPOTHESIS", "default"))

KNOWN_RED = Path(__file__).with_name("known_red.txt")
"""Tests that still assert what an earlier judge, guard or report did, or that found an open fault:
each is to be read and repaired. A line that is taken out makes its test count again."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Report the tests that are known to be red as expected failures."""
    red = set(KNOWN_RED.read_text(encoding="utf-8").splitlines())
    for item in items:
        if item.nodeid in red:
            reason = f"known to be red: see {KNOWN_RED.name}"
            item.add_marker(pytest.mark.xfail(reason=reason, strict=False))


@pytest.fixture
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    """A small project in an empty folder, without a baseline."""
    return Workspace(tmp_path, process=request.node.get_closest_marker("process") is not None)


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    """A local server that speaks the protocols of both judges' providers."""
    with ProviderServer() as server:
        yield server
