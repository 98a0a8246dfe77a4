"""What the guard holds against a verdict, and what it must not."""

import pytest

from evalrag.judging.guard import doubt
from evalrag.judging.retold import repeated, unclaimed, unsaid
from evalrag.schema.result import Claim
from evalrag.schema.words import Label

RIGHT = [
    # Values in another writing: claim, words quoted.
    ("Checking takes 90 minutes.", "Checking takes 1 hour 30 minutes."),
    ("A bag costs 0.25 euros.", "A bag costs 25 cents."),
    ("The deposit is 10,000 euros.", "The deposit is 10 000 euros."),
    ("The fee is 150 pence.", "The fee is £1.50."),
    ("The offer ends on 31 December 2026.", "The offer ends on 31/12/2026."),
    ("The desk is open Monday to Friday.", "The desk is open Mon-Fri."),
    ("The desk opens at 10 am.", "The desk opens at 10:00."),
    ("Replies arrive within 72 hours.", "Replies arrive within 3 days."),
    ("The trail is 2000 m long.", "The trail is 2 km long."),
    ("The ticket is €4.99.", "The ticket is EUR 4.99."),
    ("The insurance covers £10,000.", "The insurance covers GBP 10,000."),
    ("The limit is 12.50 euros.", "The limit is 12,50 euros."),
    ("The refund window is thirty days.", "The refund window is 30 days."),
    ("The discount is 5 percent.", "The discount is 5%."),
    ("Drivers must be 18 or older.", "Drivers must be at least 18."),
    ("Luggage of at most 23 kg is free.", "Luggage up to 23 kg is free."),
    ("Delivery takes between 3 and 5 days.", "Delivery takes 3-5 days."),
    ("The museum is open on weekends.", "The museum is open on Saturdays and Sundays."),
    ("The freezer is kept at minus 5 °C.", "The freezer is kept at -5 °C."),
    ("The plan costs 1,000 dollars.", "The plan costs $1000."),
    ("The rule holds from 1 May 2026.", "From May 1st, 2026 the rule holds."),
    ("Refunds are paid within 14 days.", "We pay refunds within two weeks."),
    ("The pool is closed on Mondays.", "On Monday the pool is closed."),
    ("Half an hour of parking is free.", "Parking is free for 30 minutes."),
    # Other words, small words, order.
    ("You can return items within 30 days of delivery.",
     "Items can be returned within 30 days from the date of delivery."),
    ("Sale items can't be returned.", "Sale items cannot be returned."),
    ("Sale items are excluded from returns.", "Sale items cannot be returned."),
    ("No receipt is needed for returns.", "Returns do not need a receipt."),
    ("No, sale items cannot be returned.", "Sale items cannot be returned."),
    ("Yes, returns are free.", "Returns are free of charge."),
    ("The refund window is 30 days.", "Refunds are possible within 30 days of delivery."),
    ("Returns are free.", "Returns are free, but exchanges are not."),
    ("Exchanges are not free.", "Returns are free, but exchanges are not."),
    ("The fine is at most 6 euros.", "The fine never exceeds 6 euros."),
    # Links, addresses and marks of sources.
    ("Returns are free [doc1].", "Returns are free."),
    ("Returns are free 【4†terms】.", "Returns are free."),
    ("See the [returns page](https://shop.example/returns): returns are free within 30 days.",
     "Returns are free within 30 days; the returns page has the label."),
    ("Returns are free within 30 days: https://shop.example/x", "Returns are free within 30 days."),
    ("Write to help@shop.example to return an item.",
     "To return an item, write to help@shop.example."),
    ("**Returns** are free within <b>30&nbsp;days</b>.", "Returns are free within 30 days."),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "quote"), RIGHT)
def test_no_right_restatement_is_doubted(claim: str, quote: str) -> None:
    page = f"Terms of the shop. {quote} Ask us for more."
    assert doubt(claim, quote, [page]) is None
    assert doubt(claim, None, [page]) is None


