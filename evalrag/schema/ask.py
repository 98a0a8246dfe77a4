"""What a pipeline is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ask:
    """One attempt at one row."""

    row_id: str
    question: str
    history: Sequence[Mapping[str, str]] = ()
    """Earlier turns, each `{"role", "content"}`."""
    repeat: int = 0
