"""What goes out on the wire, byte by byte, and what a good answer becomes."""

from __future__ import annotations

import gzip
import json
import platform
import re
from pathlib import Path

import pytest
from stub import head, reply, serve
from wire import KEY, transport_to

from rpcli import __version__
from rpcli.errors import ConfigError, NoCredentials, UsageError


def test_one_get_is_one_request_with_our_name_and_the_key(tmp_path: Path) -> None:
    with serve(reply({"pods": []})) as stub:
        transport = transport_to(stub.url, tmp_path)
        answer = transport.rest_v2("GET", "pods", query={"limit": "1000", "cursor": "a&b=c d"})
        transport.close()
    assert answer == {"pods": []}
    [request] = stub.requests
    assert request.line == "GET /v2/pods?limit=1000&cursor=a%26b%3Dc+d HTTP/1.1"
    assert request.key == f"Bearer {KEY}"
    agent = request.headers["user-agent"]
    assert re.fullmatch(rf"rpcli/{re.escape(__version__)} \([a-z]+; [a-z0-9_]+\)", agent)
    assert platform.machine().lower() in agent
    assert request.headers["accept"].startswith("application/json")
    assert "content-type" not in request.headers
    assert KEY not in request.line


@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE"])
def test_a_change_is_sent_as_json(tmp_path: Path, method: str) -> None:
    with serve(reply({"id": "p1"})) as stub:
        transport = transport_to(stub.url, tmp_path)
        assert transport.rest_v1(method, "pods", "p1", body={"ports": ["22/tcp"], "ü": None}) == {
            "id": "p1"
        }
        transport.close()
    [request] = stub.requests
    assert request.line == f"{method} /v1/pods/p1 HTTP/1.1"
    assert request.headers["content-type"] == "application/json"
    assert json.loads(request.body) == {"ports": ["22/tcp"], "ü": None}


def test_graphql_is_one_post_with_the_key_in_the_header(tmp_path: Path) -> None:
    with serve(reply({"data": {"myself": {"id": "u"}}})) as stub:
        transport = transport_to(stub.url, tmp_path)
        found = transport.graphql("query($id: ID) { myself { id } }", {"id": 'a"b'})
        transport.close()
    assert found == {"myself": {"id": "u"}}
    [request] = stub.requests
    assert request.line == "POST /graphql HTTP/1.1"
    assert request.key == f"Bearer {KEY}"
    assert json.loads(request.body) == {
        "query": "query($id: ID) { myself { id } }",
        "variables": {"id": 'a"b'},
    }


@pytest.mark.parametrize(
    ("segment", "path"),
    [
        ("../../user", "..%2F..%2Fuser"),
        ("a/b", "a%2Fb"),
        ("a?b=c", "a%3Fb%3Dc"),
        ("a#f", "a%23f"),
        ("%2e%2e", "%252e%252e"),
        ("a b", "a%20b"),
        ("a%2Fb", "a%252Fb"),
        ("ü", "%C3%BC"),
    ],
)
def test_an_id_is_one_segment_whatever_is_in_it(tmp_path: Path, segment: str, path: str) -> None:
    """G02: seen by the server, since libraries normalise paths too."""
    with serve(reply({})) as stub:
        transport = transport_to(stub.url, tmp_path)
        transport.rest_v2("GET", "pods", segment, "logs")
        transport.close()
    assert stub.requests[0].target == f"/v2/pods/{path}/logs"


@pytest.mark.parametrize("segment", ["", ".", "..", " "])
def test_an_id_that_is_none_makes_no_request(tmp_path: Path, segment: str) -> None:
    """G02."""
    with serve(reply({})) as stub:
        transport = transport_to(stub.url, tmp_path)
        with pytest.raises(UsageError):
            transport.rest_v2("GET", "pods", segment)
        transport.close()
        assert stub.connections == 0


def test_slashes_of_the_base_do_not_double(tmp_path: Path) -> None:
    """G04."""
    with serve(reply({})) as stub:
        for base in ("/v2/", "//v2", "//v2//"):
            env = {"RUNPOD_REST_V2_URL": f"{stub.url}{base}"}
            transport = transport_to(stub.url, tmp_path, env=env)
            transport.rest_v2("GET", "pods")
            transport.close()
    assert [r.target for r in stub.requests] == ["/v2/pods"] * 3


