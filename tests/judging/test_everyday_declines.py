"""How people say that they do not know, beside answers that sound alike."""

import pytest

from evalrag.judging.claims import claims_of
from evalrag.judging.forms import answer_form
from evalrag.judging.offline import judge_claims
from evalrag.schema.words import Form

QUESTION = "What does it cost to bring a guest?"

DECLINES = [
    "Sorry, I do not know that.",
    "I do not know that.",
    "I'm not sure about that, sorry.",
    "I'm afraid I can't tell you that.",
    "No idea, sorry.",
    "I can't help with that.",
    "We have nothing on that in our documents.",
    "Sorry, that's not something I can help you with.",
    "I honestly don't know.",
    "I haven't got a clue, sorry.",
    "Hmm, I'm not sure.",
    "Sorry, no idea.",
    "I wouldn't know, I'm afraid.",
    "That I don't know.",
    "There's nothing about that in our help pages.",
    "I couldn't find anything about that.",
    "I don't have an answer to that.",
    "We don't have that information.",
    "Unfortunately I have no information on that.",
    "Our documentation doesn't cover that.",
    "I can't say.",
    "I really couldn't tell you.",
    "That's not covered in our docs.",
    "I found nothing on this.",
    "Don't know, sorry.",
    "I don't have any details on that, I'm afraid.",
    "Sorry, but our help centre says nothing about that.",
    "I am not able to answer that.",
    "Not sure about that one.",
    "I'm sorry, I don't have that information.",
    "It doesn't say.",
    "I don't think I can answer that.",
    "My apologies, but I don't know the answer to that.",
    "Sorry, we can't help with that.",
    "That's beyond what I know.",
    "I wish I could help, but I don't know.",
    "I don't see anything about that in the documents.",
    "This isn't something I have information about.",
    "I'm afraid that's not in our documents.",
    "I have nothing on that, sorry about that.",
    "We do not know that yet.",
    "i dont know that sorry",
    "There's no information on that.",
    "We\u2019re not sure about that, sorry!",
    "I'm sorry, I can't answer that question.",
    "Sorry, I don't have that detail.",
    "That information isn't available to me.",
    "I'm not able to find that.",
    "I have no information about guest prices.",
    "I can't find the price of a guest pass anywhere.",
    "We don't have details about guests in our help center.",
    "I'm not certain about that.",
    "I don't actually know.",
    "I'm afraid I don't have the answer.",
    "Sorry, that one's not covered by the documents I have.",
    "There's no mention of guests in the documents.",
    "Our help pages don't mention guests.",
    "I'm afraid I'm unable to say.",
    "I couldn't tell you, sorry.",
    "Apologies, I don't have an answer for you.",
    "I do not have any information regarding guest fees at this time.",
    "I'd rather not guess.",
    "I can't give you a definite answer.",
    "That's not something our documents cover.",
    "Nothing I have says what a guest costs.",
    "I don't have enough to go on.",
    "No information on that, sorry.",
    "Can't say, I'm afraid.",
    "Unfortunately our documents are silent on that.",
    "I looked, but found nothing about guests.",
    "We haven't got any information about that.",
    "I'm drawing a blank on that one, sorry.",
    "The answer isn't in the documents I was given.",
    "Sorry, I only know about our shop's policies.",
    "You'd have to ask the front desk, I don't know.",
    "I cannot answer this from the documents.",
    "Hmm, I don't see that anywhere.",
    "I'm not aware of a guest price.",
    "We do not have an answer to this question.",
    "I do not know when the Lund office was opened.",
    "I can't find that in what I have been given.",
    "Sorry, but I don't know.",
    "Our documents give no date for the Lund office.",
    "I'm sorry, I couldn't find the opening date.",
    "There's no record of that in the handbook.",
    "This question can't be answered with the documents provided.",
    "I have no details about the Lund office.",
    "Afraid I don't know that one.",
    "No idea when it opened.",
    "The documents I have do not say when.",
    "We're unable to answer that.",
    "Not something I know, sorry.",
    "I have searched the documents and there is no date.",
    "I'm not in a position to say.",
    "That is unknown to me.",
    "I do not hold that information.",
    "Nothing about the Lund office in the documentation.",
    "I'm just a shop assistant bot and can't answer that.",
    "The date isn't given in any of the documents.",
    "I'm sorry, that information is not in my sources.",
    "The handbook doesn't tell when it opened.",
    "I really have no clue.",
    "It isn't stated.",
    "I am sorry, but I don't have any record of the Lund office opening.",
]
ANSWERS = [
    "I do not know of any fee for that.",
    "We cannot refund after 30 days.",
    "You are not allowed to bring food.",
    "We do not know your password; only its hash is stored.",
    "We can't help with visas.",
    "We have nothing on sale in winter.",
    "There is nothing to pay.",
    "There's nothing to sign.",
    "Sorry, we do not ship to Canada.",
    "I'm sorry, but refunds are not possible after a month.",
    "Unfortunately, the pool is closed on Mondays.",
    "I'm afraid the lounge is closed on Sundays.",
    "No, sorry.",
    "Sorry, no.",
    "You can't tell the two models apart.",
    "Nobody knows who wrote the anthem.",
    "The author is not known.",
    "Your card number is not known to us.",
    "If you are not sure about the size, order two.",
    "Staff cannot help with luggage.",
    "The app does not tell you the fee before you pay.",
    "We don't have that in blue.",
    "We do not have that size.",
    "There is no information desk on the second floor.",
    "We do not answer calls on Sundays.",
    "We can't answer the phone on holidays.",
    "You cannot know the exact time in advance.",
    "The policy does not cover flood damage.",
    "Our insurance does not cover that.",
    "No, that is not covered.",
    "That's not covered by the warranty.",
    "That's not something we charge for.",
    "That is not something you can return.",
    "We found nothing wrong with the meter.",
    "Inspectors found nothing on the roof.",
    "Nothing is due before delivery.",
    "Nothing in the parcel may be flammable.",
    "There's nothing on the menu without nuts.",
    "No idea is too small for the suggestion box.",
    "Not all rooms have a view.",
    "Unknown senders are blocked.",
    "Help is not available at night.",
    "I'm sorry, the last train leaves at midnight.",
    "Sorry, it can't be exchanged.",
    "We have nothing like that in size nine.",
    "We know nothing is more annoying than a late parcel.",
    "Guests cannot come in on weekends.",
    "Sorry, guests are not allowed.",
    "I'm afraid you can't bring a guest.",
    "No, we don't allow guests.",
    "We don't charge for guests.",
    "There isn't a charge for that.",
    "You don't need to know the code to enter.",
    "Unfortunately, guests are not covered by your insurance.",
    "We can't tell guests apart from members, so carry your card.",
    "It costs nothing.",
    "Nothing, it is free.",
    "It's free; we have nothing to charge for.",
    "We don't answer for lost property.",
    "Guests may not use the pool.",
    "You can't find it in shops; it is sold online only.",
    "That's not included in the price.",
    "This isn't available in your country.",
    "That is not part of the contract.",
    "The contract doesn't mention guests, so they are free.",
    "We never share information about guests.",
    "The report is not available before May.",
    "Documents are not needed.",
    "We do not cover guests.",
    "The plan doesn't cover that.",
    "I'm sorry, you need a ticket.",
    "Sorry, the pool is full.",
    "We can't say it often enough: lock your bike.",
    "No clue is given twice in the quiz.",
    "It is not something we offer to guests.",
    "Our sources of funding are not public.",
    "You are not sure to get a seat without a booking.",
    "We can't help with moving boxes upstairs.",
    "It opened in 2014.",
    "It is not open yet.",
    "We never opened on a Sunday.",
    "The office was not known to the public until 2014.",
    "We don't have stairs.",
    "Sorry, it closed last year.",
    "I'm afraid it was sold.",
    "The date is not fixed.",
    "Records are not kept on paper.",
    "The office doesn't answer the phone.",
    "You can't say when you arrive without a slot.",
    "It is unclear weather that delays the works.",
    "The office has no information screen.",
    "No answer within two days means yes.",
    "Nobody was there to open it.",
    "The handbook is not sold.",
    "The data is not shared with anyone.",
    "We could not find a buyer, so it was closed.",
    "We can't tell you the code by phone; come to the desk.",
    "Our files are not deleted.",
    "We have nothing against dogs.",
    "There's nothing in the fridge for guests.",
]


