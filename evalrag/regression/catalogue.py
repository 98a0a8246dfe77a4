"""The one ordered table of diagnoses and warnings (SPEC 7).

Of each: what it means, where to look, one change to try, and the condition that it holds under.
"""

from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple

from evalrag.regression import conditions
from evalrag.regression.conditions import Seen
from evalrag.schema.words import Stage


class Use(Enum):
    """Of which rows a condition is asked."""

    DIAGNOSIS = auto()
    """Rows that failed or are unresolved."""
    ON_PASSING = auto()
    """These, and on a passing row it is a warning."""
    WARNING = auto()
    """A warning beside any outcome."""
    VERDICT = auto()
    """A verdict is missing: of unresolved rows, and of failed ones that nothing else explains."""


class Entry(NamedTuple):
    """One diagnosis: its page, as `evalrag explain CODE` prints it, and when it holds."""

    code: str
    holds: str
    look: str
    change: str
    stage: Stage | None = None
    """The stage whose fault it is; None of what no stage did."""
    when: Callable[[Seen], str | None] | None = None
    """What shows it, or None. Without one, it is seen elsewhere: beside the baseline, say."""
    use: Use = Use.DIAGNOSIS


_ENTRIES = (
    Entry(
        "missing-content",
        "The gold evidence is not in the corpus at all. Known where the plan names a corpus or "
        "the retriever knows its own; otherwise this is not checked. Where the page of a quote is "
        "there without the quote, it says that the page seems edited, with the nearest words.",
        "ingestion, parsing, tables",
        "add the missing document to the index, or mend its parsing; of an edited page, the label",
        Stage.RETRIEVAL,
        conditions.missing_content,
    ),
    Entry(
        "two-problems",
        "Retrieval or ranking failed, and with the gold put into the context (the oracle_context "
        "probe) the answer fails as well: by its claims, its form, or the reference.",
        "retrieval first, then the generator",
        "bisect the change; mend retrieval and run again: the row will show what is left",
        Stage.RETRIEVAL,
        conditions.two_problems,
    ),
    Entry(
        "rewrite",
        "The standalone question finds evidence that the rewritten query does not find: what the "
        "conversation meant was lost (the standalone_question probe).",
        "the rewriter",
        "read the query beside the standalone question, and see what the rewriter dropped",
        Stage.REWRITE,
        conditions.rewrite,
    ),
    Entry(
        "stale-source",
        "A superseded passage stands in the context before the gold that it competes with, or "
        "without it, or a claim of the answer rests on it and on no relevant passage. On "
        "unanswerable rows, which have no gold, only the second counts.",
        "index hygiene, version filters",
        "take superseded versions out of the index, or filter by version",
        Stage.RANKING,
        conditions.stale_source,
        Use.ON_PASSING,
    ),
    Entry(
        "wrong-sibling",
        "A near-miss passage stands in the context before the gold or without it, or a claim of "
        "the answer rests on it and on no relevant passage. On unanswerable rows, which have no "
        "gold, only the second counts.",
        "reranker, chunk boundaries, qualifiers that travel with their rule",
        "make chunks carry the title or the paragraph that tells the siblings apart",
        Stage.RANKING,
        conditions.wrong_sibling,
        Use.ON_PASSING,
    ),
    Entry(
        "split-evidence",
        "Part of a quote or span is in the context and the rest is not.",
        "chunk boundaries, overlap, parent document",
        "overlap the chunks, or hand over the parent passage",
        Stage.RANKING,
        conditions.split_evidence,
    ),
    Entry(
        "truncated",
        "Evidence was in the window, after reranking where there is any, and not in the "
        "context that the pipeline says it used.",
        "prompt builder, window",
        "look for what cuts the context between the reranker and the prompt",
        Stage.RANKING,
        conditions.truncated,
    ),
    Entry(
        "ranked-out",
        "Evidence is among the candidates and outside the context; its position is named, and the "
        "reranker where it took the evidence out of the window.",
        "reranker, top-k",
        "rerank the candidates, or widen the window",
        Stage.RANKING,
        conditions.ranked_out,
    ),
    Entry(
        "not-retrieved",
        "Evidence is missing from the candidates.",
        "chunking, embeddings, hybrid search, filters",
        "search for the evidence's own words: if that finds it, the query is the fault",
        Stage.RETRIEVAL,
        conditions.not_retrieved,
    ),
    Entry(
        "over-refusal",
        "The answer declines although all of the evidence is in the context.",
        "prompt, threshold",
        "loosen the abstention rule, and watch the unanswerable rows",
        Stage.BOUNDARY,
        conditions.over_refusal,
    ),
    Entry(
        "invented",
        "An unanswerable question was answered.",
        "prompt, abstention, relevance threshold",
        "tell the generator to decline when no passage answers, and watch over-refusal",
        Stage.BOUNDARY,
        conditions.invented,
    ),
    Entry(
        "conflicting-sources",
        "A claim that one passage supports is contradicted by another in the same context.",
        "surface the conflict, recency, authority",
        "decide which source wins and take the other out, or show both",
        Stage.GENERATION,
        conditions.conflicting_sources,
        Use.ON_PASSING,
    ),
    Entry(
        "lost-in-the-middle",
        "The evidence stands in the middle third of a context of six passages or more, and the "
        "answer misses it.",
        "order, fewer passages",
        "hand over fewer passages, or put the best ones first and last",
        Stage.GENERATION,
        conditions.lost_in_the_middle,
    ),
    Entry(
        "noisy-context",
        "The evidence is in the context, most of what stands before it is not relevant "
        "(ranked_precision below 0.5, or the first relevant passage past the middle), and the "
        "generation failed.",
        "reranker, lower k, filters",
        "hand over fewer passages",
        Stage.GENERATION,
        conditions.noisy_context,
        Use.ON_PASSING,
    ),
    Entry(
        "ignored-context",
        "The evidence was in the context, and claims of the answer are absent from it or "
        "contradicted by it.",
        "context sufficiency, contradictions, order; then prompt, model",
        "read the claims beside the passages, then tighten the prompt",
        Stage.GENERATION,
        conditions.ignored_context,
    ),
    Entry(
        "incomplete",
        "The context supports a fact, or a text that a right answer has, which the answer "
        "leaves out or says otherwise, and no claim of the answer is proven wrong. Where "
        "nothing says what the context supports, the labelled evidence in it does.",
        "prompt, generator, length limits",
        "ask the generator for every condition that the evidence states, and look for a length "
        "limit",
        Stage.ANSWER,
        conditions.incomplete,
    ),
    Entry(
        "evasive",
        "Faithful to the context, and not an answer to this question.",
        "prompt",
        "ask the generator to answer the question asked",
        Stage.GENERATION,
        conditions.evasive,
    ),
    Entry(
        "wrong-form",
        "The form of the answer is none that the row expects, and it is neither over-refusal "
        "nor invention: it did not ask back, or did not correct the premise.",
        "prompt",
        "tell the generator when to ask back, and when to correct the question",
        Stage.BOUNDARY,
        conditions.wrong_form,
    ),
    Entry(
        "no-answer",
        "The answer is empty.",
        "the generator, its limits and filters",
        "call the generator with this row's context and read what comes back: a limit, a "
        "filter, an error that is swallowed",
        Stage.GENERATION,
        conditions.no_answer,
    ),
    Entry(
        "forbidden-source",
        "A passage that the row forbids is among the candidates: another tenant's, or another "
        "role's.",
        "permissions and filters of the index",
        "filter by permission in the search itself, before anything is ranked",
        Stage.RETRIEVAL,
        conditions.forbidden_source,
    ),
    Entry(
        "label-or-corpus",
        "Every stage but the answer passed, the answer is wrong, and the context does not say "
        "otherwise. Never on a row that passed in the baseline with the same labels.",
        "the label, the source, a second reader",
        "have a second person read the label and the source",
        Stage.ANSWER,
        conditions.label_or_corpus,
    ),
    Entry(
        "judge-failed",
        "The judge gave no usable reply on something that the row's outcome waits for: an "
        "outage, a time-out, a reply that does not parse.",
        "the judge: its address, key, limits and model",
        "mend the judge, then evalrag rescore RUN: no pipeline is called",
        None,
        conditions.judge_gave_none,
        Use.VERDICT,
    ),
    Entry(
        "open-verdict",
        "The judge looked, and could not decide something that the row's outcome waits for.",
        "the open verdicts of the row",
        "decide them yourself with evalrag judge decide: what people decide holds in later runs",
        None,
        conditions.left_open,
        Use.VERDICT,
    ),
    Entry(
        "both-policies",
        "A warning: the answer states what a superseded passage says beside what a relevant one"
        " says. Where answer_excludes names the old rule, the answer stage fails.",
        "prompt, version filters",
        "take superseded versions out of the index, and name the old figure under answer_excludes",
        None,
        conditions.both_policies,
        Use.WARNING,
    ),
    Entry(
        "lucky",
        "A warning: the answer is right, and no relevant passage was in the context.",
        "the label, acceptable passages, the model's memory",
        "label the passage that supports it, or ask the question without passages",
        None,
        conditions.lucky,
        Use.WARNING,
    ),
    Entry(
        "from-memory",
        "A warning: the answer is right without any passage (the no_context probe), so that the "
        "row says nothing about retrieval: the model knew it.",
        "the row, and whether the model may answer without a source",
        "ask for what only your documents say, or have the generator decline without a passage",
        None,
        conditions.known_by_heart,
        Use.WARNING,
    ),
    Entry(
        "drifting",
        "A warning: the row still passes, and its first relevant passage fell by three places or "
        "more since the baseline.",
        "ranking",
        "look at what now stands above it",
    ),
    Entry(
        "reused-context",
        "A warning: the pipeline retrieved nothing for this turn and used an earlier turn's "
        "passages.",
        "when the pipeline decides to search again",
        "search again on every turn that asks something new",
    ),
)