def test_user_and_password_of_an_address_are_not_sent(tmp_path: Path) -> None:
    """G05: the key is, as ever."""
    with serve(reply({})) as stub:
        env = {"RUNPOD_API_URL": f"http://user:PASSWORD@{stub.host}"}
        transport = transport_to(stub.url, tmp_path, env=env)
        transport.rest_v1("GET", "pods")
        transport.close()
    assert stub.requests[0].key == f"Bearer {KEY}"
    assert b"PASSWORD" not in stub.requests[0].raw
    assert b"Basic" not in stub.requests[0].raw


def test_netrc_does_not_replace_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text(
        "machine 127.0.0.1 login user password SECRET\ndefault login u password SECRET\n"
    )
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with serve(reply({})) as stub:
        transport = transport_to(stub.url, tmp_path)
        transport.rest_v2("GET", "pods")
        transport.close()
    assert stub.requests[0].key == f"Bearer {KEY}"


def test_one_connection_serves_one_call_after_another(tmp_path: Path) -> None:
    with serve(reply({}, Connection="keep-alive")) as stub:
        transport = transport_to(stub.url, tmp_path)
        for _ in range(3):
            transport.rest_v2("GET", "pods")
        transport.close()
        assert (len(stub.requests), stub.connections) == (3, 1)


def test_no_key_means_no_connection(tmp_path: Path) -> None:
    with serve(reply({})) as stub:
        transport = transport_to(stub.url, tmp_path, env={"RUNPOD_API_KEY": ""})
        for ask in (transport.rest_v2, transport.rest_v1):
            with pytest.raises(NoCredentials):
                ask("GET", "pods")
        with pytest.raises(NoCredentials):
            transport.graphql("{ myself { id } }")
        transport.close()
        assert stub.connections == 0


def test_plain_http_to_another_machine_makes_no_request(tmp_path: Path) -> None:
    """G05. The guard of the test suite would end a test that tried."""
    transport = transport_to("http://api.example", tmp_path)
    for ask in (transport.rest_v2, transport.rest_v1):
        with pytest.raises(ConfigError, match="unencrypted"):
            ask("GET", "pods")
    with pytest.raises(ConfigError, match="RUNPOD_GRAPHQL_URL is plain http"):
        transport.graphql("{ myself { id } }")
    transport.close()


# -- good answers


@pytest.mark.parametrize(
    ("method", "answer", "document"),
    [
        ("DELETE", reply(b"", 204), None),
        ("POST", reply(b"", 200), None),  # that it was done is told by the status
        ("POST", reply(b"", 202, Content_Type=""), None),
        ("GET", reply(b"null"), None),
        ("GET", reply([]), []),
        ("GET", reply({"a": 1}, 200, Content_Type="application/json; charset=utf-8"), {"a": 1}),
        ("GET", reply({"a": 1}, 200, Content_Type="Application/Problem+JSON"), {"a": 1}),
        ("GET", reply({"a": 1}, 200, Content_Type=""), {"a": 1}),
        ("GET", reply(b'\xef\xbb\xbf{"a": 1}'), {"a": 1}),
        ("GET", head() + b'{"a": 1}', {"a": 1}),  # ends with the connection
        (
            "GET",
            head(Transfer_Encoding="chunked") + b'4\r\n{"a"\r\n4\r\n: 1}\r\n0\r\n\r\n',
            {"a": 1},
        ),
        ("GET", reply(gzip.compress(b'{"a": 1}'), 200, Content_Encoding="gzip"), {"a": 1}),
        (
            "GET",
            reply(gzip.compress(b'{"a"') + gzip.compress(b": 1}"), 200, Content_Encoding="x-gzip"),
            {"a": 1},
        ),
        ("GET", reply({"a": "ü\ud800\x1b"}), {"a": "ü\ud800\x1b"}),
    ],
)
def test_a_good_answer_is_its_document(
    tmp_path: Path, method: str, answer: bytes, document: object
) -> None:
    with serve(answer) as stub:
        transport = transport_to(stub.url, tmp_path)
        assert transport.rest_v2(method, "pods") == document
        transport.close()
        assert len(stub.requests) == 1


def test_a_large_answer_is_read_whole(tmp_path: Path) -> None:
    document = [{"id": f"pod{n}", "env": {"A": "x" * 100}} for n in range(20_000)]
    body = json.dumps(document).encode()
    packed = reply(gzip.compress(body, 1), 200, Content_Encoding="gzip")
    with serve(reply(body), packed) as stub:
        transport = transport_to(stub.url, tmp_path)
        assert transport.rest_v1("GET", "pods") == document
        assert transport.rest_v1("GET", "pods") == document
        transport.close()
