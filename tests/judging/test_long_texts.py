"""Texts that are out to take for ever."""

from evalrag.judging.sentences import _cut_long
from tests.builders import judged, row, trace


def test_a_long_text_is_cut_once_for_all_the_claims_that_are_held_against_it() -> None:
    """An answer of one word of 1 MB, which its passage holds too, took minutes."""
    text = "x" * 40_000
    seen = trace(["a"], answer=text)
    seen["context"][0]["text"] = text
    before = _cut_long.cache_info().misses
    claims = judged(row("a"), seen).claims

    assert len(claims) > 20
    assert _cut_long.cache_info().misses - before <= 2
