"""What is tried again, when, and what never is."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from stub import Reply, Stub, Talk, head, reply, serve
from wire import SteppingClock, transport_to

from rpcli.errors import ApiError, NetworkError, RpcliError
from rpcli.transport import Transport

MUTATION = 'mutation { podStop(input: {podId: "p1"}) { id } }'
FINE = reply({"data": {}})


def reset(talk: Talk) -> None:
    talk.reset()


def hang_up(talk: Talk) -> None:
    """Close without an answer."""


def cut_body(talk: Talk) -> None:
    talk.send(head(Content_Length="100") + b'{"data"')
    talk.reset()


def get(transport: Transport) -> object:
    return transport.rest_v2("GET", "pods")


def post(transport: Transport) -> object:
    return transport.rest_v2("POST", "pods", "p1", "action", body={"action": "stop"})


def patch(transport: Transport) -> object:
    return transport.rest_v1("PATCH", "pods", "p1", body={})


def query(transport: Transport) -> object:
    return transport.graphql("{ myself { id } }")


def mutation(transport: Transport) -> object:
    return transport.graphql(MUTATION)


def query_once(transport: Transport) -> object:
    return transport.graphql("{ myself { id } }", retry=False)


TOO_MANY = reply({"error": "slow"}, 429)
BUSY = reply({"error": "busy"}, 503)
PASSING: list[Reply] = [reset, hang_up, cut_body, TOO_MANY, BUSY, b"garbage\r\n\r\n"]


@pytest.mark.parametrize("ask", [get, query])
@pytest.mark.parametrize("fault", PASSING)
def test_a_read_survives_two_faults(
    tmp_path: Path, fault: Reply, ask: Callable[[Transport], object]
) -> None:
    clock = SteppingClock()
    with serve(fault, fault, FINE) as stub:
        transport = transport_to(stub.url, tmp_path, clock=clock)
        ask(transport)
        transport.close()
    assert len(stub.requests) == 3
    first, second = clock.slept
    assert 0 < first < second < 5, "the second wait is longer"


@pytest.mark.parametrize("ask", [get, query])
@pytest.mark.parametrize("fault", PASSING)
def test_a_third_fault_is_the_last(
    tmp_path: Path, fault: Reply, ask: Callable[[Transport], object]
) -> None:
    with serve(fault) as stub:
        transport = transport_to(stub.url, tmp_path)
        with pytest.raises(RpcliError) as caught:
            ask(transport)
        transport.close()
    assert len(stub.requests) == 3
    if not isinstance(fault, bytes):
        assert isinstance(caught.value, NetworkError)
        assert stub.host in caught.value.message


@pytest.mark.parametrize("ask", [post, patch, mutation, query_once])
@pytest.mark.parametrize("fault", PASSING)
def test_what_may_have_arrived_is_not_sent_again(
    tmp_path: Path, fault: Reply, ask: Callable[[Transport], object]
) -> None:
    clock = SteppingClock()
    with serve(fault) as stub:
        transport = transport_to(stub.url, tmp_path, clock=clock)
        with pytest.raises(RpcliError) as caught:
            ask(transport)
        transport.close()
    assert (len(stub.requests), clock.slept) == (1, [])
    if isinstance(caught.value, NetworkError) and ask is not query_once:
        assert "it may have been done all the same" in str(caught.value.hint)


@pytest.mark.parametrize(
    "status", [400, 401, 402, 403, 404, 408, 409, 410, 422, 500, 501, 502, 504, 524]
)
@pytest.mark.parametrize("ask", [get, query])
def test_what_another_try_does_not_change_is_asked_once(
    tmp_path: Path, status: int, ask: Callable[[Transport], object]
) -> None:
    with serve(reply({"error": "no"}, status)) as stub:
        transport = transport_to(stub.url, tmp_path)
        with pytest.raises(ApiError):
            ask(transport)
        transport.close()
    assert len(stub.requests) == 1


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.mark.parametrize("ask", [get, post, patch, query, mutation])
@pytest.mark.parametrize("host", ["127.0.0.1", "nowhere.invalid"])
def test_what_surely_did_not_arrive_is_tried_again(
    tmp_path: Path, host: str, ask: Callable[[Transport], object]
) -> None:
    """Nobody listens, or there is no such name: nothing was written, a change included."""
    clock = SteppingClock()
    env = {"RPCLI_ALLOW_HTTP": "1"}
    url = f"http://{host}:{closed_port()}"
    transport = transport_to(url, tmp_path, clock=clock, env=env)
    with pytest.raises(NetworkError) as caught:
        ask(transport)
    transport.close()
    assert clock.slept == [0.25, 0.5]
    assert host in caught.value.message
    assert "Connection refused" in caught.value.message or "not known" in caught.value.message
    assert caught.value.hint is None
    assert caught.value.__cause__ is not None


def test_a_change_reaches_a_server_that_comes_up_late(tmp_path: Path) -> None:
    """The first try is refused; the second one arrives, once."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    stub = Stub((reply({"id": "p1"}),), listener=listener)

    class StartsTheServer(SteppingClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            stub.__enter__()

    clock = StartsTheServer()
    transport = transport_to(f"http://127.0.0.1:{listener.getsockname()[1]}", tmp_path, clock=clock)
    try:
        assert post(transport) == {"id": "p1"}
    finally:
        transport.close()
        stub.__exit__()
    assert (len(stub.requests), len(clock.slept)) == (1, 1)


@pytest.mark.parametrize(
    ("header", "waits"),
    [
        ({"Retry-After": "2"}, [2.125, 2.125]),
        ({"Retry-After": "0"}, [0.125, 0.125]),
        ({"Retry-After": "-5"}, [0.375, 0.625]),
        ({"Retry-After": "nan"}, [0.375, 0.625]),
        ({"Retry-After": "inf"}, [0.375, 0.625]),
        ({"Retry-After": "Wed, 21 Oct 2020 07:28:00 GMT"}, [0.125, 0.125]),
        ({"RateLimit": '"minute";r=0;t=3'}, [3.125, 3.125]),
        ({}, [0.375, 0.625]),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_what_the_server_asks_for_is_respected(
    tmp_path: Path, header: dict[str, str], waits: list[float], status: int
) -> None:
    """B22."""
    clock = SteppingClock()
    limited = reply({"error": "slow"}, status, **header)
    with serve(limited, limited, FINE) as stub:
        transport = transport_to(stub.url, tmp_path, clock=clock)
        get(transport)
        transport.close()
    assert clock.slept == waits
    assert len(stub.requests) == 3


@pytest.mark.parametrize("wait", ["31", "99999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_wait_longer_than_what_is_left_fails_at_once(tmp_path: Path, wait: str) -> None:
    """B22."""
    clock = SteppingClock()
    with serve(reply({"detail": "slow down"}, 429, Retry_After=wait)) as stub:
        transport = transport_to(stub.url, tmp_path, clock=clock)
        with pytest.raises(ApiError) as caught:
            get(transport)
        transport.close()
    assert (caught.value.error_code, clock.slept, len(stub.requests)) == ("rate_limited", [], 1)


def test_waits_are_spread(tmp_path: Path) -> None:
    """Without a given number the machine's own chance is used."""
    from wire import settings_of

    seen = set()
    for _ in range(4):
        clock = SteppingClock()
        settings = settings_of(
            tmp_path, {"RUNPOD_REST_V2_URL": f"http://127.0.0.1:{closed_port()}"}
        )
        transport = Transport(settings, clock)
        with pytest.raises(NetworkError):
            get(transport)
        transport.close()
        assert 0.125 <= clock.slept[0] <= 0.375
        assert 0.25 <= clock.slept[1] <= 0.75
        seen.add(clock.slept[0])
    assert len(seen) > 1


def test_a_stale_connection_is_replaced(tmp_path: Path) -> None:
    """The server closed a connection that was kept: a read is simply asked again."""

    def once(talk: Talk) -> None:
        talk.send(reply({"n": 1}, Connection="keep-alive"))

    with serve(once, reply({"n": 2})) as stub:
        transport = transport_to(stub.url, tmp_path)
        assert get(transport) == {"n": 1}
        assert get(transport) == {"n": 2}
        transport.close()
        assert stub.connections == 2
