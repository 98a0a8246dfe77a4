"""Judges by name, and how a run records which one it had."""

from collections.abc import Mapping
from types import MappingProxyType

from evalrag.judging.tasks import Judge
from evalrag.schema.digest import digest
from evalrag.schema.run import JudgePrint

GROUP = "evalrag.judges"
"""The entry-point group of judges."""

BUILTIN: Mapping[str, str] = MappingProxyType(
    {
        "offline": "evalrag.judges.offline:build",
        "openai": "evalrag.judges.openai:build",
        "anthropic": "evalrag.judges.anthropic:build",
    }
)
"""Strings, so that no SDK is imported before a plan asks for it."""


def judge_print(judge: Judge) -> JudgePrint:
    """Who judges, as `run.json` keeps it."""
    details = judge.fingerprint()
    return JudgePrint(
        name=judge.name,
        digest=digest(details),
        details=details,
        offers=tuple(sorted(judge.offers)),
    )
