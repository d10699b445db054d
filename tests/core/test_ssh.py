"""The documents of ssh: which address, why there is none, and what to do."""

from __future__ import annotations

import itertools
import random
import shlex

import pytest
from podstate_table import TABLE
from snapshots import FINGERPRINT, KEY, NO_KEY, PUBLIC_KEY, classic_pod, port, v2_pod

from rpcli.domain.pod import RuntimeSignal, SshEndpoint
from rpcli.domain.podstate import PodState, state_of
from rpcli.domain.ssh import ssh_document
from rpcli.domain.sshverdict import ports_with_ssh, update_command

RUNNING = PodState("running")
DIRECT = SshEndpoint("203.0.113.7", 22017, "root")
PROXY = SshEndpoint("ssh.runpod.io", 22, "p1-64411eb2")
NOT_PUBLIC = port(ip="100.65.0.102", is_public=False)


def document(pod, state=RUNNING, key=NO_KEY, account_keys=None):
    return ssh_document(pod, state, key, account_keys)


def reason(pod, state=RUNNING):
    found = document(pod, state)
    assert found["ready"] is False
    return found["reason"]


# ------------------------------------------------------------ ready


@pytest.mark.parametrize("pod", [classic_pod([port()]), v2_pod(DIRECT, [port(is_public=None)])])
def test_a_pod_that_can_be_reached(pod):
    assert document(pod, key=KEY, account_keys=[PUBLIC_KEY]) == {
        "id": "p1",
        "name": "a",
        "ready": True,
        "ssh_command": f"ssh -p 22017 -i {KEY.path} -o HostKeyAlias=p1 root@203.0.113.7",
        "argv": [
            *("ssh", "-p", "22017", "-i", KEY.path, "-o", "HostKeyAlias=p1", "root@203.0.113.7")
        ],
        "user": "root",
        "ip": "203.0.113.7",
        "port": 22017,
        "host_key_alias": "p1",
        "ssh_key": {
            "path": KEY.path,
            "exists": True,
            "fingerprint": FINGERPRINT,
            "in_account": True,
        },
    }


def test_the_right_one_of_many_mappings_is_chosen_whatever_their_order():
    # F02
    mappings = [
        port(22, 40022, "http", is_public=False),
        port(2222, 22),
        port(22, 22017),
        port(22, 22018, "udp"),
    ]
    for order in itertools.permutations(mappings):
        assert document(classic_pod(order))["port"] == 22017


def test_a_public_mapping_goes_before_one_that_is_not():
    for order in itertools.permutations([NOT_PUBLIC, port(ip=None), port(public=22019)]):
        assert document(classic_pod(order))["port"] == 22019


def test_an_ipv6_address_has_no_brackets():
    # F05
    found = document(classic_pod([port(ip="2001:db8::1")]))
    assert found["ssh_command"].endswith(" root@2001:db8::1")


def test_the_user_is_the_one_that_the_platform_names():
    found = document(v2_pod(DIRECT._replace(user="ubuntu")))
    assert found["argv"][-1] == "ubuntu@203.0.113.7"


def test_where_classic_does_not_say_the_address_is_judged():
    assert document(classic_pod([port(ip="1.1.1.1", is_public=None)]))["ready"] is True
    assert reason(classic_pod([port(ip="100.65.0.1", is_public=None)])) == "port_not_public"


def test_v2_says_it_by_the_direct_endpoint():
    assert reason(v2_pod(None, [port(ip="1.1.1.1", is_public=None)])) == "port_not_public"


def test_the_command_is_the_argv():
    # F03
    key = KEY._replace(path='/srv/a b/it\'s "q"/key')
    found = document(classic_pod([port(ip="203.0.113.7\n")], name="a\n"), key=key)
    assert shlex.split(found["ssh_command"]) == found["argv"]
    assert "\n" not in found["ssh_command"]


@pytest.mark.parametrize(
    ("account_keys", "shown"),
    [(None, {}), ((), {"in_account": False}), ((PUBLIC_KEY,), {"in_account": True})],
)
def test_membership_of_the_key_is_absent_where_it_is_unknown(account_keys, shown):
    # F10, A21
    found = document(classic_pod([port()]), key=KEY, account_keys=account_keys)
    assert found["ready"] is True
    known = {"path": KEY.path, "exists": True, "fingerprint": FINGERPRINT}
    assert found["ssh_key"] == {**known, **shown}


def test_without_a_key_the_document_says_where_it_was_looked_for():
    found = document(classic_pod([port()]), account_keys=[PUBLIC_KEY])
    assert found["ssh_key"] == {"path": NO_KEY.path, "exists": False}
    assert "-i" not in found["argv"]


# ------------------------------------------------------------ running, and yet no way in


