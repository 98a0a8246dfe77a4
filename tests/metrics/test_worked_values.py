"""The worked values of the specification, exactly, and every degenerate case."""

from statistics import fmean
from typing import Any

import pytest

from evalrag.evidence.assess import Assessment, assess
from evalrag.evidence.window import window
from evalrag.metrics.context_recall import context_recall
from evalrag.metrics.hit import hit
from evalrag.metrics.ndcg import dcg, ndcg
from evalrag.metrics.reciprocal_rank import reciprocal_rank
from evalrag.metrics.table import MEASURES, retrieval_scores
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.score import Absent, Failed, NotApplicable, Score, Scored
from evalrag.schema.trace import Passage
from evalrag.schema.words import Direction, Mark, Stage
from tests.evidence.build import chunk, row, text


def scores(
    golden: Row, candidates: list[Passage], context: list[Passage] | None = None, **plan: Any
) -> dict[str, Score]:
    reading = Reading(**plan)
    if context is None:
        context = window(
            candidates, context_k=reading.context_k, context_chars=reading.context_chars
        )
    seen = assess(golden, candidates, context, reading)
    return retrieval_scores(golden, seen, reading=reading, candidates=candidates)


def value(score: Score) -> float:
    assert isinstance(score, Scored), score
    return score.value


def values(golden: Row, ids: str, **plan: Any) -> dict[str, float]:
    got = scores(golden, [*map(chunk, ids)], **plan)
    return {name: score.value for name, score in got.items() if isinstance(score, Scored)}


def test_the_worked_ranking() -> None:
    got = values(row("A", "C", "F"), "BADCEXF", context_k=5, top_k=20)
    assert got == {
        "context_recall": 2 / 3,
        "evidence_coverage": 2 / 3,
        "candidate_recall": 1.0,
        "hit": 1.0,
        "context_precision": 0.4,
        "judged_precision": 1.0,
        "current_precision": 1.0,
        "precision_at_k": 0.4,
        "ranked_precision": 0.5,
        "first_relevant_rank": 2.0,
        "reciprocal_rank": 0.5,
        "first_relevant_in_context": 2.0,
        "ndcg": pytest.approx(0.4982, abs=5e-5),
        "superseded_in_context": 0.0,
        "near_miss_in_context": 0.0,
        "superseded_first": 0.0,
        "near_miss_first": 0.0,
        "rival_first": 0.0,
        "unjudged_share": 0.6,
    }
    assert dcg([(2, 1), (4, 1)]) == pytest.approx(1.0616, abs=5e-5)
    assert dcg([(1, 1), (2, 1), (3, 1)]) == pytest.approx(2.1309, abs=5e-5)


def test_mean_reciprocal_rank() -> None:
    rows = [[False, True], [True], [False, False, False, True]]
    mean = fmean(value(reciprocal_rank(row, gold=1)) for row in rows)
    assert mean == pytest.approx(0.5833, abs=5e-5)


def test_mean_recall_is_the_mean_over_rows_and_not_over_evidences() -> None:
    found = [(2, 2), (1, 1), (1, 3), (0, 1), (1, 2)]
    each = [value(context_recall([at < n for at in range(of)])) for n, of in found]
    assert fmean(each) == pytest.approx(17 / 30, abs=1e-15)


def test_the_hit_rate() -> None:
    assert fmean(value(hit([at < 88])) for at in range(100)) == pytest.approx(0.88, abs=1e-15)


def test_ranked_precision_of_two_passages() -> None:
    assert values(row("a"), "ax")["ranked_precision"] == 1.0
    assert values(row("a"), "xa")["ranked_precision"] == 0.5


def test_half_a_multi_hop_row_has_no_recall_and_half_the_coverage() -> None:
    got = values(row("a", "b", kind="multi-hop"), "ax")
    assert (got["context_recall"], got["evidence_coverage"], got["candidate_recall"]) == (
        0,
        0.5,
        0.5,
    )
    assert values(row("a", "b", kind="multi-hop"), "ba")["context_recall"] == 1.0


