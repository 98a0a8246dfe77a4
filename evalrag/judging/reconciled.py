"""Verdicts held against what was asked about: none missing, none twice, none extra."""

from collections import Counter
from collections.abc import Sequence

from evalrag.judging.decided import claim_id
from evalrag.judging.tasks import Unjudged
from evalrag.schema.result import Claim, FactVerdict


def reconcile_claims(claims: Sequence[Claim], passages: int) -> None:
    """Every claim has an id of its own and rests on passages that exist."""
    repeated = [name for name, times in Counter(claim.id for claim in claims).items() if times > 1]
    if repeated:
        raise Unjudged(f"claim {repeated[0]!r} has more than one verdict")
    for claim in claims:
        for position in (*claim.passages, *claim.conflict):
            if not 1 <= position <= passages:
                raise Unjudged(f"claim {claim.id!r} rests on passage {position} of {passages}")


def named(
    claims: Sequence[Claim], asked: tuple[str, ...], among: tuple[str, ...]
) -> tuple[Claim, ...]:
    """The claims that were asked about, in that order, by their places among all claims."""
    found = {claim.text: claim for claim in claims}
    if len(claims) != len(asked) or set(found) != set(asked):
        raise Unjudged("the verdicts are about other claims than those asked about")
    return tuple(
        found[text].model_copy(update={"id": claim_id(among.index(text))}) for text in asked
    )


def reconcile_facts(
    verdicts: Sequence[FactVerdict], facts: tuple[str, ...]
) -> tuple[FactVerdict, ...]:
    """The verdicts in the order of the facts: none missing, none twice, none extra."""
    asked, given = Counter(facts), Counter(verdict.fact for verdict in verdicts)
    if missing := asked - given:
        raise Unjudged(f"no verdict on the fact {next(iter(missing))!r}")
    if extra := given - asked:
        raise Unjudged(f"a verdict that was not asked for: {next(iter(extra))!r}")
    places = {fact: place for place, fact in reversed(list(enumerate(facts)))}
    return tuple(sorted(verdicts, key=lambda verdict: places[verdict.fact]))
