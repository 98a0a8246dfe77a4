"""`use: http` against a real server: what is sent, what is read, and each way to fail."""

import gzip
import time
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from evalrag.adapters.posting import HttpError, TooSlow, retry_after, same_place
from evalrag.adapters.reach import reached
from evalrag.errors import PluginError
from evalrag.schema.trace import Trace
from tests.adapters.http_server import Asked, Service, Told, certificate
from tests.adapters.plans import asked, build, print_of
from tests.workspace import BOT, Workspace

HITS = {
    "took": 3,
    "hits": [
        {"_id": "a#1", "meta": {"source": "a", "v": 2}, "body": "Thirty days.", "rank": 0.5},
        {"_id": "b#1", "meta": {"source": "b"}, "body": "Five euros."},
    ],
}
SEARCH: dict[str, Any] = {
    "candidates": "$.hits[*]",
    "passage": {"id": "$._id", "doc": "$.meta.source", "text": "$.body", "score": "$.rank"},
}
OFFERS = {"question": "q", "top_k": 1, "history": [], "row_id": "r", "repeat": 0}
SECRET = "s3cret-of-the-tests"


def http(service: Service, **settings: Any) -> dict[str, Any]:
    return {"use": "http", "with": {"url": service.url(), **settings}}


def error_of(trace: Trace) -> str:
    assert "error" in trace, trace
    assert "\n" not in trace["error"]
    assert len(trace["error"]) <= 520
    return trace["error"]


def one_error(folder: Path, told: Any, **settings: Any) -> str:
    """The error of the one bad row among two: the run goes on."""

    def script(request: Asked) -> Any:
        return told if request.body["question"] == "bad" else {"candidates": ["fine"]}

    with Service(script) as service:
        pipeline = build(folder, {"retriever": http(service, **settings)}, run={"timeout_s": 2})
        bad, good = asked(pipeline, ["bad", "good"])
    assert "error" not in good
    assert good["candidates"] == [{"text": "fine"}]
    return error_of(bad)


def test_a_retriever_sends_the_template_and_reads_by_path(tmp_path: Path) -> None:
    with Service(lambda request: HITS) as service:
        body = {
            "q": "{question}",
            "k": "{top_k}",
            "say": "{{{question}}} of {row_id}: {history}",
            "deep": [{"n": "{repeat}"}, 1, None, True],
        }
        settings = http(service, body=body, reply=SEARCH)
        settings["with"]["url"] += "?tenant=acme"
        (trace,) = asked(build(tmp_path, {"retriever": settings, "top_k": 7}), ["why, Zoë?"])
    assert trace["candidates"] == [
        {"id": "a#1", "doc": "a", "text": "Thirty days.", "score": 0.5},
        {"id": "b#1", "doc": "b", "text": "Five euros."},
    ]
    (request,) = service.asked
    assert request.path == "/ask?tenant=acme"
    assert request.body == {
        "q": "why, Zoë?",
        "k": 7,
        "say": '{why, Zoë?} of r0: [{"role": "user", "content": "hello"}]',
        "deep": [{"n": 0}, 1, None, True],
    }


def test_metadata_is_one_place_or_a_mapping_of_places(tmp_path: Path) -> None:
    for metadata, found in (
        ("$.meta", {"source": "a", "v": 2}),
        ({"version": "$.meta.v", "absent": "$.nope"}, {"version": 2}),
    ):
        reply = {"candidates": "$.hits[0:1]", "passage": {"id": "$._id", "metadata": metadata}}
        with Service(lambda request: HITS) as service:
            pipeline = build(tmp_path, {"retriever": http(service, reply=reply)})
            (trace,) = asked(pipeline)
        assert trace["candidates"] == [{"id": "a#1", "metadata": found}]


