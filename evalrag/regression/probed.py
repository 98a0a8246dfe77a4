"""What the probes of an attempt found out, and what follows from it (SPEC 7)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from evalrag.evidence.assess import assess
from evalrag.judging.answer_checks import ANSWER_CHECKS, checked, failing, has_checks
from evalrag.judging.scores import judged_scores
from evalrag.regression.stages import answer_stage, generation, row_outcome
from evalrag.schema.brief import Result
from evalrag.schema.plan import Thresholds
from evalrag.schema.result import EMPTY, Attempt, Probed, Sought, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.score import NotApplicable, Scored, Unresolved, to_wire
from evalrag.schema.trace import ProbeTrace, Trace
from evalrag.schema.words import Form, Label, Outcome, Probe

ORACLE_METRICS = (
    "faithfulness",
    "absent_claims",
    "contradicted_claims",
    "hard_fail",
    "answer_relevancy",
    "answer_correctness",
)
NO_CONTEXT_METRICS = ("answer_correctness",)
ASKED: Mapping[Probe, tuple[str, ...]] = {
    Probe.ORACLE_CONTEXT: ORACLE_METRICS,
    Probe.NO_CONTEXT: NO_CONTEXT_METRICS,
}
"""What a judge is asked of the answer to a probe."""


def probed_of(
    row: Row,
    trace: Trace,
    sought: Sequence[Sought],
    verdicts: Mapping[str, Verdicts],
    *,
    reading: Reading,
    offers: frozenset[str],
    judge: str,
) -> dict[Probe, Probed]:
    """What each probe of a trace found out, not decided yet.

    A probe that asked for something that the row does not say any more, since it was relabelled,
    says nothing and is left out.
    """
    found: dict[Probe, Probed] = {}
    for name, probe in trace.get("probes", {}).items():
        which = Probe(name)
        if which is Probe.STANDALONE_QUESTION:
            made = _standalone(row, probe, sought, reading)
        else:
            asked = ASKED[which]
            said = verdicts.get(name)
            made = _answered(row, which, probe, said, reading, asked, offers, judge)
        if made is not None:
            found[which] = made
    return found


def without_answers(trace: Trace) -> Trace:
    """The trace without the probes that a label went into, of a row whose labels changed since."""
    if "probes" not in trace:
        return trace
    kept = {name: probe for name, probe in trace["probes"].items() if Probe(name) not in ASKED}
    return cast(Trace, {**trace, "probes": kept})


def _open(why: str, **more: object) -> Probed:
    return Probed.model_validate({"outcome": Outcome.UNRESOLVED, "unresolved": why, **more})


def _standalone(
    row: Row, probe: ProbeTrace, sought: Sequence[Sought], reading: Reading
) -> Probed | None:
    if probe.get("query") != row.standalone_question or len(sought) != len(row.gold):
        return None
    if "candidates" not in probe:
        return _open(probe.get("unresolved", "no candidates"))
    seen = assess(row, probe["candidates"], (), reading)
    if seen.error is not None:
        return _open(seen.error)
    finds = tuple(at for at, found in enumerate(seen.found_in_candidates) if found)
    missed = tuple(at for at in finds if not sought[at]["candidates"])
    return Probed(outcome=Outcome.UNRESOLVED, finds=finds, missed=missed)


def _answered(
    row: Row,
    which: Probe,
    probe: ProbeTrace,
    verdicts: Verdicts | None,
    reading: Reading,
    asked: Sequence[str],
    offers: frozenset[str],
    judge: str,
) -> Probed | None:
    answer = probe.get("answer")
    if answer is None:
        return _open(probe.get("unresolved", "no answer"))
    if which is Probe.ORACLE_CONTEXT:
        context = probe.get("context", ())
        given = assess(row, context, context, reading)
        if given.error is not None or not given.found or not all(given.found):
            return _open("the generator says that it left gold out of what it was given")
    measured = [name for name in asked if name in offers]
    if has_checks(row):
        measured.append(ANSWER_CHECKS)
    scores = judged_scores(row, verdicts, answer, offers=offers, judge=judge, asked=measured)
    numbers, reasons = to_wire(scores)
    return Probed(
        outcome=Outcome.UNRESOLVED,
        scores=numbers,
        reasons=reasons,
        answer=answer,
        checks=checked(row, answer),
        verdicts=verdicts,
    )


def decided(
    probes: Mapping[Probe, Probed], expect: Sequence[Form], thresholds: Thresholds
) -> dict[Probe, Probed]:
    """The same under these thresholds."""
    return {which: _decided(which, found, expect, thresholds) for which, found in probes.items()}


def _decided(which: Probe, found: Probed, expect: Sequence[Form], thresholds: Thresholds) -> Probed:
    if found.unresolved is not None:
        outcome, because = Outcome.UNRESOLVED, found.unresolved
    elif which is Probe.STANDALONE_QUESTION:
        outcome, because = _rewriting(found)
    elif which is Probe.ORACLE_CONTEXT:
        outcome, because = _with_gold(found, expect, thresholds)
    else:
        outcome, because = _from_memory(found, thresholds)
    return found.model_copy(update={"outcome": outcome, "because": because})


def _rewriting(found: Probed) -> tuple[Outcome, str]:
    if not found.finds:
        return Outcome.PASS, "the standalone question finds none of the evidence either"
    if not found.missed:
        return Outcome.PASS, "the query finds what the standalone question finds"
    named = ", ".join(f"evidence {at + 1}" for at in found.missed)
    return Outcome.FAIL, f"the standalone question finds {named}, and the rewritten query does not"


def _with_gold(
    found: Probed, expect: Sequence[Form], thresholds: Thresholds
) -> tuple[Outcome, str]:
    """Whether the answer would be right if nothing but the context had been wrong.

    It is held against the generation stage, against the forms that are right here, and against the
    reference where there is one: whichever fails, mending retrieval alone does not mend the row.
    """
    made = generation(found, thresholds)
    correct = answer_stage(found, thresholds)
    if made is Outcome.NA and correct is Outcome.NA and not _declined(found):
        return Outcome.UNRESOLVED, "the judge measures nothing that would decide it"
    wrong = list(_wrong(found, expect, made, correct))
    if wrong:
        return Outcome.FAIL, "; ".join(wrong)
    outcome = row_outcome([made, _form(found, expect), correct])
    if outcome is Outcome.PASS:
        return outcome, "with the gold in the context the answer is right"
    return Outcome.UNRESOLVED, _why_open(found)


def _wrong(found: Probed, expect: Sequence[Form], made: Outcome, correct: Outcome) -> Iterator[str]:
    if not (found.answer or "").strip():
        yield EMPTY
        return
    if _form(found, expect) is Outcome.FAIL:
        yield f"its form is {found.verdicts.form if found.verdicts else None}"
    if made is Outcome.FAIL:
        claims = found.verdicts.claims if found.verdicts else ()
        bad = [c for c in claims if c.label in (Label.ABSENT, Label.CONTRADICTED)]
        named = ", ".join(f"{claim.id} is {claim.label}" for claim in bad[:5])
        yield named or "it does not answer the question"
    if correct is Outcome.FAIL:
        yield _figure(found)


def _form(found: Probed, expect: Sequence[Form]) -> Outcome:
    form = found.verdicts.form if found.verdicts else None
    if form is None:
        return Outcome.UNRESOLVED
    return Outcome.PASS if form in expect else Outcome.FAIL


def _declined(found: Probed) -> bool:
    return found.verdicts is not None and found.verdicts.form is Form.DECLINED


def _from_memory(found: Probed, thresholds: Thresholds) -> tuple[Outcome, str]:
    right = answer_stage(found, thresholds)
    if right is Outcome.NA:
        return Outcome.UNRESOLVED, "the judge does not measure answer_correctness"
    figure = f"{_figure(found)} without any passage"
    if right is Outcome.PASS:
        return Outcome.FAIL, figure
    if right is Outcome.FAIL:
        return Outcome.PASS, figure
    return Outcome.UNRESOLVED, _why_open(found)


def _figure(found: Probed) -> str:
    """What the answer stage rests on: a check that does not hold is all that there is to say."""
    checks, wrong = found.checks, failing(found.checks)
    if wrong:
        return f"{len(wrong)} of {len(checks)} answer checks do not hold"
    if isinstance(found.score("answer_correctness"), NotApplicable):
        return f"{len(checks)} of {len(checks)} answer checks hold"
    return f"answer_correctness is {_correctness(found)}"


def _correctness(found: Probed) -> str:
    match found.score("answer_correctness"):
        case Scored(value=value):
            return f"{value:g}"
        case Unresolved(low=low, high=high):
            return f"between {low or 0:g} and {1 if high is None else high:g}"
        case _:
            return "not known"


def _why_open(found: Probed) -> str:
    """The first of its scores that could not be had."""
    for name, reason in found.reasons.items():
        if reason["state"] != "not applicable":
            return f"{name}: {reason['reason']}"
    return "the form of the answer is not known"


def with_gold_all_the_same(attempt: Attempt) -> str | None:
    """What is wrong with the answer although the gold was put into its context."""
    return _shown(attempt, Probe.ORACLE_CONTEXT)


def rewriting(attempt: Attempt) -> str | None:
    """What the standalone question finds and the rewritten query does not."""
    return _shown(attempt, Probe.STANDALONE_QUESTION)


def from_memory(attempt: Attempt) -> str | None:
    """That the answer is right without any passage."""
    return _shown(attempt, Probe.NO_CONTEXT)


def _shown(attempt: Attempt, which: Probe) -> str | None:
    """What a probe found of what it looks for; None where it did not."""
    found = attempt.probes.get(which)
    return found.because if found is not None and found.outcome is Outcome.FAIL else None


def probe_counts(results: Iterable[Result]) -> dict[str, dict[str, int]]:
    """Probe -> outcome -> rows, of those that were probed."""
    found = Counter((p, q.outcome) for result in results for p, q in result.probes.items())
    counts: dict[str, dict[str, int]] = {}
    for probe in Probe:
        own = {outcome.value: found[probe, outcome] for outcome in Outcome if found[probe, outcome]}
        if own:
            counts[probe.value] = own
    return counts
