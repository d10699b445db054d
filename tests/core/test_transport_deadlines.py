"""Every call has an end by the clock on the wall, and nothing of it goes on afterwards."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from stub import PATIENCE, Stub, Talk, head, reply, serve
from wire import SteppingClock, transport_to

from rpcli.clock import Clock
from rpcli.errors import ApiError, NetworkError, RpcliError, TimeoutExpired
from rpcli.transport import Transport

#: Short, and still long enough for a request on a busy machine to be sent.
LIMIT = 1.0


def drip_headers(talk: Talk) -> None:
    talk.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    talk.drip(b"x")


def drip_body(talk: Talk) -> None:
    talk.send(head(Content_Length="999999999"))
    talk.drip()


def drip_body_of_a_closing_answer(talk: Talk) -> None:
    talk.send(head(Connection="close"))
    talk.drip()


def drip_chunks(talk: Talk) -> None:
    talk.send(head(Connection="keep-alive", Transfer_Encoding="chunked"))
    talk.drip(b"1\r\n \r\n")


def say_nothing(talk: Talk) -> None:
    talk.wait_until_left()


SLOW = [drip_headers, drip_body, drip_body_of_a_closing_answer, drip_chunks, say_nothing]


def get(transport: Transport) -> object:
    return transport.rest_v2("GET", "pods")


def query(transport: Transport) -> object:
    return transport.graphql("{ myself { id } }")


def capped_query(transport: Transport) -> object:
    return transport.graphql("{ myself { id } }", cap=LIMIT)


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("slow", SLOW)
def test_a_server_that_drips_is_left_at_the_deadline(
    tmp_path: Path, slow: Callable[[Talk], None], tls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A14: the message names host and limit. It is we who go away, while the server still sends."""
    with serve(slow, tls=tls) as stub:
        if tls:
            monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(_certificate()))
        transport = transport_to(stub.url, tmp_path, timeout=LIMIT)
        with pytest.raises(TimeoutExpired) as caught:
            get(transport)
        assert stub.left.wait(PATIENCE), "the socket is shut down, not only left behind"
        transport.close()
    assert caught.value.to_document() == {
        "error": f"{stub.host} gave no whole answer within 1 s",
        "code": "timeout",
        "api": "v2",
    }
    assert len(stub.requests) == 1


def _certificate() -> Path:
    from stub import CERTIFICATE

    return CERTIFICATE


@pytest.mark.parametrize(("ask", "timeout"), [(query, LIMIT), (capped_query, 25.0)])
@pytest.mark.parametrize("slow", [drip_body, say_nothing])
def test_a_cap_is_a_deadline_too(
    tmp_path: Path, slow: Callable[[Talk], None], ask: Callable[[Transport], object], timeout: float
) -> None:
    """A26."""
    with serve(slow) as stub:
        transport = transport_to(stub.url, tmp_path, timeout=timeout)
        with pytest.raises(TimeoutExpired, match=r"within 1 s") as caught:
            ask(transport)
        assert stub.left.wait(PATIENCE)
        transport.close()
    assert caught.value.api == "graphql"


def test_a_cap_is_never_longer_than_the_limit(tmp_path: Path) -> None:
    with serve(say_nothing) as stub:
        transport = transport_to(stub.url, tmp_path, timeout=LIMIT)
        with pytest.raises(TimeoutExpired, match=r"within 1 s"):
            transport.graphql("{ myself { id } }", cap=25.0)
        transport.close()


def test_an_error_with_an_endless_text_is_told_as_what_it_is(tmp_path: Path) -> None:
    def drip_error(talk: Talk) -> None:
        talk.send(head(500))
        talk.drip()

    with serve(drip_error) as stub:
        transport = transport_to(stub.url, tmp_path, timeout=LIMIT)
        with pytest.raises(ApiError) as caught:
            get(transport)
        assert stub.left.wait(PATIENCE)
        transport.close()
    assert (caught.value.error_code, caught.value.status) == ("server_error", 500)


