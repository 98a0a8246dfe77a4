"""What a plan may set for a model judge, and where its key comes from."""

import os
from typing import Annotated, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

NO_KEY = "none"
"""What is sent to a server on this machine that needs no key."""

_LOCAL = ("localhost", "127.0.0.1", "::1")


class Price(BaseModel):
    """US dollars for a million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class ModelSettings(BaseModel):
    """`with` of a model judge. What stands below a field is its line on the reference page."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    model: str = Field(min_length=1)
    """The model's name at the provider; a dated one, where there is one."""
    base_url: str | None = None
    """The server's address, where it is not the provider's own."""
    api_key_env: Annotated[str, Field(min_length=1)] | None = None
    """The environment variable that holds the key, where it is not the provider's usual one."""
    timeout_s: float = Field(default=60.0, gt=0)
    """Seconds that one try may take."""
    retries: int = Field(default=2, ge=0, le=20)
    """Further tries after a failure that may pass: a limit, a fault of the server, a connection."""
    max_tokens: int = Field(default=8192, ge=64)
    """Of one reply; what is cut off there is no verdict."""
    effort: str | None = None
    """How long a reasoning model may think, in the provider's own words."""
    price: Price | None = None
    """US dollars for a million tokens: {input: 2.0, output: 10.0}. Without it no cost is said."""
    rubric: Annotated[str, Field(min_length=1)] | None = None
    """A file of your own advice for the judge, relative to the plan. It changes no label."""
    passage_usefulness: bool = False
    """Also ask which passages help: one more call a row."""


class OpenAISettings(ModelSettings):
    """`with` of `use: openai`."""

    temperature: float | None = Field(default=0.0, ge=0.0, le=2.0)
    """null sends none. A model that takes none is asked without, and the report says so."""
    seed: int | None = None
    """For servers that know one."""
    api: Literal["chat", "decisions"] = "chat"
    """chat: replies in words that a schema holds. decisions: choices with probabilities."""
    min_confidence: float = Field(default=0.7, ge=0.0, le=1.0)
    """Of `api: decisions`: a choice below it is no verdict."""
    schema_in: Literal["request", "prompt"] = "request"
    """`prompt` for a server that knows no `response_format`: the schema is then only asked for."""


class Server(NamedTuple):
    """Where calls go, None for the provider's own address, and the key that goes with them."""

    address: str | None
    key: str


def server_of(settings: ModelSettings, provider: str) -> Server:
    """By the plan, or else by the environment: `OPENAI_BASE_URL`, `OPENAI_API_KEY`.

    Raises:
        ValueError: there is no key.
    """
    address = settings.base_url or os.environ.get(f"{provider}_BASE_URL", "").strip() or None
    return Server(address, key_of(settings, f"{provider}_API_KEY", address))


def key_of(settings: ModelSettings, usual: str, address: str | None) -> str:
    """The key, from the environment alone. A server on this machine needs none.

    Raises:
        ValueError: there is none.
    """
    name = settings.api_key_env or usual
    key = os.environ.get(name, "").strip()
    if key:
        return key
    host = urlsplit(address).hostname if address else None
    if settings.api_key_env is None and host in _LOCAL:
        return NO_KEY
    raise ValueError(f"there is no key: set {name} in the environment")


def shown_address(address: str | None) -> str | None:
    """An address for a fingerprint: without user, password and query."""
    if address is None:
        return None
    parts = urlsplit(address)
    host = parts.hostname or ""
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}".rstrip("/")
