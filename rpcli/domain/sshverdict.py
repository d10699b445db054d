"""Whether a pod can be reached over ssh, and if not, why and what to do. Pure.

Rules: what the pod is doing comes first, since a pod that is not running has no address, whatever
stale ports say; then the platform's own word on whether port 22 is public counts, and the address
is judged only where there is no such word.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rpcli.domain.pod import PodSnapshot, Port, SshEndpoint
from rpcli.domain.podstate import PodState
from rpcli.domain.sshcommand import (
    SSH_PORT,
    Target,
    check_target,
    is_global_address,
    is_plain_word,
)

#: The port that sshd of a pod listens on, as it is declared.
SSH_DECLARED = "22/tcp"
#: The user of a pod's own sshd, where the platform names none.
SSH_USER = "root"


class Obstacle(NamedTuple):
    """Why there is no way in yet.

    :param reason: a token, of an open set
    :param detail: the same for people
    :param remediation: what to do: a complete command, or a sentence where there is none
    """

    reason: str
    detail: str
    remediation: str


#: What a reason of the runtime state means to somebody who wants in.
_DETAILS: Mapping[str, str] = {
    "provisioning": "it is waiting for a machine",
    "starting": "its container is starting",
    "restarting": "its container is restarting",
    "awaiting_container": "its container does not report yet: it is pulling its image, or starting",
    "host_maintenance": "its machine is in a maintenance window",
    "stopped_by_user": "it was stopped by its user",
    "stopped_by_runpod": "it was stopped by RunPod",
    "stopped_outbid": "it was outbid and stopped",
    "container_error": "its container is in an error that it cannot leave by itself",
    "dead": "it is dead",
    "terminated_by_user": "it was terminated by its user",
    "terminated_by_runpod": "it was terminated by RunPod",
    "terminated_outbid": "it was outbid and terminated",
    "runtime_unavailable": "what it is doing could not be learned",
    "runtime_forbidden": "this API key may not see what it is doing",
    "not_in_snapshot": "the platform lists it, and does not tell what it is doing",
    "initializing": "it is initializing",
    "stopped": "it is stopped",
    "terminated": "it is terminated",
    "unknown": "what it is doing is unknown",
}
_START_AGAIN = "start the pod: its address and port will be new ones"
_REMEDIES: Mapping[str, str] = {
    "stopped": _START_AGAIN,
    "stopped_by_runpod": f"look at the account's balance and at the image, then {_START_AGAIN}",
    "stopped_outbid": "start the pod with a higher bid, or create one on demand",
    "container_error": "look at the image and its arguments, then restart the pod",
    "terminated": "it is gone for good: create another pod",
    "runtime_forbidden": "use an API key of the account: that of a pod may not see its runtime",
}


def judge_ssh(snapshot: PodSnapshot, state: PodState) -> Target | Obstacle:
    """Tell where ssh reaches a pod, or what is in the way.

    :param state: what :func:`~rpcli.domain.podstate.state_of` says of the snapshot
    """
    if state.status != "running":
        return _not_running(snapshot, state)
    if not is_plain_word(snapshot.id):
        return _refused("its id is none that a command can be built from")
    endpoint = snapshot.ssh_direct or _public_endpoint(snapshot)
    if endpoint is None:
        return _no_endpoint(snapshot)
    target = check_target(endpoint)
    if target is None:
        return _refused("its address is no IP address or host name: no command is built from it")
    return target


def ports_with_ssh(declared: Iterable[str]) -> list[str]:
    """Give declared ports with 22/tcp as the last: each once, without blanks, in their order."""
    ports = dict.fromkeys(port for word in declared if (port := "".join(word.split())))
    return [port for port in ports if port.lower() != SSH_DECLARED] + [SSH_DECLARED]


def update_command(pod_id: str, ports: Iterable[str]) -> str:
    """Give the command that replaces the declared ports of a pod."""
    option = ["--ports", ",".join(ports)]
    words = [*option, "--", pod_id] if pod_id.startswith("-") else [pod_id, *option]
    return shlex.join(["rpcli", "pod", "update", *words])


def _not_running(snapshot: PodSnapshot, state: PodState) -> Obstacle:
    reason = state.reason or state.status
    detail = _DETAILS.get(reason, _DETAILS[state.status])
    if reason == "unrecognized_status":
        detail = f"its status '{snapshot.desired_status}' is none that this rpcli knows"
    remedy = _REMEDIES.get(reason) or _REMEDIES.get(state.status)
    return Obstacle(reason, detail, remedy or f"wait, and {_ask_again(snapshot.id)}")


def _public_endpoint(snapshot: PodSnapshot) -> SshEndpoint | None:
    """Find the mapped port 22 that the platform, or failing that the address, calls public."""
    for port in _mappings(snapshot):
        if _is_public(port, snapshot) and port.ip and port.public:
            return SshEndpoint(port.ip, port.public, SSH_USER)
    return None


def _is_public(port: Port, snapshot: PodSnapshot) -> bool:
    if port.is_public is not None:
        return port.is_public
    # v2 says it by the direct endpoint, which is not there.
    return snapshot.generation != "v2" and bool(port.ip) and is_global_address(port.ip or "")


def _mappings(snapshot: PodSnapshot) -> list[Port]:
    """Give what private port 22 is mapped to: the private number counts, and never the public."""
    ports = (snapshot.runtime.ports if snapshot.runtime else None) or ()
    return [port for port in ports if port.private == SSH_PORT and port.kind == "tcp"]


def _no_endpoint(snapshot: PodSnapshot) -> Obstacle:
    mappings = _mappings(snapshot)
    if any(port.ip and port.public for port in mappings):
        return Obstacle(
            "port_not_public",
            "port 22 is mapped to an address that is not public",
            "only the proxy reaches this machine, for an interactive shell: for more, create the "
            "pod on a machine with a public address",
        )
    if mappings:
        detail = "port 22 is being mapped, and its address is not assigned yet"
    elif SSH_DECLARED in map(str.lower, snapshot.declared_ports):
        detail = "it publishes 22/tcp, and that is not mapped yet"
        if not (snapshot.runtime and snapshot.runtime.ports):
            detail = "no ports are published yet, 22/tcp among them"
    else:
        return _not_published(snapshot)
    return Obstacle("port_not_mapped", detail, f"wait, and {_ask_again(snapshot.id)}")


def _not_published(snapshot: PodSnapshot) -> Obstacle:
    command = update_command(snapshot.id, ports_with_ssh(snapshot.declared_ports))
    return Obstacle(
        "port_not_published",
        f"pod does not publish {SSH_DECLARED}; add it with '{command}' (--ports replaces the whole "
        "list, and changing it may restart the container)",
        command,
    )


def _refused(detail: str) -> Obstacle:
    return Obstacle(
        "address_unusable", detail, "do not connect by hand: the platform gave what cannot be right"
    )


def _ask_again(pod_id: str) -> str:
    words = ["--", pod_id] if pod_id.startswith("-") else [pod_id]
    return f"ask again: {shlex.join(['rpcli', 'ssh', 'info', *words])}"
