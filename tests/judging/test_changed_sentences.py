"""The offline judge on changed sentences of six more contexts, written for this table."""

import pytest

from evalrag.judging.offline import judge_claims
from evalrag.schema.words import Label

S, C, A, U = Label.SUPPORTED, Label.CONTRADICTED, Label.ABSENT, Label.UNRESOLVED

CONTEXTS = {
    "hotel": (
        "The Larkspur Hotel has 48 rooms over three floors. "
        "Check-in starts at 3 pm and check-out is by 11 am. "
        "Guests who cancel less than 48 hours before arrival pay one night. "
        "Breakfast is served from 6:30 to 10:00 and costs 14 euros per person. "
        "Pets are not permitted in the restaurant."
    ),
    "safety": (
        "Employees must report workplace injuries to the safety office within 24 hours. "
        "Helmets are compulsory in Hall 3. "
        "The forklift may be driven only by certified operators. "
        "Safety training is repeated every two years and lasts 90 minutes."
    ),
    "river": (
        "The Odra river is 854 km long and rises in the Czech Republic. "
        "In 1997 a flood destroyed 1,200 houses in Wroclaw. "
        "The dam at Racibor was completed in June 2020 "
        "and can hold 185 million cubic metres of water. "
        "Commercial shipping declined after 1990."
    ),
    "storage": (
        "The free tier includes 5 GB of storage and one user. "
        "The Pro tier costs $12 per user per month and includes 200 GB of storage. "
        "Support tickets are answered within 4 hours for Pro customers "
        "and within 3 days for free customers. "
        "Files are deleted 30 days after an account is closed. "
        "Two-factor login is required for admins."
    ),
    "clinic": (
        "Dr. Amara Singh joined the clinic in 2012 and leads the cardiology unit. "
        "The clinic treats about 9,500 patients a year. "
        "Visiting hours are from 2 pm to 6 pm daily. "
        "Children under 12 must be accompanied by an adult. "
        "The emergency entrance is on the north side of the building."
    ),
    "device": (
        "Model ZX-40 weighs 2.3 kg and runs for 8 hours on one charge. "
        "The screen is brighter than that of the ZX-30. "
        "It was launched in Japan on 3 March 2022 at a price of 89,000 yen. "
        "The casing is waterproof to a depth of 10 metres. "
        "Spare parts are available for at least seven years."
    ),
}

