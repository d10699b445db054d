"""Every field of a pod, of every wrong type, on both planes: documents that fit, or our errors.

Over real sockets: the sandbox gives the pod with one member replaced, and nothing else is odd.
"""

from __future__ import annotations

import contextlib
import json
from itertools import product

import pytest

from rpcli.clock import Clock
from rpcli.config import load_settings
from rpcli.contract.enforce import check_output
from rpcli.controlplane import open_plane
from rpcli.domain.podstate import state_of
from rpcli.domain.ssh import ssh_document
from rpcli.errors import GraphqlError, NotFound, UnexpectedResponse
from rpcli.sandbox import Sandbox
from rpcli.sshkeys import find_local_key
from rpcli.transport import Transport
from rpcli_pod import SURFACE
from rpcli_pod.view import detail_document, human_row, list_document

WRONG = (None, True, -1, 7, 1e300, "", "x", "\x1b[2J\n", [], {}, [None], ["x"], [{}], {"a": 1})
POD = {
    "id": "p1",
    "name": "one",
    "ports": ["22/tcp", "8888/http"],
    "env": {"A": "b"},
    "volume": 20,
    "machine": {"maintenanceStart": "2026-12-03T02:00:00Z", "maintenanceNote": "n"},
}
FIELDS = {
    "v2": (
        "id name status actions image args disk mounts ports env registry cloud gpu cpu cluster "
        "dataCenterId cudaVersion ssh template cost locked runtime createdAt startedAt"
    ),
    "rest": (
        "id name desiredStatus image imageName env ports portMappings publicIp costPerHr gpu "
        "containerDiskInGb volumeInGb volumeMountPath machineId machine vcpuCount memoryInGb "
        "lastStatusChange lastStartedAt createdAt templateId networkVolume locked"
    ),
    "graphql": "lastStatusChange runtime machine ports",
}
CASES = [(plane, field) for plane, fields in FIELDS.items() for field in fields.split()]


@pytest.fixture
def opened(tmp_path):
    """Open a plane on a sandbox whose pod has members of our choice."""
    transports = []

    def make(plane, overrides):
        sandbox = Sandbox({"pods": [{**POD, plane: overrides}], "rateLimit": "none"})
        sandbox.start()
        settings = load_settings({}, tmp_path, api="v2" if plane == "v2" else "classic")
        transport = Transport(settings.sandboxed(sandbox.environment()), Clock())
        transports.append((transport, sandbox))
        now = Clock().now
        return open_plane(transport.settings, transport, now=now, note=[].append)

    yield make
    for transport, sandbox in transports:
        transport.close()
        sandbox.stop()


@pytest.mark.parametrize(("plane", "field"), CASES)
def test_a_field_of_any_type(opened, tmp_path, plane, field):
    for value, inner in product(WRONG, (False, True)):
        if inner and field not in ("runtime", "machine", "ssh", "gpu", "mounts"):
            continue
        given = dict.fromkeys(INNER[field], value) if inner else value
        control = opened(plane, {field: given})
        for document, words in documents(control, tmp_path):
            check_output(SURFACE, words, document)
            json.dumps(document, allow_nan=False)


INNER = {
    "runtime": ("uptime", "ports", "uptimeInSeconds"),
    "machine": ("podHostId", "maintenanceStart", "maintenanceEnd", "location"),
    "ssh": ("proxy", "direct"),
    "gpu": ("id", "count"),
    "mounts": ("persistent", "network"),
}


def documents(control, home):
    """Give what the commands would print; only our own errors may end it."""
    now = Clock().now()
    with contextlib.suppress(NotFound, GraphqlError, UnexpectedResponse):
        pods = control.list_pods(why=True)
        listed = [list_document(pod, state_of(pod, now)) for pod in pods]
        for row in listed:
            assert all(isinstance(cell, str) for cell in human_row(row).values())
        yield listed, "pod list"
        detail = control.get_pod("p1", include_machine=True, include_network_volume=True)
        key = find_local_key(home, detail.account_keys)
        state = state_of(detail.snapshot, now)
        ssh = ssh_document(detail.snapshot, state, key, detail.account_keys)
        yield detail_document(detail, state, ssh), "pod get"
        for pod in control.ssh_view().pods:
            ssh_document(pod, state_of(pod, now), key, None)
