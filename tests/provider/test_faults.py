"""What the real clients raise, retry and wait for when a provider fails: code that judges rests on
it.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime
from itertools import pairwise
from typing import Any

import anthropic
import openai
import pytest

from tests.provider import said
from tests.provider.clients import ask_anthropic, ask_openai, openai_client
from tests.provider.said import Said
from tests.provider.server import ProviderServer, minimal

Ask = Callable[..., Awaitable[Any]]
BOTH = pytest.mark.parametrize(
    ("ask", "sdk"),
    [(ask_openai, openai), (ask_anthropic, anthropic)],
    ids=["openai", "anthropic"],
)


@BOTH
@pytest.mark.parametrize(
    ("reply", "name"),
    [
        (said.unknown_parameter("seed"), "BadRequestError"),
        (said.unauthorized(), "AuthenticationError"),
        (said.forbidden(), "PermissionDeniedError"),
        (said.no_such_model(), "NotFoundError"),
        (said.rate_limited(), "RateLimitError"),
        (said.failing(500), "InternalServerError"),
        (said.failing(503), "InternalServerError"),
        (said.failing(529), "InternalServerError"),
        (said.html(502), "InternalServerError"),
        (said.reset(), "APIConnectionError"),
        (said.reset_within("x" * 4000), "APIConnectionError"),
        (said.closed_within("x" * 4000), "APIConnectionError"),
    ],
)
def test_what_is_raised(
    provider: ProviderServer, ask: Ask, sdk: Any, reply: Said, name: str
) -> None:
    provider.script = said.always(reply)
    with pytest.raises(getattr(sdk, name)):
        asyncio.run(once(ask(provider)))
    assert len(provider.calls) == 1


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (said.reset(), "ReadError"),
        (said.reset_within("x" * 4000), "ReadError"),
        (said.closed_within("x" * 4000), "RemoteProtocolError"),
    ],
    ids=["reset", "reset within", "closed within"],
)
def test_a_reset_is_not_an_early_end(provider: ProviderServer, reply: Said, cause: str) -> None:
    provider.script = said.always(reply)
    with pytest.raises(openai.APIConnectionError) as caught:
        asyncio.run(ask_openai(provider))
    assert type(caught.value.__cause__).__name__ == cause


async def once(call: Awaitable[Any]) -> Any:
    return await call


@pytest.mark.parametrize(
    ("reply", "code", "kind"),
    [
        (said.unknown_parameter("seed"), "unknown_parameter", "invalid_request_error"),
        (said.unauthorized(), "invalid_api_key", "invalid_request_error"),
        (said.forbidden(), "model_not_found", "invalid_request_error"),
        (said.no_such_model(), "model_not_found", "invalid_request_error"),
        (said.rate_limited(), "rate_limit_exceeded", "requests"),
        (said.out_of_credit(), "insufficient_quota", "insufficient_quota"),
        (said.failing(503), None, "server_error"),
    ],
)
def test_openai_names_the_error(
    provider: ProviderServer, reply: Said, code: str | None, kind: str
) -> None:
    provider.script = said.always(reply)
    with pytest.raises(openai.APIStatusError) as caught:
        asyncio.run(ask_openai(provider))
    assert (caught.value.code, caught.value.type) == (code, kind)
    assert caught.value.request_id == "req_00000001"


@pytest.mark.parametrize(
    ("reply", "status", "kind"),
    [
        (said.unknown_parameter("seed"), 400, "invalid_request_error"),
        (said.unauthorized(), 401, "authentication_error"),
        (said.out_of_credit(), 402, "billing_error"),
        (said.forbidden(), 403, "permission_error"),
        (said.no_such_model(), 404, "not_found_error"),
        (said.rate_limited(), 429, "rate_limit_error"),
        (said.failing(500), 500, "api_error"),
        (said.failing(529), 529, "overloaded_error"),
    ],
)
def test_anthropic_names_the_error(
    provider: ProviderServer, reply: Said, status: int, kind: str
) -> None:
    provider.script = said.always(reply)
    with pytest.raises(anthropic.APIStatusError) as caught:
        asyncio.run(ask_anthropic(provider))
    assert (caught.value.status_code, caught.value.type) == (status, kind)
    assert caught.value.request_id == "req_00000001"


# --- retries ---


@BOTH
@pytest.mark.parametrize(
    "reply",
    [
        said.rate_limited(0.03),
        said.failing(500, retry_after="0.03"),
        said.failing(503, retry_after_ms="30"),
        said.failing(529, retry_after="0.03"),
    ],
    ids=["429", "500", "503", "529"],
)
def test_retry_after_in_seconds_is_waited_for(
    provider: ProviderServer, ask: Ask, sdk: Any, reply: Said
) -> None:
    provider.script = said.first(2, reply, then=minimal)
    asyncio.run(once(ask(provider, retries=2)))
    waits = gaps(provider)
    assert len(waits) == 2
    assert all(wait >= 0.03 for wait in waits)
    assert min(waits) < 0.37, "the client's own waits are 0.375 s and longer"
    assert [call.headers["x-stainless-retry-count"] for call in provider.calls] == ["0", "1", "2"]


def gaps(server: ProviderServer) -> list[float]:
    """Seconds from the start of each call to the start of the next."""
    return [after.started - before.started for before, after in pairwise(server.calls)]


def test_retry_after_as_a_date_is_waited_for(provider: ProviderServer) -> None:
    """A date has whole seconds, and this one is later than the clients' own wait of 0.5 s."""
    limited = said.rate_limited(0.7, as_date=True)
    until = parsedate_to_datetime(limited.headers["retry-after"]).timestamp()
    provider.script = said.each(1, limited, then=minimal)

    async def run() -> tuple[float, float]:
        async def timed(call: Awaitable[Any]) -> float:
            await call
            return time.time()

        return await asyncio.gather(
            timed(ask_openai(provider, user="one", retries=1)),
            timed(ask_anthropic(provider, user="two", retries=1)),
        )

    for ended in asyncio.run(run()):
        assert until <= ended < until + 2
    assert len(provider.calls) == 4


