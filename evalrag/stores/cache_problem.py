"""What is said, once, of a verdict cache that did not work: what went wrong, and what to do."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from evalrag.errors import CacheError
from evalrag.redaction import one_line
from evalrag.stores.cache_file import DEFAULT, Damaged, Unusable


@dataclass(slots=True)
class Losses:
    """What a process could not have of its cache, counted."""

    why: Unusable | None = None
    """The last thing that went wrong."""
    off: bool = False
    """It is not tried again in this process."""
    unread: int = 0
    unkept: int = 0
    secret: int = 0
    """Verdicts that hold a secret, and are not kept for that."""

    def said(self, path: Path, waiting: int) -> str | None:
        """One line for people; None where nothing is lost.

        Args:
            path: the cache's file.
            waiting: entries that are not written yet.
        """
        place, why = one_line(str(path)), self.why
        if self.off and why is not None:
            return (
                f"the verdict cache cannot be used ({place}: {why.why}): every verdict is asked "
                f"again; next: {next_step(why, path)}"
            )
        counts = {
            "not looked up": self.unread,
            "not kept": self.unkept + waiting,
            "not kept since a secret stands in them": self.secret,
        }
        lost = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        if not lost:
            return None
        if why is None or not (self.unread or self.unkept or waiting):
            return f"the verdict cache ({place}) does not hold every verdict: {lost}"
        return (
            f"the verdict cache could not be used all the time ({place}: {why.why}): verdicts "
            f"{lost}; next: {next_step(why, path)}"
        )


def next_step(why: Unusable, path: Path) -> str:
    """What to do about it: a command where one helps."""
    if isinstance(why, Damaged) and path != DEFAULT:
        return f"{why.hint} --cache {shlex.quote(one_line(str(path)))}"
    return why.hint


def cannot(do: str, why: Unusable, path: Path) -> CacheError:
    """The error of a command that has nothing else to do: "the verdict cache cannot be ..."."""
    return CacheError(
        f"the verdict cache cannot be {do}: {why.why}",
        where=one_line(str(path)),
        hint=next_step(why, path),
    )
