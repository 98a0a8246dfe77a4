"""One POST to a service: pooled, within limits, and every way in which it fails told apart."""

import math
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import perf_counter
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit, urlunsplit

import urllib3
from urllib3 import exceptions
from urllib3.util import Url

from evalrag.adapters.connections import PORTS, is_late, pools_for, trouble
from evalrag.adapters.passages import ShapeError
from evalrag.loading.strict_json import JsonError, loads
from evalrag.redaction import one_line

CHUNK = 65_536
SHOWN = 200
"""Characters of a reply that an error shows."""
LOOKED_AT = 20_000
"""Bytes of a reply in which secrets are hidden before it is cut to what is shown."""
MOST_REDIRECTS = 5
KEEPS_POST = (301, 302, 307, 308)
REACH_S = 5.0

Redact = Callable[[str], str]


class HttpError(Exception):
    """The service answered with an error."""

    def __init__(self, message: str, status_code: int, retry_after: float | None) -> None:
        super().__init__(message)
        self.status_code, self.retry_after = status_code, retry_after


class Unreachable(ConnectionError):
    """There was no answer: no such host, refused, reset, a certificate that does not hold."""


class TooSlow(TimeoutError):
    """The answer did not come within the limit of a call."""


class Answer(NamedTuple):
    status: int
    reason: str
    headers: Mapping[str, str]
    data: bytes


