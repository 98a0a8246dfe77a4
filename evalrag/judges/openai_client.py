"""Chat completions over the SDK of OpenAI, as a call that a judge makes."""

import json
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from evalrag.judges.calls import CallFailed, Connection
from evalrag.judges.model import Said
from evalrag.judges.settings import OpenAISettings, Server, shown_address
from evalrag.judges.status import failed
from evalrag.judging.prompts import Prompt

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletion

_OPTIONAL = ("temperature", "seed", "reasoning_effort", "max_completion_tokens")
"""Parameters that some models or servers do not take."""


class OpenAIClient(Connection["AsyncOpenAI"]):
    """Chat completions, with the parameters that the server takes."""

    provider = "openai"

    def __init__(self, settings: OpenAISettings, server: Server) -> None:
        super().__init__(settings, server)
        self.given = settings
        self._dropped: list[str] = []

    def settings(self) -> dict[str, JsonValue]:
        kept = self.given.model_dump(
            include={"api", "max_tokens", "temperature", "seed", "effort", "schema_in"}
        )
        if self.given.api == "decisions":
            kept = {"api": "decisions", "min_confidence": self.given.min_confidence}
        elif self.given.temperature is None:
            kept["temperature"] = "not pinned"
        return {"server": shown_address(self.server.address), **kept}

    async def say(self, prompt: Prompt) -> Said:
        import openai

        while True:
            body = self._body(prompt)
            try:
                return self._said(await self._create(body), body)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                refused = _refused(error, body)
                if refused is None:
                    raise _hinted(error, body, self.timeout_s) from None
                if refused not in self._dropped:  # another call may have learned it meanwhile
                    self._dropped.append(refused)
            except openai.OpenAIError as error:
                raise failed(error, self.timeout_s) from None
            except (AttributeError, TypeError, ValueError):
                raise CallFailed("the server's reply is none of this protocol") from None

    async def _create(self, body: dict[str, Any]) -> "ChatCompletion":
        """`chat.completions.create` looks at every key of a body, and takes longer than all else.

        The body is plain JSON as it stands. Retries, key and errors are the client's all the same.
        """
        from openai.types.chat import ChatCompletion

        return await self.client().post("/chat/completions", cast_to=ChatCompletion, body=body)

    def made(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI

        return AsyncOpenAI(
            api_key=self.server.key,
            base_url=self.server.address,
            timeout=self.timeout_s,
            max_retries=self.retries,
        )

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        given = self.given
        instructions = prompt.instructions
        limit = "max_completion_tokens"
        if limit in self._dropped:
            limit = "max_tokens"  # servers of the protocol as it was
        body: dict[str, Any] = {"model": given.model, limit: given.max_tokens}
        wanted = self._wanted()
        body |= {name: value for name, value in wanted.items() if name not in self._dropped}
        if given.schema_in == "request":
            schema = {"name": prompt.name, "strict": True, "schema": prompt.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        else:
            instructions += (
                f"\nReply with one JSON object of this schema:\n{json.dumps(prompt.schema)}"
            )
        body["messages"] = [
            {"role": "system", "content": instructions},
            {"role": "user", "content": prompt.data},
        ]
        return body

    def _wanted(self) -> dict[str, Any]:
        """The optional parameters that the plan sets."""
        given = self.given
        optional = {
            "temperature": given.temperature,
            "seed": given.seed,
            "reasoning_effort": given.effort,
        }
        return {name: value for name, value in optional.items() if value is not None}

    def _said(self, reply: "ChatCompletion", body: dict[str, Any]) -> Said:
        count = len(reply.choices)
        if not count:
            raise CallFailed("the server's reply has no choice in it")
        choice = reply.choices[0]
        usage = reply.usage
        refusal = choice.message.refusal or None  # some servers say "" for none
        if choice.finish_reason == "content_filter":
            refusal = refusal or "stopped by the content filter"
        return Said(
            text=choice.message.content,
            finish=choice.finish_reason,
            model=reply.model,
            tokens_in=usage.prompt_tokens if usage else None,
            tokens_out=usage.completion_tokens if usage else None,
            refusal=refusal,
            cut=choice.finish_reason == "length",
            problem=f"the reply has {count} choices in it, and not one" if count > 1 else None,
            dropped=tuple(name for name in self._wanted() if name not in body),
        )


def _refused(error: Exception, body: dict[str, Any]) -> str | None:
    """The optional parameter that a 400 or a 422 is about, if it was sent."""
    named = getattr(error, "param", None)
    sent = [name for name in _OPTIONAL if name in body]
    if named in sent:
        return str(named)
    said = "" if named else str(error)
    return next((name for name in sent if name in said), None)


def _hinted(error: Exception, body: dict[str, Any], timeout_s: float) -> CallFailed:
    """The failure; where the server knows no schemas, with the setting that goes without."""
    failure = failed(error, timeout_s)
    if "response_format" in body and "response_format" in str(error):
        return CallFailed(f"{failure}; for such a server: judge.with.schema_in: prompt")
    return failure
