"""REST v2: recorded bodies become snapshots, and what is no pod is refused by name."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from planes_stub import bodies

from rpcli.controlplane.fields import Fields, Problems
from rpcli.controlplane.graphql_mapping import Reason
from rpcli.controlplane.v2_envelopes import find_network_volume, read_keys, read_page
from rpcli.controlplane.v2_mapping import (
    DESIRED,
    read_detail,
    read_network_volume_id,
    read_pods,
    read_snapshot,
    with_reasons,
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
from rpcli.errors import UnexpectedResponse

PROXY = SshEndpoint("ssh.runpod.io", 22, "7h9k2m4n6p-64411eb2")
RUNNING = PodSnapshot(
    id="7h9k2m4n6p",
    name="pytorch-training",
    generation="v2",
    desired_status="RUNNING",
    state_status="RUNNING",
    signal=RuntimeSignal.PRESENT,
    runtime=Runtime(
        3600,
        (
            Port(22, 34446, "tcp", "195.26.233.3", None),
            Port(8888, 60141, "http", None, None),
        ),
    ),
    platform_status="RUNNING",
    image="runpod/pytorch:1.0.2-cu1281-torch280-ubuntu2404",
    gpu_id="NVIDIA GeForce RTX 4090",
    gpu_count=1,
    volume_gb=20,
    cost_per_hr=0.44,
    created_at=datetime(2026, 6, 1, 12, tzinfo=UTC),
    declared_ports=("8888/http", "22/tcp"),
    ssh_direct=SshEndpoint("195.26.233.3", 34446, "root"),
    ssh_proxy=PROXY,
)


def the_pods() -> list[Any]:
    return read_page(bodies("v2-pods")).elements


def a_pod(**changes: object) -> dict[str, Any]:
    return {**the_pods()[0], **changes}


def snapshot(**changes: object) -> tuple[PodSnapshot, str | None]:
    problems = Problems()
    return read_snapshot(Fields(a_pod(**changes), "pod", problems)), problems.summary()


def test_a_recorded_list_becomes_snapshots_in_its_order() -> None:
    problems = Problems()
    running, pulling, stopped, cpu = read_pods(the_pods(), problems)
    assert problems.summary() is None
    assert running == RUNNING
    assert (pulling.desired_status, pulling.platform_status) == ("RUNNING", "PROVISIONING")
    assert (pulling.signal, pulling.runtime) == (RuntimeSignal.ABSENT, None)
    assert (pulling.gpu_id, pulling.gpu_count) == ("NVIDIA A40", 1)
    assert (pulling.ssh_direct, pulling.ssh_proxy) == (None, None)
    assert (stopped.desired_status, stopped.cost_per_hr) == ("EXITED", None)
    assert (stopped.ssh_direct, stopped.ssh_proxy) == (None, PROXY)
    assert (cpu.gpu_id, cpu.gpu_count, cpu.volume_gb) == (None, 0, 0)
    assert cpu.runtime == Runtime(0, ())
    now = datetime(2026, 12, 1, tzinfo=UTC)
    assert [state_of(pod, now) for pod in (running, pulling, stopped, cpu)] == [
        PodState("running"),
        PodState("initializing", "provisioning"),
        PodState("stopped"),
        PodState("running"),
    ]


def test_a_recorded_pod_becomes_a_detail() -> None:
    problems = Problems()
    cpu = the_pods()[3]
    detail = read_detail(cpu, Reason(), problems, account_keys=("k",), network_volume={"id": "v"})
    assert problems.summary() is None
    assert detail == PodDetail(
        snapshot=read_snapshot(Fields(cpu, "pod", problems)),
        account_keys=("k",),
        env={"MODEL_NAME": "llama-3"},
        container_disk_gb=50,
        volume_mount_path="/runpod-volume",
        network_volume_id="agv6w2qcg7",
        template_id="9x4m2p7v",
        registry_id="clzdaifot0001",
        args="python -m work",
        vcpu_count=4,
        memory_gb=16,
        locked=True,
        started_at=datetime(2026, 6, 1, 12, 2, tzinfo=UTC),
        cloud="COMMUNITY",
        data_center_id="US-KS-2",
        cuda_version="12.8",
        actions=("stop", "restart", "terminate"),
        network_volume={"id": "v"},
    )
    running = read_detail(the_pods()[0], Reason(), problems)
    assert (running.volume_mount_path, running.network_volume_id) == ("/workspace", None)
    assert (running.args, running.locked, running.vcpu_count) == (None, False, None)


def test_reasons_of_graphql_are_put_to_their_pods() -> None:
    window = Maintenance(start=datetime(2026, 12, 1, tzinfo=UTC))
    reasons = {
        "x3exited00000": Reason("Exited by RunPod: Insufficient balance"),
        "k1provision00": Reason(None, window),
        "nobody": Reason("Exited by User"),
    }
    _, pulling, stopped, _ = with_reasons(read_pods(the_pods(), Problems()), reasons)
    now = datetime(2026, 12, 1, 1, tzinfo=UTC)
    assert state_of(pulling, now) == PodState("initializing", "host_maintenance")
    assert state_of(stopped, now) == PodState("stopped", "stopped_by_runpod")
    machine = {"location": "US"}
    assert read_detail(a_pod(), Reason(machine=machine), Problems()).machine == machine


@pytest.mark.parametrize(("status", "desired"), [*DESIRED.items(), ("HIBERNATING", "HIBERNATING")])
def test_a_status_has_the_contracts_word_and_the_platforms(status: str, desired: str) -> None:
    pod, _ = snapshot(status=status)
    assert (pod.desired_status, pod.platform_status, pod.state_status) == (desired, status, status)
    assert (pod.cost_per_hr is None) == (status in ("EXITED", "TERMINATED"))
    recognized = state_of(pod, None) != PodState("unknown", "unrecognized_status")
    assert recognized == (status in DESIRED)


@pytest.mark.parametrize(
    ("runtime", "signal"),
    [
        (None, RuntimeSignal.ABSENT),
        ({}, RuntimeSignal.ABSENT),
        ({"uptime": 0}, RuntimeSignal.PRESENT),
        ({"ports": []}, RuntimeSignal.PRESENT),
        ({"uptime": None, "ports": None}, RuntimeSignal.PRESENT),
        (["uptime"], RuntimeSignal.UNAVAILABLE),
    ],
)
def test_an_empty_runtime_is_none(runtime: object, signal: RuntimeSignal) -> None:
    pod, summary = snapshot(runtime=runtime)
    assert pod.signal is signal
    assert (summary is not None) == (signal is RuntimeSignal.UNAVAILABLE)
    del (bare := a_pod())["runtime"]
    assert read_snapshot(Fields(bare, "pod", Problems())).signal is RuntimeSignal.ABSENT


def test_zero_is_a_value_and_no_list_of_ports_is_told_from_an_empty_one() -> None:
    pod, _ = snapshot(runtime={"uptime": 0, "ports": None})
    assert pod.runtime == Runtime(0, None)
    pod, _ = snapshot(runtime={"uptime": 12, "ports": []})
    assert pod.runtime == Runtime(12, ())


def test_numbers_are_read_as_they_come_and_the_rest_is_reported() -> None:
    """E07, B26: 1.0 is an integer, digits are a port, and the list is not lost for the others."""
    port = {"private": 22.0, "public": "22001", "type": "TCP", "ip": ""}
    ports = [port, None, {"public": 1, "type": "tcp"}]
    pod, summary = snapshot(gpu={"id": "a", "count": 2.0}, runtime={"uptime": 7.0, "ports": ports})
    assert pod.gpu_count == 2
    assert type(pod.gpu_count) is int
    assert pod.runtime == Runtime(7, (Port(22, 22001, "tcp", None, None),))
    assert summary == "pod.runtime.ports[1]: null was skipped"
    pod, summary = snapshot(gpu={"id": "a", "count": True}, cost=float("inf"), name=5)
    assert (pod.gpu_count, pod.cost_per_hr, pod.name) == (0, None, "")
    assert summary is not None
    reported = sorted(part.partition(":")[0] for part in summary.split("; "))
    assert reported == ["pod.cost", "pod.gpu.count", "pod.name"]
    pod, summary = snapshot(gpu={"id": "a", "count": "1"})
    assert pod.gpu_count == 1
    assert summary == "pod.gpu.count: an integer was expected, a text came"


@pytest.mark.parametrize(
    ("changes", "complete"),
    [
        ({}, True),
        ({"host": ""}, False),
        ({"port": None}, False),
        ({"port": "22001"}, True),
        ({"username": None}, False),
    ],
)
def test_an_address_for_ssh_is_whole_or_none(changes: dict[str, object], complete: bool) -> None:
    direct = {**a_pod()["ssh"]["direct"], **changes}
    pod, _ = snapshot(ssh={"direct": direct, "proxy": None})
    assert (pod.ssh_direct is not None) == complete
    assert pod.ssh_proxy is None


def test_only_what_the_api_gives_is_there() -> None:
    """A30: what is missing is unknown, and never the text None."""
    problems = Problems()
    detail = read_detail({"id": "p1"}, Reason(), problems)
    assert detail == PodDetail(
        snapshot=PodSnapshot(
            id="p1",
            name="",
            generation="v2",
            desired_status="",
            state_status="",
            signal=RuntimeSignal.ABSENT,
        )
    )
    # Without a status nothing can be told of it: that alone is worth a note.
    assert problems.summary() == "pod.status: a text was expected, none came"


@pytest.mark.parametrize(
    ("env", "found", "reported"),
    [
        ({"PUBLIC_KEY": "null"}, {"PUBLIC_KEY": "null"}, None),
        (["PUBLIC_KEY=null", "A=b=c", "E="], {"PUBLIC_KEY": "null", "A": "b=c", "E": ""}, None),
        (None, {}, None),
        ({}, {}, None),
        ({"A": 1, "B": None, "C": "c"}, {"A": "1", "C": "c"}, "pod.env.B: "),
        (["secret", "A=1", "=x", None], {"A": "1"}, "pod.env[0]: "),
        ("A=1", {}, "pod.env: "),
    ],
)
def test_an_environment_is_a_map_a_list_or_nothing(
    env: object, found: dict[str, str], reported: str | None
) -> None:
    """A22: and what cannot be read is reported without its value."""
    problems = Problems()
    assert read_detail(a_pod(env=env), Reason(), problems).env == found
    summary = problems.summary()
    assert (summary is None) == (reported is None)
    assert "secret" not in (summary or "")
    assert (summary or "").startswith(reported or "")


@pytest.mark.parametrize(
    ("ports", "found"),
    [
        (["8888/http", "22/tcp"], ("8888/http", "22/tcp")),
        ("8888/http, 22/tcp ,8888/http", ("8888/http", "22/tcp")),
        ("", ()),
        (None, ()),
        ([" 8888/http", "", None, 22], ("8888/http",)),
    ],
)
def test_declared_ports_are_a_list_or_a_text(ports: object, found: tuple[str, ...]) -> None:
    """A19: in a stable order, without blanks and without doubles."""
    pod, _ = snapshot(ports=ports)
    assert pod.declared_ports == found


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ([], "an object with 'pods' was expected, and a list came"),
        (None, "an object with 'pods' was expected, and null came"),
        ({}, "a list under 'pods' was expected, and null came"),
        ({"pods": {}}, "a list under 'pods' was expected, and an object came"),
        ({"pods": [], "pagination": []}, "an object under 'pagination' was expected"),
        ({"pods": [], "pagination": {"hasNextPage": True}}, "a text as 'nextCursor'"),
        ({"pods": [], "pagination": {"hasNextPage": True, "nextCursor": ""}}, "'nextCursor'"),
        ({"pods": [], "pagination": {"hasNextPage": True, "nextCursor": 2}}, "a number came"),
    ],
)
def test_what_is_no_page_is_refused(body: object, said: str) -> None:
    with pytest.raises(UnexpectedResponse) as caught:
        read_page(body)
    assert said in caught.value.message
    assert caught.value.api == "v2"


@pytest.mark.parametrize(
    ("pagination", "cursor"),
    [
        (None, None),
        ({}, None),
        ({"hasNextPage": False, "nextCursor": "c"}, None),
        ({"hasNextPage": True, "nextCursor": "c"}, "c"),
        ({"nextCursor": "c"}, "c"),
    ],
)
def test_a_page_knows_its_next(pagination: object, cursor: str | None) -> None:
    assert read_page({"pods": [], "pagination": pagination}).cursor == cursor


@pytest.mark.parametrize(
    ("element", "said"),
    [
        ("p1", "pods[1]: a pod was expected, and a text came"),
        ([], "pods[1]: a pod was expected, and a list came"),
        ({}, "pods[1].id: a text was expected, and null came"),
        ({"id": ""}, "pods[1].id: a text was expected, and a text came"),
        ({"id": 5, "env": {"K": "secret"}}, "pods[1].id: a text was expected, and a number came"),
    ],
)
def test_what_is_no_pod_is_refused(element: object, said: str) -> None:
    with pytest.raises(UnexpectedResponse) as caught:
        read_pods([None, element], Problems())
    assert caught.value.message == said
    with pytest.raises(UnexpectedResponse):
        read_detail(element, Reason(), Problems())


def test_a_null_among_the_pods_is_skipped_and_reported() -> None:
    problems = Problems()
    assert [pod.id for pod in read_pods([None, a_pod()], problems, first=1000)] == ["7h9k2m4n6p"]
    assert problems.summary() == "pods[1000]: null was skipped"


def test_keys_are_a_list_of_texts() -> None:
    assert read_keys({"keys": [" a b \n", "", None, "c d"]}) == ("a b", "c d")
    assert read_keys({"keys": []}) == ()
    bad: tuple[object, ...] = ([], None, {}, {"keys": "a"})
    for body in bad:
        with pytest.raises(UnexpectedResponse, match="under 'keys'"):
            read_keys(body)


def test_the_volume_of_a_pod_is_found_among_the_accounts() -> None:
    problems = Problems()
    wanted = read_network_volume_id(the_pods()[3], problems)
    assert wanted == "agv6w2qcg7"
    assert read_network_volume_id(the_pods()[0], problems) is None
    found = find_network_volume(bodies("v2-network-volumes"), wanted, problems)
    assert found == {
        "id": "agv6w2qcg7",
        "name": "my-dataset",
        "sizeInGb": 50,
        "dataCenterId": "EU-RO-1",
        "type": "standard",
    }
    assert find_network_volume({"networkVolumes": [None]}, wanted, problems) is None
    bad: tuple[object, ...] = ([], {}, {"networkVolumes": None})
    for body in bad:
        with pytest.raises(UnexpectedResponse, match="networkVolumes"):
            find_network_volume(body, wanted, problems)
