"""Laws of evidence and of the measures over it."""

import itertools
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from evalrag.evidence.assess import Assessment, assess, matches, matches_in
from evalrag.evidence.chunks import chunk_labels
from evalrag.evidence.tokens import tokens
from evalrag.metrics.table import MEASURES, retrieval_scores
from evalrag.schema.evidence import Evidence
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.score import Failed, NotApplicable, Scored
from evalrag.schema.trace import Passage
from evalrag.schema.words import Mark
from tests.evidence.build import quoted, row, text

law = settings(deadline=None)

QUOTE = "You may return unused items within 30 days of delivery, for a 12.5% fee"
BEFORE = "Returns and refunds. Read this first. "
AFTER = ". We do not pay for postage. See also: exchanges."
TEXT = BEFORE + QUOTE + AFTER
START, END = len(BEFORE), len(BEFORE) + len(QUOTE)
"""Where the quote stands in the text, for what may be cut out of it."""


def chunks(*cuts: int, overlap: int = 0) -> list[Passage]:
    """The text in pieces that begin and end at the cuts, each going on into the next."""
    edges = [0, *sorted(cuts), len(TEXT)]
    return [
        text(TEXT[start : end + overlap], id=f"c{at}")
        for at, (start, end) in enumerate(itertools.pairwise(edges))
    ]


@pytest.mark.parametrize("cut", range(len(TEXT) + 1))
def test_a_quote_cut_anywhere_is_found_when_both_halves_are_there(cut: int) -> None:
    got = quoted(QUOTE, *chunks(cut))
    assert got.found == (True,)
    inside = START < cut < END and QUOTE[: cut - START].strip() and QUOTE[cut - START :].strip(" ,")
    assert got.context.count(Mark.RELEVANT) == (2 if inside else 1)


def words_apart(cuts: list[int]) -> bool:
    """No piece lies within one single word: that much is not matched (see `quotes`)."""
    edges = sorted(cuts)
    return all(" " in TEXT[start:end].strip(" ,") for start, end in itertools.pairwise(edges))


overlaps = st.just(0) | st.integers(7, 30)
"""An overlap shorter than a number leaves open what was cut: "within 3" and "30" may be 330."""
cuts_inside = st.lists(st.integers(START, END), min_size=1, max_size=5, unique=True)


@law
@example([START + 15, START + 20, START + 33], 0, [0, 1, 2, 3, 4, 5])
@example([START, START + 29], 7, [0, 1, 2, 3, 4, 5])  # "within 3" and "hin 30 days"
@example([38, 43, 47, 77, 90], 11, [0, 1, 2, 3, 4, 5])  # half a word before, half a number after
@given(cuts_inside, overlaps, st.permutations(range(6)))
def test_a_quote_cut_often_is_found_whatever_the_overlap_and_the_order(
    cuts: list[int], overlap: int, order: list[int]
) -> None:
    assume(words_apart(cuts))
    pieces = chunks(*cuts, overlap=overlap)
    shuffled = [pieces[at] for at in order if at < len(pieces)]
    got = quoted(QUOTE, *shuffled)
    assert got.found == (True,)
    assert got.covered == (1.0,)
    assert Mark.SUPERSEDED not in got.context


@law
@given(
    st.integers(START + 1, END - 1), st.sampled_from(["\n", "  ", "\u00a0", "\t \n", " **", "_ "])
)
def test_white_space_and_emphasis_at_a_cut_change_nothing(cut: int, space: str) -> None:
    left, right = text(TEXT[:cut].replace(" ", space)), text(TEXT[cut:].replace(" ", space))
    assert quoted(QUOTE, left, right).found == (True,)


@pytest.mark.parametrize("cut", range(START + 1, END))
@pytest.mark.parametrize("apart", ["doc", "version"])
def test_halves_of_two_documents_or_versions_are_never_found(cut: int, apart: str) -> None:
    assume_inside = QUOTE[: cut - START].strip(), QUOTE[cut - START :].strip(" ,")
    if not all(assume_inside):
        return
    if apart == "doc":
        halves = [text(TEXT[:cut], "one"), text(TEXT[cut:], "two")]
    else:
        halves = [
            text(half, metadata={"version": v})
            for v, half in (("1", TEXT[:cut]), ("2", TEXT[cut:]))
        ]
    got = quoted(QUOTE, *halves)
    assert got.found == (False,)
    assert Mark.RELEVANT not in got.context


numbers = st.integers(0, 999).map(str).filter(lambda number: number != "30")


