"""The offline judge on everyday answers: a right one is never red, a wrong one never supported."""

# ruff: noqa: E501, RUF001
import pytest

from evalrag.judging.claims import claims_of
from evalrag.judging.offline import judge_claims, recall_facts, state_facts
from evalrag.schema.words import FactLabel, Label

RIGHT: list[tuple[str, list[str], str]] = [
    (
        "How long is the loan period?",
        ["Books are lent for 21 days. DVDs are lent for one week."],
        "Books are lent for three weeks.",
    ),
    (
        "How long is the loan period for DVDs?",
        ["Books are lent for 21 days. DVDs are lent for one week."],
        "DVDs can be kept for 7 days.",
    ),
    (
        "What does a wire transfer cost?",
        ["International wire transfers cost $45. Domestic wires are $25."],
        "According to our fee schedule, international wire transfers cost 45 USD.",
    ),
    (
        "What does a wire transfer cost?",
        ["International wire transfers cost $45. Domestic wires are $25."],
        "International wire transfers cost $45. See [the fee schedule](https://bank.example/fees) for details.",
    ),
    (
        "What does a wire transfer cost?",
        ["International wire transfers cost $45. Domestic wires are $25."],
        "International wire transfers cost $45.\n\nBest regards,\nTom from the Support Team",
    ),
    (
        "What does a wire transfer cost?",
        ["International wire transfers cost $45. Domestic wires are $25."],
        "International wire transfers cost $45.\n\nSources: fees.md, wires.md",
    ),
    (
        "What does a wire transfer cost?",
        ["International wire transfers cost $45. Domestic wires are $25."],
        "International wire transfers cost $45 [doc1].",
    ),
    (
        "What does a wire transfer cost?",
        ["International wire transfers cost $45. Domestic wires are $25."],
        "Based on the documentation, international wire transfers cost $45. Read more: https://bank.example/fees",
    ),
    (
        "What does a wire transfer cost?",
        ["International wire transfers cost $45. Domestic wires are $25."],
        "Hi Anna,\n\ninternational wire transfers cost $45. I hope this helps! Let me know if you have any other questions.",
    ),
    (
        "Do wires cost money?",
        ["International wire transfers cost $45. Domestic wires are $25."],
        "Yes. International wire transfers cost $45.",
    ),
    (
        "What are the opening hours?",
        ["The branch is open Monday to Friday from 9:00 to 17:00."],
        "The branch is open Mon-Fri from 9 am to 5 pm.",
    ),
    (
        "What are the opening hours?",
        ["The branch is open until 6 pm. On Fridays it closes at 8 pm."],
        "The branch is open until 8 pm on Fridays.",
    ),
    (
        "Until when is the branch open on Fridays?",
        ["The branch is open until 6 pm. On Fridays it closes at 8 pm."],
        "On Fridays the branch is open until 8 pm.",
    ),
    (
        "Until when is the branch open on Fridays?",
        ["The branch is open until 6 pm. On Fridays it closes at 8 pm."],
        "The branch is open until 8 pm.",
    ),
    (
        "How much is a ticket for pensioners?",
        ["Tickets cost £12. Pensioners pay £7."],
        "Pensioner tickets cost £7.",
    ),
    (
        "How much is a ticket for pensioners?",
        ["Tickets cost £12. Pensioners pay £7."],
        "Tickets cost £7 for pensioners.",
    ),
    (
        "How long can I cancel?",
        [
            "Cancellations are possible within 14 days of booking.",
            "You now have 30 days from booking to cancel.",
        ],
        "Cancellations are possible within 30 days of booking.",
    ),
    (
        "Can I bring a dog?",
        [
            "Dogs are not allowed in the cabin.",
            "Since May, small dogs up to 8 kg travel in the cabin with their owner.",
        ],
        "Dogs are allowed in the cabin if they weigh up to 8 kg.",
    ),
    (
        "Can I bring a dog?",
        [
            "Dogs are not allowed in the cabin.",
            "Small dogs may now travel in the cabin with their owner.",
        ],
        "Dogs are allowed in the cabin.",
    ),
    ("How big is the file limit?", ["Uploads may be up to 2 GB."], "Uploads may be up to 2000 MB."),
    (
        "What is the fee?",
        ["The late fee is £1.50 per week."],
        "The late fee is 150 pence per week.",
    ),
    (
        "What is the fee?",
        ["The late fee is 25 cents per day, and never more than 5 euros."],
        "The late fee is 0.25 euros a day.",
    ),
    ("When does it end?", ["The offer ends on 31 December 2026."], "The offer ends on 31/12/2026."),
    (
        "When does it end?",
        ["The offer ends on 31 December 2026."],
        "The offer ends on December 31st.",
    ),
    (
        "How long is the warranty?",
        ["The laptop has a 24-month warranty."],
        "The laptop has a two-year warranty.",
    ),
    (
        "How long is the warranty?",
        ["The laptop has a warranty of one year."],
        "The laptop's warranty lasts 12 months.",
    ),
    (
        "How long is the warranty?",
        ["The pass is valid for a year."],
        "The pass is valid for 12 months.",
    ),
    (
        "I paid 450 euros for order #48213 20 days ago. Can I get a refund?",
        ["Orders can be refunded within 30 days."],
        "Your order #48213 over 450 euros can be refunded, since you bought it 20 days ago.",
    ),
    (
        "Does my iPhone 15 fit?",
        ["The dock fits all phones with USB-C."],
        "Your iPhone 15 fits if it has USB-C.",
    ),
    (
        "How do I book a study room?",
        ["Study rooms are booked online. Each student can reserve one room per day."],
        "You can book one of our study rooms online. You can have only one at one time.",
    ),
    (
        "How do I descale?",
        [
            "Fill the tank. Add the descaler. Press both buttons. Once the water runs, wait 10 minutes."
        ],
        "There are four steps: fill the tank, add the descaler, press both buttons, and once the water runs wait 10 minutes.",
    ),
    (
        "What do I need?",
        ["You need a passport and proof of address."],
        "You need two documents:\n- a passport\n- proof of address",
    ),
    (
        "How much does the plan cost?",
        ["| Plan | Price | Users |\n|---|---|---|\n| Basic | €19 | 5 |\n| Pro | €49 | 20 |"],
        "The Pro plan costs 49 euros and has 20 users.",
    ),
    (
        "How many users?",
        ["| Plan | Price | Users |\n|---|---|---|\n| Basic | €19 | 5 |\n| Pro | €49 | 20 |"],
        "Basic allows five users.",
    ),
    ("How many users?", ["The town has 10 000 users."], "The town has 10,000 users."),
    ("What is the deposit?", ["The deposit is CHF 6'000."], "The deposit is CHF 6,000."),
    (
        "How long do transfers take?",
        ["Transfers take 10 business days."],
        "Transfers take two weeks.",
    ),
    (
        "How long do transfers take?",
        ["Transfers take up to 3 days."],
        "Transfers are finished within 72 hours.",
    ),
    (
        "How far is it?",
        ["The station is 2 km from the office."],
        "The station is 2000 m from the office.",
    ),
    (
        "Can I work on weekends?",
        ["The gym is closed on weekends."],
        "The gym is closed on Saturdays and Sundays.",
    ),
    (
        "How old must I be?",
        ["Drivers must be at least 21 years old."],
        "Drivers must be 21 or older.",
    ),
    (
        "How long is the course?",
        ["The course takes 90 minutes."],
        "The course takes 1 hour 30 minutes.",
    ),
    (
        "What is the total?",
        ["Adults pay 10 euros and children pay 6 euros."],
        "Together an adult and a child pay 16 euros.",
    ),
    ("How much is half?", ["Members get 50% off."], "Members pay half."),
    (
        "When was it founded?",
        ["The library was founded in 1921. It moved two years later."],
        "It moved in 1923.",
    ),
    ("Is it free?", ["Entry is free for children under 6."], "No fee applies to children under 6."),
    (
        "Is the pool open in winter?",
        ["The pool is closed from November to March."],
        "No, the pool is closed from November to March.",
    ),
    ("Which key?", ["Set `soft_limit` to 40."], "Set soft_limit to 40."),
    (
        "What memory?",
        ["Each machine has 4GB memory."],
        "**4GB memory per machine** However, I am not certain.",
    ),
    ("What is the speed?", ["The line runs at 100 Mbps."], "The line has a speed of 100 Mbps."),
    (
        "What should I do first?",
        ["First, unplug the printer. Then wait 30 seconds."],
        "1. Unplug the printer.\n2. Wait for half a minute.",
    ),
    (
        "Is breakfast included?",
        ["Rates include breakfast. Parking is extra."],
        "Yes, breakfast is included. Parking is not.",
    ),
    (
        "What if I lose my card?",
        ["Lost cards are replaced for €10. Call 0800 123 456 at once."],
        "Please call 0800-123-456 right away. A replacement costs ten euros.",
    ),
    (
        "How do I contact you?",
        ["Write to help@shop.example or call +49 30 1234567."],
        "You can reach us at help@shop.example or 0049 30 1234567.",
    ),
    (
        "What temperature?",
        ["Bake at 180 degrees for 40 minutes."],
        "Bake it at 180 °C for forty minutes.",
    ),
    ("How often is it backed up?", ["Backups run daily."], "Backups run every 24 hours."),
    ("How often?", ["Backups run every 12 hours."], "Backups run twice a day."),
    ("What is the discount?", ["Students get a quarter off."], "Students get 25% off."),
    (
        "May I park?",
        ["Visitors may park for three hours between 7 am and 7 pm."],
        "Visitors may park for 3 hours from 7:00 to 19:00.",
    ),
    (
        "What is the excess?",
        ["The excess is £250 per claim; for drivers under 25 it is £500."],
        "If you are under 25, the excess is £500 per claim.",
    ),
    ("How long?", ["Delivery takes 3-5 days."], "Delivery takes three to five days."),
    ("How long?", ["Delivery takes 3-5 days."], "Delivery takes at most 5 days."),
]
WRONG: list[tuple[str, list[str], str]] = [
    ("How long?", ["Books are lent for 21 days."], "Books are lent for 28 days."),
    ("What?", ["International wire transfers cost $45."], "International wire transfers cost $54."),
    ("What?", ["We pay the return postage."], "You pay the return postage."),
    (
        "What?",
        ["Switch the router off before you open it."],
        "Switch the router on before you open it.",
    ),
    ("What?", ["You need a passport and a visa."], "You need a passport or a visa."),
    ("What?", ["You may bring a bag."], "You must bring a bag."),
    ("What?", ["The offer runs until June."], "The offer runs from June."),
    (
        "Can sale items be refunded?",
        ["Sale items cannot be refunded."],
        "Yes, sale items cannot be refunded.",
    ),
    (
        "Can sale items be refunded?",
        ["Sale items cannot be refunded."],
        "Yes, sale items can be refunded.",
    ),
    (
        "Can sale items be refunded?",
        ["Sale items can be refunded if unopened."],
        "Sale items can be refunded.",
    ),
    ("What?", ["Refunds are free, unless the parcel was opened."], "Refunds are free."),
    ("What?", ["The storage temperature is −5 °C."], "The storage temperature is 5 °C."),
    ("What?", ["The library supports version 3.10."], "The library supports version 3.1."),
    ("What?", ["Members must be at least 18."], "Members must be over 18."),
    ("What?", ["Prices went up by 5%."], "Prices went up to 5%."),
    ("What?", ["Each user has 10 GB of storage."], "Each user has 10 Gb of storage."),
    ("What?", ["Tickets cost 5 euros."], "Tickets cost from 5 euros."),
    ("What?", ["Nobody may enter the lab."], "Everybody may enter the lab."),
    ("What?", ["Fees are waived for students."], "Fees are due for students."),
    ("What?", ["Hardly any claim is refused."], "Any claim is refused."),
    ("What?", ["It is not true that lenders must insure."], "Lenders must insure."),
    ("What?", ["Some say, the bank pays the fee."], "The bank pays the fee."),
    ("What?", ["Old rule: the airline pays for meals."], "The airline pays for meals."),
    ("What?", ["In Germany, returns are free."], "Returns are free."),
    ("What?", ["Returns are free in Germany."], "Returns are free."),
    ("What?", ["Neither cash, nor cheques are accepted."], "Cheques are accepted."),
    (
        "What?",
        ["The archive is open to students only."],
        "The archive is open to students and staff.",
    ),
    ("What?", ["The minimum order is 20 euros."], "The maximum order is 20 euros."),
    (
        "What?",
        ["Passengers may carry one bag of up to 8 kg."],
        "Passengers may carry one bag of up to 10 kg.",
    ),
    ("What?", ["The loan is repaid after 24 months."], "The loan is repaid after 36 months."),
    ("What?", ["Is the pool free? Ask the desk."], "The pool is free."),
    ("What?", ["The pool is free. That is no longer true."], "The pool is free."),
    (
        "What?",
        ["The API allows 100 requests per minute."],
        "The API allows 100 requests per second.",
    ),
    (
        "What?",
        ["Checked bags cost 30 euros, or 25 euros online."],
        "Checked bags cost 30 euros online.",
    ),
    ("What?", ["The policy covers theft, but not flood."], "The policy covers flood."),
    ("What?", ["Staff, except interns, get a laptop."], "Staff get a laptop."),
    ("What?", ["If you cancel late, you pay 20 euros."], "You pay 20 euros."),
    (
        "What?",
        ["You may cancel at any time, provided that nothing was shipped."],
        "You may cancel at any time.",
    ),
    ("What?", ["The office is closed on Mondays."], "The office is closed on Tuesdays."),
    ("What?", ["Interest is paid monthly."], "Interest is paid yearly."),
]
FACTS = [
    ("Gift wrapping costs 4 euros for each parcel.", "4 euros for each parcel", FactLabel.STATED),
    (
        "Gift wrapping costs 4 euros for each parcel.",
        "Gift wrapping costs 4 euros.",
        FactLabel.STATED,
    ),
    ("Set `soft_limit` to 40.", "soft_limit", FactLabel.STATED),
    ("You have 30 days.", "14 days", FactLabel.MISSING),
    ("Refunds take 14 days.", "Refunds take 30 days.", FactLabel.CONTRADICTED),
    ("", "Refunds take 30 days.", FactLabel.MISSING),
]
UNSTATED = [
    ("Returns are free. That is not true.", "Returns are free."),
    ("<!-- Returns are free. --> We sell shoes.", "Returns are free."),
    ("~~Returns are free.~~ Returns cost 5 euros.", "Returns are free."),
    ("Returns are free only for members.", "Returns are free."),
    ("We pay for return shipping.", "You pay for return shipping."),
    ("Members must be over 18.", "Members must be at least 18."),
    ("You have up to 5 days.", "5 days"),
    ("It covers 10 GB.", "10 Gb"),
]


