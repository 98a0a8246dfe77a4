"""Which diagnosis a stored attempt has: codes, never their words."""

from typing import Any

import pytest

from evalrag.regression.attempts import combine
from evalrag.regression.catalogue import CATALOGUE
from evalrag.regression.diagnosis import diagnose
from evalrag.regression.placing import texts_of
from evalrag.schema.result import Claim, FactVerdict, RowResult
from evalrag.schema.run import Reading
from evalrag.schema.words import FactLabel, Label, Outcome
from tests.builders import (
    JUDGE,
    as_mapping,
    decide,
    good_run,
    result,
    row,
    run,
    scoring,
    trace,
    verdicts,
)

ALL = frozenset({*JUDGE.offers, "answer_correctness", "claim_recall", "answer_relevancy"})
QUOTE = "Returns are accepted within 30 days of delivery for a full refund"
H, M, N, S, U = (
    row("h"),
    row("m", "multi-hop"),
    row("n", "near-miss"),
    row("s", "stale-policy"),
    row("u", "unanswerable"),
)
FACTS = row("f", gold=[], reference_facts=["fact"])
ASKS = row("c", expect=["CLARIFIES"])
DECLINED = verdicts("DECLINED")
STATED, MISSING, DENIED = FactLabel.STATED, FactLabel.MISSING, FactLabel.CONTRADICTED


def fact(label: FactLabel) -> tuple[FactVerdict, ...]:
    return (FactVerdict(fact="fact", label=label),)


def rests(*places: int) -> Claim:
    return Claim(id="c1", text="t", label=Label.SUPPORTED, passages=places)


def ended(
    golden: Any, window: list[str], /, *more: str, said: Any = None, answer: str = "A.", **of: Any
) -> RowResult:
    offers = of.pop("offers", JUDGE.offers)
    how = scoring(offers=frozenset(offers), reading=Reading(top_k=20, context_k=6))
    seen = trace(window, *more, answer=answer, **of)
    return result(golden, (seen, verdicts() if said is None else said), how=how)


def codes(found: RowResult) -> list[str]:
    return [one.code for one in found.diagnoses]


