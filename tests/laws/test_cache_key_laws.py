"""A law: a verdict's key changes with every part of what made it, and with nothing else."""

from typing import Any, NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import JsonValue

from evalrag.judging.cache_key import cache_key

scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "1", "ß", "["])
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)


class Asked(NamedTuple):
    fingerprint: dict[str, JsonValue]
    task_name: str
    sent: JsonValue
    repeat: int
    vote: int


asked = st.builds(
    Asked,
    st.dictionaries(st.sampled_from(["model", "votes", "prompt"]), values, max_size=3),
    st.sampled_from(["claims", "facts", "form"]),
    values,
    st.integers(0, 3),
    st.integers(0, 3),
)


def same(one: Any, other: Any) -> bool:
    """Equal as JSON, where `true` is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def turned(value: Any) -> Any:
    """The same content, every mapping in the other order."""
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        return [turned(inner) for inner in value]
    return value


@given(asked, asked)
@example(Asked({}, "form", "a", 0, 1), Asked({}, "form", "a", 1, 0))
@example(Asked({}, "form", ["a", "b"], 0, 0), Asked({}, "form", ["a,b"], 0, 0))
@example(Asked({}, "form", True, 0, 0), Asked({}, "form", 1, 0, 0))
def test_two_keys_are_equal_when_their_parts_are(one: Asked, other: Asked) -> None:
    assert (cache_key(*one) == cache_key(*other)) == same(list(one), list(other))


@given(asked, values, st.sampled_from(Asked._fields))
def test_any_part_that_changes_changes_the_key(one: Asked, new: Any, part: str) -> None:
    old = getattr(one, part)
    if part == "fingerprint":
        new = {**old, "more": new}
    elif part == "task_name":
        new = f"{old}s"
    elif part in ("repeat", "vote"):
        new = old + 1
    if same(old, new):
        return

    assert cache_key(*one._replace(**{part: new})) != cache_key(*one)


@given(asked)
@example(Asked({"model": "m", "votes": 3}, "claims", {"answer": "a", "question": "q"}, 0, 0))
def test_the_order_of_mappings_changes_nothing(one: Asked) -> None:
    other = one._replace(fingerprint=turned(one.fingerprint), sent=turned(one.sent))

    assert cache_key(*other) == cache_key(*one)


def test_a_key_is_a_whole_digest_of_any_text() -> None:
    key = cache_key({}, "form", "half a pair: \ud800", 0, 0)

    assert len(key) == 64
    assert set(key) <= set("0123456789abcdef")
