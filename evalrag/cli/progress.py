"""Progress of long work: a bar on a terminal, nothing in a log."""

import contextlib
import sys
from collections.abc import Iterator


class Silent:
    """Where nobody watches."""

    watched = False

    def __call__(self, done: int, total: int) -> None:
        """Take what is done and what there is in all."""

    def beside(self, text: str) -> None:
        """Take what stands beside the bar."""


@contextlib.contextmanager
def progress(what: str) -> Iterator[Silent]:
    """What to call with what is done and what there is in all."""
    if not sys.stderr.isatty():
        yield Silent()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    beside = TextColumn("{task.fields[beside]}", markup=False)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), beside)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, beside="")

        class Drawn(Silent):
            watched = True

            def __call__(self, done: int, total: int) -> None:
                bar.update(task, completed=done, total=total)

            def beside(self, text: str) -> None:
                bar.update(task, beside=text)

        yield Drawn()
