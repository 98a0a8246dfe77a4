"""The judged metrics: name, stage, direction, version and the page that explains each."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from evalrag.schema.words import Direction, Stage


@dataclass(frozen=True, slots=True)
class Measure:
    """One judged metric. Another `version` makes its scores not comparable."""

    name: str
    stage: Stage
    direction: Direction
    version: int
    summary: str
    page: str
    binary: bool = False
    """1 or 0."""
    low: float = 0.0
    """The least it can be."""
    high: float | None = 1.0
    """The most it can be; None of what is counted."""


def _measure(
    name: str,
    stage: Stage,
    direction: Direction,
    page: str,
    *,
    binary: bool = False,
    high: float | None = 1.0,
) -> Measure:
    text = page.strip()
    summary = text.split("\n", 1)[0]
    return Measure(name, stage, direction, 1, summary, text, binary=binary, high=high)


_FAITHFULNESS = """
Share of the answer's claims that the context supports.

The judge sees the question, the context and the answer: never the gold and never the reference.
A claim is SUPPORTED, ABSENT (not in the context) or CONTRADICTED (the context says otherwise and
no passage supports it). Where one passage supports a claim and another contradicts it, support
wins and the conflict is kept.

Formula: supported / claims.
Range: [0, 1], higher is better.
Unresolved claims give bounds: 4 supported and 1 unresolved is somewhere in [0.8, 1.0], and a
threshold of 0.8 is met whatever the last one is.
Degenerate: no claim in an answer that answers or qualifies is unresolved ("no claim"), never 1.
Not applicable to a decline, to a correction or a question back without further claims, to an
empty answer, and in a retrieval-only plan.
"""

_ABSENT = """
Number of the answer's claims that are not in the context.

Steadier than the ratio, whose denominator depends on how an answer is cut into claims.

Range: 0 and up, lower is better. Unresolved claims give bounds.
Degenerate: as faithfulness.
"""

_CONTRADICTED = """
Number of the answer's claims that the context contradicts and no passage supports.

Range: 0 and up, lower is better. Unresolved claims give bounds.
Degenerate: as faithfulness.
"""

_HARD_FAIL = """
1 when the answer must not be shipped, whatever else is good about it.

1 when any claim is CONTRADICTED. On unanswerable rows also when the answer's form is not one of
the row's `expect`, or when a claim is ABSENT. 0 on a decline: whether it was right to decline is
the boundary stage's business. 0 on an empty answer, which the generation stage fails anyway.

Range: 0 or 1, lower is better.
Degenerate: with nothing proven and something unresolved it is unresolved in [0, 1]; an answer
without a claim is unresolved ("no claim").
"""

_RELEVANCY = """
Whether the answer answers the question that was asked.

ANSWERS is 1, PARTLY (incomplete) is 0.5, EVADES (a neighbouring or a more general question) is 0.
The judge sees the question and the answer, never the context: a faithful answer can evade.

Range: 0, 0.5 or 1, higher is better.
Degenerate: not applicable to declines, corrections, questions back and empty answers.
"""

_CORRECTNESS = """
Share of the reference facts that the answer states; 0 when it contradicts one.

Per fact STATED, MISSING or CONTRADICTED, from `reference_facts` or the sentences of
`reference_answer`. A decline and an empty answer state nothing. The headline figure, and the
least diagnostic one.

Formula: stated / facts, or 0 with a contradiction.
Range: [0, 1], higher is better. An unresolved fact may turn out contradicted, so that it lowers
the bound to 0.
Degenerate: not applicable to a row without a reference, and to one with answer checks where the
judge works by rules: those decide it.
"""

_CHECKS = """
Share of the row's answer checks that hold: `answer_contains` and `answer_excludes`.

Plain code: no judge is asked, so that a check can fail an answer that any judge lets pass. Each
entry of `answer_contains` has to stand in the answer (of a list in it, one text is enough), and no
text of `answer_excludes` may.

A text matches whole tokens, whatever their writing: case, Unicode forms, white space, dashes and
quotes, Markdown, tags and HTML entities, numbers ("thirty" is 30, "10 000" is "10,000", "12.50 EUR"
is "EUR 12.50", the digits of any script). "3 days" stands neither in "30 days" nor in "-3 days".
Negation is not read: "not 30 days" has "30 days" in it, and "no longer 14 days" has "14 days".
Write the words that only a right answer has. What a model writes between <think> marks is no part
of its answer.