def test_a_rule_cut_in_two_evidences_with_one_found() -> None:
    number, condition = {"quote": "within 30 days of delivery"}, {"quote": "only if it is unused"}
    got = scores(row(number, condition), [text("Returns within 30 days of delivery.")])
    assert value(got["context_recall"]) == 0.5


def test_coverage_counts_a_quote_by_its_covered_part() -> None:
    golden = row({"quote": "you may return unused items within 30 days"}, "z")
    got = scores(golden, [text("Returns. You may return unused items")])
    assert value(got["context_recall"]) == 0.0
    assert value(got["evidence_coverage"]) == 5 / 8 / 2


POSITIONS = ("first_relevant_rank", "first_relevant_in_context")


@pytest.mark.parametrize("ids", ["", "xyz"])
def test_nothing_relevant_is_zero_and_never_silence(ids: str) -> None:
    got = scores(row("a", "b", near_miss=["n"]), [*map(chunk, ids)], context_k=5, top_k=20)
    silent = {name: score for name, score in got.items() if not isinstance(score, Scored)}
    absent: dict[str, Score] = dict.fromkeys(POSITIONS, Absent("no relevant passage"))
    absent["forbidden_retrieved"] = NotApplicable("the row forbids nothing")
    if not ids:
        absent["unjudged_share"] = NotApplicable("no passages in the context")
    assert silent == absent
    expected = dict.fromkeys(MEASURES, 0.0) | {"unjudged_share": 1.0}
    for name in got.keys() - absent.keys():
        assert value(got[name]) == expected[name], name


@pytest.mark.parametrize("size", [0, 3, 20])
@pytest.mark.parametrize("top_k", [1, 20, None])
def test_a_position_that_is_not_there_is_no_number_whatever_top_k_is(
    size: int, top_k: int | None
) -> None:
    got = scores(row("a"), [chunk(f"x{at}") for at in range(size)], context_k=5, top_k=top_k)
    assert {name: type(got[name]) for name in POSITIONS} == dict.fromkeys(POSITIONS, Absent)


def test_a_reranker_moves_the_context_and_not_the_candidates() -> None:
    got = scores(row("a"), [*map(chunk, "xyza")], [*map(chunk, "ax")], top_k=20)
    assert value(got["first_relevant_rank"]) == 4.0
    assert value(got["reciprocal_rank"]) == 0.25
    assert value(got["first_relevant_in_context"]) == 1.0


OVER_GOLD = {name for name, measure in MEASURES.items() if measure.asked.name == "GOLD"}


def test_a_row_without_gold_has_no_measure_over_gold() -> None:
    golden = row(reference_facts=["a fact"], near_miss=["n"], superseded=["s"], acceptable=["a"])
    got = scores(golden, [*map(chunk, "nsax")], context_k=4)
    reason = NotApplicable("the row has no gold evidence")
    assert {name for name, score in got.items() if score == reason} == OVER_GOLD
    assert {
        name: value(got[name]) for name in got.keys() - OVER_GOLD - {"forbidden_retrieved"}
    } == {
        "superseded_in_context": 1.0,
        "near_miss_in_context": 1.0,
        "superseded_first": 1.0,
        "near_miss_first": 1.0,
        "unjudged_share": 0.25,
    }


def unanswerable(**fields: Any) -> Row:
    return row(kind="unanswerable", unanswerable_because="out-of-scope", **fields)


def test_an_unanswerable_row_counts_rivals_and_what_was_handed_over() -> None:
    candidates = [chunk(name, score=score) for name, score in (("x", 0.2), ("n", 0.9), ("s", 0.1))]
    got = scores(unanswerable(near_miss=["n"], superseded=["s"]), candidates, context_k=2)
    asked = {name: value(score) for name, score in got.items() if isinstance(score, Scored)}
    assert asked == {
        "superseded_in_context": 0.0,
        "near_miss_in_context": 1.0,
        "superseded_first": 0.0,
        "near_miss_first": 1.0,
        "passages_in_context": 2.0,
        "best_score": 0.9,
    }
    assert set(got) == set(MEASURES)
    assert {got[name] for name in OVER_GOLD | {"unjudged_share"}} == {
        NotApplicable("the row is unanswerable")
    }


