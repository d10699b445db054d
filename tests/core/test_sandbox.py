"""The sandbox over real sockets: its state, clock, counters, limits, keys and faults."""

from __future__ import annotations

import json
import socket
import threading

import pytest
import requests

from rpcli.errors import ConfigError, FileError
from rpcli.sandbox import Sandbox, scenario_names
from rpcli.sandbox.scenario import load_scenario

ONE = {"pods": [{"id": "p1", "name": "one", "ports": ["22/tcp"], "cost": 0.5}]}


class Client:
    """Asks a sandbox with its key."""

    def __init__(self, sandbox, key=None):
        self.sandbox = sandbox
        self.headers = {"Authorization": f"Bearer {key or sandbox.api_key}", "User-Agent": "test"}

    def __call__(self, method, path, body=None, **options):
        options.setdefault("timeout", 20)
        url = f"{self.sandbox.url}{path}"
        with requests.request(method, url, json=body, headers=self.headers, **options) as answer:
            _ = answer.content
            return answer

    def graphql(self, query):
        return self("POST", "/graphql", {"query": query})


@pytest.fixture
def client(sandbox):
    return Client(sandbox)


def test_what_ships_loads_and_fits_its_schema():
    from rpcli.contract.registry import find
    from rpcli.contract.validate import validate_document

    names = scenario_names()
    assert {"demo", "empty", "many", "skew"} <= set(names)
    for name, summary in names.items():
        assert summary
        assert validate_document(find("core.scenario"), load_scenario(name), "published") == []


@pytest.mark.scenario("demo")
def test_one_state_behind_every_plane(client):
    pod = client("GET", "/v2/pods").json()["pods"][0]["id"]
    assert client("POST", f"/v2/pods/{pod}/action", {"action": "stop"}).status_code == 200
    assert client("GET", f"/v1/pods/{pod}").json()["desiredStatus"] == "EXITED"
    found = client.graphql("{ myself { pods { id desiredStatus lastStatusChange } } }").json()
    stopped = {p["id"]: p for p in found["data"]["myself"]["pods"]}[pod]
    assert stopped["desiredStatus"] == "EXITED"
    assert stopped["lastStatusChange"].startswith("Exited by User: ")
    assert client("POST", f"/v1/pods/{pod}/start").status_code == 200
    assert client("GET", f"/v2/pods/{pod}").json()["status"] == "PROVISIONING"


@pytest.mark.scenario({"clock": {"frozen": True}, "pods": []})
def test_a_pod_is_born_on_a_clock_that_is_turned(sandbox, client):
    body = {"name": "new", "image": "i", "gpu": {"id": "G"}, "ports": ["22/tcp", "80/http"]}
    created = client("POST", "/v2/pods", body)
    assert created.status_code == 201
    assert created.json()["status"] == "PROVISIONING"
    assert not created.json()["runtime"]
    path = f"/v2/pods/{created.json()['id']}"
    sandbox.advance(1)
    assert client("GET", path).json()["status"] == "STARTING"
    sandbox.advance(1)
    running = client("GET", path).json()
    assert (running["status"], running["runtime"]["uptime"]) == ("RUNNING", 0)
    direct = running["ssh"]["direct"]
    with socket.create_connection((direct["host"], direct["port"]), 20) as connection:
        assert connection.recv(4) == b"SSH-"
    sandbox.advance(30)
    assert client("GET", path).json()["runtime"]["uptime"] == 30
    client("POST", f"{path}/action", {"action": "restart"})
    sandbox.advance(2)
    web = [p for p in client("GET", path).json()["runtime"]["ports"] if p["private"] == 80]
    before = [p for p in running["runtime"]["ports"] if p["private"] == 80]
    assert web[0]["public"] != before[0]["public"]
    assert client("DELETE", path).status_code == 204
    assert client("GET", "/v2/pods").json()["pods"] == []


