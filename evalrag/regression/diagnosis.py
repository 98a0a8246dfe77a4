"""Read the disagreement of the stages: which repair a failing row asks for (SPEC 7)."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from evalrag.regression.probed import from_memory, rewriting, two_problems
from evalrag.regression.stages import all_in_context
from evalrag.schema.result import Attempt, Claim, Finding, Place, Sought
from evalrag.schema.score import Scored
from evalrag.schema.words import FactLabel, Form, Kind, Label, Mark, Outcome, Stage

REUSED = "reused-context"


class _Seen:
    """What the model was given, read from an attempt once and only where it is asked for."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt

    @cached_property
    def places(self) -> list[Place]:
        return self.attempt.places()

    @cached_property
    def window(self) -> dict[int, Place]:
        """Position in the context -> passage."""
        return {place.window: place for place in self.places if place.window is not None}

    def marked(self, mark: Mark) -> list[int]:
        """Positions in the context of passages with this mark, in order."""
        found = [at for at, one in self.marks.items() if one is mark]
        return sorted(found) if len(found) > 1 else found

    @cached_property
    def marks(self) -> dict[int, Mark | None]:
        """Position in the context -> mark, without the trouble of a whole `Place`."""
        found: dict[int, Mark | None] = {}
        for entry in self.attempt.passages:
            if type(entry) is dict and "window" in entry:
                found[entry["window"]] = entry.get("mark")
        return found

    @property
    def size(self) -> int:
        """Passages in the context."""
        return len(self.marks)

    @cached_property
    def relevant(self) -> list[int]:
        return self.marked(Mark.RELEVANT)

    @property
    def fetched(self) -> int:
        return sum(place.rank is not None for place in self.places)


