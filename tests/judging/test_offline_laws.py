"""Laws of the offline judge that hold for every context, not only for the ones we thought of."""

import re

from hypothesis import assume, example, given
from hypothesis import strategies as st

from evalrag.judging.offline import judge_claims
from evalrag.schema.result import Claim
from evalrag.schema.words import Label

SENTENCES = (
    "Returns are accepted within 30 days of delivery.",
    "Refunds are paid within 5 business days after inspection.",
    "Final-sale items cannot be returned.",
    "The library opened on 14 May 1987 in Port Elsin.",
    "Admission costs $12.50 for adults and $6 for children.",
    "The public API allows 600 requests per minute per key.",
    "Members may borrow up to 8 books for 21 days.",
    "Version 3.2 of the client supports Python 3.9 and later.",
    "The pool is heated to 28 °C from 7 am to 9 pm.",
    "Only certified operators may drive the forklift in Hall 3.",
    "Backups are encrypted with AES-256 and kept in Frankfurt.",
    "About 3,000 households lost power for two hours.",
    "Overnight parking requires a permit, which costs $45 per month.",
    "Children under 12 must be accompanied by an adult.",
    "The fund returned 7.5% in 2021 and 3.1% in 2022.",
    "Store the tablets below 25 °C and out of reach of children.",
)
QUESTION = "What does it say?"
contexts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6, unique=True)


def judged(answer: str, context: list[str]) -> tuple[Claim, ...]:
    return judge_claims(QUESTION, context, answer)


@given(contexts, st.data())
def test_a_sentence_of_the_context_is_supported(context: list[str], data: st.DataObject) -> None:
    sentence = data.draw(st.sampled_from(context))
    (claim,) = judged(sentence, context)
    assert claim.label is Label.SUPPORTED
    assert claim.passages == (context.index(sentence) + 1,)
    assert claim.quote == sentence


@given(contexts, st.data())
def test_it_is_supported_inside_a_longer_passage(context: list[str], data: st.DataObject) -> None:
    sentence = data.draw(st.sampled_from(context))
    (claim,) = judged(sentence, ["# Handbook\n\n" + " ".join(context)])
    assert claim.label is Label.SUPPORTED


@example(["Returns are accepted within 30 days of delivery."], 0, 0, "8")
@given(contexts, st.integers(0, 5), st.integers(0, 20), st.sampled_from("0123456789"))
def test_a_changed_digit_is_never_supported(
    context: list[str], which: int, where: int, digit: str
) -> None:
    sentence = context[which % len(context)]
    digits = [match.start() for match in re.finditer(r"\d", sentence)]
    assume(digits)
    at = digits[where % len(digits)]
    changed = sentence[:at] + digit + sentence[at + 1 :]
    assume(not _same_values(changed, sentence))
    labels = {claim.label for claim in judged(changed, context)}
    assert Label.SUPPORTED not in labels


def _same_values(one: str, other: str) -> bool:
    """`$6` and `$06` are the same amount."""
    values = [
        [float(v.replace(",", "")) for v in re.findall(r"[\d.,]*\d", t)] for t in (one, other)
    ]
    return values[0] == values[1]


@given(contexts, st.data())
def test_a_denied_sentence_is_never_supported(context: list[str], data: st.DataObject) -> None:
    sentence = data.draw(st.sampled_from(context))
    verbs = [v for v in (" are ", " is ", " may ", " must ") if v in sentence]
    assume(verbs and " not " not in sentence)
    (claim, *_) = judged(sentence.replace(verbs[0], f"{verbs[0]}not ", 1), context)
    assert claim.label is not Label.SUPPORTED


@given(contexts, st.sampled_from(SENTENCES), st.randoms(use_true_random=False))
def test_the_order_of_passages_changes_no_label(
    context: list[str], answer: str, random: object
) -> None:
    shuffled = sorted(context, key=lambda text: hash((text, str(random))))
    before, after = judged(answer, context), judged(answer, shuffled)
    assert [c.label for c in before] == [c.label for c in after]
    for one, other in zip(before, after, strict=True):
        assert {context[p - 1] for p in one.passages} == {shuffled[p - 1] for p in other.passages}
        assert {context[p - 1] for p in one.conflict} == {shuffled[p - 1] for p in other.conflict}


@given(contexts, st.lists(st.sampled_from(SENTENCES), max_size=4).map(" ".join))
def test_judging_is_deterministic(context: list[str], answer: str) -> None:
    assert judged(answer, context) == judged(answer, context)


@given(contexts, st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4, unique=True))
def test_more_context_takes_no_support_away(context: list[str], more: list[str]) -> None:
    answer = context[0]
    (claim,) = judged(answer, [*context, *more])
    assert claim.label is Label.SUPPORTED


@given(st.text(max_size=300), st.lists(st.text(max_size=200), max_size=3))
def test_any_text_at_all_is_judged(answer: str, context: list[str]) -> None:
    claims = judged(answer, context)
    assert [claim.id for claim in claims] == [f"c{n}" for n in range(1, len(claims) + 1)]
    for claim in claims:
        assert all(1 <= position <= len(context) for position in claim.passages)
        assert (claim.label is Label.SUPPORTED) <= bool(claim.quote and claim.passages)
        assert (claim.label is Label.UNRESOLVED) <= bool(claim.code)


@given(contexts, st.sampled_from(SENTENCES))
def test_a_conflict_is_kept_only_beside_support(context: list[str], answer: str) -> None:
    for claim in judged(answer, context):
        assert not claim.conflict or claim.label is Label.SUPPORTED
        assert not set(claim.conflict) & set(claim.passages)