Formula: checks that hold / checks.
Range: [0, 1], higher is better. The answer stage asks for all of them.
Degenerate: not applicable to a row without answer checks; 0 for an answer without a word.
"""

_RECALL = """
Share of the reference facts that the context supports: recall without labelled passages.

Formula: supported / facts.
Range: [0, 1], higher is better. Unresolved facts give bounds.
Degenerate: not applicable to a row without `reference_facts`.
"""

_REFUSAL = """
1 when the answer declines, 0 when it does anything else.

Its mean over unanswerable rows is the refusal rate (higher is better), its mean over the others
the over-refusal rate (lower is better). The two are always shown together, since a pipeline that
refuses everything has a perfect refusal rate.

Range: 0 or 1; neither is better without the row's kind.
Degenerate: unresolved where nothing could tell the form; not applicable to an empty answer.
"""

_USEFULNESS = """
Share of the passages in the context that help to answer the question: precision without labels.

Optional, since it costs a call: `judge: {with: {passage_usefulness: true}}`. The judge sees the
question and the passages, never the labels, and it is never mixed with `context_precision`.

Formula: useful / passages.
Range: [0, 1], higher is better.
Degenerate: not applicable with an empty context; unresolved where the judge gave no verdict.
"""

_VALIDITY = """
Share of the cited passage ids that are in the context, each id counted once.

Plain code: no judge is asked. An id that was never handed to the model is an invented source.

Formula: cited ids in the context / cited ids.
Range: [0, 1], higher is better.
Degenerate: not applicable where the pipeline tells no citations, or the answer cites nothing.
"""

_SUPPORT = """
Share of the answer's claims that a cited passage supports.

Plain code on the judge's labels: a claim counts where it is SUPPORTED and one of the passages in
which its quoted words stand is cited.

Formula: claims with a supporting cited passage / claims.
Range: [0, 1], higher is better. Open claims give bounds.
Degenerate: not applicable without citations in the trace, to a decline and without a claim; 0
where there are claims and nothing is cited.
"""

_TABLE = (
    _measure("faithfulness", Stage.GENERATION, Direction.UP, _FAITHFULNESS),
    _measure("absent_claims", Stage.GENERATION, Direction.DOWN, _ABSENT, high=None),
    _measure("contradicted_claims", Stage.GENERATION, Direction.DOWN, _CONTRADICTED, high=None),
    _measure("hard_fail", Stage.GENERATION, Direction.DOWN, _HARD_FAIL, binary=True),
    _measure("answer_relevancy", Stage.GENERATION, Direction.UP, _RELEVANCY),
    _measure("answer_checks", Stage.ANSWER, Direction.UP, _CHECKS),
    _measure("answer_correctness", Stage.ANSWER, Direction.UP, _CORRECTNESS),
    _measure("claim_recall", Stage.RETRIEVAL, Direction.UP, _RECALL),
    _measure("passage_usefulness", Stage.RETRIEVAL, Direction.UP, _USEFULNESS),
    _measure("citation_validity", Stage.GENERATION, Direction.UP, _VALIDITY),
    _measure("citation_support", Stage.GENERATION, Direction.UP, _SUPPORT),
    _measure("refusal", Stage.BOUNDARY, Direction.NEITHER, _REFUSAL, binary=True),
)

CITING = frozenset({"citation_validity", "citation_support"})
"""Asked of a row whose pipeline tells what it cites, and of no other."""

FREE = frozenset({"refusal", "answer_checks"}) | CITING
"""What plain code makes of forms, texts, labels and citations: no judge has to offer it."""

UNJUDGED = frozenset({"answer_checks", "citation_validity"})
"""What reads no verdict at all, so that it is the same whoever judges."""

OPTIONAL = frozenset({"passage_usefulness"})
"""What a judge measures only where the plan asks for it."""

JUDGED: Mapping[str, Measure] = MappingProxyType({measure.name: measure for measure in _TABLE})
"""Every judged metric by name, in the order of reports."""
