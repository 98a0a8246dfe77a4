"""HTTP/1.1 with keep-alive, as far as JSON over loopback needs it, and the ways in which a
connection breaks.
"""

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from tests.provider.said import Fault

Answer = Callable[["Request", "Connection"], Awaitable[None]]
MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    after: float = 0.0
    fault: Fault | None = None


class Connection(asyncio.Protocol):
    """One client's connection. A client that leaves ends the answer that it waited for, also a
    slow one.
    """

    def __init__(self, answer: Answer, everyone: set["Connection"]) -> None:
        self._answer = answer
        self._everyone = everyone
        self._waiting = bytearray()
        self._task: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._everyone.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self._task is None:
            self._everyone.discard(self)
        else:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        self._waiting += data
        self._next()

    def drop(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _next(self) -> None:
        """Start on the next whole request, one at a time in the order in which they came."""
        if self._task is not None or self._transport is None:
            return
        request = self._take()
        if request is not None:
            self._task = asyncio.get_running_loop().create_task(self._run(request))

    def _take(self) -> Request | None:
        head, found, rest = bytes(self._waiting).partition(b"\r\n\r\n")
        if not found:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        length = int(headers.get("content-length", "0"))
        assert length <= MOST_BYTES, "a request of a test is not that long"
        if len(rest) < length:
            return None
        del self._waiting[: len(head) + 4 + length]
        return Request(method, target.partition("?")[0], headers, rest[:length])

    async def _run(self, request: Request) -> None:
        try:
            await self._answer(request, self)
        except Exception as error:  # noqa: BLE001
            asyncio.get_running_loop().call_exception_handler(
                {"message": "an answer failed", "exception": error}
            )
            self.drop()
        finally:
            self._task = None
            if self._transport is None:
                self._everyone.discard(self)
        self._next()

    async def send(self, reply: Reply) -> int | None:
        """Send the reply when its time has come; gives the status that went out, None when none
        did.
        """
        if reply.fault == "never":
            await asyncio.Event().wait()
        if reply.after > 0:
            await asyncio.sleep(reply.after)
        if self._transport is None:
            return None
        if reply.fault == "reset":
            self._reset()
            return None
        whole = head(reply) + reply.body
        if reply.fault is None:
            self._transport.write(whole)
            return reply.status
        self._transport.write(whole[: len(whole) - (len(reply.body) + 1) // 2])
        await asyncio.sleep(0.01)
        if reply.fault == "reset_within":
            self._reset()
        elif self._transport is not None:
            self._transport.close()
        return reply.status

    def _reset(self) -> None:
        """Close with RST and not FIN: a linger of zero drops what was not sent."""
        if self._transport is None:
            return
        raw: socket.socket = self._transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()


def head(reply: Reply) -> bytes:
    named = {"content-length": str(len(reply.body)), **reply.headers}
    lines = [f"HTTP/1.1 {reply.status} {phrase(reply.status)}"]
    lines += [f"{name}: {value}" for name, value in named.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Overloaded" if status == 529 else "Unknown"