def warned(found: RowResult) -> list[str]:
    return [one.code for one in found.warnings]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(
            ended(N, ["x", "y", "z", "w", "n-sibling"], said=verdicts("DECLINED")),
            ["not-retrieved", "wrong-sibling"],
            id="the gold was not fetched, and the sibling is last of five",
        ),
        pytest.param(
            ended(N, ["x", "n-sibling"], said=verdicts(claims=(rests(2),))),
            ["wrong-sibling", "not-retrieved"],
            id="the gold was not fetched, and the answer rests on the sibling",
        ),
        pytest.param(
            ended(S, ["x", "s-old"], said=verdicts("DECLINED")),
            ["stale-source", "not-retrieved"],
            id="its old version came instead",
        ),
        pytest.param(
            ended(N, ["n-sibling", "x"], "n-gold"),
            ["wrong-sibling", "ranked-out"],
            id="fetched, and outside the window",
        ),
        pytest.param(
            ended(M, ["m-gold"], said=verdicts("DECLINED")),
            ["not-retrieved"],
            id="one of two is not fetched",
        ),
        pytest.param(
            ended(row("a", gold=[{"all_of": ["a-1", "a-2"]}]), ["a-1"]),
            ["not-retrieved"],
            id="one of two chunks that are asked for together",
        ),
        pytest.param(
            ended(row("h", forbidden=["x"]), ["h-gold"], "x"),
            ["forbidden-source"],
            id="another tenant's page among the candidates",
        ),
        pytest.param(
            ended(row("u", "unanswerable", forbidden=["x"]), ["y"], "x", said=verdicts("DECLINED")),
            ["forbidden-source"],
            id="of a row that has no answer",
        ),
        pytest.param(ended(ASKS, ["c-gold"]), ["wrong-form"], id="answered in place of asking"),
        pytest.param(
            ended(row("u", "unanswerable"), ["x"], said=verdicts("CLARIFIES")),
            ["wrong-form"],
            id="asked back where it should decline",
        ),
        pytest.param(
            ended(row("u", "unanswerable"), ["x"], said=verdicts("QUALIFIED", "ABSENT")),
            ["invented"],
            id="declined, and stated something that is nowhere",
        ),
        pytest.param(ended(U, ["x"]), ["invented"], id="answered what has no answer"),
        pytest.param(
            ended(H, ["h-gold"], answer="", said=verdicts(None)), ["no-answer"], id="empty"
        ),
        pytest.param(
            ended(U, ["x"], answer=" ", said=verdicts(None)), ["no-answer"], id="empty for silence"
        ),
        pytest.param(
            ended(H, ["a", "b", "h-gold", "c", "d", "e"], answer="", said=verdicts(None)),
            ["no-answer"],
            id="an empty answer is not one that lost its way",
        ),
        pytest.param(
            ended(
                FACTS,
                ["x"],
                offers=ALL,
                said=verdicts("DECLINED", facts=fact(MISSING), recalled=fact(MISSING)),
            ),
            ["not-retrieved"],
            id="facts that the context does not support",
        ),
        pytest.param(
            ended(
                FACTS,
                ["x"],
                offers=ALL - {"answer_relevancy"},
                said=verdicts("ANSWERED", "ABSENT", facts=fact(STATED), recalled=fact(STATED)),
            ),
            ["ignored-context"],
            id="facts that it supports, and the answer is not in it",
        ),
        pytest.param(
            ended(
                FACTS,
                ["x"],
                offers=ALL - {"answer_relevancy"},
                said=verdicts("DECLINED", facts=fact(MISSING), recalled=fact(STATED)),
            ),
            ["over-refusal"],
            id="facts that it supports, and the answer declines",
        ),
        pytest.param(
            ended(H, ["h-gold"], said=verdicts("ANSWERED", "UNRESOLVED")),
            ["open-verdict"],
            id="a claim that the judge left open",
        ),
        pytest.param(
            ended(
                H,
                ["h-gold"],
                said=verdicts(None, claims=(), unresolved={"claims": "500"}, failed=("claims",)),
            ),
            ["judge-failed"],
            id="a judge that gave no reply",
        ),
        pytest.param(
            ended(H, ["x"], said=verdicts("ANSWERED", "UNRESOLVED")),
            ["not-retrieved"],
            id="an open claim does not explain what failed",
        ),
        pytest.param(
            ended(H, ["h-gold"], said=verdicts("ANSWERED", "CONTRADICTED", "UNRESOLVED")),
            ["ignored-context"],
            id="a proven contradiction beside an open claim",
        ),
        pytest.param(
            ended(
                row("h", reference_facts=["fact"]),
                ["h-gold"],
                offers=ALL - {"claim_recall", "answer_relevancy"},
                said=verdicts(facts=fact(MISSING)),
            ),
            ["incomplete"],
            id="the labelled evidence was there, and the answer leaves its fact out",
        ),
        pytest.param(
            ended(
                row("h", reference_facts=["fact"]),
                ["h-gold"],
                offers=ALL - {"answer_relevancy"},
                said=verdicts(facts=fact(MISSING), recalled=fact(MISSING)),
            ),
            ["label-or-corpus"],
            id="the labelled evidence does not bear the fact out",
        ),
        pytest.param(
            ended(
                row("h", reference_facts=["fact"]),
                ["h-gold"],
                offers=ALL - {"answer_relevancy"},
                said=verdicts(facts=fact(DENIED), recalled=fact(STATED)),
            ),
            ["incomplete"],
            id="the context says what the answer says otherwise",
        ),
        pytest.param(
            ended(
                row("h", reference_facts=["fact"]),
                ["h-gold"],
                offers=ALL - {"claim_recall", "answer_relevancy"},
                said=verdicts(facts=fact(DENIED)),
            ),
            ["label-or-corpus"],
            id="faithful to its evidence, against the reference",
        ),
    ],
)
def test_a_diagnosis(found: RowResult, expected: list[str]) -> None:
    assert found.outcome in (Outcome.FAIL, Outcome.UNRESOLVED)
    assert codes(found) == expected


def worded(window: list[tuple[str, str]], answer: str, **fields: Any) -> list[str]:
    """A row with answer checks, by the ids and the texts of what the model saw."""
    golden = row("s", fields.pop("kind", "stale-policy"), **fields)
    seen = [{"id": name, "doc": "s", "text": text} for name, text in window]
    return codes(ended(golden, [], candidates=seen, context=seen, answer=answer))


NEW, OLD = ("s-gold", "Refunds within 30 days."), ("s-old", "Refunds within 14 days.")


