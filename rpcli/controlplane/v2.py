"""The living API: pods, ports and ssh in one request of REST v2.

Rules: a list is one request a page; what GraphQL adds (attribution, maintenance) and the account's
keys are best effort: they run beside the pods and never fail them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from rpcli.controlplane import v2_envelopes, v2_mapping
from rpcli.controlplane.faults import Degradation, about_pod
from rpcli.controlplane.fields import Problems
from rpcli.controlplane.podparts import Reason
from rpcli.controlplane.protocol import PodChange, SshView
from rpcli.domain.pod import Generation, PodDetail, PodSnapshot
from rpcli.errors import RpcliError, UnexpectedResponse
from rpcli.transport import encode_segment

if TYPE_CHECKING:
    from rpcli.controlplane.graphql_source import GraphqlSource
    from rpcli.transport import Transport
    from rpcli.transport.exchange import Pending

T = TypeVar("T")

#: Pods a page, the most that the API gives.
PAGE = 1000
#: Pages after which a list is taken to have no end.
MOST_PAGES = 1000
#: Seconds that GraphQL is waited for once the rest is there.
PATIENCE = 1.0
#: Seconds that other best-effort parts are waited for once the pods are there.
BESIDE = 5.0


class V2Plane:
    """The control plane over REST v2."""

    def __init__(
        self, transport: Transport, *, now: Callable[[], datetime], note: Callable[[str], None]
    ) -> None:
        self._transport = transport
        self._now = now
        self._note = note

    @property
    def generation(self) -> Generation:
        """The generation of the API."""
        return "v2"

    @cached_property
    def _graphql(self) -> GraphqlSource:
        from rpcli.controlplane.graphql_source import GraphqlSource  # a plain list does without

        return GraphqlSource(self._transport, now=self._now, note=self._note)

    def list_pods(self, *, why: bool = False) -> list[PodSnapshot]:
        """List every pod of the account; ``why`` asks GraphQL for attribution and maintenance."""
        problems = Problems()
        if why:
            pods = self._list_with_reasons(problems)
        else:
            pods = self._read_list({}, problems, reach=False)
        problems.tell(self._note)
        return pods

    def _list_with_reasons(self, problems: Problems) -> list[PodSnapshot]:
        from rpcli.controlplane.graphql_mapping import REASONS_QUERY, read_reasons

        question = self._graphql.ask(REASONS_QUERY)
        pods = self._read_list({}, problems, reach=False)
        found = question.answer(lambda data: read_reasons(data, problems), patience=PATIENCE)
        return v2_mapping.with_reasons(pods, self._known_or(found, {}))

    def get_pod(
        self, pod_id: str, *, include_machine: bool = False, include_network_volume: bool = False
    ) -> PodDetail:
        """Get one pod; everything beside it is asked for at the same time."""
        from rpcli.controlplane.graphql_mapping import read_reason, reason_query

        encode_segment(pod_id)  # refuses what is no id before anything is sent
        transport, problems = self._transport, Problems()
        question = self._graphql.ask(reason_query(include_machine=include_machine), {"id": pod_id})
        keys = transport.begin(self._ask_keys)
        volumes = (
            transport.begin(lambda: transport.rest_v2("GET", "network-volumes"))
            if include_network_volume
            else None
        )
        try:
            body = transport.rest_v2("GET", "pods", pod_id)
        except RpcliError as error:
            # Nothing beside the pod is worth waiting for.
            raise about_pod(pod_id, error) from None
        account_keys = self._keys(keys)
        volume = self._volume(body, volumes, problems) if volumes is not None else None
        found = question.answer(lambda data: read_reason(data, problems), patience=PATIENCE)
        detail = v2_mapping.read_detail(
            body,
            self._known_or(found, Reason()),
            problems,
            account_keys=account_keys,
            network_volume=volume,
        )
        problems.tell(self._note)
        return detail

    def ssh_view(self) -> SshView:
        """Look at every pod, members of clusters too, and at the account's keys."""
        problems = Problems()
        keys = self._transport.begin(self._ask_keys)
        pods = self._read_list({"includeClusterPods": "true"}, problems, reach=True)
        view = SshView(tuple(pods), self._keys(keys))
        problems.tell(self._note)
        return view

    def update_pod(self, pod_id: str, change: PodChange) -> None:
        """Change a pod; sent at most once, and not at all where nothing changes."""
        if change.ports is None:
            return
        try:
            self._transport.rest_v2("PATCH", "pods", pod_id, body={"ports": list(change.ports)})
        except RpcliError as error:
            raise about_pod(pod_id, error) from None

    def _read_list(
        self, query: dict[str, str], problems: Problems, *, reach: bool
    ) -> list[PodSnapshot]:
        """Read a list to its end; each page is let go before the next is asked for.

        :raises UnexpectedResponse: it has no end
        """
        pods: list[PodSnapshot] = []
        query = {**query, "limit": str(PAGE)}
        seen: set[str] = set()
        first = 0
        for _ in range(MOST_PAGES):
            page = v2_envelopes.read_page(self._transport.rest_v2("GET", "pods", query=query))
            pods += v2_mapping.read_pods(page.elements, problems, first=first, reach=reach)
            first += len(page.elements)
            if page.cursor is None:
                return pods
            if page.cursor in seen:
                raise UnexpectedResponse("the list of pods comes back to a page it gave", api="v2")
            seen.add(page.cursor)
            query["cursor"] = page.cursor
        raise UnexpectedResponse(f"the list of pods has more than {MOST_PAGES} pages", api="v2")

    def _ask_keys(self) -> tuple[str, ...]:
        return v2_envelopes.read_keys(self._transport.rest_v2("GET", "account", "ssh-keys"))

    def _keys(self, pending: Pending[tuple[str, ...]]) -> tuple[str, ...] | None:
        return self._beside(pending, "the account's ssh keys are")

    def _volume(
        self, body: object, pending: Pending[object], problems: Problems
    ) -> dict[str, object] | None:
        wanted = v2_mapping.read_network_volume_id(body, problems)
        if wanted is None:
            return None
        volumes = self._beside(pending, "the network volume is")
        if volumes is None:
            return None
        try:
            return v2_envelopes.find_network_volume(volumes, wanted, problems)
        except UnexpectedResponse as error:
            self._note(f"the network volume is unknown: {error.message}")
            return None

    def _beside(self, pending: Pending[T], unknown: str) -> T | None:
        """Wait for a best-effort part; what cannot be had is None, with a note."""
        if not pending.wait(BESIDE):
            pending.give_up()
            self._note(f"{unknown} unknown: no answer within {BESIDE:g} s")
            return None
        try:
            return pending.result()
        except RpcliError as error:
            self._note(f"{unknown} unknown: {error.message}")
            return None

    def _known_or(self, found: T | Degradation, otherwise: T) -> T:
        if isinstance(found, Degradation):
            self._graphql.note(found, "attribution and maintenance are")
            return otherwise
        return found
