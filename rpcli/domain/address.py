"""Addresses of APIs: whether one can be used, what of it may be shown, who may get the key. Pure.

Rules: no message repeats an address, since a password may stand in it; no name is resolved.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, quote, urlsplit

from rpcli.errors import ConfigError, UsageError

_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)\Z")


def check_address(text: str, named: str) -> str:
    """Check the base address of an API, and give it in one spelling.

    Scheme and host come back in lower case, the path without empty segments or a slash at its end,
    and a user or password not at all: the key travels in a header of its own.

    :param named: the variable or place that holds it, for the message
    :raises ConfigError: it cannot be one
    """
    if "\\" in text or any(c.isspace() for c in text) or not text.isprintable():
        raise _bad(named, "it has white space, a backslash or a control character in it")
    try:
        parts = urlsplit(text)
    except ValueError:
        raise _bad(named, "it cannot be taken apart") from None
    if parts.scheme not in _PORTS or not parts.netloc:
        raise _bad(named, "it must begin with https:// (or http://)")
    if parts.query or parts.fragment or text.endswith(("?", "#")):
        raise _bad(named, "it must be a base address, without '?' or '#'")
    host = _host(parts, named)
    port = _port(parts, named)
    path = "/".join(segment for segment in parts.path.split("/") if segment)
    return f"{parts.scheme}://{host}{port}" + (f"/{path}" if path else "")


def _host(parts: SplitResult, named: str) -> str:
    host = parts.hostname or ""
    if "[" in parts.netloc:
        if not _is_ip(host) or "%" in host:
            raise _bad(named, "what stands in brackets is no IPv6 address")
        return f"[{host}]"
    try:
        # A name in another script has an ASCII form; to make it takes a slow import.
        ascii_host = host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        ascii_host = ""
    if not all(map(_NAME.match, ascii_host.removesuffix(".").split("."))) or len(ascii_host) > 253:
        raise _bad(named, "it names no host")
    return ascii_host


def _port(parts: SplitResult, named: str) -> str:
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        raise _bad(named, "its port is not a number from 1 to 65535")
    return "" if port is None else f":{port}"


def _bad(named: str, why: str) -> ConfigError:
    return ConfigError(f"{named} is not an address that can be used: {why}")


def shown(url: str) -> str:
    """Give an address without the user and password that may stand in it."""
    parts = urlsplit(url)
    return parts._replace(netloc=host_of(url)).geturl()


def host_of(url: str) -> str:
    """Give host and port of an address."""
    return urlsplit(url).netloc.rpartition("@")[2]


def endpoint_of(url: str) -> str:
    """Give host, port and path: what an error names."""
    return host_of(url) + urlsplit(url).path


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    return _is_ip(host) and ipaddress.ip_address(host).is_loopback


def is_plain(url: str) -> bool:
    """Whether what is sent to an address can be read on the way."""
    return urlsplit(url).scheme == "http"


def keeps_key(start: str, target: str) -> bool:
    """Whether a redirect leads to where the key was meant for: the same scheme, host and port.

    The step from http to https on their usual ports counts as the same place.
    """
    old, new = _origin(start), _origin(target)
    if old is None or new is None:
        return False
    return old == new or (old[1] == new[1] and (old[0], old[2], new[0], new[2]) == _UPGRADE)


_UPGRADE = ("http", 80, "https", 443)


def _origin(url: str) -> tuple[str, str, int] | None:
    parts = urlsplit(url)
    try:
        port = parts.port or _PORTS[parts.scheme]
    except (KeyError, ValueError):
        return None
    return parts.scheme, (parts.hostname or "").rstrip("."), port


def encode_segment(segment: str) -> str:
    """Encode one segment of a path, so that it can lead to no other path.

    :raises UsageError: it is blank, a dot segment, or no text
    """
    if not segment.strip() or segment in (".", ".."):
        raise UsageError(f"'{segment}' is no id")
    try:
        return quote(segment, safe="")
    except UnicodeEncodeError:
        readable = segment.encode("utf-8", "backslashreplace").decode()
        raise UsageError(f"'{readable}' is no id: it is not valid text") from None


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
