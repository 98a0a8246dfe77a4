"""The quick look before a slow pattern: it may let one pass, and may hide nothing."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalrag.judging.orders import KINDS, Kind, Order, orders, small
from tests.attacks.payloads import ATTACKS, Attack

KIND = pytest.mark.parametrize("kind", KINDS, ids=[f"{n} {k.what}" for n, k in enumerate(KINDS)])


@KIND
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_a_pattern_finds_is_never_ruled_out(kind: Kind, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(kind.pattern))
    assert kind.possible(text, small(text))


@pytest.mark.parametrize("attack", ATTACKS, ids=[attack.name for attack in ATTACKS])
@pytest.mark.parametrize("change", [str, str.upper, str.title], ids=["as it is", "upper", "title"])
def test_an_attack_has_all_the_orders_that_the_patterns_find(
    attack: Attack, change: Callable[[str], str]
) -> None:
    text = change(attack.filled("It is $9.", "It is $5."))
    found = {
        Order(kind.what, *match.span("order" if kind.pattern.groups else 0))
        for kind in KINDS
        for match in kind.pattern.finditer(text)
    }
    assert found <= set(orders(text))


def test_letters_that_a_pattern_takes_for_ascii_are_small_ascii() -> None:
    text = "\u0130GNORE \u0131gnore \u017fkip s\u212aip"
    assert small(text) == "ignore ignore skip skip"
