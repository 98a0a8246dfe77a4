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


@pytest.fixture
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    """A small project in an empty folder, without a baseline."""
    return Workspace(tmp_path, process=request.node.get_closest_marker("process") is not None)


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    """A local server that speaks the protocols of both judges' providers."""
    with ProviderServer() as server:
        yield server
