"""The one ``requests`` session of an invocation: a request goes in, an answer comes out.

Rules: the key goes into a header of one request and nowhere else, and no ``.netrc`` replaces it; a
redirect is given back, never followed here; a body is bounded, however well it was compressed.
"""

from __future__ import annotations

import contextlib
import os
import platform
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from rpcli import __version__
from rpcli.config import ApiKey
from rpcli.domain import address
from rpcli.errors import ConfigError, RpcliError
from rpcli.transport.bodies import read_body
from rpcli.transport.calls import Answer, Limits, Outgoing
from rpcli.transport.exchange import about_to_send, watch
from rpcli.transport.failures import CA_VARIABLES, proxy_of, refused_by_proxy, translate


class _Observed(HTTPConnection):
    """A connection that can be shut down by whoever gives up on it, at every stage.

    It serves one call after the other, and only the call that it serves may shut it.
    """

    _call: object = None

    def connect(self) -> None:
        self._begin()
        super().connect()

    def endheaders(self, *args: Any, **options: Any) -> None:
        if self.sock is None:
            self.connect()
        else:
            self._begin()
        about_to_send()
        super().endheaders(*args, **options)

    def getresponse(self) -> Any:
        # Where the answer closes the connection, it forgets its socket while the body still comes,
        # and connects anew for the next call: the socket stays that of this one.
        sock, call = self.sock, self._call
        watch(lambda: sock if self.sock is not sock or self._call is call else None)
        return super().getresponse()

    def _begin(self) -> None:
        self._call = call = object()
        watch(lambda: self.sock if self._call is call else None)


class _ObservedTls(_Observed, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Observed


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _ObservedTls


_POOLS = {"http": _Pool, "https": _TlsPool}


def _keepalive() -> list[tuple[int, int, int]]:
    """Give the options of a socket that finds out that nobody is there, within about a minute."""
    wanted = [(socket.SOL_SOCKET, "SO_KEEPALIVE", 1)]
    # The first exists on Linux, the second on macOS: the same by two names.
    tcp = {"TCP_KEEPIDLE": 30, "TCP_KEEPALIVE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
    wanted += [(socket.IPPROTO_TCP, name, value) for name, value in tcp.items()]
    return [
        (level, getattr(socket, name), value)
        for level, name, value in wanted
        if hasattr(socket, name)
    ]


_SOCKET_OPTIONS = [*HTTPConnection.default_socket_options, *_keepalive()]


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, socket_options=_SOCKET_OPTIONS, **options)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        manager = super().proxy_manager_for(proxy, socket_options=_SOCKET_OPTIONS, **options)
        if type(manager) is urllib3.ProxyManager:  # a SOCKS proxy has connections of its own kind
            manager.pool_classes_by_scheme = _POOLS
        return manager


class _Bearer(AuthBase):
    """The key as a header. Given an ``auth``, requests takes none from ``.netrc`` or the URL."""

    def __init__(self, key: ApiKey | None) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key.value}"
        return request


class _Requests(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Prepare no redirect: to do so requests would read the whole body, however large."""
        return None


class Session:
    """What sends requests.

    :param trust_env: whether proxies and certificates of the environment count
    :param allow_http: whether the key may travel unencrypted to another machine
    """

    def __init__(self, *, trust_env: bool, allow_http: bool) -> None:
        # Warnings of libraries must not become errors of ours under `python -W error`.
        urllib3.disable_warnings(urllib3.exceptions.HTTPWarning)
        self._allow_http = allow_http
        self._session = _Requests()
        self._session.trust_env = trust_env
        self._session.mount("http://", _Adapter())
        self._session.mount("https://", _Adapter())
        self._session.headers.update(
            {
                "User-Agent": user_agent(),
                "Accept": "application/json, application/problem+json",
                "Accept-Encoding": "gzip",
            }
        )

    def send(self, request: Outgoing, limits: Limits, heard: Callable[[Answer], None]) -> Answer:
        """Send one request, and read its answer.

        :param heard: told of the answer as soon as its headers are there
        :raises RpcliError: :class:`~rpcli.errors.NetworkError`,
            :class:`~rpcli.errors.TimeoutExpired`, :class:`~rpcli.errors.ConfigError` (a proxy or
            certificates that cannot be used), :class:`~rpcli.errors.UnexpectedResponse`
        """
        with self.translating(request.url, limits), self.open(request, limits) as response:
            heard(Answer(response.status_code, response.headers, b""))
            body = read_body(response.raw, response.status_code, address.host_of(request.url))
            return Answer(response.status_code, response.headers, body)

    def open(
        self,
        request: Outgoing,
        limits: Limits,
        headers: Mapping[str, str | bytes] | None = None,
    ) -> requests.Response:
        """Send one request, and wait for the headers of its answer; its body is not read.

        Whatever requests, urllib3 and the system raise is raised as it is: see :meth:`translating`.

        :param headers: beside those of every request
        :raises ConfigError: the key would leak, or the certificates cannot be used
        :raises NetworkError: the proxy wants a password
        """
        proxy = self._proxy_of(request.url)
        if request.key is not None:
            self._refuse_to_leak(request.url, proxy)
        kind = {} if request.body is None else {"Content-Type": "application/json"}
        response = self._session.request(
            request.method,
            request.url,
            data=request.body,
            headers={**kind, **(headers or {})},
            auth=_Bearer(request.key),
            timeout=(limits.connect, limits.read),
            verify=self._certificates(request.url),
            allow_redirects=False,
            stream=True,
        )
        if response.status_code == 407 and proxy:
            response.close()
            raise refused_by_proxy(proxy, address.host_of(request.url))
        return response

    @contextlib.contextmanager
    def translating(self, url: str, limits: Limits) -> Iterator[None]:
        """Turn what the libraries and the system raise about a request into errors of ours."""
        try:
            yield
        except RpcliError:
            raise
        except (
            requests.RequestException,
            urllib3.exceptions.HTTPError,
            OSError,
            ValueError,
        ) as error:
            raise translate(error, url, self._proxy_of(url), limits) from error

    def close(self) -> None:
        """Close every connection that nobody uses."""
        self._session.close()

    def _proxy_of(self, url: str) -> str | None:
        return proxy_of(url) if self._session.trust_env else None

    def _refuse_to_leak(self, url: str, proxy: str | None) -> None:
        """A plain request is read by its proxy, wherever it goes then."""
        if proxy is None or self._allow_http or not address.is_plain(url):
            return
        if not address.is_loopback(proxy):
            raise ConfigError(
                f"the API key would travel unencrypted to the proxy {address.host_of(proxy)}",
                hint=f"add {urlsplit(url).hostname} to NO_PROXY",
            )

    def _certificates(self, url: str) -> str | None:
        """Give the file or folder of certificates that the environment names.

        requests itself knows the first two variables; the third is that of OpenSSL.
        """
        if address.is_plain(url) or not self._session.trust_env:
            return None
        for variable in CA_VARIABLES:
            path = os.environ.get(variable, "").strip()
            if path:
                if not Path(path).exists():
                    raise ConfigError(f"{variable} names '{path}', which does not exist")
                return path
        return None


def user_agent() -> str:
    """Name ourselves: the platform's edge refuses the names of bare libraries."""
    system = "macos" if sys.platform == "darwin" else platform.system().lower()
    return f"rpcli/{__version__} ({system}; {platform.machine().lower()})"
