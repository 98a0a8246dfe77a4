"""What an answer cites, held against what it was given and what its claims rest on."""

from collections.abc import Sequence
from typing import NamedTuple

from evalrag.schema.result import Verdicts
from evalrag.schema.score import NotApplicable, Score, Scored, Unresolved
from evalrag.schema.trace import Trace
from evalrag.schema.words import Form, Label


class Citations(NamedTuple):
    """The ids that an answer cites, and the ids of its context in order."""

    cited: Sequence[str] | None
    """None where the pipeline does not tell."""
    context: Sequence[str | None]


UNTOLD = Citations(None, ())


def citations_of(trace: Trace) -> Citations:
    """What a trace tells of citations."""
    return Citations(trace.get("citations"), [passage.get("id") for passage in trace["context"]])


def citation_validity(citations: Citations) -> Score:
    """Share of the cited ids that are in the context, each id counted once.

    >>> citation_validity(Citations(["a", "z", "a"], ["a", "b"]))
    Scored(value=0.5)
    """
    if citations.cited is None:
        return NotApplicable("no citations")
    cited = set(citations.cited)
    if not cited:
        return NotApplicable("nothing is cited")
    return Scored(len(cited & set(citations.context)) / len(cited))


def citation_support(citations: Citations, verdicts: Verdicts | None) -> Score:
    """Share of the claims that a cited passage supports, by the words that the judge quotes.

    A claim whose label is open gives bounds; so does a supported one of which the judge does not
    say where it stands.
    """
    if citations.cited is None:
        return NotApplicable("no citations")
    if verdicts is None:
        return Unresolved("not judged", 0.0, 1.0)
    if verdicts.form is Form.DECLINED:
        return NotApplicable("declined")
    if not verdicts.claims:
        why = verdicts.unresolved.get("claims")
        failed = "claims" in verdicts.failed
        return Unresolved(why, 0.0, 1.0, failed) if why else NotApplicable("no claim")
    places = {n for n, name in enumerate(citations.context, 1) if name in citations.cited}
    stands = open_ = 0
    failed = False
    for claim in verdicts.claims:
        if claim.label is Label.SUPPORTED and places & set(claim.passages):
            stands += 1
        elif claim.label is Label.UNRESOLVED or (
            claim.label is Label.SUPPORTED and not claim.passages and places
        ):
            open_ += 1
            failed |= claim.label is Label.UNRESOLVED and claim.judge_failed
    total = len(verdicts.claims)
    if open_:
        low, high = stands / total, (stands + open_) / total
        return Unresolved(f"{open_} of {total} claims", low, high, failed)
    return Scored(stands / total)
