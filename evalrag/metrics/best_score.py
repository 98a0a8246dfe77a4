"""The best retriever score of a question that has no answer."""

import math
from collections.abc import Iterable

from evalrag.metrics.reasons import NO_SCORES
from evalrag.schema.score import NotApplicable, Scored


def best_score(scores: Iterable[float | None]) -> Scored | NotApplicable:
    """How sure the retriever was although the question cannot be answered.

    A relevance threshold has to lie above it, and below the scores of answerable rows.

    Args:
        scores: the retriever's score of each candidate; None where it gave none.

    Returns:
        `Scored`: the highest, on the retriever's own scale, hence neither way is better. A
        retriever that returns distances must negate them. `NotApplicable` where no candidate
        carries a finite score. Asked of unanswerable rows alone.

    Source:
        evalrag's own.

    >>> best_score([0.31, None, 0.28])
    Scored(value=0.31)
    """
    known = [score for score in scores if score is not None and math.isfinite(score)]
    return Scored(float(max(known))) if known else NO_SCORES