@pytest.mark.parametrize(
    ("window", "answer", "fields", "expected"),
    [
        ([NEW], "Soon.", {"answer_contains": ["30 days"]}, ["incomplete"]),
        ([NEW], "Soon.", {"answer_contains": ["60 days"]}, ["label-or-corpus"]),
        ([NEW], "Soon.", {"answer_contains": [["60 days", "thirty days"]]}, ["incomplete"]),
        ([NEW, OLD], "14 days.", {"answer_excludes": ["14 days"]}, ["stale-source"]),
        ([NEW], "14 days.", {"answer_excludes": ["14 days"]}, ["label-or-corpus"]),
        ([OLD], "14 days.", {"answer_excludes": ["14 days"]}, ["stale-source", "not-retrieved"]),
    ],
)
def test_a_check_that_fails_is_laid_to_what_the_context_says(
    window: Any, answer: str, fields: Any, expected: list[str]
) -> None:
    assert worded(window, answer, **fields) == expected


def test_the_bait_of_an_unanswerable_row_is_invented() -> None:
    golden = row("u", "unanswerable", answer_excludes=["10%"])

    assert codes(ended(golden, ["x"], answer="It is 10%.", said=DECLINED)) == ["invented"]


QUOTED = row("q", gold=[{"doc": "q", "quote": QUOTE}], superseded=[])


def quoted(*texts: str, doc: str = "q") -> list[str]:
    seen = [{"id": f"q-{n}", "doc": doc, "text": text} for n, text in enumerate(texts)]
    return codes(ended(QUOTED, [], candidates=seen, context=seen, said=verdicts("DECLINED")))


@pytest.mark.parametrize(
    ("texts", "split"),
    [
        (["Terms. Returns are accepted within 30 days"], True),
        (["of delivery for a full refund. Sale items are final."], True),
        (["30 days of delivery for"], True),
        (["Returns are accepted within 14 days of delivery for a full refund."], False),
        (["Returns are accepted within 14 days of delivery for a full refund"], False),
        (["We said that returns are accepted within 30 days, mostly."], False),
        (["Something else."], False),
    ],
)
def test_evidence_is_split_where_it_was_cut_and_not_by_a_twin(
    texts: list[str], split: bool
) -> None:
    assert ("split-evidence" in quoted(*texts)) is split


def test_a_span_is_split_where_a_part_of_its_characters_is_there() -> None:
    golden = row("q", gold=[{"doc": "q", "span": [10, 60]}])
    seen = [{"id": "q-1", "doc": "q", "text": "t", "span": (0, 30)}]

    found = ended(golden, [], candidates=seen, context=seen)

    assert "split-evidence" in codes(found)


def test_the_old_version_of_another_document_did_not_come_instead() -> None:
    golden = row(
        "m",
        "multi-hop",
        gold=[{"doc": "a", "quote": "alpha"}, {"doc": "b", "quote": "beta"}],
        superseded=[{"doc": "b", "metadata": {"version": "1"}}],
    )
    old = {"id": "b1", "doc": "b", "text": "old", "metadata": {"version": "1"}}
    new = {"id": "b2", "doc": "b", "text": "beta"}
    first = {"id": "a1", "doc": "a", "text": "alpha"}

    def found(*seen: Any) -> list[str]:
        return codes(
            ended(golden, [], candidates=list(seen), context=list(seen), said=verdicts("DECLINED"))
        )

    assert found(new, old) == ["not-retrieved"]
    assert found(old, new)[:2] == ["not-retrieved", "stale-source"]
    assert found(first, old)[:2] == ["stale-source", "not-retrieved"]


def test_a_rival_before_the_gold_that_it_competes_with_is_named_behind_other_gold() -> None:
    found = ended(
        row("s", "stale-policy", gold=["s-gold", "s-gold2"]), ["s-gold", "s-old", "s-gold2"]
    )
    rival = found.model_copy(
        update={
            "outcome": Outcome.FAIL,
            "stages": {**found.stages, "ranking": Outcome.FAIL},
            "scores": {**found.scores, "rival_first": 1.0},
        }
    )

    assert diagnosed_again(rival) == ["stale-source"]


def diagnosed_again(found: RowResult) -> list[str]:
    return [one.code for one in diagnose(found, found.kind, scoring().thresholds)[0]]


def test_an_answer_that_states_the_old_rule_beside_the_new_one_is_warned_of() -> None:
    old = Claim(id="c2", text="t", label=Label.SUPPORTED, passages=(2,))

    both = ended(S, ["s-gold", "s-old"], said=verdicts(claims=(rests(1), old)))
    new = ended(S, ["s-gold", "s-old"], said=verdicts(claims=(rests(1),)))
    shared = ended(S, ["s-gold", "s-old"], said=verdicts(claims=(rests(1, 2),)))

    assert both.outcome is Outcome.PASS
    assert warned(both) == ["stale-source", "both-policies"]
    assert warned(new) == warned(shared) == []


