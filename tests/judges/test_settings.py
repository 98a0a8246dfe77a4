"""What a plan may set for a model judge, and what is said of what it may not."""

from typing import Any

import pytest

from evalrag.errors import PluginError
from evalrag.judges import anthropic, openai
from evalrag.judges.settings import shown_address

PLACE = {"base_url": "http://localhost:1/v1", "model": "m"}


@pytest.mark.parametrize(
    ("build", "given", "words"),
    [
        (openai.build, {"modle": "x"}, "unknown key 'modle'; did you mean 'model'?"),
        (openai.build, {"timeout": 5}, "unknown key 'timeout'; did you mean 'timeout_s'?"),
        (openai.build, {"api_key": "k"}, "unknown key 'api_key'; did you mean 'api_key_env'?"),
        (openai.build, {"max_token": 9}, "unknown key 'max_token'; did you mean 'max_tokens'?"),
        (openai.build, {"model": ""}, "model: "),
        (openai.build, {"timeout_s": "soon"}, "timeout_s: "),
        (openai.build, {"timeout_s": 0}, "timeout_s: "),
        (openai.build, {"timeout_s": float("nan")}, "timeout_s: "),
        (openai.build, {"retries": -1}, "retries: "),
        (openai.build, {"temperature": 3}, "temperature: "),
        (openai.build, {"api": "responses"}, "api: "),
        (openai.build, {"min_confidence": 1.1}, "min_confidence: "),
        (openai.build, {"schema_in": "words"}, "schema_in: "),
        (openai.build, {"price": {"input": -1, "output": 1}}, "price.input: "),
        (openai.build, {"price": {"in": 1}}, "unknown key 'price.in'"),
        (anthropic.build, {"temperature": 0}, "unknown key 'temperature'"),
        (anthropic.build, {"api": "chat"}, "unknown key 'api'"),
    ],
)
def test_what_cannot_be_set_is_named(build: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(PluginError) as caught:
        build(**PLACE | given)
    assert words in str(caught.value)


@pytest.mark.parametrize("build", [openai.build, anthropic.build])
def test_there_is_no_default_model(build: Any) -> None:
    with pytest.raises(PluginError, match="'model' is missing"):
        build(base_url=PLACE["base_url"])


def test_an_address_is_shown_without_what_may_be_secret() -> None:
    address = "https://user:pass@models.example:8443/v1/?key=secret#frag"
    assert shown_address(address) == "https://models.example:8443/v1"
    assert shown_address(None) is None
