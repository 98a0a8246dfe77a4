"""What plain code holds against a verdict that something is borne out.

A model misses changed numbers, units and negations, and can be led by a confident tone or by an
order hidden in a passage. So a claim that a judge calls supported is read against the very words
that the judge says it rests on.
"""

from collections.abc import Sequence

from evalrag.judging import dates, quantities
from evalrag.judging.evidence_text import Source, Sources, reading, sources_of, verbatim
from evalrag.judging.fence import seen
from evalrag.judging.lexicon import CONDITIONS, EXCEPTIONS, LIMITING, NEGATORS
from evalrag.judging.offline import judge_claim
from evalrag.judging.offline_rules import Finding, compare
from evalrag.judging.phrases import bare
from evalrag.judging.quantities import Quantity
from evalrag.judging.quoted import around, missing, parts, places, whole
from evalrag.judging.reading import LONGEST, Reading
from evalrag.judging.sentences import sentences
from evalrag.judging.stems import stemmed
from evalrag.judging.suspicion import evidence, speaks
from evalrag.schema.words import Label

GUARD = "guard/3"
"""The version of these checks. Another version makes verdicts not comparable."""

_COUNTED = 12
"""A bare count up to this may count what the context lists."""

_PARTS = frozenset({",", ";", ":", "(", ")", "-", "—", "and", "but", "or", "while", "because"})

_CLOSE = 0.4
"""Share of a claim that a sentence must have before its denial is held against the claim."""

_NEGATIVE = stemmed(
    """
    exclude excluded exempt refuse refused reject rejected decline declined deny denied forbid
    forbidden prohibit prohibited ban banned void lack lacking absent stop stopped end ended cancel
    cancelled fail failed prevent avoid expire expired closed unavailable impossible ineligible
    invalid lose lost free
    """
)


def doubt(text: str, quote: str | None, texts: Sequence[str], question: str = "") -> str | None:
    """Why `text` is not borne out by what a judge rests it on; None where nothing stands against.

    Words that speak to a judge bear nothing out. Elsewhere support wins, but not the support of a
    passage that speaks to a judge: there, any conflict counts.

    Args:
        text: the claim, or the fact, that a judge calls supported or stated.
        quote: the words that it quotes, pieces joined by an ellipsis; None where it never quotes,
            and then everything in `texts` is looked at.
        texts: the passages, or the answer.
        question: a figure that only repeats the question's is no new figure.
    """
    proofs = [evidence(one) for one in texts]
    if quote is None:
        held = proofs
    elif not parts(quote):
        return "no words are quoted that it rests on"
    else:
        gone = missing(quote, proofs)
        if gone is not None:
            where = "do not stand there" if missing(gone, texts) else "stand in words to the judge"
            return f"the quoted words {_short(gone)!r} {where}"
        held = [one for proof in proofs for one in around(quote, proof)]
    clean = [not speaks(one) for one in texts]
    standing = [clean[place - 1] for place in whole(text, proofs)]
    if any(standing):
        return None  # it is a sentence of theirs, word for word
    claim = reading(seen(text))
    sources = Sources(held)
    if not standing:
        why = _value(claim, sources, reading(question)) or _statement(claim, sources)
        why = why or _behind_a_denial(claim, sources)
        if why is not None:
            return why
    resting = places(quote, proofs) if quote is not None else range(1, len(proofs) + 1)
    led = not all(clean) and not any(clean[place - 1] for place in resting)
    if led or quote is None or not _near(claim, sources):
        return opposed(text, texts, question)
    return None


def opposed(text: str, texts: Sequence[str], question: str = "") -> str | None:
    """What in `texts` says otherwise than `text` and is not outvoted; None where nothing does.

    Rules find it, which say so only where they can prove it.
    """
    proofs = [evidence(one) for one in texts]
    clean = [proof for proof, raw in zip(proofs, texts, strict=True) if not speaks(raw)]
    if _stands(seen(text), clean):
        return None
    found = judge_claim("c", seen(text), question, sources_of(tuple(clean)))
    if found.label is Label.SUPPORTED:
        return None
    if found.label is Label.CONTRADICTED:
        return f"other words say otherwise: {_short(found.quote or '')!r}"
    if len(clean) == len(proofs):
        return None
    claim, sources = reading(bare(seen(text))), sources_of(tuple(proofs))
    for source in sources.near(claim):
        if compare(claim, source.reading, source.topic).label is Label.CONTRADICTED:
            return f"other words say otherwise: {_short(source.reading.text)!r}"
    return None


