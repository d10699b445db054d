"""What was typed after ``pod list``, ``pod get`` and ``pod update``, checked. Pure.

Rules: every usage error ends here, before any request is made, and says what is accepted.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from rpcli.plugin import RUNTIME_STATUSES, UsageError, parse_duration, parse_instant

#: The vocabulary of ``--status``: what somebody wants of a pod, in the contract's words.
DESIRED_STATUSES = ("RUNNING", "EXITED", "TERMINATED")
COMPUTE_TYPES = ("GPU", "CPU")
#: Ports from 70000 on are the platform's way to ask for the same number on both sides.
_PORT = re.compile(r"([1-9][0-9]{0,4})/(http|tcp|udp)")
_LARGEST_PORT = 65_535
_SYMMETRICAL = 70_000


class ListOptions(NamedTuple):
    """What ``pod list`` shows; None does not filter."""

    everything: bool = False
    desired: frozenset[str] | None = None
    runtime: frozenset[str] | None = None
    name: str | None = None
    compute_type: str | None = None
    since: timedelta | None = None
    created_after: datetime | None = None
    why: bool = False

    @property
    def is_default(self) -> bool:
        """Whether nobody said which statuses to show: then those that should be running."""
        return not self.everything and self.desired is None and self.runtime is None


class GetOptions(NamedTuple):
    """What ``pod get`` shows."""

    pod_id: str
    include_machine: bool = False
    include_network_volume: bool = False
    show_env: bool = False


class UpdateOptions(NamedTuple):
    """What ``pod update`` changes."""

    pod_id: str
    ports: tuple[str, ...]
    show_env: bool = False


def list_options(args: argparse.Namespace) -> ListOptions:
    """Check the arguments of ``pod list``.

    :raises UsageError: a value outside its vocabulary, or two that exclude each other
    """
    if args.all and args.status is not None:
        raise UsageError("--all and --status exclude each other")
    if args.since is not None and args.created_after is not None:
        raise UsageError("--since and --created-after exclude each other")
    if args.name == "":
        raise UsageError("--name is empty: give a shell pattern, such as 'train-*'")
    after = args.created_after
    return ListOptions(
        everything=args.all,
        desired=None if args.status is None else _desired(args.status),
        runtime=None if args.runtime_status is None else _runtime(args.runtime_status),
        name=args.name,
        compute_type=None if args.compute_type is None else _compute_type(args.compute_type),
        since=None if args.since is None else parse_duration(args.since, "--since"),
        created_after=None if after is None else parse_instant(after, "--created-after"),
        why=args.why,
    )


def get_options(args: argparse.Namespace) -> GetOptions:
    """Check the arguments of ``pod get``.

    :raises UsageError: the id is none
    """
    return GetOptions(
        pod_id=check_id(args.id),
        include_machine=args.include_machine,
        include_network_volume=args.include_network_volume,
        show_env=args.show_env,
    )


def update_options(args: argparse.Namespace) -> UpdateOptions:
    """Check the arguments of ``pod update``.

    :raises UsageError: the id is none, nothing is to be changed, or a port is none
    """
    pod_id = check_id(args.id)
    if args.ports is None:
        raise UsageError("nothing to change: give --ports")
    return UpdateOptions(pod_id=pod_id, ports=parse_ports(args.ports), show_env=args.show_env)


def check_id(text: str) -> str:
    """Give an id that can stand in the path of a request.

    :raises UsageError: it is blank, or would lead elsewhere
    """
    if not text.strip():
        raise UsageError("the id of the pod is empty")
    if text in (".", ".."):
        raise UsageError(f"'{text}' is no id of a pod")
    return text


def parse_ports(values: Iterable[str]) -> tuple[str, ...]:
    """Read ports such as ``8888/http,22/tcp``: each once, in their order.

    :raises UsageError: one is none, or there is none
    """
    ports: dict[str, None] = {}
    for word in _words(values, "--ports", "give ports such as 8888/http,22/tcp"):
        match = _PORT.fullmatch(word.lower())
        number = int(match[1]) if match else 0
        if not match or _LARGEST_PORT < number < _SYMMETRICAL:
            raise UsageError(
                f"--ports '{word}' is no port: give a number and http, tcp or udp, as in "
                "8888/http,22/tcp"
            )
        ports[match[0]] = None
    return tuple(ports)


def _desired(values: Sequence[str]) -> frozenset[str]:
    accepted = f"choose from {', '.join(DESIRED_STATUSES)}"
    found = []
    for word in _words(values, "--status", accepted):
        if word.upper() in DESIRED_STATUSES:
            found.append(word.upper())
        elif word.lower() in RUNTIME_STATUSES:
            hint = f"it is what a pod is doing: --runtime-status {word.lower()}"
            raise UsageError(f"--status '{word}': {accepted}", hint=hint)
        else:
            raise UsageError(f"--status '{word}': {accepted}")
    return frozenset(found)


def _runtime(values: Sequence[str]) -> frozenset[str]:
    accepted = f"choose from {', '.join(RUNTIME_STATUSES)}"
    words = _words(values, "--runtime-status", accepted)
    for word in words:
        if word.lower() not in RUNTIME_STATUSES:
            raise UsageError(f"--runtime-status '{word}': {accepted}")
    return frozenset(word.lower() for word in words)


def _compute_type(text: str) -> str:
    if text.upper() not in COMPUTE_TYPES:
        raise UsageError(f"--compute-type '{text}': choose from {', '.join(COMPUTE_TYPES)}")
    return text.upper()


def _words(values: Iterable[str], flag: str, accepted: str) -> list[str]:
    """Take the values of a flag, given again or with commas, apart."""
    words = [word.strip() for value in values for word in value.split(",")]
    if not all(words):
        raise UsageError(f"{flag} has an empty value: {accepted}")
    return words
