"""GraphQL as a source beside REST: asked once, under a cap, and never fatal.

Rules: one try, at most :data:`CAP` seconds of wall clock; one that is gone is not asked again, one
that was too slow is left alone for a while; whatever is missing is noted once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from rpcli.controlplane.faults import Degradation, Kind, degradation_of, late
from rpcli.errors import RpcliError

if TYPE_CHECKING:
    from rpcli.transport import Transport
    from rpcli.transport.exchange import Pending

T = TypeVar("T")

#: Seconds of wall clock that a question to GraphQL may take, a dripping answer included.
CAP = 5.0
#: How long a GraphQL that was too slow is left alone by whoever asks again and again.
PAUSE = timedelta(seconds=60)


class Question:
    """A question that is on its way, or the reason why it was not asked."""

    def __init__(
        self, source: GraphqlSource, pending: Pending[dict[str, Any]] | Degradation
    ) -> None:
        self._source = source
        self._pending = pending

    def answer(
        self, read: Callable[[dict[str, Any]], T], *, patience: float | None = None
    ) -> T | Degradation:
        """Wait for the answer and read it.

        :param read: makes sense of the answer's data; may raise an error of ours
        :param patience: seconds to wait from now on; None: until the cap
        """
        if isinstance(self._pending, Degradation):
            return self._pending
        if not self._pending.wait(patience):
            self._pending.give_up()
            return self._source.remember(late(patience or 0.0))
        try:
            return read(self._pending.result())
        except RpcliError as error:
            # Best effort: what could not be had is unknown, and the rest of the answer stands.
            return self._source.remember(degradation_of(error, CAP))


class GraphqlSource:
    """Asks GraphQL, and knows when not to.

    :param now: the time of day
    :param note: tells the person one line
    """

    def __init__(
        self, transport: Transport, *, now: Callable[[], datetime], note: Callable[[str], None]
    ) -> None:
        self._transport = transport
        self._now = now
        self._note = note
        self._noted: set[str] = set()
        self._gone: Degradation | None = None
        self._late: Degradation | None = None
        self._late_since: datetime | None = None

    def ask(self, query: str, variables: Mapping[str, object] | None = None) -> Question:
        """Send a question, and go on; the answer is waited for later."""
        reason = self._reason_not_to()
        if reason is not None:
            return Question(self, reason)
        transport = self._transport
        return Question(
            self,
            transport.begin(lambda: transport.graphql(query, variables, cap=CAP, retry=False)),
        )

    def note(self, degradation: Degradation, unknown: str) -> None:
        """Tell once what is unknown, and why."""
        text = f"{unknown} unknown: {degradation.text}"
        if text not in self._noted:
            self._noted.add(text)
            self._note(text)

    def remember(self, degradation: Degradation) -> Degradation:
        """Keep what the next question should know."""
        if degradation.kind is Kind.GONE:
            self._gone = degradation
        elif degradation.kind is Kind.TIMEOUT:
            self._late, self._late_since = degradation, self._now()
        return degradation

    def _reason_not_to(self) -> Degradation | None:
        if self._gone is not None:
            return self._gone
        if self._late_since is not None and self._now() - self._late_since < PAUSE:
            return self._late
        return None
