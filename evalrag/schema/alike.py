"""Rows whose passages stand alike: what they have in common once, and what each has of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalrag.schema.result import Attempt
from evalrag.schema.words import Form, Kind, Outcome


@dataclass(slots=True, eq=False)
class Pattern:
    """What all rows that stand alike score."""

    attempt: Attempt
    """Of the first such row: all of it but the names of its passages is every other row's too."""


@dataclass(slots=True)
class Like:
    """A scored row of one attempt, as its pattern and what it does not share."""

    pattern: Pattern
    id: str
    kind: Kind
    digest: str
    asked: str
    question: str
    about: Mapping[str, Any]
    expect: Sequence[Form]
    names: Sequence[str]
    """Ids of the candidates, in their order."""

    @property
    def outcome(self) -> Outcome:
        return self.pattern.attempt.outcome
