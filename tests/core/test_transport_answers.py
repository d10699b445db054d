"""What answers become that are not as they should be: codes and texts, made safe."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import urllib3
from stub import Stub, Talk, head, reply, serve
from wire import KEY, transport_to

from rpcli.errors import ApiError, GraphqlError, NetworkError, RpcliError, UnexpectedResponse
from rpcli.transport import Transport
from rpcli.transport.bodies import LARGEST, read_body

HTML = b"<!DOCTYPE html><html><title>Just a moment</title>" + b"x" * 5000

Ask = Callable[[Transport], object]


def get(transport: Transport) -> object:
    return transport.rest_v2("GET", "pods")


def ask_graphql(transport: Transport) -> object:
    return transport.graphql("{ myself { id } }")


def refused(home: Path, answer: bytes | Callable[[Talk], None], ask: Ask = get) -> RpcliError:
    """Ask a server that always answers so, and give the error that came of it."""
    with serve(answer) as stub:
        return refused_by(home, stub, ask)


def refused_by(
    home: Path, stub: Stub, ask: Ask = get, env: dict[str, str] | None = None
) -> RpcliError:
    transport = transport_to(stub.url, home, env=env)
    with pytest.raises(RpcliError) as caught:
        ask(transport)
    transport.close()
    told = json.dumps(caught.value.to_document())
    assert KEY not in told + repr(caught.value)
    assert len(told) < 2500
    return caught.value


# -- statuses and envelopes


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "bad_request"),
        (401, "unauthorized"),
        (402, "payment_required"),
        (403, "forbidden"),
        (404, "not_found"),
        (408, "timeout"),
        (409, "conflict"),
        (410, "gone"),
        (418, "api_error"),
        (422, "bad_request"),
        (429, "rate_limited"),
        (500, "server_error"),
        (503, "server_error"),
        (599, "server_error"),
    ],
)
def test_a_status_has_its_code(tmp_path: Path, status: int, code: str) -> None:
    error = refused(tmp_path, reply({"error": "no"}, status))
    assert isinstance(error, ApiError)
    assert (error.error_code, error.status, error.api, error.exit_status) == (code, status, "v2", 1)
    assert error.message.startswith("no")


@pytest.mark.parametrize(
    ("body", "message", "code"),
    [
        ({"error": "boom", "message": "m"}, "boom", "bad_request"),
        ({"message": "boom", "detail": "d"}, "boom", "bad_request"),
        ({"error": None, "message": " boom "}, "boom", "bad_request"),
        ({"error": {"message": "boom", "code": "OUT_OF_STOCK"}}, "boom", "out_of_stock"),
        ({"error": "boom", "code": "No_Funds"}, "boom", "no_funds"),
        ({"error": "boom", "code": "not a token"}, "boom", "bad_request"),
        ({"error": "boom", "code": 17}, "boom", "bad_request"),
        ({"title": "T", "status": 400, "detail": "boom"}, "boom", "bad_request"),
        ({"title": "boom", "status": 400}, "boom", "bad_request"),
        (
            {"title": "T", "detail": "Validation failed.", "errors": ["a: x", "b: y"]},
            "Validation failed: a: x; b: y",
            "bad_request",
        ),
        ({"errors": [{"message": "boom"}, {"message": "b"}]}, "boom", "bad_request"),
        ({"errors": [{"message": "boom", "extensions": {"code": "X_Y"}}]}, "boom", "x_y"),
        ({"error": '{"message": "{\\"detail\\": \\"boom\\"}"}'}, "boom", "bad_request"),
        ('{"message": "boom"}', "boom", "bad_request"),
        ("boom", "boom", "bad_request"),
        ({"error": "a\nb\x1b[31m"}, "a\nb\x1b[31m", "bad_request"),  # exact: writers make it safe
        ({"error": "x" * 9999}, "x" * 999 + "…", "bad_request"),
    ],
)
def test_a_message_comes_out_of_its_envelope(
    tmp_path: Path, body: object, message: str, code: str
) -> None:
    """Never JSON inside JSON; a code that the API gives is passed through in lower case."""
    error = refused(tmp_path, reply(body, 400))
    assert (error.message, error.error_code) == (message, code)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (reply({"foo": "SECRET"}, 500), "{where} answered with HTTP 500"),
        (reply(b"", 500), "{where} answered with HTTP 500"),
        (reply(b"[" * 200_000, 500), "{where} answered with HTTP 500"),
        (reply([], 500), "{where} answered with HTTP 500"),
        (reply({"error": ["a", {}]}, 500), "{where} answered with HTTP 500"),
        (reply({"error": '{"foo": 1}'}, 500), "{where} answered with HTTP 500"),
        (
            reply(HTML, 502, Content_Type="text/html"),
            "{where} answered with HTTP 502 and text/html",
        ),
        (
            reply(b"upstream\x1b[2J died\n", 502, Content_Type="text/plain; charset=x"),
            "{where} answered with HTTP 502: upstream\\x1b[2J died",
        ),
    ],
)
def test_an_error_without_a_message_names_endpoint_and_status(
    tmp_path: Path, answer: bytes, message: str
) -> None:
    with serve(answer) as stub:
        error = refused_by(tmp_path, stub)
    assert error.message == message.format(where=f"{stub.host}/v2/pods")
    assert error.error_code == "server_error"


@pytest.mark.parametrize(
    ("in_file", "source"),
    [(False, "the RUNPOD_API_KEY environment variable"), (True, "config.toml (apikey)")],
)
def test_a_401_names_the_source_of_the_key_and_tries_no_other(
    tmp_path: Path, in_file: bool, source: str
) -> None:
    """A12: the file has another key, and it is left alone."""
    (tmp_path / ".runpod").mkdir()
    (tmp_path / ".runpod" / "config.toml").write_text(f"apikey = '{KEY}_FILE'\n")
    with serve(reply({"detail": "bad token"}, 401)) as stub:
        error = refused_by(tmp_path, stub, env={"RUNPOD_API_KEY": ""} if in_file else None)
    assert error.error_code == "unauthorized"
    assert error.message.startswith("bad token (the key is from ")
    assert error.message.endswith(f"{source})")
    assert len(stub.requests) == 1


def test_a_client_that_the_edge_refuses_is_told_why(tmp_path: Path) -> None:
    answer = reply(b"error code: 1010", 403, Content_Type="text/plain; charset=UTF-8")
    error = refused(tmp_path, answer)
    assert (error.error_code, error.status) == ("forbidden", 403)
    assert error.message.endswith("/v2/pods refused this client (error code: 1010)")
    assert "User-Agent" in str(error.hint)


def test_a_403_says_that_the_key_is_known(tmp_path: Path) -> None:
    error = refused(tmp_path, reply({"detail": "access denied"}, 403))
    assert error.message == "access denied"
    assert (
        error.hint
        == "the key from the RUNPOD_API_KEY environment variable is known, and may not do this"
    )


@pytest.mark.parametrize(
    ("headers", "hint"),
    [
        ({}, "try again later"),
        ({"Retry-After": "99999999"}, "try again in 86400 s"),
        (
            {"RateLimit": '"minute";r=0;t=99', "RateLimit-Policy": '"minute";q=60;w=60'},
            "try again in 99 s: the limit is 60 in 60 s",
        ),
    ],
)
def test_a_429_says_when_to_come_back(tmp_path: Path, headers: dict[str, str], hint: str) -> None:
    error = refused(tmp_path, reply({"detail": "slow down"}, 429, **headers))
    assert (error.error_code, error.status, error.hint) == ("rate_limited", 429, hint)


@pytest.mark.parametrize("status", [300, 302, 304, 399])
def test_a_status_that_says_nothing_is_no_success(tmp_path: Path, status: int) -> None:
    error = refused(tmp_path, reply(b"", status), lambda t: t.rest_v2("DELETE", "pods", "p1"))
    assert isinstance(error, UnexpectedResponse)
    assert f"answered with HTTP {status}, which says nothing" in error.message


def test_the_text_of_an_error_is_not_waited_for_forever(tmp_path: Path) -> None:
    """The status has said what went wrong: a cut, a bomb or an endless text does not hide it."""

    def cut(talk: Talk) -> None:
        talk.send(head(500, Content_Length="9999") + b'{"error": "bo')
        talk.reset()

    bomb = reply(gzip.compress(b" " * (200 << 20), 9), 500, Content_Encoding="gzip")
    broken = reply(b"no gzip", 500, Content_Encoding="gzip")
    for answer in (cut, bomb, broken):
        error = refused(tmp_path, answer)
        assert (error.error_code, error.status) == ("server_error", 500)


def test_an_endless_text_of_an_error_is_read_no_further_than_its_beginning(tmp_path: Path) -> None:
    sent = 0

    def endless(talk: Talk) -> None:
        nonlocal sent
        talk.send(head(500))
        try:
            while not talk.stub.stopping.is_set():
                talk.send(b"x" * (1 << 16))
                sent += 1 << 16
        except OSError:
            talk.stub.left.set()

    with serve(endless) as stub:
        error = refused_by(tmp_path, stub)
        assert stub.left.wait(20)
    assert (error.error_code, error.status) == ("server_error", 500)
    assert sent < 32 << 20, "what the sockets hold, and no more"


# -- bodies


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (reply(HTML, 200, Content_Type="text/html"), "text/html, not JSON: <!DOCTYPE html><html>"),
        (reply(b"[]", 200, Content_Type="text/event-stream"), "text/event-stream, not JSON: []"),
        (reply(b"[]", 200, Content_Type="application/jsonp"), "application/jsonp, not JSON: []"),
        (reply(b"\x1b[2J\x00\xff", 200, Content_Type="a/b"), "a/b, not JSON: \\x1b[2J\\x00\ufffd"),
        (reply(b"[]", 200, Content_Type="x" * 999), f"{'x' * 59}…, not JSON: []"),
        (reply(HTML), "what is not JSON (line 1, column 1): <!DOCTYPE html>"),
        (reply(b""), "what is not JSON (it is empty): (nothing)"),
        (reply(b"\xef\xbb\xbf"), "what is not JSON (it is empty):"),
        (
            reply(b'{"pods": [{"id": "a"'),
            'what is not JSON (it ends too early): {"pods": [{"id": "a"',
        ),
        (reply(b'[{"costPerHr": NaN}]'), "what is not JSON (NaN is no JSON):"),
        (reply(b"[Infinity]"), "what is not JSON (Infinity is no JSON):"),
        (reply(b'[{"volumeInGb": 1e400}]'), "what is not JSON (a number in it is too large):"),
        (reply(b"9" * 5000), "what is not JSON (a number in it is too large): 99999"),
        (reply(b"[" * 200_000), "what is not JSON (it is nested too deeply): [[[["),
        (
            reply(b'{"a":' * 3000 + b"1" + b"}" * 3000),
            "what is not JSON (it is nested too deeply):",
        ),
        (reply(b'["\xff"]'), "what is not JSON (it is not UTF-8):"),
    ],
)
@pytest.mark.parametrize("ask", [get, ask_graphql])
def test_what_is_no_json_is_named_and_shown_shortly(
    tmp_path: Path, answer: bytes, what: str, ask: Ask
) -> None:
    """B26, B28, E08."""
    with serve(answer) as stub:
        error = refused_by(tmp_path, stub, ask)
    path, api = ("/v2/pods", "v2") if ask is get else ("/graphql", "graphql")
    assert isinstance(error, UnexpectedResponse)
    assert error.message.startswith(f"{stub.host}{path} answered with {what}")
    assert len(error.message) < 300
    assert error.message.isprintable()
    assert (error.error_code, error.status, error.api) == ("unexpected_response", 200, api)


@pytest.mark.parametrize("chunked", [True, False])
def test_a_body_is_bounded_packed_or_not(tmp_path: Path, chunked: bool) -> None:
    too_much = LARGEST + 1
    bomb = gzip.compress(b"[" + b" " * too_much, 9, mtime=0)
    if chunked:
        packed = head(Content_Encoding="gzip", Transfer_Encoding="chunked")
        packed += b"%x\r\n%s\r\n0\r\n\r\n" % (len(bomb), bomb)
    else:
        packed = reply(bomb, 200, Content_Encoding="gzip")

    def endless(talk: Talk) -> None:
        talk.send(head(Transfer_Encoding="chunked" if chunked else ""))
        talk.drip(b"100000\r\n" + b" " * (1 << 20) + b"\r\n" if chunked else b" " * (1 << 20))

    with serve(packed, endless) as stub:
        for _ in range(2):
            error = refused_by(tmp_path, stub)
            assert isinstance(error, UnexpectedResponse)
            assert error.message == f"{stub.host} answered with more than 64 MiB"
        assert stub.left.wait(20), "the endless body is not read any further"


def test_a_bomb_after_much_that_is_none_takes_no_more_memory() -> None:
    """It is unpacked in steps: no piece of it becomes a thousand times larger at once."""
    much = gzip.compress(bytes(LARGEST - (1 << 20)), 0)
    bomb = gzip.compress(bytes(LARGEST), 9)
    raw = urllib3.HTTPResponse(
        io.BytesIO(much + bomb), {"Content-Encoding": "gzip"}, preload_content=False
    )
    tracemalloc.start()
    try:
        with pytest.raises(UnexpectedResponse, match="more than 64 MiB"):
            read_body(raw, 200, "h")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < LARGEST + (8 << 20)


@pytest.mark.parametrize(
    "body",
    [
        b"no gzip at all",
        gzip.compress(b'{"a": 1}', mtime=0)[:-9],
        gzip.compress(b'{"a": 1}', mtime=0)[:5],
        gzip.compress(b'{"a": 1}', mtime=0) + b"garbage",
        zlib.compress(b'{"a": 1}'),
    ],
)
def test_a_body_that_cannot_be_unpacked(tmp_path: Path, body: bytes) -> None:
    error = refused(tmp_path, reply(body, 200, Content_Encoding="gzip"))
    assert isinstance(error, UnexpectedResponse)
    assert error.message.endswith("answered with a body that cannot be unpacked")
    assert error.api == "v2"


@pytest.mark.parametrize("packing", ["br", "zstd", "deflate", "gzip, gzip", "x\x1by"])
def test_a_body_packed_as_nobody_asked(tmp_path: Path, packing: str) -> None:
    error = refused(tmp_path, reply(b"{}", 200, Content_Encoding=packing))
    assert isinstance(error, UnexpectedResponse)
    assert "which was not asked for" in error.message
    assert error.message.isprintable()


def test_a_body_shorter_than_promised_is_a_broken_connection(tmp_path: Path) -> None:
    error = refused(tmp_path, reply(b'{"a":', 200, Content_Length="100"))
    assert isinstance(error, NetworkError)
    assert "broke" in error.message


# -- GraphQL


def test_errors_inside_200_are_an_error_with_the_servers_own_words(tmp_path: Path) -> None:
    """A01."""
    text = "Something went wrong. Please try again later or contact support."
    body = {
        "errors": [{"message": text, "extensions": {"code": "INTERNAL_SERVER_ERROR"}}],
        "data": None,
    }
    error = refused(tmp_path, reply(body), ask_graphql)
    assert isinstance(error, GraphqlError)
    assert error.to_document() == {"error": text, "code": "graphql_error", "api": "graphql"}


@pytest.mark.parametrize(
    ("status", "body", "message", "told"),
    [
        (200, {"data": {"myself": {}}, "errors": [{"message": "part"}]}, "part", None),
        (
            400,
            {"errors": [{"message": 'Cannot query field "x" on type "Y".'}]},
            "Cannot query",
            400,
        ),
        (422, {"errors": ["plain"]}, "plain", 422),
        (200, {"errors": [{}]}, "{where} answered with errors that have no message", None),
        (200, {"errors": {"message": "one"}}, "one", None),
        (200, {"errors": [None, 7, {"message": "third"}]}, "third", None),
    ],
)
def test_errors_of_graphql(
    tmp_path: Path, status: int, body: object, message: str, told: int | None
) -> None:
    with serve(reply(body, status)) as stub:
        error = refused_by(tmp_path, stub, ask_graphql)
    assert isinstance(error, GraphqlError)
    assert error.message.startswith(message.format(where=f"{stub.host}/graphql"))
    assert (error.error_code, error.status, error.api) == ("graphql_error", told, "graphql")


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (401, {}, "unauthorized"),
        (401, {"errors": [{"message": "no"}]}, "unauthorized"),
        (403, {"errors": [{"message": "no"}]}, "forbidden"),
        (404, {"message": "no"}, "not_found"),
        (410, {"errors": [{"message": "gone"}]}, "gone"),
        (429, {"errors": [{"message": "slow"}]}, "rate_limited"),
        (500, {"errors": [{"message": "no"}]}, "server_error"),
        (400, {"error": "no"}, "bad_request"),
        (
            200,
            {"errors": [{"message": "no", "extensions": {"code": "UNAUTHENTICATED"}}]},
            "unauthorized",
        ),
        (200, {"errors": [{"message": "x"}, {"message": "no", "code": "forbidden"}]}, "forbidden"),
        (400, {"errors": [{"message": "no", "extensions": {"code": "FORBIDDEN"}}]}, "forbidden"),
    ],
)
def test_a_refusal_of_graphql_is_no_error_of_the_query(
    tmp_path: Path, status: int, body: object, code: str
) -> None:
    """A26: a key that is not let in is told apart from everything else, and at once."""
    with serve(reply(body, status)) as stub:
        error = refused_by(tmp_path, stub, ask_graphql)
    assert isinstance(error, ApiError)
    assert (error.error_code, error.api) == (code, "graphql")
    if code == "unauthorized":
        assert error.status == 401
        assert "the key is from the RUNPOD_API_KEY environment variable" in error.message
        assert len(stub.requests) == 1


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ([], "a list where an object was expected"),
        ("x", "a text where an object was expected"),
        ({}, "null where an object under 'data' was expected"),
        ({"data": None}, "null where an object under 'data' was expected"),
        ({"data": 7, "errors": []}, "a number where an object under 'data' was expected"),
        ({"data": True}, "a boolean where an object under 'data' was expected"),
    ],
)
def test_graphql_of_another_shape(tmp_path: Path, body: object, what: str) -> None:
    error = refused(tmp_path, reply(body), ask_graphql)
    assert isinstance(error, UnexpectedResponse)
    assert error.message.endswith(f"/graphql answered with {what}")
