"""The public API for plugins: the only door.

Everything in ``__all__`` is versioned with :data:`API_VERSION` and documented in
``docs/plugins.md``; whatever else a plugin imports from rpcli may change without notice.
"""

from __future__ import annotations

from rpcli.command import ActionCommand, Command, ListCommand, ShowCommand, StreamCommand
from rpcli.context import Context
from rpcli.controlplane.protocol import ControlPlane, PodChange, SshView
from rpcli.domain.lastchange import moment_of_change
from rpcli.domain.pod import PodDetail, PodSnapshot
from rpcli.domain.podstate import RUNTIME_STATUSES, PodState, state_of
from rpcli.domain.publickey import LocalKey
from rpcli.domain.ssh import ssh_document
from rpcli.domain.timestamps import format_timestamp
from rpcli.domain.timewindow import format_span, parse_duration, parse_instant
from rpcli.errors import (
    ApiError,
    Conflict,
    FileError,
    NotFound,
    RpcliError,
    TimeoutExpired,
    UnexpectedResponse,
    Unsupported,
    UsageError,
)
from rpcli.surface import API_VERSION, CommandSpec, Surface

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
    "NotFound",
    "PodChange",
    "PodDetail",
    "PodSnapshot",
    "PodState",
    "RpcliError",
    "ShowCommand",
    "SshView",
    "StreamCommand",
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
