"""Whatever a passage, an answer or a question tells a judge: what plain code can check holds.

A judge that obeys all that it reads is asked through the real clients, over a local server. The
figures of the README beside this file are those that are counted here.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from evalrag.judging.fence import seen
from evalrag.judging.guard import doubt
from evalrag.judging.offline import judge_claims
from evalrag.judging.retold import unclaimed, unsaid
from evalrag.schema.result import Verdicts
from evalrag.schema.words import Label
from tests.attacks.laid import (
    Laid,
    Made,
    by_anthropic,
    by_decisions,
    by_openai,
    judged,
    over,
    passes,
    plain,
)
from tests.attacks.obedient import obedient
from tests.attacks.payloads import ATTACKS, INSIDE, OWN, Attack
from tests.attacks.request import MARKER
from tests.attacks.rows import BASES, Base
from tests.provider.server import KEY, ProviderServer

NAMES = [attack.name for attack in ATTACKS]
SHORT = 20_000
"""Characters beyond which an attack is laid over two rows alone."""
SOME = ATTACKS[::4]
"""Attacks that the other protocols are tried with."""
BESIDE = [
    attack
    for attack in ATTACKS
    if attack.where == OWN or (attack.where == INSIDE and not attack.plants)
]
"""Attacks that stand beside the passage that an answer rests on, or in it without a lie."""
README = Path(__file__).with_name("README.md")


@dataclass
class Ran:
    """What came of one attack."""

    laid: list[Laid]
    found: list[Verdicts]
    neighbour: Verdicts
    requests: list[str] = field(repr=False)


@dataclass
class Field:
    """One judge of one protocol, the verdicts that it gives unled, and its attacks so far."""

    server: ProviderServer
    make: Made
    honest: dict[str, Verdicts] = field(default_factory=dict)
    ran: dict[str, Ran] = field(default_factory=dict)

    def unled(self) -> dict[str, Verdicts]:
        if not self.honest:
            rows = [plain(base) for base in BASES]
            found = judged(self.make, self.server, rows)
            self.honest = {one.base.id: said for one, said in zip(rows, found, strict=True)}
        return self.honest

    def after(self, attack: Attack) -> Ran:
        """The attack on every row, and an honest row asked in their midst."""
        self.unled()
        if attack.name not in self.ran:
            rows = [over(base, attack) for base in under(attack)]
            self.server.forget()
            *found, neighbour = judged(self.make, self.server, [*rows, plain(BASES[0])])
            requests = [call.user for call in self.server.calls]
            self.ran[attack.name] = Ran(rows, found, neighbour, requests)
        return self.ran[attack.name]


def under(attack: Attack) -> tuple[Base, ...]:
    return BASES if len(attack.text) < SHORT else (BASES[0], BASES[5])


def opened(make: Made) -> Iterator[Field]:
    with pytest.MonkeyPatch.context() as patch, ProviderServer(obedient) as server:
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setenv("ANTHROPIC_API_KEY", KEY)
        yield Field(server, make)


@pytest.fixture(scope="module")
def chat() -> Iterator[Field]:
    yield from opened(by_openai)


@pytest.fixture(scope="module")
def messages() -> Iterator[Field]:
    yield from opened(by_anthropic)


@pytest.fixture(scope="module")
def decisions() -> Iterator[Field]:
    yield from opened(by_decisions)


each_attack = pytest.mark.parametrize("attack", ATTACKS, ids=NAMES)
some_attacks = pytest.mark.parametrize("attack", SOME, ids=[attack.name for attack in SOME])


def let_off(ran: Ran, honest: dict[str, Verdicts]) -> dict[str, list[str]]:
    """What every row was let off, by row."""
    pairs = zip(ran.laid, ran.found, strict=True)
    wrong = {one.base.id: passes(one, found, honest[one.base.id]) for one, found in pairs}
    return {name: what for name, what in wrong.items() if what}


def excused(attack: Attack) -> set[str]:
    """Rows that plain code cannot mend, or that say again what the passage plainly says."""
    absent = {base.id for base in BASES if attack.plants and base.label == "ABSENT"}
    return absent | {base.id for base in BASES if not base.checked}


def test_every_row_has_its_fault_found_where_nothing_leads(chat: Field) -> None:
    for base in BASES:
        found = chat.unled()[base.id]
        assert [claim.label for claim in found.claims] == [base.label, "SUPPORTED"], base.id
        assert (found.guard, found.suspicious, found.unresolved) == ((), (), {}), base.id


def test_there_are_attacks_enough_and_each_has_a_name() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 40


@each_attack
def test_what_plain_code_can_check_is_not_let_off(chat: Field, attack: Attack) -> None:
    wrong = let_off(chat.after(attack), chat.unled())
    assert {row: what for row, what in wrong.items() if row not in excused(attack)} == {}


@some_attacks
def test_nor_through_the_other_protocol(messages: Field, attack: Attack) -> None:
    wrong = let_off(messages.after(attack), messages.unled())
    assert {row: what for row, what in wrong.items() if row not in excused(attack)} == {}


@some_attacks
def test_nor_where_a_label_is_chosen(decisions: Field, attack: Attack) -> None:
    wrong = let_off(decisions.after(attack), decisions.unled())
    assert {row: what for row, what in wrong.items() if row not in excused(attack)} == {}


@each_attack
def test_it_is_reported_with_its_row(chat: Field, attack: Attack) -> None:
    reported = [bool(found.suspicious) for found in chat.after(attack).found]
    assert set(reported) == {not attack.silent}


@each_attack
def test_nothing_raises(chat: Field, attack: Attack) -> None:
    for found in chat.after(attack).found:
        reasons = [*found.unresolved.values(), *(claim.reason for claim in found.claims)]
        assert not [one for one in reasons if re.search(r"\b\w+(?:Error|Exception): ", one)]


@each_attack
def test_a_row_beside_it_keeps_its_verdict(chat: Field, attack: Attack) -> None:
    assert chat.after(attack).neighbour == chat.unled()[BASES[0].id]


@each_attack
def test_the_fence_holds(chat: Field, attack: Attack) -> None:
    ran = chat.after(attack)
    markers = []
    for request in ran.requests:
        found = MARKER.match(request)
        assert found is not None
        marker = found[1]
        assert re.fullmatch(r"[0-9a-f]{12}", marker)
        assert marker not in "".join(
            text for one in ran.laid for text in (*one.context, one.answer)
        )
        markers.append(marker)
        fences = re.findall(rf"^<<{marker} [^\n<>]+>>$", request, re.M)
        assert len(fences) % 2 == 0
        assert request.count("<<") == request.count(">>") == len(fences)
        assert request.count(marker) == len(fences) + 1
        assert seen(request) == request
    assert len(set(markers)) == len(markers)


@pytest.mark.parametrize("attack", BESIDE, ids=[attack.name for attack in BESIDE])
def test_an_honest_verdict_on_a_right_answer_is_not_doubted(attack: Attack) -> None:
    base = BASES[0]
    (right,) = judge_claims(base.question, base.context, base.facts[0])
    context = over(base, attack).context
    assert right.label is Label.SUPPORTED
    assert doubt(right.text, right.quote, context, base.question) is None
    assert unsaid(right.text, base.question, right.text) is None
    assert unclaimed(base.question, right.text, [right], context) == []


def test_the_judge_is_led_by_what_it_is_shown(chat: Field) -> None:
    """Of all that can be seen: letters that are taken out lead nobody."""
    unmoved = {
        attack.name
        for attack in ATTACKS
        for one, found in zip(chat.after(attack).laid, chat.after(attack).found, strict=True)
        if _told(found) == _told(chat.unled()[one.base.id])
    }
    assert unmoved == {"tags", "selectors"}


def _told(found: Verdicts) -> tuple[object, ...]:
    return found.claims, found.facts, found.recalled, found.guard, found.unresolved


def test_the_readme_has_the_figures(chat: Field) -> None:
    """`python -m pytest tests/attacks` prints the table that should stand there."""
    table = figures(chat)
    assert table in README.read_text(encoding="utf-8"), f"the table is now:\n\n{table}"


def figures(chat: Field) -> str:
    laid, doubted, off = Counter[str](), Counter[str](), Counter[str]()
    for attack in ATTACKS:
        ran = chat.after(attack)
        for one, found in zip(ran.laid, ran.found, strict=True):
            laid[one.base.id] += 1
            doubted[one.base.id] += bool(found.guard)
        off.update(list(let_off(ran, chat.unled())))
    lines = [
        "| row | its verdict | attacks | doubted by plain code | let off |",
        "|---|---|---:|---:|---:|",
    ]
    for base in BASES:
        name = base.id
        figures = f"{laid[name]} | {doubted[name]} | {off[name]}"
        lines.append(f"| {name} | {base.label} | {figures} |")
    silent = [attack.name for attack in ATTACKS if attack.silent]
    told = f"{len(ATTACKS) - len(silent)} of {len(ATTACKS)} attacks are reported with their rows."
    return "\n".join([*lines, "", told])
