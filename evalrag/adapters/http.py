"""Ask a service over HTTP: one POST of JSON a row, fields of the reply by JSONPath.

    generator:
      use: http
      with:
        url: https://bot.internal/answer
        headers: {Authorization: "Bearer ${BOT_TOKEN}"}
        body: {q: "{question}", documents: "{passages}"}
        reply: {answer: "$.text", citations: "$.sources[*].id", usage: {input_tokens: "$.usage.in"}}

It can stand as retriever, generator or rewriter, or as the whole pipeline (`pipeline: {use: http,
with: {...}}`).

Body. A text that is one placeholder and nothing else becomes the value with its type: "{top_k}" is
a number, "{passages}" a list of objects. Within a longer text a value stands as text, a list as
JSON. {{ and }} stand for the braces themselves; keys are sent as they are. There are {question},
{history}, {top_k}, {row_id}, {repeat}, and {passages} for a generator. Without `body` all of them
are sent under their own names.

Reply. Each field has a path in JSONPath (RFC 9535), which begins with $. A retriever has
`candidates`, a rewriter `query`, a generator `answer` and, if it says them, `citations`, `usage`
and `context`; a whole pipeline has `answer`, `candidates` or `context`, and all the others, with
`reranked` and `query`. `passage` maps the fields of one passage, by paths within it:

    reply: {candidates: "$.hits[*]", passage: {id: "$._id", doc: "$.meta.source", text: "$.body"}}

Without `reply` the answer is taken as it is: a list of passages (or {"candidates": [...]}), a
query, {"answer": ...}, or all of it in one object, with the names that evalrag has for them.

Errors. Whatever goes wrong is the error of its row: no connection, a status that is no 2xx (shown
with the beginning of the reply), HTML, another content type than JSON, an empty or too large reply,
text that is not UTF-8, a place in the reply that is not there. `citations`, `usage`, `reranked` and
the parts of a passage may be missing; where one is in no reply of a whole run, its report begins
with that, and with what is there instead. `run.timeout_s` bounds a call, `run.retries` tries it
again, after what Retry-After says. A redirect is followed on the same host alone.

Secrets. Keys are taken from the environment: the value of an Authorization header or of another
one that names a key must hold a ${NAME}. They are hidden in everything that is stored or shown.
Certificates are always verified, by the system's authorities and those of `ca_file`. The proxies
of HTTP_PROXY, HTTPS_PROXY and NO_PROXY are used.

`evalrag check PLAN` sends a HEAD request without the plan's headers: any answer is well.
"""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field, JsonValue

from evalrag.adapters.hooks import OFFERED
from evalrag.adapters.reach import Reached
from evalrag.adapters.stages import AnyStage, stage_of, written_with
from evalrag.errors import PluginError
from evalrag.plugins import settings
from evalrag.redaction import environment_secrets, is_secret_key, redactor
from evalrag.schema.frozen import Frozen
from evalrag.schema.plan import Use

if TYPE_CHECKING:
    from evalrag.adapters.posting import Poster
    from evalrag.adapters.reply_fields import ReplyFields
    from evalrag.adapters.template import Template
    from evalrag.loading.plan import LoadedPlan


class Settings(Frozen):
    """What `with` takes."""

    url: str = Field(min_length=1, description="http:// or https://, a query is allowed.")
    body: JsonValue = Field(default=None, description="JSON with placeholders.")
    headers: dict[str, str] = Field(
        default_factory=dict, description="Keys as ${NAME}, from the environment."
    )
    reply: dict[str, JsonValue] | None = Field(default=None, description="Field -> JSONPath.")
    ca_file: str | None = Field(
        default=None, description="More authorities, in PEM, relative to the plan."
    )
    max_reply_bytes: int = Field(default=10_000_000, ge=1, description="A larger one is refused.")
    version: str | None = Field(
        default=None, description="What the service calls its state; counts in the fingerprint."
    )
    model: str | None = Field(default=None, description="As `model` beside `use`.")


