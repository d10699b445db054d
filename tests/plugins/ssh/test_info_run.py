"""``rpcli ssh info`` as a process, over real sockets."""

from __future__ import annotations

import shlex
import shutil
import socket
import subprocess

import pytest
from asked import APIS, asked
from snapshots import FINGERPRINT, KEYS, PUBLIC_KEY

PODS = [
    {
        "id": "p1",
        "name": "web",
        "mapped": [
            {
                "private": 22,
                "public": 40022,
                "type": "http",
                "ip": "100.65.0.1",
                "isIpPublic": False,
            },
            {"private": 2222, "public": 22, "ip": "203.0.113.7"},
            {"private": 22, "public": 22017, "ip": "203.0.113.7"},
            {"private": 22, "public": 22018, "type": "udp", "ip": "203.0.113.7"},
        ],
    },
    {"id": "p2", "name": "starting", "uptime": None},
    {
        "id": "p3",
        "name": "private",
        "mapped": [{"private": 22, "public": 40022, "ip": "100.65.0.1", "isIpPublic": False}],
    },
    {"id": "p4", "name": "plain", "ports": ["8888/http", "2222/tcp"]},
    {"id": "p5", "name": "stopped", "status": "EXITED"},
    {"id": "p6", "name": "unmapped", "mapped": []},
    {"id": "p7", "name": "early", "mapped": [{"private": 22, "public": None, "ip": ""}]},
]
ACCOUNT = {"pods": PODS, "account": {"sshKeys": [PUBLIC_KEY]}}
REQUESTS = {"v2": ["GET /v2/account/ssh-keys", "GET /v2/pods"], "classic": ["POST /graphql"]}


@pytest.fixture
def key(rpcli_run):
    """Put the ssh key of the account where the platform's own client keeps it."""
    path = rpcli_run.home / ".runpod" / "ssh" / "runpodctl-ssh-key"
    path.parent.mkdir(parents=True)
    shutil.copyfile(KEYS / "ed25519", path)
    path.chmod(0o600)
    return path


@pytest.mark.scenario(ACCOUNT)
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("word", ["p1", "web"])
def test_a_pod_that_can_be_reached(sandbox, rpcli_run, contract, key, api, word):
    # F01, F02, A20
    result = rpcli_run("--api", api, "ssh", "info", word)
    assert result.status == 0
    contract("ssh info", result.json)
    command = f"ssh -p 22017 -i {key} -o HostKeyAlias=p1 root@203.0.113.7"
    assert result.json == {
        "id": "p1",
        "name": "web",
        "ready": True,
        "ssh_command": command,
        "argv": shlex.split(command),
        "user": "root",
        "ip": "203.0.113.7",
        "port": 22017,
        "host_key_alias": "p1",
        "proxy_command": f"ssh -i {key} p1-64411eb2@ssh.runpod.io",
        "ssh_key": {
            "path": str(key),
            "exists": True,
            "fingerprint": FINGERPRINT,
            "in_account": True,
        },
    }
    assert result.notes == [
        "the proxy carries an interactive shell only: no scp, sftp, rsync or port forwarding"
    ]
    assert asked(sandbox) == REQUESTS[api]


@pytest.mark.scenario(ACCOUNT)
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("word", "status", "reason", "told"),
    [
        ("p2", "initializing", "awaiting_container", "its container does not report yet"),
        ("p3", "running", "port_not_public", "port 22 is mapped to an address that is not public"),
        (
            "p4",
            "running",
            "port_not_published",
            "rpcli pod update p4 --ports 8888/http,2222/tcp,22/tcp",
        ),
        ("p5", "stopped", None, "stopped"),
        ("p6", "running", "port_not_mapped", "no ports are published yet"),
        # A04
        ("p7", "running", "port_not_mapped", "its address is not assigned yet"),
    ],
)
def test_a_pod_that_is_not_ready_is_an_answer(
    sandbox, rpcli_run, contract, api, word, status, reason, told
):
    # A03, A20
    result = rpcli_run("--api", api, "ssh", "info", word)
    assert result.status == 0
    document = result.json
    contract("ssh info", document)
    assert (document["ready"], document["status"]) == (False, status)
    assert document["error"].startswith("pod not ready: ")
    assert told in document["error"]
    assert document["remediation"]
    assert reason in (None, document["reason"])
    assert ("proxy_command" in document) is (status == "running")
    assert not {"ssh_command", "argv", "ip"} & document.keys()
    assert "root@" not in result.stdout
    checked = rpcli_run("--api", api, "ssh", "info", word, "--check")
    assert (checked.status, checked.json) == (1, document)


