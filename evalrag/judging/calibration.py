"""From what a judge said of labelled answers to pairs of labels, and what they disagree about."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evalrag.judging.agreement import UNRESOLVED, Pair, measure
from evalrag.judging.tasks import CLAIMS
from evalrag.schema.calibration import (
    Calibration,
    Change,
    ClaimFigures,
    Disagreement,
    Figure,
    Figures,
    Moved,
    Movement,
    Requirement,
    days_between,
)
from evalrag.schema.labels import AnswerLabel, ClaimLabel, LabelledRow
from evalrag.schema.result import Claim, Verdicts
from evalrag.schema.words import Form, Label

WORST_FIRST = (Label.CONTRADICTED, Label.ABSENT, Label.UNRESOLVED, Label.SUPPORTED)
"""An open claim beside supported ones leaves the answer open; what is proven wrong stands."""

ANSWER_LABELS = tuple(label.value for label in AnswerLabel)
CLAIM_LABELS = tuple(label.value for label in ClaimLabel)

_APART = {Form.CORRECTS: "a correction", Form.CLARIFIES: "a question back"}
_AROUND = " .!;:,\"'()"


class Judged(NamedTuple):
    """A labelled answer with the one label that the judge's verdicts come to."""

    row: LabelledRow
    label: str
    why: str
    verdicts: Verdicts

    @property
    def pair(self) -> Pair:
        return Pair(self.row.label.value, self.label, self.row.accepted)

    @property
    def failed(self) -> bool:
        """The judge was asked and gave no verdict: it was not reached, or made no sense."""
        return CLAIMS in self.verdicts.unresolved


def judged(row: LabelledRow, verdicts: Verdicts) -> Judged:
    label, why = answer_label(verdicts)
    return Judged(row, label, why, verdicts)


def answer_label(verdicts: Verdicts) -> tuple[str, str]:
    """The label of a whole answer, the worst of its claims, and why.

    ABSTAINED where it only declines. UNRESOLVED where the claims could not be judged, and where
    an answer that does not decline has none: then nothing was found that could be labelled.
    """
    if verdicts.form is Form.DECLINED:
        return AnswerLabel.ABSTAINED.value, verdicts.form_reason
    if CLAIMS in verdicts.unresolved:
        return UNRESOLVED, verdicts.unresolved[CLAIMS]
    if not verdicts.claims:
        apart = _APART.get(verdicts.form) if verdicts.form is not None else None
        return UNRESOLVED, f"{apart} without further claims" if apart else "no claim"
    worst = min(verdicts.claims, key=lambda claim: WORST_FIRST.index(claim.label))
    return worst.label.value, worst.reason


def answer_figures(found: Sequence[Judged]) -> Figures:
    """Agreement over whole answers."""
    return measure([one.pair for one in found], ANSWER_LABELS)


def claim_figures(found: Sequence[Judged]) -> ClaimFigures | None:
    """Agreement over single claims, where people labelled them and the judge cut them alike.

    A claim of theirs is matched with the judge's claim of the same answer that has the same
    words; case, white space and the marks at its ends do not count. How many could be matched is
    said: a judge that cuts answers otherwise is not wrong, and not measured here. None where
    people labelled no claim.
    """
    labelled = sum(len(one.row.claims) for one in found)
    if not labelled:
        return None
    pairs = [pair for one in found for pair in _matched(one)]
    return ClaimFigures(labelled=labelled, matched=len(pairs), figures=measure(pairs, CLAIM_LABELS))


def _matched(one: Judged) -> Iterable[Pair]:
    theirs: dict[str, list[Claim]] = defaultdict(list)
    for claim in reversed(one.verdicts.claims):
        theirs[_plain(claim.text)].append(claim)
    for said in one.row.claims:
        same = theirs.get(_plain(said.text))
        if same:
            yield Pair(said.label.value, same.pop().label.value)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(_AROUND)


def disagreements(found: Iterable[Judged]) -> tuple[Disagreement, ...]:
    """Every row on which they do not agree, wrong labels before open ones, in file order."""
    return tuple(
        Disagreement(
            id=one.row.id,
            human=one.row.label.value,
            acceptable=tuple(sorted(one.row.accepted)),
            judge=one.label,
            why=one.why,
            claims=one.verdicts.claims,
        )
        for one in sorted(found, key=lambda one: one.label == UNRESOLVED)
        if not one.pair.agrees
    )


def movement(before: Calibration, now: Calibration) -> Movement:
    """What is other than it was on the same labels, whoever judged then."""
    old = _named(before.figures)
    figures = {
        name: Change(before=old[name].value, after=figure.value)
        for name, figure in _named(now.figures).items()
        if name in old and figure.value != old[name].value
    }
    rows = tuple(
        Moved(id=row, before=before.judged[row], after=label)
        for row, label in now.judged.items()
        if label != before.judged.get(row, label)
    )
    return Movement(
        day=before.day,
        judge=before.judge,
        fingerprint=before.fingerprint,
        figures=figures,
        rows=rows,
    )


def _named(figures: Figures) -> dict[str, Figure]:
    named = {
        "agreement": figures.agreement,
        "kappa": figures.kappa,
        "ac1": figures.ac1,
        "unresolved": figures.unresolved,
    }
    named |= {f"recall {label}": figure for label, figure in figures.recall.items()}
    return named | {f"precision {label}": figure for label, figure in figures.precision.items()}


def unproven(record: Calibration | None, requirement: Requirement, day: str) -> str | None:
    """Why a judge may not gate yet; None where its last record is all that is required.

    Args:
        record: the newest record under the judge's fingerprint, on whatever labels; None where
            there is none. An older one that was good enough does not count.
        requirement: what the plan asks for.
        day: today, as the run has it.
    """
    if record is None:
        return "it was never calibrated"
    wrong: list[str] = []
    age = days_between(record.day, day)
    if age < 0:
        wrong.append(f"its record is of {record.day}, which is after {day}")
    elif age > requirement.max_age_days:
        wrong.append(
            f"its record of {record.day} is {age} days old, and {requirement.max_age_days} may be"
        )
    if record.labels.n < requirement.min_labels:
        wrong.append(
            f"it was held against {record.labels.n} labels, and {requirement.min_labels} are needed"
        )
    figures = record.figures
    bounds = (
        ("agreement", figures.agreement, requirement.min_agreement),
        (
            "recall of CONTRADICTED",
            figures.recall.get("CONTRADICTED"),
            requirement.min_contradicted_recall,
        ),
    )
    for name, figure, least in bounds:
        if figure is None or figure.value is None:
            why = figure.reason if figure is not None else "not measured"
            wrong.append(f"its {name} is not known ({why})")
        elif figure.value < least:
            wrong.append(f"its {name} is {figure.hits} of {figure.n}, below {least:g}")
    return "; ".join(wrong) or None
