"""GraphQL over the state, executed by graphql-core against a real schema.

What the platform does not have fails validation here as it does there. Mutations of endpoints and
templates come with their commands.
"""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import Any

from graphql import (
    ExecutionResult,
    GraphQLError,
    GraphQLSchema,
    build_schema,
    execute_sync,
    parse,
    specified_rules,
    validate,
)
from graphql.language import DocumentNode, FieldNode, Visitor, visit

from rpcli.sandbox.answers import Reply, Request
from rpcli.sandbox.state import Pod, State, merged
from rpcli.sandbox.v1 import desired


@functools.cache
def schema() -> GraphQLSchema:
    """Build the schema, once."""
    text = files("rpcli.sandbox").joinpath("schema.graphql").read_text(encoding="utf-8")
    return build_schema(text)


def answer(state: State, request: Request, *, anonymous: bool) -> Reply:
    """Execute one request."""
    body = request.body
    if request.method != "POST" or not isinstance(body, dict) or not isinstance(body.get("query"), str):
        return _errors(400, [GraphQLError("POST a JSON object with a 'query'")], "BAD_REQUEST")
    try:
        document, faults = _check(body["query"])
    except GraphQLError as error:
        return _errors(400, [error], "GRAPHQL_PARSE_FAILED")
    if _introspects(document):
        refusal = GraphQLError("GraphQL introspection is not allowed")
        return _errors(400, [refusal], "INTROSPECTION_DISABLED")
    if faults:
        return _errors(400, list(faults), "GRAPHQL_VALIDATION_FAILED")
    result = execute_sync(
        schema(),
        document,
        root_value=_Root(state, anonymous),
        variable_values=body.get("variables"),
        operation_name=body.get("operationName"),
    )
    headers = {"Sunset": state.quirks["sunset"]} if "sunset" in state.quirks else {}
    return Reply(200, _document(result), headers)


@functools.lru_cache(64)
def _check(query: str) -> tuple[DocumentNode, tuple[GraphQLError, ...]]:
    document = parse(query)
    return document, tuple(validate(schema(), document, specified_rules))


def _introspects(document: DocumentNode) -> bool:
    found = []

    class Look(Visitor):
        def enter_field(self, node: FieldNode, *_: Any) -> None:
            if node.name.value in ("__schema", "__type"):
                found.append(node)

    visit(document, Look())
    return bool(found)


def _document(result: ExecutionResult) -> dict[str, Any]:
    document: dict[str, Any] = {"data": result.data}
    if result.errors:
        document["errors"] = [
            {
                "message": error.message,
                "path": error.path,
                "extensions": {"code": "INTERNAL_SERVER_ERROR", **(error.extensions or {})},
            }
            for error in result.errors
        ]
    return document


def _errors(status: int, errors: list[GraphQLError], code: str) -> Reply:
    return Reply(
        status,
        {"errors": [{"message": e.message, "extensions": {"code": code}} for e in errors]},
    )


