"""The number of the stored format: a newer one is refused by name, and anything else as unknown.

Nothing was released yet, so there is one format. From the first release on an older one is brought
up, step by step, by pure functions that stand here.
"""

from collections.abc import Mapping
from typing import Any

from evalrag.schema.run import FORMAT


class NewerFormat(Exception):
    """Written by a later evalrag."""

    def __init__(self, found: int) -> None:
        super().__init__(
            f"it has format {found}, and this evalrag reads up to {FORMAT}: upgrade evalrag"
        )


class UnknownFormat(Exception):
    """No format number, or none that this evalrag reads."""


def check_format(stored: Mapping[str, Any]) -> None:
    """Hold the head of a stored run or baseline against today's format.

    Raises:
        NewerFormat: for a format of the future.
        UnknownFormat: where the number is missing or is another one.
    """
    number = stored.get("format")
    if type(number) is int and number > FORMAT:
        raise NewerFormat(number)
    if type(number) is not int or number != FORMAT:
        raise UnknownFormat(f"format is {number!r}, not {FORMAT}; run the plan again")
