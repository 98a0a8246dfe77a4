"""Recall of the gold evidence among the candidates."""

from collections.abc import Sequence

from evalrag.metrics.reasons import NO_GOLD
from evalrag.schema.score import NotApplicable, Scored


def candidate_recall(found: Sequence[bool]) -> Scored | NotApplicable:
    """How much of the gold evidence the retriever returned, at whatever position.

    Where it stands above `context_recall`, the evidence was fetched and not shown to the model:
    look at the reranker and the window, not at the index.

    Args:
        found: for each gold evidence, whether the candidates, read as a context, hold it.

    Returns:
        `Scored` in [0, 1], higher is better: found evidences / evidences, on rows of every kind. 0
        for no candidates. `NotApplicable` where the row has no gold.

    Source:
        Recall at `top_k`, as `recall_k` of trec_eval, over evidences in place of documents.

    >>> candidate_recall([True, True, True, False])
    Scored(value=0.75)
    """
    if not found:
        return NO_GOLD
    return Scored(sum(found) / len(found))
