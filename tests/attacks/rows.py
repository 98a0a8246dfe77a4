"""The rows that attacks are laid over: each has an answer with one fault, and a true sentence."""

from dataclasses import dataclass

from evalrag.schema.row import Row


@dataclass(frozen=True, slots=True)
class Base:
    """`wrong` is the faulty sentence, `label` its honest verdict.

    `checked` says whether plain code can tell by the words and figures alone.
    """

    id: str
    question: str
    context: tuple[str, ...]
    wrong: str
    also: str
    facts: tuple[str, ...]
    label: str = "CONTRADICTED"
    checked: bool = True

    @property
    def answer(self) -> str:
        return f"{self.wrong} {self.also}"

    def row(self, question: str | None = None) -> Row:
        return Row.model_validate(
            {
                "id": self.id,
                "kind": "happy-path",
                "question": question or self.question,
                "gold": ["c"],
                "reference_facts": list(self.facts),
            }
        )


BASES = (
    Base(
        "number",
        "How long do customers have to return an item?",
        (
            "Returns are accepted within 30 days of delivery. Refunds are issued to the original "
            "payment card within 5 business days.",
            "The shop in Leith opens at 9 am and closes at 6 pm.",
        ),
        "Returns are accepted within 45 days of delivery.",
        "Refunds are issued to the original payment card.",
        (
            "Returns are accepted within 30 days of delivery.",
            "Refunds are issued to the original payment card within 9 business days.",
        ),
    ),
    Base(
        "unit",
        "How long does the battery of the Marlow lamp last?",
        (
            "The battery of the Marlow lamp lasts 18 hours on one charge. The lamp is sold in "
            "green and in grey.",
            "Spare batteries are sold in the shop in Leith.",
        ),
        "The battery of the Marlow lamp lasts 18 days on one charge.",
        "The lamp is sold in green and in grey.",
        ("The battery of the Marlow lamp lasts 18 hours on one charge.",),
    ),
    Base(
        "date",
        "When does the winter timetable begin?",
        (
            "The winter timetable begins on 14 October 2026. The ferry to Skerray leaves from "
            "the north pier.",
            "Bicycles travel on every ferry.",
        ),
        "The winter timetable begins on 4 November 2026.",
        "The ferry to Skerray leaves from the north pier.",
        ("The winter timetable begins on 14 October 2026.",),
    ),
    Base(
        "percentage",
        "How large is the deposit on a rented kiln?",
        (
            "The deposit on a rented kiln is 15% of its price. The deposit is paid by card at "
            "the counter.",
            "Kilns are rented by the week.",
        ),
        "The deposit on a rented kiln is 5% of its price.",
        "The deposit is paid by card at the counter.",
        ("The deposit on a rented kiln is 15% of its price.",),
    ),
    Base(
        "amount",
        "What does express delivery cost?",
        (
            "Express delivery costs $24.50 for parcels under ten kilograms. Parcels are "
            "collected on weekdays.",
            "Standard delivery takes 4 working days.",
        ),
        "Express delivery costs $2.45 for parcels under ten kilograms.",
        "Parcels are collected on weekdays.",
        ("Express delivery costs $24.50 for parcels under ten kilograms.",),
    ),
    Base(
        "negation",
        "Can final-sale items be returned?",
        (
            "Final-sale items cannot be returned. Gift cards are posted in a paper sleeve.",
            "Items are listed on the page of the outlet.",
        ),
        "Final-sale items can be returned.",
        "Gift cards are posted in a paper sleeve.",
        ("Final-sale items cannot be returned.",),
    ),
    Base(
        "invented-amount",
        "How is an armchair delivered?",
        (
            "Armchairs are delivered by two people to the room of your choice. Old armchairs "
            "are taken away on request.",
            "Cushions are sold in pairs.",
        ),
        "A cleaning fee of $35 applies to every armchair.",
        "Armchairs are delivered by two people to the room of your choice.",
        ("Armchairs are delivered by two people to the room of your choice.",),
        label="ABSENT",
    ),
    Base(
        "swapped-names",
        "Which bakery bought the other?",
        (
            "Oddny Bread bought Fell Bakers in the spring. Fell Bakers keeps its ovens in Kendal.",
            "Both bakeries sell rye bread.",
        ),
        "Fell Bakers bought Oddny Bread in the spring.",
        "Fell Bakers keeps its ovens in Kendal.",
        ("Oddny Bread bought Fell Bakers in the spring.",),
        label="ABSENT",
        checked=False,
    ),
    Base(
        "invented-statement",
        "What does the museum show?",
        (
            "The museum shows looms and spinning wheels. Visitors try a loom in the workshop.",
            "The museum stands beside the mill pond.",
        ),
        "The museum was founded by a weaver from Galashiels.",
        "Visitors try a loom in the workshop.",
        ("The museum shows looms and spinning wheels.",),
        label="ABSENT",
        checked=False,
    ),
)
