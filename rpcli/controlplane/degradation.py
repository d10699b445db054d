"""Why GraphQL has nothing to say, in kinds that are told apart. Pure.

Rules: a fault that passes, a key that is not let in and an API that is gone are three things; the
words for people name the permanent ones as such.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from rpcli.domain.pod import RuntimeSignal
from rpcli.errors import RpcliError, TimeoutExpired


class Kind(Enum):
    """What kept GraphQL from answering."""

    TIMEOUT = "timeout"
    FORBIDDEN = "forbidden"
    GONE = "gone"
    FAILED = "failed"


_FORBIDDEN_CODES = frozenset({"unauthorized", "forbidden", "unauthenticated"})
# A resolver may refuse inside HTTP 200, without a code and in words of its own.
_REFUSAL = re.compile(
    r"\b(un|not )?(authori[sz]ed|authenticated)\b|\b(forbidden|access denied|permission)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Degradation:
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
        return Degradation(Kind.GONE, f"GraphQL is gone{status}: REST v2 is the API that stays")
    return Degradation(Kind.FAILED, f"GraphQL failed: {error.message}")


def is_refusal(error: RpcliError) -> bool:
    """Tell whether an error says that the key is not let in."""
    if error.status in (401, 403) or error.error_code in _FORBIDDEN_CODES:
        return True
    return error.error_code == "graphql_error" and bool(_REFUSAL.search(error.message))
