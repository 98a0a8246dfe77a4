"""Answer checks and facts tried on their own row, before any bot is asked."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evalrag.evidence.corpus import Asked
from evalrag.evidence.tree import Forest
from evalrag.judging.answer_checks import has_checks
from evalrag.judging.facts import facts_of
from evalrag.judging.offline import state_facts
from evalrag.schema.evidence import Evidence
from evalrag.schema.row import Row, Wordings
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage
from evalrag.schema.words import FactLabel, Form
from evalrag.text import find, tokens

_MOST_WORDS = 3
"""Checks that are offered for one fact."""


@dataclass(slots=True)
class Tried:
    """What was found of each row, by its id: errors and warnings in the order of the rows."""

    errors: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[tuple[str, str]] = field(default_factory=list)
    unjudged: list[str] = field(default_factory=list)
    """Rows that can be answered, and whose answer nothing can tell right from wrong."""


def tried(
    rows: Sequence[Row],
    corpus: Iterable[Passage] | None,
    reading: Reading,
    *,
    rules: bool,
    decides: bool,
) -> Tried:
    """Hold every answer check and fact against its row's own gold and reference.

    Args:
        rows: the dataset.
        corpus: all passages; None where they are not known: then the gold's quotes alone are read.
        reading: the plan's settings.
        rules: the judge works by rules, so that what it says of a fact is known beforehand.
        decides: the judge measures answer_correctness.
    """
    found = Tried()
    passages = _gold_passages([row for row in rows if has_checks(row)], corpus or (), reading)
    for row in rows:
        quotes = [leaf.quote for one in row.gold for leaf in one.leaves() if leaf.quote]
        own = passages.get(row.id, [])
        found.errors += [(row.id, why) for why in _contradicted(row, quotes)]
        if corpus is not None or row.reference_answer:
            found.errors += [(row.id, why) for why in _unsaid(row, [*quotes, *own], corpus)]
        if not quotes:
            found.warnings += [(row.id, why) for why in _beside(row, own)]
        if has_checks(row) or not {Form.ANSWERED, Form.QUALIFIED} & set(row.expected_forms):
            continue
        if not row.answerable:
            continue
        open_ = list(_undecided(row, quotes)) if rules and decides else []
        found.warnings += [(row.id, why) for why in open_]
        if not decides or not facts_of(row):
            found.unjudged.append(row.id)
    return found


def _gold_passages(
    rows: Sequence[Row], corpus: Iterable[Passage], reading: Reading
) -> Mapping[str, list[str]]:
    """Row id -> the texts of the passages of the corpus that its gold touches."""
    forest, owners = Forest(reading), list[str]()
    for row in rows:
        forest.plant(_leaves(row.gold))
        owners += [row.id] * (len(forest.leaves) - len(owners))
    asked = Asked(dict(enumerate(forest.leaves)))
    found: dict[str, list[str]] = {}
    for passage in corpus:
        for at in asked.by(passage):
            if forest.leaves[at].touch(passage) is not None:
                found.setdefault(owners[at], []).append(passage.get("text") or "")
    return found


def _leaves(gold: Sequence[Evidence]) -> list[Evidence]:
    return [leaf for evidence in gold for leaf in evidence.leaves()]


def _contradicted(row: Row, quotes: Sequence[str]) -> Iterator[str]:
    """An exclusion that a right answer runs into."""
    for place, text in enumerate(row.answer_excludes):
        if row.reference_answer and find(text, row.reference_answer):
            yield f"answer_excludes[{place}]: its own reference_answer says {_quoted(text)}"
        elif any(find(text, quote) for quote in quotes):
            yield f"answer_excludes[{place}]: its own gold says {_quoted(text)}"
        for number, wordings in enumerate(row.answer_contains):
            if all(find(text, wording) for wording in wordings):
                yield (
                    f"answer_excludes[{place}]: {_quoted(text)} stands in answer_contains"
                    f"[{number}], so that no answer can pass"
                )


def _unsaid(row: Row, gold: Sequence[str], corpus: Iterable[Passage] | None) -> Iterator[str]:
    """What is asked of an answer, and a right one that is known does not say."""
    for place, wordings in enumerate(row.answer_contains):
        shown = " or ".join(_quoted(text) for text in wordings)
        if row.reference_answer:
            if not _said(wordings, [row.reference_answer]):
                yield f"answer_contains[{place}]: its own reference_answer does not say {shown}"
        elif corpus is not None and row.gold and not _said(wordings, gold):
            yield (
                f"answer_contains[{place}]: its own gold does not say {shown}; where a right "
                "answer does, write one as reference_answer"
            )


def _beside(row: Row, gold: Sequence[str]) -> Iterator[str]:
    """The gold is whole passages: an answer may well repeat more of them than it needs."""
    for place, text in enumerate(row.answer_excludes):
        if any(find(text, passage) for passage in gold):
            yield f"answer_excludes[{place}]: a passage of its own gold says {_quoted(text)}"


def _said(wordings: Wordings, texts: Iterable[str]) -> bool:
    return any(find(wording, text) for text in texts for wording in wordings)


def _undecided(row: Row, quotes: Sequence[str]) -> Iterator[str]:
    """Facts that the judge leaves open even of a right answer: the reference, the gold's own words.

    Where the row has neither, the fact itself is the answer.
    """
    right = [row.reference_answer] if row.reference_answer else list(quotes)
    for number, wordings in enumerate(facts_of(row), start=1):
        labels = {
            verdict.label
            for wording in wordings
            for answer in right or [wording]
            for verdict in state_facts(row.question, [wording], answer)
        }
        if FactLabel.STATED in labels or FactLabel.UNRESOLVED not in labels:
            continue
        offered = ", ".join(_quoted(text) for text in words_for(wordings[0]))
        line = f': add "answer_contains": [{offered}]' if offered else ": add answer_contains"
        yield f"fact {number} is one that the judge never decides{line}"


def words_for(fact: str) -> tuple[str, ...]:
    """What of a fact a check can look for: its values, as written; without one, its longest word.

    >>> words_for("Gift wrapping costs 4 euros for each parcel.")
    ('4 euros',)
    """
    read = tokens(fact)
    values = [fact[token.start : token.end] for token in read if token.value is not None]
    if not values:
        values = sorted((fact[token.start : token.end] for token in read), key=len)[-1:]
    return tuple(dict.fromkeys(value for value in values if find(value, fact)))[:_MOST_WORDS]


def _quoted(text: str) -> str:
    """As it stands in the file."""
    return json.dumps(text, ensure_ascii=False)
