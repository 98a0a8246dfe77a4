"""What the real clients return for each reply that is not a plain success: code that judges rests
on it.
"""

import asyncio
import json
from typing import Any

import openai
import pytest
from anthropic.lib._parse._transform import transform_schema
from pydantic import BaseModel, ValidationError

from tests.provider import said
from tests.provider.clients import ask_anthropic, ask_openai, openai_client
from tests.provider.said import Said
from tests.provider.server import ProviderServer

VERDICT = json.dumps({"label": "ABSENT", "quotes": ["30 days"]})
HALF = VERDICT[: len(VERDICT) // 2]


class Verdict(BaseModel):
    label: str
    quotes: list[str]


def openai_says(server: ProviderServer, reply: Said, **more: Any) -> Any:
    server.script = said.always(reply)
    return asyncio.run(ask_openai(server, **more))


def anthropic_says(server: ProviderServer, reply: Said, **more: Any) -> Any:
    server.script = said.always(reply)
    return asyncio.run(ask_anthropic(server, **more))


def test_a_refusal(provider: ProviderServer) -> None:
    choice = openai_says(provider, said.refusal("No.")).choices[0]
    assert (choice.finish_reason, choice.message.content) == ("stop", None)
    assert choice.message.refusal == "No."
    message = anthropic_says(provider, said.refusal("No."))
    assert (message.stop_reason, message.content) == ("refusal", [])
    assert message.stop_details.explanation == "No."


def test_a_filtered_reply(provider: ProviderServer) -> None:
    choice = openai_says(provider, said.filtered()).choices[0]
    assert (choice.finish_reason, choice.message.refusal) == ("content_filter", None)
    message = anthropic_says(provider, said.filtered())
    assert (message.stop_reason, message.stop_details) == ("refusal", None)


def test_a_cut_off_reply(provider: ProviderServer) -> None:
    choice = openai_says(provider, said.cut(VERDICT)).choices[0]
    assert (choice.finish_reason, choice.message.content) == ("length", HALF)
    message = anthropic_says(provider, said.cut(VERDICT))
    assert (message.stop_reason, message.content[0].text) == ("max_tokens", HALF)


def test_a_limit_of_tokens_cuts_by_itself(provider: ProviderServer) -> None:
    choice = openai_says(provider, said.text(VERDICT), max_completion_tokens=2).choices[0]
    assert (choice.finish_reason, choice.message.content) == ("length", VERDICT[:8])


def test_half_a_reply_that_claims_to_be_whole(provider: ProviderServer) -> None:
    choice = openai_says(provider, said.half(VERDICT)).choices[0]
    assert (choice.finish_reason, choice.message.content) == ("stop", HALF)
    message = anthropic_says(provider, said.half(VERDICT))
    assert (message.stop_reason, message.content[0].text) == ("end_turn", HALF)


def test_no_content(provider: ProviderServer) -> None:
    assert openai_says(provider, said.null()).choices[0].message.content is None
    assert anthropic_says(provider, said.null()).content is None, "a list by its type"


def test_several_choices_and_none(provider: ProviderServer) -> None:
    assert len(openai_says(provider, said.choices(2, VERDICT)).choices) == 2
    assert len(anthropic_says(provider, said.choices(2, VERDICT)).content) == 2
    assert openai_says(provider, said.choices(0, VERDICT)).choices == []
    assert anthropic_says(provider, said.choices(0, VERDICT)).content == []
    assert len(openai_says(provider, said.text(VERDICT), n=3).choices) == 3


def test_a_thought_stands_before_the_text(provider: ProviderServer) -> None:
    message = anthropic_says(provider, said.text(VERDICT, thought="Let me see."))
    assert [block.type for block in message.content] == ["thinking", "text"]


def test_a_page_instead_of_json_is_returned_as_a_string(provider: ProviderServer) -> None:
    """Neither client raises: what comes back is no reply object at all."""
    for page in (openai_says(provider, said.html()), anthropic_says(provider, said.html())):
        assert isinstance(page, str)
        assert page.startswith("<!doctype html>")


@pytest.mark.parametrize("reply", [said.empty(), said.garbled(VERDICT)], ids=["empty", "garbled"])
def test_a_body_that_is_no_json_raises_no_error_of_the_client(
    provider: ProviderServer, reply: Said
) -> None:
    """The plain error of the json module, after one try, whatever the retries."""
    for ask in (openai_says, anthropic_says):
        with pytest.raises(json.JSONDecodeError):
            ask(provider, reply, retries=2)
    assert len(provider.calls) == 2


def test_responses_say_why_they_are_incomplete(provider: ProviderServer) -> None:
    async def run() -> Any:
        async with openai_client(provider) as client:
            return await client.responses.create(model="gpt-5.5", input="?")

    provider.script = said.always(said.cut(VERDICT))
    cut = asyncio.run(run())
    assert (cut.status, cut.incomplete_details.reason) == ("incomplete", "max_output_tokens")
    assert cut.output_text == HALF
    provider.script = said.always(said.refusal("No."))
    refused = asyncio.run(run())
    assert (refused.status, refused.output_text) == ("completed", "")
    assert refused.output[0].content[0].refusal == "No."


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (said.cut(VERDICT), openai.LengthFinishReasonError),
        (said.filtered(), openai.ContentFilterFinishReasonError),
        (said.half(VERDICT), ValidationError),
    ],
    ids=["cut", "filtered", "half"],
)
def test_what_openai_parse_raises(
    provider: ProviderServer, reply: Said, error: type[Exception]
) -> None:
    provider.script = said.always(reply)
    with pytest.raises(error):
        asyncio.run(parse(provider))


def test_openai_parse_returns_the_model_or_the_refusal(provider: ProviderServer) -> None:
    assert asyncio.run(parse(provider)) == (Verdict(label="", quotes=[]), None)
    provider.script = said.always(said.refusal("No."))
    assert asyncio.run(parse(provider)) == (None, "No.")


async def parse(server: ProviderServer) -> tuple[Verdict | None, str | None]:
    async with openai_client(server) as client:
        reply = await client.chat.completions.parse(
            model="gpt-5.5",
            messages=[{"role": "user", "content": "?"}],
            response_format=Verdict,
        )
    message = reply.choices[0].message
    return message.parsed, message.refusal


def test_the_schema_of_anthropics_client_reaches_the_script(provider: ProviderServer) -> None:
    schema = transform_schema(Verdict)
    message = asyncio.run(ask_anthropic(provider, schema=schema))
    assert json.loads(message.content[0].to_dict()["text"]) == {"label": "", "quotes": []}  # type: ignore[arg-type]
    assert provider.calls[0].body["output_config"]["format"]["schema"] == schema
