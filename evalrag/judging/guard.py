"""What plain code holds against a verdict that something is borne out.

A model misses changed numbers, units and negations, and can be led by a confident tone or by an
order hidden in a passage. So a claim that a judge calls supported is read against the very words
that the judge says it rests on: they stand there, they bear out every value and negation of the
claim, and the two speak of one subject. Nothing here proves a claim; it finds what is against it.
"""

import re
from collections.abc import Sequence

from evalrag.judging.fence import seen
from evalrag.judging.offline import label_claims
from evalrag.judging.quoted import around, missing, parts
from evalrag.judging.statement import (
    Statement,
    borne_out,
    denied,
    foreign,
    has,
    rivals,
    short,
    statement,
    verbatim,
)
from evalrag.judging.suspicion import evidence, speaks
from evalrag.schema.words import Label
from evalrag.text import Token, sentences

GUARD = "guard/4"
"""The version of these checks. Another version makes verdicts not comparable."""

_COUNTED = 12
"""A bare count up to this may count what the words list."""
_MANY = 3
"""Sentences beyond which a quote is narrowed to those that share most with the claim."""
_ADDRESSES = ("url", "email")
_UNTRUE = re.compile(
    r"(?:(?:however|but|sadly|unfortunately|actually|sorry|in fact),? )?"
    r"(?:(?:this|that|it|which|the above)\b.{0,40}\b(?:wrong|false|incorrect|untrue|outdated"
    r"|mistaken|no longer\b.{0,20}|not(?: \w+){0,2} (?:true|right|correct|(?:the )?case|valid|apply"
    r"|anymore|any more))\b|(?:not (?:true|any ?more|any longer)|wrong|false|untrue)\b)(?! that)",
    re.IGNORECASE | re.DOTALL,
)
"""A sentence that takes back the one before it."""


def doubt(text: str, quote: str | None, texts: Sequence[str], question: str = "") -> str | None:
    """Why `text` is not borne out by what a judge rests it on; None where nothing stands against.

    Args:
        text: the claim, or the fact, that a judge calls supported or stated.
        quote: the words that it quotes, pieces joined by an ellipsis; None where it never quotes,
            and then everything in `texts` is looked at.
        texts: the passages, or the answer. A sentence that speaks to a judge bears nothing out, and
            support by a text that holds one does not win over others.
        question: what was asked, with the turns before it: what it states counts as given.
    """
    proofs = [evidence(one) for one in texts]
    if quote is not None and not parts(quote):
        return "no words are quoted that it rests on"
    if quote is not None and (gone := missing(quote, proofs)) is not None:
        where = "do not stand there" if missing(gone, texts) else "stand in words to the judge"
        return f"the quoted words {short(gone)!r} {where}"
    claim = statement(seen(text))
    found = [_Rest(proof, quote, claim) for proof in proofs]
    rests = [one for one in found if one.held]
    held = [one for rest in rests for one in rest.held]
    if not held:
        return "nothing that was given says it"
    if taken := next((rest.taken_back for rest in rests if rest.taken_back), None):
        return f"the next sentence takes it back: {short(taken)!r}"
    resting = [one for rest, one in zip(found, texts, strict=True) if rest.bears(claim)]
    resting = resting or [one for rest, one in zip(found, texts, strict=True) if rest.held]
    if all(map(speaks, resting)):
        clean = [one for one in texts if not speaks(one)]
        if clean and (why := proven_otherwise(text, clean, question)):
            return why
    stated = [one for rest in rests for one in rest.all]
    if all(verbatim(statement(one.text), stated) for one in sentences(claim.text)):
        return None
    return (
        _values(claim, held, rests, question)
        or denied(claim, held)
        or _subject(claim, rests, question)
        or proven_otherwise(text, resting, question)
    )


def proven_otherwise(text: str, texts: Sequence[str], question: str = "") -> str | None:
    """What in `texts` contradicts `text`, by rules that say so only where they can prove it."""
    (found,) = label_claims(question, [evidence(one) for one in texts], (seen(text),))
    if found.label is not Label.CONTRADICTED:
        return None
    return f"other words say otherwise: {short(found.quote or found.reason)!r}"


