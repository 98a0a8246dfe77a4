"""The real clients, opened against a local server and closed again."""

from contextlib import nullcontext
from typing import Any

import anthropic
import openai
from anthropic.types import Message
from openai.types.chat import ChatCompletion

from tests.provider.server import ProviderServer

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "label": {"type": "string", "enum": ["SUPPORTED", "ABSENT", "CONTRADICTED"]},
        "quotes": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["label", "quotes"],
    "additionalProperties": False,
}
TIMEOUT = 5.0


def openai_client(
    server: ProviderServer, *, retries: int = 0, timeout: float = TIMEOUT, key: str | None = None
) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        api_key=server.key if key is None else key,
        base_url=server.openai_url,
        max_retries=retries,
        timeout=timeout,
    )


def anthropic_client(
    server: ProviderServer, *, retries: int = 0, timeout: float = TIMEOUT, key: str | None = None
) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(
        api_key=server.key if key is None else key,
        base_url=server.anthropic_url,
        max_retries=retries,
        timeout=timeout,
    )


async def ask_openai(
    server: ProviderServer,
    *,
    user: str = "Is it so?",
    system: str = "You judge.",
    model: str = "gpt-5.5",
    schema: dict[str, Any] | None = None,
    client: openai.AsyncOpenAI | None = None,
    retries: int = 0,
    timeout: float = TIMEOUT,
    key: str | None = None,
    **more: Any,
) -> ChatCompletion:
    wanted: Any = {"name": "verdict", "strict": True, "schema": schema or SCHEMA}
    own = None if client else openai_client(server, retries=retries, timeout=timeout, key=key)
    async with own or nullcontext(client) as connected:
        assert connected is not None
        reply: ChatCompletion = await connected.chat.completions.create(
            model=model,
            messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
            response_format={"type": "json_schema", "json_schema": wanted},
            **more,
        )
        return reply


async def ask_anthropic(
    server: ProviderServer,
    *,
    user: str = "Is it so?",
    system: str = "You judge.",
    model: str = "claude-haiku-4-5",
    schema: dict[str, Any] | None = None,
    client: anthropic.AsyncAnthropic | None = None,
    retries: int = 0,
    timeout: float = TIMEOUT,
    key: str | None = None,
    **more: Any,
) -> Message:
    own = None if client else anthropic_client(server, retries=retries, timeout=timeout, key=key)
    async with own or nullcontext(client) as connected:
        assert connected is not None
        reply: Message = await connected.messages.create(
            model=model,
            max_tokens=1024,
            system=system,
            messages=[{"role": "user", "content": user}],
            output_config={"format": {"type": "json_schema", "schema": schema or SCHEMA}},
            **more,
        )
        return reply
