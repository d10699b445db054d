"""The old API: pods from REST v1, and what they are really doing from GraphQL.

Rules: a list is one request to REST and at most one to GraphQL, none unless a pod is RUNNING; a
``get`` is one to each at the same time; GraphQL degrades what it cannot tell, but ssh lives off it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from rpcli.controlplane import classic_mapping
from rpcli.controlplane.faults import Degradation, about_pod, about_rest_v1
from rpcli.controlplane.fields import Problems
from rpcli.controlplane.graphql_mapping import (
    RUNTIME_AND_KEYS_QUERY,
    RUNTIME_QUERY,
    read_account,
)
from rpcli.controlplane.graphql_source import GraphqlSource, Question
from rpcli.controlplane.protocol import PodChange, SshView
from rpcli.domain.pod import Generation, PodDetail, PodSnapshot, RuntimeSignal
from rpcli.errors import RpcliError
from rpcli.transport import encode_segment

if TYPE_CHECKING:
    from rpcli.transport import Transport


class ClassicPlane:
    """The control plane over REST v1 with GraphQL."""

    def __init__(
        self, transport: Transport, *, now: Callable[[], datetime], note: Callable[[str], None]
    ) -> None:
        self._transport = transport
        self._note = note
        self._graphql = GraphqlSource(transport, now=now, note=note)

    @property
    def generation(self) -> Generation:
        """The generation of the API."""
        return "classic"

    def list_pods(self, *, why: bool = False) -> list[PodSnapshot]:
        """List every pod of the account; the reasons are always there, so ``why`` adds nothing."""
        problems = Problems()
        try:
            body = self._transport.rest_v1("GET", "pods")
        except RpcliError as error:
            raise about_rest_v1(error, gone=(404, 410)) from None
        pods = classic_mapping.read_list(body, problems)
        source: classic_mapping.RuntimeSource = RuntimeSignal.NOT_ASKED
        if any(map(classic_mapping.is_running, pods)):
            question = self._graphql.ask(RUNTIME_QUERY)
            source = self._source(question, problems, "runtime states are")
        snapshots = [classic_mapping.read_snapshot(pod, source) for pod in pods]
        problems.tell(self._note)
        return snapshots

    def get_pod(
        self, pod_id: str, *, include_machine: bool = False, include_network_volume: bool = False
    ) -> PodDetail:
        """Get one pod; the account's keys ride in the one GraphQL request beside it."""
        problems = Problems()
        # The volume is always asked for: without it the pod does not even tell that it has one.
        query = {"includeNetworkVolume": "true"}
        if include_machine:
            query["includeMachine"] = "true"
        encode_segment(pod_id)  # refuses what is no id before anything is sent
        question = self._graphql.ask(RUNTIME_AND_KEYS_QUERY)
        try:
            body = self._transport.rest_v1("GET", "pods", pod_id, query=query)
        except RpcliError as error:
            # An id that REST does not know is not found, whatever GraphQL says.
            raise about_rest_v1(about_pod(pod_id, error)) from None
        pod = classic_mapping.read_pod(body, problems)
        running = classic_mapping.is_running(pod)
        unknown = "the runtime state is" if running else "the account's ssh keys are"
        source = self._source(question, problems, unknown)
        detail = classic_mapping.read_detail(
            body, source, problems, with_network_volume=include_network_volume
        )
        problems.tell(self._note)
        return detail

    def ssh_view(self) -> SshView:
        """Look at every pod and at the account's keys, in one GraphQL request.

        :raises RpcliError: GraphQL failed, with its own code: no pod never means could not ask
        """
        problems = Problems()
        try:
            data = self._transport.graphql(RUNTIME_AND_KEYS_QUERY)
        except RpcliError as error:
            if error.status != 404:
                raise
            # Not a pod that is missing: the API is.
            error.error_code = "gone"
            error.hint = "GraphQL was retired: try --api v2"
            raise
        account = read_account(data, problems)
        pods = map(classic_mapping.snapshot_from_graphql, account.pods.values())
        view = SshView(tuple(pods), account.keys)
        problems.tell(self._note)
        return view

    def update_pod(self, pod_id: str, change: PodChange) -> None:
        """Change a pod; sent at most once, and not at all where nothing changes."""
        if change.ports is None:
            return
        try:
            self._transport.rest_v1("PATCH", "pods", pod_id, body={"ports": list(change.ports)})
        except RpcliError as error:
            raise about_rest_v1(about_pod(pod_id, error)) from None

    def _source(
        self, question: Question, problems: Problems, unknown: str
    ) -> classic_mapping.RuntimeSource:
        found = question.answer(lambda data: read_account(data, problems))
        if isinstance(found, Degradation):
            self._graphql.note(found, unknown)
            return found.signal
        return found