@pytest.mark.scenario(ONE)
@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/v2/pods/nope", None, 404),
        ("GET", "/v2/nope", None, 404),
        ("PUT", "/v2/pods", {}, 405),
        ("POST", "/v2/pods", {"name": "x"}, 422),
        ("POST", "/v2/pods", {"name": "x", "image": "i", "gpu": {"id": "G"}, "y": 1}, 422),
        ("PATCH", "/v2/pods/p1", {"y": 1}, 422),
        ("POST", "/v2/pods/p1/action", {"action": "start"}, 409),
        ("POST", "/v2/pods/p1/action", {"action": "fly"}, 422),
        ("PUT", "/v2/account/ssh-keys", {"keys": ["not a key"]}, 422),
        ("GET", "/v2/pods?limit=1001", None, 422),
    ],
)
def test_v2_is_strict_and_says_why(client, method, path, body, status):
    answer = client(method, path, body)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["status"] == status
    assert answer.json()["title"]
    if status == 422:
        assert answer.json()["errors"]


@pytest.mark.scenario("many")
def test_lists_come_in_pages(client):
    seen, query, pages = [], "?limit=400", 0
    while True:
        page = client("GET", f"/v2/pods{query}").json()
        seen += [pod["id"] for pod in page["pods"]]
        pages += 1
        if not page["pagination"]["hasNextPage"]:
            break
        query = f"?limit=400&cursor={page['pagination']['nextCursor']}"
    assert (len(seen), len(set(seen)), pages) == (1000, 1000, 3)


@pytest.mark.scenario({**ONE, "rateLimit": {"minute": 2}, "clock": {"frozen": True}})
def test_rate_limits_are_told_and_kept(sandbox, client):
    first, second, third = (client("GET", "/v2/pods") for _ in range(3))
    assert first.headers["RateLimit-Policy"] == '"minute";q=2;w=60'
    assert [a.headers["RateLimit"] for a in (first, second)] == [
        '"minute";r=1;t=60',
        '"minute";r=0;t=60',
    ]
    assert (third.status_code, third.headers["Retry-After"]) == (429, "60")
    assert client("GET", "/v1/pods").status_code == 200
    sandbox.advance(60)
    assert client("GET", "/v2/pods").status_code == 200


POD_KEY = {"key": "rpa_pod", "planes": {"graphql": 401}}
KEYS = {**ONE, "account": {"otherKeys": [POD_KEY, {"key": "rpa_read", "readOnly": True}]}}


@pytest.mark.scenario(KEYS)
def test_keys_have_scopes(sandbox):
    pod, reader, stranger = (Client(sandbox, k) for k in ("rpa_pod", "rpa_read", "rpa_x"))
    assert pod("GET", "/v2/pods").status_code == 200
    assert pod.graphql("{ myself { id } }").status_code == 401
    assert reader.graphql("{ myself { id } }").status_code == 200
    assert reader("DELETE", "/v2/pods/p1").status_code == 403
    for path in ("/v2/pods", "/v1/pods"):
        assert stranger("GET", path).status_code == 401
    assert stranger.graphql("{ myself { id } }").status_code == 401
    anonymous = requests.post(
        f"{sandbox.url}/graphql", json={"query": "{ myself { id } }"}, timeout=20
    )
    assert anonymous.json() == {"data": {"myself": None}}


@pytest.mark.scenario({**ONE, "quirks": {"refuseDefaultClients": True}})
def test_bare_libraries_are_refused_where_wanted(sandbox, client):
    assert client("GET", "/v2/pods").status_code == 200
    bare = requests.get(f"{sandbox.url}/v2/pods", timeout=20)
    assert (bare.status_code, bare.text) == (403, "error code: 1010")


@pytest.mark.scenario(ONE)
def test_requests_are_counted_and_forgotten(sandbox, client):
    client("GET", "/v2/pods/p1?x=1")
    assert client("GET", "/_sandbox/requests").json()["requests"] == sandbox.requests()
    (entry,) = sandbox.requests()
    assert (entry["method"], entry["route"], entry["path"], entry["status"]) == (
        "GET",
        "/v2/pods/{id}",
        "/v2/pods/p1",
        200,
    )
    client("DELETE", "/_sandbox/requests")
    assert sandbox.requests() == []


