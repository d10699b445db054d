"""REST v1 and GraphQL: recorded bodies become snapshots, and each pod has one decider."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from planes_stub import bodies

from rpcli.controlplane.classic_mapping import (
    RuntimeSource,
    is_running,
    read_detail,
    read_list,
    read_snapshot,
    snapshot_from_graphql,
)
from rpcli.controlplane.fields import Fields, Problems
from rpcli.controlplane.graphql_mapping import (
    Account,
    Reason,
    read_account,
    read_reason,
    read_reasons,
)
from rpcli.domain.pod import (
    Maintenance,
    PodDetail,
    PodSnapshot,
    Port,
    Runtime,
    RuntimeSignal,
    SshEndpoint,
)
from rpcli.domain.podstate import PodState, state_of
from rpcli.errors import GraphqlError, UnexpectedResponse

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
KEYS = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILXGDN/SclOozk1xsDztpmhGiKkkrfQB9SKoO8dSIQQZ "
    "me@example.com",
    "ssh-rsa AAAA other",
)


def the_account() -> Account:
    return read_account(bodies("graphql-account"), Problems())


def account(**node: object) -> Account:
    """An account with one pod, p1, that is as given."""
    pods = [{"id": "p1", "name": "a", **node}]
    return read_account({"myself": {"pods": pods}}, Problems())


def snapshot(source: RuntimeSource = RuntimeSignal.NOT_ASKED, **fields: object) -> PodSnapshot:
    pod = {"id": "p1", "desiredStatus": "RUNNING", **fields}
    return read_snapshot(Fields(pod, "pod", Problems()), source)


def test_a_recorded_list_and_account_become_snapshots() -> None:
    problems = Problems()
    pods = read_list(bodies("v1-pods"), problems)
    running, stopped, old = (read_snapshot(pod, the_account()) for pod in pods)
    assert problems.summary() is None
    assert running == PodSnapshot(
        id="xedezhzb9la3ye",
        name="pytorch-training",
        generation="classic",
        desired_status="RUNNING",
        state_status="RUNNING",
        signal=RuntimeSignal.PRESENT,
        runtime=Runtime(
            3931,
            (
                Port(8888, 60141, "http", "100.65.0.101", False),
                Port(22, 34446, "tcp", "195.26.233.3", True),
            ),
        ),
        image="runpod/pytorch:2.1.0-py3.10-cuda11.8.0-devel-ubuntu22.04",
        gpu_id="NVIDIA GeForce RTX 4090",
        gpu_count=1,
        volume_gb=20,
        cost_per_hr=0.74,
        last_status_change=(
            "Rented by User: Wed Jul 29 2026 21:51:59 GMT+0000 (Coordinated Universal Time)"
        ),
        declared_ports=("8888/http", "22/tcp"),
        ssh_proxy=SshEndpoint("ssh.runpod.io", 22, "xedezhzb9la3ye-64410065"),
    )
    assert stopped.signal is RuntimeSignal.NOT_ASKED
    assert stopped.runtime is None
    assert stopped.maintenance is not None
    assert stopped.maintenance.note == "disks"
    assert old == PodSnapshot(
        id="ldl1dxirsim64n",
        name="a client's view",
        generation="classic",
        desired_status="RUNNING",
        state_status="RUNNING",
        signal=RuntimeSignal.ABSENT,
        image="ubuntu:24.04",
        gpu_id="NVIDIA A40",
        gpu_count=2,
        cost_per_hr=1,
        created_at=datetime.fromtimestamp(1790000000, UTC),
        last_status_change=(
            "Rented by User: Wed Jul 29 2026 21:51:59 GMT+0000 (Coordinated Universal Time)"
        ),
        declared_ports=("8888/http", "2222/tcp"),
        maintenance=Maintenance(start=datetime(2026, 12, 1, tzinfo=UTC), note="new disks"),
    )
    assert [state_of(pod, NOW) for pod in (running, stopped, old)] == [
        PodState("running"),
        PodState("stopped", "stopped_by_runpod"),
        PodState("initializing", "host_maintenance"),
    ]


def test_a_recorded_pod_becomes_a_detail() -> None:
    problems = Problems()
    _, stopped, old = bodies("v1-pods")
    detail = read_detail(stopped, the_account(), problems, with_network_volume=True)
    assert problems.summary() is None
    assert detail == PodDetail(
        snapshot=read_snapshot(Fields(stopped, "pod", problems), the_account()),
        account_keys=KEYS,
        env={"MODEL_NAME": "llama-3"},
        container_disk_gb=50,
        volume_mount_path="/workspace",
        network_volume_id="agv6w2qcg7",
        registry_id="clzdaifot0001l90809257ynb",
        args="python -m 'serve it'",
        vcpu_count=24,
        memory_gb=62,
        machine_id="s194cr8pls2z",
        locked=False,
        started_at=datetime(2026, 10, 2, 5, 28, 38, 366000, tzinfo=UTC),
        machine={
            "location": "US",
            "dataCenterId": "US-KS-2",
            "gpuTypeId": "NVIDIA A40",
            "gpuDisplayName": "A40",
            "gpuAvailable": 2,
            "diskThroughputMBps": 900,
            "costPerHr": 0,
            "secureCloud": True,
            "supportPublicIp": True,
        },
        network_volume={
            "id": "agv6w2qcg7",
            "name": "my network volume",
            "sizeInGb": 50,
            "dataCenterId": "EU-RO-1",
        },
    )
    assert read_detail(stopped, the_account(), problems).network_volume is None
    client = read_detail(old, RuntimeSignal.UNAVAILABLE, problems, with_network_volume=True)
    assert client.env == {"PUBLIC_KEY": "null", "A": "b=c"}
    assert (client.args, client.account_keys) == ("sleep infinity", None)
    assert (client.machine, client.network_volume, client.network_volume_id) == (None, None, None)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"volumeInGb": 20}, "/workspace"),
        ({"volumeInGb": 0}, None),
        ({"networkVolume": {"id": "v1"}}, "/workspace"),
        ({"networkVolumeId": "v1"}, "/workspace"),
    ],
)
def test_a_path_is_told_where_something_is_mounted(
    fields: dict[str, object], path: str | None
) -> None:
    body = {"id": "p1", "desiredStatus": "EXITED", "volumeMountPath": "/workspace", **fields}
    detail = read_detail(body, RuntimeSignal.UNAVAILABLE, Problems())
    assert detail.volume_mount_path == path


@pytest.mark.parametrize("signal", [RuntimeSignal.UNAVAILABLE, RuntimeSignal.FORBIDDEN])
def test_without_graphql_a_running_pod_is_unknown_and_another_derives_from_rest(
    signal: RuntimeSignal,
) -> None:
    running = snapshot(signal)
    assert (running.signal, running.runtime) == (signal, None)
    assert state_of(running, NOW).status == "unknown"
    stopped = snapshot(signal, desiredStatus="EXITED", lastStatusChange="Exited by user")
    assert stopped.signal is RuntimeSignal.NOT_ASKED
    assert state_of(stopped, NOW) == PodState("stopped", "stopped_by_user")


def test_graphql_decides_for_a_pod_that_rest_calls_running() -> None:
    """F11: and its stale ports are kept, for the state to rule out."""
    stale = {"uptimeInSeconds": 99, "ports": []}
    node = {"desiredStatus": "EXITED", "lastStatusChange": "Exited by User: x", "runtime": stale}
    pod = snapshot(account(**node), lastStatusChange="Rented by User: y")
    assert (pod.desired_status, pod.state_status) == ("RUNNING", "EXITED")
    assert pod.last_status_change == "Exited by User: x"
    assert state_of(pod, NOW) == PodState("stopped", "stopped_by_user")


def test_rest_decides_for_a_pod_that_it_does_not_call_running() -> None:
    node = {
        "desiredStatus": "RUNNING",
        "lastStatusChange": "Rented by User: x",
        "runtime": {"uptimeInSeconds": 5, "ports": []},
        "machine": {"podHostId": "p1-64"},
    }
    pod = snapshot(account(**node), desiredStatus="EXITED", lastStatusChange="Exited by RunPod: y")
    alone = snapshot(desiredStatus="EXITED", lastStatusChange="Exited by RunPod: y")
    assert pod.last_status_change == "Exited by RunPod: y"
    assert state_of(pod, NOW) == state_of(alone, NOW) == PodState("stopped", "stopped_by_runpod")
    assert pod.runtime is None
    # It is no state: the proxy is told by whoever knows it.
    assert pod.ssh_proxy == SshEndpoint("ssh.runpod.io", 22, "p1-64")


def test_a_pod_that_the_snapshot_lacks_is_told() -> None:
    pod = snapshot(read_account({"myself": {"pods": []}}, Problems()))
    assert state_of(pod, NOW) == PodState("unknown", "not_in_snapshot")


@pytest.mark.parametrize(
    ("rest", "graphql", "found"),
    [
        ("Rented by User: a", "Rented by User: b", "Rented by User: b"),
        ("Rented by User: a", None, "Rented by User: a"),
        ("Rented by User: a", "", "Rented by User: a"),
        ("Rented by User: a", 1785362208, "Rented by User: a"),
        (None, None, None),
        (5, None, 5),
    ],
)
def test_the_last_change_is_graphqls_where_it_is_a_sentence(
    rest: object, graphql: object, found: object
) -> None:
    node = account(desiredStatus="RUNNING", lastStatusChange=graphql)
    assert snapshot(node, lastStatusChange=rest).last_status_change == found


def test_a_status_that_graphql_leaves_out_is_rests() -> None:
    pod = snapshot(account(desiredStatus=None, runtime=None))
    assert state_of(pod, NOW) == PodState("initializing", "awaiting_container")


@pytest.mark.parametrize(
    ("node", "state", "runtime"),
    [
        ({"runtime": None}, PodState("initializing", "awaiting_container"), None),
        ({}, PodState("initializing", "awaiting_container"), None),
        ({"runtime": {"uptimeInSeconds": 0, "ports": []}}, PodState("running"), Runtime(0, ())),
        (
            {"runtime": {"uptimeInSeconds": 12, "ports": None}},
            PodState("running"),
            Runtime(12, None),
        ),
        ({"runtime": {}}, PodState("running"), Runtime(None, None)),
        ({"runtime": "up"}, PodState("unknown", "runtime_unavailable"), None),
    ],
)
def test_the_shapes_of_runtime_are_told_apart(
    node: dict[str, object], state: PodState, runtime: Runtime | None
) -> None:
    """A03: a dead field beside it, uptimeSeconds, is never read."""
    pod = snapshot(account(desiredStatus="RUNNING", uptimeSeconds=0, **node), uptimeSeconds=0)
    assert state_of(pod, NOW) == state
    assert pod.runtime == runtime


def test_every_field_of_graphql_may_be_null() -> None:
    """A04, A30, F02: ports without a number are skipped, the order stays, no text is None."""
    ports = [
        None,
        {"ip": "", "isIpPublic": True, "privatePort": 22, "publicPort": None, "type": "tcp"},
        {
            "ip": None,
            "isIpPublic": None,
            "privatePort": "2222",
            "publicPort": 22001.0,
            "type": None,
        },
        {"ip": "1.2.3.4", "privatePort": None, "publicPort": 1, "type": "tcp"},
    ]
    node = account(
        desiredStatus="RUNNING", ports=None, runtime={"ports": ports}, machine=None, name=None
    ).pods["p1"]
    assert node.runtime == Runtime(
        None, (Port(22, None, "tcp", None, True), Port(2222, 22001, "", None, None))
    )
    assert (node.name, node.declared_ports, node.maintenance, node.ssh_proxy) == (
        "",
        (),
        None,
        None,
    )


def test_snapshots_for_ssh_are_graphqls_own() -> None:
    pods = [snapshot_from_graphql(pod) for pod in the_account().pods.values()]
    assert [(pod.id, state_of(pod, NOW).status) for pod in pods] == [
        ("xedezhzb9la3ye", "running"),
        ("50qynxzilsxoey", "stopped"),
        ("ldl1dxirsim64n", "initializing"),
    ]
    assert pods[0].declared_ports == ("8888/http", "22/tcp")
    assert pods[0].name == "pytorch-training"


def test_keys_of_the_account_are_lines_of_one_text() -> None:
    assert the_account().keys == KEYS
    for text, keys in ((None, ()), ("", ()), ("\n a b \r\n\n", ("a b",)), (5, None)):
        found = read_account({"myself": {"pubKey": text, "pods": []}}, Problems())
        assert found.keys == keys
    assert read_account({"myself": {"pods": []}}, Problems()).keys is None


def test_an_account_that_cannot_be_read_is_told() -> None:
    with pytest.raises(GraphqlError) as caught:
        read_account({"myself": None}, Problems())
    assert (caught.value.error_code, caught.value.api) == ("unauthorized", "graphql")
    bad: tuple[object, ...] = (None, {}, "x")
    for pods in bad:
        with pytest.raises(UnexpectedResponse, match="list of pods was expected"):
            read_account({"myself": {"pods": pods}}, Problems())
    problems = Problems()
    found = read_account({"myself": {"pods": [None, {"id": None}, {"id": "p1"}]}}, problems)
    assert list(found.pods) == ["p1"]
    assert problems.summary() == "graphql.myself.pods[0]: null was skipped"


def test_reasons_are_read_for_all_and_for_one() -> None:
    machine: dict[str, Any] = {
        "maintenanceStart": "2026-12-01T00:00:00Z",
        "maintenanceEnd": "not a date",
        "maintenanceNote": "",
        "diskMBps": 500,
        "note": None,
        "maxUploadSpeedMbps": 10.0,
    }
    window = Maintenance(start=datetime(2026, 12, 1, tzinfo=UTC))
    pod = {"id": "p1", "lastStatusChange": "Outbid: x", "machine": machine}
    problems = Problems()
    found = read_reasons({"myself": {"pods": [pod, {"id": "p2"}]}}, problems)
    assert found == {"p1": Reason("Outbid: x", window), "p2": Reason()}
    assert problems.summary() == (
        "graphql.myself.pods[0].machine.maintenanceEnd: a time was expected"
    )
    one = read_reason({"pod": pod}, Problems())
    assert one == Reason("Outbid: x", window, {"diskThroughputMBps": 500, "maxUploadSpeedMbps": 10})
    assert read_reason({"pod": None}, Problems()) == Reason()
    assert read_reason({}, Problems()) == Reason()


def test_a_list_is_an_array_or_one_under_pods() -> None:
    pod = {"id": "p1", "desiredStatus": "EXITED"}
    for body in ([pod, None], {"pods": [pod, None]}):
        problems = Problems()
        (found,) = read_list(body, problems)
        assert found.raw == pod
        assert not is_running(found)
        assert problems.summary() == "pods[1]: null was skipped"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (None, "the list of pods: a list was expected, and null came"),
        ({}, "the list of pods: a list was expected, and null came"),
        ({"pods": "x"}, "the list of pods: a list was expected, and a text came"),
        (["x"], "pods[0]: a pod was expected, and a text came"),
        ([{"name": "x"}], "pods[0].id: a text was expected, and null came"),
    ],
)
def test_what_is_no_list_of_pods_is_refused(body: object, said: str) -> None:
    with pytest.raises(UnexpectedResponse) as caught:
        read_list(body, Problems())
    assert (caught.value.message, caught.value.api) == (said, "v1")


def test_what_is_no_pod_is_refused() -> None:
    """A18: a list where one pod was asked for is no pod."""
    with pytest.raises(UnexpectedResponse, match="pod: a pod was expected, and a list came"):
        read_detail([{"id": "p1"}], RuntimeSignal.UNAVAILABLE, Problems())
