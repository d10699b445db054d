"""What the network, its proxies and its certificates do, said in one line each."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from stub import CERTIFICATE, PATIENCE, Talk, head, reply, serve
from wire import KEY, SteppingClock, settings_of, transport_to

from rpcli.config import load_settings
from rpcli.errors import ConfigError, NetworkError, RpcliError
from rpcli.transport import Transport
from rpcli.transport.failures import CA_VARIABLES

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _own_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proxies and certificates of whoever runs the tests do not count."""
    for name in (*PROXIES, *map(str.upper, PROXIES), *CA_VARIABLES):
        monkeypatch.delenv(name, raising=False)


def failed(
    home: Path, url: str, *, clock: SteppingClock | None = None, method: str = "GET"
) -> RpcliError:
    transport = transport_to(url, home, clock=clock)
    with pytest.raises(RpcliError) as caught:
        transport.rest_v2(method, "pods")
    transport.close()
    error = caught.value
    told = json.dumps(error.to_document())
    assert KEY not in told
    assert "PASSWORD" not in told
    assert " object at 0x" not in told
    assert error.message.isprintable()
    assert len(told) < 600
    assert error.api == "v2"
    return error


# -- connections


def test_a_port_that_nobody_listens_on(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = failed(tmp_path, f"http://127.0.0.1:{port}")
    assert error.error_code == "network_error"
    assert error.message == f"cannot connect to 127.0.0.1:{port}: Connection refused"


def test_a_name_that_there_is_not(tmp_path: Path) -> None:
    error = failed(tmp_path, "https://nowhere.invalid")
    assert error.error_code == "network_error"
    assert error.message.startswith("cannot find the address of nowhere.invalid: ")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda talk: talk.reset(), "Connection reset by peer"),
        (lambda _: None, "Remote end closed connection without response"),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "SSH-2.0-OpenSSH_9.2"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", "header line"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n", "headers"),
        (head(Transfer_Encoding="chunked") + b"zz\r\n", "InvalidChunkLength"),
        (reply(b"{", 200, Content_Length="50"), "1 bytes read, 49 more expected"),
    ],
)
def test_a_connection_that_breaks(
    tmp_path: Path, answer: bytes | Callable[[Talk], None], said: str
) -> None:
    with serve(answer) as stub:
        error = failed(tmp_path, stub.url)
    assert isinstance(error, NetworkError)
    assert error.message.startswith(f"the connection to {stub.host} broke: ")
    assert said in error.message
    assert error.__cause__ is not None


# -- certificates


def test_a_certificate_that_nobody_trusts_is_tried_once(tmp_path: Path) -> None:
    clock = SteppingClock()
    with serve(reply({}), tls=True) as stub:
        error = failed(tmp_path, stub.url, clock=clock)
        assert stub.requests == []
    assert isinstance(error, NetworkError)
    assert error.message == f"TLS with {stub.host} failed: self-signed certificate"
    assert "REQUESTS_CA_BUNDLE" in str(error.hint)
    assert clock.slept == []


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"])
def test_a_certificate_that_the_environment_trusts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, str(CERTIFICATE))
    with serve(reply({"a": 1}), tls=True) as stub:
        transport = transport_to(stub.url, tmp_path)
        assert transport.rest_v2("GET", "pods") == {"a": 1}
        transport.close()
    assert stub.requests[0].key == f"Bearer {KEY}"


def test_the_bundle_of_requests_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    monkeypatch.setenv("CURL_CA_BUNDLE", " ")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(CERTIFICATE))
    with serve(reply({}), tls=True) as stub:
        transport = transport_to(stub.url, tmp_path)
        assert transport.rest_v2("GET", "pods") == {}
        transport.close()


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"])
def test_a_bundle_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """A27."""
    monkeypatch.setenv(variable, "/nonexistent.pem")
    clock = SteppingClock()
    error = failed(tmp_path, "https://127.0.0.1:9", clock=clock)
    assert isinstance(error, ConfigError)
    assert error.message == f"{variable} names '/nonexistent.pem', which does not exist"
    assert clock.slept == []


