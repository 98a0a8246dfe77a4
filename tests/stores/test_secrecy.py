"""Specification of what a stored line keeps of a secret: nothing, and the line stays whole."""

import json

from evalrag.stores.lines import line_of
from evalrag.stores.secrecy import line_redactor, unredacted

SECRET = 'sk-"quoted"\\\n-1234'


def test_every_text_is_cleaned_and_nothing_else() -> None:
    line = {"id": "q", "n": 123456, "metadata": {SECRET: [f"a {SECRET} b"]}, "answer": "123456"}

    cleaned = json.loads(line_redactor([SECRET, "123456"])(line_of(line)))

    assert cleaned == {
        "id": "q",
        "n": 123456,
        "metadata": {"[redacted]": ["a [redacted] b"]},
        "answer": "[redacted]",
    }


def test_without_secrets_the_bytes_are_the_same() -> None:
    data = line_of({"answer": "é", "score": 0.5})

    assert line_redactor([]) is unredacted
    assert line_redactor(["sk-1234"])(data) is data


def test_a_word_of_evalrags_own_is_no_secret() -> None:
    assert line_redactor(["context", "happy-path"]) is unredacted


def test_the_head_stays_indented() -> None:
    assert line_redactor(["sk-1234"])(b'{\n  "plan": "sk-1234"\n}\n') == (
        b'{\n  "plan": "[redacted]"\n}\n'
    )
