"""What a reporter draws from: the verdict first, everything else where it asks for it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalrag.schema.brief import Result
from evalrag.schema.result import RowResult
from evalrag.schema.row import Row
from evalrag.schema.run import RunRecord
from evalrag.schema.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Page:
    """All that is known of one row of a run."""

    result: RowResult
    lines: Sequence[Mapping[str, Any]]
    """Its stored traces, one an attempt; none where the run keeps none."""
    row: Row | None
    """The golden row, where the dataset still holds it."""
    before: RowResult | None
    """The row of the baseline."""
    before_lines: Sequence[Mapping[str, Any]] = ()


def _no_pages() -> Iterable[Page]:
    return ()


def _no_results() -> Sequence[Result]:
    return ()


@dataclass(frozen=True, slots=True)
class Report:
    """A finished run, held against its baseline.

    Whatever stands in it may come from a dataset, a passage, an answer or a judge: it is hostile
    text, and a reporter escapes it for its own format.
    """

    verdict: Verdict
    record: RunRecord
    ref: str
    """The run as the next command has to name it."""
    more: str = ""
    """The command that draws the whole report on a terminal."""
    lines: Callable[[], Mapping[str, int]] = dict
    """Row id -> its line in the dataset's file; empty where the file has changed since."""
    pages: Callable[[], Iterable[Page]] = _no_pages
    """The rows in the run's order, read one by one when they are asked for."""
    results: Callable[[], Sequence[Result]] = _no_results
    """Every row of the run, as far as a verdict reads it: cheap, where `pages` reads all texts."""
    artifact: str = ""
    """What a CI job keeps of the report, as a person finds it; empty where the run is at hand."""
    files: tuple[str, ...] = ()
    """The files that this report is written to, in every format, and the run's own folder last."""
