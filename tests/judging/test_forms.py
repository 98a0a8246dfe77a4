"""What plain code says an answer does, and where it will not say."""

import pytest

from evalrag.judging.forms import answer_form
from evalrag.schema.words import Form

PRICE = "How much is it?"

ANSWERED = [
    ("How long?", "We cannot refund after 30 days."),
    ("Can I return sale items?", "Refunds are not available for final-sale items."),
    ("Who wrote it?", "The author of the poem is unknown."),
    ("What if nobody replies?", "If no answer is received within 10 days, the offer lapses."),
    ("What is the window?", "30 days."),
    ("Do you offer gift wrapping?", "No."),
    ("Do you offer gift wrapping?", "No, we do not offer gift wrapping."),
    ("Can I see a doctor?", "You cannot see a doctor without an appointment."),
    ("Where is my data?", "Your data is not available to third parties."),
    ("What if I lose my key?", "If you do not know your key number, call the office."),
    ("Who may enter?", "Visitors who cannot provide identification are not admitted."),
    ("What happens to them?", "Items that cannot be identified are donated after 90 days."),
    ("What does the form need?", "Forms that do not include a signature are returned."),
    ("Is it covered?", "Water damage is not covered by the warranty."),
    ("How do I know my plan?", "The plan is shown in your account settings."),
    ("Can we share the file?", "We do not share information with third parties."),
    ("Can we get copies?", "We do not provide copies of invoices older than two years."),
    ("Is there parking?", "There is no parking on site."),
    ("What is the window?", "The window is 30 days. Let me know if you have more questions!"),
    ("What is the window?", "The window is 30 days. Would you like me to start a return?"),
    ("Where do you sell?", "We do not have a store in Berlin."),
    ("What is the deadline?", "Apply by 1 May; late applications are not considered."),
    ("Why was it refused?", "It was refused because it did not include information on income."),
    ("How do I log in?", "You need to know your PIN. If you don't know it, reset it."),
    ("What is missing?", "The invoice does not include VAT."),
    ("Is the source open?", "The source code is not available to customers."),
    ("Are there records?", "Records older than 7 years are not available in the archive."),
    ("How do I get a refund?", "We do not offer refunds after 30 days."),
    ("What does Basic include?", "The Basic plan does not include group classes."),
    ("What size comes?", "Orders for which a size is not specified are shipped in medium."),
    ("What of old mail?", "When the sender is not specified, letters go back."),
    ("When are letters returned?", "Letters are returned if the sender is not specified."),
    ("Is more needed?", "The form is complete: no further information is needed."),
]
DECLINED = [
    (PRICE, "I don't have information about that."),
    (PRICE, "I'm sorry, but the provided documents do not say whether earthquakes are covered."),
    (PRICE, "I could not find that in the documents."),
    (PRICE, "The price is not mentioned in the documents."),
    (PRICE, "Unfortunately, I cannot answer this question based on the provided context."),
    (PRICE, "The context does not contain any information about it. Please contact support."),
    (PRICE, "I don't know."),
    (PRICE, "Unable to answer based on given passages."),
    (PRICE, "There is no information about parking fees in the handbook."),
    (PRICE, "Sorry, I can't help with that."),
    (PRICE, "None of the passages mention a price."),
    (PRICE, "The documents only discuss refunds and do not mention the price."),
    (PRICE, "I'm not sure. You may want to contact HR."),
    (PRICE, "This is outside the scope of what I can help with."),
    (PRICE, "We do not have any information on that topic."),
    (PRICE, "The question cannot be answered from the given sources."),
    (PRICE, "Not specified."),
    (PRICE, "I do not have access to your order history."),
    (PRICE, "There isn't enough information to answer your question."),
    (PRICE, "My sources say nothing about this."),
    (PRICE, "I\u2019m afraid the policy doesn\u2019t specify the price."),
    (PRICE, "I was unable to find any details on this."),
    (PRICE, "The handbook is silent on dogs."),
    (PRICE, "The passages talk about cats only; dogs are not mentioned."),
]
QUALIFIED = [
    (PRICE, "The documents do not state the price, but shipping takes 5 days."),
    (PRICE, "Returns take 30 days. The documents do not say who pays for shipping."),
    (PRICE, "While the passages do not mention the price, they say shipping takes 5 days."),
    (PRICE, "I could not find the fee for express. Standard shipping costs $6.50."),
    (PRICE, "I don't know about Alaska; in other states delivery takes 3 days."),
    ("Can I bring my dog?", "The policy does not mention dogs. Cats are welcome in Hall 3."),
]
CORRECTS = [
    ("How much is the stipend?", "There is no such stipend."),
    ("How much is the travel stipend?", "There is no travel stipend."),
    ("How do I claim the gym bonus?", "Northwind does not offer a gym bonus."),
    ("When does the Paris office open?", "There isn't a Paris office."),
    ("Who leads the moon team?", "The moon team does not exist."),
    ("What is the pet allowance?", "We do not provide a pet allowance."),
    ("How long is the loyalty lounge open?", "Acme doesn't have a loyalty lounge."),
    ("When was the second edition printed?", "The premise is wrong: there was one edition."),
]
CLARIFIES = [
    ("What does the plan cost?", "Which plan do you mean, Basic or Premium?"),
    ("What does the plan cost?", "Could you clarify which plan you are asking about?"),
    ("What does it cost?", "We have two plans. Which one are you interested in?"),
    ("How long?", "Are you asking about returns or refunds?"),
    ("How long?", "Do you mean the trial period or the notice period?"),
    ("How long?", "Please specify which product you bought."),
]
UNSURE = [
    ("How much is the late fee?", "There is no late fee."),
    (PRICE, ""),
    (PRICE, " \n\t"),
    (PRICE, "Hello!"),
    (PRICE, "Thank you for your question."),
    (PRICE, "???"),
    ("Cuanto?", "Los documentos no dicen cuanto cuesta el plan para estudiantes este verano."),
]

