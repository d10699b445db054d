"""The public API for plugins: the only door.

Everything in ``__all__`` is versioned with :data:`API_VERSION` and documented in
``docs/plugins.md``; whatever else a plugin imports from rpcli may change without notice.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rpcli.command import ActionCommand, Command, ListCommand, ShowCommand
from rpcli.context import Context
from rpcli.controlplane.protocol import ControlPlane, PodChange, SshView
from rpcli.domain.pod import PodDetail, PodSnapshot
from rpcli.domain.podstate import RUNTIME_STATUSES, PodState, state_of
from rpcli.errors import (
    ApiError,
    Conflict,
    FileError,
    Matched,
    NoMatch,
    NotFound,
    RpcliError,
    TimeoutExpired,
    UnexpectedResponse,
    Unsupported,
    UsageError,
)
from rpcli.surface import API_VERSION, CommandSpec, Surface

if TYPE_CHECKING:
    from rpcli.domain.lastchange import moment_of_change
    from rpcli.domain.publickey import LocalKey
    from rpcli.domain.ssh import ssh_document
    from rpcli.domain.timestamps import format_timestamp
    from rpcli.domain.timewindow import format_span, parse_duration, parse_instant
    from rpcli.stream.ports import StreamPlan, StreamStats, StreamTarget
    from rpcli.stream.records import Record, RecordBatch
    from rpcli.streamcommand import StreamCommand

__all__ = [
    "API_VERSION",
    "RUNTIME_STATUSES",
    "ActionCommand",
    "ApiError",
    "Command",
    "CommandSpec",
    "Conflict",
    "Context",
    "ControlPlane",
    "FileError",
    "ListCommand",
    "LocalKey",
    "Matched",
    "NoMatch",
    "NotFound",
    "PodChange",
    "PodDetail",
    "PodSnapshot",
    "PodState",
    "Record",
    "RecordBatch",
    "RpcliError",
    "ShowCommand",
    "SshView",
    "StreamCommand",
    "StreamPlan",
    "StreamStats",
    "StreamTarget",
    "Surface",
    "TimeoutExpired",
    "UnexpectedResponse",
    "Unsupported",
    "UsageError",
    "format_span",
    "format_timestamp",
    "moment_of_change",
    "parse_duration",
    "parse_instant",
    "ssh_document",
    "state_of",
]

#: Names that few commands need: whoever does not use them does not pay for their import.
_LATER = {
    "LocalKey": "rpcli.domain.publickey",
    "Record": "rpcli.stream.records",
    "RecordBatch": "rpcli.stream.records",
    "StreamCommand": "rpcli.streamcommand",
    "StreamPlan": "rpcli.stream.ports",
    "StreamStats": "rpcli.stream.ports",
    "StreamTarget": "rpcli.stream.ports",
    "format_span": "rpcli.domain.timewindow",
    "format_timestamp": "rpcli.domain.timestamps",
    "moment_of_change": "rpcli.domain.lastchange",
    "parse_duration": "rpcli.domain.timewindow",
    "parse_instant": "rpcli.domain.timewindow",
    "ssh_document": "rpcli.domain.ssh",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'rpcli.plugin' has no attribute '{name}'")
    return getattr(import_module(_LATER[name]), name)