def test_certificates_that_are_missing_altogether(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A27: an image without any: requests raises a plain OSError, none of its own kinds."""
    monkeypatch.setattr("requests.adapters.DEFAULT_CA_BUNDLE_PATH", "/nonexistent.pem")
    clock = SteppingClock()
    error = failed(tmp_path, "https://127.0.0.1:9", clock=clock)
    assert isinstance(error, ConfigError)
    assert error.message.startswith("no connection to 127.0.0.1:9 can be made here: ")
    assert "/nonexistent.pem" in error.message
    assert clock.slept == []


@pytest.mark.parametrize("kind", ["text", "folder"])
def test_a_bundle_that_is_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A27."""
    bundle = tmp_path / "bundle"
    if kind == "folder":
        bundle.mkdir()
    else:
        bundle.write_text("no certificate")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    with serve(reply({}), tls=True) as stub:
        error = failed(tmp_path, stub.url)
    assert isinstance(error, NetworkError)
    assert error.message.startswith(f"TLS with {stub.host} failed: ")
    assert "REQUESTS_CA_BUNDLE" in str(error.hint)


def test_a_bundle_matters_to_https_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nonexistent.pem")
    with serve(reply({})) as stub:
        transport = transport_to(stub.url, tmp_path)
        assert transport.rest_v2("GET", "pods") == {}
        transport.close()


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_tls_to_a_server_without_it(tmp_path: Path, method: str) -> None:
    """Nothing of the request was written yet: a change is tried again, too."""
    clock = SteppingClock()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        listener.settimeout(PATIENCE)
        transport = transport_to(f"https://127.0.0.1:{port}", tmp_path, clock=clock)
        pending = transport.begin(lambda: transport.rest_v2(method, "pods"))
        for _ in range(3):
            sock, _ = listener.accept()
            with sock:
                sock.recv(1 << 16)
                sock.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        with pytest.raises(NetworkError, match=r"TLS with .* failed: ") as caught:
            pending.result()
        transport.close()
    assert len(clock.slept) == 2
    assert caught.value.hint is None


# -- proxies


def test_a_proxy_is_used_and_named_when_it_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G03."""
    monkeypatch.setenv("HTTP_PROXY", "http://user:PASSWORD@127.0.0.1:9")
    with serve(reply({})) as stub:
        error = failed(tmp_path, stub.url)
        assert stub.connections == 0
    assert isinstance(error, NetworkError)
    assert error.message == (
        f"the proxy http://127.0.0.1:9 did not lead to {stub.host}: Connection refused"
    )
    assert error.hint == "it is named by HTTP_PROXY"


@pytest.mark.parametrize("spelled", ["NO_PROXY", "no_proxy"])
def test_no_proxy_is_respected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelled: str
) -> None:
    """G03."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv(spelled, "127.0.0.1")
    with serve(reply({"a": 1})) as stub:
        transport = transport_to(stub.url, tmp_path)
        assert transport.rest_v2("GET", "pods") == {"a": 1}
        transport.close()


@pytest.mark.parametrize("spelled", ["127.0.0.1:{}", "http://127.0.0.1:{}"])
def test_a_proxy_passes_a_plain_request_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelled: str
) -> None:
    with serve(reply({"by": "proxy"})) as proxy:
        monkeypatch.setenv("http_proxy", spelled.format(proxy.port))
        transport = transport_to("http://127.0.0.1:9", tmp_path)
        assert transport.rest_v2("GET", "pods") == {"by": "proxy"}
        transport.close()
    assert proxy.requests[0].target == "http://127.0.0.1:9/v2/pods"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_wants_a_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    """G03: whether the request is passed on or tunnelled, it is the proxy that is named."""
    clock = SteppingClock()
    with serve(reply(b"who are you", 407, Proxy_Authenticate="Basic")) as proxy:
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        error = failed(tmp_path, f"{scheme}://127.0.0.1:9", clock=clock)
    assert isinstance(error, NetworkError)
    assert error.message == (
        f"the proxy {proxy.url} wants a user and a password to reach 127.0.0.1:9 (HTTP 407)"
    )
    assert "ALL_PROXY" in str(error.hint)
    assert (len(proxy.requests), clock.slept) == (1, [])