@pytest.mark.scenario({"pods": [PODS[0]]})
@pytest.mark.parametrize("api", APIS)
def test_check_leaves_a_ready_pod_alone(sandbox, rpcli_run, api):
    assert rpcli_run("--api", api, "ssh", "info", "p1", "--check").status == 0


@pytest.mark.scenario(ACCOUNT)
@pytest.mark.parametrize("api", APIS)
def test_a_pod_that_there_is_not(sandbox, rpcli_run, api):
    result = rpcli_run("--api", api, "ssh", "info", "nosuch")
    assert (result.status, result.stdout) == (1, "")
    assert (result.error["code"], result.error["id"]) == ("not_found", "nosuch")


@pytest.mark.scenario(
    {
        "pods": [
            # A25
            {"id": "a1", "name": "b2"},
            {"id": "b2", "name": "x"},
            {"id": "c3", "name": "x"},
        ]
    }
)
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("command", ["info", "connect"])
def test_an_id_goes_before_a_name_and_a_name_may_fit_several(sandbox, rpcli_run, api, command):
    found = rpcli_run("--api", api, "ssh", command, "b2").json
    assert found.get("id", found.get("connections", [{}])[0].get("id")) == "b2"
    result = rpcli_run("--api", api, "ssh", command, "x")
    assert (result.status, result.stdout, result.error["code"]) == (1, "", "conflict")
    assert "b2, c3" in result.error["error"]


@pytest.mark.parametrize("command", ["info", "connect"])
@pytest.mark.parametrize("word", ["", "  "])
def test_an_empty_word_ends_before_any_request(sandbox, rpcli_run, command, word):
    result = rpcli_run("ssh", command, word)
    assert (result.status, result.error["code"]) == (2, "usage_error")
    assert asked(sandbox) == []


@pytest.mark.scenario({"pods": [PODS[0]], "account": {"sshKeys": ["ssh-rsa garbage", "null"]}})
@pytest.mark.parametrize("api", APIS)
def test_a_key_that_the_account_lacks(sandbox, rpcli_run, key, api):
    # A21
    result = rpcli_run("--api", api, "ssh", "info", "p1")
    assert result.json["ready"] is True
    assert result.json["ssh_key"]["in_account"] is False
    (note,) = [note for note in result.notes if FINGERPRINT in note]
    assert note.startswith("port 22 is published, and the account does not have the key")


@pytest.mark.scenario(
    {"pods": [PODS[0]], "faults": [{"route": "/v2/account/ssh-keys", "status": 500}]}
)
def test_account_keys_that_cannot_be_had(sandbox, rpcli_run, contract, key):
    # F10
    result = rpcli_run("ssh", "info", "p1")
    contract("ssh info", result.json)
    assert (result.status, result.json["ready"]) == (0, True)
    assert "in_account" not in result.json["ssh_key"]


@pytest.mark.scenario({"pods": [PODS[0]], "faults": [{"plane": "graphql", "status": 500}]})
@pytest.mark.parametrize("command", [("info", "p1"), ("connect",), ("connect", "p1")])
def test_on_classic_ssh_needs_graphql(sandbox, rpcli_run, command):
    # F10: no connection never means that nobody could be asked
    result = rpcli_run("--api", "classic", "ssh", *command)
    assert (result.status, result.stdout) == (1, "")
    assert (result.error["status"], result.error["api"]) == (500, "graphql")


