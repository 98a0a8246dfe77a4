"""Passages that are old for the whole corpus, whatever a row says."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from evalrag.evidence.match import has_all
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage


def marks_old(reading: Reading) -> bool:
    """The plan says of some passages that they are old."""
    return bool(_wanted(reading)) or reading.valid_until is not None


def outdated(passage: Passage, reading: Reading) -> bool:
    """The plan's `superseded_when` fits it, or the last day it holds lies before the run's day."""
    wanted = _wanted(reading)
    if wanted and has_all(passage, wanted):
        return True
    if reading.valid_until is None:
        return False
    last = day_of((passage.get("metadata") or {}).get(reading.valid_until))
    today = day_of(reading.day)
    return last is not None and today is not None and last < today


def day_of(value: Any) -> date | None:
    """A date, a time, or either in ISO form, as a day; None for anything else.

    >>> day_of("2026-03-01T12:00:00Z"), day_of("until further notice"), day_of(20260301)
    (datetime.date(2026, 3, 1), None, None)
    """
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if not isinstance(value, str):
        return None
    try:
        return datetime.fromisoformat(value.strip()).date()
    except ValueError:
        return None


def _wanted(reading: Reading) -> Mapping[str, Any]:
    wanted = reading.superseded_when.get("metadata")
    return wanted if isinstance(wanted, dict) else {}
