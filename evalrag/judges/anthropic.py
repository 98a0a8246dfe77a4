"""`use: anthropic`: the messages of Anthropic's API."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from evalrag.judges.calls import CallFailed, Connection
from evalrag.judges.model import ModelJudge, Said
from evalrag.judges.rubric import read_rubric
from evalrag.judges.settings import ModelSettings, Server, server_of, shown_address
from evalrag.judges.status import failed
from evalrag.judging.prompts import Prompt
from evalrag.judging.tasks import Judge
from evalrag.plugins import settings as checked

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Message


def build(**given: JsonValue) -> Judge:
    """A judge that asks an Anthropic model. Its API has no temperature to pin.

    Raises:
        PluginError: for a setting that there is not, or a value or a rubric that cannot be.
        ValueError: there is no key.
    """
    settings = checked(ModelSettings, given, of="anthropic")
    rubric = None if settings.rubric is None else read_rubric(Path(settings.rubric))
    client = AnthropicClient(settings, server_of(settings, "ANTHROPIC"))
    price = settings.price.model_dump() if settings.price else None
    return ModelJudge(client, price=price, usefulness=settings.passage_usefulness, rubric=rubric)


class AnthropicClient(Connection["AsyncAnthropic"]):
    """Messages, whose schema stands in the output's configuration."""

    provider = "anthropic"

    def __init__(self, settings: ModelSettings, server: Server) -> None:
        super().__init__(settings, server)
        self.given = settings

    def settings(self) -> dict[str, JsonValue]:
        return {
            "server": shown_address(self.server.address),
            "max_tokens": self.given.max_tokens,
            "effort": self.given.effort,
            "temperature": "not pinned",
        }

    async def say(self, prompt: Prompt) -> Said:
        import anthropic

        try:
            return _said(await self.client().messages.create(**self._body(prompt)))
        except anthropic.AnthropicError as error:
            raise failed(error, self.timeout_s) from None
        except (AttributeError, TypeError, ValueError):
            raise CallFailed("the server's reply is none of this protocol") from None

    def made(self) -> "AsyncAnthropic":
        from anthropic import AsyncAnthropic

        return AsyncAnthropic(
            api_key=self.server.key,
            base_url=self.server.address,
            timeout=self.timeout_s,
            max_retries=self.retries,
            open_telemetry=False,
        )

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        config: dict[str, Any] = {"format": {"type": "json_schema", "schema": prompt.schema}}
        if self.given.effort is not None:
            config["effort"] = self.given.effort
        return {
            "model": self.given.model,
            "max_tokens": self.given.max_tokens,
            "system": prompt.instructions,
            "messages": [{"role": "user", "content": prompt.data}],
            "output_config": config,
        }


def _said(reply: "Message") -> Said:
    # A content that is null is no block at all, whatever the SDK's types say of it.
    texts = [block.text for block in reply.content or () if block.type == "text"]
    refused = reply.stop_reason == "refusal"
    return Said(
        text="\n".join(texts) if texts else None,
        finish=reply.stop_reason,
        model=reply.model,
        tokens_in=_input(reply),
        tokens_out=reply.usage.output_tokens,
        refusal=_words(reply, texts) if refused else None,
        cut=reply.stop_reason in ("max_tokens", "model_context_window_exceeded"),
        problem=f"the reply has {len(texts)} texts in it, and not one" if len(texts) > 1 else None,
    )


def _words(reply: "Message", texts: list[str]) -> str:
    """The model's own words of refusal, or the provider's."""
    details = getattr(reply, "stop_details", None)
    said = getattr(details, "explanation", None)
    return next((words for words in (*texts, said) if words), "refused")


def _input(reply: "Message") -> int:
    """All tokens of the request, those that were read from or written to the prompt cache too."""
    usage = reply.usage
    kept = (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)
    return usage.input_tokens + kept