def test_a_claim_that_a_rival_contradicts_does_not_rest_on_it() -> None:
    denied = Claim(id="c1", text="t", label=Label.CONTRADICTED, passages=(2,))

    assert codes(ended(S, ["s-gold", "s-old"], said=verdicts(claims=(denied,)))) == [
        "ignored-context"
    ]


def test_a_label_by_which_the_row_passed_before_is_not_doubted() -> None:
    golden = row("h", reference_facts=["fact"])
    rows = [golden, row("h2")]
    how = scoring(offers=ALL - {"claim_recall", "answer_relevancy"})

    def made(label: FactLabel) -> RowResult:
        said = verdicts(facts=fact(label))
        return result(golden, (trace(["h-gold"], answer="A."), said), how=how)

    other = good_run(rows)[1][1]
    right, wrong = made(STATED), made(DENIED)
    before, failing = run(rows, [right, other], id="0001"), run(rows, [wrong, other], id="0001")
    now = run(rows, [wrong, other])

    def diagnosis(base: Any) -> str | None:
        changes = decide(now, base, digests=as_mapping(rows)).diff.changes
        return next(change.diagnosis_after for change in changes if change.id == "h")

    assert codes(wrong) == ["label-or-corpus"]
    assert diagnosis(before) == "incomplete"
    assert diagnosis(failing) == "label-or-corpus"


def test_a_row_of_several_attempts_that_fails_by_none_alone_still_has_its_cause() -> None:
    fine = ended(H, ["h-gold"])
    away = ended(H, ["x"], said=verdicts("ANSWERED", "UNRESOLVED"))
    wrong = ended(H, ["h-gold"], said=verdicts("ANSWERED", "UNRESOLVED"))

    found = combine([fine, away, wrong])

    assert found.outcome is Outcome.UNRESOLVED
    assert found.diagnoses


def test_what_the_retriever_gave_as_children_is_found_in_the_parent_that_the_model_saw() -> None:
    golden = row("p", gold=[{"doc": "p", "quote": QUOTE}])
    child = {"id": "p#1", "doc": "p", "text": "Terms."}
    parent = {"id": "p", "doc": "p", "text": f"Terms. {QUOTE}."}

    found = ended(golden, [], candidates=[child], context=[parent], told=True)
    missed = ended(golden, [], candidates=[child], context=[child], told=True)

    assert found.outcome is Outcome.PASS
    assert codes(missed) == ["not-retrieved"]


def test_the_table_is_in_the_order_of_its_page() -> None:
    assert list(CATALOGUE)[:9] == [
        "missing-content",
        "two-problems",
        "rewrite",
        "stale-source",
        "wrong-sibling",
        "split-evidence",
        "truncated",
        "ranked-out",
        "not-retrieved",
    ]


def test_a_passage_that_was_shortened_is_shown_as_the_model_saw_it() -> None:
    long, short = {"id": "p", "text": "one two"}, {"id": "p", "text": "one"}
    other = {"id": "q", "text": "three"}
    line = {"candidates": [long, other], "context": [short, 1]}

    found = ended(H, [], candidates=[long, other], context=[short, other], told=True)

    assert [(p.name, p.rank, p.window) for p in found.places()] == [
        ("p", 1, None),
        ("q", 2, 2),
        ("p", None, 1),
    ]
    assert texts_of(found, line) == [long, other, short]
    assert texts_of(found, {}) == [{}, {}, {}]


def test_the_same_passage_given_back_with_fewer_fields_is_the_candidate() -> None:
    whole, bare = {"id": "p", "doc": "d", "text": "one"}, {"id": "p", "text": "one"}

    found = ended(H, [], candidates=[whole], context=[bare], told=True)

    assert [(p.rank, p.window) for p in found.places()] == [(1, 1)]


def test_ids_that_are_written_otherwise_are_said_once_for_the_run() -> None:
    rows = [row(f"h{n}", gold=[f"H{n}-gold"]) for n in range(1, 8)]
    seen = [result(each, (trace([f"{each.id}-gold"], answer="A."), verdicts())) for each in rows]

    head = decide(run(rows, seen)).head

    assert all(one.evidence[0]["nearly"]["why"] == "spelling" for one in seen)
    assert sum("another writing" in line for line in head) == 1
