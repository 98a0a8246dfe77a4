"""When each diagnosis holds: plain code over what an attempt stores (SPEC 7).

Each condition gives what shows it, in a line, or None. The catalogue says in which order they are
asked, and what a diagnosis means.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from evalrag.evidence.nearly import in_words
from evalrag.judging.answer_checks import failing
from evalrag.regression.probed import from_memory, rewriting, with_gold_all_the_same
from evalrag.regression.stages import all_in_context, at_least, no_hard_fail
from evalrag.schema.plan import Thresholds
from evalrag.schema.result import EMPTY, AnswerCheck, Attempt, Claim, Place, Sought
from evalrag.schema.score import Scored, judge_failed
from evalrag.schema.words import FactLabel, Form, Kind, Label, Mark, Outcome, Stage

_WRONG = (Label.ABSENT, Label.CONTRADICTED)
_NAMED = 5
"""Claims and the like that a line names."""


@dataclass
class Seen:
    """A decided attempt, read once and only where it is asked for."""

    attempt: Attempt
    kind: Kind
    thresholds: Thresholds

    @cached_property
    def window(self) -> dict[int, Place]:
        """Position in the context -> passage."""
        return {p.window: p for p in self.attempt.places() if p.window is not None}

    @cached_property
    def marks(self) -> dict[int, Mark | None]:
        """Position in the context -> mark, without the trouble of a whole `Place`."""
        return {
            entry["window"]: entry.get("mark")
            for entry in self.attempt.passages
            if type(entry) is dict and "window" in entry
        }

    def marked(self, mark: Mark) -> list[int]:
        """Positions in the context of passages with this mark, in order."""
        found = [at for at, one in self.marks.items() if one is mark]
        return sorted(found) if len(found) > 1 else found

    @cached_property
    def relevant(self) -> list[int]:
        return self.marked(Mark.RELEVANT)

    @property
    def size(self) -> int:
        """Passages in the context."""
        return len(self.marks)

    @property
    def candidates(self) -> int:
        return sum(place.rank is not None for place in self.attempt.places())

    @property
    def answerable(self) -> bool:
        return self.kind is not Kind.UNANSWERABLE

    @property
    def form(self) -> Form | None:
        return self.attempt.verdicts.form if self.attempt.verdicts else None

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self.attempt.verdicts.claims if self.attempt.verdicts else ()

    @property
    def wrong(self) -> list[Claim]:
        """Claims that a verdict says are not borne out; an open one says nothing."""
        return [claim for claim in self.claims if claim.label in _WRONG]

    def failed(self, stage: Stage) -> bool:
        return self.attempt.stages.get(stage) is Outcome.FAIL

    @cached_property
    def unfaithful(self) -> bool:
        """The answer is proven not to keep to the context."""
        faithfulness = at_least(self.attempt.score("faithfulness"), self.thresholds.faithfulness)
        hard_fail = no_hard_fail(self.attempt.score("hard_fail"))
        return bool(self.wrong) and Outcome.FAIL in (faithfulness, hard_fail)

    @cached_property
    def facts_short(self) -> bool:
        """Of a row without gold: the context does not support enough of its facts."""
        if self.attempt.evidence or not self.answerable:
            return False
        recall = at_least(self.attempt.score("claim_recall"), self.thresholds.claim_recall)
        return recall is Outcome.FAIL

    @cached_property
    def evidence_missing(self) -> bool:
        """Some of what is needed to answer is known not to be in the context."""
        return self.facts_short or not all(s["context"] for s in self.attempt.evidence)

    @cached_property
    def left_out(self) -> list[tuple[str, bool | None]]:
        """What a right answer says and this one does not, and whether the context says it.

        None where that is not known.
        """
        if not self.failed(Stage.ANSWER):
            return []
        found: list[tuple[str, bool | None]] = [
            (check.texts[0], bool(check.passages))
            for check in failing(self.attempt.checks)
            if not check.excluded
        ]
        verdicts = self.attempt.verdicts
        if verdicts is None:
            return found
        recalled = {fact.fact: fact.label for fact in verdicts.recalled}
        known = {FactLabel.STATED: True, FactLabel.MISSING: False, FactLabel.CONTRADICTED: False}
        return found + [
            (fact.fact, known.get(recalled.get(fact.fact, FactLabel.UNRESOLVED)))
            for fact in verdicts.facts
            if fact.label in (FactLabel.MISSING, FactLabel.CONTRADICTED)
        ]

    @cached_property
    def forbidden_words(self) -> list[AnswerCheck]:
        """What the answer says and must not."""
        return [check for check in failing(self.attempt.checks) if check.excluded]

    @cached_property
    def denied(self) -> list[str]:
        """Facts that the answer says otherwise."""
        facts = self.attempt.verdicts.facts if self.attempt.verdicts else ()
        return [fact.fact for fact in facts if fact.label is FactLabel.CONTRADICTED]

    def missing(self) -> Iterator[tuple[int, Sought]]:
        """Gold that the model did not see, numbered from 1."""
        for number, sought in enumerate(self.attempt.evidence, start=1):
            if not sought["context"]:
                yield number, sought

    @cached_property
    def unfetched(self) -> list[int]:
        """Gold that the retriever did not return, numbered from 1."""
        return [number for number, sought in self.missing() if not sought["candidates"]]

    def followed(self, *marks: Mark) -> tuple[str, int] | None:
        """What of the answer rests on a passage so marked and on no relevant one, and on which.

        A supported claim, by its id; or words that the answer must not say.
        """
        rivals = {at for mark in marks for at in self.marked(mark)}
        if not rivals:
            return None
        supported = [c for c in self.claims if c.label is Label.SUPPORTED]
        said = [(f"claim {claim.id}", claim.passages) for claim in supported]
        said += [(repr(check.texts[0]), check.passages) for check in self.forbidden_words]
        for what, passages in said:
            rests = rivals.intersection(passages)
            if rests and not set(self.relevant).intersection(passages):
                return what, min(rests)
        return None

    @cached_property
    def replaced(self) -> bool:
        """The answer rests on a rival, or an old version stands for what was not fetched."""
        if self.followed(Mark.SUPERSEDED, Mark.NEAR_MISS) is not None:
            return True
        return any("replaced_by" in sought for _, sought in self.missing())


def missing_content(seen: Seen) -> str | None:
    missing = missing_from_corpus(seen.attempt)
    return f"{_evidence(at + 1 for at in missing)} is not in the corpus" if missing else None


def missing_from_corpus(attempt: Attempt) -> list[int]:
    """Gold that is seen to be nowhere in the corpus, by its place from 0."""
    return [
        index
        for index, sought in enumerate(attempt.evidence)
        if sought.get("corpus") == 0 and not sought["candidates"] and not sought["context"]
    ]


def two_problems(seen: Seen) -> str | None:
    wrong = with_gold_all_the_same(seen.attempt)
    failed = [s.value for s in (Stage.RETRIEVAL, Stage.RANKING) if seen.failed(s)]
    if wrong is None or not failed:
        return None
    asked = (split_evidence, truncated, ranked_out, not_retrieved, stale_source, wrong_sibling)
    first = next(filter(None, (condition(seen) for condition in asked)), "")
    said = f"{' and '.join(failed)} failed{f': {first}' if first else ''}"
    return f"{said}; with the gold in the context {wrong}"


def rewrite(seen: Seen) -> str | None:
    return rewriting(seen.attempt)


def stale_source(seen: Seen) -> str | None:
    stale = _rival(seen, Mark.SUPERSEDED)
    if stale is not None:
        return stale
    for number, sought in seen.missing():
        old = sought.get("replaced_by")
        if old is not None:
            return f"{seen.window[old].name} stands at {old} in the context, for evidence {number}"
    return None


def wrong_sibling(seen: Seen) -> str | None:
    return _rival(seen, Mark.NEAR_MISS)


def _rival(seen: Seen, mark: Mark) -> str | None:
    rivals = seen.marked(mark)
    if not rivals:
        return None
    first, relevant = rivals[0], seen.relevant
    name = seen.window[first].name
    if _gold_behind(seen, first):
        before = f"before the gold at {relevant[0]}" if relevant else "without the gold"
        if relevant and first > relevant[0]:
            before = "before the gold that it competes with"
        return f"{name} stands at {first} in the context, {before}"
    follows = seen.followed(mark)
    if follows is not None:
        what, at = follows
        return f"{what} rests on {seen.window[at].name} alone"
    return None


def _gold_behind(seen: Seen, rival: int) -> bool:
    """What is needed stands behind this place of the context, or is not there."""
    if not seen.attempt.evidence:
        return seen.facts_short
    if not seen.relevant or rival < seen.relevant[0]:
        return True
    if seen.attempt.scores.get("rival_first") != 1.0:
        return False
    if seen.evidence_missing:
        return True
    return any(place.gold and at > rival for at, place in seen.window.items())


def split_evidence(seen: Seen) -> str | None:
    split = [
        f"evidence {number} is covered to {sought['covered']:.0%}"
        for number, sought in seen.missing()
        if sought.get("split")
    ]
    return "; ".join(split) or None


def _cut(sought: Sought) -> bool:
    return sought.get("reranked", False) or sought.get("handed", False)


def truncated(seen: Seen) -> str | None:
    cut = [number for number, sought in seen.missing() if _cut(sought)]
    return f"{_evidence(cut)} was in the window and did not reach the prompt" if cut else None


def ranked_out(seen: Seen) -> str | None:
    out = [
        _out(number, sought, seen.size)
        for number, sought in seen.missing()
        if sought["candidates"] and not _cut(sought)
    ]
    return f"{'; '.join(out)}, outside a context of {seen.size}" if out else None


def moved_by_reranker(sought: Sought, size: int) -> bool:
    """It stood within a window of `size`, and the reranker took it out."""
    return sought.get("reranked") is False and sought.get("rank", size + 1) <= size


def _out(number: int, sought: Sought, size: int) -> str:
    """Where it stood; that the reranker took it away, where it stood well before that."""
    said = f"evidence {number} is at position {sought.get('rank', '?')}"
    return (
        f"{said} before the reranker, which moved it" if moved_by_reranker(sought, size) else said
    )


def not_retrieved(seen: Seen) -> str | None:
    if seen.facts_short:
        return f"the context does not support the facts: claim_recall is {_figure(seen)}"
    if not seen.unfetched:
        return None
    there = [
        f"evidence {number}: {in_words(sought['nearly'])}"
        for number, sought in seen.missing()
        if "nearly" in sought
    ]
    said = f"{_evidence(seen.unfetched)} is not among {seen.candidates} candidates"
    return "; ".join([said, *there])


def _figure(seen: Seen) -> str:
    score = seen.attempt.score("claim_recall")
    return f"{score.value:.2f}" if isinstance(score, Scored) else "too low whatever is still open"


def over_refusal(seen: Seen) -> str | None:
    if not seen.answerable or not seen.failed(Stage.BOUNDARY) or seen.form is not Form.DECLINED:
        return None
    return "declined with the evidence in the context"


def invented(seen: Seen) -> str | None:
    if seen.answerable or seen.attempt.empty:
        return None
    if seen.failed(Stage.BOUNDARY) and seen.form in (Form.ANSWERED, Form.QUALIFIED):
        return f"its form is {seen.form}"
    if seen.forbidden_words:
        return f"it says {seen.forbidden_words[0].texts[0]!r}"
    if seen.attempt.score("hard_fail") == Scored(1.0) or seen.unfaithful:
        if any(claim.label is Label.CONTRADICTED for claim in seen.wrong):
            return "the context contradicts a claim"
        if seen.wrong:
            return "a claim is not in the context"
    return None


def conflicting_sources(seen: Seen) -> str | None:
    for claim in seen.claims:
        if claim.conflict:
            places = ", ".join(map(str, claim.conflict))
            return f"claim {claim.id} is supported, and contradicted by passage {places}"
    return None


def _handed_over(seen: Seen) -> bool:
    """All of the evidence was there, and there is an answer to read."""
    there = all_in_context(seen.attempt.evidence) and bool(seen.relevant)
    return there and not seen.attempt.empty


def lost_in_the_middle(seen: Seen) -> str | None:
    size, third = seen.size, seen.size / 3
    missed = seen.failed(Stage.GENERATION) or seen.failed(Stage.ANSWER)
    if size < 6 or not missed or not _handed_over(seen):
        return None
    if not all(third < place <= size - third for place in seen.relevant):
        return None
    return f"the evidence stands at {', '.join(map(str, seen.relevant))} of {size}"


def noisy_context(seen: Seen) -> str | None:
    passed = seen.attempt.outcome is Outcome.PASS
    if not (passed or seen.failed(Stage.GENERATION)) or not _handed_over(seen):
        return None
    first, size = seen.relevant[0], seen.size
    precision = seen.attempt.scores.get("ranked_precision", 1.0)
    if precision < 0.5 or first > (size + 1) / 2:
        return f"first relevant passage at {first} of {size}, ranked_precision {precision:.2f}"
    return None


def ignored_context(seen: Seen) -> str | None:
    """Where the row names no evidence, or none that could be matched, nothing says it was away."""
    if not seen.answerable or not seen.failed(Stage.GENERATION) or not seen.unfaithful:
        return None
    if seen.evidence_missing:
        return None
    return ", ".join(f"{claim.id} is {claim.label}" for claim in seen.wrong[:_NAMED])


def incomplete(seen: Seen) -> str | None:
    """Without a word on what the context says, the labelled evidence speaks for it."""
    if seen.form is Form.DECLINED or seen.unfaithful or not seen.failed(Stage.ANSWER):
        return None
    if seen.attempt.empty:
        return None
    for text, there in seen.left_out:
        if there:
            return f"the context says {text!r}, and the answer does not"
    for text, there in seen.left_out:
        if there is None and text not in seen.denied and _given(seen):
            return f"the evidence was in the context, and the answer leaves out {text!r}"
    return None


def _given(seen: Seen) -> bool:
    return bool(seen.attempt.evidence) and not seen.evidence_missing


def evasive(seen: Seen) -> str | None:
    relevancy = at_least(seen.attempt.score("answer_relevancy"), seen.thresholds.answer_relevancy)
    if seen.failed(Stage.GENERATION) and relevancy is Outcome.FAIL and not seen.unfaithful:
        return "the answer is faithful and does not answer"
    return None


def wrong_form(seen: Seen) -> str | None:
    if not seen.failed(Stage.BOUNDARY) or seen.form is None:
        return None
    if over_refusal(seen) is not None or invented(seen) is not None:
        return None
    return f"its form is {seen.form}, which the row does not expect"


def no_answer(seen: Seen) -> str | None:
    return EMPTY if seen.attempt.empty else None


def forbidden_source(seen: Seen) -> str | None:
    n = seen.attempt.scores.get("forbidden_retrieved", 0.0)
    return f"{n:g} of {seen.candidates} candidates are forbidden" if n else None


def label_or_corpus(seen: Seen) -> str | None:
    """Evidence that cannot be matched is an error of the row, and one of its label as well."""
    others = {o for stage, o in seen.attempt.stages.items() if stage is not Stage.ANSWER}
    if not seen.failed(Stage.ANSWER) or not others <= {Outcome.PASS, Outcome.ERROR}:
        return None
    if incomplete(seen) is not None or any(there for _, there in seen.left_out):
        return None
    if seen.followed(Mark.SUPERSEDED, Mark.NEAR_MISS) is not None or invented(seen) is not None:
        return None
    unmeasured = not isinstance(seen.attempt.score("answer_relevancy"), Scored)
    doubt = "; relevancy was not measured, so it may be evasive" if unmeasured else ""
    return f"every stage but the answer passed{doubt}"


def judge_gave_none(seen: Seen) -> str | None:
    return _open(seen) if judge_failed(seen.attempt.reasons) else None


def left_open(seen: Seen) -> str | None:
    return None if judge_failed(seen.attempt.reasons) else _open(seen)


def _open(seen: Seen) -> str | None:
    stages = [s.value for s, o in seen.attempt.stages.items() if o is Outcome.UNRESOLVED]
    return f"undecided: {', '.join(stages)}" if stages else None


def both_policies(seen: Seen) -> str | None:
    """The answer states what the old page says beside what the new one says."""
    follows = seen.followed(Mark.SUPERSEDED)
    if follows is None or not seen.answerable:
        return None
    new = set(seen.relevant)
    for claim in seen.claims:
        if claim.label is Label.SUPPORTED and new.intersection(claim.passages):
            old, at = follows
            return f"{old} rests on {seen.window[at].name}, and claim {claim.id} does not"
    return None


def lucky(seen: Seen) -> str | None:
    if seen.attempt.stages.get(Stage.ANSWER) is not Outcome.PASS or not seen.attempt.evidence:
        return None
    return None if seen.relevant else "no relevant passage was in the context"


def known_by_heart(seen: Seen) -> str | None:
    return from_memory(seen.attempt)


def _evidence(numbers: Sequence[int] | Iterator[int]) -> str:
    return ", ".join(f"evidence {number}" for number in numbers)
