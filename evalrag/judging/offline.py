"""The offline judge: a label needs proof, and everything else is UNRESOLVED.

It replaces no model. It proves that a claim is a sentence of the context, that it is one but for
another value or an opposite word in one place, or that a figure of it stands nowhere. Reworded
answers stay open: a row's `answer_contains` and `answer_excludes` decide those.
"""

from collections.abc import Iterable, Sequence

from evalrag.judging.claims import claims_of, items_of
from evalrag.judging.proofs import (
    Clash,
    absent,
    clash,
    elsewhere,
    english,
    foreign,
    other_rate,
    rivals,
    share,
)
from evalrag.judging.rule_words import listed
from evalrag.judging.short_answers import completed, is_short, polar
from evalrag.judging.sources import Source, Sources, sources_of, stands, values_of
from evalrag.judging.wording import LONGEST, Statement, Unit, contains, equal, statement
from evalrag.schema.result import Claim, FactVerdict
from evalrag.schema.words import FactLabel, Label
from evalrag.text import Value

RULES = "offline-rules/2"
"""The judge's name and the version of its rules."""

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

_CLOSE = 0.4
"""Share of a claim that the nearest sentence must have to be quoted for an open claim."""
_ASKED = 0.6
"""Share of a question's words that a sentence has which answers it by yes or no."""


def judge_claims(question: str, context: Sequence[str], answer: str) -> tuple[Claim, ...]:
    """Every claim of the answer, `c1`, `c2` ..., each with its label and what it rests on."""
    sources = sources_of(tuple(context))
    items = items_of(answer)
    found: list[Claim] = []
    judged: dict[str, Claim] = {}
    for said in claims_of(question, answer, lambda sentence: _copied(sentence, sources)):
        claim = judged.get(said.text)
        if claim is None:
            claim = judge_claim("", said.text, question, sources, items)
            judged[said.text] = claim
        if not said.denial or claim.label is Label.CONTRADICTED:
            found.append(claim.model_copy(update={"id": f"c{len(found) + 1}"}))
    return tuple(found)


def _copied(sentence: str, sources: Sources) -> bool:
    """A sentence of the context in every word, which needs no cutting to be proved."""
    said = statement(sentence)
    near = sources.near(said)
    return any(one.states and contains(said, one.statement, cut=False) for one in near)


def label_claims(question: str, context: Sequence[str], claims: Sequence[str]) -> tuple[Claim, ...]:
    """A label for each of these claims, in their order."""
    sources = sources_of(tuple(context))
    return tuple(
        judge_claim(f"c{number}", text, question, sources, (len(claims),))
        for number, text in enumerate(claims, start=1)
    )


def judge_claim(
    name: str, text: str, question: str, sources: Sources, items: Sequence[int] = ()
) -> Claim:
    """Support wins and conflict is kept; then a contradiction, then proof of absence.

    Args:
        name: the id of the claim.
        text: the claim.
        question: it completes a short claim, and its figures are given.
        sources: where the claim should stand.
        items: how many things the answer lists: such a number is a count, and no figure.
    """
    said = statement(text)
    if not sources.all and not sources.values:
        return Claim(
            id=name, text=text, label=Label.ABSENT, code="empty-context",
            reason="the context is empty",
        )  # fmt: skip
    if not said.units or len(said.units) > LONGEST:
        return _open(name, text, "no-proof", "too little or too much to lay on a sentence")
    readings = [said]
    if is_short(said):
        readings += [statement(one) for one in completed(question, text)]
    pro, con = _held(readings, sources)
    if pro:
        if _denies_itself(said, question):
            reason = f"it begins with {said.answer!r}, and goes on to say otherwise"
            return _open(name, text, "yes-no", reason, pro[0])
        passages = _passages(pro)
        return Claim(
            id=name,
            text=text,
            label=Label.SUPPORTED,
            reason="stands in the context in the same words",
            quote=pro[0].statement.text,
            passages=passages,
            conflict=tuple(p for p in _passages(c.source for c in con) if p not in passages),
        )
    if not sources.whole:
        reason = "the context holds more figures than are read"
        return _open(name, text, "too-many-figures", reason)
    asked = values_of(question)
    if con:
        return _contradicted(name, text, said, con, sources)
    if sources.english:
        for one in readings[::-1]:
            found = foreign(one, sources, asked) or other_rate(one, sources)
            if found is not None:
                return _label(name, text, Label.CONTRADICTED, found)
        new = absent(said, sources, asked, items)
        if new is not None:
            reason = f"{new!r} stands nowhere in the context, in any writing"
            return Claim(id=name, text=text, label=Label.ABSENT, code="new-figure", reason=reason)
    return _nearest(name, text, said, sources)


