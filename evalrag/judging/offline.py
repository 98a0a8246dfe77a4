"""The offline judge's labels: claims and facts against sentences, by rules alone.

It flags changed numbers, units, dates, names and negations in English answers close to their
context's wording, and says UNRESOLVED for the rest. It does not replace a model judge: role swaps
(A bought B), two subjects in one sentence, passives, arithmetic, synonyms, coreference and other
languages are beyond it.
"""

from collections.abc import Sequence
from dataclasses import replace

from evalrag.judging.claims import claims_of
from evalrag.judging.evidence_text import Source, Sources, reading, verbatim
from evalrag.judging.language import NOT_ENGLISH, english, may_be_english
from evalrag.judging.offline_absence import absence
from evalrag.judging.offline_fragments import fragment, is_fragment
from evalrag.judging.offline_named import named
from evalrag.judging.offline_rules import Finding, compare
from evalrag.judging.offline_subjects import About, antecedents, tied
from evalrag.judging.phrases import bare
from evalrag.judging.reading import LONGEST, Reading
from evalrag.schema.result import Claim, FactVerdict
from evalrag.schema.words import FactLabel, Label

RULES = "offline-rules/1"
"""The judge's name and the version of its rules."""

_CLOSE = 0.4
"""Share of a claim that the nearest sentence must have to be quoted for an open claim."""

Held = tuple[Finding, Source]

OFFERS = frozenset(
    {
        "faithfulness",
        "absent_claims",
        "contradicted_claims",
        "hard_fail",
        "answer_form",
        "answer_correctness",
        "claim_recall",
    }
)

_OF_VALUES = frozenset({"quantity", "unit", "rate", "bound", "date", "identifier"})
"""Codes of what contradicts in any language: a figure, in the place of another."""

_CONTEXT = " in the context"
_FACT = {
    Label.SUPPORTED: FactLabel.STATED,
    Label.ABSENT: FactLabel.MISSING,
    Label.CONTRADICTED: FactLabel.CONTRADICTED,
    Label.UNRESOLVED: FactLabel.UNRESOLVED,
}


def judge_claims(question: str, context: Sequence[str], answer: str) -> tuple[Claim, ...]:
    """Every claim of the answer, `c1`, `c2` ..., each with its label and what it rests on."""
    sources = Sources(context)
    readable = english(answer)
    judged: dict[tuple[str, About], Claim] = {}
    found: list[Claim] = []
    told = claims_of(question, answer)
    for said, about in zip(told, antecedents(question, (s.text for s in told)), strict=True):
        claim = judged.get((said.text, about))
        if claim is None:
            claim = judge_claim("", said.text, question, sources, readable=readable, about=about)
            judged[said.text, about] = claim
        if not said.denial or claim.label is Label.CONTRADICTED:
            found.append(claim.model_copy(update={"id": f"c{len(found) + 1}"}))
    return tuple(found)


def label_claims(question: str, context: Sequence[str], claims: Sequence[str]) -> tuple[Claim, ...]:
    """A label for each of these claims, in their order."""
    sources = Sources(context)
    readable = all(map(may_be_english, claims))
    told = zip(claims, antecedents(question, claims), strict=True)
    return tuple(
        judge_claim(f"c{number}", text, question, sources, readable=readable, about=about)
        for number, (text, about) in enumerate(told, start=1)
    )


def state_facts(question: str, facts: Sequence[str], answer: str) -> tuple[FactVerdict, ...]:
    """Which of the facts the answer states, where they stand in the same words.

    A short answer ("30 days.") is read behind its question, and the pronoun that an answer begins
    with for the one name that its question has. Where that is not sure, "It includes five seats."
    leaves open whose seats, and misses nothing.
    """
    readable = english(answer)
    told: list[str] = []
    claims = claims_of(question, answer)
    for said in claims:
        short = is_fragment(reading(said.text))
        told.append(f"{question.rstrip(' ?')} {said.text}" if short else said.text)
    first = claims[0].text if claims and answer.lstrip().startswith(claims[0].text) else ""
    sources = Sources(told)
    found: list[FactVerdict] = []
    for fact in facts:
        spelled = named(question, fact, first)
        behind = sources if spelled is None else Sources([spelled, *told[1:]])
        found.append(_fact(fact, behind, question, readable=readable))
    return tuple(found)


def recall_facts(facts: Sequence[str], context: Sequence[str]) -> tuple[FactVerdict, ...]:
    """Which of the facts the context supports."""
    sources = Sources(context)
    return tuple(_fact(fact, sources) for fact in facts)


def _fact(
    fact: str, sources: Sources, question: str | None = None, *, readable: bool = True
) -> FactVerdict:
    in_answer = question is not None
    claim = judge_claim(
        "f", fact, question or "", sources, by_words=not in_answer, readable=readable
    )
    reason = claim.reason
    if in_answer and reason.endswith(_CONTEXT):  # an answer is what it was held against
        reason = f"{reason.removesuffix(_CONTEXT)} in the answer"
    return FactVerdict(fact=fact, label=_FACT[claim.label], reason=reason)


