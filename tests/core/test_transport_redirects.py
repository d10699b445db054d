"""Where redirects lead, and that the key does not go along to strangers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from stub import CERTIFICATE, Talk, head, reply, serve
from wire import KEY, transport_to

from rpcli.errors import ApiError, RpcliError, UnexpectedResponse
from rpcli.transport import Transport

REDIRECTS = [301, 302, 303, 307, 308]


def to(location: str, status: int = 302) -> bytes:
    return reply(b"<a>moved</a>", status, Location=location, Content_Type="text/html")


def get(transport: Transport) -> object:
    return transport.rest_v2("GET", "pods")


def failed(home: Path, url: str, ask: Callable[[Transport], object] = get) -> RpcliError:
    transport = transport_to(url, home)
    with pytest.raises(RpcliError) as caught:
        ask(transport)
    transport.close()
    assert caught.value.api in ("v2", "v1", "graphql")
    assert KEY not in str(caught.value.to_document())
    assert caught.value.message.isprintable()
    return caught.value


@pytest.mark.parametrize("status", REDIRECTS)
@pytest.mark.parametrize("location", ["/v2/other", "other", "?x=1#frag", "//{host}/a", "{url}/a"])
def test_a_read_follows_on_the_same_host_with_the_key(
    tmp_path: Path, status: int, location: str
) -> None:
    with serve() as stub:
        where = location.format(host=stub.host, url=stub.url)
        stub.replies = (to(where, status), reply([1]))
        transport = transport_to(stub.url, tmp_path)
        assert get(transport) == [1]
        transport.close()
    assert [r.key for r in stub.requests] == [f"Bearer {KEY}"] * 2
    assert [r.method for r in stub.requests] == ["GET", "GET"]
    assert "#" not in stub.requests[1].target


def test_another_host_gets_no_key(tmp_path: Path) -> None:
    """B31: and an answer that needs none is taken."""
    with serve(reply([1])) as stranger, serve() as stub:
        stub.replies = (to(f"http://user:PASSWORD@localhost:{stranger.port}/v2/x"),)
        transport = transport_to(stub.url, tmp_path)
        assert get(transport) == [1]
        transport.close()
    [request] = stranger.requests
    assert request.key is None
    assert request.target == "/v2/x"
    assert KEY.encode() not in request.raw
    assert b"PASSWORD" not in request.raw
    assert b"asic" not in request.raw


def test_another_port_is_another_host(tmp_path: Path) -> None:
    with serve(reply([1])) as stranger, serve(to(f"{stranger.url}/v2/x")) as stub:
        transport = transport_to(stub.url, tmp_path)
        assert get(transport) == [1]
        transport.close()
    assert stranger.requests[0].key is None


@pytest.mark.parametrize("status", [401, 403])
def test_a_stranger_who_wants_a_key_does_not_look_like_a_bad_key(
    tmp_path: Path, status: int
) -> None:
    """B31: the error says where it was redirected, and nothing of our key."""
    with serve(reply({"error": "who are you"}, status)) as stranger, serve() as stub:
        stub.replies = (to(f"http://localhost:{stranger.port}/v2/x"),)
        error = failed(tmp_path, stub.url)
    assert isinstance(error, UnexpectedResponse)
    assert error.status == status
    assert error.message == (
        f"localhost:{stranger.port}/v2/x (redirected from {stub.host}/v2/pods) "
        f"gets no key from us, and answered with HTTP {status}"
    )


def test_a_key_that_was_dropped_does_not_come_back(tmp_path: Path) -> None:
    with serve() as stranger, serve() as stub:
        stub.replies = (to(f"{stranger.url}/x"), reply([1]))
        stranger.replies = (to(f"{stub.url}/v2/back"),)
        transport = transport_to(stub.url, tmp_path)
        assert get(transport) == [1]
        transport.close()
    assert [r.key for r in stub.requests] == [f"Bearer {KEY}", None]


def test_from_https_to_http_the_key_stays_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B31."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(CERTIFICATE))
    with serve(reply([1])) as plain, serve(to(f"{plain.url}/v2/x", 307), tls=True) as stub:
        transport = transport_to(stub.url, tmp_path)
        assert get(transport) == [1]
        transport.close()
    assert stub.requests[0].key == f"Bearer {KEY}"
    assert plain.requests[0].key is None


def test_a_loop_has_an_end(tmp_path: Path) -> None:
    """B31."""
    with serve(to("/v2/pods", 301)) as stub:
        error = failed(tmp_path, stub.url)
    assert isinstance(error, UnexpectedResponse)
    assert "redirects in a loop, last to" in error.message
    assert len(stub.requests) == 6


@pytest.mark.parametrize(
    ("answer", "code", "message"),
    [
        (reply({"error": "no such pod"}, 404), "not_found", "{there}: no such pod"),
        (reply(b"", 500), "server_error", "{there} answered with HTTP 500"),
        (
            reply(b"<html>", 200, Content_Type="text/html"),
            "unexpected_response",
            "{there} answered with text/html, not JSON: <html>",
        ),
    ],
)
def test_an_error_after_a_redirect_says_where_it_led(
    tmp_path: Path, answer: bytes, code: str, message: str
) -> None:
    with serve(to("/elsewhere"), answer) as stub:
        error = failed(tmp_path, stub.url)
    there = f"{stub.host}/elsewhere (redirected from {stub.host}/v2/pods)"
    assert (error.error_code, error.message) == (code, message.format(there=there))


def test_a_401_after_a_redirect_on_the_same_host_is_about_the_key(tmp_path: Path) -> None:
    with serve(to("/elsewhere"), reply({"error": "bad key"}, 401)) as stub:
        error = failed(tmp_path, stub.url)
    assert isinstance(error, ApiError)
    assert error.error_code == "unauthorized"
    assert "the key is from the RUNPOD_API_KEY environment variable" in error.message


@pytest.mark.parametrize("status", REDIRECTS)
@pytest.mark.parametrize(
    ("ask", "method"),
    [
        (lambda t: t.rest_v2("POST", "pods", body={"a": 1}), "POST"),
        (lambda t: t.rest_v1("DELETE", "pods", "p1"), "DELETE"),
        (lambda t: t.graphql("{ myself { id } }"), "POST"),
    ],
)
def test_what_has_a_body_is_sent_to_nobody_else(
    tmp_path: Path, status: int, ask: Callable[[Transport], object], method: str
) -> None:
    with serve(to("/elsewhere", status)) as stub:
        error = failed(tmp_path, stub.url, ask)
    assert isinstance(error, UnexpectedResponse)
    assert error.message.endswith(
        f"redirects to {stub.host}/elsewhere: a {method} is not sent there"
    )
    assert len(stub.requests) == 1


@pytest.mark.parametrize(
    "location",
    [
        "ftp://h/x",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://[::1",
        "http://h:99999/",
    ],
)
def test_a_redirect_to_no_web_address(tmp_path: Path, location: str) -> None:
    with serve(to(location)) as stub:
        error = failed(tmp_path, stub.url)
    assert isinstance(error, UnexpectedResponse)
    assert "which is no web address" in error.message
    assert len(stub.requests) == 1


def test_what_a_redirect_names_is_shown_safely(tmp_path: Path) -> None:
    with serve(to("http://localhost:1/\x1b[2J\x9b" + "x" * 5000)) as stub:
        error = failed(tmp_path, stub.url)
    assert len(error.message) < 600


def test_the_body_of_a_redirect_is_not_read_to_its_end(tmp_path: Path) -> None:
    """requests would read all of it into memory before it looks at where to go."""

    def endless(talk: Talk) -> None:
        talk.send(head(302, Location="/v2/next"))
        talk.drip(b" " * (1 << 20))

    with serve(endless, reply([1])) as stub:
        error = failed(tmp_path, stub.url)
    assert error.message.endswith("answered with more than 64 MiB")
