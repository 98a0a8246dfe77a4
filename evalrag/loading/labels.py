"""Answers that people labelled: JSON Lines to rows, with every problem of the file at once."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalrag.errors import DatasetError, Problem
from evalrag.loading.jsonl import read_objects
from evalrag.loading.plain import by_field, problems_of
from evalrag.loading.shape import Found, Tidy
from evalrag.loading.show import clean, closest, field_name
from evalrag.schema.digest import digest
from evalrag.schema.labels import LabelledRow


@dataclass(frozen=True, slots=True)
class Labels:
    """The labelled rows of a file, in file order, and where each one stands."""

    path: str
    """As shown to people."""
    rows: tuple[LabelledRow, ...]
    lines: Mapping[str, int]
    digest: str
    """Over what was shown and what people said of it, in any order: notes change nothing."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How many rows people gave each label."""
        return Counter(row.label.value for row in self.rows)


def load_labels(path: Path, *, shown: str | None = None) -> Labels:
    """Read and check a file of labelled answers. `shown` names the file to people.

    A file in which all rows have one label is read: what cannot be had from it is said figure by
    figure.

    Raises:
        DatasetError: with all problems of the file, in the order of its lines.
    """
    name = clean(shown if shown is not None else str(path), 400)
    rows: list[LabelledRow] = []
    problems: list[Problem] = []
    lines: dict[str, int] = {}
    try:
        for line, record in read_objects(path, shown=name):
            if isinstance(record, Problem):
                problems.append(record)
                continue
            row, found = _read(record)
            found += _repeated(record, line, lines)
            problems += [Problem(name, f.message, line, None, field_name(f.path)) for f in found]
            if row is not None:
                rows.append(row)
    except DatasetError as error:  # the file itself
        raise DatasetError(error.problems, hint="give the path of a labels file") from error
    if not rows and not problems:
        problems.append(Problem(name, "no row is labelled"))
    if problems:
        raise DatasetError(problems, hint="correct the lines above; see: evalrag schema labels")
    return Labels(name, tuple(rows), lines, digest(sorted(digest(_said(row)) for row in rows)))


def _read(record: dict[str, Any]) -> tuple[LabelledRow | None, list[Found]]:
    tidy = Tidy()
    tidied: dict[str, Any] = tidy.model(LabelledRow, record)
    try:
        return LabelledRow.model_validate(tidied), tidy.found
    except ValidationError as error:
        named = problems_of(LabelledRow, record, error, word="field", told=tidy.found)
        found = [part for item in named for part in by_field(LabelledRow, item)]
        return None, [_with_near(item, record) for item in found]


def _with_near(found: Found, record: Mapping[str, Any]) -> Found:
    """A field that is missing may stand there under another name, which is kept unread."""
    if found.message != "is missing" or len(found.path) != 1:
        return found
    others = [key for key in record if key not in LabelledRow.model_fields]
    near = closest(str(found.path[0]), others)
    return found if near is None else Found(found.path, f'is missing; is "{clean(near)}" it?')


def _repeated(record: Mapping[str, Any], line: int, lines: dict[str, int]) -> Iterator[Found]:
    name = record.get("id")
    if isinstance(name, str) and lines.setdefault(name, line) != line:
        yield Found(("id",), f'"{clean(name)}" is already the id of line {lines[name]}')


def _said(row: LabelledRow) -> list[Any]:
    claims = [[claim.text, claim.label.value] for claim in row.claims]
    shown = [row.id, row.question, list(row.context), row.answer]
    return [*shown, row.label.value, sorted(row.accepted), claims]