CATALOGUE = {entry.code: entry for entry in _ENTRIES}


def entry(code: str) -> Entry:
    """The page of a stored code, also of one that another evalrag found and this one lacks."""
    unknown = Entry(code, "This evalrag does not know it.", "what the row shows", "upgrade evalrag")
    return CATALOGUE.get(code, unknown)


"""By code, in the order in which the first that fits is taken."""

POINTS = {
    "context_recall": "ranked-out",
    "evidence_coverage": "ranked-out",
    "hit": "ranked-out",
    "ndcg": "ranked-out",
    "reciprocal_rank": "ranked-out",
    "first_relevant_rank": "ranked-out",
    "first_relevant_in_context": "ranked-out",
    "candidate_recall": "not-retrieved",
    "context_precision": "noisy-context",
    "ranked_precision": "noisy-context",
    "current_precision": "stale-source",
    "superseded_in_context": "stale-source",
    "superseded_first": "stale-source",
    "near_miss_in_context": "wrong-sibling",
    "near_miss_first": "wrong-sibling",
    "rival_first": "wrong-sibling",
    "faithfulness": "ignored-context",
    "answer_relevancy": "evasive",
}
"""Metric -> the diagnosis that it would lead to, where a row loses it and passes all the same."""


def look_at(diagnosis: str | None, metric: str) -> str | None:
    """Where to look when a gate fails on a row.

    A row that passes has no diagnosis, and can lose a metric all the same: then the place is that
    of the diagnosis which the metric would lead to. None where it says nothing of a place.
    """
    code = diagnosis or POINTS.get(metric)
    return entry(code).look if code else None
