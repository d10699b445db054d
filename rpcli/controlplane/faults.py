"""What an error of an API means to a control plane. Pure.

Rules: a fault that passes, a key that is not let in and an API that is gone are three things; the
words for people name the permanent ones as such. A 404 under a pod's id is that pod missing.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from rpcli.domain.pod import RuntimeSignal
from rpcli.errors import ApiError, NotFound, RpcliError, TimeoutExpired


class Kind(Enum):
    """What kept GraphQL from answering."""

    TIMEOUT = "timeout"
    FORBIDDEN = "forbidden"
    GONE = "gone"
    FAILED = "failed"


_FORBIDDEN_CODES = frozenset({"unauthorized", "forbidden", "unauthenticated"})
# A resolver may refuse inside HTTP 200, without a code and in words of its own.
_REFUSAL = r"(?i)\b(un|not )?(authori[sz]ed|authenticated)\b|\b(forbidden|access denied|permission)"


class Degradation(NamedTuple):
    """Why an answer is missing: for programs a kind, for people a text."""

    kind: Kind
    text: str

    @property
    def signal(self) -> RuntimeSignal:
        """What it means for the runtime of a pod."""
        if self.kind is Kind.FORBIDDEN:
            return RuntimeSignal.FORBIDDEN
        return RuntimeSignal.UNAVAILABLE


def late(seconds: float) -> Degradation:
    """Give up on an answer that is not there in time."""
    return Degradation(Kind.TIMEOUT, f"GraphQL did not answer within {seconds:g} s")


def degradation_of(error: RpcliError, cap: float) -> Degradation:
    """Say what an error of GraphQL means.

    :param cap: the seconds that it had
    """
    if isinstance(error, TimeoutExpired):
        return late(cap)
    status = f" (HTTP {error.status})" if error.status else ""
    if is_refusal(error):
        text = f"this key may not ask GraphQL{status}: a key made for one pod may only list pods"
        return Degradation(Kind.FORBIDDEN, text)
    if error.status in (404, 410):
        return Degradation(Kind.GONE, f"GraphQL is gone{status}, and is not asked again")
    return Degradation(Kind.FAILED, f"GraphQL failed: {error.message}")


def is_refusal(error: RpcliError) -> bool:
    """Tell whether an error says that the key is not let in."""
    if error.status in (401, 403) or error.error_code in _FORBIDDEN_CODES:
        return True
    return error.error_code == "graphql_error" and bool(re.search(_REFUSAL, error.message))


def about_pod(pod_id: str, error: RpcliError) -> RpcliError:
    """Say which pod an error is about; an id that the API does not know is not found."""
    if error.status == 404:
        return NotFound(
            f"there is no pod '{pod_id}'",
            status=404,
            id=pod_id,
            api=error.api,
            hint="a pod goes by its id here: 'rpcli pod list -a' shows them",
        )
    if isinstance(error, ApiError):
        error.id = pod_id
    return error


def about_rest_v1(error: RpcliError, *, gone: tuple[int, ...] = (410,)) -> RpcliError:
    """Say that the old API was retired, where that is what an error means.

    :param gone: the statuses that mean it: also 404 where an address is no pod's
    """
    if error.status in gone and error.hint is None:
        error.hint = "REST v1 was retired in November 2026: try --api v2"
    return error
