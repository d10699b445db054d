"""The values that pass between the parts of the transport. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rpcli.config import ApiKey
from rpcli.domain import address
from rpcli.errors import NetworkError, RpcliError


class Call(NamedTuple):
    """One request to an API, before it is sent."""

    api: str  #: ``v2``, ``v1``, ``graphql``
    method: str
    url: str
    body: bytes | None
    limit: float  #: seconds of wall clock, everything together
    tries: int
    is_safe: bool  #: whether sending it twice does no harm

    @property
    def where(self) -> str:
        """Host, port and path."""
        return address.endpoint_of(self.url)


class Hop(NamedTuple):
    """Where a call is sent: first to its own address, then to where that redirects."""

    url: str
    key: ApiKey | None
    where: str  #: as errors name it


class Outgoing(NamedTuple):
    """One request, as it goes out."""

    method: str
    url: str
    key: ApiKey | None
    body: bytes | None


class Limits(NamedTuple):
    """Seconds: to make one connection, and without a byte from the server; None: for ever."""

    connect: float
    read: float | None


class Answer(NamedTuple):
    """An HTTP answer, its body read and unpacked; ``headers`` ignore letter case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Result(NamedTuple):
    """What one try came to: an answer, or an error."""

    answer: Answer | None
    error: RpcliError | None
    where: str
    was_sent: bool = False  #: whether the request may have arrived


class LastingNetworkError(NetworkError):
    """A failure of the network that another try meets again: a certificate, a proxy's password."""

    is_lasting = True