@pytest.mark.parametrize("make", [classic_pod, v2_pod])
def test_a_port_that_is_not_declared_has_a_command_as_its_remedy(make):
    found = document(make(declared_ports=("8888/http",)))
    assert found == {
        "id": "p1",
        "name": "a",
        "ready": False,
        "status": "running",
        "error": (
            "pod not ready: pod does not publish 22/tcp; add it with 'rpcli pod update p1 --ports "
            "8888/http,22/tcp' (--ports replaces the whole list, and changing it may restart the "
            "container)"
        ),
        "reason": "port_not_published",
        "remediation": "rpcli pod update p1 --ports 8888/http,22/tcp",
    }


@pytest.mark.parametrize(
    ("declared", "wanted"),
    [
        # A19
        (("8888/http", "2222/tcp"), "8888/http,2222/tcp,22/tcp"),
        (("8888/http", " 2222/tcp", "8888/http", ""), "8888/http,2222/tcp,22/tcp"),
        (("22/tcp", "8888/http"), "8888/http,22/tcp"),
        (("22/http",), "22/http,22/tcp"),
        (("22/TCP",), "22/tcp"),
        ((), "22/tcp"),
    ],
)
def test_the_remedy_keeps_every_port(declared, wanted):
    assert ",".join(ports_with_ssh(declared)) == wanted


@pytest.mark.parametrize("pod_id", ["p1", "-x", "a b", "a'b", "$(id)", "a\nb", "--ports"])
def test_the_remedy_is_safe_to_paste(pod_id):
    words = shlex.split(update_command(pod_id, ["8888/http", "22/tcp"]))
    assert words[:3] == ["rpcli", "pod", "update"]
    assert pod_id in words
    assert words[words.index("--ports") + 1] == "8888/http,22/tcp"
    assert pod_id[0] != "-" or words[-2:] == ["--", pod_id]


@pytest.mark.parametrize(
    ("ports", "told"),
    [
        # A03: with nothing mapped at all it says so, and not that the container has not started
        (None, "no ports are published yet, 22/tcp among them"),
        ([], "no ports are published yet, 22/tcp among them"),
        ([port(8888, 40000, "http")], "it publishes 22/tcp, and that is not mapped yet"),
        # A04: an address that is empty, or a port that is not there yet
        ([port(ip=None, public=None)], "its address is not assigned yet"),
        ([port(ip=None)], "its address is not assigned yet"),
        ([port(public=None)], "its address is not assigned yet"),
    ],
)
@pytest.mark.parametrize("make", [classic_pod, lambda ports: v2_pod(None, ports)])
def test_a_port_that_is_declared_and_not_mapped_is_to_be_waited_for(make, ports, told):
    found = document(make(ports))
    assert found["reason"] == "port_not_mapped"
    assert told in found["error"]
    assert found["remediation"] == "wait, and ask again: rpcli ssh info p1"
    assert "ssh_command" not in found


def test_a_mapping_counts_although_it_is_not_declared():
    assert reason(classic_pod([NOT_PUBLIC], declared_ports=())) == "port_not_public"
    assert reason(classic_pod([port(ip=None)], declared_ports=())) == "port_not_mapped"


@pytest.mark.parametrize("pod", [classic_pod([NOT_PUBLIC]), v2_pod(None, [NOT_PUBLIC])])
def test_a_port_at_an_address_that_is_not_public(pod):
    # A20
    found = document(pod)
    assert found["reason"] == "port_not_public"
    assert found["error"] == "pod not ready: port 22 is mapped to an address that is not public"
    assert not {"ssh_command", "argv", "ip", "port"} & found.keys()


@pytest.mark.parametrize("ip", ["1.2.3.4; rm -rf ~", "-oProxyCommand=id", "a b", "$(id)", "a\nb"])
@pytest.mark.parametrize(
    "make", [lambda ip: classic_pod([port(ip=ip)]), lambda ip: v2_pod(DIRECT._replace(host=ip))]
)
def test_no_command_is_built_from_what_is_no_address(make, ip):
    found = document(make(ip))
    assert found["reason"] == "address_unusable"
    assert ip not in str(found)
    assert "ssh_command" not in found


@pytest.mark.parametrize("pod_id", ["a b", "-x", "a,b", "*", "a\nb"])
def test_no_command_is_built_from_an_id_that_could_mean_more(pod_id):
    found = document(classic_pod([port()], id=pod_id))
    assert found["reason"] == "address_unusable"
    assert "ssh_command" not in found


# ------------------------------------------------------------ the proxy


def test_the_proxy_is_offered_beside_both_answers():
    # A20
    for ports in ([port()], [NOT_PUBLIC], []):
        found = document(classic_pod(ports, ssh_proxy=PROXY), key=KEY)
        assert found["proxy_command"] == f"ssh -i {KEY.path} p1-64411eb2@ssh.runpod.io"


