"""Where an answer redirects to, and whether to go there. Pure.

Rules: only what changes nothing is sent elsewhere, only over HTTP, and never with a password in the
address; who gets the key is :func:`rpcli.domain.address.keeps_key`.
"""

from __future__ import annotations

from urllib.parse import urldefrag, urljoin, urlsplit

from rpcli.domain import address
from rpcli.errors import UnexpectedResponse
from rpcli.terminal import one_line, shorten
from rpcli.transport.calls import Answer

_STATUSES = frozenset((301, 302, 303, 307, 308))


def target_of(answer: Answer, url: str) -> str | None:
    """Give the address that an answer redirects to, without user and password; None: it does not.

    :raises UnexpectedResponse: it redirects to no address of the web
    """
    location = (answer.headers.get("Location") or "").strip()
    if answer.status not in _STATUSES or not location:
        return None
    target = ""
    try:
        target = urljoin(url, location)
        parts = urlsplit(target)
        is_web = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_web = False
    if not is_web:
        raise UnexpectedResponse(
            f"{address.endpoint_of(url)} redirects to '{short(location)}', which is no web address",
            status=answer.status,
        )
    return urldefrag(address.shown(target)).url


def require_get(method: str, url: str, target: str, status: int) -> None:
    """Send what has a body to nobody else: it was not meant for them.

    :raises UnexpectedResponse: the method is not GET
    """
    if method != "GET":
        raise UnexpectedResponse(
            f"{address.endpoint_of(url)} redirects to {shown_endpoint(target)}: "
            f"a {method} is not sent there",
            status=status,
        )


def shown_endpoint(url: str) -> str:
    """Give host, port and path of an address that a server named, safe to show."""
    return short(address.endpoint_of(url))


def short(text: str) -> str:
    """Make what a server named safe to show."""
    return shorten(one_line(text), 200)