def test_a_tunnel_shows_the_key_to_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "")
    with serve(reply(b"", 502)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://user:PASSWORD@{proxy.host}")
        error = failed(tmp_path, "https://127.0.0.1:9")
    assert isinstance(error, NetworkError)
    assert "did not lead to 127.0.0.1:9: Tunnel connection failed: 502" in error.message
    assert len(proxy.requests) == 3
    for request in proxy.requests:
        assert request.line == "CONNECT 127.0.0.1:9 HTTP/1.0" or request.method == "CONNECT"
        assert request.key is None
        assert KEY.encode() not in request.raw


def test_a_change_through_a_tunnel_that_failed_did_not_arrive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SteppingClock()
    with serve(reply(b"", 503)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        error = failed(tmp_path, "https://127.0.0.1:9", clock=clock, method="POST")
    assert len(clock.slept) == 2
    assert error.hint == "it is named by HTTPS_PROXY"


@pytest.mark.parametrize("variable", ["ALL_PROXY", "https_proxy"])
def test_socks_without_its_extra_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """G03."""
    try:
        import socks  # noqa: F401
    except ImportError:
        pass
    else:
        pytest.skip("PySocks is installed here")
    monkeypatch.setenv(variable, "socks5://user:PASSWORD@127.0.0.1:9")
    error = failed(tmp_path, "https://127.0.0.1:9")
    assert isinstance(error, ConfigError)
    assert error.message == (
        f"the proxy socks5://127.0.0.1:9, which {variable} names, needs PySocks"
    )


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    "proxy",
    [
        *("http://", "http://:80", "http://u:PASSWORD@h:x", "http://[::1", "http://u:PASSWORD@h:0"),
        *("foo://u:PASSWORD@h", "http://u:PASSWORD@h:99999", "PASSWORD:x"),
    ],
)
def test_a_proxy_that_is_no_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxy: str, scheme: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    error = failed(tmp_path, f"{scheme}://127.0.0.1:9")
    assert isinstance(error, ConfigError)
    assert error.message == "what ALL_PROXY names is no address of a proxy"


def test_a_plain_request_is_not_shown_to_a_proxy_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over plain http the key goes to this machine only, and a proxy reads all of it."""
    monkeypatch.setenv("HTTP_PROXY", "http://user:PASSWORD@192.0.2.1:3128")
    with serve(reply({})) as stub:
        error = failed(tmp_path, stub.url)
    assert isinstance(error, ConfigError)
    assert error.message == "the API key would travel unencrypted to the proxy 192.0.2.1:3128"
    assert error.hint == "add 127.0.0.1 to NO_PROXY"


def test_a_sandbox_is_reached_without_any_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with serve(reply({"a": 1})) as stub:
        settings = load_settings({}, tmp_path).sandboxed(
            {"RUNPOD_API_KEY": "rpa_SANDBOX", "RUNPOD_REST_V2_URL": f"{stub.url}/v2"}
        )
        transport = Transport(settings, SteppingClock())
        assert transport.rest_v2("GET", "pods") == {"a": 1}
        transport.close()
    assert stub.requests[0].key == "Bearer rpa_SANDBOX"


# -- what is told while it happens


def test_the_trace_has_what_was_sent_and_the_source_of_the_key(tmp_path: Path) -> None:
    """A11, D22: and never the key."""
    lines: list[str] = []
    with serve(reply([1])) as stranger:
        moved = reply(b"", 302, Location=f"http://u:PASSWORD@localhost:{stranger.port}/x")
        with serve(reply({}, 503), moved) as stub:
            transport = transport_to(stub.url, tmp_path, trace=lines.append)
            transport.rest_v2("GET", "pods", query={"a": "b"})
            transport.close()
    told = "\n".join(lines)
    assert KEY not in told
    assert "PASSWORD" not in told
    url, key = f"{stub.url}/v2/pods?a=b", "(key: the RUNPOD_API_KEY environment variable)"
    patterns = [
        (f"GET {url}: 503, ", f" ms {key}"),
        (f"GET {url}: again in ", " s"),
        (f"GET {url}: 302, ", f" ms {key}"),
        (f"GET http://localhost:{stranger.port}/x: 200, ", " ms (key: none)"),
    ]
    assert len(lines) == len(patterns)
    for line, (start, end) in zip(lines, patterns, strict=True):
        assert line.startswith(start)
        assert line.endswith(end)


def test_the_trace_tells_of_errors_too(tmp_path: Path) -> None:
    lines: list[str] = []
    with serve(lambda talk: talk.reset()) as stub:
        settings = settings_of(tmp_path, {"RUNPOD_API_URL": f"{stub.url}/v1"})
        transport = Transport(settings, SteppingClock(), trace=lines.append)
        with pytest.raises(NetworkError):
            transport.rest_v1("POST", "pods", body={})
        transport.close()
    assert len(lines) == 1
    assert lines[0].startswith(f"POST {stub.url}/v1/pods: network_error, ")