@pytest.mark.parametrize("status", ["initializing", "stopped", "terminated", "unknown"])
def test_the_proxy_is_not_offered_for_a_pod_that_does_not_run(status):
    found = document(classic_pod([port()], ssh_proxy=PROXY), PodState(status))
    assert "proxy_command" not in found


def test_a_proxy_that_cannot_be_right_is_left_out():
    found = document(classic_pod([port()], ssh_proxy=PROXY._replace(user="-oProxyCommand=id")))
    assert found["ready"] is True
    assert "proxy_command" not in found


# ------------------------------------------------------------ not running


def test_a_stopped_pod_has_no_address_whatever_stale_ports_say():
    # F11
    pod = classic_pod([port()], state_status="EXITED", last_status_change="Exited by user: x")
    found = document(pod, state_of(pod, None))
    assert found == {
        "id": "p1",
        "name": "a",
        "ready": False,
        "status": "stopped",
        "error": "pod not ready: it was stopped by its user",
        "reason": "stopped_by_user",
        "remediation": "start the pod: its address and port will be new ones",
    }


REASONS = [
    ("initializing", "provisioning", "it is waiting for a machine"),
    ("initializing", "starting", "its container is starting"),
    ("initializing", "restarting", "its container is restarting"),
    ("initializing", "awaiting_container", "its container does not report yet"),
    ("initializing", "host_maintenance", "its machine is in a maintenance window"),
    ("initializing", None, "it is initializing"),
    ("stopped", "stopped_by_user", "it was stopped by its user"),
    ("stopped", "stopped_by_runpod", "it was stopped by RunPod"),
    ("stopped", "stopped_outbid", "it was outbid and stopped"),
    ("stopped", "container_error", "its container is in an error"),
    ("stopped", "dead", "it is dead"),
    ("stopped", None, "it is stopped"),
    ("terminated", "terminated_by_user", "it was terminated by its user"),
    ("terminated", "terminated_by_runpod", "it was terminated by RunPod"),
    ("terminated", "terminated_outbid", "it was outbid and terminated"),
    ("terminated", None, "it is terminated"),
    ("unknown", "runtime_unavailable", "what it is doing could not be learned"),
    ("unknown", "runtime_forbidden", "this API key may not see what it is doing"),
    ("unknown", "not_in_snapshot", "does not tell what it is doing"),
    ("unknown", "unrecognized_status", "its status 'RUNNING' is none that this rpcli knows"),
    ("unknown", None, "what it is doing is unknown"),
    ("stopped", "a_reason_of_tomorrow", "it is stopped"),
]


@pytest.mark.parametrize(("status", "why", "told"), REASONS)
def test_the_reason_is_that_of_the_runtime_state(status, why, told):
    found = document(classic_pod([port()]), PodState(status, why))
    assert found["ready"] is False
    assert found["status"] == status
    assert found["reason"] == (why or status)
    assert found["error"].startswith("pod not ready: ")
    assert told in found["error"]
    assert found["remediation"]


def test_every_reason_that_the_state_can_have_is_told():
    told = {(status, why) for status, why, _ in REASONS}
    for line in filter(None, TABLE.splitlines()):
        status, why = line.split()[-2:]
        if status != "running":
            assert (status, None if why == "-" else why.removesuffix("...")) in told


def test_the_four_shapes_of_a_runtime_are_told_apart():
    # A03
    no_runtime = classic_pod(signal=RuntimeSignal.ABSENT, runtime=None)
    assert state_of(no_runtime, None) == PodState("initializing", "awaiting_container")
    assert reason(no_runtime, state_of(no_runtime, None)) == "awaiting_container"
    for ports in ([], None):
        pod = classic_pod(ports, uptime=0)
        assert reason(pod, state_of(pod, None)) == "port_not_mapped"


def test_a_document_never_has_null_and_is_never_both():
    chance = random.Random(7)
    for _ in range(2_000):
        pod = classic_pod(
            [
                port(
                    chance.choice([22, 2222]),
                    chance.choice([None, 22017]),
                    chance.choice(["tcp", "udp", "http"]),
                    chance.choice([None, "203.0.113.7", "x y", "100.65.0.1"]),
                    chance.choice([None, True, False]),
                )
                for _ in range(chance.randrange(4))
            ],
            ssh_proxy=chance.choice([None, PROXY]),
            declared_ports=chance.choice([(), ("22/tcp",), ("8888/http",)]),
        )
        found = document(
            pod, chance.choice([RUNNING, PodState("stopped")]), chance.choice([KEY, NO_KEY])
        )
        assert None not in found.values()
        assert ("ssh_command" in found) is found["ready"] is ("error" not in found)