@pytest.mark.parametrize("score", [None, float("nan"), float("inf")])
def test_a_score_that_is_no_number_is_none(score: float | None) -> None:
    passage: Passage = {"id": "x"}
    if score is not None:
        passage["score"] = score
    got = scores(unanswerable(), [passage])
    assert got["best_score"] == NotApplicable("the passages carry no score")


def test_an_answerable_row_is_not_asked_what_unanswerable_rows_are() -> None:
    assert {"passages_in_context", "best_score"} & set(
        scores(row("a"), [chunk("a", score=1.0)])
    ) == set()


@pytest.mark.parametrize(
    "golden", [row("a", near_miss=[{"doc": "d"}]), unanswerable(near_miss=[{"doc": "d"}])]
)
def test_a_row_with_an_error_fails_every_measure(golden: Row) -> None:
    got = scores(golden, [chunk("a")])
    assert {type(score) for score in got.values()} == {Failed}
    assert list(got) == [name for name in MEASURES if name in got]
    assert ("best_score" in got) is (not golden.answerable)


def test_only_what_is_kept_is_returned() -> None:
    seen = assess(row("a"), [chunk("a")], [chunk("a")], Reading())
    got = retrieval_scores(row("a"), seen, reading=Reading(), candidates=[], keep={"hit", "tone"})
    assert got == {"hit": Scored(1.0)}


@pytest.mark.parametrize(
    ("ids", "plan", "wanted"),
    [
        ("axx", {"context_k": 5}, Scored(0.2)),
        ("axxxx", {"context_k": 5, "context_chars": 100}, Scored(0.2)),
        ("axx", {}, NotApplicable("the plan has no context_k")),
        ("axx", {"context_chars": 100}, NotApplicable("the plan has no context_k")),
    ],
)
def test_precision_at_k_divides_by_the_window(
    ids: str, plan: dict[str, Any], wanted: Score
) -> None:
    assert scores(row("a"), [*map(chunk, ids)], **plan)["precision_at_k"] == wanted


def test_precision_at_k_is_not_applicable_to_a_longer_context() -> None:
    passages = [*map(chunk, "axx")]
    got = scores(row("a"), passages, passages, context_k=2)
    assert got["precision_at_k"] == NotApplicable("the context is longer than context_k")


RIVALS = [
    # ids: g gold, a acceptable, s superseded, n near miss, x unjudged
    pytest.param("gsn", (1 / 3, 1 / 2, 0, 0, 0), id="gold first"),
    pytest.param("sgn", (1 / 3, 1 / 2, 1, 0, 1), id="an old version first"),
    pytest.param("nxg", (1 / 2, 1, 0, 1, 1), id="a sibling first"),
    pytest.param("sn", (0, 0, 1, 1, 1), id="rivals and no gold"),
    pytest.param("asn", (0, 0, 0, 0, 1), id="acceptable is no gold"),
    pytest.param("axg", (1, 1, 0, 0, 0), id="acceptable and unjudged stand on neither side"),
    pytest.param("xx", (0, 0, 0, 0, 0), id="nothing judged"),
    pytest.param("", (0, 0, 0, 0, 0), id="an empty context"),
]


@pytest.mark.parametrize(("ids", "wanted"), RIVALS)
def test_rivals_are_counted_and_placed(ids: str, wanted: tuple[float, ...]) -> None:
    golden = row("g", superseded=["s"], near_miss=["n"], acceptable=["a"])
    got = values(golden, ids)
    names = (
        "judged_precision",
        "current_precision",
        "superseded_first",
        "near_miss_first",
        "rival_first",
    )
    assert tuple(got[name] for name in names) == wanted
    assert got["superseded_in_context"] == ids.count("s")
    assert got["near_miss_in_context"] == ids.count("n")


HALF = "Refunds take up to ten days from the day on which the parcel comes back to us"
FIRST, SECOND = HALF[:34], HALF[34:]
OLD = "Refunds take up to twenty days from the day of the order, and never by cheque"


def version(words: str, number: str, **metadata: Any) -> Passage:
    return text(words, "refunds", metadata={"version": number, **metadata})