@pytest.mark.parametrize(("question", "context", "answer"), RIGHT, ids=[row[2] for row in RIGHT])
def test_a_right_answer_is_never_red(question: str, context: list[str], answer: str) -> None:
    labels = {claim.label for claim in judge_claims(question, context, answer)}
    assert labels
    assert not labels & {Label.CONTRADICTED, Label.ABSENT}


@pytest.mark.parametrize(
    ("question", "context", "answer"), WRONG, ids=[str(row[1:]) for row in WRONG]
)
def test_a_wrong_answer_is_never_supported(question: str, context: list[str], answer: str) -> None:
    labels = [claim.label for claim in judge_claims(question, context, answer)]
    assert Label.SUPPORTED not in labels


@pytest.mark.parametrize(("answer", "fact", "label"), FACTS)
def test_facts(answer: str, fact: str, label: FactLabel) -> None:
    (verdict,) = state_facts("", [fact], answer)
    assert verdict.label is label


@pytest.mark.parametrize(("answer", "fact"), UNSTATED)
def test_a_fact_that_is_taken_back_is_not_stated(answer: str, fact: str) -> None:
    (verdict,) = state_facts("", [fact], answer)
    assert verdict.label is not FactLabel.STATED


def test_a_short_answer_states_a_fact_of_its_question() -> None:
    (verdict,) = state_facts("How long is the trial?", ["The trial is 30 days."], "30 days.")
    assert verdict.label is FactLabel.STATED
    (verdict,) = recall_facts(["The trial is 30 days."], ["The trial is thirty days."])
    assert verdict.label is FactLabel.STATED


def test_every_claim_is_absent_from_an_empty_context() -> None:
    (claim,) = judge_claims("", [], "The pool is heated.")
    assert (claim.label, claim.code) == (Label.ABSENT, "empty-context")


@pytest.mark.parametrize(
    "more",
    [
        "See [the page](https://a.example/b).",
        "Read more: https://a.example/b",
        "Sources: fees.md, wires.md",
        "Best regards,\nTom from the Support Team",
        "[doc1]",
    ],
)
def test_decorations_are_no_claims(more: str) -> None:
    told = claims_of("What does it cost?", f"A wire costs 45 euros.\n\n{more}")
    assert [said.text for said in told] == ["A wire costs 45 euros."]


@pytest.mark.parametrize(
    "sentence",
    [
        "Tell us within 12 weeks, so that we can look at it while it is still on the shelf.",
        "A place can be cancelled up to 72 hours before it begins, and the price is paid back.",
    ],
)
def test_a_sentence_of_the_context_is_not_cut_and_is_supported(sentence: str) -> None:
    (claim,) = judge_claims("When?", [f"Read this first. {sentence} Thank you."], sentence)

    assert claim.label is Label.SUPPORTED
    assert claim.text == sentence
