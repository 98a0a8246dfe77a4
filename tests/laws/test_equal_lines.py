"""What is taken from an equal line is what the long way gives."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalrag.regression.scoring import Scoring, score_attempt, score_row
from evalrag.regression.verdict import Comparison, judge_run
from evalrag.schema.brief import Brief, Shared, whole
from evalrag.schema.plan import Thresholds
from evalrag.schema.result import RowResult
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.trace import Trace
from evalrag.stores.row_lines import briefs, briefs_beside, read_rows, row_line
from tests.builders import record, row, trace

KINDS = ("happy-path", "near-miss", "multi-hop", "stale-policy", "unanswerable")
PLAIN = Scoring(reading=Reading(context_k=3, top_k=6), thresholds=Thresholds(), generates=False)

names = st.sampled_from(["gold", "gold2", "old", "sibling", "fine", "a", "b", "c"])


Asked = tuple[str, list[str], int, dict[str, object]]
"""Kind, names in the list, how many of them in the window, more fields of the row."""


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    listed = draw(st.lists(names, max_size=6))
    more: dict[str, object] = draw(
        st.sampled_from(
            [
                {},
                {"acceptable": ["fine"]},
                {"tags": ["t"], "expect": ["DECLINED"]},
                {"intent": '100% "sure"', "reviewed_by": "\u00fc"},
                {"gold": [{"chunk": "gold", "grade": 2}, "gold2"]},
            ]
        )
    )
    return draw(st.sampled_from(KINDS)), listed, draw(st.integers(0, 4)), more


def made(name: str, of: Asked) -> tuple[Row, Trace]:
    kind, listed, size, more = of
    fields = {**more}
    if "acceptable" in fields:
        fields["acceptable"] = [f"{name}-fine"]
    if kind == "unanswerable":
        fields.pop("gold", None)
    elif "gold" in fields:
        fields["gold"] = [{"chunk": f"{name}-gold", "grade": 2}, f"{name}-gold2"]
    seen = trace(
        [f"{name}-{one}" for one in listed[:size]], *(f"{name}-{o}" for o in listed[size:])
    )
    return row(name, kind, **fields), seen


def run_of(drawn: dict[str, Asked]) -> list[RowResult]:
    results = []
    for name, of in drawn.items():
        golden, seen = made(name, of)
        digest = f"{golden.kind}"
        attempt = score_attempt(golden, seen, None, PLAIN)
        results.append(score_row(golden, [attempt], digest=digest, asked=digest))
    return results


runs = st.dictionaries(st.sampled_from("abcdefgh"), asked(), min_size=1, max_size=8)


def stored(path: Path, results: list[RowResult]) -> Path:
    path.write_bytes(b"".join(map(row_line, results)))
    return path


@settings(deadline=None)
@given(runs, runs, st.booleans(), st.booleans())
def test_equal_lines_give_the_verdict_of_the_long_way(
    old: dict[str, Asked],
    new: dict[str, Asked],
    mostly: bool,
    strict: bool,
) -> None:
    if mostly:
        new = {**old, **dict(list(new.items())[:2])}
    before, after = run_of(old), run_of(new)
    head = record([row(name) for name in "abcdefgh"], generates=False)
    past = head.model_copy(update={"thresholds": Thresholds(claim_recall=0.5 if strict else 0.8)})
    with TemporaryDirectory() as folder:
        ours = stored(Path(folder) / "new.jsonl", after)
        theirs = stored(Path(folder) / "old.jsonl", before)
        known = briefs(ours)
        beside = briefs_beside(theirs, ours, known)

        quick = judge_run((head, known), Comparison(baseline=(past, beside)), ref="x")
        long = judge_run(
            (head, list(read_rows(ours))),
            Comparison(baseline=(past, list(read_rows(theirs)))),
            ref="x",
        )

        assert quick == long
        assert quick.model_dump_json() == long.model_dump_json()
        assert [row_line(whole(one)) for one in beside] == list(map(row_line, before))
        same = {row_line(result) for result in after} & {row_line(result) for result in before}
        by_id = {one.id for one in known if any(one is other for other in beside)}
        assert len(by_id) == len(same)


def test_rows_with_more_to_them_are_no_briefs() -> None:
    result = run_of({"a": ("happy-path", ["gold"], 1, {})})[0]
    twice = result.model_copy(update={"attempts": (result, result)})

    def read(name: str) -> RowResult:
        raise AssertionError(name)

    assert isinstance(Shared().brief(result, read), Brief)
    assert Shared().brief(twice, read) is twice


@pytest.mark.parametrize("name", ["a", "b"])
def test_briefs_of_equal_rows_share_what_is_equal(name: str) -> None:
    shared = Shared()

    def read(row: str) -> RowResult:
        raise AssertionError(row)

    one, other = (
        shared.brief(result, read)
        for result in run_of(
            {"x": ("happy-path", ["gold"], 1, {}), name: ("happy-path", ["gold"], 1, {})}
        )
    )

    assert one.scores is other.scores
    assert one.stages is other.stages