@pytest.mark.parametrize(
    "gold", [[version(HALF, "2")], [version(FIRST, "2"), version(SECOND, "2")]], ids=["1", "2"]
)
@pytest.mark.parametrize(
    "old", [[version(OLD, "1")], [version(OLD[:34], "1"), version(OLD[34:], "1")]], ids=["1", "2"]
)
def test_current_precision_does_not_move_with_the_size_of_chunks(
    gold: list[Passage], old: list[Passage]
) -> None:
    golden = row({"quote": HALF}, superseded=[{"quote": OLD}])
    assert value(scores(golden, [*gold, *old])["current_precision"]) == 0.5


EXPIRED = {"metadata": {"status": "expired"}}


def expired(words: str, number: str) -> Passage:
    return version(words, number, status="expired")


BY_PLAN = [
    pytest.param([expired("a", "1"), expired("b", "1")], 1 / 2, id="two passages of a version"),
    pytest.param([expired("a", "1"), expired("b", "0")], 1 / 3, id="two versions"),
    pytest.param([expired(OLD, "1"), expired("b", "1")], 1 / 2, id="one that is listed too"),
    pytest.param([expired("a", "2")], 1.0, id="the document that the gold stands in"),
]


@pytest.mark.parametrize(("old", "wanted"), BY_PLAN)
def test_what_the_plan_calls_superseded_counts_by_document_and_version(
    old: list[Passage], wanted: float
) -> None:
    golden = row({"quote": HALF}, superseded=[{"quote": OLD}])
    got = scores(golden, [version(HALF, "2"), *old], superseded_when=EXPIRED)
    assert value(got["current_precision"]) == wanted


def of(doc: str | None, name: str) -> Passage:
    return chunk(name) if doc is None else chunk(name, doc=doc)


A, B, OLD_A, OLD_B, X = of("a", "A"), of("b", "B"), of("a", "oldA"), of("b", "oldB"), chunk("X")
COMPETING = [
    pytest.param([A, B, OLD_B], [], 0, id="behind its own gold"),
    pytest.param([A, OLD_B, B], [], 1, id="before its own gold, behind another"),
    pytest.param([OLD_B, A, B], [], 1, id="before both"),
    pytest.param([A, OLD_B], [B], 1, id="its own gold is a candidate alone"),
    pytest.param([B, OLD_B], [A], 0, id="another's gold is not there"),
    pytest.param([A, X, B], [], 0, id="of no document, behind one of the gold"),
    pytest.param([X, A, B], [], 1, id="of no document, before all gold"),
    pytest.param([X], [A, B], 1, id="of no document, and no gold there"),
    pytest.param([A, of("c", "X"), B], [], 0, id="of a third document, behind one"),
    pytest.param([of("c", "X"), A, B], [], 1, id="of a third document, before all"),
    pytest.param([A, B], [X, OLD_A, OLD_B], 0, id="rivals outside the context"),
    pytest.param([], [A, B], 0, id="nothing there"),
]


@pytest.mark.parametrize(("context", "more", "wanted"), COMPETING)
@pytest.mark.parametrize("mark", ["superseded", "near_miss"])
def test_a_rival_stands_first_before_the_gold_that_it_competes_with(
    context: list[Passage], more: list[Passage], wanted: int, mark: str
) -> None:
    golden = row("A", "B", kind="multi-hop", **{mark: ["oldA", "oldB", "X"]})
    got = scores(golden, [*context, *more], context)
    assert value(got["rival_first"]) == wanted


def test_a_gold_in_two_documents_stands_where_the_first_of_them_does() -> None:
    golden = row({"any_of": ["A", "B"]}, superseded=["oldA"])
    assert value(scores(golden, [B, OLD_A, A])["rival_first"]) == 0
    named = row({"doc": "b"}, {"doc": "a", "quote": HALF}, superseded=["oldA"])
    given = [of("b", "B"), of("a", "oldA")]
    given[1]["text"] = "Something else."
    assert value(scores(named, given)["rival_first"]) == 1


