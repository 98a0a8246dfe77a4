"""Whether the claims that a judge found are what the answer says: all of it, and nothing else.

A judge that is led can let a wrong figure pass without a false label: it leaves it out, takes it
for a courtesy, puts the context's figure in its place, fills its list with claims that nobody made,
or calls the whole answer a decline.
"""

from collections.abc import Iterator, Sequence

from evalrag.judging.claims import claims_of
from evalrag.judging.fence import seen
from evalrag.judging.guard import proven_otherwise
from evalrag.judging.statement import (
    Statement,
    borne_out,
    denied,
    foreign,
    has,
    rivals,
    short,
    statement,
)
from evalrag.judging.suspicion import evidence, speaks
from evalrag.schema.result import Claim
from evalrag.schema.words import Form, Label
from evalrag.text import Token, sentences

_COUNTED = 12
"""A bare count up to this may count what the answer lists."""


def unsaid(text: str, question: str, answer: str) -> str | None:
    """Why a claim that a judge found is none of the answer's; None where it may be one.

    A judge that puts the context's figure into the answer's mouth would find it supported.
    """
    if speaks(text):
        return "it speaks to a judge, and states nothing"
    claim = statement(seen(text))
    told = [statement(one.text) for one in sentences(evidence(answer))]
    asked = [statement(one.text) for one in sentences(seen(question))]
    for token in claim.values:
        why = borne_out(claim, token, told)
        given = any(has(one, token) for one in asked) and not rivals(token, told, claim)
        given = given or any(_part(one, token) for one in told)
        if why is not None and not given and not _counts(token):
            return f"the answer does not say so: {why}"
    if why := denied(claim, told):
        return f"the answer does not say so: {why}"
    if foreign(claim) or any(map(foreign, told)):
        return None
    own = frozenset[str]().union(*(one.stems for one in told))
    known = own.union(*(one.stems for one in asked))
    if any(has(one, token) or _part(one, token) for one in told for token in claim.values):
        return None
    short_answer = not any(one.words or one.values for one in told)  # "Yes."
    words = claim.words or claim.stems
    if not (words & own or short_answer) or 2 * len(words & known) < len(words):
        return "the answer says nothing of the kind"
    return None


def unclaimed(
    question: str, answer: str, claims: Sequence[Claim], context: Sequence[str]
) -> list[tuple[str, str]]:
    """Statements of the answer that should stand among its claims and do not, and why.

    A statement is missed where no claim speaks of a value of it, or no claims speak of most of its
    words; and where rules prove that the context says otherwise, while all claims on its subject
    are called supported.
    """
    told = [(claim, statement(seen(claim.text))) for claim in claims]
    everything = [one for _, one in told]
    found: list[tuple[str, str]] = []
    stated = list(_statements(question, answer))
    for one in stated:
        others = [other for other in stated if other is not one]
        about = [(claim, other) for claim, other in told if _one_subject(one, other)]
        why = _left_out(one, others, [other for _, other in about], everything)
        if about and all(denied(one, [other]) for _, other in about):
            why = why or "the claims on it say the opposite"
        if why is None and all(claim.label is Label.SUPPORTED for claim, _ in about):
            why = proven_otherwise(one.text, context, question)
        if why is not None:
            found.append((one.text, why))
    return list(dict.fromkeys(found))


def repeated(claims: Sequence[Claim]) -> frozenset[int]:
    """Places of claims that only say again what an earlier one with the same label says.

    Twenty of them outvote nothing.
    """
    known: set[tuple[object, ...]] = set()
    found = set()
    for place, claim in enumerate(claims):
        key = (claim.label, *statement(seen(claim.text)).key)
        if key in known:
            found.add(place)
        known.add(key)
    return frozenset(found)


def another_form(form: Form, question: str, answer: str) -> str | None:
    """Why an answer is not of the form that a judge says it has; None where it may be."""
    if form is Form.DECLINED:
        for one in _statements(question, answer):
            asked = statement(seen(question))
            stated = len(one.words) >= 2 and not foreign(one)
            if stated or any(not has(asked, token) for token in one.values):
                return f"it says {short(one.text)!r}, which declines nothing"
    if form is Form.CLARIFIES and "?" not in answer and "\uff1f" not in answer:
        return "it asks nothing back"
    if form is Form.CORRECTS:
        told = [statement(one.text) for one in sentences(seen(answer))]
        if not any(map(foreign, told)) and not any(
            clause.denies or clause.half for one in told for clause in one.clauses
        ):
            return "it denies nothing"
    return None


def _statements(question: str, answer: str) -> Iterator[Statement]:
    """What the answer states, and its headings: they may state something too."""
    text = seen(answer)
    for said in claims_of(question, text):
        if not said.denial:
            yield statement(said.text)
    for one in sentences(text):
        if one.heading:
            yield statement(one.text)


def _left_out(
    one: Statement,
    others: Sequence[Statement],
    about: Sequence[Statement],
    everything: Sequence[Statement],
) -> str | None:
    """What of a statement no claim speaks of.

    A claim on another subject counts for a value that no other statement has.
    """
    for token in one.values:
        assert token.value is not None
        listed = token.value.kind in ("url", "email") or _counts(token)
        claims = about if any(has(other, token) for other in others) else everything
        spoken = any(has(claim, token) or _part(claim, token) for claim in claims)
        if not listed and not spoken:
            return f"no claim speaks of {one.written(token)!r}"
    words = one.words
    covered = frozenset[str]().union(*(claim.stems for claim in about or everything))
    if len(words) >= 3 and 5 * len(words & covered) < 2 * len(words) and not foreign(one):
        return f"no claim says {short(one.text)!r}"
    return None


def _part(one: Statement, token: Token) -> bool:
    """Does it say the bare figure: "30" of "30 days"?"""
    number = token.value.number if token.value else None
    return number is not None and any(
        other.value is not None and other.value.kind == "number" and other.value.amount == number
        for other in one.values
    )


def _counts(token: Token) -> bool:
    value = token.value
    return (
        value is not None
        and value.kind in ("number", "ordinal")
        and not value.bound
        and value.amount is not None
        and 0 < value.amount <= _COUNTED
    )


def _one_subject(one: Statement, claim: Statement) -> bool:
    """Do they share words enough to be about one thing? What has no words may be about any."""
    fewer = min(len(one.words), len(claim.words))
    return 5 * len(one.words & claim.words) >= 2 * fewer