@law
@example("300", START + 37, 1.0)
@example("3", START + 36, 0.1)
@example("0", START + 36, 0.1)
@given(numbers, st.integers(0, len(TEXT)), st.sampled_from([1.0, 0.8, 0.1]))
def test_a_sibling_with_another_number_is_never_found_or_relevant_however_cut(
    number: str, cut: int, coverage: float
) -> None:
    sibling = TEXT.replace("30", number)
    halves = [text(sibling[:cut]), text(sibling[cut:])]
    got = quoted(QUOTE, *halves, quote_coverage=coverage)
    assert got.found == (False,)
    assert Mark.RELEVANT not in got.context
    beside = quoted(QUOTE, text(sibling), text(TEXT, id="right"), quote_coverage=coverage)
    assert beside.context == (Mark.UNJUDGED, Mark.RELEVANT)


words = st.sampled_from(["you", "may", "not", "return", "it", "within", "30", "14", "days"])
sentences = st.lists(words, min_size=1, max_size=14).map(" ".join)
docs = st.sampled_from(["one", "two", None])
versions = st.sampled_from([{}, {"version": "1"}, {"version": "2"}])


@st.composite
def passages(draw: st.DrawFn) -> Passage:
    passage: dict[str, Any] = {"id": draw(st.sampled_from("abcdefgh")), "text": draw(sentences)}
    doc = draw(docs)
    if doc is not None:
        passage["doc"] = doc
    if draw(st.booleans()):
        start = draw(st.integers(0, 20))
        passage["span"] = (start, start + draw(st.integers(1, 20)))
    passage["metadata"] = draw(versions)
    return passage  # type: ignore[return-value]


leaves = st.one_of(
    st.sampled_from("abcdefgh"),
    st.builds(
        lambda doc, about: {"doc": doc, "metadata": about},
        st.sampled_from(["one", "two"]),
        versions,
    ),
    sentences.map(lambda quote: {"quote": quote}),
    st.builds(
        lambda doc, start: {"doc": doc, "span": [start, start + 9]},
        st.sampled_from(["one", "two"]),
        st.integers(0, 30),
    ),
)
evidences = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"any_of": parts}),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"all_of": parts}),
    ),
    max_leaves=5,
)
lists = st.lists(evidences, max_size=3, unique_by=repr)


@st.composite
def golden(draw: st.DrawFn) -> Row:
    fields = {name: draw(lists) for name in ("acceptable", "superseded", "near_miss")}
    kind = draw(st.sampled_from(["happy-path", "unanswerable", "multi-hop"]))
    if kind == "unanswerable":
        return row(kind=kind, unanswerable_because="out-of-scope", **fields)
    gold = draw(st.lists(evidences, min_size=2, max_size=3, unique_by=repr))
    graded = [{"grade": 2} | part if isinstance(part, dict) else part for part in gold]
    return row(*graded, kind=kind, **fields)


readings = st.builds(
    Reading,
    quote_coverage=st.sampled_from([1.0, 0.7]),
    context_k=st.sampled_from([None, 1, 3, 5]),
    top_k=st.sampled_from([None, 10]),
    superseded_when=st.sampled_from([{}, {"metadata": {"version": "1"}}]),
)
several = st.lists(passages(), max_size=8)


@given(golden(), several, st.integers(0, 8), readings)
def test_every_passage_has_a_mark_and_every_score_is_in_range_or_says_why_not(
    given_row: Row, candidates: list[Passage], size: int, reading: Reading
) -> None:
    context = candidates[:size]
    got = assess(given_row, candidates, context, reading)
    scores = retrieval_scores(given_row, got, reading=reading, candidates=candidates)
    assert set(scores) <= set(MEASURES)
    if got.error is not None:
        assert set(scores.values()) == {Failed(got.error)}
        return
    assert (len(got.context), len(got.candidates)) == (len(context), len(candidates))
    for found, covered, place in zip(got.found, got.covered, got.completed_at, strict=True):
        assert 0 <= covered <= 1
        assert found is (place is not None)
        assert covered >= (reading.quote_coverage if found else 0) - 1e-9
        assert place is None or got.context[place - 1] is not Mark.REPEAT
    for name, score in scores.items():
        match score:
            case Scored(value=value):
                low, high = (0, 1) if name not in UNBOUNDED else (0, 100)
                assert low <= value <= high + 1e-12, name
                assert value == int(value) or not MEASURES[name].integer
            case NotApplicable(reason=reason):
                assert reason
            case _:
                pytest.fail(f"{name} is {score}")


UNBOUNDED = {
    "first_relevant_rank",
    "first_relevant_in_context",
    "superseded_in_context",
    "near_miss_in_context",
    "passages_in_context",
    "best_score",
}


def without_repeats(passages: list[Passage]) -> list[Passage]:
    return list({passage["id"]: passage for passage in passages}.values())


@law
@given(golden(), several, st.randoms(use_true_random=False), readings)
def test_what_is_found_does_not_depend_on_the_order(
    given_row: Row, found_in: list[Passage], chance: Any, reading: Reading
) -> None:
    found_in = without_repeats(found_in)
    shuffled = list(found_in)
    chance.shuffle(shuffled)
    one, two = (assess(given_row, ps, ps, reading) for ps in (found_in, shuffled))
    assert (one.error is None, one.found, one.covered) == (
        two.error is None,
        two.found,
        two.covered,
    )