def test_without_body_and_reply_our_own_names_are_used(tmp_path: Path) -> None:
    def script(request: Asked) -> Any:
        if "passages" in request.body:
            return {"answer": "30 days", "citations": ["a"], "usage": {"prompt_tokens": 5}}
        return [{"id": "a", "text": "Thirty days."}]

    with Service(script) as service:
        pipeline = build(tmp_path, {"retriever": http(service), "generator": http(service)})
        (trace,) = asked(pipeline)
    assert trace["answer"] == "30 days"
    assert trace["citations"] == ["a"]
    assert trace["usage"] == {"input_tokens": 5}
    assert service.asked[0].body == {
        "question": "what?",
        "top_k": 20,
        "history": [{"role": "user", "content": "hello"}],
        "row_id": "r0",
        "repeat": 0,
    }
    assert service.asked[1].body["passages"] == [{"id": "a", "text": "Thirty days."}]


def test_a_generator_and_a_rewriter_by_path(tmp_path: Path) -> None:
    def script(request: Asked) -> Any:
        if "old" in request.body:
            return {"new": {"query": "gift wrapping price"}}
        if "q" in request.body:
            return HITS
        said = {"text": "5 euros", "from": [{"ref": "b#1"}], "tokens": {"in": 9, "out": 3}}
        return {"choices": [{"message": said}], "seen": ["b#1"]}

    at = "$.choices[0].message"
    with Service(script) as service:
        plan = {
            "rewriter": http(service, body={"old": "{question}"}, reply={"query": "$.new.query"}),
            "retriever": http(service, body={"q": "{question}"}, reply=SEARCH),
            "generator": http(
                service,
                body={"prompt": "Use {passages}"},
                reply={
                    "answer": f"{at}.text",
                    "citations": f"{at}.from[*].ref",
                    "context": "$.seen",
                    "usage": {"input_tokens": f"{at}.tokens.in", "output_tokens": "$..out"},
                },
            ),
        }
        (trace,) = asked(build(tmp_path, plan))
    assert trace["query"] == "gift wrapping price"
    assert service.asked[1].body == {"q": "gift wrapping price"}
    assert trace["answer"] == "5 euros"
    assert trace["citations"] == ["b#1"]
    assert [p["id"] for p in trace["context"]] == ["b#1"]
    assert trace["usage"] == {"input_tokens": 9, "output_tokens": 3}
    assert service.asked[2].body["prompt"].startswith('Use [{"id": "a#1"')


def test_a_whole_pipeline(tmp_path: Path) -> None:
    reply = {"answer": "$.text", "candidates": "$.hits[*]", "passage": SEARCH["passage"]}
    with Service(lambda request: {**HITS, "text": "30 days"}) as service:
        pipeline = build(tmp_path, {**http(service, reply=reply), "context_k": 1})
        (trace,) = asked(pipeline)
    assert trace["answer"] == "30 days"
    assert [p["id"] for p in trace["candidates"]] == ["a#1", "b#1"]
    assert [p["id"] for p in trace["context"]] == ["a#1"]


def test_connections_are_kept_for_the_whole_run(tmp_path: Path) -> None:
    with Service(lambda request: ["a"]) as service:
        pipeline = build(tmp_path, {"retriever": http(service)})
        asked(pipeline, ["why?"] * 60, concurrency=4)
    assert len(service.asked) == 60
    assert service.connections <= 4


def test_no_hits_are_an_empty_list_only_where_the_list_is_there(tmp_path: Path) -> None:
    def script(request: Asked) -> Any:
        return {"hits": []} if request.body["question"] == "none" else {"error": "index is gone"}

    with Service(script) as service:
        pipeline = build(tmp_path, {"retriever": http(service, reply=SEARCH)})
        none, gone = asked(pipeline, ["none", "gone"])
    assert "error" not in none
    assert none["candidates"] == []
    assert error_of(gone) == (
        "http answered without $.hits[*] (reply.candidates): the reply has error; "
        "error: str 'index is gone'"
    )


