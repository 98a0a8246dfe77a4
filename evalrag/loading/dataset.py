"""The golden dataset: JSON Lines to rows, with every problem of the file at once."""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalrag.errors import DatasetError, Problem
from evalrag.evidence.tokens import token_count
from evalrag.loading.collector import collector_paused
from evalrag.loading.jsonl import read_records
from evalrag.loading.plain import by_field, problems_of
from evalrag.loading.shape import Found, Tidy, spans_in
from evalrag.loading.show import KeyPath, clean, field_name
from evalrag.regression.where import about
from evalrag.schema.digest import asked_digest, dataset_digest, plain_digests, row_digest
from evalrag.schema.evidence import Evidence
from evalrag.schema.row import Row
from evalrag.schema.rows import Card, PlainRow, Rows, plain_row

_NOTHING: Mapping[str, Any] = {}
SHORT_QUOTE = 5
"""Tokens below which a quote needs a document, since a few common words stand everywhere."""

_LISTS = ("gold", "superseded", "near_miss", "acceptable", "forbidden")
_RIVALS = ("superseded", "near_miss", "forbidden")
"""What cannot be gold or acceptable as well."""
_TEXTS = frozenset({"chunk", "doc", "quote", "metadata"})


@dataclass(frozen=True, slots=True)
class Dataset:
    """The rows of a file, in file order, and where each one stands."""

    path: str
    """As shown to people."""
    rows: Rows
    lines: Mapping[str, int]
    """Row id -> line number."""
    digests: Mapping[str, str]
    """Row id -> digest of what can change a score."""
    asked: Mapping[str, str]
    """Row id -> digest of what is asked."""
    digest: str


def load_dataset(path: Path, *, shown: str | None = None) -> Dataset:
    """Read and check a golden dataset. `shown` names the file to people, instead of `path`.

    Raises:
        DatasetError: with all problems of the file, in the order of its lines.
    """
    with collector_paused():
        return _load(path, clean(shown if shown is not None else str(path), 400))


def _load(path: Path, name: str) -> Dataset:
    cards: list[Card | PlainRow] = []
    digests: dict[str, str] = {}
    asked: dict[str, str] = {}
    lines: dict[str, int] = {}
    problems: list[Problem] = []
    for line, record, source in read_records(path, shown=name):
        if isinstance(record, Problem):
            problems.append(record)
            continue
        first = _first_line(record, line, lines)
        plain = plain_row(record)
        if plain is not None and first is None:
            cards.append(plain)
            digests[plain.id], asked[plain.id] = plain_digests(plain)
            continue
        row, found = read_row(record)
        if first is not None:
            found.append(
                Found(("id",), f'"{clean(record["id"])}" is already the id of line {first}')
            )
        if found:
            problems += [Problem(name, f.message, line, None, field_name(f.path)) for f in found]
        if row is not None and not problems:
            says_all = b"null" not in source and not _has_numbers(record)
            cards.append(card_of(row, source if says_all else row))
            asked[row.id] = own = asked_digest(row)
            digests[row.id] = row_digest(row, asked=own)
    if not cards and not problems:
        problems.append(Problem(name, "the dataset has no row"))
    if problems:
        raise DatasetError(problems, hint="correct the lines above; see: evalrag explain row")
    return Dataset(
        path=name,
        rows=Rows(cards),
        lines=lines,
        digests=digests,
        asked=asked,
        digest=dataset_digest(digests.values()),
    )


def read_row(record: dict[str, Any]) -> tuple[Row | None, list[Found]]:
    """One object of the file as a row, with what is wrong with it."""
    if not _has_numbers(record):
        try:
            row = Row.model_validate(record)
        except ValidationError:
            pass  # a null for what may be missing, or a mistake: looked at below
        else:
            return row, list(_clashes(row))
    tidied, found = _tidied(record)
    try:
        row = Row.model_validate(tidied)
    except ValidationError as error:
        named = problems_of(Row, record, error, word="field", told=found)
        return None, [part for item in named for part in by_field(Row, item)]
    return row, found or list(_clashes(row))


