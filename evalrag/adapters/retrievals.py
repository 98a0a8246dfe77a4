"""What retrievers were seen to return inside one call of somebody's pipeline."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

Run = TypeVar("Run")

View = dict[str, Any]
"""A document as it was at one moment, with `id` and `text` at least: what comes later in a pipeline
may write into the document itself."""


class Retrievals(NamedTuple):
    """What was fetched, and what came of it where a retriever stands around another one."""

    candidates: list[View]
    reranked: list[View] | None


def seen_retrievals(
    ended: Mapping[Run, list[View]], above: Callable[[Run], Iterable[Run]]
) -> Retrievals | None:
    """What to make of several retrievers' lists; None where there is none.

    Of one retriever around one other, the inner one's are the candidates. Where it stands around
    several (an ensemble, several queries) their lists have no common order: its own is taken.
    Several one after the other are put together, each document at its first place.

    Args:
        ended: Run of a retriever -> what it returned, in the order of their start.
        above: The runs that a run was started inside of.
    """
    outer = [run for run in ended if not any(other in ended for other in above(run))]
    if not outer:
        return None
    if len(outer) > 1:
        return Retrievals(_joined([ended[run] for run in outer]), None)
    inside = [run for run in ended if outer[0] in above(run)]
    leaves = [run for run in inside if not any(run in above(other) for other in inside)]
    if len(leaves) != 1 or ended[leaves[0]] == ended[outer[0]]:
        return Retrievals(ended[outer[0]], None)
    return Retrievals(ended[leaves[0]], ended[outer[0]])


def _joined(lists: Sequence[Sequence[View]]) -> list[View]:
    seen: set[str] = set()
    found = []
    for document in (document for documents in lists for document in documents):
        name = document["id"] or document["text"]
        if name not in seen:
            seen.add(name)
            found.append(document)
    return found
