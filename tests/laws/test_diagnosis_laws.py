"""Every row that failed or is unresolved has a diagnosis, whatever it is and did."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evalrag.regression.catalogue import CATALOGUE
from evalrag.schema.plan import Thresholds
from evalrag.schema.result import Claim, FactVerdict, RowResult, Verdicts
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage, Trace
from evalrag.schema.words import FactLabel, Form, Label, Outcome, Relevancy
from tests.builders import JUDGE, result, row, scoring

KINDS = ("happy-path", "near-miss", "multi-hop", "stale-policy", "unanswerable")
QUOTE = "Returns are accepted within 30 days of delivery for a full refund"
TEXTS = {
    "r-gold": f"Terms. {QUOTE}.",
    "r-gold2": "The second half of it.",
    "r-old": "Terms. Returns are accepted within 14 days of delivery for a full refund.",
    "r-sibling": "Returns of sale items are accepted within 7 days of delivery for store credit.",
    "r-half": "Terms. Returns are accepted within 30 days",
    "x-1": "Something else.",
    "x-2": "Something else again.",
}
NAMES = tuple(TEXTS)
DOCS = {"r-gold": "r", "r-old": "r", "r-half": "r"}


def passage(name: str) -> Passage:
    return {"id": name, "doc": DOCS.get(name, name), "text": TEXTS[name]}


golds = st.sampled_from(
    [
        ["r-gold"],
        ["r-gold", "r-gold2"],
        [{"quote": QUOTE}],
        [{"doc": "r", "quote": QUOTE}],
        [{"doc": "r", "span": [0, 9]}],
        [{"all_of": ["r-gold", "r-gold2"]}],
        [{"doc": "zzz", "metadata": {"version": "3"}}],
        [],
    ]
)


@st.composite
def rows(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from(KINDS))
    fields: dict[str, Any] = {}
    if kind not in ("unanswerable", "multi-hop"):
        fields["gold"] = draw(golds)
    if draw(st.booleans()) or fields.get("gold") == []:
        fields["reference_facts"] = ["fact one", "fact two"]
    if draw(st.booleans()):
        said = st.lists(st.sampled_from(["30 days", "14 days", "answer"]), max_size=1)
        fields["answer_contains"], fields["answer_excludes"] = draw(said), draw(said)
    if draw(st.booleans()):
        fields["forbidden"] = [{"chunk": draw(st.sampled_from(["x-1", "x-2", "r-half"]))}]
    if draw(st.booleans()):
        fields["expect"] = draw(st.lists(st.sampled_from(Form), min_size=1, max_size=2))
    return row("r", kind, **fields)


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=6))
    candidates = [passage(name) for name in names]
    found: Trace = {
        "candidates": candidates,
        "context": candidates[: draw(st.integers(0, 6))],
        "answer": draw(st.sampled_from(["An answer.", "", " \n"])),
    }
    if draw(st.booleans()):
        told = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4))
        found["context"], found["told"] = [passage(name) for name in told], True
    if draw(st.booleans()):
        found["reranked"] = draw(st.permutations(candidates))
    return found


@st.composite
def judged(draw: st.DrawFn) -> Verdicts | None:
    if draw(st.integers(0, 9)) == 0:
        return None
    labels = draw(st.lists(st.sampled_from(Label), max_size=4))
    places = st.lists(st.integers(1, 4), max_size=2, unique=True).map(tuple)
    facts = [
        FactVerdict(fact=fact, label=draw(st.sampled_from(FactLabel)))
        for fact in ("fact one", "fact two")
    ]
    recalled = [
        FactVerdict(fact=fact.fact, label=draw(st.sampled_from(FactLabel))) for fact in facts
    ]
    silent = draw(st.lists(st.sampled_from(["form", "claims", "facts", "recall"]), unique=True))
    return Verdicts(
        judge=JUDGE.digest,
        form=draw(st.sampled_from([*Form, None])),
        form_by="forms/1",
        claims=tuple(
            Claim(
                id=f"c{n}",
                text="t",
                label=label,
                passages=draw(places),
                conflict=draw(places),
                judge_failed=label is Label.UNRESOLVED and draw(st.booleans()),
            )
            for n, label in enumerate(labels)
        ),
        facts=tuple(facts) if draw(st.booleans()) else (),
        recalled=tuple(recalled) if draw(st.booleans()) else (),
        relevancy=draw(st.sampled_from([*Relevancy, None])),
        unresolved=dict.fromkeys(silent, "no reply"),
        failed=tuple(silent) if draw(st.booleans()) else (),
    )


OFFERS = frozenset({*JUDGE.offers, "answer_relevancy", "answer_correctness", "claim_recall"})


@st.composite
def results(draw: st.DrawFn) -> RowResult:
    how = scoring(
        offers=OFFERS if draw(st.booleans()) else frozenset(JUDGE.offers),
        reading=Reading(top_k=20, context_k=4),
        thresholds=Thresholds(answer_relevancy=draw(st.sampled_from([0.5, 0.8]))),
    )
    attempts = draw(st.lists(st.tuples(traces(), judged()), min_size=1, max_size=3))
    return result(draw(rows()), *attempts, how=how)


@given(results())
def test_a_row_that_failed_or_is_unresolved_has_a_diagnosis(found: RowResult) -> None:
    wanted = found.outcome in (Outcome.FAIL, Outcome.UNRESOLVED)

    assert bool(found.diagnoses) is wanted
    codes = [one.code for one in (*found.diagnoses, *found.warnings)]
    assert CATALOGUE.keys() >= set(codes)
    assert len(found.diagnoses) == len({one.code for one in found.diagnoses})
    assert all(one.because for one in found.diagnoses)
