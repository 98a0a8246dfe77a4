"""What is known of a measure, whatever its value."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from evalrag.schema.score import Score
from evalrag.schema.words import Direction, Stage


class Asked(Enum):
    """Which rows a measure is asked of; to the others it is not applicable."""

    GOLD = "rows with gold"
    ANSWERABLE = "answerable rows"
    EVERY = "every row"
    UNANSWERABLE = "unanswerable rows"


@dataclass(frozen=True, slots=True)
class Measure:
    """A retrieval measure, for gates, reports and `evalrag explain`."""

    name: str
    stage: Stage
    """The last stage whose output it looks at: retrieval gives candidates, ranking the context."""
    direction: Direction
    function: Callable[..., Score]
    """The formula; its docstring is the reference page."""
    asked: Asked = Asked.GOLD
    integer: bool = False
    """Whole numbers alone: counts, positions, and 1 or 0."""
    binary: bool = False
    """1 or 0."""
    low: float | None = 0.0
    """The least it can be: 1 of a position; None without an end."""
    high: float | None = 1.0
    """The most it can be; None of what is counted."""

    @property
    def summary(self) -> str:
        """The first line of its reference page."""
        return (self.function.__doc__ or "").strip().splitlines()[0]