TABLE = [
    ("hotel", "The Larkspur Hotel has 48 rooms over three floors.", {S}),
    ("hotel", "The Larkspur Hotel has 84 rooms over three floors.", {C}),
    ("hotel", "The Larkspur Hotel has 48 rooms over five floors.", {C}),
    ("hotel", "Check-in starts at 2 pm.", {C}),
    ("hotel", "Check-in starts at 3 am.", {C}),
    ("hotel", "Check-out is by 11 am.", {S}),
    ("hotel", "Guests who cancel more than 48 hours before arrival pay one night.", {C, A}),
    ("hotel", "Guests who cancel less than 48 days before arrival pay one night.", {C}),
    ("hotel", "Breakfast costs 14 dollars per person.", {C}),
    ("hotel", "Breakfast costs 14 euros per room.", {C}),
    ("hotel", "Breakfast is served from 7:30 to 10:00.", {C}),
    ("hotel", "Pets are permitted in the restaurant.", {C}),
    ("hotel", "The hotel has a heated swimming pool.", {A}),
    ("hotel", "Guests who cancel less than two days before arrival pay one night.", {S}),
    ("hotel", "Breakfast costs fourteen euros per person.", {S}),
    ("hotel", "The Marigold Hotel has 48 rooms.", {C, A}),
    (
        "safety",
        "Employees must report workplace injuries to the safety office within 24 hours.",
        {S},
    ),
    (
        "safety",
        "Employees must report workplace injuries to the safety office within one day.",
        {S},
    ),
    ("safety", "Employees must report workplace injuries within 48 hours.", {C}),
    ("safety", "Helmets are optional in Hall 3.", {C}),
    ("safety", "Helmets are compulsory in Hall 5.", {C}),
    ("safety", "The forklift may be driven by anyone.", {C, U}),
    ("safety", "Safety training is repeated every three years.", {C}),
    ("safety", "Safety training lasts 90 hours.", {C}),
    ("safety", "Safety training is repeated every 24 months.", {S}),
    (
        "safety",
        "Employees must report workplace injuries to the finance office within 24 hours.",
        {C, A, U},
    ),
    ("safety", "Safety training lasts one and a half hours.", {S}),
    ("safety", "Employees need not report workplace injuries to the safety office.", {C}),
    ("safety", "The canteen opens at noon.", {A}),
    ("safety", "Helmets are not compulsory in Hall 3.", {C}),
    ("safety", "Gloves are compulsory in Hall 3.", {A, U}),
    ("river", "The Odra river is 854 km long.", {S}),
    ("river", "The Odra river is 584 km long.", {C}),
    ("river", "The Odra river is 854 miles long.", {C}),
    ("river", "In 1997 a flood destroyed 1,200 houses in Wroclaw.", {S}),
    ("river", "In 1979 a flood destroyed 1,200 houses in Wroclaw.", {C}),
    ("river", "A flood destroyed 1,200 houses in Wroclaw in 1997.", {S}),
    ("river", "In 1997 a flood destroyed 12,000 houses in Wroclaw.", {C}),
    ("river", "In 1997 a flood destroyed 1,200 houses in Krakow.", {C}),
    ("river", "The dam at Racibor was completed in July 2020.", {C}),
    ("river", "The dam at Racibor was completed in June 2020.", {S}),
    ("river", "The dam can hold 185 billion cubic metres of water.", {C}),
    ("river", "Commercial shipping increased after 1990.", {C}),
    ("river", "Commercial shipping declined before 1990.", {C}),
    ("river", "The Odra rises in Poland.", {C}),
    ("river", "The flood killed 56 people.", {A}),
    ("river", "The dam at Racibor was not completed.", {C, U}),
    ("river", "The dam at Racibor can hold about 190 million cubic metres of water.", {S}),
    ("storage", "The Pro tier costs $12 per user per month.", {S}),
    ("storage", "The Pro tier costs $12 per user per year.", {C}),
    ("storage", "The Pro tier costs $21 per user per month.", {C}),
    ("storage", "The Pro tier costs €12 per user per month.", {C}),
    ("storage", "The free tier includes 200 GB of storage.", {C}),
    ("storage", "The Pro tier includes 5 GB of storage.", {C}),
    ("storage", "The free tier includes 5 TB of storage.", {C}),
    ("storage", "Support tickets are answered within 3 days for Pro customers.", {C}),
    ("storage", "Support tickets are answered within 4 hours for free customers.", {C}),
    ("storage", "Files are deleted 30 days before an account is closed.", {C}),
    ("storage", "Files are deleted 60 days after an account is closed.", {C}),
    ("storage", "Files are deleted one month after an account is closed.", {S, U}),
    ("storage", "Two-factor login is optional for admins.", {C}),
    ("storage", "Two-factor login is not required for admins.", {C}),
    ("storage", "The Enterprise tier includes a dedicated manager.", {A}),
    ("storage", "The free tier includes 5 GB of storage and one user.", {S}),
    ("storage", "The Pro tier includes 200 GB of storage.", {S}),
    ("storage", "Files are deleted thirty days after an account is closed.", {S}),
    ("storage", "Support tickets are answered within 240 minutes for Pro customers.", {S}),
    ("storage", "The free tier includes five users.", {C}),
    ("clinic", "Dr. Amara Singh joined the clinic in 2012.", {S}),
    ("clinic", "Dr. Amara Singh joined the clinic in 2021.", {C}),
    ("clinic", "Dr. Amara Singh leads the oncology unit.", {C, U}),
    ("clinic", "Dr. Peter Voss leads the cardiology unit.", {C}),
    ("clinic", "The clinic treats about 5,900 patients a year.", {C}),
    ("clinic", "The clinic treats about 9,500 patients a month.", {C}),
    ("clinic", "The clinic treats roughly 9,500 patients a year.", {S}),
    ("clinic", "Visiting hours are from 2 pm to 8 pm daily.", {C}),
    ("clinic", "Children over 12 must be accompanied by an adult.", {C, A}),
    ("clinic", "Children under 16 must be accompanied by an adult.", {C}),
    ("clinic", "The emergency entrance is on the south side of the building.", {C}),
    ("clinic", "The emergency entrance is on the north side of the building.", {S}),
    ("clinic", "Children under 12 need not be accompanied by an adult.", {C}),
    ("clinic", "The clinic was founded in 1987.", {A}),
    ("clinic", "Visiting hours are from 14:00 to 18:00 daily.", {S}),
    ("clinic", "Visiting hours are from 2 pm to 6 pm weekly.", {C}),
    ("clinic", "The emergency entrance is on the north side.", {S}),
    ("clinic", "The clinic does not treat patients.", {C}),
    ("device", "Model ZX-40 weighs 2.3 kg.", {S}),
    ("device", "Model ZX-40 weighs 3.2 kg.", {C}),
    ("device", "Model ZX-40 weighs 2.3 g.", {C}),
    ("device", "Model ZX-50 weighs 2.3 kg.", {C, A}),
    ("device", "Model ZX-40 runs for 8 hours on one charge.", {S}),
    ("device", "Model ZX-40 runs for 8 days on one charge.", {C}),
    ("device", "It was launched in Japan on 3 May 2022.", {C}),
    ("device", "It was launched in Japan on March 3, 2022.", {S}),
    ("device", "It was launched in Korea on 3 March 2022.", {C}),
    ("device", "The casing is waterproof to a depth of 10 feet.", {C}),
    ("device", "Spare parts are available for at most seven years.", {C}),
    ("device", "Spare parts are available for at least 7 years.", {S}),
    ("device", "Spare parts are unavailable.", {C, U}),
    ("device", "The screen is darker than that of the ZX-30.", {C, U}),
    ("device", "The casing is not waterproof.", {C, U}),
    ("device", "The casing is made of aluminium.", {A, U}),
    ("device", "Model ZX-40 weighs 2300 grams.", {S}),
    ("device", "Model ZX-40 weighs exactly 2 kg.", {C}),
    ("device", "The ZX-40 has two cameras.", {A}),
]


@pytest.mark.parametrize(
    ("about", "answer", "acceptable"), [pytest.param(*row, id=row[1]) for row in TABLE]
)
def test_a_changed_sentence(about: str, answer: str, acceptable: set[Label]) -> None:
    (claim,) = judge_claims("What about it?", [CONTEXTS[about]], answer)
    assert claim.label in {*acceptable, U}, claim
