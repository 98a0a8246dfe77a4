"""Rows that are waited for, named while they are."""

import time
from collections.abc import Callable, Iterable

from evalrag.adapters.calls import Waiting
from evalrag.cli.output import note
from evalrag.cli.progress import Silent
from evalrag.cli.secrecy import hide
from evalrag.loading.show import clean

SOON_S = 5.0
"""Seconds after which a terminal names the row that is waited for longest."""
LATE_S = 10.0
"""Seconds after which a log is told of a row, unless half of its time is longer."""


class Stuck:
    """Beside the bar on a terminal; elsewhere a line for each row, once, when it is late."""

    def __init__(
        self, waiting: Callable[[], Iterable[Waiting]], bar: Silent, *, limit: float
    ) -> None:
        self._waiting, self._bar, self._limit = waiting, bar, limit
        self._told: set[tuple[str, str]] = set()

    def tell(self) -> None:
        """Look who is waited for; called every second."""
        now = time.monotonic()
        late = [(now - call.since, call) for call in self._waiting()]
        if self._bar.watched:
            first = next((one for one in late if one[0] >= SOON_S), None)
            self._bar.beside("" if first is None else _said(*first))
            return
        for seconds, call in late:
            name = (call.row, call.stage.value)
            if seconds > max(LATE_S, self._limit / 2) and name not in self._told:
                self._told.add(name)
                note(f"{_said(seconds, call)}; a call may take {self._limit:g} s")


def _said(seconds: float, call: Waiting) -> str:
    return f"waiting {seconds:.0f} s for row {clean(hide(call.row), 100)} ({call.stage.value})"