def card_of(row: Row, source: bytes | Row) -> Card:
    """What the row is chosen by, with where it can be had whole."""
    return Card(row.id, row.kind, row.split, row.tags, about(row) or _NOTHING, row.labels, source)


def _first_line(record: dict[str, Any], line: int, lines: dict[str, int]) -> int | None:
    """The line that already has this id; a row that is wrong otherwise keeps its id too."""
    identity = record.get("id")
    if not isinstance(identity, str):
        return None
    first = lines.setdefault(identity, line)
    return first if first != line else None


def _has_numbers(record: dict[str, Any]) -> bool:
    """Some evidence has a grade or a span, which pydantic alone would read leniently."""
    for name in _LISTS:
        evidences = record.get(name)
        if isinstance(evidences, list):
            for evidence in evidences:
                if isinstance(evidence, dict) and not _TEXTS.issuperset(evidence):
                    return True
    return False


def _tidied(record: dict[str, Any]) -> tuple[dict[str, Any], list[Found]]:
    tidy = Tidy(keep_lists=True)
    tidied: dict[str, Any] = tidy.model(Row, record)
    spans: list[Found] = []
    for name in _LISTS:
        evidences = record.get(name)
        for i, evidence in enumerate(evidences if isinstance(evidences, list) else ()):
            spans += spans_in(evidence, (name, i))
    return tidied, tidy.found + spans


def _clashes(row: Row) -> Iterator[Found]:
    """What no single field can say: quotes too short to search for, evidence on both sides."""
    for name in _LISTS:
        for i, evidence in enumerate(row.__dict__[name]):
            if evidence.chunk is None:
                yield from _short_quotes(evidence, (name, i))
    yield from _checks(row)
    rivals = [(f"{name}[{i}]", e) for name in _RIVALS for i, e in enumerate(getattr(row, name))]
    if not rivals:
        return
    for name in ("gold", "acceptable"):
        for i, evidence in enumerate(getattr(row, name)):
            for place, rival in rivals:
                if _same(evidence, rival):
                    yield Found(
                        (name, i), f"the same evidence stands in {place}: it cannot be both"
                    )


def _checks(row: Row) -> Iterator[Found]:
    """Answer checks that stand twice, or that no answer can pass at once."""
    excluded: dict[str, int] = {}
    for i, text in enumerate(row.answer_excludes):
        first = excluded.setdefault(_plain(text), i)
        if first != i:
            yield Found(("answer_excludes", i), f"the same text stands in answer_excludes[{first}]")
    known: dict[frozenset[str], int] = {}
    for i, wordings in enumerate(row.answer_contains):
        texts = [_plain(text) for text in wordings]
        first = known.setdefault(frozenset(texts), i)
        if first != i:
            yield Found(("answer_contains", i), f"the same is asked by answer_contains[{first}]")
        for text in texts:
            if text in excluded:
                place = f"answer_excludes[{excluded[text]}]"
                yield Found(
                    ("answer_contains", i), f"the same text stands in {place}: it cannot be both"
                )


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _short_quotes(evidence: Evidence, path: KeyPath) -> Iterator[Found]:
    if evidence.quote is not None:
        tokens = token_count(evidence.quote)
        if tokens == 0:
            yield Found((*path, "quote"), "the quote has no word in it")
        elif tokens < SHORT_QUOTE and evidence.doc is None:
            yield Found(
                (*path, "quote"),
                f"a quote of {tokens} tokens stands in too many places: give its doc,"
                f" or quote at least {SHORT_QUOTE} tokens",
            )
    for name in ("any_of", "all_of"):
        for i, part in enumerate(getattr(evidence, name) or ()):
            yield from _short_quotes(part, (*path, name, i))


def _same(one: Evidence, other: Evidence) -> bool:
    """Equal, or an alternative of one is an alternative of the other; grades do not count."""
    if one.chunk is not None and other.chunk is not None:
        return one.chunk == other.chunk and one.metadata == other.metadata
    theirs = [_matter(part) for part in other.any_of or (other,)]
    return any(_matter(part) in theirs for part in one.any_of or (one,))


def _matter(evidence: Evidence) -> dict[str, Any]:
    return evidence.model_dump(exclude={"grade"}, exclude_defaults=True)