@pytest.mark.parametrize("answer", DECLINES)
def test_an_everyday_decline_declines(answer: str) -> None:
    assert answer_form(QUESTION, answer)[0] is Form.DECLINED
    assert claims_of(QUESTION, answer) == []


@pytest.mark.parametrize("answer", ANSWERS)
def test_what_only_sounds_like_a_decline_answers(answer: str) -> None:
    assert answer_form(QUESTION, answer)[0] is Form.ANSWERED
    assert claims_of(QUESTION, answer) != []


@pytest.mark.parametrize("answer", ["I would not count on it.", "I never saw such a thing."])
def test_the_speaker_with_a_no_may_decline_in_words_that_no_rule_knows(answer: str) -> None:
    form, why = answer_form(QUESTION, answer)

    assert form is None
    assert why == (
        f"may decline, and in none of the forms of a decline that the rules know: {answer}"
    )


@pytest.mark.parametrize("answer", ["Hello!", "Sorry about that.", "Let me know if I can help."])
def test_courtesy_alone_is_quoted(answer: str) -> None:
    form, why = answer_form(QUESTION, answer)

    assert form is None
    assert why == (
        f"no statement, and none of the forms of a decline that the rules know: {answer}"
    )


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        ("Sorry, I do not know that. Parking is free for an hour.", Form.QUALIFIED),
        ("Parking is free for an hour. I don't know about guests, sorry.", Form.QUALIFIED),
        ("I'm not sure about that, sorry, but parking is free for an hour.", Form.ANSWERED),
        ("Sorry, no idea. Please ask at the desk.", Form.DECLINED),
        ("There's no such fee.", Form.CORRECTS),
    ],
)
def test_what_stands_beside_it_decides(answer: str, form: Form) -> None:
    assert answer_form(QUESTION, answer)[0] is form


def test_regrets_are_no_words_of_a_claim() -> None:
    context = ["We do not ship to Canada. Returns are accepted within 30 days."]

    def label(answer: str) -> str:
        (claim,) = judge_claims("Do you ship there?", context, answer)
        return claim.label.value

    assert label("Sorry, we do not ship to Canada.") == "SUPPORTED"
    assert label("Unfortunately, we do not ship to Canada.") == "SUPPORTED"
    assert label("I'm afraid returns are accepted within 20 days.") == "CONTRADICTED"
