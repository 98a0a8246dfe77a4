"""Laws that hold for the diff of any two runs."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evalrag.judging.decided import Decisions
from evalrag.regression.changes import row_change
from evalrag.regression.comparable import pair_runs
from evalrag.regression.compare import compare
from evalrag.regression.stages import row_outcome
from evalrag.regression.verdict import Comparison, judge_run, scoring_of
from evalrag.schema.diff import Change, RowChange
from evalrag.schema.result import RowResult
from evalrag.schema.verdict import ExitCode
from evalrag.schema.words import Kind, Outcome, Stage
from tests.builders import record, row

outcomes = st.sampled_from([Outcome.PASS, Outcome.FAIL, Outcome.UNRESOLVED, Outcome.ERROR])
stages = st.dictionaries(st.sampled_from(Stage), outcomes)


@st.composite
def results(draw: st.DrawFn) -> RowResult:
    found = draw(stages)
    recall = draw(st.sampled_from([0.0, 0.5, 1.0, None]))
    return RowResult(
        id=draw(st.sampled_from("abcdef")),
        kind=Kind.HAPPY_PATH,
        digest="d",
        asked=draw(st.sampled_from(["a1", "a2"])),
        outcome=row_outcome(found.values()),
        stages=found,
        scores={} if recall is None else {"context_recall": recall, "hard_fail": 1.0 - recall},
    )


runs = st.lists(results(), unique_by=lambda r: r.id, max_size=6)
HEAD = record([row(name) for name in "abcdef"])
MIRROR = {
    Change.BROKE: Change.FIXED,
    Change.NEW: Change.REMOVED,
    Change.LOST: Change.RECOVERED,
}


def changes(old: list[RowResult], new: list[RowResult]) -> dict[str, RowChange]:
    pairs = pair_runs(
        (HEAD, old),
        (HEAD, new),
        rows={},
        traces=lambda name: None,
        scoring=scoring_of(HEAD, HEAD),
        digests={},
        decisions=Decisions(),
    )
    return {pair.id: row_change(pair) for pair in pairs}


@given(runs, runs)
def test_every_id_of_either_run_has_exactly_one_change(
    old: list[RowResult], new: list[RowResult]
) -> None:
    pairs = pair_runs(
        (HEAD, old),
        (HEAD, new),
        rows={},
        traces=lambda name: None,
        scoring=scoring_of(HEAD, HEAD),
        digests={},
        decisions=Decisions(),
    )
    found = Counter(change.id for change in compare(HEAD, HEAD, pairs).changes)

    assert found == dict.fromkeys({r.id for r in old + new}, 1)


@given(runs)
def test_a_run_never_differs_from_itself(run: list[RowResult]) -> None:
    still = {Change.STILL_PASSING, Change.STILL_FAILING, Change.STILL_UNDECIDED}

    assert {change.change for change in changes(run, run).values()} <= still


@given(runs, runs)
def test_what_broke_is_fixed_when_the_runs_are_swapped(
    old: list[RowResult], new: list[RowResult]
) -> None:
    """For rows with one decided stage, where nothing else can hide the way back."""
    there, back = changes(old, new), changes(new, old)
    for name, change in there.items():
        if change.change in (Change.NEW, Change.REMOVED):
            assert {change.change, back[name].change} == {Change.NEW, Change.REMOVED}
        if change.change is Change.FIXED:
            assert back[name].change is Change.BROKE


@given(runs, runs)
def test_a_row_that_passed_and_fails_is_never_called_anything_milder_than_broke(
    old: list[RowResult], new: list[RowResult]
) -> None:
    for change in changes(old, new).values():
        if (change.before, change.after) == (Outcome.PASS, Outcome.FAIL):
            assert change.change in (Change.BROKE, Change.NOW_FAILING, Change.EDITED)


@given(runs, runs)
def test_no_run_passes_with_a_row_lost_a_recall_dropped_or_nothing_compared(
    old: list[RowResult], new: list[RowResult]
) -> None:
    head = record([row(result.id) for result in new])
    verdict = judge_run((head, new), Comparison(baseline=(HEAD, old)), ref="x")
    if verdict.exit_code is not ExitCode.PASSED:
        return
    before = {result.id: result for result in old}
    after = {result.id: result for result in new}
    assert set(before) <= set(after)
    assert set(before) & set(after)
    for name, was in before.items():
        now = after[name]
        if "context_recall" in was.scores and was.asked == now.asked:
            assert now.scores["context_recall"] >= was.scores["context_recall"]
        assert Outcome.ERROR not in now.stages.values()