def test_a_rival_competes_with_gold_that_is_cut_in_two_from_its_first_half_on() -> None:
    golden = row({"quote": HALF}, superseded=[{"quote": OLD}])
    halves = [version(FIRST, "2"), version(SECOND, "2")]
    old = version(OLD, "1")
    assert value(scores(golden, [halves[0], old, halves[1]])["rival_first"]) == 0
    assert value(scores(golden, [old, *halves])["rival_first"]) == 1


def test_no_rival_competes_without_gold() -> None:
    facts = row(reference_facts=["Ten days."], superseded=["oldA"])
    assert isinstance(scores(facts, [OLD_A])["rival_first"], NotApplicable)


def test_an_acceptable_passage_that_holds_half_a_gold_is_no_gold_passage() -> None:
    golden = row(
        {"quote": "you may return unused items within 30 days"},
        acceptable=["old"],
        superseded=["s"],
    )
    got = scores(
        golden, [text("Returns. You may return unused items", id="old"), text("x", id="s")]
    )
    assert value(got["context_precision"]) == 0.5
    assert value(got["current_precision"]) == 0.0


def test_a_repeat_keeps_its_place_in_precision() -> None:
    got = values(row("a"), "aa")
    assert (got["context_precision"], got["ranked_precision"], got["unjudged_share"]) == (
        0.5,
        1.0,
        0.0,
    )


NDCG = [
    pytest.param([1], [1], None, 1.0, id="first"),
    pytest.param([2], [1], None, 0.6309297535714575, id="second"),
    pytest.param([None], [1], None, 0.0, id="absent"),
    pytest.param([1, 2], [1, 3], None, 0.7967075809905066, id="the lower grade first"),
    pytest.param([2, 1], [1, 3], None, 1.0, id="the higher grade first"),
    pytest.param([1, None, None], [1, 1, 1], 1, 1.0, id="the ideal is cut at k"),
    pytest.param([1, 1], [1, 1], 5, 1.0, id="one passage completes both: the gains are the ideal"),
    pytest.param([2, 2], [1, 1], 5, 0.6309297535714575, id="both at the second place"),
    pytest.param([1, 3], [1, 1], 1, 0.9197207891481876, id="a context longer than k"),
]


@pytest.mark.parametrize(("places", "grades", "k", "wanted"), NDCG)
def test_ndcg(places: list[int | None], grades: list[int], k: int | None, wanted: float) -> None:
    assert value(ndcg(places, grades, k=k)) == pytest.approx(wanted, abs=1e-12)


def test_ndcg_reads_grades_and_the_window_of_the_plan() -> None:
    golden = row({"chunk": "a", "grade": 3}, "b", "c")
    assert values(golden, "ab", context_k=2)["ndcg"] == 1.0
    assert values(golden, "ab")["ndcg"] < 1.0


def test_the_table_names_every_measure_of_the_specification_in_its_order() -> None:
    assert list(MEASURES) == [
        "context_recall", "evidence_coverage", "candidate_recall", "hit", "context_precision",
        "judged_precision", "current_precision", "precision_at_k", "ranked_precision",
        "first_relevant_rank", "reciprocal_rank", "first_relevant_in_context", "ndcg",
        "superseded_in_context", "near_miss_in_context", "superseded_first", "near_miss_first",
        "rival_first", "forbidden_retrieved", "unjudged_share", "passages_in_context", "best_score",
    ]  # fmt: skip
    assert list(scores(row("a"), [chunk("a")])) == list(MEASURES)[:-2]


def test_lower_is_better_for_positions_and_rivals() -> None:
    down = {name for name, measure in MEASURES.items() if measure.direction is Direction.DOWN}
    assert down == {
        "first_relevant_rank", "first_relevant_in_context", "superseded_in_context",
        "near_miss_in_context", "superseded_first", "near_miss_first", "rival_first",
        "forbidden_retrieved", "passages_in_context",
    }  # fmt: skip
    neither = {name for name, measure in MEASURES.items() if measure.direction is Direction.NEITHER}
    assert neither == {"unjudged_share", "best_score"}


def test_counts_positions_and_flags_are_whole_numbers() -> None:
    flags = {"hit", "superseded_first", "near_miss_first", "rival_first"}
    counts = {"superseded_in_context", "near_miss_in_context", "passages_in_context"}
    counts.add("forbidden_retrieved")
    positions = {"first_relevant_rank", "first_relevant_in_context"}
    assert {name for name, measure in MEASURES.items() if measure.binary} == flags
    whole = {name for name, measure in MEASURES.items() if measure.integer}
    assert whole == flags | counts | positions


