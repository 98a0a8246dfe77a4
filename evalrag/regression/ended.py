"""Waivers and quarantines whose last day has passed, and that excuse nothing any more."""

from collections.abc import Iterator

from evalrag.schema.run import RunRecord


def ended(record: RunRecord) -> Iterator[str]:
    """What each of them was, and what to do; days are written so that they sort as text."""
    for waiver in record.waivers:
        if waiver.until < record.day:
            yield _said(f"the waiver of {waiver.row} for {waiver.gate!r}", waiver.until)
    for entry in record.quarantine:
        if entry.until < record.day:
            yield _said(f"the quarantine of {entry.row}", entry.until)


def _said(what: str, until: str) -> str:
    return f"{what} ended {until}: take it out of the plan, or extend it"
