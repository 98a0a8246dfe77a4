"""An answer on a terminal with what was said of it: form, claims, and the facts it states."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from evalrag.judging.decided import PEOPLE, claim_id
from evalrag.reporters.drawing import hanging, title
from evalrag.reporters.plain import block, safe
from evalrag.schema.result import AnswerCheck, Attempt
from evalrag.schema.words import Label

_LABELS = {Label.SUPPORTED: "green", Label.CONTRADICTED: "bold red", Label.ABSENT: "red"}


def _checks(checks: Sequence[AnswerCheck]) -> Iterator[RenderableType]:
    """Whether each answer check holds, and what was found where."""
    if checks:
        yield title("Answer checks")
    for check in checks:
        texts = " or ".join(f'"{safe(text)}"' for text in check.texts)
        said = Text("holds" if check.holds else "FAILS", style="green" if check.holds else "red")
        said.append(f" {'never says' if check.excluded else 'says'} {texts}")
        if check.quote is not None:
            why = f'"{safe(check.quote)}" stands there, at character {(check.at or 0) + 1}'
        else:
            why = "it stands nowhere in the answer"
        if check.passages:
            why += f"; said by passage {', '.join(map(str, check.passages))} of the context"
        yield hanging("", said)
        yield hanging("", Text(why, style="dim"), indent=5)


def answer_parts(attempt: Attempt) -> Iterator[RenderableType]:
    """Claims and facts are numbered as `evalrag judge decide` counts them."""
    if attempt.answer is None:
        return
    verdicts = attempt.verdicts
    form = verdicts.form.value if verdicts and verdicts.form else "form undecided"
    by = f", by {verdicts.form_by}" if verdicts and verdicts.form_by else ""
    yield title(f"Answer ({form}{by})")
    for part in block(attempt.answer, 2000)[:40] or ["(empty)"]:
        yield hanging("", Text(part))
    yield from _checks(attempt.checks)
    if verdicts is None:
        return
    if verdicts.form_by == PEOPLE:
        yield hanging("", Text(safe(verdicts.form_reason), style="dim"), indent=5)
    if verdicts.claims:
        yield title("Claims")
    for place, claim in enumerate(verdicts.claims):
        said = Text(f"{claim.label}", style=_LABELS.get(claim.label, "yellow"))
        said.append(f" {safe(claim.text)}")
        why = [safe(claim.reason)] if claim.reason else []
        name = claim_id(place)  # what `judge decide --claim` counts, whatever a judge calls it
        if claim.id != name:
            name += f" ({safe(claim.id)})"
        if claim.passages:
            why.append(f"rests on passage {', '.join(map(str, claim.passages))} of the context")
        if claim.conflict:
            why.append(f"contradicted by passage {', '.join(map(str, claim.conflict))}")
        yield hanging(f"{name} ", said)
        if claim.quote:
            yield hanging("", Text(f'"{safe(claim.quote)}"', style="dim"), indent=5)
        if why:
            yield hanging("", Text("; ".join(why), style="dim"), indent=5)
    notes = [f"{name} is unresolved: {why_not}" for name, why_not in verdicts.unresolved.items()]
    notes += [f"the guard doubted {caught}" for caught in verdicts.guard]
    for note in (*notes, *(f"speaks to a judge: {loud}" for loud in verdicts.suspicious)):
        yield hanging("", Text(safe(note), style="yellow"))
    for number_, fact in enumerate(verdicts.facts, start=1):
        yield hanging("", Text(f"fact {number_} {fact.label}: {safe(fact.fact)}"))
        if fact.reason:
            yield hanging("", Text(safe(fact.reason), style="dim"), indent=5)
