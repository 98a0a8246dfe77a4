"""Python's collector of cycles, put aside while rows are gone through in bulk."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Rows hold no cycles, and looking for some at every growth costs a third of the time.

    Nor are they looked through afterwards: what there is at the end is kept out of the collector's
    sight, since rows live as long as the command does.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.freeze()
            gc.enable()
