"""The public API for plugins: the only door.

Everything in ``__all__`` is versioned with :data:`API_VERSION` and documented in ``docs/plugins.md``;
whatever else a plugin imports from rpcli may change without notice.
"""

from __future__ import annotations

from rpcli.command import ActionCommand, Command, ListCommand, ShowCommand, StreamCommand
from rpcli.context import Context
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
    "ActionCommand",
    "ApiError",
    "Command",
    "CommandSpec",
    "Conflict",
    "Context",
    "FileError",
    "ListCommand",
    "NotFound",
    "RpcliError",
    "ShowCommand",
    "StreamCommand",
    "Surface",
    "TimeoutExpired",
    "UnexpectedResponse",
    "Unsupported",
    "UsageError",
]
