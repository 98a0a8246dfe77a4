"""What the probes of a row found out, as `evalrag show` prints it."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from evalrag.reporters.drawing import hanging, title
from evalrag.reporters.plain import safe
from evalrag.schema.result import Attempt
from evalrag.schema.words import Probe

_MOST = 3
"""Passages of a probe that are named."""
_WORDS = 80
"""Characters that name a passage without an id."""


def probe_parts(attempt: Attempt, line: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Each probe with its outcome, why, and what was asked and answered."""
    if attempt.probes:
        yield title("Probes")
    stored = line.get("probes", {})
    for which, found in attempt.probes.items():
        yield hanging("- ", Text(f"{which}: {found.outcome}, {safe(found.because)}"))
        asked = _asked(which, stored.get(which.value, {}), line)
        if asked:
            yield hanging("", Text(asked, style="dim"), indent=4)
        if found.answer is not None:
            yield hanging("", Text(f"answered: {safe(found.answer, 600)}", style="dim"), indent=4)
        for claim in found.verdicts.claims if found.verdicts else ():
            said = f"{claim.id} {claim.label}: {safe(claim.text, 300)}"
            yield hanging("", Text(said, style="dim"), indent=4)


def _asked(which: Probe, stored: Mapping[str, Any], line: Mapping[str, Any]) -> str:
    if which is Probe.STANDALONE_QUESTION:
        return f"searched for: {safe(stored.get('query', ''), 600)}" if "query" in stored else ""
    candidates = line.get("candidates", ())
    names = []
    for entry in stored.get("context", ()):
        known = isinstance(entry, int) and 0 <= entry < len(candidates)
        passage = candidates[entry] if known else entry
        if isinstance(passage, Mapping):
            names.append(str(passage.get("id") or f'"{passage.get("text", "")[:_WORDS]}"'))
    if not names:
        return ""
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return f"given: {safe(', '.join(names[:_MOST]), 600)}{more}"
