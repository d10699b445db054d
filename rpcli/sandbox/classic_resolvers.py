"""The resolvers of GraphQL: queries and mutations on the state.

Rules: graphql-core finds a resolver by the name of its field; nobody anonymous changes anything.
The fields and mutations of endpoints and templates join here with their commands.
"""

from __future__ import annotations

from typing import Any

from graphql import GraphQLError

from rpcli.sandbox.classic_pod import (
    DEFAULT_GPU,
    USER_ID,
    act_on,
    base_members,
    cpu_members,
    has_volume,
    replace_ports,
)
from rpcli.sandbox.graphql_pod import render
from rpcli.sandbox.pod import Pod
from rpcli.sandbox.state import State

Input = dict[str, Any]
#: Attributes of a pod by the member of an input that sets them, where there is one.
_DEPLOYED = {
    "name": "name",
    "imageName": "image",
    "dockerArgs": "args",
    "containerDiskInGb": "disk",
    "volumeInGb": "volume",
    "volumeMountPath": "volume_path",
    "networkVolumeId": "network_volume",
    "containerRegistryAuthId": "registry",
    "dataCenterId": "data_center",
}
_EDITED = {
    key: _DEPLOYED[key]
    for key in (
        "imageName",
        "dockerArgs",
        "containerDiskInGb",
        "volumeInGb",
        "volumeMountPath",
        "containerRegistryAuthId",
    )
}


