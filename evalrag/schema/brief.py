"""What a verdict reads of a stored row: a few words and numbers, most of them shared."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from evalrag.schema.result import Attempt, Finding, Probed, RowResult, Verdicts
from evalrag.schema.score import Reason, Score, from_wire
from evalrag.schema.words import Kind, Outcome, Probe, Stage


@dataclass(slots=True, eq=False)
class Brief:
    """A row of one attempt that no judge spoke about, without passages, evidence and texts.

    Rows of a large run are alike in nearly all of this, so equal parts are one object. It is not
    written to once it is made. Two runs share the briefs of rows whose lines are equal, byte for
    byte: where one object stands in both runs, nothing of the row changed.
    """

    id: str
    kind: Kind
    digest: str
    asked: str
    question: str
    about: Mapping[str, Any]
    outcome: Outcome
    stages: Mapping[Stage, Outcome]
    scores: Mapping[str, float]
    reasons: Mapping[str, Reason]
    diagnoses: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    error: str | None
    read: Callable[[str], RowResult]
    """Reads the whole row where it is stored."""

    flaky: ClassVar[bool] = False
    empty: ClassVar[str | None] = None
    """A row with an answer has verdicts, be they without a claim: it is none of these."""
    answer: ClassVar[str | None] = None
    attempts: ClassVar[tuple[Attempt, ...]] = ()
    verdicts: ClassVar[Verdicts | None] = None
    probes: ClassVar[Mapping[Probe, Probed]] = {}

    def score(self, metric: str) -> Score:
        """The score called `metric`, as one of the four kinds."""
        return from_wire(self.scores, self.reasons, metric)

    @property
    def diagnosis(self) -> str | None:
        """The code of the first diagnosis."""
        return self.diagnoses[0].code if self.diagnoses else None


Result: TypeAlias = RowResult | Brief
"""A stored row, as far as a verdict reads it."""


def whole(result: Result) -> RowResult:
    """The row with all that is stored of it."""
    return result.read(result.id) if isinstance(result, Brief) else result


class Shared:
    """Makes briefs, and finds what an earlier one holds already."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def brief(self, result: RowResult, read: Callable[[str], RowResult]) -> Result:
        """A row that has more to it than a brief can hold is left as it is."""
        if result.verdicts is not None or result.attempts or result.other_verdicts:
            return result
        if result.probes or result.answer is not None:
            return result
        return self._of(result, read)

    def _of(self, row: RowResult, read: Callable[[str], RowResult]) -> Brief:
        return Brief(
            row.id,
            row.kind,
            row.digest,
            row.asked,
            row.question,
            row.about or _NOTHING,
            row.outcome,
            self._one("stages", tuple(row.stages.items()), row.stages),
            self._one("scores", tuple(row.scores.items()), row.scores),
            self._reasons(row.reasons),
            self._findings(row.diagnoses),
            self._findings(row.warnings),
            row.error,
            read,
        )

    def _one(self, what: str, key: Any, value: Any) -> Any:
        return self._known.setdefault((what, key), value)

    def _reasons(self, reasons: Mapping[str, Reason]) -> Any:
        if not reasons:
            return _NOTHING
        key = tuple([(name, *reason.items()) for name, reason in reasons.items()])
        return self._one("reasons", key, reasons)

    def _findings(self, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
        if not found:
            return ()
        key = tuple([(one.code, one.because) for one in found])
        return self._one("findings", key, found)  # type: ignore[no-any-return]


_NOTHING: Mapping[str, Any] = {}
