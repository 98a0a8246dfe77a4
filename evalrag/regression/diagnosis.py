"""Read the disagreement of the stages: which repair a failing row asks for (SPEC 7)."""

from collections.abc import Iterator

from evalrag.regression.stages import all_in_context
from evalrag.schema.result import Attempt, Claim, Finding
from evalrag.schema.score import Scored
from evalrag.schema.words import Form, Kind, Label, Mark, Outcome, Stage

_ON_PASSING = ("stale-source", "wrong-sibling", "conflicting-sources", "noisy-context")


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
        warnings += [f for f in _findings(attempt, kind) if f.code in _ON_PASSING]
    warnings += _lucky(attempt)
    if reused:
        warnings.append(Finding(code="reused-context", because="passages of an earlier turn"))
    return diagnoses, tuple(warnings)


def _findings(attempt: Attempt, kind: Kind) -> Iterator[Finding]:
    yield from _missing_content(attempt)
    for code, mark, metric in (
        ("stale-source", Mark.SUPERSEDED, "superseded_first"),
        ("wrong-sibling", Mark.NEAR_MISS, "near_miss_first"),
    ):
        yield from _rival(attempt, kind, code, mark, metric)
    yield from _retrieval(attempt)
    yield from _boundary(attempt, kind)
    yield from _conflicts(attempt)
    yield from _context(attempt)
    yield from _generation(attempt, kind)
    failed = {stage for stage, outcome in attempt.stages.items() if outcome is Outcome.FAIL}
    if failed == {Stage.ANSWER} and not _undecided(attempt):
        unmeasured = not isinstance(attempt.score("answer_relevancy"), Scored)
        doubt = "; relevancy was not measured, so it may be evasive" if unmeasured else ""
        yield Finding(code="label-or-corpus", because=f"every stage but the answer passed{doubt}")


def _undecided(attempt: Attempt) -> bool:
    return any(o in (Outcome.UNRESOLVED, Outcome.ERROR) for o in attempt.stages.values())


def _missing_content(attempt: Attempt) -> Iterator[Finding]:
    missing = [
        f"evidence {index}"
        for index, sought in enumerate(attempt.evidence, start=1)
        if sought.get("corpus") == 0 and not sought["candidates"]
    ]
    if missing:
        yield Finding(code="missing-content", because=f"{', '.join(missing)} is not in the corpus")


def _rival(attempt: Attempt, kind: Kind, code: str, mark: Mark, metric: str) -> Iterator[Finding]:
    rivals = {p["window"]: p for p in attempt.passages if p["mark"] is mark and "window" in p}
    if not rivals:
        return
    first = min(rivals)
    name = rivals[first].get("id", f"passage {first}")
    relevant = sorted(
        p["window"] for p in attempt.passages if p["mark"] is Mark.RELEVANT and "window" in p
    )
    stands_first = kind is not Kind.UNANSWERABLE and (not relevant or first < relevant[0])
    if stands_first:
        before = f"before the gold at {relevant[0]}" if relevant else "without the gold"
        yield Finding(code=code, because=f"{name} stands at {first} in the context, {before}")
        return
    for claim in _claims(attempt):
        if claim.passages and rivals.keys() & set(claim.passages):
            if set(claim.passages) & set(relevant):
                continue
            yield Finding(code=code, because=f"claim {claim.id} rests on {name} alone")
            return


def _claims(attempt: Attempt) -> tuple[Claim, ...]:
    return attempt.verdicts.claims if attempt.verdicts else ()


def _retrieval(attempt: Attempt) -> Iterator[Finding]:
    split, cut, out, absent = [], [], [], []
    for index, sought in enumerate(attempt.evidence, start=1):
        if sought["context"]:
            continue
        if 0.0 < sought["covered"] < 1.0:
            split.append(f"evidence {index} is covered to {sought['covered']:.0%}")
        if sought.get("reranked"):
            cut.append(f"evidence {index}")
        elif sought["candidates"]:
            out.append(f"evidence {index} is at position {sought.get('rank', '?')}")
        else:
            absent.append(f"evidence {index}")
    if split:
        yield Finding(code="split-evidence", because="; ".join(split))
    if cut:
        yield Finding(
            code="truncated",
            because=f"{', '.join(cut)} was in the reranked window and not handed over",
        )
    if out:
        size = sum("window" in p for p in attempt.passages)
        yield Finding(code="ranked-out", because=f"{'; '.join(out)}, outside a context of {size}")
    if absent:
        yield Finding(
            code="not-retrieved",
            because=f"{', '.join(absent)} is not among "
            f"{sum('rank' in p for p in attempt.passages)} candidates",
        )


def _boundary(attempt: Attempt, kind: Kind) -> Iterator[Finding]:
    form = attempt.verdicts.form if attempt.verdicts else None
    failed = attempt.stages.get(Stage.BOUNDARY) is Outcome.FAIL
    if failed and form is Form.DECLINED and kind is not Kind.UNANSWERABLE:
        yield Finding(code="over-refusal", because="declined with the evidence in the context")
    if kind is Kind.UNANSWERABLE and (failed or attempt.score("hard_fail") == Scored(1.0)):
        said = f"its form is {form}" if failed and form else "a claim is not in the context"
        yield Finding(code="invented", because=said)


def _conflicts(attempt: Attempt) -> Iterator[Finding]:
    for claim in _claims(attempt):
        if claim.conflict:
            places = ", ".join(map(str, claim.conflict))
            yield Finding(
                code="conflicting-sources",
                because=f"claim {claim.id} is supported, and contradicted by passage {places}",
            )
            return


def _context(attempt: Attempt) -> Iterator[Finding]:
    """Where the evidence stood among what was handed over."""
    if not all_in_context(attempt.evidence):
        return
    size = sum("window" in p for p in attempt.passages)
    relevant = sorted(
        p["window"] for p in attempt.passages if p["mark"] is Mark.RELEVANT and "window" in p
    )
    if not relevant:
        return
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
    if not wrong and isinstance(relevancy, Scored) and relevancy.value < 0.5:
        yield Finding(code="evasive", because="the answer is faithful and does not answer")


def _lucky(attempt: Attempt) -> Iterator[Finding]:
    if attempt.stages.get(Stage.ANSWER) is not Outcome.PASS or not attempt.evidence:
        return
    if not any(p["mark"] is Mark.RELEVANT and "window" in p for p in attempt.passages):
        yield Finding(code="lucky", because="no relevant passage was in the context")
