"""How far a judge and people agree: shares with intervals, chance-corrected figures, the table.

UNRESOLVED is a label that judges alone give. How it is counted:

| figure | UNRESOLVED |
|---|---|
| agreement | never agrees, and stays in the denominator |
| agreement_decided | left out |
| kappa, AC1 | a category of its own, on which nobody can agree |
| recall of a label | a miss |
| precision of a label | left out: precision is over what the judge called by that label |
| confusion | a column |

A row may name other labels that a careful reader may give too. Any of them agrees: for agreement,
kappa, AC1 and precision the judge's label then stands for the person's. Recall and the confusion
table read the label as it was given, so that a judge that never says CONTRADICTED cannot be
excused by labels that were acceptable beside it.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from evalrag.schema.calibration import Figure, Figures
from evalrag.schema.words import Label

UNRESOLVED = Label.UNRESOLVED.value
Z = 1.959963984540054
"""The standard normal quantile of 0.975, for two-sided intervals of 95 %."""

NOTHING_DECIDED = "the judge decided nothing"


class Pair(NamedTuple):
    """One item: what people said, what the judge said, and what else would have been right."""

    human: str
    judge: str
    acceptable: frozenset[str] = frozenset()

    @property
    def agrees(self) -> bool:
        return self.judge != UNRESOLVED and (
            self.judge == self.human or self.judge in self.acceptable
        )

    @property
    def settled(self) -> "Pair":
        """With the judge's label in the place of the person's, where that was acceptable."""
        return Pair(self.judge, self.judge) if self.agrees else Pair(self.human, self.judge)


def measure(pairs: Sequence[Pair], labels: Sequence[str]) -> Figures:
    """All figures over `pairs`.

    Args:
        pairs: one for each labelled item.
        labels: those that people may give, in the order of the table.

    Returns:
        Figures that each carry their n. Where the judge decided nothing every figure but the
        table and the share of UNRESOLVED is a reason: a judge that was not reached has no recall
        of 0.
    """
    decided = [pair for pair in pairs if pair.judge != UNRESOLVED]
    open_ = len(pairs) - len(decided)
    agreed = sum(pair.agrees for pair in pairs)
    plain = sum(pair.judge == pair.human for pair in decided)
    settled = [pair.settled for pair in pairs]
    none = NOTHING_DECIDED if pairs else "there is no item"

    def counted(hits: int, n: int, why_none: str) -> Figure:
        return share(hits, n, why_none) if decided else Figure(n=n, reason=none)

    return Figures(
        n=len(pairs),
        decided=len(decided),
        accepted=agreed - plain,
        agreement=counted(agreed, len(pairs), none),
        agreement_decided=counted(agreed, len(decided), none),
        unresolved=share(open_, len(pairs), none),
        kappa=cohen_kappa(settled) if decided else Figure(n=len(pairs), reason=none),
        ac1=gwet_ac1(settled) if decided else Figure(n=len(pairs), reason=none),
        recall={
            label: counted(
                sum(pair.judge == label for pair in pairs if pair.human == label),
                sum(pair.human == label for pair in pairs),
                f"people labelled nothing {label}",
            )
            for label in labels
        },
        precision={
            label: counted(
                sum(pair.agrees for pair in pairs if pair.judge == label),
                sum(pair.judge == label for pair in pairs),
                f"the judge called nothing {label}",
            )
            for label in labels
        },
        confusion=confusion(pairs, labels),
    )


def confusion(pairs: Sequence[Pair], labels: Sequence[str]) -> dict[str, dict[str, int]]:
    """`[people's label][judge's label]`, zeros filled in, UNRESOLVED the last column."""
    counts = Counter((pair.human, pair.judge) for pair in pairs)
    return {
        human: {judge: counts[human, judge] for judge in (*labels, UNRESOLVED)} for human in labels
    }


def share(hits: int, n: int, why_none: str) -> Figure:
    """`hits` of `n` with its 95 % interval by Wilson's score, which stays inside [0, 1].

    Source:
        Wilson, JASA 22(158), 1927, doi:10.1080/01621459.1927.10502953; method 3 of Newcombe,
        Statistics in Medicine 17, 1998, which has the worked values of the tests. Without
        continuity correction. No interval, and no value, of none: the reason is `why_none`.

    >>> figure = share(81, 263, "")
    >>> round(figure.low, 4), round(figure.high, 4)
    (0.2553, 0.3662)
    """
    if not n:
        return Figure(n=0, reason=why_none)
    p, square = hits / n, Z * Z
    middle = (p + square / (2 * n)) / (1 + square / n)
    half = Z / (1 + square / n) * math.sqrt(p * (1 - p) / n + square / (4 * n * n))
    return Figure(
        value=p,
        n=n,
        hits=hits,
        low=max(0.0, middle - half) if hits else 0.0,
        high=min(1.0, middle + half) if hits < n else 1.0,
    )


def cohen_kappa(pairs: Sequence[Pair]) -> Figure:
    """Agreement beyond what the two would reach by chance, each with its own shares of labels.

    `(po - pe) / (1 - pe)`, `pe` the sum over the labels of the product of the two shares. In
    [-1, 1]; 0 is chance. Where people gave one label alone there is no value: whatever the judge
    says, `po` equals `pe`. Low on a table where one label is rare, however good the judge: read
    it beside AC1.

    Source:
        Cohen, Educational and Psychological Measurement 20(1), 1960,
        doi:10.1177/001316446002000104, unweighted.
    """
    n = len(pairs)
    if reason := _one_label(pairs):
        return Figure(n=n, reason=reason)
    agreed, human, judge = _margins(pairs)
    by_chance = sum(count * judge[label] for label, count in human.items())
    return Figure(value=(n * agreed - by_chance) / (n * n - by_chance), n=n)


def gwet_ac1(pairs: Sequence[Pair]) -> Figure:
    """Agreement beyond chance, where chance is what people and judge are in doubt about.

    `(po - pe) / (1 - pe)`, `pe = sum of s (1 - s) / (q - 1)` over the q labels that either of the
    two gave, `s` the mean of their shares of that label. In [-1, 1]; 0 is chance. It stays high
    where nearly all rows have one label, and kappa does not. Where only one label was given by
    both there is no value.

    Source:
        Gwet, British Journal of Mathematical and Statistical Psychology 61(1), 2008,
        doi:10.1348/000711006X126600. q counts the labels that occur, as the author's own
        software does: fewer labels mean more agreement by chance, hence a lower figure.
    """
    n = len(pairs)
    agreed, human, judge = _margins(pairs)
    both = human + judge
    if len(both) < 2:
        return Figure(n=n, reason=_one_label(pairs))
    doubt = sum(count * (2 * n - count) for count in both.values())
    scale = 4 * n * (len(both) - 1)
    return Figure(value=(scale * agreed - doubt) / (scale * n - doubt), n=n)


def _one_label(pairs: Sequence[Pair]) -> str | None:
    given = {pair.human for pair in pairs}
    if not given:
        return "there is no item"
    return f"people gave one label alone: {given.pop()}" if len(given) == 1 else None


def _margins(pairs: Sequence[Pair]) -> tuple[int, Counter[str], Counter[str]]:
    agreed = sum(pair.human == pair.judge for pair in pairs)
    return agreed, Counter(pair.human for pair in pairs), Counter(pair.judge for pair in pairs)
