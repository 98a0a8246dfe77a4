"""Specification of the JSON that is accepted: the standard's, and nothing ambiguous."""

import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evalrag.loading.strict_json import MAX_DEPTH, JsonError, loads

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(json_values, st.booleans())
def test_what_the_standard_writes_is_read_back(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)

    assert loads(text) == value
    assert loads(text.encode()) == value


def said(text: str | bytes) -> object:
    """The value, shown with its types, or the error."""
    try:
        return repr(loads(text))
    except JsonError as error:
        return error.message, error.column


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example('{"a": 1, "a": ":"}')
@example('{"a": 1, "a": "\\u003a"}')
@example('{"a" : {"b": 1, "b": 2}, "c:": "::"}')
@example('{"a": [{":": 1}, ":", {"b:b": ":", ":": 1}]}')
@example('{"\\u0061": 1, "a": 2}')
@example('{"a": [{"b": "c", "d": "e"}, {"b": "c", "d": "e"}]}')
@example('{"a": [{"b": "c", "d": "e"}, {"b": "c", "b": "e"}]}')
@example('{"a": [{"b": "c"}], "a": [{"b": "c"}]}')
@example("[1e999]")
@example("-0")
@given(
    json_values.map(json.dumps)
    | st.lists(st.sampled_from(['"a"', '":"', ":", ",", "{", "}", "[", "]", "1", "1e400", "NaN"]))
    .map("".join)
    | st.lists(st.tuples(st.sampled_from("ab:"), st.sampled_from([1, ":", "\x01", 0.1, [":"]])))
    .map(lambda pairs: ", ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in pairs))
    .map(lambda inside: f"{{{inside}}}")
)  # fmt: skip
def test_bytes_and_text_are_read_alike(text: str) -> None:
    """Bytes have a quick reader, which text does not go through."""
    assert said(text.encode()) == said(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("NaN", "NaN is not JSON", id="NaN"),
        pytest.param('{"a": [Infinity]}', "Infinity is not JSON", id="an infinity"),
        pytest.param("-Infinity", "-Infinity is not JSON", id="a negative infinity"),
        pytest.param("1e999", "the number 1e999 is too large", id="a number that overflows"),
        pytest.param("-1e999", "the number -1e999 is too large", id="and its negative"),
        pytest.param('{"a": 1, "b": 2, "a": 1}', 'the key "a" stands twice', id="an equal key"),
        pytest.param('[{"x": {"y": 1, "y": 2}}]', 'the key "y" stands twice', id="a deep one"),
        pytest.param('"\\ud83d"', "half of a surrogate pair", id="an escaped half of a pair"),
        pytest.param('{"\\uDE00": 1}', "half of a surrogate pair", id="one in a key"),
        pytest.param('"\ud83d"', "half of a surrogate pair", id="a raw half of a pair"),
        pytest.param("[" * 100_000, "levels deep", id="brackets without end"),
        pytest.param("[" * 101 + "]" * 101, "levels deep", id="one level more than is allowed"),
        pytest.param('{"a":' * 101 + "1" + "}" * 101, "levels deep", id="the same in objects"),
        pytest.param("9" * 5000, "too many digits", id="an integer that Python does not read"),
        pytest.param("[1,]", "not JSON", id="a trailing comma"),
        pytest.param("{'a': 1}", "double quotes", id="single quotes"),
        pytest.param("", "a value is missing", id="nothing"),
        pytest.param("1 2", "after the end", id="two values"),
        pytest.param('"a', "never ends", id="a string without an end"),
        pytest.param('"\x01"', "raw control character", id="a control character"),
        pytest.param('"\\x"', "backslash", id="an unknown escape"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        loads(text)


@pytest.mark.parametrize(
    ("data", "column"),
    [
        pytest.param(b'"caf\xe9"', 5, id="Latin-1"),
        pytest.param("é".encode() + b"\xff", 2, id="the column counts characters, not bytes"),
        pytest.param(b'"\xed\xa0\x80"', 2, id="a surrogate in UTF-8's clothes"),
        pytest.param(b'{"a": 1 "b": 2}', 9, id="a missing comma"),
    ],
)
def test_the_column_is_told(data: bytes, column: int) -> None:
    with pytest.raises(JsonError) as caught:
        loads(data)

    assert caught.value.column == column


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param('"\\ud83d\\ude00"', "\N{GRINNING FACE}", id="a whole pair is a character"),
        pytest.param("[" * MAX_DEPTH + "]" * MAX_DEPTH, None, id="as deep as is allowed"),
        pytest.param("[" + "[]," * 500 + "[]]", None, id="many lists side by side"),
        pytest.param('{"a": {"a": {"a": 1}}}', {"a": {"a": {"a": 1}}}, id="one name at each level"),
        pytest.param("1e-999", 0.0, id="a number that is too small is zero"),
    ],
)
def test_accepted(text: str, value: object) -> None:
    found = loads(text)

    assert value is None or found == value


@settings(deadline=None)
@example(b'{"a":1,"a":2}')
@given(st.binary() | st.text().map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_a_value_or_one_kind_of_error(data: bytes) -> None:
    message = "a value"
    try:
        loads(data)
    except JsonError as error:
        message = error.message

    assert message
    assert message.isprintable()