@pytest.mark.parametrize(
    ("told", "said"),
    [
        pytest.param(
            Told(b"<html>\n<h1>Log in</h1>", kind="text/html; charset=utf-8"),
            "http answered 200 with text/html, not JSON: <html> <h1>Log in</h1>",
            id="a page",
        ),
        pytest.param(
            Told(b'{"a": 1}', kind="text/plain"),
            'http answered 200 with text/plain, not JSON: {"a": 1}',
            id="another content type",
        ),
        pytest.param(Told(b""), "http answered 200 with an empty body, not JSON", id="empty"),
        pytest.param(
            Told(b"", status=204), "http answered 204 with an empty body, not JSON", id="204"
        ),
        pytest.param(
            Told(b'["caf\xe9"]'),
            "http answered 200 with what cannot be read (not UTF-8: byte 0xE9 at column 6): "
            '["caf\ufffd"]',
            id="not UTF-8",
        ),
        pytest.param(
            Told(b'["half'),
            "http answered 200 with what cannot be read (not JSON: a string starts here and never "
            'ends): ["half',
            id="half a JSON",
        ),
        pytest.param(
            Told(b"[NaN]"), "http answered 200 with what cannot be read (", id="no finite number"
        ),
        pytest.param(
            Told(b'{"results": []}'),
            "http answered with the unknown key 'results'; a list of passages, or an object with "
            "candidates, is read without `reply`",
            id="another shape",
        ),
        pytest.param(Told(b'"one"'), "http returned str 'one', one text in place of", id="a text"),
        pytest.param(
            Told(b'{"detail": "no such\\u0007 index"}', status=404),
            'HttpError: 404 Not Found from http://127.0.0.1:PORT/ask: {"detail": "no such',
            id="404",
        ),
        pytest.param(
            Told(b"<p>upstream</p>", status=503, kind="text/html"),
            "HttpError: 503 Service Unavailable from http://127.0.0.1:PORT/ask: <p>upstream</p>",
            id="503",
        ),
        pytest.param(
            Told(b"[1, 2, 3]", only=4),
            "Unreachable: http://127.0.0.1:PORT/ask ended its reply in the middle",
            id="cut off",
        ),
        pytest.param(Told(b"[]", after=5.0), "no answer", id="too slow"),
    ],
)
def test_what_is_no_reply_costs_its_own_row(tmp_path: Path, told: Told, said: str) -> None:
    error = one_error(tmp_path, told)
    port = error.partition("127.0.0.1:")[2].partition("/")[0]
    assert error.startswith(said.replace("PORT", port)), error


def test_a_list_without_passages_names_the_paths(tmp_path: Path) -> None:
    with Service(lambda request: {"hits": [{"id": "a"}]}) as service:
        (trace,) = asked(build(tmp_path, {"retriever": http(service, reply=SEARCH)}))
    assert error_of(trace) == (
        "http answered with passage 1 without $._id (reply.passage.id) or $.body "
        "(reply.passage.text): it has id"
    )


def test_a_reply_that_lacks_a_place_reads_the_same_on_every_row(tmp_path: Path) -> None:
    """So that a report tells it once, however many rows it costs."""

    def script(request: Asked) -> Any:
        return {"data": {"text": request.body["question"]}, "hits": []}

    with Service(script) as service:
        reply = {"candidates": "$.hits[*]", "answer": "$.data.answer"}
        traces = asked(build(tmp_path, http(service, reply=reply)), ["one?", "two?"])
    said = "http answered without $.data.answer (reply.answer): $.data has text"
    assert [error_of(trace) for trace in traces] == [said, said]


def test_an_object_in_place_of_a_list_names_its_path_and_its_keys(tmp_path: Path) -> None:
    with Service(lambda request: {"hits": {"total": 1, "hits": []}}) as service:
        reply = {**SEARCH, "candidates": "$.hits"}
        (trace,) = asked(build(tmp_path, {"retriever": http(service, reply=reply)}))
    assert error_of(trace) == (
        "http answered with no list at $.hits (reply.candidates): $.hits has total, hits"
    )


def test_an_object_in_place_of_an_answer_names_its_path_and_its_keys(tmp_path: Path) -> None:
    with Service(lambda request: {**HITS, "said": {"text": "30 days"}}) as service:
        reply = {"candidates": "$.hits[*]", "passage": SEARCH["passage"], "answer": "$.said"}
        (trace,) = asked(build(tmp_path, http(service, reply=reply)))
    assert error_of(trace) == (
        "http answered with no text at $.said (reply.answer): $.said has text"
    )


