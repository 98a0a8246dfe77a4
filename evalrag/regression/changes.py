"""What became of one row: by stage first, then the worst of its stages (SPEC 8)."""

from collections.abc import Mapping

from evalrag.regression.comparable import Pair
from evalrag.regression.measured import words
from evalrag.regression.stages import outcome_of
from evalrag.schema.answers import Answers
from evalrag.schema.brief import Result
from evalrag.schema.diff import NO_ANSWERS, Change, Moved, Relation, RowChange
from evalrag.schema.score import Failed, Score, Scored, Unresolved
from evalrag.schema.words import Outcome, Stage

_DECIDED = {
    (True, True): Change.STILL_PASSING,
    (True, False): Change.BROKE,
    (False, True): Change.FIXED,
    (False, False): Change.STILL_FAILING,
}
DRIFT = 3
"""Places that the first relevant passage may fall before a passing row is called drifting."""


class Changes:
    """The changes of many pairs. Unchanged rows that ended alike are classified once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, int, Outcome], tuple[Result, RowChange]] = {}
        """With a row of each, so that what is known by its address stays where it is."""

    def of(self, pair: Pair) -> RowChange:
        new = pair.new
        if new is None or not pair.unchanged or new.verdicts or new.flaky:
            return row_change(pair)
        key = id(new.stages), id(new.warnings), id(new.diagnoses), new.outcome
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = (new, row_change(pair))
        like = known[1]
        return RowChange(
            new.id,
            new.kind,
            like.change,
            like.relation,
            like.stages,
            like.before,
            like.after,
            (),
            like.diagnosis_before,
            like.diagnosis_after,
            like.warnings,
            warnings_before=like.warnings_before,
            question=new.question,
            answers=answers_of(pair),
        )


def row_change(pair: Pair) -> RowChange:
    """Classify one pair. Every pair has exactly one change."""
    old, new = pair.old, pair.new
    shown = pair.shown
    stages = stage_changes(pair)
    return RowChange(
        id=pair.id,
        kind=shown.kind,
        change=_change(pair, stages),
        relation=pair.relation,
        stages=stages,
        before=old.outcome if old else None,
        after=new.outcome if new else None,
        moved=_moved(pair),
        diagnosis_before=old.diagnosis if old else None,
        diagnosis_after=new.diagnosis if new else None,
        warnings=_warnings(pair),
        outcomes=_outcomes(pair),
        flaky=bool(new and new.flaky),
        note=pair.note,
        warnings_before=tuple(dict.fromkeys(w.code for w in old.warnings)) if old else (),
        question=shown.question,
        answers=answers_of(pair),
    )


def answers_of(pair: Pair) -> Answers:
    """What the bot answered then and now; of several attempts the one that is shown."""
    before = pair.old.answer if pair.old is not None else None
    after = pair.new.answer if pair.new is not None else None
    return NO_ANSWERS if before is None and after is None else Answers(before=before, after=after)


def stage_changes(pair: Pair) -> dict[Stage, Change]:
    """The change of each stage that both runs asked for and that may be compared."""
    old, new = pair.old, pair.new
    if old is None or new is None or pair.relation is Relation.EDITED:
        return {}
    changes: dict[Stage, Change] = {}
    for stage in Stage:
        if f"stage.{stage}" in pair.incomparable:
            continue
        before = old.stages.get(stage, Outcome.NA)
        after = new.stages.get(stage, Outcome.NA)
        if Outcome.NA not in (before, after):
            changes[stage] = _stage_change(before, after)
    ranking_broke = changes.get(Stage.RANKING) is Change.BROKE
    if ranking_broke and changes.get(Stage.RETRIEVAL) is Change.FIXED:
        # More was fetched than before, so there is more to rank: not a break of what was there.
        changes[Stage.RANKING] = Change.STILL_FAILING
    return changes


def _outcomes(pair: Pair) -> dict[Stage, tuple[Outcome, Outcome]]:
    """What each stage was and is, of those that ended otherwise and may be compared."""
    old, new = pair.old, pair.new
    if old is None or new is None or pair.relation is Relation.EDITED:
        return {}
    found = {
        stage: (old.stages.get(stage, Outcome.NA), new.stages.get(stage, Outcome.NA))
        for stage in Stage
        if f"stage.{stage}" not in pair.incomparable
    }
    return {stage: (was, now) for stage, (was, now) in found.items() if was is not now}


def _stage_change(before: Outcome, after: Outcome) -> Change:
    if before.decided and after.decided:
        return _DECIDED[before is Outcome.PASS, after is Outcome.PASS]
    if before.decided:
        return Change.LOST
    if after.decided:
        return Change.RECOVERED if after is Outcome.PASS else Change.NOW_FAILING
    return Change.STILL_UNDECIDED


def _change(pair: Pair, stages: Mapping[Stage, Change]) -> Change:
    if pair.new is None:
        return Change.REMOVED
    if pair.old is None:
        return Change.NEW
    if pair.relation is Relation.EDITED:
        return Change.EDITED
    change = _compared(pair, pair.old, pair.new, set(stages.values()))
    still = (Change.STILL_PASSING, Change.STILL_FAILING, Change.STILL_UNDECIDED)
    if pair.relation is Relation.RELABELLED and change in still:
        return Change.RELABELLED
    return change


def _compared(pair: Pair, old: Result, new: Result, stages: set[Change]) -> Change:
    before, after = _comparable_outcome(pair, old), _comparable_outcome(pair, new)
    if Change.BROKE in stages:
        return Change.BROKE
    if Change.NOW_FAILING in stages:
        return Change.NOW_FAILING
    if after is Outcome.FAIL and before is not Outcome.FAIL:
        # A stage that had nothing to decide before fails now.
        return Change.BROKE if before is Outcome.PASS else Change.NOW_FAILING
    if Change.LOST in stages or (before.decided and not after.decided):
        return Change.LOST
    if after is Outcome.FAIL:
        return Change.IMPROVED if Change.FIXED in stages else Change.STILL_FAILING
    if not after.decided:
        return Change.STILL_UNDECIDED
    if new.outcome is Outcome.FAIL:
        # It fails only where the two runs cannot be compared (another judge).
        return Change.NOW_FAILING
    if before is Outcome.FAIL:
        return Change.FIXED
    return Change.STILL_PASSING if before is Outcome.PASS else Change.RECOVERED


def _comparable_outcome(pair: Pair, result: Result) -> Outcome:
    if not pair.incomparable:
        return result.outcome
    return outcome_of(
        {
            stage: outcome
            for stage, outcome in result.stages.items()
            if f"stage.{stage}" not in pair.incomparable
        }
    )


def _moved(pair: Pair) -> tuple[Moved, ...]:
    """Metrics whose value, or whose having one, changed. Not of edited rows: they ask otherwise."""
    old, new = pair.old, pair.new
    if old is None or new is None or pair.relation is Relation.EDITED:
        return ()
    if old.scores == new.scores and old.reasons == new.reasons:
        return ()
    names = dict.fromkeys((*old.scores, *new.scores))
    found: list[Moved] = []
    for name in names:
        if name in pair.incomparable:
            continue
        before, after = old.score(name), new.score(name)
        if before == after:
            continue
        found.append(
            Moved(
                metric=name,
                before=before.value if isinstance(before, Scored) else None,
                after=after.value if isinstance(after, Scored) else None,
                before_why=None if isinstance(before, Scored) else _why(before, name),
                after_why=None if isinstance(after, Scored) else _why(after, name),
            )
        )
    return tuple(found)


def _why(score: Score, name: str) -> str:
    said = words(score, name) or "none"
    return f"{said}: {score.reason}" if isinstance(score, Unresolved | Failed) else said


def _warnings(pair: Pair) -> tuple[str, ...]:
    if pair.new is None:
        return ()
    found = [warning.code for warning in pair.new.warnings]
    if drifting(pair):
        found.append("drifting")
    return tuple(dict.fromkeys(found))


def drifting(pair: Pair) -> bool:
    """Still passing, and the first relevant candidate fell by `DRIFT` places or more."""
    old, new = pair.old, pair.new
    if old is None or new is None or pair.relation is Relation.EDITED:
        return False
    if old.outcome is not Outcome.PASS or new.outcome is not Outcome.PASS:
        return False
    before, after = old.score("first_relevant_rank"), new.score("first_relevant_rank")
    return (
        isinstance(before, Scored)
        and isinstance(after, Scored)
        and after.value - before.value >= DRIFT
    )