def test_an_error_inside_http_200_is_an_error(sandbox, rpcli_run):
    # A01
    text = "Something went wrong. Please try again later or contact support."
    error = {"message": text, "extensions": {"code": "INTERNAL_SERVER_ERROR"}}
    sandbox.add_fault({"plane": "graphql", "body": {"errors": [error], "data": None}})
    result = rpcli_run("--api", "classic", "ssh", "info", "trainer")
    assert (result.status, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert text in result.error["error"]
    assert result.error["api"] == "graphql"
    assert result.error["code"] not in ("not_found", "internal_error")


@pytest.mark.scenario({"pods": [{**PODS[0], "uptime": 5}, {**PODS[0], "id": "p9", "uptime": 60}]})
@pytest.mark.parametrize("api", APIS)
def test_just_after_a_start_the_address_may_be_the_one_before(sandbox, rpcli_run, api):
    fresh = rpcli_run("--api", api, "ssh", "info", "p1")
    assert any("may still be that of the container before" in note for note in fresh.notes)
    settled = rpcli_run("--api", api, "ssh", "info", "p9")
    assert not any("container before" in note for note in settled.notes)


@pytest.mark.parametrize("ip", ["1.2.3.4; touch pwned", "-oProxyCommand=touch pwned", "$(id)"])
@pytest.mark.parametrize("api", APIS)
def test_no_command_is_built_from_what_is_no_address(rpcli_run, api, ip):
    from rpcli.sandbox import Sandbox

    direct = {"host": ip, "port": 22017, "username": "root", "command": f"ssh root@{ip}"}
    pod = {
        "id": "p1",
        "mapped": [{"private": 22, "public": 22017, "ip": ip}],
        "v2": {"ssh": {"direct": direct, "proxy": None}},
    }
    with Sandbox({"pods": [pod]}) as sandbox:
        result = rpcli_run("--api", api, "ssh", "info", "p1", env=sandbox.environment())
    assert (result.status, result.json["ready"]) == (0, False)
    assert result.json["reason"] == "address_unusable"
    assert ip not in result.stdout


@pytest.mark.scenario(
    {"pods": [{**PODS[0], "mapped": [{"private": 22, "public": 22017, "ip": "2001:db8::1"}]}]}
)
@pytest.mark.parametrize("api", APIS)
def test_the_printed_command_is_what_ssh_understands(sandbox, rpcli_run, key, api):
    # F01, F05
    ssh = shutil.which("ssh")
    if ssh is None:
        pytest.skip("there is no ssh on this machine")
    command = rpcli_run(
        "--api", api, "ssh", "info", "p1", "-f", "value", "-c", "ssh_command"
    ).stdout
    # F03: one line
    assert command.count("\n") == 1
    assert command.endswith("root@2001:db8::1\n")
    line = command.strip().replace("ssh ", f"{shlex.quote(ssh)} -G -F none ", 1)
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=True)
    told = dict(text.split(" ", 1) for text in done.stdout.splitlines() if " " in text)
    assert (told["hostname"], told["port"], told["user"]) == ("2001:db8::1", "22017", "root")
    assert (told["hostkeyalias"], told["identityfile"]) == ("p1", str(key))
    assert told["stricthostkeychecking"] == "ask"


@pytest.mark.scenario({"pods": [{"id": "p1", "ports": ["8888/http"]}]})
@pytest.mark.parametrize("api", APIS)
def test_what_the_remedy_publishes_can_be_reached(sandbox, rpcli_run, api):
    rpcli_run("--api", api, "pod", "update", "p1", "--ports", "8888/http,22/tcp")
    document = rpcli_run("--api", api, "ssh", "info", "p1").json
    with socket.create_connection((document["ip"], document["port"]), 10) as connection:
        assert connection.recv(4) == b"SSH-"


@pytest.mark.scenario(ACCOUNT)
def test_people_see_the_command_and_not_its_words(sandbox, rpcli_run, key):
    shown = rpcli_run("ssh", "info", "p1", "-f", "table").stdout
    assert "ssh_command" in shown
    assert "argv" not in shown
    assert "ssh, -p, 22017" in rpcli_run("ssh", "info", "p1", "-f", "table", "-c", "argv").stdout
