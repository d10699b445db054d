"""An account as GraphQL is asked about it, and how a test asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox_calls import Answer, ask_graphql

from rpcli.sandbox import Sandbox

NOW = {"now": "2026-10-02T05:28:38.366Z", "frozen": True}
KEYS = ["ssh-ed25519 AAAA one", "ssh-rsa BBBB two"]
RUNNING: dict[str, Any] = {
    "id": "run0",
    "name": "trainer",
    "ports": ["8888/http", "22/tcp"],
    "env": {"MODE": "offline", "EMPTY": ""},
    "uptime": 3931,
    "mapped": [{"private": 22, "public": 34446, "ip": "195.26.233.3"}],
    "machine": {
        "podHostId": "run0-64410065",
        "location": "CZ",
        "maintenanceStart": "2026-10-02T05:00:00.000Z",
        "maintenanceEnd": "2026-10-02T07:00:00.000Z",
        "maintenanceNote": "new disks",
    },
}
PULLING = {"id": "pull0", "uptime": None}
STOPPED = {"id": "stop0", "status": "EXITED"}
KEYS_OF_LESS_POWER = [
    {"key": "rpa_POD401", "planes": {"graphql": 401}},
    {"key": "rpa_POD403", "planes": {"graphql": 403}},
    {"key": "rpa_READS", "scope": "read"},
]
SCENARIO: dict[str, Any] = {
    "clock": NOW,
    "account": {
        "sshKeys": KEYS,
        "otherKeys": KEYS_OF_LESS_POWER,
        "templates": [{"id": "tpl0", "image": "tpl:1", "ports": ["80/http"], "env": {"A": "0"}}],
    },
    "pods": [RUNNING, PULLING, STOPPED],
}
#: What the classic control plane asks, field by field.
PODS = """{ myself { pubKey pods {
  id name desiredStatus lastStatusChange
  runtime { uptimeInSeconds ports { ip isIpPublic privatePort publicPort type } }
  ports
  machine {
    podHostId maintenanceStart maintenanceEnd maintenanceNote dataCenterId location
  }
} } }"""


def playing(*pods: Mapping[str, Any], **more: Any) -> Sandbox:
    return Sandbox({"clock": NOW, "pods": list(pods), **more})


def data(sandbox: Sandbox, query: str, variables: Mapping[str, object] | None = None) -> Any:
    """Give the data of an answer that has no errors."""
    found = ask_graphql(sandbox, query, variables)
    assert found.status == 200
    assert list(found.json) == ["data"], found.json
    return found.json["data"]


def error_of(found: Answer) -> tuple[str, str]:
    """Give the message and the code of the one error."""
    (error,) = found.json["errors"]
    return error["message"], error["extensions"]["code"]


def pods_of(sandbox: Sandbox, fields: str) -> list[Any]:
    pods: list[Any] = data(sandbox, f"{{ myself {{ pods {{ {fields} }} }} }}")["myself"]["pods"]
    return pods
