"""Errors are one line, and tell no secret."""

import json
import re

import pytest

from evalrag.redaction import LIMIT, environment_secrets, one_line, raised, redactor, well_formed


def failure(error: Exception) -> Exception:
    with pytest.raises(type(error)) as caught:
        raise error
    return caught.value


def test_secrets_are_the_values_of_variables_named_so() -> None:
    found = environment_secrets(
        {
            "OPENAI_API_KEY": "sk-abcdef",
            "GITHUB_TOKEN": "ghp_1234",
            "DB_PASSWORD": "hunter22",
            "AWS_SECRET_ACCESS_KEY": "wJalrXUtn",
            "MAX_TOKENS": "100000",
            "TOKENIZERS_PARALLELISM": "disabled",
            "PIN_TOKEN": "1234",
            "HOME": "/home/somebody",
        }
    )

    assert found == {"sk-abcdef", "ghp_1234", "hunter22", "wJalrXUtn"}


def test_a_secret_is_hidden_also_in_a_url() -> None:
    hide = redactor(["p@ss/word", "p@ss", ""])

    assert hide("p@ss/word at https://u:p%40ss%2Fword@host") == (
        "[redacted] at https://u:[redacted]@host"
    )


def test_a_secret_is_hidden_also_in_json() -> None:
    hide = redactor(['a"b\\c\u00e9'])

    assert hide(json.dumps('a"b\\c\u00e9')) == '"[redacted]"'
    assert hide(json.dumps('a"b\\c\u00e9', ensure_ascii=False)) == '"[redacted]"'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("a\n  b\tc", "a b c", id="lines"),
        pytest.param("\x1b[31mred\x1b[0m \x1b]0;title\x07x", "red x", id="escapes"),
        pytest.param("a\x00b\u202ec", "a b c", id="controls"),
        pytest.param("a\u061cb\u2028c\u2029d\ufeffe", "a b c d e", id="marks and separators"),
        pytest.param("a\u200bb\u200cc\u200dd\u2060e", "a b c d e", id="of no width"),
        pytest.param("lone \ud800", "lone \ufffd", id="surrogates"),
    ],
)
def test_a_line_obeys_nobody(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_an_error_is_cut_and_keeps_its_place() -> None:
    line = raised(failure(ValueError("x" * 10_000)))

    assert len(line) <= LIMIT
    assert re.search(r" \.\.\. \(test_redaction\.py:\d+\)$", line)


def test_a_secret_at_the_cut_is_hidden_whole() -> None:
    line = raised(ValueError("y" * (LIMIT - 20) + "topsecretvalue" * 3), redactor(["topsecret"]))

    assert "topsecret"[:6] not in line


def test_an_error_without_a_message_is_its_type() -> None:
    assert raised(ValueError()) == "ValueError"


def test_an_address_is_left_out_since_it_differs_in_every_run() -> None:
    assert raised(ValueError(f"bad {object()}")) == "ValueError: bad <object object>"


def test_a_message_that_raises_is_no_message() -> None:
    class Bad(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert raised(Bad()) == "Bad: its message cannot be read"


def test_surrogate_pairs_are_joined() -> None:
    assert well_formed("\ud83d\ude00 and \udc00") == "\U0001f600 and \ufffd"
