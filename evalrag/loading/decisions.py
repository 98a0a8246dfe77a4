"""What people decided: JSON Lines to decisions, with every problem of the file at once."""

import os
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalrag.errors import DatasetError, DecisionError, Problem
from evalrag.loading.jsonl import read_objects
from evalrag.loading.plain import problems_of
from evalrag.loading.shape import Found, Tidy
from evalrag.loading.show import clean, field_name
from evalrag.schema.decision import Decision

_HINT = "restore the lines above from git, or take them out, and decide again: evalrag judge decide"


def load_decisions(path: Path, *, shown: str | None = None) -> tuple[Decision, ...]:
    """Every decision, in file order; none where there is no file. `shown` names it to people.

    Raises:
        DecisionError: the file cannot be read, or a line is damaged: torn at its end, left by a
            merge, or no decision. None is left out.
    """
    if not _there(path):
        return ()
    name = clean(shown if shown is not None else str(path), 400)
    found: list[Decision] = []
    problems: list[Problem] = []
    try:
        for line, record in read_objects(path, shown=name):
            if isinstance(record, Problem):
                problems.append(record)
                continue
            decision, wrong = _read(record)
            problems += [Problem(name, f.message, line, None, field_name(f.path)) for f in wrong]
            if decision is not None:
                found.append(decision)
    except DatasetError as error:  # the file itself
        raise DecisionError(error.problems, hint="check the path: judge.decisions") from None
    if problems:
        raise DecisionError(problems, hint=_HINT)
    return tuple(found)


def _there(path: Path) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:  # a null byte: reading it says so
        return True


def _read(record: dict[str, Any]) -> tuple[Decision | None, list[Found]]:
    tidy = Tidy()
    tidied: dict[str, Any] = tidy.model(Decision, record)
    try:
        return Decision.model_validate(tidied), tidy.found
    except ValidationError as error:
        return None, problems_of(Decision, record, error, word="field", told=tidy.found)
