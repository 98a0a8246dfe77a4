"""The calls of a judge to its server: one client, a limit for each, none after a final fault."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable
from typing import Generic, Protocol, TypeVar

from evalrag.judges.settings import NO_KEY, ModelSettings, Server

_GRACE_S = 120.0
"""What a server may ask us to wait (Retry-After) on top of every try's own limit."""

T = TypeVar("T")


class CallFailed(Exception):
    """A call without a reply. `final`: every other call of this run would fail the same way."""

    def __init__(self, reason: str, *, final: bool = False) -> None:
        super().__init__(reason)
        self.final = final


class Calls:
    """Each within its time, the client's own retries counted in.

    Attributes:
        final: why no further call is worth making; None while one may be.
    """

    def __init__(self, timeout_s: float, retries: int) -> None:
        self._limit = timeout_s * (retries + 1) + _GRACE_S
        self.final: str | None = None

    async def within(self, call: Awaitable[T]) -> T:
        """What `call` gives.

        Raises:
            CallFailed: it gives nothing, or takes too long.
        """
        try:
            async with asyncio.timeout(self._limit):
                return await call
        except TimeoutError:
            raise CallFailed(f"no verdict in {self._limit:g} s") from None
        except CallFailed as error:
            if error.final:
                self.final = str(error)
            raise


class Closing(Protocol):
    """An SDK's own client."""

    async def close(self) -> None: ...


ClientT = TypeVar("ClientT", bound=Closing)


class Connection(ABC, Generic[ClientT]):
    """One client for a whole run, made when it is first needed: on the loop that uses it."""

    def __init__(self, settings: ModelSettings, server: Server) -> None:
        self.server = server
        self.model, self.timeout_s = settings.model, settings.timeout_s
        self.retries, self.secrets = settings.retries, frozenset({server.key} - {NO_KEY})
        self._client: ClientT | None = None

    def client(self) -> ClientT:
        if self._client is None:
            self._client = self.made()
        return self._client

    @abstractmethod
    def made(self) -> ClientT:
        """A new client of the SDK, which is imported here and not before."""

    async def close(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()