class Resolver:
    """Stands in for a resolver that hangs, until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, port: int) -> None:
        self.asked = threading.Event()
        self.go = threading.Event()
        self.answered = threading.Event()
        real = socket.getaddrinfo

        def getaddrinfo(host: object, *args: object, **options: object) -> object:
            if host != "slow.invalid":
                return real(host, *args, **options)  # type: ignore[arg-type]
            self.asked.set()
            self.go.wait(PATIENCE)
            self.answered.set()
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_name_that_hangs_ends_at_the_deadline_and_nothing_is_sent_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """What was given up before it was sent is not sent when the resolver answers after all."""
    with serve(reply({})) as stub:
        resolver = Resolver(monkeypatch, stub.port)
        env = {"RPCLI_ALLOW_HTTP": "1"}
        url = f"http://slow.invalid:{stub.port}"
        transport = transport_to(url, tmp_path, timeout=LIMIT, env=env)
        before = set(threading.enumerate())
        with pytest.raises(TimeoutExpired) as caught:
            transport.rest_v2(method, "pods")
        assert caught.value.message == f"no connection to slow.invalid:{stub.port} within 1 s"
        assert caught.value.hint is None, "it did not arrive"
        resolver.go.set()
        for thread in set(threading.enumerate()) - before:
            if thread.name == "rpcli-call":
                thread.join(PATIENCE)
                assert not thread.is_alive()
        assert resolver.answered.is_set()
        assert stub.requests == []
        transport.close()


def test_a_change_that_may_have_arrived_says_so(tmp_path: Path) -> None:
    with serve(say_nothing) as stub:
        transport = transport_to(stub.url, tmp_path, timeout=LIMIT)
        with pytest.raises(TimeoutExpired) as caught:
            transport.rest_v2("POST", "pods", body={})
        transport.close()
    assert caught.value.hint == "it may have been done all the same: look before you send it again"
    assert len(stub.requests) == 1


def test_a_limit_that_has_passed_makes_no_request(tmp_path: Path) -> None:
    class Late(Clock):
        """Three looks at the clock, and the limit of thirty seconds has passed."""

        def __init__(self) -> None:
            self.looks = 0

        def monotonic(self) -> float:
            self.looks += 1
            return 0.0 if self.looks == 1 else 31.0

    with serve(reply({})) as stub:
        transport = transport_to(stub.url, tmp_path, clock=Late())
        with pytest.raises(TimeoutExpired, match="within 30 s"):
            get(transport)
        transport.close()
        assert stub.connections == 0


# -- calls beside each other


def test_calls_run_at_the_same_time(tmp_path: Path) -> None:
    """Each server answers only once the other was asked: one after the other would never end."""
    first, second = Stub(()), Stub(())

    def after(other: Stub, body: object) -> Callable[[Talk], None]:
        def answer(talk: Talk) -> None:
            if other.asked.wait(PATIENCE):
                talk.send(reply(body))

        return answer

    first.replies = (after(second, [1]),)
    second.replies = (after(first, {"data": {"a": 2}}),)
    with first, second:
        env = {"RUNPOD_GRAPHQL_URL": f"{second.url}/graphql"}
        transport = transport_to(first.url, tmp_path, env=env, timeout=PATIENCE)
        outcomes = transport.together(lambda: get(transport), lambda: query(transport), lambda: 3)
        transport.close()
    assert [(o.value, o.error) for o in outcomes] == [([1], None), ({"a": 2}, None), (3, None)]


def test_an_error_of_one_call_is_its_own(tmp_path: Path) -> None:
    with serve(reply({"error": "no"}, 404)) as stub:
        transport = transport_to(stub.url, tmp_path)
        failed, fine = transport.together(lambda: get(transport), lambda: 7)
        transport.close()
    assert isinstance(failed.error, RpcliError)
    assert (failed.value, failed.error.error_code, fine.value, fine.error) == (
        None,
        "not_found",
        7,
        None,
    )


def test_a_bug_in_a_call_is_raised(tmp_path: Path) -> None:
    transport = transport_to("http://127.0.0.1:9", tmp_path)
    with pytest.raises(ZeroDivisionError):
        transport.together(lambda: 1 // 0)
    transport.close()


def test_a_call_that_is_given_up_ends_its_requests(tmp_path: Path) -> None:
    """Best effort: who waits no longer goes on, and the server sees the connection end."""
    with serve(say_nothing) as stub:
        transport = transport_to(stub.url, tmp_path, timeout=3 * PATIENCE)
        pending = transport.begin(lambda: get(transport))
        assert stub.asked.wait(PATIENCE)
        assert not pending.wait(0)
        pending.give_up()
        assert stub.left.wait(PATIENCE)
        assert pending.wait(PATIENCE), "and it is not tried again"
        transport.close()
    assert len(stub.requests) == 1


def test_close_ends_whatever_is_under_way(tmp_path: Path) -> None:
    with serve(say_nothing) as stub:
        transport = transport_to(stub.url, tmp_path, timeout=3 * PATIENCE)
        pending = transport.begin(lambda: get(transport))
        assert stub.asked.wait(PATIENCE)
        transport.close()
        assert stub.left.wait(PATIENCE)
        assert pending.wait(PATIENCE)
        late = transport.begin(lambda: get(transport))
        assert late.wait(PATIENCE), "and nothing begins any more"
    assert len(stub.requests) == 1


def test_what_is_begun_after_the_end_is_not_even_started(tmp_path: Path) -> None:
    transport = transport_to("http://127.0.0.1:9", tmp_path)
    transport.close()
    ran: list[str] = []
    late = transport.begin(lambda: ran.append("it ran"))
    assert late.wait(PATIENCE)
    assert ran == []
    with pytest.raises(NetworkError, match="closed"):
        late.result()


def test_giving_up_what_has_ended_leaves_the_connection_to_others(tmp_path: Path) -> None:
    with serve(reply({}, Connection="keep-alive")) as stub:
        transport = transport_to(stub.url, tmp_path)
        pending = transport.begin(lambda: get(transport))
        assert pending.result() == {}
        pending.give_up()
        assert get(transport) == {}
        transport.close()
        assert stub.connections == 1


def test_the_wait_for_an_answer_is_by_the_given_clock(tmp_path: Path) -> None:
    """A sleep between tries counts against the limit."""
    clock = SteppingClock()
    with serve(reply({}, 503, Retry_After="20")) as stub:
        transport = transport_to(stub.url, tmp_path, clock=clock)
        with pytest.raises(ApiError) as caught:
            get(transport)
        transport.close()
    assert caught.value.status == 503
    assert clock.slept == [20.125], "a second wait of 20 s would pass 30 s"
    assert len(stub.requests) == 2
