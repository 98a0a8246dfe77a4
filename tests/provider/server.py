"""Both providers on loopback, in a thread: real clients talk to it, and a test's script says what
comes back.

`with ProviderServer(script) as server:` opens it on a free port and closes it without a thread
left; the `provider` fixture does the same. A script that raises fails the test at the end of the
block, not in a reply that a client hides.
"""

import asyncio
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from tests.provider import anthropic_wire, openai_wire
from tests.provider.connection import Connection, Reply, Request
from tests.provider.said import Asked, Provider, Refused, Said, Script
from tests.provider.schemas import least
from tests.provider.wire import Question, Rules, Wire, parsed, raw_reply

KEY = "key-for-the-tests-only"
MODELS: Mapping[Provider, frozenset[str]] = {
    "openai": frozenset(
        {"gpt-6-luna", "gpt-6.2-sol", "gpt-5.5", "gpt-5.5-2026-04-23", "gpt-5.4-mini-2026-03-17"}
    ),
    "anthropic": frozenset({"claude-sonnet-5-5", "claude-haiku-4-5", "claude-haiku-4-5-20251001"}),
}
WIRES: Mapping[Provider, Wire] = {"openai": openai_wire, "anthropic": anthropic_wire}
SERVED = {"gpt-5.5": "gpt-5.5-2026-04-23", "claude-haiku-4-5": "claude-haiku-4-5-20251001"}
"""An alias and the dated model behind it; a test changes it to let a model drift."""


@dataclass(slots=True)
class Call:
    """One request as it came in, and what became of it. `finished` None is still in flight."""

    provider: Provider
    method: str
    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    user: str
    started: float
    finished: float | None = None
    status: int | None = None
    """None when no status was sent: a reset, or a client that left."""


def minimal(asked: Asked) -> Said:
    """The least reply that fits the schema that was asked for."""
    return Said(text=least(asked.schema))


@dataclass
class ProviderServer:
    script: Script = minimal
    key: str = KEY
    models: dict[Provider, set[str]] = field(
        default_factory=lambda: {name: set(known) for name, known in MODELS.items()}
    )
    served: dict[str, str] = field(default_factory=lambda: dict(SERVED))
    unsupported: set[str] = field(default_factory=set)
    """Body parameters that every model refuses as unsupported, as reasoning models do
    `temperature`.
    """
    without: set[str] = field(default_factory=set)
    """Paths that are not there, as `/v1/decisions` at a server that only borrows the protocol."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: list[Call] = []
        self._in_flight = 0
        self._most = 0
        self._errors: list[Exception] = []
        self._connections: set[Connection] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self.port = 0

    # --- what a test reads ---

    @property
    def openai_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def anthropic_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def calls(self) -> list[Call]:
        """Every request so far, refused ones too, in the order in which they came; a copy."""
        with self._lock:
            return [replace(call) for call in self._calls]

    @property
    def most_at_once(self) -> int:
        with self._lock:
            return self._most

    @property
    def in_flight(self) -> int:
        with self._lock:
            return self._in_flight

    def forget(self) -> None:
        """Start the record anew."""
        with self._lock:
            self._calls.clear()
            self._most = self._in_flight

    # --- life ---

    def __enter__(self) -> Self:
        ready: Future[int] = Future()
        self._thread = threading.Thread(
            target=self._run, args=(ready,), name="provider", daemon=True
        )
        self._thread.start()
        self.port = ready.result(timeout=10)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        if self._errors and error is None:
            raise self._errors[0]

    def close(self) -> None:
        thread, loop, stopping = self._thread, self._loop, self._stopping
        if thread is None or loop is None or stopping is None:
            return
        loop.call_soon_threadsafe(stopping.set)
        thread.join(timeout=10)
        assert not thread.is_alive(), "the provider's thread does not end"
        self._thread = None

    def _run(self, ready: Future[int]) -> None:
        try:
            asyncio.run(self._serve(ready))
        except Exception as error:  # noqa: BLE001
            if not ready.done():
                ready.set_exception(error)
            else:
                self._errors.append(error)

    async def _serve(self, ready: Future[int]) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(self._failed)
        self._stopping = asyncio.Event()
        listening = await self._loop.create_server(
            lambda: Connection(self._answer, self._connections), "127.0.0.1", 0, backlog=256
        )
        ready.set_result(listening.sockets[0].getsockname()[1])
        await self._stopping.wait()
        listening.close()
        for connection in tuple(self._connections):
            connection.drop()
        while self._connections:
            await asyncio.sleep(0)
        await listening.wait_closed()

    def _failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self._errors.append(
            error if isinstance(error, Exception) else RuntimeError(context["message"])
        )

    # --- one request ---

    async def _answer(self, request: Request, connection: Connection) -> None:
        body, problem = parsed(request)
        provider = provider_of(request)
        question = Question(request.method, request.path, body, request.headers)
        call = Call(
            provider,
            request.method,
            request.path,
            body,
            request.headers,
            WIRES[provider].user_text(question),
            time.monotonic(),
        )
        with self._lock:
            self._calls.append(call)
            number = len(self._calls)
            self._in_flight += 1
            self._most = max(self._most, self._in_flight)
        try:
            reply = self._reply(question, provider, problem, f"req_{number:08x}")
            call.status = await connection.send(reply)
        finally:
            with self._lock:
                self._in_flight -= 1
                call.finished = time.monotonic()

    def _reply(
        self, question: Question, provider: Provider, problem: Refused | None, request_id: str
    ) -> Reply:
        wire = WIRES[provider]
        rules = Rules(
            self.key,
            frozenset(self.models[provider]),
            dict(self.served),
            frozenset(self.unsupported),
            frozenset(self.without),
        )
        refused = wire.refused(question, rules, problem)
        if refused is not None:
            return wire.error(refused, question, request_id)
        if question.method == "GET":
            return wire.model_reply(question, rules, request_id)
        try:
            said = self.script(wire.asked(question))
        except Exception as error:  # noqa: BLE001
            self._errors.append(error)  # raised when the block ends
            broken = Refused(500, "The test's script failed.")
            said = Said(error=broken, headers={"x-should-retry": "false"})
        if said.error is not None:
            return wire.error(said.error, question, request_id, said)
        return raw_reply(said, wire.headers(request_id)) or wire.reply(
            said, question, rules, request_id
        )


def provider_of(request: Request) -> Provider:
    if request.path.startswith("/v1/messages") or "anthropic-version" in request.headers:
        return "anthropic"
    return "openai"