def _held(readings: Sequence[Statement], sources: Sources) -> tuple[list[Source], list[Clash]]:
    """The sentences that are the claim, and those that say otherwise in one place."""
    pro: list[Source] = []
    con: list[Clash] = []
    for one in readings:
        for source in sources.near(one):
            cut = english(source.statement)
            if source.states and contains(one, source.statement, cut=cut):
                pro.append(source)
            elif (found := clash(one, source, cut=cut)) is not None:
                con.append(found)
    return pro, con


def _contradicted(
    name: str, text: str, said: Statement, con: Sequence[Clash], sources: Sources
) -> Claim:
    """Contradicted, unless another sentence may be what the claim tells in its own words."""
    first = con[0]
    against = [found.source for found in con]
    others = [one for one in sources.all if all(one is not source for source in against)]
    if first.value is not None and elsewhere(first.value, said, others):
        reason = f"{_differs(first)}; but {first.mine!r} stands elsewhere in the context"
        return _open(name, text, "elsewhere", reason, first.source)
    if first.value is None and any(rivals(said, sources, against)):
        reason = f"{_differs(first)}; but another sentence may be what it tells"
        return _open(name, text, "elsewhere", reason, first.source)
    passages = _passages(against)
    return _label(name, text, Label.CONTRADICTED, first, passages)


def _label(
    name: str, text: str, label: Label, found: Clash, passages: tuple[int, ...] = ()
) -> Claim:
    return Claim(
        id=name,
        text=text,
        label=label,
        code=found.code,
        reason=_differs(found),
        quote=found.source.statement.text,
        passages=passages or (found.source.passage,),
    )


def _nearest(name: str, text: str, said: Statement, sources: Sources) -> Claim:
    """Open, with the sentence that is nearest and the words that differ."""
    near = [(share(said, one.statement), one) for one in sources.near(said) if one.states]
    best = max(near, key=lambda pair: pair[0], default=None)
    if best is None or best[0] < _CLOSE:
        return _open(name, text, "no-sentence", "no sentence of the context is close in words")
    source = best[1]
    mine = _only(said.units, source.statement.units)
    theirs = _only(source.statement.units, said.units)
    left = f"it says {mine!r}" if mine else "it leaves words out"
    beside = f", the nearest sentence {theirs!r}" if theirs else ""
    if not mine and not theirs:
        left = "it has the words of the nearest sentence in another order"
    return _open(name, text, "other-words", f"{left}{beside}", source)


def _only(mine: Sequence[Unit], theirs: Sequence[Unit]) -> str:
    """The words of one that the other has not, a few of them."""
    left = [unit.token.word for unit in mine if not any(equal(unit, other) for other in theirs)]
    return " ".join(left[:6]) + (" ..." if len(left) > 6 else "")


def _open(name: str, text: str, code: str, reason: str, source: Source | None = None) -> Claim:
    return Claim(
        id=name,
        text=text,
        label=Label.UNRESOLVED,
        code=code,
        reason=reason,
        quote=source.statement.text if source is not None else None,
    )