def judge_claim(
    name: str,
    text: str,
    question: str,
    sources: Sources,
    *,
    by_words: bool = True,
    readable: bool = True,
    about: About = None,
) -> Claim:
    """Support wins and conflict is kept; then a contradiction, then proof of absence.

    Args:
        name: the id of the claim.
        text: the claim.
        question: what was asked.
        sources: where the claim should stand.
        by_words: whether few common words are proof of absence.
        readable: whether all that the claim was taken from is English enough for rules. Where it
            or the claim is not, or a passage is in another language, words prove nothing: the
            same sentence supports, another figure in the same place contradicts, and nothing is
            proven absent.
        about: what the pronoun stands for that the claim begins with. A sentence that does not
            speak of it contradicts nothing: "They cannot be renewed", said of films, stands beside
            "Books can be renewed".
    """
    readable = readable and may_be_english(text)
    told = bare(text)
    claim = reading(told)
    if not claim.items or len(claim.items) > LONGEST:
        reason = "too little or too much to lay on a sentence"
        return _open(name, text, Finding(Label.UNRESOLVED, "low-overlap", 0.0), reason)
    held = _held(claim, question, sources)
    exact = sources.verbatim.get(verbatim(reading(text))) or sources.verbatim.get(
        verbatim(claim), []
    )
    stands = Finding(Label.SUPPORTED, "", 1.0)
    pro = [(stands, source) for source in exact]
    con: list[Held] = []
    rest: list[Held] = []
    for finding, source in held:
        if source in exact:
            continue
        worded = readable and source.passage not in sources.foreign
        if finding.label is Label.SUPPORTED and worded:
            pro.append((finding, source))
        elif finding.label is Label.CONTRADICTED and (worded or finding.code in _OF_VALUES):
            if tied(about, source):
                con.append((finding, source))
            else:
                rest.append((replace(finding, label=Label.UNRESOLVED, apart=True), source))
        elif finding.label is Label.UNRESOLVED:
            rest.append((finding, source))
    if pro:
        passages = _passages(pro)
        return Claim(
            id=name,
            text=text,
            label=Label.SUPPORTED,
            reason="stands in the context in the same words",
            quote=pro[0][1].reading.text,
            passages=passages,
            conflict=tuple(p for p in _passages(con) if p not in passages),
        )
    if con:
        return _contradicted(name, text, con, rest)
    if readable and not sources.foreign:
        why = absence(claim, question, sources, by_words=by_words)
        if why is not None:
            return Claim(id=name, text=text, label=Label.ABSENT, code=why[0], reason=why[1])
    best = max(rest, key=lambda pair: pair[0].shared, default=None)
    if readable and best is not None and best[0].shared >= _CLOSE:
        return _open(name, text, best[0], _words(best[0]), best[1])
    reason = "no sentence of the context is close enough in words"
    if not readable or sources.foreign:
        reason = f"{NOT_ENGLISH}: no word of it is proof"
    return _open(name, text, Finding(Label.UNRESOLVED, "low-overlap", 0.0), reason)


def _held(claim: Reading, question: str, sources: Sources) -> list[Held]:
    """What each near sentence says of the claim."""
    if not is_fragment(claim):
        return [(compare(claim, s.reading, s.topic), s) for s in sources.near(claim)]
    asked = reading(question)
    found = [
        (fragment(claim, asked, source.reading), source)
        for source in sources.near(reading(f"{question} {claim.text}"))
    ]
    return [(finding, source) for finding, source in found if finding is not None]


def _contradicted(name: str, text: str, con: Sequence[Held], rest: Sequence[Held]) -> Claim:
    """Contradicted, unless a sentence that is closer in words, and clashes in none, is open."""
    found, source = max(con, key=lambda pair: pair[0].shared)
    if any(other.shared > found.shared and not other.mine for other, _ in rest):
        return _open(name, text, found, _words(found), source)
    return Claim(
        id=name,
        text=text,
        label=Label.CONTRADICTED,
        code=found.code,
        reason=_words(found),
        quote=source.reading.text,
        passages=_passages(con),
    )


def _open(name: str, text: str, found: Finding, reason: str, source: Source | None = None) -> Claim:
    return Claim(
        id=name,
        text=text,
        label=Label.UNRESOLVED,
        code=found.code,
        reason=reason,
        quote=source.reading.text if source is not None else None,
    )


def _passages(found: Sequence[Held]) -> tuple[int, ...]:
    return tuple(sorted({source.passage for _, source in found}))


def _words(found: Finding) -> str:
    said = found.code
    if found.mine or found.theirs:
        said = f"{found.code}: {found.mine!r} here, {found.theirs!r}{_CONTEXT}"
    return f"{said}; that may be another subject than the pronoun's" if found.apart else said