@law
@given(golden(), several, readings)
def test_a_passage_that_comes_again_changes_nothing_but_its_place(
    given_row: Row, found_in: list[Passage], reading: Reading
) -> None:
    once = assess(given_row, found_in, found_in, reading)
    twice = assess(given_row, found_in * 2, found_in * 2, reading)
    assert twice.error == once.error
    assert twice.context[: len(once.context)] == once.context
    assert set(twice.context[len(once.context) :]) <= {Mark.REPEAT}
    assert (twice.found, twice.covered, twice.completed_at) == (
        once.found,
        once.covered,
        once.completed_at,
    )


@law
@given(golden(), several, st.lists(passages(), max_size=2), readings)
def test_more_passages_never_lose_what_was_found(
    given_row: Row, found_in: list[Passage], more: list[Passage], reading: Reading
) -> None:
    less = assess(given_row, found_in, found_in, reading)
    longer = assess(given_row, found_in + more, found_in + more, reading)
    assume(less.error is None and longer.error is None)
    pairs = zip(less.found, longer.found, strict=True)
    assert all(after or not before for before, after in pairs)
    assert all(a <= b + 1e-9 for a, b in zip(less.covered, longer.covered, strict=True))


@law
@given(golden(), several, readings)
def test_a_found_gold_has_a_relevant_passage_unless_a_rival_is_one(
    given_row: Row, found_in: list[Passage], reading: Reading
) -> None:
    got = assess(given_row, found_in, found_in, reading)
    for gold, found in enumerate(got.found):
        if found:
            marks = {m for m, g in zip(got.context, got.context_gold, strict=True) if gold in g}
            assert marks & {Mark.RELEVANT, Mark.SUPERSEDED, Mark.NEAR_MISS}


@law
@given(st.lists(evidences, max_size=4), several, readings)
def test_many_evidences_are_counted_in_a_corpus_as_one_by_one(
    written: list[Any], corpus: list[Passage], reading: Reading
) -> None:
    asked = [Evidence.model_validate(one) for one in written]
    corpus = [*corpus, *chunks(START + 3, START + 33)]
    asked.append(Evidence(quote=QUOTE))
    counted = matches(asked, corpus, reading)
    assert counted == [matches_in(one, corpus, reading) for one in asked]
    for evidence, number in zip(asked, counted, strict=True):
        golden_row = row(evidence.model_dump(exclude_defaults=True))
        distinct = [passage | {"id": f"{passage['id']}{at}"} for at, passage in enumerate(corpus)]
        if not any(leaf.chunk for leaf in evidence.leaves()):
            got = assess(golden_row, distinct, [], reading)
            assert got.error is not None or got.found_in_candidates == (number > 0,)


ascii_text = st.text(st.sampled_from("aB3%$.,'-* _\n0"), max_size=30)


@law
@example("$ 5 % $")
@given(ascii_text)
def test_plain_english_is_cut_as_any_other_text(written: str) -> None:
    assert tokens(written) == tokens(written + " \u00e9")[:-1]


ids = st.sampled_from("abcdefgh")
alternatives = st.one_of(ids, st.lists(ids, min_size=1, max_size=3).map(lambda of: {"any_of": of}))


@st.composite
def chunk_rows(draw: st.DrawFn) -> dict[str, Any]:
    fields = {
        name: draw(st.lists(alternatives, max_size=2, unique_by=repr))
        for name in ("acceptable", "superseded", "near_miss")
    }
    return fields | {"gold": draw(st.lists(alternatives, min_size=1, max_size=3, unique_by=repr))}


@example({"gold": ["a"], "acceptable": ["a"], "superseded": [], "near_miss": []}, [{"id": "a"}], [])
@given(
    chunk_rows(),
    st.lists(st.builds(lambda name: Passage(id=name, text=name, doc="one"), ids), max_size=8),
    st.lists(st.builds(lambda name: Passage(id=name, text=name, doc="one"), ids), max_size=4),
)
def test_the_fast_path_says_what_the_general_way_says(
    fields: dict[str, Any], candidates: list[Passage], other: list[Passage]
) -> None:
    quick = row(**fields)
    slow = {
        name: [{"all_of": [part]} for part in parts] if parts else parts
        for name, parts in fields.items()
    }
    assert chunk_labels(row(**slow)) is None
    for context in (candidates[:3], candidates, other):
        one, two = (
            assess(given_row, candidates, context, Reading()) for given_row in (quick, row(**slow))
        )
        assert one == two


def test_assessments_of_nothing_are_equal() -> None:
    assert Assessment() == Assessment()