class Root:
    """Every field of ``Query`` and ``Mutation``.

    :param anonymous: whether the request came without a key
    """

    def __init__(self, state: State, *, anonymous: bool) -> None:
        self._state = state
        self._anonymous = anonymous

    def myself(self, _info: Any) -> dict[str, Any] | None:
        """Give the account; null to nobody in particular."""
        state = self._state
        if self._anonymous:
            return None
        return {
            "id": USER_ID,
            "email": "sandbox@rpcli.invalid",
            "pubKey": "\n\n".join(state.keys) or None,
            "pods": self._pods,
            "networkVolumes": state.network_volumes,
            "clientBalance": 100.0,
            "currentSpendPerHr": sum(pod.cost for pod in state.list_pods() if pod.running),
        }

    def pod(self, _info: Any, input: Input | None = None) -> dict[str, Any] | None:
        """Give one pod, a terminated one too; null where there is none."""
        found = None if self._anonymous else self._find(input)
        return None if found is None else render(self._state, found)

    def updateUserSettings(self, info: Any, input: Input | None = None) -> dict[str, Any] | None:
        """Replace the account's keys; without ``pubKey`` nothing changes."""
        self._refuse_anonymous()
        text = (input or {}).get("pubKey")
        if text is not None:
            lines = [line.rstrip("\r") for line in text.split("\n")]
            self._state.keys[:] = [line for line in lines if line.strip()]
        return self.myself(info)

    def podStop(self, _info: Any, input: Input) -> dict[str, Any]:
        """Stop a pod; the reason that may be given is told to nobody."""
        return self._act(input, "stop")

    def podResume(self, _info: Any, input: Input) -> dict[str, Any]:
        """Start a pod again."""
        return self._act(input, "start")

    def podTerminate(self, _info: Any, input: Input) -> None:
        """End a pod for good."""
        self._act(input, "terminate")

    def podEditJob(self, _info: Any, input: Input) -> dict[str, Any]:
        """Change a pod; what is given replaces what was there."""
        pod = self._require(input)
        for key, attribute in _EDITED.items():
            if input.get(key) is not None:
                setattr(pod, attribute, input[key])
        if input.get("env") is not None:
            pod.env = _env(input)
        if input.get("ports") is not None:
            replace_ports(self._state, pod, _ports(input))
        return render(self._state, pod)

    def podFindAndDeployOnDemand(self, _info: Any, input: Input | None = None) -> dict[str, Any]:
        """Make a pod, with a GPU unless ``computeType`` is CPU."""
        given = input or {}
        if given.get("computeType") == "CPU":
            instances = given.get("instanceIds") or []
            return self._deploy(given, _cpu(next(iter(instances), None)))
        gpus = [given.get("gpuTypeId"), *(given.get("gpuTypeIdList") or []), DEFAULT_GPU]
        count = 1 if given.get("gpuCount") is None else given["gpuCount"]
        if count < 1:
            raise _user_error("gpuCount is at least 1")
        return self._deploy(given, {"gpu_id": next(filter(None, gpus)), "gpu_count": count})

    def deployCpuPod(self, _info: Any, input: Input | None = None) -> dict[str, Any]:
        """Make a pod without a GPU: ``instanceId`` is flavor, vCPUs and memory, as cpu3c-2-4."""
        given = input or {}
        return self._deploy(given, _cpu(given.get("instanceId")))

    def _pods(self, _info: Any) -> list[Any]:
        state = self._state
        pods = [render(state, pod) for pod in state.list_pods() if pod.shown_on("graphql")]
        return [*state.quirks.get("graphqlListElements", []), *pods]

    def _deploy(self, given: Input, members: dict[str, Any]) -> dict[str, Any]:
        self._refuse_anonymous()
        if not given.get("imageName") and not given.get("templateId"):
            raise _user_error("imageName is required where there is no templateId")
        base = base_members(self._state, given.get("templateId"))
        if base is None:
            raise _user_error("template not found")
        if not has_volume(self._state, given.get("networkVolumeId")):
            raise _user_error("network volume not found")
        members = {"name": "my pod", **base, **_chosen(given), **members}
        members["env"] = {**base.get("env", {}), **_env(given)}
        if given.get("startSsh") and self._state.keys:
            members["env"].setdefault("PUBLIC_KEY", "\n".join(self._state.keys))
        return render(self._state, self._state.create(**members))

    def _act(self, given: Input, action: str) -> dict[str, Any]:
        pod = self._require(given)
        refused = act_on(self._state, pod, action)
        if refused is not None:
            raise _user_error(refused)
        return render(self._state, pod)

    def _require(self, given: Input) -> Pod:
        self._refuse_anonymous()
        pod = self._find(given)
        if pod is None or pod.status == "TERMINATED":
            raise GraphQLError("pod not found", extensions={"code": "NOT_FOUND"})
        return pod

    def _find(self, given: Input | None) -> Pod | None:
        pod = self._state.find_pod((given or {}).get("podId", ""))
        return pod if pod is not None and pod.shown_on("graphql") else None

    def _refuse_anonymous(self) -> None:
        if self._anonymous:
            raise GraphQLError("not authenticated", extensions={"code": "UNAUTHENTICATED"})


def _user_error(message: str) -> GraphQLError:
    return GraphQLError(message, extensions={"code": "BAD_USER_INPUT"})


def _chosen(given: Input) -> dict[str, Any]:
    """Give the attributes of a new pod that an input sets."""
    members = {
        attribute: given[key] for key, attribute in _DEPLOYED.items() if given.get(key) is not None
    }
    if given.get("cloudType") in ("SECURE", "COMMUNITY"):
        members["cloud"] = given["cloudType"]
    if given.get("ports") is not None:
        members["ports"] = _ports(given)
    return members


def _env(given: Input) -> dict[str, str]:
    return {entry["key"]: entry["value"] for entry in given.get("env") or [] if entry}


def _ports(given: Input) -> list[str]:
    return [port.strip() for port in (given.get("ports") or "").split(",") if port.strip()]


def _cpu(instance: str | None) -> dict[str, Any]:
    flavor, _, size = (instance or "cpu3c-2-4").partition("-")
    vcpus, _, memory = size.partition("-")
    if not vcpus.isdecimal() or not memory.isdecimal():
        raise _user_error(f"instance {instance} is none: cpu3c-2-4 is flavor, vCPUs, memory")
    members = cpu_members(flavor, int(vcpus))
    members["cpu"]["memory"] = int(memory)
    return members
