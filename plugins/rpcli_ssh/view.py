"""What people are told beside the documents of ssh, and what they see of them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from rpcli.plugin import LocalKey, PodSnapshot, format_span, moment_of_change

#: The keys of a document of ``ssh info``, ready or not, in their order.
INFO_FIELDS = (
    "id",
    "name",
    "ready",
    "status",
    "error",
    "reason",
    "remediation",
    "ssh_command",
    "argv",
    "user",
    "ip",
    "port",
    "host_key_alias",
    "proxy_command",
    "ssh_key",
)
#: Seconds after a start in which the API may still tell the address of the container before.
SETTLING = 30
_FOR_PROGRAMS = ("argv", "host_key_alias")


def notes_on(
    document: Mapping[str, Any], pod: PodSnapshot, key: LocalKey, now: datetime
) -> Iterator[str]:
    """Tell what the document of a pod does not say of itself.

    :param key: the ssh key that the command uses
    :param now: the time of day, aware
    """
    if document["ready"]:
        yield from _on_address(pod)
        yield from _on_key(document, key)
    elif document["status"] == "initializing":
        yield from _on_patience(pod, now)
    if "proxy_command" in document:
        yield (
            "the proxy carries an interactive shell only: no scp, sftp, rsync or port forwarding"
        )


def human_info(document: Mapping[str, Any], asked: Collection[str]) -> dict[str, Any]:
    """Show a connection to people: without what is for programs, unless they ask for it."""
    return {k: v for k, v in document.items() if k not in _FOR_PROGRAMS or k in asked}


def human_connections(documents: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Show connections to people: a command a pod."""
    return {f"{d['name']} ({d['id']})": d["ssh_command"] for d in documents}


def _on_address(pod: PodSnapshot) -> Iterator[str]:
    uptime = pod.runtime.uptime_seconds if pod.runtime else None
    if uptime is not None and uptime < SETTLING:
        yield (
            f"{pod.id} has been up for {uptime} s: the address may still be that of the container "
            "before, so ask again if nothing answers"
        )


def _on_patience(pod: PodSnapshot, now: datetime) -> Iterator[str]:
    since = moment_of_change(pod.last_status_change)
    if since is not None and since <= now:
        waited = format_span(int((now - since).total_seconds()))
        yield f"{pod.id} has been initializing for {waited}"


def _on_key(document: Mapping[str, Any], key: LocalKey) -> Iterator[str]:
    if key.problem is not None:
        yield key.problem
    if not key.exists and key.problem is None:
        yield f"there is no key at {key.path}: ssh tries your own keys"
    if document["ssh_key"].get("in_account") is False:
        yield (
            f"port 22 is published, and the account does not have the key {key.path} "
            f"({key.fingerprint}), so the pod may ask for a password: add {key.path}.pub to the "
            "account's ssh keys, and create the pod again, as it gets the keys at its creation"
        )
