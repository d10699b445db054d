"""Control planes: one protocol, and an adapter for each generation of the platform's API.

Rules: nothing above knows which generation is in use, and no adapter is imported before it is.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpcli.config import Settings
    from rpcli.controlplane.protocol import ControlPlane
    from rpcli.transport import Transport


def open_plane(
    settings: Settings,
    transport: Transport,
    *,
    now: Callable[[], datetime],
    note: Callable[[str], None],
) -> ControlPlane:
    """Give the control plane that the settings choose; nothing is asked yet.

    :param now: the time of day, aware
    :param note: tells the person one line beside the result
    :raises ConfigError: the settings choose one that there is not
    """
    if settings.api == "classic":
        from rpcli.controlplane.classic import ClassicPlane

        return ClassicPlane(transport, now=now, note=note)
    from rpcli.controlplane.v2 import V2Plane

    return V2Plane(transport, now=now, note=note)
