"""`--first-failure`: the first row that fails ends the run, which then has passed nothing."""

from collections.abc import Collection, Mapping, Sequence

from evalrag.execution.halting import Why
from evalrag.execution.judged import Scorer
from evalrag.redaction import one_line
from evalrag.regression.scoring import score_attempt, score_row
from evalrag.schema.result import RowResult
from evalrag.schema.row import Row
from evalrag.schema.trace import Trace
from evalrag.schema.words import Outcome, Stage


class FirstFailure:
    """Looks at each row as it comes.

    Rows are judged when all of them were asked. Before that a row has failed when it is certain
    without a judge: a stage that plain code decides failed, or it errored. Left out are rows that
    the baseline has failing already, rows in quarantine, and so many errors as the plan allows.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        scorer: Scorer,
        *,
        repeats: int,
        known: Collection[str] = (),
        allow_errors: int = 0,
    ) -> None:
        """`known` are the rows that may fail."""
        self._rows: Mapping[str, Row] = {row.id: row for row in rows if row.id not in known}
        self._scorer, self._repeats, self._allowed = scorer, repeats, allow_errors
        self._seen: dict[str, list[Trace]] = {}
        self._errored: set[str] = set()

    def observed(self, row_id: str, trace: Trace) -> Why | None:
        """Take an attempt that was just made; why the run ends, if it was the last of its row."""
        row = self._rows.get(row_id)
        if row is None:
            return None
        traces = self._seen.setdefault(row_id, [])
        traces.append(trace)
        if len(traces) < self._repeats:
            return None
        del self._seen[row_id]
        attempts = [score_attempt(row, one, None, self._scorer.scoring) for one in traces]
        digest, asked = self._scorer.digests(row_id)
        result = score_row(row, attempts, digest=digest, asked=asked)
        error = next((one["error"] for one in traces if "error" in one), None)
        return self._why(row_id, result.outcome, result.stages, error)

    def scored(self, result: RowResult) -> Why | None:
        """Take a row that was just judged."""
        if result.id not in self._rows:
            return None
        return self._why(result.id, result.outcome, result.stages, None)

    def _why(
        self, row: str, outcome: Outcome, stages: Mapping[Stage, Outcome], error: str | None
    ) -> Why | None:
        name = one_line(row, 100)
        if outcome is Outcome.FAIL:
            failed = [stage.value for stage, how in stages.items() if how is Outcome.FAIL]
            return Why(f"row {name} failed" + f" ({', '.join(failed)})" * bool(failed))
        if outcome is Outcome.ERROR:
            self._errored.add(row)
            if len(self._errored) > self._allowed:
                return Why(f"row {name} errored" + f" ({one_line(error or '', 200)})" * bool(error))
        return None