def test_several_values_where_one_is_wanted(tmp_path: Path) -> None:
    with Service(lambda request: {"query": ["a", "b"]}) as service:
        rewriter = http(service, reply={"query": "$.query[*]"})
        plan = {"rewriter": rewriter, "retriever": http(service)}
        (trace,) = asked(build(tmp_path, plan))
    assert error_of(trace) == ("http answered with 2 values at $.query[*] (reply.query), not one")


@pytest.mark.parametrize("length", [True, False], ids=["declared", "streamed"])
def test_a_reply_that_is_too_large_is_refused_while_it_comes(tmp_path: Path, length: bool) -> None:
    piece = b"x" * 65_536
    headers = {"content-length": "50000000"} if length else {}
    with Service(lambda request: Told(headers=headers, stream=(piece for _ in range(763)))) as svc:
        (trace,) = asked(build(tmp_path, {"retriever": http(svc)}))
    size = "50,000,000 bytes" if length else "more"
    assert error_of(trace) == (
        f"http answered 200 with {size}, where 10,000,000 bytes are the most (with.max_reply_bytes)"
    )
    assert svc.sent < 30_000_000, "the rest is not read"


def test_a_reply_that_is_too_large_when_unpacked_is_refused_while_it_is(tmp_path: Path) -> None:
    packed = gzip.compress(b" " * 50_000_000)
    told = Told(packed, headers={"content-encoding": "gzip"})
    with Service(lambda request: told) as service:
        pipeline = build(tmp_path, {"retriever": http(service)})
        tracemalloc.start()
        (trace,) = asked(pipeline)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert "answered 200 with more, where 10,000,000 bytes are the most" in error_of(trace)
    assert peak < 40_000_000


def test_a_reply_that_drips_ends_at_the_limit(tmp_path: Path) -> None:
    """By itself, not only for its row: its thread and its connection are not left behind."""

    sent: list[bytes] = []

    def drops() -> Any:
        while len(sent) < 1000:
            time.sleep(0.05)
            sent.append(b" ")
            yield b" "

    with Service(lambda request: Told(stream=drops())) as service:
        pipeline = build(tmp_path, {"retriever": http(service)}, run={"timeout_s": 0.5})
        with pytest.raises(TooSlow, match=r"was still sending after 0\.5 s"):
            pipeline.hooks["retrieve"].call(OFFERS)
        pipeline.close()
    assert 0 < len(sent) < 1000


def test_nobody_listens(tmp_path: Path) -> None:
    with Service(lambda request: []) as service:
        pass
    (trace,) = asked(build(tmp_path, {"retriever": http(service)}))
    assert error_of(trace) == (
        f"Unreachable: {service.url()} refuses the connection; start the service, or correct "
        "with.url"
    )


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("0", 0.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
    ],
)
def test_what_retry_after_may_say(said: str, seconds: float | None) -> None:
    assert retry_after(said) == seconds


