"""`use: openai`: chat completions of OpenAI, or of any server that speaks its protocol."""

from pathlib import Path

from pydantic import JsonValue

from evalrag.judges.decisions import DecisionsJudge
from evalrag.judges.model import ModelJudge
from evalrag.judges.openai_client import OpenAIClient
from evalrag.judges.rubric import read_rubric
from evalrag.judges.settings import OpenAISettings, server_of
from evalrag.judging.tasks import Judge
from evalrag.plugins import settings as checked


def build(**given: JsonValue) -> Judge:
    """A judge that asks an OpenAI model, or a server of its protocol (`base_url`).

    Raises:
        PluginError: for a setting that there is not, or a value or a rubric that cannot be.
        ValueError: there is no key.
    """
    settings = checked(OpenAISettings, given, of="openai")
    rubric = None if settings.rubric is None else read_rubric(Path(settings.rubric))
    client = OpenAIClient(settings, server_of(settings, "OPENAI"))
    price = settings.price.model_dump() if settings.price else None
    if settings.api == "decisions":
        return DecisionsJudge(client, price=price, rubric=rubric)
    return ModelJudge(client, price=price, usefulness=settings.passage_usefulness, rubric=rubric)