@pytest.mark.scenario(ONE)
@pytest.mark.parametrize(
    ("fault", "status", "body"),
    [
        ({"status": 503, "headers": {"Retry-After": "7"}}, 503, None),
        ({"body": "<html>hello</html>"}, 200, b"<html>hello</html>"),
        ({"body": {"pods": [None]}}, 200, b'{"pods": [null]}'),
        ({"nested": 3}, 200, b"[[["),
        ({"body": "x", "padding": 5}, 200, b"x     "),
        ({"invalidUtf8": True}, 200, b'{"\xff\xfe": 1}'),
        ({"body": "abc", "drip": 0.001}, 200, b"abc"),
        ({"body": "abc", "dripHeaders": 0.0001}, 200, b"abc"),
        ({"body": "abc", "gzip": True}, 200, b"abc"),
    ],
)
def test_faults_change_what_comes(sandbox, client, fault, status, body):
    sandbox.add_fault({**fault, "plane": "v2", "times": 1})
    answer = client("GET", "/v2/pods")
    assert answer.status_code == status
    if body is not None:
        assert answer.content == body
    assert answer.headers.get("Retry-After") == fault.get("headers", {}).get("Retry-After")
    assert client("GET", "/v2/pods").json()["pods"][0]["id"] == "p1"


@pytest.mark.scenario(ONE)
@pytest.mark.parametrize(
    "fault",
    [
        {"cut": {"after": 5, "how": "reset"}},
        {"cut": {"after": 5, "how": "close"}},
        {"contentLength": 100000},
        {"gzip": "no"},
    ],
)
def test_faults_break_what_comes(sandbox, client, fault):
    sandbox.add_fault({**fault, "times": 1})
    with pytest.raises(requests.RequestException):
        client("GET", "/v2/pods")
    assert client("GET", "/v2/pods").status_code == 200


@pytest.mark.scenario(ONE)
def test_faults_fit_routes_and_wait_their_turn(sandbox, client):
    sandbox.add_fault({"route": "/v2/pods/{id}", "method": "GET", "status": 500, "after": 1})
    got = [client("GET", "/v2/pods/p1").status_code for _ in range(3)]
    assert got == [200, 500, 500]
    assert client("GET", "/v2/pods").status_code == 200
    sandbox.clear_faults()
    assert client("GET", "/v2/pods/p1").status_code == 200


def test_stop_leaves_nothing_behind():
    before = set(threading.enumerate())
    sandbox = Sandbox({**ONE, "faults": [{"silent": True, "plane": "v1"}]})
    sandbox.start()
    port = sandbox.port
    waiting = socket.create_connection(("127.0.0.1", port), 20)
    waiting.sendall(
        f"GET /v1/pods HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {sandbox.api_key}\r\n\r\n".encode()
    )
    assert sandbox.wait_for_requests(1)
    handlers = set(threading.enumerate()) - before
    sandbox.stop()
    assert waiting.recv(1) == b""
    waiting.close()
    for thread in handlers:
        thread.join(20)
    assert set(threading.enumerate()) <= before
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), 20)


def test_a_port_that_is_taken_is_told():
    with Sandbox(ONE) as first, pytest.raises(FileError, match=str(first.port)):
        Sandbox(ONE).start(first.port)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("pods: [{id: p1, statsu: RUNNING}]", "/pods/0"),
        ("pods: [{id: 7}]", "/pods/0/id"),
        ("pods: [", "line"),
        ("- 1", "scenario"),
    ],
)
def test_a_scenario_file_that_does_not_fit_is_told(tmp_path, text, told):
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=told) as caught:
        Sandbox(str(file))
    assert str(file) in caught.value.message
    assert "RUNNING" not in caught.value.message


def test_a_scenario_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ConfigError, match="demo"):
        Sandbox("nope")
    with pytest.raises(ConfigError, match="No such file"):
        Sandbox(str(tmp_path / "nope.yaml"))


def test_a_file_of_ones_own(tmp_path, rpcli_run):
    for name, text in (("a.yaml", "pods: [{id: p1}]"), ("a.json", json.dumps(ONE))):
        (rpcli_run.cwd / name).write_text(text)
        assert [p["id"] for p in rpcli_run("--scenario", f"./{name}", "pod", "list").json] == ["p1"]
    result = rpcli_run("--scenario", "nope", "pod", "list")
    assert (result.status, result.error["code"]) == (1, "config_error")


def test_only_the_sandbox_key_is_sent_to_the_sandbox(rpcli_run):
    env = {"RUNPOD_API_KEY": "rpa_REAL", "RPCLI_SANDBOX": "demo"}
    assert rpcli_run("pod", "list", env=env).status == 0
    shown = rpcli_run("--sandbox", "config", "show", env=env).json
    assert {s["name"]: s["source"] for s in shown}["apiKey"] == "sandbox"