def _differs(found: Clash) -> str:
    if not found.mine or not found.theirs:
        return f"one says {found.mine or found.theirs!r}, and the other does not"
    return f"it says {found.mine!r}, the context {found.theirs!r}"


def _denies_itself(said: Statement, question: str) -> bool:
    """`Yes, sale items cannot be refunded.`: yes before a denial, or no before what was asked."""
    if not said.answer or not polar(question):
        return False
    asked = statement(question)
    denies = bool(listed("negations") & said.words)
    if listed("negations") & asked.words or share(asked, said) < _ASKED:
        return False
    return denies if said.answer == "yes" else not denies


def _passages(sources: Iterable[Source]) -> tuple[int, ...]:
    return tuple(sorted({source.passage for source in sources}))


def state_facts(question: str, facts: Sequence[str], answer: str) -> tuple[FactVerdict, ...]:
    """Which of the facts the answer states: letter by letter, and denied nowhere.

    A short answer ("30 days.") is also read behind its question.
    """
    told = [answer]
    for said in claims_of(question, answer):
        if is_short(statement(said.text)):
            told += completed(question, said.text)
    sources = sources_of(tuple(told))
    return tuple(_fact(fact, sources, values_of(question), "answer") for fact in facts)


def recall_facts(facts: Sequence[str], context: Sequence[str]) -> tuple[FactVerdict, ...]:
    """Which of the facts the context supports."""
    sources = sources_of(tuple(context))
    return tuple(_fact(fact, sources, (), "context") for fact in facts)


def _fact(fact: str, sources: Sources, given: Sequence[Value], where: str) -> FactVerdict:
    said = statement(fact)
    if not sources.all:
        return FactVerdict(fact=fact, label=FactLabel.MISSING, reason=f"the {where} is empty")
    if not said.units or len(said.units) > LONGEST:
        reason = "too little or too much to lay on a sentence"
        return FactVerdict(fact=fact, label=FactLabel.UNRESOLVED, reason=reason)
    near = sources.near(said)
    pro = [source for source in near if _states(source, said)]
    con = [found for source in near if (found := clash(said, source)) is not None]
    if pro and not con:
        reason = f"stands in the {where} in the same words"
        quote = pro[0].statement.text
        return FactVerdict(fact=fact, label=FactLabel.STATED, reason=reason, quote=quote)
    if pro:
        reason = f"stands in the {where}, which also says {con[0].theirs!r}"
        return FactVerdict(fact=fact, label=FactLabel.UNRESOLVED, reason=reason)
    claim = judge_claim("f", fact, "", sources)
    label = claim.label
    if label is Label.ABSENT and stands_in(said, given):
        label = Label.UNRESOLVED
    reason = claim.reason.replace("context", where)
    return FactVerdict(fact=fact, label=_FACT[label], reason=reason, quote=claim.quote)


_FACT = {
    Label.SUPPORTED: FactLabel.STATED,
    Label.ABSENT: FactLabel.MISSING,
    Label.CONTRADICTED: FactLabel.CONTRADICTED,
    Label.UNRESOLVED: FactLabel.UNRESOLVED,
}


def stands_in(said: Statement, given: Sequence[Value]) -> bool:
    """Is a value of it one that the question gives?"""
    return any(stands(value, given) for value in said.values)


def _states(source: Source, fact: Statement) -> bool:
    """The sentence has the fact's words in a row, and takes nothing back before or behind them."""
    units, wanted = source.statement.units, fact.units
    if not source.asserts or source.statement.asks:
        return False
    for at in range(len(units) - len(wanted) + 1):
        if all(equal(a, b) for a, b in zip(wanted, units[at : at + len(wanted)], strict=True)):
            rest = {unit.token.word for unit in (*units[:at], *units[at + len(wanted) :])}
            if not rest & (listed("strict") | listed("negations") | listed("doubt") | {"or"}):
                return True
    return False