def diagnose(
    attempt: Attempt, kind: Kind, *, reused: bool = False
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The diagnoses of a decided attempt, the first that fits first, and its warnings.

    A row that passed or errored has no diagnosis; on a passing one some of them are warnings.
    """
    diagnoses: tuple[Finding, ...] = ()
    warnings: list[Finding] = []
    if attempt.outcome in (Outcome.FAIL, Outcome.UNRESOLVED):
        diagnoses = tuple(_findings(attempt, kind))
    elif attempt.outcome is Outcome.PASS:
        warnings += _on_passing(attempt, kind)
    warnings += _lucky(attempt)
    warnings += from_memory(attempt)
    if reused:
        warnings.append(Finding(code=REUSED, because="passages of an earlier turn"))
    return diagnoses, tuple(warnings)


def _on_passing(attempt: Attempt, kind: Kind) -> Iterator[Finding]:
    """Those of `_findings` that are worth a word on a row that passed."""
    seen = _Seen(attempt)
    yield from _rivals(seen, kind)
    yield from _conflicts(attempt)
    yield from (found for found in _context(seen) if found.code == "noisy-context")


def _findings(attempt: Attempt, kind: Kind) -> Iterator[Finding]:
    seen = _Seen(attempt)
    yield from _missing_content(attempt)
    rivals = list(_rivals(seen, kind))
    lost = list(_retrieval(seen))
    yield from two_problems(attempt, next((one.because for one in (*lost, *rivals)), ""))
    yield from rewriting(attempt)
    yield from rivals
    yield from lost
    yield from _boundary(attempt, kind)
    yield from _conflicts(attempt)
    yield from _context(seen)
    yield from _generation(attempt, kind)
    failed = {stage for stage, outcome in attempt.stages.items() if outcome is Outcome.FAIL}
    if failed == {Stage.ANSWER} and not _undecided(attempt):
        unmeasured = not isinstance(attempt.score("answer_relevancy"), Scored)
        doubt = "; relevancy was not measured, so it may be evasive" if unmeasured else ""
        missed = _missed_fact(attempt)
        if missed:
            doubt = f"; the context says {missed!r}, and the answer does not"
        yield Finding(code="label-or-corpus", because=f"every stage but the answer passed{doubt}")


def _missed_fact(attempt: Attempt) -> str | None:
    """A fact that the context was seen to support and the answer leaves out."""
    if attempt.verdicts is None:
        return None
    there = {f.fact for f in attempt.verdicts.recalled if f.label is FactLabel.STATED}
    for verdict in attempt.verdicts.facts:
        if verdict.label is FactLabel.MISSING and verdict.fact in there:
            return verdict.fact
    return None


def _undecided(attempt: Attempt) -> bool:
    return any(o in (Outcome.UNRESOLVED, Outcome.ERROR) for o in attempt.stages.values())


def _missing_content(attempt: Attempt) -> Iterator[Finding]:
    missing = missing_from_corpus(attempt)
    if missing:
        named = ", ".join(f"evidence {index + 1}" for index in missing)
        yield Finding(code="missing-content", because=f"{named} is not in the corpus")


def missing_from_corpus(attempt: Attempt) -> list[int]:
    """Gold that is seen to be nowhere in the corpus, by its place from 0."""
    return [
        index
        for index, sought in enumerate(attempt.evidence)
        if sought.get("corpus") == 0 and not sought["candidates"]
    ]


def with_pages(attempt: Attempt, edited: Mapping[int, str]) -> Attempt:
    """The attempt with what is known of the pages of its missing content, by place of the gold."""
    said = [
        f"evidence {at + 1}: {edited[at]}" for at in missing_from_corpus(attempt) if at in edited
    ]
    if not said:
        return attempt
    found = tuple(
        Finding(code=f.code, because="; ".join([f.because, *said]))
        if f.code == "missing-content"
        else f
        for f in attempt.diagnoses
    )
    return attempt.model_copy(update={"diagnoses": found})


def _rivals(seen: _Seen, kind: Kind) -> Iterator[Finding]:
    yield from _rival(seen, kind, "stale-source", Mark.SUPERSEDED)
    yield from _rival(seen, kind, "wrong-sibling", Mark.NEAR_MISS)


def _rival(seen: _Seen, kind: Kind, code: str, mark: Mark) -> Iterator[Finding]:
    rivals = seen.marked(mark)
    if not rivals:
        return
    first, relevant = rivals[0], seen.relevant
    name = seen.window[first].name
    if kind is not Kind.UNANSWERABLE and (not relevant or first < relevant[0]):
        before = f"before the gold at {relevant[0]}" if relevant else "without the gold"
        yield Finding(code=code, because=f"{name} stands at {first} in the context, {before}")
        return
    for claim in _claims(seen.attempt):
        rests = set(claim.passages)
        if rests & set(rivals) and not rests & set(relevant):
            followed = seen.window[min(rests & set(rivals))].name
            yield Finding(code=code, because=f"claim {claim.id} rests on {followed} alone")
            return


def _claims(attempt: Attempt) -> tuple[Claim, ...]:
    return attempt.verdicts.claims if attempt.verdicts else ()


def _retrieval(seen: _Seen) -> Iterator[Finding]:
    split, cut, out, absent = [], [], [], []
    for index, sought in enumerate(seen.attempt.evidence, start=1):
        if sought["context"]:
            continue
        if 0.0 < sought["covered"] < 1.0:
            split.append(f"evidence {index} is covered to {sought['covered']:.0%}")
        if sought.get("reranked") or sought.get("handed"):
            cut.append(f"evidence {index}")
        elif sought["candidates"]:
            out.append(_out(index, sought, seen.size))
        else:
            absent.append(f"evidence {index}")
    if split:
        yield Finding(code="split-evidence", because="; ".join(split))
    if cut:
        yield Finding(
            code="truncated",
            because=f"{', '.join(cut)} was in the window and did not reach the prompt",
        )
    if out:
        size = seen.size
        yield Finding(code="ranked-out", because=f"{'; '.join(out)}, outside a context of {size}")
    if absent:
        yield Finding(
            code="not-retrieved",
            because=f"{', '.join(absent)} is not among {seen.fetched} candidates",
        )


def _out(index: int, sought: Sought, size: int) -> str:
    """Where it stood; that the reranker took it away, where it stood well before that."""
    said = f"evidence {index} is at position {sought.get('rank', '?')}"
    moved = sought.get("reranked") is False and sought.get("rank", size + 1) <= size
    return f"{said} before the reranker, which moved it" if moved else said


def _boundary(attempt: Attempt, kind: Kind) -> Iterator[Finding]:
    form = attempt.verdicts.form if attempt.verdicts else None
    if attempt.empty:
        return  # it neither declines nor invents
    failed = attempt.stages.get(Stage.BOUNDARY) is Outcome.FAIL
    if failed and form is Form.DECLINED and kind is not Kind.UNANSWERABLE:
        yield Finding(code="over-refusal", because="declined with the evidence in the context")
    if kind is Kind.UNANSWERABLE and (failed or attempt.score("hard_fail") == Scored(1.0)):
        yield Finding(code="invented", because=_invented(attempt, form if failed else None))


def _invented(attempt: Attempt, form: Form | None) -> str:
    if form is not None:
        return f"its form is {form}"
    claims = _claims(attempt)
    if any(claim.label is Label.CONTRADICTED for claim in claims):
        return "the context contradicts a claim"
    return "a claim is not in the context"


def _conflicts(attempt: Attempt) -> Iterator[Finding]:
    for claim in _claims(attempt):
        if claim.conflict:
            places = ", ".join(map(str, claim.conflict))
            yield Finding(
                code="conflicting-sources",
                because=f"claim {claim.id} is supported, and contradicted by passage {places}",
            )
            return


def _context(seen: _Seen) -> Iterator[Finding]:
    """Where the evidence stood among what was handed over."""
    attempt = seen.attempt
    if not all_in_context(attempt.evidence) or not seen.relevant:
        return
    size, relevant = seen.size, seen.relevant
    generation = attempt.stages.get(Stage.GENERATION)
    missed = Outcome.FAIL in (generation, attempt.stages.get(Stage.ANSWER))
    third = size / 3
    if size >= 6 and missed and all(third < place <= size - third for place in relevant):
        yield Finding(
            code="lost-in-the-middle",
            because=f"the evidence stands at {', '.join(map(str, relevant))} of {size}",
        )
    if generation is Outcome.FAIL or attempt.outcome is Outcome.PASS:
        precision = attempt.scores.get("ranked_precision", 1.0)
        if precision < 0.5 or relevant[0] > (size + 1) / 2:
            yield Finding(
                code="noisy-context",
                because=f"first relevant passage at {relevant[0]} of {size}, "
                f"ranked_precision {precision:.2f}",
            )


def _generation(attempt: Attempt, kind: Kind) -> Iterator[Finding]:
    if attempt.stages.get(Stage.GENERATION) is not Outcome.FAIL:
        return
    wrong = [c for c in _claims(attempt) if c.label in (Label.ABSENT, Label.CONTRADICTED)]
    if wrong and all_in_context(attempt.evidence) and kind is not Kind.UNANSWERABLE:
        said = ", ".join(f"{claim.id} is {claim.label}" for claim in wrong[:5])
        yield Finding(code="ignored-context", because=said)
    relevancy = attempt.score("answer_relevancy")
    if not wrong and isinstance(relevancy, Scored) and relevancy.value < 1.0:
        yield Finding(code="evasive", because="the answer is faithful and does not answer")


def _lucky(attempt: Attempt) -> Iterator[Finding]:
    if attempt.stages.get(Stage.ANSWER) is not Outcome.PASS or not attempt.evidence:
        return
    if not _Seen(attempt).relevant:
        yield Finding(code="lucky", because="no relevant passage was in the context")
