"""The documents of ssh: how to reach a pod, or why it cannot be reached yet. Pure.

Rules: one function makes them for every command, so that ``pod get``, ``ssh info`` and ``ssh
connect`` cannot disagree; the text of ``error`` begins with :data:`NOT_READY`, which scripts match.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Any

from rpcli.domain.pod import PodSnapshot
from rpcli.domain.podstate import PodState
from rpcli.domain.publickey import LocalKey, is_in_account
from rpcli.domain.sshcommand import Target, check_target, direct_argv, proxy_argv
from rpcli.domain.sshverdict import Obstacle, judge_ssh

NOT_READY = "pod not ready: "


def ssh_document(
    snapshot: PodSnapshot,
    state: PodState,
    key: LocalKey,
    account_keys: Iterable[str] | None,
) -> dict[str, Any]:
    """Make the document of ``ssh info``; ``ready`` means that the pod itself can be reached.

    :param key: the ssh key of this machine
    :param account_keys: the public keys of the account; None where they are unknown
    """
    verdict = judge_ssh(snapshot, state)
    document: dict[str, Any] = {"id": snapshot.id, "name": snapshot.name}
    if isinstance(verdict, Obstacle):
        document |= _not_ready(verdict, state)
    else:
        document |= _ready(verdict, snapshot.id, key)
    proxy = _proxy_command(snapshot, state, key)
    if proxy is not None:
        document["proxy_command"] = proxy
    if document["ready"]:
        document["ssh_key"] = _key_document(key, account_keys)
    return document


def _ready(target: Target, pod_id: str, key: LocalKey) -> dict[str, Any]:
    argv = direct_argv(target, pod_id, key)
    return {
        "ready": True,
        "ssh_command": shlex.join(argv),
        "argv": argv,
        "user": target.user,
        "ip": target.host,
        "port": target.port,
        "host_key_alias": pod_id,
    }


def _not_ready(obstacle: Obstacle, state: PodState) -> dict[str, Any]:
    return {
        "ready": False,
        "status": state.status,
        "error": NOT_READY + obstacle.detail,
        "reason": obstacle.reason,
        "remediation": obstacle.remediation,
    }


def _proxy_command(snapshot: PodSnapshot, state: PodState, key: LocalKey) -> str | None:
    """Give the way through the platform's proxy: an interactive shell, while the pod runs."""
    if state.status != "running" or snapshot.ssh_proxy is None:
        return None
    target = check_target(snapshot.ssh_proxy)
    return None if target is None else shlex.join(proxy_argv(target, key))


def _key_document(key: LocalKey, account_keys: Iterable[str] | None) -> dict[str, Any]:
    document: dict[str, Any] = {"path": key.path, "exists": key.exists}
    if key.fingerprint is not None:
        document["fingerprint"] = key.fingerprint
    in_account = is_in_account(key.public, account_keys)
    if in_account is not None:
        document["in_account"] = in_account
    return document
