"""The words in which two answers differ: both can be read back, and they stand as people read."""

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalrag.schema.answers import LONGEST, Answers, Wording, word_diff

WORDS = ("within", "30", "days", "14", "days.", "Not", "not", "é", "1,200", "料金", "x\ty")
texts = st.one_of(
    st.text(),
    st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join),
    st.lists(st.sampled_from([*WORDS, " ", "\n"]), max_size=40).map("".join),
)


def marked(before: str, after: str) -> str:
    signs = {Wording.KEPT: "{}", Wording.REMOVED: "[-{}-]", Wording.ADDED: "{{+{}+}}"}
    return "".join(signs[piece.how].format(piece.text) for piece in word_diff(before, after))


@given(texts, texts)
def test_both_sides_can_be_read_back(before: str, after: str) -> None:
    pieces = word_diff(before, after)

    assert "".join(p.text for p in pieces if p.how is not Wording.ADDED) == before
    assert "".join(p.text for p in pieces if p.how is not Wording.REMOVED) == after
    assert all(piece.text for piece in pieces)
    hows = [piece.how for piece in pieces]
    assert all(one != other for one, other in itertools.pairwise(hows))
    assert (Wording.ADDED, Wording.REMOVED) not in list(itertools.pairwise(hows))


@given(texts)
def test_nothing_differs_from_itself(text: str) -> None:
    assert all(piece.how is Wording.KEPT for piece in word_diff(text, text))
    assert not Answers(before=text, after=f"\n{text} ").changed


@given(st.lists(st.sampled_from(WORDS[:6]), max_size=12), st.integers(0, 12), st.text("ab"))
def test_a_word_put_in_is_all_that_is_added(words: list[str], place: int, word: str) -> None:
    before = " ".join(["first", *words, "last"])
    after = " ".join(["first", *words[:place], f"q{word}", *words[place:], "last"])

    changed = [piece for piece in word_diff(before, after) if piece.how is not Wording.KEPT]

    assert [(piece.how, piece.text.strip()) for piece in changed] == [(Wording.ADDED, f"q{word}")]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "Returns are accepted within 30 days of delivery.",
            "Returns are accepted within 14 days of delivery, if unused.",
            "Returns are accepted within[- 30-]{+ 14+} days of delivery{+, if unused+}.",
        ),
        (
            "You can return it, if unused, within 30 days.",
            "I do not, sadly, have any information about that.",
            "[-You can return it, if unused, within 30 days-]"
            "{+I do not, sadly, have any information about that+}.",
        ),
        ("It costs €1,200.", "It costs €1,250.", "It costs €[-1,200-]{+1,250+}."),
        ("料金は500円です", "料金は600円です", "料金は[-500-]{+600+}円です"),
        ("You may.", "You may not.", "You may{+ not+}."),
        ("", "Yes.", "{+Yes.+}"),
    ],
)
def test_changed_words_are_marked(before: str, after: str, said: str) -> None:
    assert marked(before, after) == said


def test_an_answer_of_a_megabyte_is_one_change_and_costs_nothing() -> None:
    long = "a b, " * 200_000
    started = time.process_time()
    pieces = word_diff(long, f"c {long}")

    assert [piece.how for piece in pieces] == [Wording.REMOVED, Wording.ADDED]
    assert time.process_time() - started < 5
    assert len(long) > LONGEST


@pytest.mark.parametrize(
    ("before", "after", "changed", "words"),
    [
        (None, None, False, 0),
        (None, "a", True, 0),
        ("a", None, True, 0),
        ("a", " a\n", False, 0),
        ("a", "A", True, 2),
        ("", " ", False, 0),
    ],
)
def test_an_answer_that_is_missing_has_no_words(
    before: str | None, after: str | None, changed: bool, words: int
) -> None:
    answers = Answers(before=before, after=after)

    assert (answers.changed, len(answers.words)) == (changed, words)
