"""Several verdicts on one task made one: what more than half of them say, or nothing."""

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from evalrag.judging.tasks import (
    ClaimsReply,
    FactsReply,
    FormReply,
    RelevancyReply,
    Reply,
    Unjudged,
    UsefulReply,
)
from evalrag.schema.result import Claim, FactVerdict
from evalrag.schema.words import FactLabel, Label

V = TypeVar("V")
C = TypeVar("C", Claim, FactVerdict)


def majority(votes: Sequence[V]) -> V | None:
    """The value of more than half of the votes; None where there is none.

    >>> majority(["SUPPORTED", "ABSENT", "SUPPORTED"])
    'SUPPORTED'
    >>> majority(["SUPPORTED", "ABSENT"]) is None
    True
    """
    value, times = Counter(votes).most_common(1)[0]
    return value if 2 * times > len(votes) else None


def settle(replies: Sequence[Reply]) -> Reply:
    """One reply of several to the same task. Reasons and quotes are those of the first that agrees.

    Raises:
        Unjudged: they are about different claims or facts.
    """
    first = replies[0]
    if len(replies) == 1:
        return first
    heard = tuple(one for reply in replies for one in reply.heard)
    match first:
        case ClaimsReply():
            told = [_claims(reply) for reply in replies]
            return ClaimsReply(tuple(map(_claim, zip(*told, strict=True))), heard)
        case FactsReply():
            stated = [_facts(reply) for reply in replies]
            return FactsReply(tuple(map(_fact, zip(*stated, strict=True))), heard)
        case FormReply():
            forms = [reply.form for reply in replies if isinstance(reply, FormReply)]
            form = majority(forms)
            return FormReply(form, first.reason if form else _split(forms), heard)
        case UsefulReply():
            told_of = [reply.useful for reply in replies if isinstance(reply, UsefulReply)]
            if len(set(map(len, told_of))) > 1:
                raise Unjudged("the votes are about different passages")
            voted = [majority(votes) for votes in zip(*told_of, strict=True)]
            if None in voted:
                raise Unjudged("no majority on which passages help", heard, judge_failed=False)
            return UsefulReply(tuple(vote is True for vote in voted), first.reason, heard)
        case RelevancyReply():
            found = [reply for reply in replies if isinstance(reply, RelevancyReply)]
            labels = [reply.relevancy for reply in found]
            label = majority(labels)
            padded = majority([reply.padded for reply in found]) or False
            return RelevancyReply(label, padded, first.reason if label else _split(labels), heard)


def _claims(reply: Reply) -> tuple[Claim, ...]:
    assert isinstance(reply, ClaimsReply)
    return reply.claims


def _facts(reply: Reply) -> tuple[FactVerdict, ...]:
    assert isinstance(reply, FactsReply)
    return reply.verdicts


def _claim(votes: tuple[Claim, ...]) -> Claim:
    if len({claim.text for claim in votes}) > 1:
        raise Unjudged("the votes are about different claims")
    labels = [claim.label for claim in votes]
    label = majority(labels)
    if label is None:
        open_ = {"label": Label.UNRESOLVED, "code": "votes", "reason": _split(labels)}
        failed = any(claim.judge_failed for claim in votes)
        return votes[0].model_copy(update={**open_, "conflict": (), "judge_failed": failed})
    return _first([claim for claim in votes if claim.label is label])


def _fact(votes: tuple[FactVerdict, ...]) -> FactVerdict:
    if len({verdict.fact for verdict in votes}) > 1:
        raise Unjudged("the votes are about different facts")
    labels = [verdict.label for verdict in votes]
    label = majority(labels)
    if label is None:
        failed = any(verdict.judge_failed for verdict in votes)
        open_ = {"label": FactLabel.UNRESOLVED, "reason": _split(labels), "judge_failed": failed}
        return votes[0].model_copy(update=open_)
    return _first([verdict for verdict in votes if verdict.label is label])


def _first(agreed: Sequence[C]) -> C:
    """The first of those that say the same; among open ones, the first for which a judge failed."""
    return next((one for one in agreed if one.judge_failed), agreed[0])


def _split(labels: Sequence[object]) -> str:
    counts = Counter(str(label) for label in labels).most_common()
    return "no majority: " + ", ".join(f"{times} {label}" for label, times in counts)
