"""Laws of the reading of text."""

from hypothesis import given
from hypothesis import strategies as st

from evalrag.text import Value, find, plain, same_value, sentences, tokens

PIECES = [
    "30",
    "30 days",
    "-3",
    "3-5 days",
    "\u20ac4.99",
    "EUR 10 000",
    "10.000",
    "1:30 pm",
    "Mon-Fri",
    "one",
    "a dozen",
    "don't",
    "(at least 18)",
    "3/4/2026",
    "May",
    "May 5, 2024",
    "**bold**",
    "&euro;5",
    "<td>x</td>",
    "soft_limit",
    "x",
    "the",
    "%",
    "\u0663\u0660",
    "\u00bd",
    "\u8fd4\u91d1",
    "e.g.",
    "No. 5",
    "A.",
    ".",
    ",",
    "1,000",
    "25 cents",
    "5 GB",
    "20 \u00b0C",
    "https://a.io/b",
    "\n",
    "- ",
    "| ",
    "1.2.3",
    "3.10",
    "AES-256",
    "+49 30 1234567",
    "half",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join) | st.text(max_size=60)


@given(TEXTS)
def test_places_point_at_the_text(text: str) -> None:
    for token in tokens(text):
        assert 0 <= token.start < token.end <= len(text)
    last = 0
    for one in sentences(text):
        assert last <= one.start < one.end <= len(text)
        last = one.end
    seen = plain(text)
    assert len(seen.text) == len(seen.starts) == len(seen.ends)


@given(TEXTS)
def test_a_text_is_found_in_itself(text: str) -> None:
    assert (find(text, text) is not None) == bool(tokens(text))


@given(TEXTS)
def test_what_is_read_reads_the_same_again(text: str) -> None:
    words = [token.word for token in tokens(text) if token.value is None]
    again = [token.word for word in words for token in tokens(f"x {word} x")[1:-1]]
    assert [word for word in again if word.isalpha()] == [word for word in words if word.isalpha()]


VALUES = TEXTS.map(lambda text: [t.value for t in tokens(text) if t.value and t.value.closed])


@given(VALUES, VALUES, VALUES)
def test_sameness_is_an_equivalence(one: list[Value], two: list[Value], three: list[Value]) -> None:
    for a in one:
        assert same_value(a, a)
        for b in two:
            assert same_value(a, b) == same_value(b, a)
            for c in three:
                assert not (same_value(a, b) and same_value(b, c)) or same_value(a, c)


@given(st.integers(1, 999), st.sampled_from("0123456789-"), st.integers(0, 3))
def test_another_digit_is_another_number(number: int, sign: str, place: int) -> None:
    written = str(number)
    at = min(place, len(written))
    other = written[:at] + sign + written[at:]
    if not other.lstrip("-").isdigit() or int(other) == number:
        return
    assert find(f"{written} days", f"within {other} days") is None
