"""The server is no bottleneck: many connections at once, kept alive, each answered in its own
time.
"""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from tests.provider.said import Said
from tests.provider.server import ProviderServer, minimal

CONNECTIONS = 64
ROUNDS = 3
DELAY = 0.15


def request(server: ProviderServer, user: str) -> bytes:
    body = json.dumps(
        {"model": "gpt-5.5", "messages": [{"role": "user", "content": user}]}
    ).encode()
    return (
        f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {server.key}\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    ).encode() + body


async def converse(server: ProviderServer, name: int, rounds: int) -> list[int]:
    """Several requests over one connection, each sent in two pieces; gives the statuses."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    found = []
    try:
        for number in range(rounds):
            sent = request(server, f"{name}.{number}")
            writer.write(sent[:40])
            await writer.drain()
            await asyncio.sleep(0)
            writer.write(sent[40:])
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            reply = json.loads(await reader.readexactly(length))
            assert reply["choices"][0]["message"]["content"] == "OK"
            found.append(int(head.split(b" ")[1]))
    finally:
        writer.close()
        await writer.wait_closed()
    return found


def test_sixty_four_connections_are_answered_at_once_and_kept_alive(
    provider: ProviderServer,
) -> None:
    provider.script = lambda asked: Said(text="OK", after=DELAY)

    async def run() -> list[list[int]]:
        return await asyncio.gather(
            *(converse(provider, name, ROUNDS) for name in range(CONNECTIONS))
        )

    statuses = asyncio.run(run())
    assert statuses == [[200] * ROUNDS] * CONNECTIONS
    assert provider.most_at_once == CONNECTIONS
    assert len(provider.calls) == CONNECTIONS * ROUNDS


def test_requests_that_come_before_an_answer_wait_for_it(
    provider: ProviderServer,
) -> None:
    provider.script = lambda asked: Said(text=asked.user, after=0.03 if asked.user == "1" else 0)

    async def run() -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", provider.port)
        writer.write(request(provider, "1"))
        while not provider.in_flight:
            await asyncio.sleep(0.001)
        writer.write(request(provider, "2") + request(provider, "3"))
        got = b""
        while got.count(b'"total_tokens"') < 3:
            got += await reader.read(65536)
        writer.close()
        await writer.wait_closed()
        return got

    got = asyncio.run(run())
    places = [got.index(b'"content": "%d"' % number) for number in (1, 2, 3)]
    assert places == sorted(places)
    assert provider.most_at_once == 1


def test_a_benchmark_that_opens_the_server_loads_no_client() -> None:
    """What a benchmark measures must not hold the clients of the tests."""
    code = (
        "import sys; from tests.provider.server import ProviderServer\n"
        "with ProviderServer(): pass\n"
        "loaded = {'openai', 'anthropic', 'httpx2', 'pydantic', 'pytest'} & set(sys.modules)\n"
        "sys.exit(str(loaded) if loaded else 0)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=root, check=False)
    assert done.returncode == 0


def test_the_default_script_needs_no_schema(provider: ProviderServer) -> None:
    assert provider.script is minimal
    assert asyncio.run(converse(provider, 0, 1)) == [200]