def test_a_long_retry_after_ends_the_tries_of_openai_and_holds_anthropic(
    provider: ProviderServer,
) -> None:
    """One client gives up above two minutes; the other sleeps for as long as it is told."""
    provider.script = said.always(said.rate_limited(600))
    with pytest.raises(openai.RateLimitError):
        asyncio.run(ask_openai(provider, retries=2))
    assert len(provider.calls) == 1
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(ask_anthropic(provider, retries=2), 0.6))
    assert len(provider.calls) == 2


@BOTH
def test_failures_without_end_exhaust_the_retries(
    provider: ProviderServer, ask: Ask, sdk: Any
) -> None:
    provider.script = said.always(said.failing(503, retry_after="0.01"))
    with pytest.raises(sdk.InternalServerError):
        asyncio.run(once(ask(provider, retries=3)))
    assert [call.status for call in provider.calls] == [503] * 4


@BOTH
@pytest.mark.parametrize(
    "reply",
    [
        said.unknown_parameter("seed"),
        said.unauthorized(),
        said.forbidden(),
        said.no_such_model(),
        said.failing(500, x_should_retry="false"),
    ],
    ids=["400", "401", "403", "404", "told not to"],
)
def test_what_is_not_retried(provider: ProviderServer, ask: Ask, sdk: Any, reply: Said) -> None:
    provider.script = said.always(reply)
    with pytest.raises(sdk.APIStatusError):
        asyncio.run(once(ask(provider, retries=2)))
    assert len(provider.calls) == 1


def test_credit_that_ran_out_is_retried_by_openai_for_nothing(provider: ProviderServer) -> None:
    """The same status as a rate limit: only the code tells that a wait does not help."""
    provider.script = said.always(said.out_of_credit(retry_after="0.01"))
    with pytest.raises(openai.RateLimitError):
        asyncio.run(ask_openai(provider, retries=1))
    assert len(provider.calls) == 2
    with pytest.raises(anthropic.APIStatusError):
        asyncio.run(ask_anthropic(provider, retries=1))
    assert len(provider.calls) == 3


def test_a_broken_connection_is_tried_again(provider: ProviderServer) -> None:
    provider.script = said.each(1, said.reset(), then=minimal)

    async def run() -> None:
        await asyncio.gather(
            ask_openai(provider, user="one", retries=1),
            ask_anthropic(provider, user="two", retries=1),
        )

    asyncio.run(run())
    assert [call.status for call in provider.calls] == [None, None, 200, 200]


# --- time ---


@BOTH
@pytest.mark.parametrize(
    "reply", [said.never(), said.slow(5, Said(text="late"))], ids=["never", "slow"]
)
def test_a_client_that_stops_waiting_frees_the_server(
    provider: ProviderServer, ask: Ask, sdk: Any, reply: Said
) -> None:
    provider.script = said.always(reply)
    with pytest.raises(sdk.APITimeoutError):
        asyncio.run(once(ask(provider, timeout=0.15)))
    deadline = time.monotonic() + 2
    while provider.in_flight and time.monotonic() < deadline:
        time.sleep(0.002)
    (call,) = provider.calls
    assert call.finished is not None
    assert call.finished - call.started < 2
    assert call.status is None


def test_a_slow_answer_holds_up_no_other(provider: ProviderServer) -> None:
    provider.script = lambda asked: said.slow(0.3 if asked.user == "slow" else 0, minimal(asked))

    async def run() -> list[str]:
        ended: list[str] = []

        async def ask(user: str) -> None:
            await ask_openai(provider, user=user, client=client)
            ended.append(user)

        async with openai_client(provider) as client:
            await asyncio.gather(ask("slow"), ask("quick"))
        return ended

    assert asyncio.run(run()) == ["quick", "slow"]