class _Rest:
    """What one text gives for a claim: the sentences quoted of it, and all of them."""

    def __init__(self, proof: str, quote: str | None, claim: Statement) -> None:
        cut = sentences(proof)
        self.all = [statement(one.text) for one in cut]
        places = range(len(cut)) if quote is None else around(quote, proof)
        kept = _nearest(claim, self.all, list(places)) if len(places) > _MANY else list(places)
        self.held = [self.all[n] for n in kept]
        beside = {0, *kept, *(n - 1 for n in kept if n)}
        self.near = [self.all[n] for n in sorted(beside)] if kept else []
        behind = [self.all[n + 1].text for n in kept if n + 1 < len(cut)]
        self.taken_back = next((one for one in behind if _UNTRUE.match(one)), None)

    def bears(self, claim: Statement) -> bool:
        """Does what is quoted of it say every value of the claim?"""
        return bool(self.held) and all(
            any(has(one, token) for one in self.held) for token in claim.values
        )


def _nearest(claim: Statement, said: Sequence[Statement], places: list[int]) -> list[int]:
    """Of a quote that runs over many sentences, those that share most with the claim.

    A whole passage is no quote: words of one sentence and a figure of another bear nothing out.
    """
    shared = {n: len(claim.words & said[n].words) for n in places}
    most = max(shared.values())
    if not most:
        return [n for n in places if any(has(said[n], one) for one in claim.values)] or places
    return [n for n in places if shared[n] and shared[n] >= most - 1]


def _values(
    claim: Statement, held: Sequence[Statement], rests: Sequence[_Rest], question: str
) -> str | None:
    """The first value of the claim that its words do not bear out."""
    stated, asked = _given(question)
    for token in claim.values:
        why = borne_out(claim, token, held)
        if why is None:
            why = _nearer(claim, token, rests)
        elif any(has(one, token) for one in stated) or _harmless(claim, token, rests, held, asked):
            why = None
        if why is not None:
            return why
    return None


def _given(question: str) -> tuple[list[Statement], list[Statement]]:
    """What a question states ("I paid 450 euros."), and what it asks ("Is it 14 days?")."""
    cut = [statement(one.text) for one in sentences(seen(question))]
    return [one for one in cut if not one.text.endswith("?")], cut


def _harmless(
    claim: Statement,
    token: Token,
    rests: Sequence[_Rest],
    held: Sequence[Statement],
    asked: Sequence[Statement],
) -> bool:
    """A count of what is listed, a figure of the question, an address: where no other is said."""
    assert token.value is not None
    value = token.value
    if value.kind in _ADDRESSES:
        everything = [one for rest in rests for one in rest.all]
        same = any(has(one, token) for one in everything)
        return same or not any(
            other.value and other.value.kind == value.kind
            for one in everything
            for other in one.values
        )
    if rivals(token, held, claim):
        return False
    if any(has(one, token) for one in asked):
        return True
    if value.kind in ("code", "version"):
        return any(has(one, token) for rest in rests for one in rest.all)
    counts = value.kind in ("number", "ordinal") and value.high is None and not value.bound
    return counts and value.amount is not None and 0 < value.amount <= _COUNTED


def _nearer(claim: Statement, token: Token, rests: Sequence[_Rest]) -> str | None:
    """A sentence of the same passage, nearer to the claim than those with its value, says another.

    Nearer: it has all words of the claim that they have, and more. So a voucher's 45 euros bear
    out no charge for the stairs, where the charge stands beside it.
    """
    for rest in rests:
        bearing = [one for one in rest.held if has(one, token)]
        if not bearing:
            continue
        for other in rest.all:
            if has(other, token) or not (found := rivals(token, [other], claim)):
                continue
            mine = claim.words & other.words
            if all(claim.words & one.words < mine for one in bearing):
                said = other.written(found[0])
                return f"words nearer to it say {said!r}: {short(other.text)!r}"
    return None


def _subject(claim: Statement, rests: Sequence[_Rest], question: str) -> str | None:
    """Claim and quote share their names and most content words, or speak of two things."""
    near = [one for rest in rests for one in rest.near]
    if not claim.words or foreign(claim) or any(map(foreign, near)):
        return None
    known = frozenset[str]().union(*(one.stems for rest in rests for one in rest.all))
    asked = frozenset[str]().union(*(one.stems for one in _given(question)[1]))
    if strange := sorted(claim.names - known - asked):
        return f"those words do not speak of {', '.join(map(repr, strange))}"
    about = frozenset[str]().union(*(one.stems for one in near))
    if 2 * len(claim.words & about) < len(claim.words):
        return f"those words speak of something else: {short(near[-1].text)!r}"
    return None
