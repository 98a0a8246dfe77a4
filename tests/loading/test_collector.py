"""Specification of the pause: nothing is collected in it, nor what it left looked through."""

import gc

from evalrag.loading.collector import collector_paused


def test_rows_that_were_read_in_bulk_are_not_looked_through_again() -> None:
    try:
        with collector_paused():
            rows = [{"id": str(number), "gold": ["a"]} for number in range(3)]
            assert not gc.isenabled()

        assert gc.isenabled()
        seen = set(map(id, gc.get_objects()))
        assert not any(id(row["gold"]) in seen for row in rows)
    finally:
        gc.unfreeze()


def test_who_had_it_paused_already_keeps_it_so() -> None:
    with collector_paused():
        with collector_paused():
            pass

        assert not gc.isenabled()
    gc.unfreeze()
