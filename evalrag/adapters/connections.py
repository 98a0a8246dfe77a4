"""The connections of a run to one service: certificates, proxies, and what can be wrong."""

import os
import ssl
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3 import exceptions
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from evalrag.errors import PluginError
from evalrag.redaction import one_line

PORTS = {"http": 80, "https": 443}
MOST_HOSTS = 4
"""Pools that are kept: the address itself, and where it redirects."""


def pools_for(url: str, ca_file: str | None, at_once: int) -> urllib3.PoolManager:
    """Pools that keep a connection for each call that is in flight at once.

    Raises:
        PluginError: The file of authorities cannot be read, or the proxy of the environment is none
            that can be used.
    """
    options: dict[str, Any] = {"num_pools": MOST_HOSTS, "maxsize": at_once}
    if ca_file is not None:  # without one urllib3 verifies by the system's authorities
        options["ssl_context"] = _trust(ca_file)
    proxy = _proxy_of(url)
    pools: urllib3.PoolManager
    if proxy is None:
        pools = urllib3.PoolManager(**options)
    else:
        given = urlsplit(proxy)
        auth = f"{given.username}:{given.password or ''}" if given.username else None
        headers = urllib3.make_headers(proxy_basic_auth=auth) if auth else None
        pools = urllib3.ProxyManager(proxy, proxy_headers=headers, **options)
    pools.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
    return pools


def is_late(error: BaseException) -> bool:
    """Out of time. What urllib3 says of a refused connection is one of its time-outs as well."""
    refused = isinstance(error, exceptions.NewConnectionError)
    return isinstance(error, exceptions.TimeoutError) and not refused


def trouble(error: BaseException) -> tuple[str, str]:
    """What is wrong with a connection, and what to do about it."""
    if isinstance(error, exceptions.ProxyError):
        said, _ = trouble(error.original_error)
        return f"is behind a proxy that {said}", "mend HTTPS_PROXY, HTTP_PROXY or NO_PROXY"
    if isinstance(error, exceptions.NameResolutionError):
        return "has a host whose name nobody knows", "correct the host in with.url"
    if isinstance(error, exceptions.NewConnectionError):
        why = "refuses the connection" if "refused" in str(error) else "cannot be connected to"
        return why, "start the service, or correct with.url"
    if isinstance(error, exceptions.SSLError | ssl.SSLError):
        said = str(error)
        if "CERTIFICATE_VERIFY_FAILED" in said:
            why = said.partition("certificate verify failed: ")[2].partition(" (_ssl")[0]
            return (
                f"has a certificate that does not hold: {why.strip() or 'it cannot be verified'}",
                "name the file of its authority under with.ca_file",
            )
        if "WRONG_VERSION_NUMBER" in said or "record layer" in said:
            return "speaks no TLS", "write http:// in with.url, or use its TLS port"
        return f"cannot be spoken to by TLS: {one_line(said, 200)}", ""
    if "IncompleteRead" in str(error) or isinstance(error, exceptions.InvalidChunkLength):
        return "ended its reply in the middle", ""
    if isinstance(error, exceptions.ProtocolError | ConnectionError):
        return "ended the connection without a reply", ""
    return f"cannot be asked: {one_line(f'{type(error).__name__}: {error}', 200)}", ""


def _trust(ca_file: str) -> ssl.SSLContext:
    """The system's authorities, and those of the file."""
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(cafile=ca_file)
    except OSError as error:  # an ssl.SSLError is one
        raise PluginError(
            f"with of http: ca_file: {os.path.basename(ca_file)} cannot be used: "
            f"{error.strerror or error}",
            hint="name a file of certificates in PEM, relative to the plan",
        ) from None
    return context


def _proxy_of(url: str) -> str | None:
    parts = urlsplit(url)
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    scheme = urlsplit(proxy).scheme
    if scheme not in PORTS:
        raise PluginError(
            f"with of http: the environment names a proxy of the scheme {scheme!r}",
            hint="http and https proxies are spoken to; NO_PROXY leaves a host out",
        )
    return proxy


class _OneSegment:
    """Sends head and body of a request together.

    http.client sends them one after the other, which is two calls of the system and two
    awakenings of the server a row: measured, a quarter of the client's time.
    """

    _head: bytes | None = None
    _holds = False

    def request(self, method: str, url: str, body: Any = None, *args: Any, **named: Any) -> None:
        self._head, self._holds = None, isinstance(body, bytes) and bool(body)
        super().request(method, url, body, *args, **named)  # type: ignore[misc]

    def send(self, data: Any) -> None:
        if self._holds:
            self._head, self._holds = data, False
            return
        if self._head is not None:
            data, self._head = self._head + data, None
        super().send(data)  # type: ignore[misc]


class _Connection(_OneSegment, HTTPConnection):
    pass


class _SecureConnection(_OneSegment, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection
