"""The sandbox as a server: loopback, counters, threads, the end, and what goes wrong inside."""

from __future__ import annotations

import os
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sandbox_calls import ask, ask_graphql
from sandbox_wire import connected, read_all

from rpcli.errors import FileError
from rpcli.sandbox import Sandbox, serve, v2

if TYPE_CHECKING:
    from rpcli.testing import Runner

ONE: dict[str, Any] = {"rateLimit": "none", "pods": [{"id": "p1", "ports": ["22/tcp"]}]}

pytestmark = pytest.mark.scenario(ONE)


# -- what was asked


def test_a_request_is_described(sandbox: Sandbox) -> None:
    ask(sandbox, "POST", "/v2/pods/p1/action?x=1&y=%2F", {"action": "stop"})
    (entry,) = sandbox.requests()
    assert entry.pop("time").endswith("Z")
    assert entry == {
        "method": "POST",
        "plane": "v2",
        "route": "/v2/pods/{id}/action",
        "path": "/v2/pods/p1/action",
        "query": "x=1&y=%2F",
        "status": 200,
        "together": 1,
        "abandoned": False,
        "key": "main",
        "lastEventId": None,
        "userAgent": "rpcli-tests/1",
        "body": {"action": "stop"},
    }


@pytest.mark.parametrize(
    ("path", "plane", "route"),
    [
        ("/v1/pods/p1", "v1", "/v1/pods/{podId}"),
        ("/v2/pods/%2e%2e", "v2", "/v2/pods/{id}"),
        ("/v2/nothing", "v2", None),
        ("/graphql", "graphql", "/graphql"),
        ("/graphql/x", None, None),
        ("/v3/pods", None, None),
        ("/", None, None),
        ("/queue/v2/ep0demo/run", None, None),
    ],
)
def test_a_path_is_kept_as_it_was_sent(
    sandbox: Sandbox, path: str, plane: str | None, route: str | None
) -> None:
    ask(sandbox, "GET", path)
    (entry,) = sandbox.requests()
    assert (entry["path"], entry["plane"], entry["route"]) == (path, plane, route)


def test_requests_are_read_and_forgotten_from_outside(sandbox: Sandbox) -> None:
    ask(sandbox, "GET", "/v2/pods")
    ask_graphql(sandbox, "{ myself { id } }")
    told = ask(sandbox, "GET", "/_sandbox/requests").json
    assert told["requests"] == sandbox.requests()
    assert [entry["route"] for entry in told["requests"]] == ["/v2/pods", "/graphql"]
    assert told["mostOpen"] == 1
    assert ask(sandbox, "DELETE", "/_sandbox/requests").json["requests"] == []
    assert sandbox.requests() == []


def test_requests_that_overlap_are_told_from_those_that_do_not(sandbox: Sandbox) -> None:
    ask(sandbox, "GET", "/v2/pods")
    ask(sandbox, "GET", "/v2/pods")
    assert sandbox.most_open() == 1
    # Neither is answered before both have come: they are open at once, however slow the machine.
    sandbox.add_fault({"silent": True})
    with connected(sandbox), connected(sandbox):
        assert sandbox.wait_for_requests(4)
        assert sandbox.most_open() == 2
    assert sandbox.wait_until_idle()
    assert [entry["together"] for entry in sandbox.requests()] == [1, 1, 1, 2]
    sandbox.forget_requests()
    assert (sandbox.most_open(), sandbox.requests()) == (0, [])


def test_waiting_for_requests_that_do_not_come_ends(sandbox: Sandbox) -> None:
    assert not sandbox.wait_for_requests(1, seconds=0)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/_sandbox", 404),
        ("GET", "/_sandbox/nothing", 404),
        ("PUT", "/_sandbox/requests", 405),
        ("DELETE", "/_sandbox/clock", 405),
    ],
)
def test_the_sandboxs_own_routes(sandbox: Sandbox, method: str, path: str, status: int) -> None:
    answer = ask(sandbox, method, path)
    assert answer.status == status
    assert answer.json["error"]
    assert sandbox.requests() == []


def test_a_body_that_is_not_json_is_told(sandbox: Sandbox) -> None:
    assert ask(sandbox, "POST", "/_sandbox/faults", raw=b"{").status == 400


def test_faults_do_not_strike_the_sandboxs_own_routes(sandbox: Sandbox) -> None:
    sandbox.add_fault({"status": 500})
    assert ask(sandbox, "GET", "/_sandbox/requests").status == 200


# -- at once


def test_many_clients_share_one_state(sandbox: Sandbox) -> None:
    body = {"name": "new", "image": "i", "gpu": {"id": "G"}}
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: ask(sandbox, "POST", "/v2/pods", body), range(64)))
    assert {answer.status for answer in answers} == {201}
    assert len({answer.json["id"] for answer in answers}) == 64
    assert len(sandbox.requests()) == 64
    assert len(ask(sandbox, "GET", "/v2/pods").json["pods"]) == 65


def test_a_huge_request_is_refused(sandbox: Sandbox) -> None:
    assert ask(sandbox, "POST", "/v2/pods", raw=b" " * (1 << 24) + b"{}").status == 413


def test_a_bug_of_the_sandbox_is_told_and_ends_nothing(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setitem(v2.ROUTES["/v2/pods"], "GET", broken)  # type: ignore[arg-type]
    answer = ask(sandbox, "GET", "/v2/pods")
    assert answer.status == 500
    assert "the sandbox failed: KeyError: 'a bug'" in answer.json["detail"]
    assert ask(sandbox, "GET", "/v2/pods/p1").status == 200
    assert capfd.readouterr() == ("", "")


def test_nothing_is_ever_printed(sandbox: Sandbox, capfd: pytest.CaptureFixture[str]) -> None:
    for request in (b"GET /v2/pods HTTP/1.1\r\n\r\n", b"nonsense\r\n\r\n", b"\x16\x03\x01", b""):
        with socket.create_connection(("127.0.0.1", sandbox.port), 20) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            read_all(connection)
    ask(sandbox, "GET", "/v2/pods")
    sandbox.stop()
    assert capfd.readouterr() == ("", "")


def test_no_library_is_named(sandbox: Sandbox) -> None:
    assert ask(sandbox, "GET", "/v2/pods").headers["Server"] == "rpcli-sandbox"


# -- beginning and end


def _sockets() -> set[str]:
    found = set()
    for name in Path("/proc/self/fd").iterdir():
        try:
            target = os.readlink(name)  # noqa: PTH115 - what it names is no path
        except OSError:
            continue
        if target.startswith("socket:"):
            found.add(target)
    return found


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="sockets are counted by /proc")
@pytest.mark.parametrize(
    "fault",
    [None, {"silent": True}, {"latency": 3600}, {"drip": 3600}, {"cut": {"how": "stall"}}],
)
def test_stop_leaves_neither_a_thread_nor_a_socket(fault: dict[str, Any] | None) -> None:
    threads, sockets = set(threading.enumerate()), _sockets()
    sandbox = Sandbox({**ONE, "faults": [fault] if fault else []})
    sandbox.start()
    with connected(sandbox) as waiting, connected(sandbox, "/v1/pods"):
        assert sandbox.wait_for_requests(2)
        if fault is None:
            read_all(waiting)
        assert set(threading.enumerate()) > threads
        port = sandbox.port
        sandbox.stop()
        assert set(threading.enumerate()) == threads
        read_all(waiting)
    assert _sockets() == sockets
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), 20)


def test_a_client_that_says_nothing_keeps_nobody_from_stopping() -> None:
    sandbox = Sandbox(ONE)
    sandbox.start()
    with socket.create_connection(("127.0.0.1", sandbox.port), 20) as silent:
        ask(sandbox, "GET", "/v2/pods")  # by now the connection before it was accepted
        sandbox.stop()
        assert read_all(silent)[0] == b""


