"""Patterns that are compiled when they are first searched.

Those that read answers are long: together they take a tenth of a second, and a run without answers
searches none of them.
"""

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Late:
    """A pattern as it is written, and compiled once it is asked for."""

    written: str
    flags: int = 0

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.written, self.flags)
