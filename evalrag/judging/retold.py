"""Whether the claims that a judge found are what the answer says: all of it, and nothing else.

A judge that is led can let a wrong figure pass without a false label: it leaves it out, takes it
for a courtesy, puts the context's figure in its place, or calls the whole answer a decline.
"""

import re
from collections.abc import Iterable, Sequence

from evalrag.judging import dates, quantities
from evalrag.judging.claims import claims_of
from evalrag.judging.evidence_text import Sources, reading
from evalrag.judging.fence import seen
from evalrag.judging.guard import opposed
from evalrag.judging.quantities import Quantity
from evalrag.judging.reading import Item, Reading
from evalrag.judging.sentences import sentences
from evalrag.judging.stems import listed
from evalrag.judging.suspicion import evidence, speaks
from evalrag.schema.result import Claim
from evalrag.schema.words import Label

_FIGURES = re.compile(r"\d+(?:[.,]\d+)*")

_COUNTED = 12
"""A bare count up to this may count what the answer lists."""

_SHARED = 0.4
"""Share of the words of the shorter one that two statements on one subject have in common."""

_SOME = 3
"""Content words under which a claim says too little to be held foreign to its answer."""

_ENGLISH = listed(
    """
    the of is are can cannot for with this that and to your you be by it from within at on
    many they their its these were has have not only which when
    """
)


def unsaid(claim: str, question: str, answer: str) -> str | None:
    """Why a claim that a judge found is none of the answer's; None where it may be one.

    A judge that puts the context's figure into the answer's mouth would find it supported.
    """
    if speaks(claim):
        return "it speaks to a judge, and states nothing"
    said = evidence(answer)
    why = opposed(claim, (said,), question)
    if why is not None:
        return f"the answer does not say so; {why}"
    told, told_in, asked = reading(seen(claim)), Sources([said]), reading(question)
    for size in told.quantities:
        counts = size.plain and size.value <= _COUNTED
        if not counts and not _among(size, (*told_in.quantities, *asked.quantities)):
            return f"the answer does not say {size.written!r}"
    moments = (*told_in.moments, *asked.moments)
    for moment in told.moments:
        kin = [other for other in moments if other.kind == moment.kind]
        if all(_differs(dates.clash(moment, other)) for other in kin):
            return "the answer does not say that date"
    foreign = not told.words & (told_in.words | asked.words)
    if foreign and len(told.words) >= _SOME and _english(told.lows) and _english(told_in.lows):
        return "the answer says nothing of the kind"
    return None


def unclaimed(
    question: str, answer: str, claims: Sequence[Claim], context: Sequence[str]
) -> list[tuple[str, str]]:
    """Statements of the answer that should stand among its claims and do not, and why.

    A judge that leaves the wrong figure out of its claims would pass the rest; so would one that
    words it in another way, or takes it for a courtesy. A statement is missed where no claim on
    its subject speaks of a figure or a date of it, or where the context says otherwise and all
    claims on its subject are called supported.
    """
    told = [(claim, reading(seen(claim.text))) for claim in claims]
    stated = [(reading(text), heading) for text, heading in _statements(question, answer)]
    found: list[tuple[str, str]] = []
    for one, heading in stated:
        about = [(claim, other) for claim, other in told if _one_subject(one, other)]
        others = [other for other, _ in stated if other is not one]
        why = None
        if not heading:
            why = _left_out(one, others, [r for _, r in about], [r for _, r in told])
        if why is None and all(claim.label is Label.SUPPORTED for claim, _ in about):
            why = opposed(one.text, context, question)
        if why is not None:
            found.append((one.text, why))
    return list(dict.fromkeys(found))


def answers_all_the_same(question: str, answer: str) -> str | None:
    """Why an answer that a judge calls a decline is none; None where it may be one."""
    asked = set(_FIGURES.findall(question))
    for said in claims_of(question, seen(answer)):
        one = reading(said.text)
        stated = len(one.words) >= 2 and _english(one.lows)
        if stated or set(_FIGURES.findall(said.text)) - asked:
            return f"it says {_short(said.text)!r}, which declines nothing"
    return None


def _statements(question: str, answer: str) -> list[tuple[str, bool]]:
    """What the answer states, and its headings: they may state something too."""
    text = seen(answer)
    told = [(said.text, False) for said in claims_of(question, text) if not said.denial]
    return told + [(one.text, True) for one in sentences(text) if one.heading]


def _left_out(
    said: Reading, others: Sequence[Reading], about: Sequence[Reading], told: Sequence[Reading]
) -> str | None:
    """What no claim speaks of. One on another subject counts where nothing else it could mean."""
    for item in said.items:
        size = item.quantity
        if not item.value or (size is not None and size.plain and size.value <= 1):
            continue
        claims = about if any(_has(other, item) for other in others) else told
        if not any(_has(claim, item) for claim in claims):
            return f"no claim speaks of {item.text!r}"
    return None


def _has(one: Reading, item: Item) -> bool:
    """Does it speak of the same figure or date? Any other word is not looked for."""
    size, moment = item.quantity, item.moment
    if size is not None:
        figure = size.said.split()[:1] if size.plain else [size.said]  # "30" of "30 days"
        return any(
            quantities.equal(size, q) or figure in ([q.said], q.said.split()[:1])
            for q in one.quantities
        )
    return moment is None or any(dates.clash(moment, m) is None for m in one.moments)


def _one_subject(said: Reading, claim: Reading) -> bool:
    """Do they share words enough to be about one thing? What has no words may be about any."""
    fewer = min(len(said.words), len(claim.words))
    return len(said.words & claim.words) >= _SHARED * fewer


def _english(lows: Iterable[str]) -> bool:
    """Rules cannot tell whether a claim in one language is what an answer in another says."""
    return len(_ENGLISH & set(lows)) >= 2


def _among(size: Quantity, others: Iterable[Quantity]) -> bool:
    """The same size, or the same figure of something else: `18` for `18 days`."""
    figure = _figure(size)
    return any(quantities.equal(size, other) or _figure(other) == figure for other in others)


def _figure(size: Quantity) -> str:
    return next((word for word in size.said.split() if word[0].isalnum()), size.said)


def _differs(clash: str | None) -> bool:
    return clash is not None and not clash.startswith("?")


def _short(text: str, limit: int = 120) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
