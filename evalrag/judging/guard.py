"""What plain code holds against a verdict that something is borne out.

A model misses changed numbers, units and negations, and can be led by a confident tone or by an
order hidden in a passage. So a claim that a judge calls supported is read against the very words
that the judge says it rests on.
"""

from collections.abc import Iterable, Sequence

from evalrag.judging import dates, quantities
from evalrag.judging.claims import claims_of
from evalrag.judging.evidence_text import Source, Sources, reading
from evalrag.judging.lexicon import CONDITIONS, EXCEPTIONS, LIMITING, NEGATORS
from evalrag.judging.offline_rules import Finding, compare
from evalrag.judging.quantities import Quantity
from evalrag.judging.quoted import around, missing, places
from evalrag.judging.reading import Reading
from evalrag.judging.stems import stemmed
from evalrag.schema.words import Label

GUARD = "guard/1"
"""The version of these checks. Another version makes verdicts not comparable."""

_COUNTED = 12
"""A bare count up to this may count what the context lists."""

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

    Args:
        text: the claim, or the fact, that a judge calls supported or stated.
        quote: the words that it quotes, pieces joined by an ellipsis; None where it never quotes,
            and then everything in `texts` is looked at.
        texts: the passages, or the answer.
        question: a figure that only repeats the question's is no new figure.
    """
    if quote is None:
        held = list(texts)
    elif not quote.strip():
        return "no words are quoted that it rests on"
    else:
        gone = missing(quote, texts)
        if gone is not None:
            return f"the quoted words {_short(gone)!r} do not stand there"
        held = [one for text_ in texts for one in around(quote, text_)]
    if places(text, texts):
        return None  # it stands there word for word
    claim = reading(text)
    sources = Sources(held)
    return _value(claim, sources, reading(question)) or _statement(claim, sources)


def unclaimed(question: str, answer: str, claims: Iterable[str]) -> list[tuple[str, str]]:
    """Statements of the answer with a figure or a date that no claim speaks of, and which it is.

    A judge that leaves the wrong figure out of its claims would pass the rest.
    """
    told = [reading(claim) for claim in claims]
    amounts = [q for one in told for q in one.quantities]
    moments = [m for one in told for m in one.moments]
    found: list[tuple[str, str]] = []
    for said in claims_of(question, answer):
        if said.denial:
            continue
        for item in reading(said.text).items:
            size, moment = item.quantity, item.moment
            known = (
                any(quantities.equal(size, q) or q.said == size.said for q in amounts)
                if size is not None
                else moment is None or any(dates.clash(moment, m) is None for m in moments)
            )
            if not known and not (size is not None and size.plain and size.value <= 1):
                found.append((said.text, f"no claim speaks of {item.text!r}"))
                break
    return found


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
    said = [other.said for other in rivals]
    beside = f", which say {' and '.join(map(repr, said[:2]))}" if said else ""
    return f"{claim.said!r} is not borne out by those words{beside}"


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
