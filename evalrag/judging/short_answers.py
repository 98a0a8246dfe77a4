"""A short answer put behind its question: `How long is the trial?`, `30 days`."""

import re

from evalrag.judging.rule_words import listed
from evalrag.judging.wording import Statement

_SHORT = 8
"""Units of the longest answer that may need its question."""

_ASKED = (
    r"(?:at |for |in |by |on |to )?(?:how (?:long|much|many|old|far|big|large|high|often|fast|heavy"
    r"|tall|wide|deep|expensive)|what|which|who|when|where)"
)
_IS = re.compile(rf"^{_ASKED}(?: [\w-]+){{0,3}}? (?P<verb>is|are|was|were) (?P<about>\S.*)$", re.I)
_DOES = re.compile(rf"^{_ASKED}(?: [\w-]+){{0,3}}? (?:do|does|did) (?P<about>\S.*)$", re.I)
_WHO = re.compile(r"^(?:who|what|which [\w-]+) (?P<about>\w.*)$", re.I)
_POLAR = re.compile(
    r"^(?:is|are|was|were|am|do|does|did|can|could|will|would|shall|should|has|have|had|may|might"
    r"|must)\b",
    re.I,
)


def is_short(said: Statement) -> bool:
    """A few words without a verb: true or false only of what was asked."""
    return len(said.units) <= _SHORT and not listed("verbs") & said.words


def completed(question: str, answer: str) -> list[str]:
    """The statements that a short answer makes to its question; none where that is not sure."""
    asked = " ".join(question.split()).rstrip("? .!")
    told = answer.strip().rstrip(".! ")
    found: list[str] = []
    if match := _IS.match(asked):
        found.append(f"{match['about']} {match['verb']} {told}")
    if match := _DOES.match(asked):
        found.append(f"{match['about']} {told}")
    if not found and (match := _WHO.match(asked)):
        found.append(f"{told} {match['about']}")
    return found


def polar(question: str) -> bool:
    """Is it answered by yes or no?"""
    return bool(_POLAR.match(question.strip()))
