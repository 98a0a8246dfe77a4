"""What every test may use."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.provider.server import ProviderServer
from tests.workspace import Workspace


@pytest.fixture
def shop(tmp_path: Path) -> Workspace:
    """A small project in an empty folder, without a baseline."""
    return Workspace(tmp_path)


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    """A local server that speaks the protocols of both judges' providers."""
    with ProviderServer() as server:
        yield server