class Poster:
    """Sends bodies to one address, over connections that are kept for the whole run.

    The certificate is always checked. The proxies of the environment are used as everywhere
    (HTTP_PROXY, HTTPS_PROXY, NO_PROXY). A redirect is followed on the same host alone, since
    headers go with it and carry keys.
    """

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str],
        ca_file: str | None,
        limit_s: float,
        most_bytes: int,
        at_once: int,
        redact: Redact,
    ) -> None:
        self._url, self._limit_s, self._most_bytes = url, limit_s, most_bytes
        self._headers = {"content-type": "application/json", "accept": "application/json"}
        self._headers |= {name.lower(): value for name, value in headers.items()}
        self._redact = redact
        parts = urlsplit(url)
        self._pools = pools_for(url, ca_file, at_once)
        self._straight = self._pools.connection_from_url(url) if not self._pools.proxy else None
        self._target = Url(path=parts.path or "/", query=parts.query or None).request_uri
        self._timeout = urllib3.Timeout(connect=limit_s, read=limit_s)
        self.shown = redact(urlunsplit((*parts[:3], "", "")))
        """The address without its query, where keys may stand."""

    def post(self, body: bytes) -> Answer:
        """Send `body` and read the reply, following redirects on the same host.

        Raises:
            HttpError: The status is no 2xx.
            Unreachable: No reply came.
            TooSlow: It took longer than the limit.
            ShapeError: The reply is too large, or redirects elsewhere.
        """
        deadline = perf_counter() + self._limit_s
        url, method, sent = self._url, "POST", body
        for _ in range(MOST_REDIRECTS + 1):
            answer = self._once(method, url, sent, deadline)
            if not 300 <= answer.status < 400:
                return self._good(answer)
            url = self._next(url, answer)
            if answer.status not in KEEPS_POST:
                method, sent = "GET", b""
        raise ShapeError(f"redirects more than {MOST_REDIRECTS} times")

    def _once(self, method: str, url: str, body: bytes, deadline: float) -> Answer:
        try:
            return self._read(self._sent(method, url, body), deadline)
        except TooSlow:  # an OSError, as any TimeoutError is
            raise
        except (exceptions.HTTPError, OSError, ValueError) as error:
            if is_late(error):
                raise TooSlow(f"no answer from {self.shown} in {self._limit_s:g} s") from None
            said, hint = trouble(error)
            raise Unreachable(f"{self.shown} {said}" + f"; {hint}" * bool(hint)) from None

    def _sent(self, method: str, url: str, body: bytes) -> urllib3.BaseHTTPResponse:
        """Straight through the address's own pool, which is a fifth quicker than by its url."""
        straight = self._straight is not None and url == self._url
        owner = self._straight if straight and self._straight is not None else self._pools
        return owner.urlopen(
            method,
            self._target if straight else url,
            body=body or None,
            headers=self._headers,
            redirect=False,
            retries=False,
            preload_content=False,
            timeout=self._timeout,
        )

    def _read(self, reply: urllib3.BaseHTTPResponse, deadline: float) -> Answer:
        """The whole reply, which is let go of as soon as it is known to be too large or late."""
        data, whole = bytearray(), False
        try:
            declared = reply.headers.get("content-length", "")
            if declared.isdecimal() and int(declared) > self._most_bytes:
                raise self._too_large(reply, f"{int(declared):,} bytes")
            while chunk := reply.read1(CHUNK):
                data += chunk
                if len(data) > self._most_bytes:
                    raise self._too_large(reply, "more")
                if perf_counter() > deadline:
                    raise TooSlow(f"{self.shown} was still sending after {self._limit_s:g} s")
            whole = True
        finally:
            if whole:
                reply.release_conn()
            else:
                reply.close()
        return Answer(reply.status, reply.reason or "", reply.headers, bytes(data))

    def _too_large(self, reply: urllib3.BaseHTTPResponse, size: str) -> ShapeError:
        return ShapeError(
            f"answered {reply.status} with {size}, where {self._most_bytes:,} bytes are the most "
            "(with.max_reply_bytes)"
        )

    def _good(self, answer: Answer) -> Answer:
        if 200 <= answer.status < 300:
            return answer
        said = f"{answer.status} {answer.reason}".strip()
        raise HttpError(
            f"{said} from {self.shown}: {self.beginning(answer.data)}",
            answer.status,
            retry_after(answer.headers.get("retry-after")),
        )

    def _next(self, url: str, answer: Answer) -> str:
        """Where a redirect leads, if it is the same place."""
        place = answer.headers.get("location")
        if not place:
            raise HttpError(
                f"{answer.status} from {self.shown}, without a place to go", answer.status, None
            )
        there = urljoin(url, place)
        if not same_place(self._url, there):
            shown = self._redact(one_line(urlunsplit((*urlsplit(there)[:3], "", "")), SHOWN))
            raise ShapeError(
                f"answered {answer.status}, a redirect to another host or port: {shown}; headers "
                "are not sent there; name that address under with.url if it is yours"
            )
        return there

    def beginning(self, data: bytes) -> str:
        """The first of a reply, on one line, without secrets."""
        if not data:
            return "an empty body"
        text = self._redact(data[:LOOKED_AT].decode("utf-8", "replace"))
        return one_line(text, SHOWN) or "nothing that can be shown"

    def json_of(self, answer: Answer) -> Any:
        """The value that a reply holds.

        Raises:
            ShapeError: It is no JSON by its content type or by what stands in it.
        """
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        said = f"answered {answer.status}"
        if not answer.data.strip():
            raise ShapeError(f"{said} with an empty body, not JSON")
        begins = self.beginning(answer.data)
        if kind and kind not in ("application/json", "text/json") and not kind.endswith("+json"):
            raise ShapeError(f"{said} with {one_line(kind, 80)}, not JSON: {begins}")
        try:
            return loads(answer.data.removeprefix(b"\xef\xbb\xbf"))
        except JsonError as error:
            why = str(error).partition(";")[0]  # without what is advised of files
            raise ShapeError(f"{said} with what cannot be read ({why}): {begins}") from None

    def knock(self) -> tuple[bool, str, str]:
        """Whether something answers HTTP there; nothing of a row or of the plan is sent."""
        found: list[tuple[bool, str, str]] = []
        thread = threading.Thread(target=lambda: found.append(self._knock()), daemon=True)
        thread.start()
        thread.join(REACH_S + 0.5)  # looking up a name has no limit of its own
        return found[0] if found else (False, f"does not answer in {REACH_S:g} s", "is it slow?")

    def _knock(self) -> tuple[bool, str, str]:
        try:
            reply = self._pools.urlopen(
                "HEAD",
                self._url,
                headers={},
                redirect=False,
                retries=False,
                preload_content=False,
                timeout=urllib3.Timeout(total=REACH_S),
            )
        except (exceptions.HTTPError, OSError, ValueError) as error:
            if is_late(error):
                return False, f"does not answer in {REACH_S:g} s", "start it, or correct with.url"
            return False, *trouble(error)
        reply.close()
        return True, "answers", ""

    def close(self) -> None:
        self._pools.clear()


def same_place(known: str, there: str) -> bool:
    """Scheme, host and port are the same, or it is the same host's way from http to https."""
    one, other = urlsplit(known), urlsplit(there)
    try:
        ports = one.port or PORTS.get(one.scheme), other.port or PORTS.get(other.scheme)
    except ValueError:
        return False
    if (one.hostname or "") != (other.hostname or ""):
        return False
    if one.scheme == other.scheme:
        return ports[0] == ports[1]
    return (one.scheme, *ports) == ("http", 80, 443) and other.scheme == "https"


def retry_after(said: str | None) -> float | None:
    """Seconds that the service asks for, as a number or as a date; None where it is neither."""
    if said is None:
        return None
    try:
        seconds = float(said)
    except ValueError:
        try:
            until = parsedate_to_datetime(said)
        except (TypeError, ValueError, OverflowError, IndexError):
            return None
        zoned = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
        seconds = (zoned - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else None