def _stands(text: str, proofs: Sequence[str]) -> bool:
    """Is it, letter for letter, a sentence of one of them? The rules support it, unread."""
    if not any(text in proof for proof in proofs):
        return False
    short = 1 <= len(reading(bare(text)).items) <= LONGEST >= len(reading(text).items)
    return short and any(text == one.text for proof in proofs for one in sentences(proof))


def _near(claim: Reading, sources: Sources) -> bool:
    return any(compare(claim, s.reading, s.topic).shared >= _CLOSE for s in sources.all)


def _value(claim: Reading, sources: Sources, question: Reading) -> str | None:
    for item in claim.items:
        if item.quantity is not None:
            why = _quantity(item.quantity, sources, question)
            if why is not None:
                return why
        moment = item.moment
        if moment is not None:
            rivals = [m for m in sources.moments if m.kind == moment.kind]
            if any(_agrees(dates.clash(moment, other)) for other in rivals):
                continue
            if moment.year is not None and str(moment.year) in sources.lows and not rivals:
                continue
            asked = any(dates.clash(moment, m) is None for m in question.moments)
            if rivals or not asked:
                return f"{item.text!r} does not stand in those words"
        if item.kind == "id" and item.key not in sources.words | question.words:
            return f"{item.text!r} does not stand in those words"
    return None


def _quantity(claim: Quantity, sources: Sources, question: Reading) -> str | None:
    rivals = [q for q in sources.quantities if quantities.comparable(claim, q)]
    if any(_agrees(quantities.clash(claim, other)) for other in rivals):
        return None
    if claim.plain and any(_figure(claim) == _figure(other) for other in sources.quantities):
        return None  # "capped at 18" for "up to 18 days"
    if claim.plain and claim.value <= _COUNTED and not rivals:
        return None  # it may count what is listed
    if not rivals and any(quantities.equal(claim, q) for q in question.quantities):
        return None
    said = [other.written for other in rivals]
    beside = f", which say {' and '.join(map(repr, said[:2]))}" if said else ""
    return f"{claim.written!r} is not borne out by those words{beside}"


def _figure(quantity: Quantity) -> float | str:
    return quantity.value if quantity.plain else quantity.said.split()[0]


def _agrees(clash: str | None) -> bool:
    return clash is None or clash.startswith("?")


def _statement(claim: Reading, sources: Sources) -> str | None:
    """A hard conflict, or a negation, with every sentence that it rests on."""
    found = [(compare(claim, source.reading, source.topic), source) for source in sources.all]
    if any(finding.label is Label.SUPPORTED for finding, _ in found):
        return None
    for finding, source in found:
        if finding.label is Label.CONTRADICTED:
            return f"{_conflict(finding)}: {_short(source.reading.text)!r}"
    near = [pair for pair in found if pair[0].shared >= _CLOSE]
    if near and all(finding.code == "negation" for finding, _ in near):
        return f"one of the two denies what the other says: {_short(near[0][1].reading.text)!r}"
    if found and _denies(claim) and not any(_denies(s.reading) or _negative(s) for _, s in found):
        return "it denies something, and those words deny nothing"
    return None


def _behind_a_denial(claim: Reading, sources: Sources) -> str | None:
    """The claim's own words, behind a word that denies them: "under no condition ..."."""
    words = verbatim(claim)
    for source in sources.all:
        lows = source.reading.lows
        for at in range(1, len(lows) - len(words) + 1):
            if words and lows[at : at + len(words)] == words and NEGATORS & set(_clause(lows[:at])):
                return f"those words deny it: {_short(source.reading.text)!r}"
    return None


def _clause(lows: Sequence[str]) -> Sequence[str]:
    """The end of some words that belongs to one clause."""
    cut = max((at for at, low in enumerate(lows) if low in _PARTS), default=-1)
    return lows[cut + 1 :]


def _conflict(finding: Finding) -> str:
    if finding.mine and finding.theirs:
        return f"it says {finding.mine!r} where those words say {finding.theirs!r}"
    return f"those words say otherwise ({finding.code})"


def _denies(one: Reading) -> bool:
    return bool(NEGATORS & set(one.lows))


def _negative(source: Source) -> bool:
    one = source.reading
    small = CONDITIONS | EXCEPTIONS | LIMITING | {"only"}
    return bool(small & set(one.lows)) or bool(_NEGATIVE & one.words)


def _short(text: str, limit: int = 120) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
