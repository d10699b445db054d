"""Pods as documents, and as rows for people."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from snapshots import classic_pod

from rpcli.domain.pod import Maintenance, PodDetail
from rpcli.domain.podstate import PodState
from rpcli_pod.view import (
    DETAIL_FIELDS,
    LIST_FIELDS,
    MASK,
    detail_document,
    env_note,
    human_detail,
    human_row,
    list_document,
    undated_note,
)

NOW = datetime(2026, 12, 1, 8, tzinfo=UTC)
RUNNING = PodState("running")
FULL = classic_pod(
    uptime=90_061,
    platform_status="RUNNING",
    image="runpod/base:1.0",
    gpu_id="NVIDIA A40",
    gpu_count=2,
    volume_gb=50,
    cost_per_hr=0.69,
    created_at=NOW,
    last_status_change="Rented by User: today",
)
DETAIL = PodDetail(
    snapshot=FULL._replace(maintenance=Maintenance(NOW, NOW, "new disks")),
    env={"TOKEN": "secret", "EMPTY": ""},
    container_disk_gb=20,
    volume_mount_path="/workspace",
    network_volume_id="nv1",
    template_id="t1",
    registry_id="r1",
    args="sleep infinity",
    vcpu_count=8,
    memory_gb=62.5,
    machine_id="m1",
    locked=False,
    started_at=NOW,
    cloud="SECURE",
    data_center_id="US-KS-2",
    cuda_version="12.8",
    actions=("stop", "restart"),
    machine={"id": "m1"},
    network_volume={"id": "nv1"},
)
SSH = {"id": "p1", "name": "a", "ready": True, "argv": ["ssh"], "host_key_alias": "p1"}


def test_a_full_document_has_every_field_in_its_order():
    document = list_document(FULL, PodState("running", "why"))
    assert document == {
        "id": "p1",
        "name": "a",
        "desiredStatus": "RUNNING",
        "runtimeStatus": "running",
        "runtimeStatusReason": "why",
        "platformStatus": "RUNNING",
        "imageName": "runpod/base:1.0",
        "gpuId": "NVIDIA A40",
        "gpuCount": 2,
        "volumeInGb": 50,
        "costPerHr": 0.69,
        "createdAt": "2026-12-01T08:00:00Z",
        "lastStatusChange": "Rented by User: today",
        "uptimeSeconds": 90_061,
    }
    assert tuple(document) == LIST_FIELDS


def test_what_is_unknown_is_absent():
    assert list_document(classic_pod(runtime=None, name=""), PodState("stopped")) == {
        "id": "p1",
        "name": "",
        "desiredStatus": "RUNNING",
        "runtimeStatus": "stopped",
        "imageName": "",
        "gpuCount": 0,
        "volumeInGb": 0,
    }


def test_an_uptime_of_zero_is_a_value():
    # A03
    assert list_document(classic_pod(uptime=0), RUNNING)["uptimeSeconds"] == 0


@pytest.mark.parametrize("status", ["initializing", "stopped", "terminated", "unknown"])
def test_only_what_runs_has_an_uptime(status):
    # F11
    assert "uptimeSeconds" not in list_document(classic_pod(uptime=7), PodState(status))


def test_an_uptime_that_was_not_told_is_absent():
    assert "uptimeSeconds" not in list_document(classic_pod(uptime=None), RUNNING)


@pytest.mark.parametrize("change", [None, "", 5, [], {}])
def test_a_last_change_that_is_no_sentence_is_absent(change):
    pod = classic_pod(last_status_change=change)
    assert "lastStatusChange" not in list_document(pod, RUNNING)


def test_a_price_of_nothing_is_a_value():
    assert list_document(classic_pod(cost_per_hr=0), RUNNING)["costPerHr"] == 0


def test_a_full_detail_has_every_field_in_its_order():
    document = detail_document(DETAIL, PodState("running", "why"), SSH)
    assert tuple(document) == DETAIL_FIELDS
    assert document["ports"] == ["22/tcp"]
    assert document["env"] == {"TOKEN": "secret", "EMPTY": ""}
    assert document["startedAt"] == "2026-12-01T08:00:00Z"
    assert document["locked"] is False
    assert document["maintenance"] == {
        "start": "2026-12-01T08:00:00Z",
        "end": "2026-12-01T08:00:00Z",
        "note": "new disks",
    }


def test_the_ssh_document_does_not_repeat_the_pod():
    ssh = detail_document(DETAIL, RUNNING, SSH)["ssh"]
    assert ssh == {"ready": True, "argv": ["ssh"], "host_key_alias": "p1"}


def test_a_minimal_detail():
    # A30
    document = detail_document(PodDetail(classic_pod(declared_ports=())), RUNNING, {"ready": False})
    assert {k: document[k] for k in document if k not in LIST_FIELDS} == {
        "env": {},
        "ports": [],
        "ssh": {"ready": False},
    }
    assert "None" not in str(document)


def test_a_machine_of_which_nothing_is_told_is_absent():
    assert "machine" not in detail_document(DETAIL._replace(machine={}), RUNNING, SSH)


@pytest.mark.parametrize(
    ("window", "told"),
    [
        (Maintenance(start=NOW), {"start": "2026-12-01T08:00:00Z"}),
        (Maintenance(end=NOW), {"end": "2026-12-01T08:00:00Z"}),
        (Maintenance(note="soon"), {"note": "soon"}),
    ],
)
def test_a_window_may_be_half_known(window, told):
    detail = DETAIL._replace(snapshot=FULL._replace(maintenance=window))
    assert detail_document(detail, RUNNING, SSH)["maintenance"] == told


def test_pods_that_are_left_out_are_counted():
    assert undated_note(1).startswith("1 pod is left out: ")
    assert undated_note(2).startswith("2 pods are left out: ")


def test_a_row_for_people():
    assert human_row(list_document(FULL, PodState("running"))) == {
        "ID": "p1",
        "NAME": "a",
        "STATUS": "running",
        "GPU": "2 x A40",
        "IMAGE": "runpod/base:1.0",
        "$/HR": "0.690",
        "UPTIME": "1d1h",
    }


def test_a_row_of_what_is_unknown():
    pod = classic_pod(runtime=None)
    row = human_row(list_document(pod, PodState("unknown", "runtime_unavailable")))
    assert row["STATUS"] == "unknown (runtime_unavailable)"
    assert (row["GPU"], row["$/HR"], row["UPTIME"]) == ("none", "", "")


@pytest.mark.parametrize(
    ("gpu_id", "shown"),
    [
        ("NVIDIA GeForce RTX 4090", "1 x RTX 4090"),
        ("NVIDIA H100 80GB HBM3", "1 x H100 80GB HBM3"),
        ("AMD Instinct MI300X OAM", "1 x AMD Instinct MI300X OAM"),
    ],
)
def test_a_gpu_is_shown_without_the_usual_maker(gpu_id, shown):
    pod = classic_pod(gpu_count=1, gpu_id=gpu_id)
    assert human_row(list_document(pod, RUNNING))["GPU"] == shown


def test_a_gpu_whose_type_is_unknown():
    assert human_row(list_document(classic_pod(gpu_count=3), RUNNING))["GPU"] == "3 x GPU"


def test_people_see_that_there_is_an_env_and_not_what_is_in_it():
    document = detail_document(DETAIL, RUNNING, SSH)
    shown = human_detail(document, show_env=False)
    assert shown["env"] == {"TOKEN": MASK, "EMPTY": MASK}
    assert "secret" not in str(shown)
    assert human_detail(document, show_env=True)["env"] == DETAIL.env
    assert document["env"] == DETAIL.env


def test_people_are_spared_what_programs_need():
    shown = human_detail(detail_document(DETAIL, RUNNING, SSH), show_env=False)
    assert shown["ssh"] == {"ready": True}


@pytest.mark.parametrize(
    ("env", "told"),
    # A22
    [({"PUBLIC_KEY": "null"}, True), ({"PUBLIC_KEY": "ssh-rsa AAAA"}, False), ({}, False)],
)
def test_an_env_that_lets_nobody_in_is_told(env, told):
    note = env_note(DETAIL._replace(env={**env, "OTHER": "secret"}))
    assert (note is not None) is told
    assert "secret" not in (note or "")