def test_measures_of_the_candidates_belong_to_retrieval() -> None:
    early = {name for name, measure in MEASURES.items() if measure.stage is Stage.RETRIEVAL}
    assert early == {
        "candidate_recall", "first_relevant_rank", "reciprocal_rank", "forbidden_retrieved",
        "best_score",
    }  # fmt: skip


def test_no_measure_over_gold_takes_no_gold_for_an_answer() -> None:
    empty = Assessment()
    assert not empty.found
    for name in OVER_GOLD:
        function = MEASURES[name].function
        arguments: dict[str, Any] = {
            "relevant": [], "marks": [], "found": [], "covered": [], "completed_at": [],
            "grades": [], "k": 5, "gold": 0, "gold_passages": 0, "superseded": 0, "near_miss": 0,
            "documents": [], "gold_at": [],
        }  # fmt: skip
        names = function.__code__.co_varnames[
            : function.__code__.co_argcount + function.__code__.co_kwonlyargcount
        ]
        given = {key: arguments[key] for key in names if key != "all_or_nothing"}
        if name == "current_precision":
            given["found"] = 0
        assert function(**given) == NotApplicable("the row has no gold evidence"), name


def test_rivals_stand_first_only_before_the_first_relevant() -> None:
    marks = [Mark.REPEAT, Mark.PARTIAL, Mark.RELEVANT, Mark.SUPERSEDED, Mark.NEAR_MISS]
    for name in ("superseded_first", "near_miss_first"):
        assert MEASURES[name].function(marks) == Scored(0.0)
        assert MEASURES[name].function(marks[3:]) == Scored(1.0)


TENANT = {"metadata": {"tenant": "b"}}


def owned(name: str, tenant: str, words: str = "Some text.") -> Passage:
    return text(words, "prices", id=name, metadata={"tenant": tenant})


FORBIDDEN = [
    pytest.param([TENANT], [owned("1", "a"), owned("2", "b"), owned("3", "b")], 2, id="metadata"),
    pytest.param([TENANT], [owned("1", "a")], 0, id="none of them"),
    pytest.param(["2", {"doc": "prices"}], [owned("2", "b")], 1, id="twice forbidden is once"),
    pytest.param([TENANT], [owned("2", "b"), owned("2", "b")], 1, id="a repeat"),
    pytest.param([{"doc": "salaries"}], [owned("1", "a")], 0, id="a document"),
    pytest.param(
        [{"quote": HALF}], [version(FIRST, "2"), version(SECOND, "2")], 2, id="a quote cut in two"
    ),
    pytest.param([{"quote": HALF}], [version(FIRST, "2"), version("x", "2")], 0, id="half a quote"),
    pytest.param([TENANT], [], 0, id="nothing came back"),
]


@pytest.mark.parametrize(("forbidden", "candidates", "wanted"), FORBIDDEN)
@pytest.mark.parametrize("kind", ["happy-path", "unanswerable"])
def test_forbidden_passages_are_counted_wherever_they_stand(
    forbidden: list[Any], candidates: list[Passage], wanted: int, kind: str
) -> None:
    if kind == "unanswerable":
        golden = row(kind=kind, unanswerable_because="out-of-scope", forbidden=forbidden)
    else:
        golden = row("gold", forbidden=forbidden)
    assert value(scores(golden, candidates, context_k=1)["forbidden_retrieved"]) == wanted


def test_a_forbidden_passage_that_the_context_alone_has_counts() -> None:
    golden = row("1", forbidden=[TENANT])
    got = scores(golden, [owned("1", "a")], [owned("1", "a"), owned("2", "b")])
    assert value(got["forbidden_retrieved"]) == 1


def test_what_is_forbidden_by_metadata_cannot_be_matched_without_any() -> None:
    got = scores(row("1", forbidden=[TENANT]), [chunk("1")])
    assert isinstance(got["forbidden_retrieved"], Failed)
