"""From verdicts to scores: what counts, what does not apply, and what is still open."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalrag.judging.citations import Citations
from evalrag.judging.measures import JUDGED, UNJUDGED
from evalrag.judging.scores import judged_scores
from evalrag.schema.result import Claim, FactVerdict, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.score import NotApplicable, Score, Scored, Unresolved, from_wire, to_wire
from evalrag.schema.words import FactLabel, Form, Label, Relevancy

S, A, C, U = Label.SUPPORTED, Label.ABSENT, Label.CONTRADICTED, Label.UNRESOLVED
ALL = set(JUDGED)


def row(kind: str = "happy-path", **fields: Any) -> Row:
    base: dict[str, Any] = {"id": "r", "kind": kind, "question": "What is it?"}
    if kind == "unanswerable":
        base["unanswerable_because"] = "not-in-corpus"
    else:
        base["reference_facts"] = ["one", "two"]
    return Row.model_validate(base | fields)


def said(form: Form | None, *labels: Label, **fields: Any) -> Verdicts:
    claims = tuple(Claim(id=f"c{n}", text="t", label=label) for n, label in enumerate(labels))
    return Verdicts(judge="j", form=form, claims=claims, **fields)


def facts(*labels: FactLabel) -> tuple[FactVerdict, ...]:
    return tuple(FactVerdict(fact=f"f{n}", label=label) for n, label in enumerate(labels))


def score(name: str, verdicts: Verdicts | None, **more: Any) -> Score:
    fields: dict[str, Any] = {"row": row(), "answer": "an answer", "offers": ALL} | more
    return judged_scores(fields.pop("row"), verdicts, fields.pop("answer"), **fields)[name]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        pytest.param([S, S, C], Scored(2 / 3), id="supported over all"),
        pytest.param([S, A], Scored(0.5), id="absent is not supported"),
        pytest.param([A], Scored(0.0), id="nothing supported is a real zero"),
        pytest.param([S] * 4 + [U], Unresolved("1 of 5 claims unresolved", 0.8, 1.0), id="bounds"),
        pytest.param([], Unresolved("no claim", 0.0, 1.0), id="no claim is never perfect"),
    ],
)
def test_faithfulness(labels: list[Label], expected: Score) -> None:
    assert score("faithfulness", said(Form.ANSWERED, *labels)) == expected


def _open(label: Label = U, **fields: Any) -> Claim:
    return Claim(id="c", text="t", label=label, **fields)


FAILED = [
    pytest.param("faithfulness", {"claims": (_open(judge_failed=True),)}, id="one claim"),
    pytest.param("hard_fail", {"claims": (_open(judge_failed=True), _open(S))}, id="hard fail"),
    pytest.param("contradicted_claims", {"unresolved": {"claims": "500"}, "failed": ("claims",)},
                 id="all claims"),
    pytest.param("hard_fail", {"unresolved": {"claims": "500"}, "failed": ("claims",)},
                 id="hard fail of all claims"),
    pytest.param("refusal", {"form": None, "unresolved": {"form": "500"}, "failed": ("form",)},
                 id="form"),
    pytest.param("answer_relevancy",
                 {"unresolved": {"relevancy": "500"}, "failed": ("relevancy",)}, id="relevancy"),
    pytest.param("answer_correctness", {"unresolved": {"facts": "500"}, "failed": ("facts",)},
                 id="facts"),
    pytest.param("answer_correctness",
                 {"facts": (FactVerdict(fact="f", label="UNRESOLVED", judge_failed=True),)},
                 id="one fact"),
    pytest.param("claim_recall", {"unresolved": {"recall": "500"}, "failed": ("recall",)},
                 id="recall"),
    pytest.param("claim_recall",
                 {"recalled": (FactVerdict(fact="f", label="UNRESOLVED", judge_failed=True),)},
                 id="one fact of recall"),
    pytest.param("passage_usefulness", {"unresolved": {"useful": "500"}, "failed": ("useful",)},
                 id="usefulness"),
    pytest.param("citation_support", {"claims": (_open(judge_failed=True),)}, id="citations"),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "fields"), FAILED)
def test_a_failed_verdict_is_told_from_an_open_one(metric: str, fields: dict[str, Any]) -> None:
    told = Verdicts(**{"judge": "j", "form": Form.ANSWERED, "form_by": "x"} | fields)
    citations = Citations(["p"], ["p"])
    failed = score(metric, told, citations=citations)
    assert isinstance(failed, Unresolved)
    assert failed.judge_failed

    left_open = told.model_copy(
        update={"failed": ()}
        | {
            name: tuple(one.model_copy(update={"judge_failed": False}) for one in fields[name])
            for name in ("claims", "facts", "recalled")
            if name in fields
        }
    )
    found = score(metric, left_open, citations=citations)
    assert isinstance(found, Unresolved)
    assert not found.judge_failed
    assert from_wire(*to_wire({metric: failed}), metric) == failed
    assert from_wire(*to_wire({metric: found}), metric) == found


def test_a_failed_label_hides_no_contradiction_beside_it() -> None:
    told = Verdicts(judge="j", form=Form.ANSWERED, claims=(_open(judge_failed=True), _open(C)))
    assert score("hard_fail", told) == Scored(1.0)


@pytest.mark.parametrize("form", [Form.DECLINED, Form.CORRECTS, Form.CLARIFIES])
def test_forms_without_claims_have_no_faithfulness_and_no_hard_fail(form: Form) -> None:
    assert isinstance(score("faithfulness", said(form)), NotApplicable)
    assert score("hard_fail", said(form)) == Scored(0.0)
    assert isinstance(score("answer_relevancy", said(form)), NotApplicable)


def test_a_correction_with_further_claims_is_judged_by_them() -> None:
    assert score("faithfulness", said(Form.CORRECTS, S, A)) == Scored(0.5)
    assert score("hard_fail", said(Form.CORRECTS, C)) == Scored(1.0)


def test_counts_are_counts() -> None:
    verdicts = said(Form.ANSWERED, S, A, A, C, U)
    assert score("absent_claims", verdicts) == Unresolved("1 of 5 claims unresolved", 2.0, 3.0)
    assert score("contradicted_claims", said(Form.ANSWERED, C, A, S)) == Scored(1.0)


@pytest.mark.parametrize(
    ("form", "labels", "expected"),
    [
        pytest.param(Form.DECLINED, [], 0.0, id="a decline"),
        pytest.param(Form.ANSWERED, [S], 1.0, id="an answer where there is none"),
        pytest.param(Form.QUALIFIED, [S], 0.0, id="a qualified one that stays with the context"),
        pytest.param(Form.QUALIFIED, [S, A], 1.0, id="an invention beside a decline"),
        pytest.param(Form.CORRECTS, [], 1.0, id="a correction that nobody asked for"),
        pytest.param(Form.QUALIFIED, [U], None, id="an open claim"),
        pytest.param(None, [S], None, id="an open form"),
        pytest.param(None, [A], 1.0, id="an invention, whatever the form"),
    ],
)
def test_hard_fail_on_unanswerable_rows(
    form: Form | None, labels: list[Label], expected: float | None
) -> None:
    found = score("hard_fail", said(form, *labels), row=row("unanswerable"))
    if expected is None:
        assert isinstance(found, Unresolved)
        assert (found.low, found.high) == (0.0, 1.0)
    else:
        assert found == Scored(expected)


def test_a_correction_is_right_on_a_false_premise() -> None:
    premise = row("unanswerable", unanswerable_because="false-premise")
    assert score("hard_fail", said(Form.CORRECTS), row=premise) == Scored(0.0)
    assert score("hard_fail", said(Form.CORRECTS, C), row=premise) == Scored(1.0)


def test_an_absent_claim_is_no_hard_fail_where_there_is_an_answer() -> None:
    assert score("hard_fail", said(Form.ANSWERED, S, A)) == Scored(0.0)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("STATED STATED", Scored(1.0)),
        ("STATED MISSING", Scored(0.5)),
        ("STATED CONTRADICTED", Scored(0.0)),
        ("STATED UNRESOLVED", Unresolved("1 of 2 facts unresolved", 0.0, 1.0)),
        ("CONTRADICTED UNRESOLVED", Scored(0.0)),
        ("MISSING MISSING", Scored(0.0)),
    ],
)
def test_correctness(labels: str, expected: Score) -> None:
    found = facts(*(FactLabel(label) for label in labels.split()))
    assert score("answer_correctness", said(Form.ANSWERED, S, facts=found)) == expected


def test_correctness_needs_a_reference() -> None:
    bare = row(reference_facts=[], gold=["chunk"])
    assert score("answer_correctness", said(Form.ANSWERED, S), row=bare) == NotApplicable(
        "no reference"
    )


def test_recall_needs_no_answer() -> None:
    found = facts(FactLabel.STATED, FactLabel.UNRESOLVED)
    assert score("claim_recall", said(None, recalled=found), answer=None) == Unresolved(
        "1 of 2 facts unresolved", 0.5, 1.0
    )
    assert isinstance(
        score("claim_recall", said(None), row=row(reference_facts=[], gold=["c"])), NotApplicable
    )


@pytest.mark.parametrize(
    ("relevancy", "value"),
    [(Relevancy.ANSWERS, 1.0), (Relevancy.PARTLY, 0.5), (Relevancy.EVADES, 0.0)],
)
def test_relevancy(relevancy: Relevancy, value: float) -> None:
    assert score("answer_relevancy", said(Form.ANSWERED, S, relevancy=relevancy)) == Scored(value)
    assert isinstance(score("answer_relevancy", said(Form.ANSWERED, S)), Unresolved)


def test_refusal_is_the_form_and_nothing_else() -> None:
    assert score("refusal", said(Form.DECLINED), offers=()) == Scored(1.0)
    assert score("refusal", said(Form.QUALIFIED), offers=()) == Scored(0.0)
    assert isinstance(score("refusal", said(None), offers=()), Unresolved)


def test_a_retrieval_only_plan_is_judged_on_nothing_it_did_not_do() -> None:
    scores = judged_scores(row(), said(None), None, offers=ALL)
    reasons = {name for name, found in scores.items() if isinstance(found, NotApplicable)}
    assert reasons == ALL - {"claim_recall"}


def test_an_empty_answer_says_nothing() -> None:
    scores = judged_scores(row(), said(None), "  ", offers=ALL)
    assert scores["faithfulness"] == NotApplicable("empty answer")
    assert scores["refusal"] == NotApplicable("empty answer")
    assert scores["hard_fail"] == Scored(0.0)
    assert scores["answer_correctness"] == Scored(0.0)


def test_what_is_not_offered_names_who_does_not_offer_it() -> None:
    found = judged_scores(row(), said(Form.ANSWERED, S), "a", offers=(), judge="offline-rules/1")
    assert found["faithfulness"] == NotApplicable("not measured by offline-rules/1")


@pytest.mark.parametrize("name", sorted(ALL - UNJUDGED))
def test_what_was_never_judged_is_never_a_pass(name: str) -> None:
    cited = Citations(["a"], ["a"])
    assert isinstance(score(name, None, citations=cited), Unresolved)


def test_usefulness_is_the_share_of_the_passages_that_help() -> None:
    helped = said(Form.ANSWERED, useful=(True, False))
    assert score("passage_usefulness", helped, citations=Citations(None, ["a", "b"])) == Scored(0.5)
    assert score("passage_usefulness", helped) == NotApplicable("no passage in the context")
    assert score("passage_usefulness", helped, citations=Citations(None, "abc")) == Unresolved(
        "not judged", 0.0, 1.0
    )


@pytest.mark.parametrize(
    ("task", "names"),
    [
        ("claims", {"faithfulness", "absent_claims", "contradicted_claims", "hard_fail"}),
        ("facts", {"answer_correctness"}),
        ("recall", {"claim_recall"}),
        ("relevancy", {"answer_relevancy"}),
    ],
)
def test_a_task_without_a_verdict_leaves_its_metrics_open(task: str, names: set[str]) -> None:
    verdicts = said(Form.ANSWERED, unresolved={task: "TimeoutError: 30 s"})
    for name in names:
        found = score(name, verdicts)
        assert isinstance(found, Unresolved)
        assert found.reason == "TimeoutError: 30 s"


def test_a_wrong_form_on_an_unanswerable_row_needs_no_claims() -> None:
    verdicts = said(Form.ANSWERED, unresolved={"claims": "cut off"})
    assert score("hard_fail", verdicts, row=row("unanswerable")) == Scored(1.0)


labels = st.lists(st.sampled_from(Label), max_size=5)
forms = st.sampled_from([None, *Form])
CLOSED = [Label.SUPPORTED, Label.ABSENT, Label.CONTRADICTED]
CLAIM_METRICS = ("faithfulness", "absent_claims", "contradicted_claims", "hard_fail")


@given(forms, labels, st.sampled_from(["happy-path", "unanswerable"]))
def test_bounds_contain_every_way_the_open_claims_can_end(
    form: Form | None, found: list[Label], kind: str
) -> None:
    if form is Form.DECLINED:
        found = []
    before = {name: score(name, said(form, *found), row=row(kind)) for name in CLAIM_METRICS}
    for ends in product(CLOSED, repeat=found.count(U)):
        rest = iter(ends)
        closed = [next(rest) if label is U else label for label in found]
        for name in CLAIM_METRICS:
            after = score(name, said(form, *closed), row=row(kind))
            _contained(before[name], after)


fact_labels = st.lists(st.sampled_from(FactLabel), min_size=1, max_size=4)


@given(fact_labels)
def test_bounds_contain_every_way_the_open_facts_can_end(found: list[FactLabel]) -> None:
    ends = [FactLabel.STATED, FactLabel.MISSING, FactLabel.CONTRADICTED]
    before = score("answer_correctness", said(Form.ANSWERED, S, facts=facts(*found)))
    for way in product(ends, repeat=found.count(FactLabel.UNRESOLVED)):
        rest = iter(way)
        closed = [next(rest) if label is FactLabel.UNRESOLVED else label for label in found]
        _contained(
            before, score("answer_correctness", said(Form.ANSWERED, S, facts=facts(*closed)))
        )


def _contained(before: Score, after: Score) -> None:
    match before, after:
        case Scored(value=value), Scored(value=other):
            assert value == other
        case Unresolved(low=low, high=high), Scored(value=value):
            assert low is not None
            assert low <= value
            assert high is None or value <= high
        case Unresolved(), Unresolved():
            pass
        case _:
            assert before == after


@given(forms, labels)
def test_every_judged_metric_has_a_score_in_its_order(
    form: Form | None, found: list[Label]
) -> None:
    assert list(judged_scores(row(), said(form, *found), "a", offers=ALL)) == list(JUDGED)


@pytest.mark.parametrize("name", list(JUDGED))
def test_every_metric_has_a_page(name: str) -> None:
    measure = JUDGED[name]
    assert measure.name == name
    assert measure.summary
    assert "\n" not in measure.summary
    for part in ("Range:", "Degenerate:"):
        assert part in measure.page
