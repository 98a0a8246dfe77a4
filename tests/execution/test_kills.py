"""SIGKILL at any moment; EVALRAG_KILLS says how often, since each takes some seconds."""

import os
import random
from pathlib import Path

from tests.execution.kills import kill_often


def test_a_killed_run_loses_nothing_and_asks_nothing_twice(tmp_path: Path) -> None:
    kills = int(os.environ.get("EVALRAG_KILLS", "4"))

    seen = kill_often(tmp_path, kills, seed=random.randrange(10**6))

    assert seen.kills >= kills
    assert (seen.same, seen.called_again) == (seen.runs, 0), seen.said()
    # What was in flight at a kill, four calls at most, is asked again: nobody knows how it ended.
    assert seen.called_twice <= 4 * seen.kills, seen.said()
