"""The reference facts of a row."""

from evalrag.judging.forms import answer_form
from evalrag.judging.sentences import sentences
from evalrag.schema.result import FactVerdict
from evalrag.schema.row import Row
from evalrag.schema.words import FactLabel, Form


def facts_of(row: Row) -> tuple[str, ...]:
    """The row's facts, or its reference answer cut into sentences; none without a reference."""
    if row.reference_facts:
        return row.reference_facts
    return tuple(
        dict.fromkeys(s.text for s in sentences(row.reference_answer or "") if not s.heading)
    )


def facts_of_decline(facts: tuple[str, ...]) -> tuple[FactVerdict, ...]:
    """A decline states no fact, but where the reference declines as well."""
    return tuple(
        FactVerdict(fact=fact, label=FactLabel.STATED, reason="both decline")
        if answer_form("", fact)[0] is Form.DECLINED
        else FactVerdict(fact=fact, label=FactLabel.MISSING, reason="the answer declines")
        for fact in facts
    )