def test_it_runs_once_and_tells_afterwards(sandbox: Sandbox) -> None:
    ask(sandbox, "GET", "/v2/pods")
    sandbox.stop()
    sandbox.stop()
    assert len(sandbox.requests()) == 1
    with pytest.raises(RuntimeError, match="not running"):
        _ = sandbox.url
    with pytest.raises(RuntimeError, match="once"):
        sandbox.start()


def test_it_is_started_once(sandbox: Sandbox) -> None:
    with pytest.raises(RuntimeError, match="once"):
        sandbox.start()
    assert ask(sandbox, "GET", "/v2/pods").status == 200


def test_one_that_never_ran_stops() -> None:
    sandbox = Sandbox(ONE)
    sandbox.stop()
    assert sandbox.requests() == []


def test_a_port_that_is_taken_is_told(sandbox: Sandbox, capfd: pytest.CaptureFixture[str]) -> None:
    threads = set(threading.enumerate())
    with pytest.raises(FileError, match=f"port {sandbox.port} on 127.0.0.1"):
        Sandbox(ONE).start(sandbox.port)
    assert set(threading.enumerate()) == threads
    assert capfd.readouterr() == ("", "")


def test_a_port_can_be_chosen() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    sandbox = Sandbox(ONE)
    sandbox.start(port)
    assert sandbox.url == f"http://127.0.0.1:{port}"
    sandbox.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere 127.0.0.2 is not on loopback")
def test_it_listens_on_loopback_alone(sandbox: Sandbox) -> None:
    port = ask(sandbox, "GET", "/v2/pods/p1").json["ssh"]["direct"]["port"]
    for listening in (sandbox.port, port):
        # Bound to every address, it would take this connection too.
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.2", listening), 20)


def test_the_environment_leads_here(sandbox: Sandbox) -> None:
    assert sandbox.environment() == {
        "RUNPOD_API_KEY": sandbox.api_key,
        "RUNPOD_REST_V2_URL": f"{sandbox.url}/v2",
        "RUNPOD_API_URL": f"{sandbox.url}/v1",
        "RUNPOD_GRAPHQL_URL": f"{sandbox.url}/graphql",
        "RUNPOD_INVOKE_URL": f"{sandbox.url}/queue/v2",
        "RPCLI_API": "v2",
    }


def test_serving_ends_when_the_wait_is_broken_off() -> None:
    sandbox = Sandbox(ONE)
    told: list[str] = []

    def announce(text: str) -> None:
        told.append(text)
        assert ask(sandbox, "GET", "/v2/pods").status == 200
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        serve(sandbox, 0, announce)
    assert "export RUNPOD_API_KEY=" in told[0]
    with pytest.raises(RuntimeError, match="not running"):
        _ = sandbox.port


# -- with rpcli


def test_a_command_on_a_file_of_ones_own(rpcli_run: Runner) -> None:
    (rpcli_run.cwd / "a.yaml").write_text("pods: [{id: p1}]")
    listed = rpcli_run("--scenario", "./a.yaml", "pod", "list")
    assert [pod["id"] for pod in listed.json] == ["p1"]
    refused = rpcli_run("--scenario", "nope", "pod", "list")
    assert (refused.status, refused.error and refused.error["code"]) == (1, "config_error")


def test_only_the_sandboxs_own_key_is_sent_to_it(rpcli_run: Runner) -> None:
    env = {"RUNPOD_API_KEY": "rpa_REAL", "RPCLI_SANDBOX": "demo"}
    assert rpcli_run("pod", "list", env=env).status == 0
    shown = rpcli_run("--sandbox", "config", "show", env=env).json
    assert {item["name"]: item["source"] for item in shown}["apiKey"] == "sandbox"
