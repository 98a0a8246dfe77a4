"""A service on loopback: a test's script says what comes back for each request.

`with Service(script) as service:` opens it on a free port. A script gives a `Told`, or a value that
is sent as JSON; of a HEAD it is not asked, which this service does not know (405).
"""

import contextlib
import json
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Told:
    """A reply. `stream` is sent without a length, to the end of the connection."""

    data: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after: float = 0.0
    stream: Iterable[bytes] | None = None
    only: int | None = None
    """Bytes of `data` after which the connection ends."""
    kind: str | None = "application/json"


Script = Callable[[Asked], Any]


class Service:
    def __init__(self, script: Script, certificate: Path | None = None) -> None:
        self.asked: list[Asked] = []
        self.connections = 0
        self.sent = 0
        """Bytes of streams that the client let through."""
        service = self

        class Handler(_Handler):
            def tell(self, asked: Asked) -> Any:
                service.asked.append(asked)
                return script(asked) if asked.method != "HEAD" else Told(status=405)

            def setup(self) -> None:
                service.connections += 1
                super().setup()

            def count(self, sent: int) -> None:
                service.sent += sent

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.port: int = self._server.server_address[1]
        self._scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
            self._scheme = "https"
        self._thread = threading.Thread(
            target=lambda: self._server.serve_forever(poll_interval=0.02), daemon=True
        )

    def url(self, path: str = "/ask", host: str = "127.0.0.1") -> str:
        return f"{self._scheme}://{host}:{self.port}{path}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def tell(self, asked: Asked) -> Any:
        raise NotImplementedError

    def count(self, sent: int) -> None:
        raise NotImplementedError

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", "0"))
        raw = self.rfile.read(length)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = json.loads(raw) if raw else None
        asked = Asked(self.command, self.path, headers, body)
        told = self.tell(asked)
        if not isinstance(told, Told):
            told = Told(json.dumps(told).encode())
        self._send(told)

    do_GET = do_HEAD = do_POST

    def _send(self, told: Told) -> None:
        time.sleep(told.after)
        self.send_response(told.status)
        if told.kind is not None:
            self.send_header("content-type", told.kind)
        for name, value in told.headers.items():
            self.send_header(name, value)
        if told.stream is None:
            self.send_header("content-length", str(len(told.data)))
        else:
            self.close_connection = True
        self.end_headers()
        if self.command == "HEAD":
            return
        if told.only is not None:
            self.wfile.write(told.data[: told.only])
            self.close_connection = True
            return
        self.wfile.write(told.data)
        for piece in told.stream or ():
            with contextlib.suppress(ConnectionError):
                self.wfile.write(piece)
                self.count(len(piece))
                continue
            return

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""


def certificate(folder: Path, *names: str) -> Path:
    """A self-signed certificate with its key, good for a day, made here and now."""
    key, cert, both = folder / "key.pem", folder / "cert.pem", folder / "both.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
            *("-subj", "/CN=test", "-addext", f"subjectAltName={','.join(names)}"),
            *("-keyout", str(key), "-out", str(cert)),
        ],
        check=True,
        capture_output=True,
    )
    both.write_bytes(key.read_bytes() + cert.read_bytes())
    return both
