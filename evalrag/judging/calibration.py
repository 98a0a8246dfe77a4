"""From what a judge said of labelled answers to pairs of labels, and what they disagree about."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evalrag.judging.agreement import UNRESOLVED, Pair, measure
from evalrag.judging.tasks import CLAIMS
from evalrag.schema.calibration import ClaimFigures, Disagreement, Figures
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