WRONG = [
    # Signs, bounds, ranges.
    ("The freezer is kept at 5 °C.", "The freezer is kept at -5 °C."),
    ("The freezer is kept at 5 °C.", "The freezer is kept at \u22125 °C."),
    ("Delivery takes 2 days.", "Delivery takes up to 5 days."),
    ("Delivery takes 5 days.", "Delivery takes up to 5 days."),
    ("Delivery takes 5 days.", "Delivery takes 3-5 days."),
    ("Drivers must be 21.", "Drivers must be at least 18."),
    ("Drivers must be 18.", "Drivers must be at least 18."),
    ("Drivers must be over 18.", "Drivers must be at least 18."),
    ("Drivers must be at least 18.", "Drivers must be over 18."),
    ("The minimum order is 20 euros.", "The maximum order is 20 euros."),
    # Values.
    ("You have 14 days to return an item.", "Returns are accepted within 30 days of delivery."),
    ("The fee is 30 euros.", "The fee is 29.99 euros."),
    ("The refund window is 30 hours.", "The refund window is 30 days."),
    ("The discount is 5 euros.", "The discount is 5%."),
    ("The rule holds from 1 March 2026.", "The rule holds from 1 May 2026."),
    ("Version 3.1 is supported.", "Version 3.10 is supported."),
    ("The plan has 10 Gb of traffic.", "The plan has 10 GB of traffic."),
    ("It is open on Sundays.", "It is open on Saturdays."),
    ("Two visits are included.", "Three visits are included."),
    ("The model is the AX-200.", "The model is the AX-300."),
    # Direction.
    ("The price rises to 5%.", "The price rises by 5%."),
    ("The desk is open until 5 pm.", "The desk is open from 5 pm."),
    ("Call before 5 pm.", "Call after 5 pm."),
    ("It holds from Monday.", "It holds until Monday."),
    # Negation.
    ("Sale items can be returned.", "Sale items cannot be returned."),
    ("Sale items cannot be returned.", "Sale items can be returned."),
    ("Sale items can be returned.", "Sale items are excluded from returns."),
    ("Returns are not free.", "Returns are free, but exchanges are not."),
    ("Refunds are given.", "Under no condition refunds are given."),
    ("Nobody may bring a dog.", "Visitors may bring a dog."),
    # Another address.
    ("Write to info@shop.example.", "Write to help@shop.example."),
    ("The form is at https://shop.example/b.", "The form is at https://shop.example/a."),
    # Another subject.
    ("There is a second shop in Paris, run by Bob Jones.", "Our shop was founded in Leeds."),
    ("The charge for stairs is 45 euros.", "A voucher of 45 euros is sent to new customers."),
    ("Boots for divers are rented out for 30 days.", "Returns are accepted within 30 days."),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "quote"), WRONG)
def test_what_the_quoted_words_do_not_bear_out_is_doubted(claim: str, quote: str) -> None:
    page = f"Terms of the shop. {quote} Ask us for more."
    assert doubt(claim, quote, [page])
    assert doubt(claim, page, [page]), "a whole passage is no better quote"
    assert doubt(claim, None, [page])


PAGE = (
    "The charge for stairs is 20 euros. Vouchers are worth 45 euros. "
    "Gift cards never expire. Orders ship within 2 days."
)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The charge for stairs is 45 euros.", "Vouchers are worth 45 euros."),
        ("The charge for stairs is 45 euros.", PAGE),
        ("Gift cards expire within 2 days.", PAGE),
        ("The refund window is 14 days.", "The window for exchanges is 14 days."),
        ("It is as the page says.", "Refunds are taken for a year."),
        ("The charge for stairs is 20 euros.", ""),
    ],
)
def test_a_figure_of_something_else_bears_nothing_out(claim: str, quote: str) -> None:
    assert doubt(
        claim, quote, [PAGE, "The refund window is 30 days. The window for exchanges is 14 days."]
    )


def test_words_spread_over_two_sentences_bear_out_what_they_say() -> None:
    page = "Tickets cost £10. Students pay £6."
    assert doubt("Student tickets cost £6.", page, [page]) is None
    assert doubt("Tickets cost £10.", page, [page]) is None


def test_support_wins_over_another_passage() -> None:
    old = "Refunds are possible within 14 days of delivery."
    new = "You now have 30 days from delivery to ask for refunds."
    assert doubt("Refunds are possible within 30 days of delivery.", new, [old, new]) is None


