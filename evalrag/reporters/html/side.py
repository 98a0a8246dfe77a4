"""One attempt at a row as a page shows it, of this run or of the baseline."""

from collections.abc import Mapping
from typing import Any

from evalrag.judging.decided import claim_id
from evalrag.regression.placing import texts_of
from evalrag.reporters.html.escaping import cut
from evalrag.reporters.html.passages import Passages
from evalrag.schema.result import AnswerCheck, Attempt, FactVerdict, Finding, Verdicts
from evalrag.schema.words import Mark, Outcome

NAME = 400
"""Characters of a name, an id or a note."""
SAID = 4_000
"""Characters of a question, a claim, a quote, or a reason."""
ANSWER = 20_000
_MARKS = [mark.value for mark in Mark]


class Names:
    """Names that many rows share, each kept once; a row holds values in their order."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def place(self, name: str) -> int:
        return self._places.setdefault(name, len(self._places))

    def __iter__(self) -> Any:
        return iter(self._places)


def side(
    attempt: Attempt, line: Mapping[str, Any], passages: Passages, metrics: Names
) -> dict[str, Any]:
    """What was fetched, seen, said and judged; empty parts are left out."""
    made: dict[str, Any] = {
        "o": attempt.outcome.value,
        "st": {s.value: o.value for s, o in attempt.stages.items() if o is not Outcome.NA},
        "ps": _placed(attempt, line, passages),
        "sc": [[metrics.place(name), value] for name, value in attempt.scores.items()],
    }
    reasons = [
        [metrics.place(name), said["state"], cut(said["reason"], NAME)]
        for name, said in attempt.reasons.items()
        if said["state"] != "not applicable"
    ]
    query, question = line.get("query"), line.get("question")
    parts: dict[str, Any] = {
        "re": reasons,
        "dx": _findings(attempt.diagnoses),
        "wn": _findings(attempt.warnings),
        "ev": [dict(sought) for sought in attempt.evidence],
        "s": cut(query, SAID) if query is not None and query != question else None,
        "dropped": line.get("dropped"),
        "err": cut(attempt.error, SAID) if attempt.error else None,
        "ans": cut(attempt.answer, ANSWER) if attempt.answer is not None else None,
        "ck": [_check(check) for check in attempt.checks],
    }
    made |= {name: part for name, part in parts.items() if part not in (None, [])}
    if attempt.verdicts is not None:
        made["v"] = _verdicts(attempt.verdicts)
    return made


def _findings(findings: tuple[Finding, ...]) -> list[list[str]]:
    return [[finding.code, cut(finding.because, SAID)] for finding in findings]


def _placed(attempt: Attempt, line: Mapping[str, Any], passages: Passages) -> list[int | list[Any]]:
    """Each passage's place among all texts; with mark, window and gold where it has one."""
    made: list[int | list[Any]] = []
    for entry, text in zip(attempt.passages, texts_of(attempt, line), strict=True):
        if isinstance(entry, str):
            made.append(passages.place(entry, text))
            continue
        place = passages.place(entry.get("id") or entry.get("doc") or "(no id)", text)
        mark = _MARKS.index(entry.get("mark", Mark.UNJUDGED).value)
        gold = entry.get("gold", ())
        extra = int(entry.get("extra", False))
        made.append([place, mark, entry.get("window", 0), list(gold), extra])
    return made


def _verdicts(verdicts: Verdicts) -> dict[str, Any]:
    made: dict[str, Any] = {
        "form": verdicts.form.value if verdicts.form else "",
        "by": cut(verdicts.form_by or "", NAME),
        "why": cut(verdicts.form_reason, SAID),
        "claims": [
            {
                "n": claim_id(place),
                "t": cut(claim.text, SAID),
                "l": claim.label.value,
                "r": cut(claim.reason, SAID),
                "q": cut(claim.quote or "", SAID),
                "p": list(claim.passages),
                "x": list(claim.conflict),
            }
            for place, claim in enumerate(verdicts.claims)
        ],
    }
    notes = [f"{task} is unresolved: {why}" for task, why in verdicts.unresolved.items()]
    notes += [f"the guard doubted {caught}" for caught in verdicts.guard]
    notes += [f"speaks to a judge: {loud}" for loud in verdicts.suspicious]
    parts: dict[str, Any] = {
        "notes": [cut(note, SAID) for note in notes],
        "facts": [_fact(fact) for fact in verdicts.facts],
        "recalled": [_fact(fact) for fact in verdicts.recalled],
        "relevancy": verdicts.relevancy.value if verdicts.relevancy else None,
        "padded": verdicts.padded or None,
    }
    return made | {name: part for name, part in parts.items() if part not in (None, [])}


def _check(check: AnswerCheck) -> dict[str, Any]:
    """Whether it holds, its texts, and what was found where; `x` of what must not be there."""
    made: dict[str, Any] = {
        "h": int(check.holds),
        "x": int(check.excluded),
        "t": [cut(text, NAME) for text in check.texts],
        "p": list(check.passages),
    }
    if check.quote is not None:
        made |= {"q": cut(check.quote, SAID), "at": check.at}
    return made


def _fact(fact: FactVerdict) -> list[str]:
    return [fact.label.value, cut(fact.fact, SAID), cut(fact.reason, SAID)]
