"""All retrieval measures, and all scores of one row."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from evalrag.evidence.assess import Assessment
from evalrag.metrics.best_score import best_score
from evalrag.metrics.candidate_recall import candidate_recall
from evalrag.metrics.context_precision import context_precision
from evalrag.metrics.context_recall import context_recall
from evalrag.metrics.current_precision import current_precision
from evalrag.metrics.evidence_coverage import evidence_coverage
from evalrag.metrics.first_relevant_in_context import first_relevant_in_context
from evalrag.metrics.first_relevant_rank import first_relevant_rank
from evalrag.metrics.forbidden_retrieved import forbidden_retrieved
from evalrag.metrics.hit import hit
from evalrag.metrics.judged_precision import judged_precision
from evalrag.metrics.measure import Asked, Measure
from evalrag.metrics.ndcg import ndcg
from evalrag.metrics.near_miss_first import near_miss_first
from evalrag.metrics.near_miss_in_context import near_miss_in_context
from evalrag.metrics.passages_in_context import passages_in_context
from evalrag.metrics.precision_at_k import precision_at_k
from evalrag.metrics.ranked_precision import ranked_precision
from evalrag.metrics.reasons import NO_GOLD, UNANSWERABLE
from evalrag.metrics.reciprocal_rank import reciprocal_rank
from evalrag.metrics.rival_first import rival_first
from evalrag.metrics.superseded_first import superseded_first
from evalrag.metrics.superseded_in_context import superseded_in_context
from evalrag.metrics.unjudged_share import unjudged_share
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.score import Failed, Score
from evalrag.schema.trace import Passage
from evalrag.schema.words import Direction, Kind, Mark, Stage

SCORING_VERSION = 2
"""Moves when any retrieval measure, or the matching under it, gives another value."""

_RETRIEVAL, _RANKING = Stage.RETRIEVAL, Stage.RANKING
_UP, _DOWN, _NEITHER = Direction.UP, Direction.DOWN, Direction.NEITHER

_ALL = (
    Measure("context_recall", _RANKING, _UP, context_recall),
    Measure("evidence_coverage", _RANKING, _UP, evidence_coverage),
    Measure("candidate_recall", _RETRIEVAL, _UP, candidate_recall),
    Measure("hit", _RANKING, _UP, hit, integer=True, binary=True),
    Measure("context_precision", _RANKING, _UP, context_precision),
    Measure("judged_precision", _RANKING, _UP, judged_precision),
    Measure("current_precision", _RANKING, _UP, current_precision),
    Measure("precision_at_k", _RANKING, _UP, precision_at_k),
    Measure("ranked_precision", _RANKING, _UP, ranked_precision),
    Measure(
        "first_relevant_rank",
        _RETRIEVAL,
        _DOWN,
        first_relevant_rank,
        integer=True,
        low=1.0,
        high=None,
    ),
    Measure("reciprocal_rank", _RETRIEVAL, _UP, reciprocal_rank),
    Measure(
        "first_relevant_in_context",
        _RANKING,
        _DOWN,
        first_relevant_in_context,
        integer=True,
        low=1.0,
        high=None,
    ),
    Measure("ndcg", _RANKING, _UP, ndcg),
    Measure(
        "superseded_in_context",
        _RANKING,
        _DOWN,
        superseded_in_context,
        asked=Asked.EVERY,
        integer=True,
        high=None,
    ),
    Measure(
        "near_miss_in_context",
        _RANKING,
        _DOWN,
        near_miss_in_context,
        asked=Asked.EVERY,
        integer=True,
        high=None,
    ),
    Measure(
        "superseded_first",
        _RANKING,
        _DOWN,
        superseded_first,
        asked=Asked.EVERY,
        integer=True,
        binary=True,
    ),
    Measure(
        "near_miss_first",
        _RANKING,
        _DOWN,
        near_miss_first,
        asked=Asked.EVERY,
        integer=True,
        binary=True,
    ),
    Measure("rival_first", _RANKING, _DOWN, rival_first, integer=True, binary=True),
    Measure(
        "forbidden_retrieved",
        _RETRIEVAL,
        _DOWN,
        forbidden_retrieved,
        asked=Asked.EVERY,
        integer=True,
        high=None,
    ),
    Measure("unjudged_share", _RANKING, _NEITHER, unjudged_share, asked=Asked.ANSWERABLE),
    Measure(
        "passages_in_context",
        _RANKING,
        _DOWN,
        passages_in_context,
        asked=Asked.UNANSWERABLE,
        integer=True,
        high=None,
    ),
    Measure(
        "best_score",
        _RETRIEVAL,
        _NEITHER,
        best_score,
        asked=Asked.UNANSWERABLE,
        low=None,
        high=None,
    ),
)

MEASURES: Mapping[str, Measure] = MappingProxyType({measure.name: measure for measure in _ALL})
"""Every retrieval measure by name, in the order in which reports show them."""

_ANSWERABLE = tuple(measure.name for measure in _ALL if measure.asked is not Asked.UNANSWERABLE)


def retrieval_scores(
    row: Row,
    assessment: Assessment,
    *,
    reading: Reading,
    candidates: Sequence[Passage],
    keep: Collection[str] | None = None,
) -> dict[str, Score]:
    """All retrieval scores of a row, in the order of `MEASURES`.

    Args:
        row: the golden row.
        assessment: what `assess` says of it. One with an error fails every measure.
        reading: the plan's settings.
        candidates: what the retriever returned.
        keep: names to return; None for all.

    Returns:
        A score for each measure, `passages_in_context` and `best_score` on unanswerable rows alone.
    """
    if assessment.error is not None:
        failed = Failed(assessment.error)
        scores: dict[str, Score] = dict.fromkeys(
            _ANSWERABLE if row.answerable else MEASURES, failed
        )
    elif row.gold:
        return _with_gold(row, assessment, reading, keep)
    else:
        scores = dict(_without_gold(row, assessment, candidates))
    if keep is None:
        return scores
    return {name: score for name, score in scores.items() if name in keep}


def _with_gold(
    row: Row, seen: Assessment, reading: Reading, keep: Collection[str] | None
) -> dict[str, Score]:
    facts = _Facts(row, seen, reading)
    return {
        name: measure(facts) for name, measure in _OF_GOLD.items() if keep is None or name in keep
    }


class _Facts:
    """What measures over gold read. What few of them read is derived when it is asked for."""

    __slots__ = ("context", "gold", "k", "relevant", "returned", "row", "seen")

    def __init__(self, row: Row, seen: Assessment, reading: Reading) -> None:
        self.row, self.seen, self.context = row, seen, seen.context
        self.gold, self.k = len(row.gold), reading.context_k
        mark = Mark.RELEVANT
        self.relevant = [one is mark for one in seen.context]
        self.returned = [one is mark for one in seen.candidates]

    def number(self, mark: Mark) -> int:
        return self.context.count(mark)


_OF_GOLD: Mapping[str, Callable[[_Facts], Score]] = {
    "context_recall": lambda of: context_recall(
        of.seen.found, all_or_nothing=of.row.kind is Kind.MULTI_HOP
    ),
    "evidence_coverage": lambda of: evidence_coverage(of.seen.covered),
    "candidate_recall": lambda of: candidate_recall(of.seen.found_in_candidates),
    "hit": lambda of: hit(of.seen.found),
    "context_precision": lambda of: context_precision(of.relevant, gold=of.gold),
    "judged_precision": lambda of: judged_precision(
        gold_passages=_gold_passages(of.seen),
        superseded=of.number(Mark.SUPERSEDED),
        near_miss=of.number(Mark.NEAR_MISS),
        gold=of.gold,
    ),
    "current_precision": lambda of: current_precision(
        found=sum(of.seen.found), superseded=of.seen.superseded_found, gold=of.gold
    ),
    "precision_at_k": lambda of: precision_at_k(of.relevant, k=of.k, gold=of.gold),
    "ranked_precision": lambda of: ranked_precision(of.relevant, gold=of.gold),
    "first_relevant_rank": lambda of: first_relevant_rank(of.returned, gold=of.gold),
    "reciprocal_rank": lambda of: reciprocal_rank(of.returned, gold=of.gold),
    "first_relevant_in_context": lambda of: first_relevant_in_context(of.relevant, gold=of.gold),
    "ndcg": lambda of: ndcg(of.seen.completed_at, [e.grade for e in of.row.gold], k=of.k),
    "superseded_in_context": lambda of: superseded_in_context(of.number(Mark.SUPERSEDED)),
    "near_miss_in_context": lambda of: near_miss_in_context(of.number(Mark.NEAR_MISS)),
    "superseded_first": lambda of: superseded_first(of.context),
    "near_miss_first": lambda of: near_miss_first(of.context),
    "rival_first": lambda of: rival_first(
        of.context, of.seen.documents, of.seen.gold_at, gold=of.gold
    ),
    "forbidden_retrieved": lambda of: forbidden_retrieved(
        of.seen.forbidden, forbidden=len(of.row.forbidden)
    ),
    "unjudged_share": lambda of: unjudged_share(of.context),
}


def _without_gold(
    row: Row, seen: Assessment, candidates: Sequence[Passage]
) -> Iterator[tuple[str, Score]]:
    context = seen.context
    for measure in _ALL:
        name, asked = measure.name, measure.asked
        if asked is Asked.UNANSWERABLE and row.answerable:
            continue
        if asked is Asked.GOLD or (asked is Asked.ANSWERABLE and not row.answerable):
            yield name, NO_GOLD if row.answerable else UNANSWERABLE
        elif name == "superseded_in_context":
            yield name, superseded_in_context(context.count(Mark.SUPERSEDED))
        elif name == "near_miss_in_context":
            yield name, near_miss_in_context(context.count(Mark.NEAR_MISS))
        elif name == "forbidden_retrieved":
            yield name, forbidden_retrieved(seen.forbidden, forbidden=len(row.forbidden))
        elif name == "passages_in_context":
            yield name, passages_in_context(len(context))
        elif name == "best_score":
            yield name, best_score([passage.get("score") for passage in candidates])
        else:  # superseded_first, near_miss_first, unjudged_share
            yield name, measure.function(context)


def _gold_passages(seen: Assessment) -> int:
    """Relevant passages of the context that find gold or add cover to it.

    A passage that is merely acceptable may still cover a part of gold that was not found.
    """
    number = 0
    for mark, indexes in zip(seen.context, seen.context_gold, strict=True):
        if mark is Mark.RELEVANT and any(seen.found[gold] for gold in indexes):
            number += 1
    return number