class _Root:
    """The resolvers of queries and mutations: graphql-core calls them by their names."""

    def __init__(self, state: State, anonymous: bool) -> None:
        self._state = state
        self._anonymous = anonymous

    def myself(self, info: Any) -> dict[str, Any] | None:  # noqa: ARG002 - graphql-core's signature
        state = self._state
        if self._anonymous:
            return None
        return {
            "id": "user_sandbox",
            "email": "sandbox@rpcli.invalid",
            "pubKey": "\n\n".join(state.keys) or None,
            "pods": lambda info: [  # noqa: ARG005
                *state.quirks.get("graphqlListElements", []),
                *(render(state, pod) for pod in state.list_pods() if _in_snapshot(pod)),
            ],
            "networkVolumes": state.network_volumes,
            "clientBalance": 100.0,
            "currentSpendPerHr": sum(p.cost for p in state.pods.values() if p.running),
        }

    def pod(self, info: Any, input: dict[str, Any] | None = None) -> dict[str, Any] | None:  # noqa: A002, ARG002
        found = self._state.find_pod((input or {}).get("podId", ""))
        if found is None or found.status == "TERMINATED":
            return None
        return render(self._state, found)

    def updateUserSettings(self, info: Any, input: dict[str, Any]) -> dict[str, Any] | None:  # noqa: A002, N802
        lines = (input.get("pubKey") or "").splitlines()
        self._state.keys[:] = [line for line in lines if line.strip()]
        return self.myself(info)

    def podStop(self, info: Any, input: dict[str, Any]) -> dict[str, Any]:  # noqa: A002, ARG002, N802
        return self._act(input, "stop")

    def podResume(self, info: Any, input: dict[str, Any]) -> dict[str, Any]:  # noqa: A002, ARG002, N802
        return self._act(input, "start")

    def podTerminate(self, info: Any, input: dict[str, Any]) -> None:  # noqa: A002, ARG002, N802
        self._act(input, "terminate")

    def podEditJob(self, info: Any, input: dict[str, Any]) -> dict[str, Any]:  # noqa: A002, ARG002, N802
        pod = self._require(input)
        pod.image = input["imageName"]
        pod.disk = input["containerDiskInGb"]
        if input.get("ports") is not None:
            pod.ports = [port.strip() for port in input["ports"].split(",") if port.strip()]
            if pod.reports:
                pod.mappings = self._state.map_ports(pod.ports)
        if input.get("env") is not None:
            pod.env = {entry["key"]: entry["value"] for entry in input["env"]}
        return render(self._state, pod)

    def podFindAndDeployOnDemand(self, info: Any, input: dict[str, Any]) -> dict[str, Any]:  # noqa: A002, ARG002, N802
        return self._deploy(
            input,
            gpu_id=input.get("gpuTypeId") or "NVIDIA GeForce RTX 4090",
            gpu_count=input.get("gpuCount") or 1,
            volume=input.get("volumeInGb") or 0,
        )

    def deployCpuPod(self, info: Any, input: dict[str, Any]) -> dict[str, Any]:  # noqa: A002, ARG002, N802
        flavor, _, size = (input.get("instanceId") or "cpu3c-2-4").partition("-")
        count = int(size.partition("-")[0] or 2)
        return self._deploy(
            input,
            gpu_id=None,
            gpu_count=0,
            cpu={"id": flavor, "vcpuCount": count, "memory": 2 * count},
        )

    def _deploy(self, given: dict[str, Any], **members: Any) -> dict[str, Any]:
        env = {entry["key"]: entry["value"] for entry in given.get("env") or []}
        if given.get("startSsh") and self._state.keys:
            env.setdefault("PUBLIC_KEY", "\n".join(self._state.keys))
        ports = [p.strip() for p in (given.get("ports") or "").split(",") if p.strip()]
        pod = self._state.create(
            given.get("name") or "my pod",
            image=given.get("imageName") or "runpod/pytorch:2.8.0",
            disk=given.get("containerDiskInGb") or 20,
            volume_path=given.get("volumeMountPath") or "/workspace",
            network_volume=given.get("networkVolumeId"),
            args=given.get("dockerArgs") or "",
            ports=ports,
            env=env,
            **members,
        )
        return render(self._state, pod)

    def _act(self, given: dict[str, Any], action: str) -> dict[str, Any]:
        pod = self._require(given)
        if not self._state.act(pod, action):
            raise GraphQLError(f"pod {pod.id} cannot {action} now")
        return render(self._state, pod)

    def _require(self, given: dict[str, Any]) -> Pod:
        pod = self._state.find_pod(given["podId"])
        if pod is None or pod.status == "TERMINATED":
            raise GraphQLError("pod not found", extensions={"code": "NOT_FOUND"})
        return pod


def _in_snapshot(pod: Pod) -> bool:
    return pod.overrides.get("graphql", {}).get("$absent") is not True


def render(state: State, pod: Pod) -> dict[str, Any]:
    """Give a pod as GraphQL does; names that are asked for select from it."""
    now = state.clock.now()
    ports = [
        {
            "ip": m.ip,
            "isIpPublic": m.is_public,
            "privatePort": m.private,
            "publicPort": m.public,
            "type": m.type,
        }
        for m in pod.mappings
    ]
    # A stopped pod may keep what its container last said.
    reports = pod.reports or (pod.status == "EXITED" and bool(pod.mappings))
    document: dict[str, Any] = {
        "id": pod.id,
        "name": pod.name,
        "desiredStatus": desired(pod),
        "lastStatusChange": pod.last_change,
        "createdAt": pod.created_at.isoformat() if pod.created_at else None,
        "lastStartedAt": pod.started_at.isoformat() if pod.started_at else None,
        "uptimeSeconds": 0,
        "imageName": pod.image,
        "dockerArgs": pod.args,
        "env": [f"{key}={value}" for key, value in pod.env.items()],
        "ports": ",".join(pod.ports),
        "gpuCount": pod.gpu_count,
        "gpuPowerLimitPercent": 100,
        "gpus": [{"id": f"GPU-{n}", "podId": pod.id} for n in range(pod.gpu_count)],
        "vcpuCount": pod.cpu["vcpuCount"] if pod.cpu else pod.vcpu,
        "memoryInGb": pod.cpu["memory"] if pod.cpu else pod.memory,
        "containerDiskInGb": pod.disk,
        "volumeInGb": pod.volume,
        "volumeMountPath": pod.volume_path,
        "volumeEncrypted": False,
        "costPerHr": pod.cost,
        "adjustedCostPerHr": pod.cost,
        "podType": "RESERVED",
        "machineId": (pod.machine or {}).get("id", "s194cr8pls2z"),
        "machine": _machine(pod),
        "runtime": {
            "uptimeInSeconds": pod.uptime(now),
            "ports": ports,
            "gpus": [],
            "container": {"cpuPercent": 0, "memoryPercent": 0},
        }
        if reports
        else None,
        "templateId": pod.template,
        "networkVolumeId": pod.network_volume,
        "containerRegistryAuthId": pod.registry,
        "locked": pod.locked,
    }
    return merged(document, pod, "graphql")


def _machine(pod: Pod) -> dict[str, Any]:
    members = dict(pod.machine or {})
    return {
        "id": members.pop("id", "s194cr8pls2z"),
        "podHostId": pod.host_id,
        "dataCenterId": pod.data_center,
        "gpuTypeId": pod.gpu_id,
        "gpuDisplayName": pod.gpu_id,
        "secureCloud": pod.cloud == "SECURE",
        "supportPublicIp": True,
        **members,
    }