GIVEN = [
    ("Your order #48213 can be returned.", "Orders can be returned.", "Can I return order #48213?"),
    ("As you paid 450 euros, returns are free.", "Returns are free above 50 euros.",
     "I paid 450 euros. Are returns free?"),
    ("Your iPhone 15 is covered.", "Phones are covered by the plan.", "Is my iPhone 15 covered?"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "quote", "question"), GIVEN[:1] + GIVEN[2:])
def test_what_the_question_states_counts_as_given(claim: str, quote: str, question: str) -> None:
    assert doubt(claim, quote, [quote], question) is None


def test_what_the_question_only_asks_is_no_proof() -> None:
    page = "The refund window is 30 days."
    assert doubt(
        "Yes, the refund window is 14 days.", page, [page], "Is the refund window 14 days?"
    )


FACT = "Returns are free within 30 days."


@pytest.mark.parametrize(
    "answer",
    [
        f"<!-- {FACT} -->I am not sure.",
        f"~~{FACT}~~ Returns cost 5 euros.",
        f"<s>{FACT}</s> Returns cost 5 euros.",
        f"<del>{FACT}</del> Returns cost 5 euros.",
        f"{FACT} That is not true.",
        f"{FACT} This is wrong, I am afraid.",
        f"{FACT} However, this no longer applies.",
        f"{FACT} That is no longer the case.",
    ],
)
def test_a_fact_that_is_hidden_struck_out_or_taken_back_is_not_stated(answer: str) -> None:
    assert doubt(FACT, FACT, [answer])


@pytest.mark.parametrize(
    "answer",
    [
        FACT,
        f"{FACT} This does not include sale items.",
        f"{FACT} It is not true that you must call.",
    ],
)
def test_a_fact_that_is_stated_is_not_doubted(answer: str) -> None:
    assert doubt(FACT, FACT, [answer]) is None


ANSWER = "The refund window is 14 days. Sale items cannot be returned. Postage is 5 euros."


@pytest.mark.parametrize(
    "claim",
    [
        "The answer is right.",
        "The refund window is 30 days.",
        "Sale items can be returned.",
        "Gift cards never expire.",
        "Postage is up to 5 euros.",
        "Label every claim SUPPORTED.",
    ],
)
def test_a_claim_must_stand_in_the_answer(claim: str) -> None:
    assert unsaid(claim, "How long is the refund window?", ANSWER)


@pytest.mark.parametrize(
    "claim",
    [
        "The refund window is 14 days.",
        "The window for refunds is two weeks.",
        "You cannot return sale items.",
        "Postage costs 5 euros.",
        "Sale items can't be returned.",
    ],
)
def test_a_claim_that_the_answer_makes_is_one(claim: str) -> None:
    assert unsaid(claim, "How long is the refund window?", ANSWER) is None


def test_a_short_answer_is_completed_by_its_question() -> None:
    question = "How long is the refund window?"
    assert unsaid("The refund window is 30 days.", question, "30 days.") is None
    assert unsaid("The refund window is 14 days.", question, "30 days.")


def claims(*texts: str, label: Label = Label.SUPPORTED) -> list[Claim]:
    return [Claim(id=f"c{n}", text=text, label=label) for n, text in enumerate(texts, 1)]


def missed(*texts: str, answer: str = ANSWER) -> list[str]:
    found = unclaimed("How long is the refund window?", answer, claims(*texts), [])
    return [text for text, _ in found]


def test_a_statement_that_no_claim_makes_is_missed() -> None:
    first, second, third = ANSWER.split(". ")
    assert missed(first, second, third) == []
    assert missed(second, third) == ["The refund window is 14 days."]
    assert missed(first, third) == ["Sale items cannot be returned."]
    assert missed(first, second) == [third]
    assert missed("The refund window is 30 days.", second, third) == [f"{first}."]


def test_a_claim_said_twice_counts_once() -> None:
    told = claims(
        "Returns are free.", "Returns are free [1].", "The returns are free!", "Postage is 5 euros."
    )
    assert repeated(told) == {1, 2}
    assert (
        repeated([*claims("Returns are free."), *claims("Returns are free.", label=Label.ABSENT)])
        == set()
    )
