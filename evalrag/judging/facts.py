"""The reference facts of a row."""

from collections.abc import Iterable

from evalrag.judging.forms import answer_form
from evalrag.judging.sentences import sentences
from evalrag.judging.tasks import Judge, reads_wordings
from evalrag.schema.result import FactVerdict
from evalrag.schema.row import Row, Wordings
from evalrag.schema.words import FactLabel, Form


def facts_of(row: Row) -> tuple[Wordings, ...]:
    """The row's facts, each in all its wordings, or its reference answer cut into sentences."""
    if row.reference_facts:
        return row.reference_facts
    said = dict.fromkeys(s.text for s in sentences(row.reference_answer or "") if not s.heading)
    return tuple((text,) for text in said)


def names_of(facts: Iterable[Wordings]) -> tuple[str, ...]:
    """What each fact is called: its first wording."""
    return tuple(fact[0] for fact in facts)


def wordings_of(facts: Iterable[Wordings]) -> tuple[str, ...]:
    """All that a judge is asked about: every wording of every fact, in order, each once."""
    return tuple(dict.fromkeys(wording for fact in facts for wording in fact))


def together(facts: Iterable[Wordings]) -> tuple[tuple[str, ...], tuple[Wordings, ...]] | None:
    """Each fact once by its first wording, and its others in the same order.

    None where two facts have one first wording and differ: a verdict would name both.
    """
    by_name: dict[str, Wordings] = {}
    for fact in facts:
        if by_name.setdefault(fact[0], fact[1:]) != fact[1:]:
            return None
    others = tuple(by_name.values())
    return tuple(by_name), others if any(others) else ()


def asked_of(
    judge: Judge, facts: tuple[Wordings, ...]
) -> tuple[tuple[str, ...], tuple[Wordings, ...]]:
    """The facts of a task with their other wordings, or every wording as a fact of its own."""
    whole = together(facts) if reads_wordings(judge) else None
    return whole or (wordings_of(facts), ())


_STRONGEST = (FactLabel.STATED, FactLabel.CONTRADICTED, FactLabel.UNRESOLVED, FactLabel.MISSING)


def of_facts(facts: Iterable[Wordings], verdicts: Iterable[FactVerdict]) -> tuple[FactVerdict, ...]:
    """A verdict a fact, by its first wording, of a verdict on each of its wordings.

    One wording that is stated is enough; with none, one that is contradicted decides, then one
    that is open: the fact is missing where every wording is.
    """
    by_wording = {verdict.fact: verdict for verdict in verdicts}
    found = []
    for fact in facts:
        own = [by_wording[wording] for wording in fact if wording in by_wording]
        best = min(own, key=_rank)
        found.append(best if best.fact == fact[0] else best.model_copy(update={"fact": fact[0]}))
    return tuple(found)


def _rank(verdict: FactVerdict) -> tuple[int, bool]:
    return _STRONGEST.index(verdict.label), not verdict.judge_failed


def facts_of_decline(facts: Iterable[Wordings]) -> tuple[FactVerdict, ...]:
    """A decline states no fact, but where the reference declines as well."""
    return tuple(
        FactVerdict(fact=fact[0], label=FactLabel.STATED, reason="both decline")
        if any(answer_form("", wording)[0] is Form.DECLINED for wording in fact)
        else FactVerdict(fact=fact[0], label=FactLabel.MISSING, reason="the answer declines")
        for fact in facts
    )
