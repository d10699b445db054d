"""What every control plane can be asked, in the words of the domain.

Errors raised by all methods: :class:`~rpcli.errors.NoCredentials`, :class:`~rpcli.errors.ApiError`,
:class:`~rpcli.errors.NetworkError`, :class:`~rpcli.errors.TimeoutExpired`,
:class:`~rpcli.errors.UnexpectedResponse`, :class:`~rpcli.errors.Unsupported`. A part that is best
effort (runtime on classic, attribution on v2) never raises: it degrades the snapshot and notes why.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from rpcli.domain.pod import Generation, PodDetail, PodSnapshot


class PodChange(NamedTuple):
    """What ``pod update`` changes; ``None`` leaves a thing as it is."""

    ports: tuple[str, ...] | None = None  #: the whole list, as the API replaces it


class SshView(NamedTuple):
    """Pods and account keys as ssh needs them. ``account_keys`` is None where unknown."""

    pods: tuple[PodSnapshot, ...]
    account_keys: tuple[str, ...] | None


class ControlPlane(Protocol):
    """The living API and the old one look the same from here."""

    @property
    def generation(self) -> Generation:
        """``v2`` or ``classic``."""

    def list_pods(self, *, why: bool = False) -> list[PodSnapshot]:
        """List every pod of the account, in the API's order.

        What no list shows is left out: mapped ports and ssh addresses are in :meth:`ssh_view`.

        :param why: ask for attribution and maintenance, where the list does not have them
        """

    def get_pod(
        self, pod_id: str, *, include_machine: bool = False, include_network_volume: bool = False
    ) -> PodDetail:
        """Get one pod with all that there is to know; one round trip of latency."""

    def ssh_view(self) -> SshView:
        """Look at every pod for ssh, with the account's keys."""

    def update_pod(self, pod_id: str, change: PodChange) -> None:
        """Change a pod; sent at most once."""
