"""Stored formats: older ones are brought up step by step, newer ones are refused."""

from collections.abc import Callable, Mapping
from typing import Any

from evalrag.schema.run import FORMAT

Stored = dict[str, Any]


def _judged(stored: Stored) -> Stored:
    """Format 2 has room for what a model judge said; a run of format 1 has nothing of it."""
    return {**stored, "format": 2}


def _probed(stored: Stored) -> Stored:
    """Format 3 has room for probes; a run of format 2 was not probed."""
    return {**stored, "format": 3}


def _digested(stored: Stored) -> Stored:
    """From format 4 a baseline holds digests of its files; one of format 3 has none."""
    return {**stored, "format": DIGESTED_FROM}


DIGESTED_FROM = 4
STEPS: Mapping[int, Callable[[Stored], Stored]] = {1: _judged, 2: _probed, 3: _digested}
"""Format n -> the pure function that makes format n + 1 of it. Format 1 is the first."""


class NewerFormat(Exception):
    """Written by a later evalrag."""

    def __init__(self, found: int) -> None:
        super().__init__(
            f"it has format {found}, and this evalrag reads up to {FORMAT}: upgrade evalrag"
        )


class UnknownFormat(Exception):
    """No format number, or none that ever was."""


def migrate(stored: Stored) -> Stored:
    """Bring the head of a stored run or baseline up to today's format.

    Raises:
        NewerFormat: for a format of the future.
        UnknownFormat: where the number is missing or was never given out.
    """
    number = stored.get("format")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise UnknownFormat(f"format is {number!r}, not a number from 1 to {FORMAT}")
    if number > FORMAT:
        raise NewerFormat(number)
    for step in range(number, FORMAT):
        stored = STEPS[step](stored)
    return stored