def build(use: Use, loaded: "LoadedPlan", ids: Collection[str]) -> "Http":
    """The service that the plan names. Nothing is connected to."""
    from evalrag.adapters.posting import Poster
    from evalrag.adapters.reply_fields import ReplyFields
    from evalrag.adapters.template import Template

    wanted = settings(Settings, use.with_, of="http")
    stage = stage_of(use, loaded)
    written = written_with(stage, loaded)
    _check_address(wanted.url, str(written.get("url")))
    _check_headers(wanted.headers, written)
    offered = OFFERED[stage]
    body = wanted.body if wanted.body is not None else {name: f"{{{name}}}" for name in offered}
    run = loaded.plan.run
    return Http(
        Template(body, offered, of="http"),
        ReplyFields(wanted.reply, stage, of="http"),
        Poster(
            wanted.url,
            headers=wanted.headers,
            ca_file=str(loaded.resolve(wanted.ca_file)) if wanted.ca_file is not None else None,
            limit_s=run.timeout_s,
            most_bytes=wanted.max_reply_bytes,
            at_once=run.concurrency,
            redact=redactor(
                loaded.secrets | environment_secrets(os.environ) | _keys_in(wanted.url)
            ),
        ),
        version=wanted.version,
    )


class Http(AnyStage):
    """A stage, or a whole pipeline, behind an address."""

    def __init__(
        self, body: "Template", reply: "ReplyFields", poster: "Poster", *, version: str | None
    ) -> None:
        self._body, self._reply, self._poster, self._version = body, reply, poster, version

    def ask(self, offers: Mapping[str, Any]) -> Any:
        body = json.dumps(self._body.filled(offers), ensure_ascii=True).encode("ascii")
        answer = self._poster.post(body)
        return self._reply.read(self._poster.json_of(answer))

    def remarks(self) -> Sequence[str]:
        return self._reply.remarks()

    def reach(self) -> Reached:
        well, said, hint = self._poster.knock()
        return Reached(well, f"{self._poster.shown} {said}", hint)

    def unknown(self, watched: Collection[Path]) -> list[str]:
        """What the fingerprint cannot see."""
        if self._version is not None:
            return []
        return [f"what runs at {self._poster.shown} (say its state under with.version)"]

    def close(self) -> None:
        self._poster.close()


def _keys_in(url: str) -> frozenset[str]:
    """Values of the query that are keys by their names."""
    pairs = parse_qsl(urlsplit(url).query)
    return frozenset(value for name, value in pairs if is_secret_key(name))


def _check_address(url: str, written: str) -> None:
    try:
        parts = urlsplit(url)
        bad = parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
    except ValueError:
        bad = True
    if bad or any(c.isspace() or not c.isprintable() for c in url):
        raise PluginError(
            "with of http: url is no address of the web",
            hint="write it as http://host:port/path or https://host/path",
        )
    if parts.username is not None or parts.password is not None:
        raise PluginError(
            "with of http: url holds a user or a password",
            hint='take it out; write headers: {Authorization: "Basic ${NAME}"}',
        )
    if any("${" not in value for value in _keys_in(written)):
        raise PluginError(
            "with of http: url holds a key that stands in the plan itself",
            hint="keys come from the environment: ?api_key=${NAME}, or better a header",
        )
    if "{" in url:
        raise PluginError(
            "with of http: url holds a brace; it is the same for every row",
            hint="placeholders stand in `body`; a brace in a url is written %7B",
        )


def _check_headers(headers: Mapping[str, str], written: Mapping[str, Any]) -> None:
    """A header can be sent, and holds no key that stands in the plan itself."""
    raw = written.get("headers")
    for name, value in headers.items():
        if not name or not name.isascii() or any(c in ' :\r\n\t"' for c in name):
            raise PluginError(f"with of http: headers: {name!r} is no name of a header", hint="")
        if any(ord(c) > 255 or ord(c) < 32 for c in value):
            raise PluginError(
                f"with of http: headers.{name} holds a character that no header can carry",
                hint="look for a line end at the end of the variable",
            )
        as_written = raw.get(name) if isinstance(raw, Mapping) else None
        if is_secret_key(name) and "${" not in str(as_written):
            raise PluginError(
                f"with of http: headers.{name} stands in the plan itself",
                hint=f"keys come from the environment: {name}: ${{NAME}}",
            )
