"""What every test may use."""

from pathlib import Path

import pytest

from tests.workspace import Workspace


@pytest.fixture
def shop(tmp_path: Path) -> Workspace:
    """A small project in an empty folder, without a baseline."""
    return Workspace(tmp_path)