TABLE = [
    pytest.param(form, question, answer, id=answer[:60] or "empty")
    for form, rows in (
        (Form.ANSWERED, ANSWERED),
        (Form.DECLINED, DECLINED),
        (Form.QUALIFIED, QUALIFIED),
        (Form.CORRECTS, CORRECTS),
        (Form.CLARIFIES, CLARIFIES),
        (None, UNSURE),
    )
    for question, answer in rows
]


@pytest.mark.parametrize(("form", "question", "answer"), TABLE)
def test_the_form_of_an_answer(form: Form | None, question: str, answer: str) -> None:
    assert answer_form(question, answer)[0] is form


@pytest.mark.parametrize(("form", "question", "answer"), TABLE)
def test_the_reason_is_never_empty(form: Form | None, question: str, answer: str) -> None:
    assert answer_form(question, answer)[1]


@pytest.mark.parametrize("question", [PRICE, "Who?", "", "Do you?"])
@pytest.mark.parametrize("answer", [answer for _, answer in DECLINED])
def test_a_decline_is_a_decline_whatever_was_asked(question: str, answer: str) -> None:
    assert answer_form(question, answer)[0] is Form.DECLINED


@pytest.mark.parametrize("courtesy", ["Thank you for asking. {}", "{} Let me know if I can help."])
@pytest.mark.parametrize("answer", [answer for _, answer in DECLINED[:12]])
def test_courtesy_changes_nothing(courtesy: str, answer: str) -> None:
    assert answer_form(PRICE, courtesy.format(answer))[0] is Form.DECLINED


@pytest.mark.parametrize("answer", [answer for _, answer in DECLINED[:6]])
def test_a_statement_beside_a_decline_qualifies_it(answer: str) -> None:
    assert answer_form(PRICE, f"{answer} Refunds take 5 days.")[0] is Form.QUALIFIED


def test_a_yes_or_no_question_presupposes_nothing() -> None:
    assert answer_form("Is there a travel stipend?", "There is no travel stipend.")[0] is (
        Form.ANSWERED
    )
