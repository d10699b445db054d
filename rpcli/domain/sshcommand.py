"""Ssh command lines that are safe to paste. Pure.

Rules: an address is an IP address or a host name and anything else is refused, as is a user or an
id that could be read as something else; nothing here switches the checking of host keys off.

RunPod gives addresses and ports to one pod after the other, so the host key is kept under the id of
the pod (``HostKeyAlias``): under the address ssh would warn of an attack again and again.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rpcli.domain.pod import SshEndpoint
from rpcli.domain.publickey import LocalKey

_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_HOST_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*\.?\Z")
# Such a last label makes resolvers read an IPv4 address, in forms that nobody expects.
_LOOKS_NUMERIC = re.compile(r"(?:.*\.)?(?:[0-9]+|0[xX][0-9a-fA-F]*)\.?\Z")
_ZONE = re.compile(r"[A-Za-z0-9._-]+\Z")
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*\Z")
SSH_PORT = 22


class Target(NamedTuple):
    """Where ssh goes, checked."""

    user: str
    host: str
    port: int


def check_target(endpoint: SshEndpoint) -> Target | None:
    """Check what the platform gave; None: no command may be built from it."""
    host = check_host(endpoint.host)
    user = endpoint.user.strip()
    if host is None or not _WORD.match(user) or not 0 < endpoint.port < 1 << 16:
        return None
    return Target(user, host, endpoint.port)


def check_host(text: str) -> str | None:
    """Give an IP address or host name as ssh takes it; None: it is neither."""
    host = text.strip()
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    if ":" in host or _LOOKS_NUMERIC.match(host):
        return host if _is_ip(host) else None
    return host if _HOST_NAME.match(host) else None


def is_global_address(text: str) -> bool:
    """Tell whether an address is one that the whole internet can reach."""
    from ipaddress import ip_address

    try:
        return ip_address(text.strip()).is_global
    except ValueError:
        return False


def is_plain_word(text: str) -> bool:
    """Tell whether a text can stand anywhere in a command or a configuration of ssh."""
    return _WORD.match(text) is not None


def direct_argv(target: Target, alias: str, key: LocalKey) -> list[str]:
    """Give the command that connects to the pod itself.

    :param alias: the name that the host key is kept under
    """
    options = ["-p", str(target.port), *_identity(key), "-o", f"HostKeyAlias={alias}"]
    # No brackets around IPv6: ssh would take them for a part of the name.
    return ["ssh", *options, f"{target.user}@{target.host}"]


def proxy_argv(target: Target, key: LocalKey) -> list[str]:
    """Give the command that goes through the platform's proxy, whose host key is its own."""
    port = [] if target.port == SSH_PORT else ["-p", str(target.port)]
    return ["ssh", *port, *_identity(key), f"{target.user}@{target.host}"]


def _identity(key: LocalKey) -> list[str]:
    if not key.usable:
        return []
    if "%" not in key.path:
        return ["-i", key.path]
    # ssh looks for the path of -i as it is and then opens it with %h and its like replaced: no
    # spelling survives both. In a configuration %% is a percent sign.
    escaped = key.path.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return ["-o", f'IdentityFile="{escaped}"']


def _is_ip(text: str) -> bool:
    from ipaddress import ip_address

    address, percent, zone = text.partition("%")
    if percent and not _ZONE.match(zone):
        return False
    try:
        return ip_address(address).version == 6 or not percent
    except ValueError:
        return False