@pytest.mark.parametrize(
    ("headers", "asks"),
    [({"retry-after": "0.3"}, 0.3), ({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0.0)],
    ids=["seconds", "a date"],
)
def test_an_error_carries_its_status_and_when_to_try_again(
    tmp_path: Path, headers: Mapping[str, str], asks: float
) -> None:
    with Service(lambda request: Told(b"{}", status=429, headers=headers)) as service:
        pipeline = build(tmp_path, {"retriever": http(service)})
        hook = pipeline.hooks["retrieve"]
        with pytest.raises(HttpError) as raised:
            hook.call(OFFERS)
        pipeline.close()
    assert (raised.value.status_code, raised.value.retry_after) == (429, asks)


def test_a_service_that_recovers_is_asked_again(tmp_path: Path) -> None:
    def script(request: Asked) -> Any:
        return ["a"] if len(service.asked) > 1 else Told(b"busy", status=503)

    with Service(script) as service:
        pipeline = build(tmp_path, {"retriever": http(service)}, run={"retries": 1})
        (trace,) = asked(pipeline)
    assert trace["candidates"] == [{"text": "a"}]


# --- redirects ---


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_on_the_same_host_is_followed_with_the_body(tmp_path: Path, status: int) -> None:
    def script(request: Asked) -> Any:
        if request.path == "/ask":
            return Told(status=status, headers={"location": "/ask/"})
        return [request.body["question"]]

    with Service(script) as service:
        pipeline = build(tmp_path, {"retriever": http(service, headers={"X-Tenant": "acme"})})
        (trace,) = asked(pipeline)
    assert trace["candidates"] == [{"text": "what?"}]
    assert service.asked[1].headers["x-tenant"] == "acme"


def test_a_redirect_to_another_host_is_an_error_and_no_header_goes_there(tmp_path: Path) -> None:
    with Service(lambda request: ["stolen"]) as other:
        there = other.url("/take?a=1", host="localhost")
        with Service(lambda request: Told(status=307, headers={"location": there})) as service:
            settings = http(service, headers={"Authorization": "Bearer ${BOT_TOKEN}"})
            plan = {"retriever": settings}
            pipeline = build(tmp_path, plan, environ={"BOT_TOKEN": SECRET})
            (trace,) = asked(pipeline)
    assert error_of(trace).startswith(
        "http answered 307, a redirect to another host or port: "
        f"http://localhost:{other.port}/take; headers are not sent there"
    )
    assert other.asked == []
    assert service.asked[0].headers["authorization"] == f"Bearer {SECRET}"


def test_a_circle_of_redirects_ends(tmp_path: Path) -> None:
    with Service(lambda request: Told(status=307, headers={"location": "/ask"})) as service:
        (trace,) = asked(build(tmp_path, {"retriever": http(service)}))
    assert error_of(trace) == "http redirects more than 5 times"
    assert len(service.asked) == 6


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://a/x", "http://a/y", True),
        ("http://a/x", "http://a:80/y", True),
        ("http://a/x", "https://a/y", True),
        ("https://a/x", "http://a/y", False),
        ("http://a:81/x", "http://a:82/y", False),
        ("http://a/x", "http://a.evil/y", False),
        ("http://a/x", "http://b@evil/y", False),
        ("http://a/x", "http://A/y", True),
        ("http://a/x", "ftp://a/y", False),
        ("http://a/x", "http://a:notaport/y", False),
    ],
)
def test_what_is_the_same_place(one: str, other: str, same: bool) -> None:
    assert same_place(one, other) is same


# --- certificates ---


def test_a_certificate_of_its_own_is_refused_and_accepted_by_ca_file(tmp_path: Path) -> None:
    both = certificate(tmp_path, "IP:127.0.0.1")
    with Service(lambda request: ["a"], certificate=both) as service:
        (trace,) = asked(build(tmp_path, {"retriever": http(service)}))
        assert error_of(trace) == (
            f"Unreachable: {service.url()} has a certificate that does not hold: self-signed "
            "certificate; name the file of its authority under with.ca_file"
        )
        pipeline = build(tmp_path, {"retriever": http(service, ca_file="cert.pem")})
        (found,) = reached(pipeline.hooks.values())
        (trace,) = asked(pipeline)
    assert found.well
    assert trace["candidates"] == [{"text": "a"}]


def test_a_certificate_of_another_host_does_not_hold(tmp_path: Path) -> None:
    both = certificate(tmp_path, "DNS:elsewhere.test")
    with Service(lambda request: ["a"], certificate=both) as service:
        (trace,) = asked(build(tmp_path, {"retriever": http(service, ca_file="cert.pem")}))
    assert "has a certificate that does not hold: IP address mismatch" in error_of(trace)


def test_tls_to_a_port_that_speaks_none(tmp_path: Path) -> None:
    with Service(lambda request: ["a"]) as service:
        url = service.url().replace("http:", "https:")
        pipeline = build(tmp_path, {"retriever": {"use": "http", "with": {"url": url}}})
        (trace,) = asked(pipeline)
    assert "speaks no TLS; write http:// in with.url" in error_of(trace)


# --- proxies ---


