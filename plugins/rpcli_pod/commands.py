"""``pod list``, ``pod get`` and ``pod update``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import Any

from rpcli.plugin import (
    RUNTIME_STATUSES,
    Context,
    ListCommand,
    PodChange,
    PodDetail,
    ShowCommand,
    state_of,
)
from rpcli_pod.filters import select_pods
from rpcli_pod.options import (
    COMPUTE_TYPES,
    DESIRED_STATUSES,
    GetOptions,
    ListOptions,
    UpdateOptions,
    get_options,
    list_options,
    update_options,
)
from rpcli_pod.view import (
    DETAIL_FIELDS,
    LIST_FIELDS,
    detail_document,
    env_note,
    human_detail,
    human_row,
    list_document,
    undated_note,
)


class List(ListCommand):
    """List pods with what they are really doing.

    Shown are the pods that should be running (their desiredStatus is RUNNING) unless --all,
    --status or --runtime-status says otherwise. The desired status is what somebody asked for; the
    runtime status is what became of it, with a reason where there is one.
    """

    columns = LIST_FIELDS
    nothing = "no pods to list (--all includes those that should not be running)"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add what chooses pods."""
        add = parser.add_argument
        add("-a", "--all", action="store_true", help="all pods, whatever their status")
        add(
            "--status",
            action="append",
            metavar="STATUS",
            help="by what somebody asked for: " + ", ".join(DESIRED_STATUSES) + "; separate several"
            " with commas or give it again",
        )
        add(
            "--runtime-status",
            action="append",
            metavar="STATUS",
            help="by what they are doing: "
            + ", ".join(RUNTIME_STATUSES)
            + "; separate several with"
            " commas or give it again",
        )
        add("--name", metavar="PATTERN", help="by name: a shell pattern, such as 'train-*'")
        add(
            "--compute-type",
            metavar="TYPE",
            help="with GPUs or without: " + ", ".join(COMPUTE_TYPES),
        )
        add("--since", metavar="DURATION", help="created within 30m, 1h30m, 7d")
        add(
            "--created-after",
            metavar="DATE",
            help="created at 2026-01-15 (midnight UTC), 2026-01-15T08:00:00Z, or later",
        )
        add(
            "--why",
            action="store_true",
            help="one request more for who stopped a pod, and for maintenance of its machine",
        )

    def options(self, args: argparse.Namespace) -> ListOptions:
        """Check what was typed."""
        return list_options(args)

    def take_action(self, options: ListOptions) -> Iterable[Mapping[str, Any]]:
        """Look, decide, choose."""
        pods = self.ctx.plane.list_pods(why=options.why)
        now = self.ctx.now()
        found = select_pods([(pod, state_of(pod, now)) for pod in pods], options, now)
        if found.undated:
            self.ctx.note(undated_note(found.undated))
        return [list_document(pod, state) for pod, state in found.pods]

    def human_row(self, document: Mapping[str, Any]) -> Mapping[str, object]:
        """Show what fits a line."""
        return human_row(document)


class Get(ShowCommand):
    """Show one pod in full, with how to reach it over ssh.

    Everything is asked for at the same time. For people the values of the pod's env are masked.
    """

    columns = DETAIL_FIELDS
    _show_env = False

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Take the id, and what to add."""
        parser.add_argument("id", metavar="ID", help="the id of a pod")
        parser.add_argument(
            "--include-machine", action="store_true", help="with the machine that it runs on"
        )
        parser.add_argument(
            "--include-network-volume", action="store_true", help="with its network volume"
        )
        _add_show_env(parser)

    def options(self, args: argparse.Namespace) -> GetOptions:
        """Check what was typed."""
        return get_options(args)

    def take_action(self, options: GetOptions) -> Mapping[str, Any]:
        """Look, and shape."""
        self._show_env = options.show_env
        detail = self.ctx.plane.get_pod(
            options.pod_id,
            include_machine=options.include_machine,
            include_network_volume=options.include_network_volume,
        )
        return _show(self.ctx, detail)

    def human_document(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Mask the env."""
        return human_detail(document, show_env=self._show_env)


class Update(ShowCommand):
    """Change a pod, and show it as 'pod get' does.

    --ports replaces the whole list of ports: what is not in it is no longer published. Changing it
    may restart the container.
    """

    columns = DETAIL_FIELDS
    _show_env = False

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Take the id, and what to change."""
        parser.add_argument("id", metavar="ID", help="the id of a pod")
        parser.add_argument(
            "--ports",
            action="append",
            metavar="PORTS",
            help="the whole list of ports, such as 8888/http,22/tcp",
        )
        _add_show_env(parser)

    def options(self, args: argparse.Namespace) -> UpdateOptions:
        """Check what was typed."""
        return update_options(args)

    def take_action(self, options: UpdateOptions) -> Mapping[str, Any]:
        """Warn, change, and look."""
        self._show_env = options.show_env
        plane = self.ctx.plane
        ports = ",".join(options.ports)
        self.ctx.note(
            f"--ports replaces the whole list: {options.pod_id} will publish {ports} and nothing "
            "else, and its container may restart"
        )
        plane.update_pod(options.pod_id, PodChange(ports=options.ports))
        return _show(self.ctx, plane.get_pod(options.pod_id))

    def human_document(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Mask the env."""
        return human_detail(document, show_env=self._show_env)


def _add_show_env(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--show-env",
        action="store_true",
        help="do not mask the values of its env in formats for people",
    )


def _show(ctx: Context, detail: PodDetail) -> dict[str, Any]:
    from rpcli.plugin import ssh_document  # a list does without, and need not import it

    state = state_of(detail.snapshot, ctx.now())
    key = ctx.local_key(detail.account_keys)
    note = env_note(detail)
    if note is not None:
        ctx.note(note)
    ssh = ssh_document(detail.snapshot, state, key, detail.account_keys)
    return detail_document(detail, state, ssh)
