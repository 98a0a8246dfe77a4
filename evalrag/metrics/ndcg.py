"""Normalised discounted cumulative gain of the context."""

import math
from collections.abc import Iterable, Sequence
from functools import cache

from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored


def ndcg(
    completed_at: Sequence[int | None], grades: Sequence[int], *, k: int | None
) -> Scored | NotApplicable:
    """How near the top of the context the evidence is complete, the graver evidence first.

    Args:
        completed_at: for each gold evidence, the position from 1 of the passage that completes it;
            None where the context does not hold it. Each gains once, however often it is repeated.
        grades: for each gold evidence, its grade, an integer >= 1.
        k: the plan's `context_k`; None where it has none.

    Returns:
        `Scored` in [0, 1], higher is better: DCG / ideal DCG. The ideal is the better of the grades
        sorted, one a place and cut at `k`, and the gains that were seen, sorted: one passage may
        complete several evidences. 0 for an empty context. `NotApplicable` where the row has no
        gold.

    Source:
        Järvelin and Kekäläinen, TOIS 20(4), 2002, doi:10.1145/582415.582418, with the gain and the
        discount `grade / log2(place + 1)` of `ndcg_cut` of trec_eval; not the exponential gain of
        Burges et al. 2005.

    >>> ndcg([2, 4, None], [1, 1, 1], k=5)
    Scored(value=0.49818925746641285)
    """
    if not grades:
        return NO_GOLD
    gains: dict[int, int] = {}
    for place, grade in zip(completed_at, grades, strict=True):
        if place is not None:
            gains[place] = gains.get(place, 0) + grade
    if not gains:
        return Scored(0.0)
    ideal = max(dcg(_best(grades, k)), dcg(_best(gains.values(), None)))
    return Scored(dcg(gains.items()) / ideal)


def dcg(gains: Iterable[tuple[int, int]]) -> float:
    """Sum of gains, each as (place from 1, gain), over log2(place + 1).

    >>> dcg([(2, 1), (4, 1)])
    1.0616063116448506
    """
    return math.fsum([gain / _discount(place) for place, gain in gains])


def _best(gains: Iterable[int], k: int | None) -> list[tuple[int, int]]:
    return list(enumerate(sorted(gains, reverse=True)[:k], start=1))


@cache
def _discount(place: int) -> float:
    return math.log2(place + 1)