def test_the_proxy_of_the_environment_is_used_and_no_proxy_leaves_it_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Service(lambda request: [f"by {request.path}"]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://us%65r:word@127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "")
        plan = {"retriever": {"use": "http", "with": {"url": "http://bot.test/ask"}}}
        (trace,) = asked(build(tmp_path, plan))
        assert trace["candidates"] == [{"text": "by http://bot.test/ask"}]
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        with Service(lambda request: [f"by {request.path}"]) as service:
            (trace,) = asked(build(tmp_path, {"retriever": http(service)}))
        assert trace["candidates"] == [{"text": "by /ask"}]
    monkeypatch.setenv("no_proxy", "")
    (trace,) = asked(build(tmp_path, plan))
    assert "is behind a proxy that refuses the connection" in error_of(trace)


# --- secrets ---


def test_a_service_that_echoes_a_key_shows_it_nowhere(tmp_path: Path) -> None:
    def script(request: Asked) -> Any:
        echo = f"{request.path} {'.' * 163}{request.headers['x-api-key']}"
        return Told(echo.encode(), status=500, kind="text/plain")

    with Service(script) as service:
        settings = http(service, headers={"X-Api-Key": "${BOT_PASS}"})
        settings["with"]["url"] += "?api_key=${URL_PART}"
        environ = {"BOT_PASS": SECRET, "URL_PART": "another-s3cret"}
        (trace,) = asked(build(tmp_path, {"retriever": settings}, environ=environ))
    assert service.asked[0].headers["x-api-key"] == SECRET
    assert service.asked[0].path == "/ask?api_key=another-s3cret"
    error = error_of(trace)
    assert error.startswith(f"HttpError: 500 Internal Server Error from {service.url()}: /ask?api")
    for piece in (SECRET, SECRET[:5], "another-s3cret"):
        assert piece not in error


# --- what is found out before anything is asked ---


@pytest.mark.parametrize(
    ("settings", "said", "hint"),
    [
        pytest.param({}, "with of http: 'url' is missing", "http takes url", id="no url"),
        pytest.param(
            {"url": "http://a/", "haeders": {}},
            "with of http: unknown key 'haeders'; did you mean 'headers'?",
            "http takes",
            id="unknown key",
        ),
        pytest.param(
            {"url": "bot.internal/ask"}, "url is no address of the web", "http://host", id="bare"
        ),
        pytest.param(
            {"url": "ftp://bot/ask"}, "url is no address of the web", "http://host", id="ftp"
        ),
        pytest.param(
            {"url": "http://me:word@bot/"}, "holds a user or a password", "Basic", id="password"
        ),
        pytest.param(
            {"url": "http://bot/{row_id}"}, "url holds a brace", "`body`", id="brace in the url"
        ),
        pytest.param(
            {"url": "http://a/", "body": {"q": "{questoin}"}},
            "with of http: body.q: unknown placeholder {questoin}; did you mean 'question'?",
            "this stage offers {question}, {top_k}, {history}, {row_id}, {repeat}; {{ and }} ",
            id="unknown placeholder",
        ),
        pytest.param(
            {"url": "http://a/", "body": {"q": [{"d": "{passages}"}]}},
            "with of http: body.q[0].d: unknown placeholder {passages}",
            "this stage offers",
            id="a placeholder of another stage",
        ),
        pytest.param(
            {"url": "http://a/", "body": '{"q": 1}'},
            """with of http: body: unknown placeholder {"q": 1}""",
            "{{ and }} stand for the braces",
            id="JSON as a text",
        ),
        pytest.param(
            {"url": "http://a/", "body": "a { b"}, "body: a '{' stands alone", "{{", id="a brace"
        ),
        pytest.param(
            {"url": "http://a/", "body": {"q": {"question": None}}},
            'body.q: write "{question}" in quotes',
            "this stage",
            id="YAML's own braces",
        ),
        pytest.param(
            {"url": "http://a/", "reply": {"answer": "$.text"}},
            "reply.answer: of a retriever it is not read; it belongs to the generator",
            "of a retriever are read candidates, passage",
            id="a field of another stage",
        ),
        pytest.param(
            {"url": "http://a/", "reply": {"candidate": "$.hits"}},
            "reply.candidate: of a retriever it is not read; did you mean 'candidates'?",
            "are read",
            id="a field's name",
        ),
        pytest.param(
            {"url": "http://a/", "reply": {"passage": {"id": "$.id"}}},
            "with of http: reply: 'candidates' is missing",
            "$.hits",
            id="no candidates",
        ),
        pytest.param(
            {"url": "http://a/", "reply": {"candidates": "hits[*]"}},
            "reply.candidates: 'hits[*]' is no JSONPath: one begins with $",
            "$.hits[*]",
            id="no dollar",
        ),
        pytest.param(
            {"url": "http://a/", "reply": {"candidates": "$.hits["}},
            "reply.candidates: '$.hits[' is no JSONPath: unexpected end of query",
            "$.hits[*]",
            id="half a path",
        ),
        pytest.param(
            {"url": "http://a/", "reply": {"candidates": "$", "passage": {"ident": "$.a"}}},
            "reply.passage: give the paths of id, text or both",
            "$.hits",
            id="a passage without id and text",
        ),
        pytest.param(
            {
                "url": "http://a/",
                "reply": {"candidates": "$", "passage": {"id": "$.a", "dok": "$"}},
            },
            "reply.passage.dok: unknown; did you mean 'doc'?",
            "$.hits",
            id="a field of a passage",
        ),
        pytest.param(
            {"url": "http://a/", "headers": {"Authorization": "Bearer abcdef"}},
            "headers.Authorization stands in the plan itself",
            "Authorization: ${NAME}",
            id="a key in the plan",
        ),
        pytest.param(
            {"url": "http://a/?api_key=abcdef"},
            "url holds a key that stands in the plan itself",
            "?api_key=${NAME}",
            id="a key in the url",
        ),
        pytest.param(
            {"url": "http://a/", "headers": {"X-A": "b\nc"}},
            "headers.X-A holds a character that no header can carry",
            "line end",
            id="a line end in a header",
        ),
        pytest.param(
            {"url": "http://a/", "ca_file": "nope.pem"},
            "ca_file: nope.pem cannot be used: No such file",
            "PEM",
            id="no such ca_file",
        ),
        pytest.param(
            {"url": "http://a/", "ca_file": "plan.yaml"},
            "ca_file: plan.yaml cannot be used",
            "PEM",
            id="a ca_file that is none",
        ),
    ],
)
def test_a_wrong_setting_is_said_before_anything_runs(
    tmp_path: Path, settings: dict[str, Any], said: str, hint: str
) -> None:
    with pytest.raises(PluginError) as raised:
        build(tmp_path, {"retriever": {"use": "http", "with": settings}})
    assert said in raised.value.message
    assert hint in raised.value.hint


def test_a_whole_pipeline_needs_an_answer_and_what_was_retrieved(tmp_path: Path) -> None:
    for reply, said in (
        ({"candidates": "$.hits"}, "'answer' is missing"),
        ({"answer": "$.text"}, "candidates or context is missing"),
    ):
        with pytest.raises(PluginError, match=said):
            build(tmp_path, {"use": "http", "with": {"url": "http://a/", "reply": reply}})


# --- reach ---


def test_check_knocks_without_a_question_or_a_header(tmp_path: Path) -> None:
    with Service(lambda request: Told(b"", status=405)) as service:
        settings = http(service, headers={"Authorization": "Bearer ${BOT_TOKEN}"})
        pipeline = build(tmp_path, {"retriever": settings}, environ={"BOT_TOKEN": SECRET})
        (found,) = reached(pipeline.hooks.values())
        pipeline.close()
    assert (found.well, found.said) == (True, f"{service.url()} answers")
    (request,) = service.asked
    assert (request.method, request.body) == ("HEAD", None)
    assert "authorization" not in request.headers


@pytest.mark.parametrize(
    ("url", "said", "hint"),
    [
        ("http://127.0.0.1:9/ask", "refuses the connection", "start the service"),
        ("http://nobody.invalid/ask", "has a host whose name nobody knows", "correct the host"),
    ],
)
def test_what_is_not_there_is_said_with_a_hint(
    tmp_path: Path, url: str, said: str, hint: str
) -> None:
    pipeline = build(tmp_path, {"retriever": {"use": "http", "with": {"url": url}}})
    (found,) = reached(pipeline.hooks.values())
    pipeline.close()
    assert (found.well, found.said) == (False, f"{url} {said}")
    assert hint in found.hint


# --- the fingerprint ---


def test_what_runs_behind_an_address_is_unknown_unless_it_says_its_version(tmp_path: Path) -> None:
    def printed(**settings: Any) -> Any:
        given = {"url": "http://bot.test/ask?shop=1", **settings}
        plan = {"retriever": {"use": "bm25x:r"}, "generator": {"use": "http", "with": given}}
        (tmp_path / "bm25x.py").write_text("def r(question): return []\n")
        return print_of(tmp_path, plan, environ={"A_TOKEN": SECRET, "A_SHA": "4f1d"})

    bare, versioned = printed(), printed(version="7")
    assert "what runs at http://bot.test/ask (say its state under with.version)" in bare.unknown
    assert any("generator's model" in what for what in bare.unknown)
    assert not any("http://bot" in what for what in versioned.unknown)
    assert bare.prompt != versioned.prompt
    deployed = printed(version="${A_SHA}")
    assert deployed.shown["generator"]["with"]["version"] == "4f1d"
    keyed = printed(headers={"Authorization": "Bearer ${A_TOKEN}"})
    assert keyed.prompt == bare.prompt, "a key is no part of the pipeline"
    assert SECRET not in keyed.model_dump_json()


# --- a whole run ---


def test_a_run_over_http_keeps_stdout_clean_and_secrets_out_of_every_file(shop: Workspace) -> None:
    bot: dict[str, Any] = {}
    exec(dedent(BOT), bot)

    def script(request: Asked) -> Any:
        question = request.body["q"]
        if "gift" in question:
            return Told(f"<p>{request.headers['authorization']}".encode(), kind="text/html")
        found = bot["retrieve"](question, request.body["k"])
        return {"hits": found, "text": bot["generate"](question, found)}

    with Service(script) as service:
        settings = {
            "url": service.url(),
            "headers": {"Authorization": "Bearer ${BOT_PASS}"},
            "body": {"q": "{question}", "k": "{top_k}"},
            "reply": {"candidates": "$.hits", "answer": "$.text"},
        }
        stages = {"retriever": None, "generator": None, "watch": None}
        shop.plan(pipeline={"use": "http", "with": settings, **stages})
        check = shop.evalrag("check", "plan.yaml", BOT_PASS=SECRET)
        assert check.code == 0, check
        assert f"ok: {service.url()} answers" in check.out
        done = shop.evalrag("run", "plan.yaml", "--format", "json", BOT_PASS=SECRET)
    assert done.json["exit_code"] == done.code == 4, done
    files = [f for f in (shop.path / ".evalrag").rglob("*") if f.is_file()]
    text = "".join(f.read_text(errors="replace") for f in files) + done.out + done.err
    assert "http answered 200 with text/html, not JSON: <p>Bearer [redacted]" in text
    assert SECRET not in text


def test_a_path_that_no_reply_of_a_run_had_is_said_in_every_report_of_it(shop: Workspace) -> None:
    hits = [{"id": "returns#0", "text": "The return window is 30 days.", "url": "a"}]
    told = {"hits": hits, "text": "The return window is 30 days.", "usage": {"usd": 1}}
    with Service(lambda request: told) as service:
        reply = {
            "candidates": "$.hits[*]",
            "passage": {"id": "$.id", "text": "$.text", "doc": "$.source"},
            "answer": "$.text",
            "usage": {"cost": "$.usage.cost"},
        }
        with_ = {"url": service.url(), "reply": reply}
        stages = {"retriever": None, "generator": None, "watch": None}
        shop.plan(pipeline={"use": "http", "with": with_, **stages})
        done = shop.evalrag("run", "plan.yaml", "--format", "json")
    said = (
        "with of http: reply.passage.doc: $.source gave nothing in any of 6 passages: is the path "
        "right? the first passage has id, text, url",
        "with of http: reply.usage.cost: $.usage.cost gave nothing in any of 6 replies: is the "
        "path right? $.usage has usd",
    )
    assert [note for note in done.json["head"] if "gave nothing" in note] == list(said)
    again = shop.evalrag("rescore", "latest", "--plan", "plan.yaml")
    assert again.code == 0, again
    text = " ".join(shop.evalrag("gate", "latest").out.split())
    assert all(line in text for line in said)
