"""What the model sees of the candidates."""

import pytest

from evalrag.evidence.window import window
from evalrag.schema.trace import Passage

LETTERS: list[Passage] = [
    {"id": name, "text": name * size} for name, size in zip("abcd", (3, 4, 1, 2), strict=True)
]

WINDOWS = [
    pytest.param(None, None, "abcd", id="neither: all"),
    pytest.param(2, None, "ab", id="by number"),
    pytest.param(9, None, "abcd", id="a window wider than the list"),
    pytest.param(None, 7, "ab", id="as many whole ones as fit"),
    pytest.param(None, 6, "a", id="the first that does not fit ends it"),
    pytest.param(None, 2, "", id="a first passage larger than the window"),
    pytest.param(1, 100, "a", id="both: the number is smaller"),
    pytest.param(4, 8, "abc", id="both: the characters are smaller"),
    pytest.param(None, 0, "", id="no room"),
]


@pytest.mark.parametrize(("k", "chars", "wanted"), WINDOWS)
def test_the_window_holds(k: int | None, chars: int | None, wanted: str) -> None:
    shown = window(LETTERS, context_k=k, context_chars=chars)
    assert "".join(passage["id"] for passage in shown) == wanted


def test_passages_without_text_take_no_room() -> None:
    assert len(window([{"id": "a"}, {"id": "b"}], context_chars=0)) == 2
