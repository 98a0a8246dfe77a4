"""Which quotes a passage of a corpus can touch: none that it does is left out."""

import pytest

from evalrag.evidence.index import QuoteIndex
from evalrag.evidence.quotes import cover, quote_of, text_of

LONG = "unopened items can be returned within thirty days of delivery"
SHORT = "thirty days"


@pytest.mark.parametrize(
    ("quotes", "text"),
    [
        pytest.param([LONG], "We say: items can be returned within a month.", id="a run of five"),
        pytest.param([LONG], "Read this. Unopened items can be", id="a beginning at the end"),
        pytest.param([LONG], "Read this: unopened items can be.", id="a beginning with a stop"),
        pytest.param([LONG], "days of delivery. Then no more.", id="an end at the start"),
        pytest.param([LONG], "(days of delivery) Then no more.", id="an end in brackets"),
        pytest.param([LONG], "Read this. Unopened items can be retur", id="a token cut in two"),
        pytest.param([LONG], "ned within thirty days of delivery. Bye.", id="its other half"),
        pytest.param([LONG], "returned within thirty", id="a passage inside the quote"),
        pytest.param([SHORT], "Bring it back in thirty days.", id="a short quote, whole"),
    ],
)
def test_a_passage_that_covers_something_of_a_quote_is_asked(quotes: list[str], text: str) -> None:
    assert cover(quote_of(quotes[0]), text_of(text)) is not None
    assert QuoteIndex(dict(enumerate(quotes))).by(text) == {0}


def test_of_many_quotes_those_that_share_something_are_asked() -> None:
    index = QuoteIndex({3: LONG, 5: SHORT, 8: "the shop opens at nine in the morning"})

    assert index.by("Nothing of this.") == set()
    assert index.by("") == set()
    assert index.by("All items can be returned within thirty days.") == {3, 5}
    assert index.by("Then the shop opens at nine in winter.") == {8}
