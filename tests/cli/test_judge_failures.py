"""`FAILURES.md`: whatever the judge's server does, no row passes and no run is green."""

import json
from collections.abc import Iterator

import pytest

from tests.cli.failures import FAULTS, FILE, Fault, Seen, Shop, open_shop, page
from tests.judges.asking import on_claims
from tests.judges.scripted import body_of, fenced, honest, named
from tests.provider import said
from tests.provider.said import Asked, Said


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with open_shop() as opened:
        yield opened


@pytest.fixture(scope="module")
def seen(shop: Shop) -> dict[str, Seen]:
    return {fault.name: shop.see(fault) for fault in FAULTS}


@pytest.mark.parametrize("name", [fault.name for fault in FAULTS])
def test_a_failure_leaves_its_rows_undecided_and_says_why(seen: dict[str, Seen], name: str) -> None:
    one = seen[name]
    assert one.verdict["exit_code"] == 3
    assert one.verdict["verdict"] == "undecided"
    assert one.verdict["unresolved"] == ["h1", "h2"]
    assert one.verdict["outcomes"] == {"happy-path": {"unresolved": 2}}
    assert one.why
    assert any("h1, h2" in line or "on 2 rows" in line for line in one.head)
    assert one.next
    for mean in one.verdict["means"]:
        if mean["metric"] in ("faithfulness", "hard_fail"):
            assert (mean["value"], mean["scored"]) == (None, 0)


def test_the_table_is_what_was_seen(seen: dict[str, Seen]) -> None:
    assert page(seen) == FILE.read_text(encoding="utf-8")


def test_a_failure_on_one_row_of_two_is_named(shop: Shop) -> None:
    """The other row was judged, and still nothing is green."""

    def wrapping(asked: Asked) -> Said:
        wrapped = "gift wrapping" in named(fenced(asked.user), "question")[0]
        return said.refusal() if wrapped else honest(asked)

    one = shop.see(Fault("refuses one", on_claims(wrapping)))
    assert one.verdict["exit_code"] == 3
    assert one.verdict["outcomes"] == {"happy-path": {"pass": 1, "unresolved": 1}}
    assert any("not now: h2" in line for line in one.head)
    assert one.next == "evalrag show RUN h2"


def test_what_was_doubted_and_settled_is_shown_too(shop: Shop) -> None:
    """A first verdict without words, and a second one with them."""

    def without_words(asked: Asked) -> Said:
        body = body_of(asked)
        if "sentences" in body:
            body["sentences"][0]["claims"][0]["quotes"] = []
        return said.text(json.dumps(body))

    one = shop.see(Fault("quotes nothing at first", on_claims(without_words)))
    assert one.verdict["exit_code"] == 0
    assert one.head == ["the guard held 2 verdicts against the words quoted: h1, h2"]
    assert "the guard doubted c1: no words are quoted that it rests on" in one.shown


def test_the_same_server_well_again_is_green(shop: Shop) -> None:
    one = shop.see(Fault("is well", honest))
    assert one.verdict["exit_code"] == 0
    assert one.rows == "2 pass"
