"""Keep a process on loopback: whatever else it tries to reach is refused, loudly.

An audit hook sees every connection of the process, whoever makes it, and cannot be patched away.
"""

from __future__ import annotations

import ipaddress
import socket
import sys

_NAMES = frozenset(("localhost", "", None))
_installed = False


class LeftLoopback(BaseException):
    """A test reached for another machine; no ``except Exception`` takes it for a network error."""


def install() -> None:
    """Guard this process from now on; an audit hook stays for good."""
    global _installed  # noqa: PLW0603 - hooks add up, and one is enough
    if not _installed:
        _installed = True
        sys.addaudithook(_hook)


def _hook(event: str, args: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.sendto"):
        sock, address = args[0], args[1]
        if isinstance(sock, socket.socket) and sock.family in (socket.AF_INET, socket.AF_INET6):
            _require_loopback(address[0] if isinstance(address, tuple) else address)
    elif event == "socket.getaddrinfo":
        _require_loopback(args[0])


def _require_loopback(host: object) -> None:
    name = host.decode() if isinstance(host, bytes) else host
    if name in _NAMES:
        return
    if isinstance(name, str) and name.rpartition(".")[2] == "invalid":
        # RFC 6761: such a name never resolves; here it fails without asking anybody.
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    try:
        loopback = ipaddress.ip_address(str(name).partition("%")[0]).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise LeftLoopback(f"tests stay on loopback, and this one reached for {name!r}")
