"""The working directory and stdout, which the user's code shares with us and may change."""

import contextlib
import os
import sys
from collections.abc import Iterator


class Surroundings:
    """Ours, and those of the user's code, which finds its own again whenever it is let run.

    Paths of ours are relative to where evalrag was started, and stdout belongs to the report: a
    module that changes directory when it is imported must not take our files elsewhere, and what a
    library of C or a child prints must not stand in a report for machines.
    """

    def __init__(self) -> None:
        self._ours = self._theirs = _here() or "."

    @contextlib.contextmanager
    def theirs(self) -> Iterator[None]:
        """Around the user's code."""
        _go(self._theirs)
        try:
            with stdout_aside():
                yield
        finally:
            self._theirs = _here() or self._ours
            self.restore()

    def restore(self) -> None:
        """Go back to where evalrag was started, if that is still there."""
        _go(self._ours)


def _here() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None


def _go(folder: str) -> None:
    if _here() != folder:
        with contextlib.suppress(OSError):
            os.chdir(folder)


@contextlib.contextmanager
def stdout_aside() -> Iterator[None]:
    """What is written to stdout, by Python or past it, goes to stderr meanwhile."""
    with contextlib.redirect_stdout(sys.stderr):
        try:
            kept = os.dup(1)
        except OSError:  # there is none
            yield
            return
        try:
            os.dup2(2, 1)
            yield
        finally:
            os.dup2(kept, 1)
            os.close(kept)
