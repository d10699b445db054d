"""requests behind one seam: what goes in is a URL, what comes out is an answer or one of our errors."""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from rpcli import __version__
from rpcli.config import ApiKey
from rpcli.errors import ConfigError, NetworkError, RpcliError, TimeoutExpired, UnexpectedResponse
from rpcli.terminal import one_line
from rpcli.transport.exchange import watch

#: Bytes of a body, decoded, that are read at the most.
LARGEST = 64 << 20
CA_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


class Answer(NamedTuple):
    """An HTTP answer, its body read."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class NotArrived(NetworkError):
    """The request surely did not reach the server: it may be sent again, whatever it does."""


class _Watched(HTTPConnection):
    def getresponse(self) -> Any:
        watch(self.sock)
        return super().getresponse()


class _WatchedTls(HTTPSConnection):
    def getresponse(self) -> Any:
        watch(self.sock)
        return super().getresponse()


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Watched


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _WatchedTls


_POOLS = {"http": _Pool, "https": _TlsPool}


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        manager = super().proxy_manager_for(proxy, **options)
        if isinstance(manager, urllib3.ProxyManager):
            manager.pool_classes_by_scheme = _POOLS
        return manager


class _Bearer(AuthBase):
    """The key as a header; with an ``auth`` of our own requests asks no ``.netrc`` for another."""

    def __init__(self, key: ApiKey | None) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key.value}"
        else:
            request.headers.pop("Authorization", None)
        return request


class Session:
    """The one ``requests`` session of an invocation."""

    def __init__(self, env: Mapping[str, str] = os.environ) -> None:
        self._session = requests.Session()
        self._session.mount("http://", _Adapter())
        self._session.mount("https://", _Adapter())
        self._session.headers["User-Agent"] = user_agent()
        self._session.headers["Accept"] = "application/json, application/problem+json"
        bundle = env.get("SSL_CERT_FILE")
        if bundle and not (env.get("REQUESTS_CA_BUNDLE") or env.get("CURL_CA_BUNDLE")):
            self._session.verify = bundle

    def send(
        self,
        method: str,
        url: str,
        *,
        key: ApiKey | None,
        body: bytes | None,
        timeout: tuple[float, float],
    ) -> Answer:
        """Send one request and read its answer; redirects are given back as they are.

        :param timeout: seconds to connect, and between two bytes
        :raises NotArrived: no connection could be made
        :raises NetworkError: the connection broke
        :raises TimeoutExpired: the server was silent for too long
        :raises UnexpectedResponse: a body that is too large or cannot be decoded
        """
        headers = {} if body is None else {"Content-Type": "application/json"}
        try:
            with self._session.request(
                method,
                url,
                data=body,
                headers=headers,
                auth=_Bearer(key),
                timeout=timeout,
                allow_redirects=False,
                stream=True,
            ) as response:
                return Answer(response.status_code, response.headers, _read(response))
        except RpcliError:
            raise
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            raise translate(error, url, timeout) from error

    def close(self) -> None:
        """Close every connection."""
        self._session.close()


def user_agent() -> str:
    """Name ourselves: the platform's edge refuses the names of bare libraries."""
    return f"rpcli/{__version__} ({platform.system().lower()}; {platform.machine().lower()})"


def _read(response: requests.Response) -> bytes:
    chunks = []
    size = 0
    for chunk in response.raw.stream(1 << 16, decode_content=True):
        size += len(chunk)
        if size > LARGEST:
            host = urlsplit(response.url).hostname
            raise UnexpectedResponse(f"{host} answered with more than {LARGEST >> 20} MiB")
        chunks.append(chunk)
    return b"".join(chunks)


def translate(error: Exception, url: str, timeout: tuple[float, float]) -> RpcliError:
    """Give our error for one of requests, urllib3 or the system: the most specific first."""
    host = urlsplit(url).netloc.rpartition("@")[2]
    cause = _root(error)
    if isinstance(error, requests.exceptions.ProxyError) or "proxy" in type(cause).__name__.lower():
        return NotArrived(f"the proxy {_proxy(url)} did not connect us to {host}: {_say(cause)}")
    if isinstance(error, requests.exceptions.InvalidSchema):
        return ConfigError(f"cannot use the proxy {_proxy(url)}: {one_line(str(error))}")
    if isinstance(error, requests.exceptions.SSLError):
        return NotArrived(f"TLS with {host} failed: {_say(cause)}")
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return TimeoutExpired(f"{host} took no connection within {timeout[0]:g} s")
    if isinstance(error, requests.exceptions.ReadTimeout) or isinstance(
        cause, urllib3.exceptions.ReadTimeoutError | TimeoutError
    ):
        return TimeoutExpired(f"{host} was silent for {timeout[1]:g} s")
    if isinstance(cause, urllib3.exceptions.DecodeError):
        return UnexpectedResponse(f"{host} sent a body that cannot be decoded: {_say(cause)}")
    if isinstance(cause, urllib3.exceptions.NewConnectionError | socket.gaierror):
        return NotArrived(f"cannot connect to {host}: {_say(cause)}")
    if isinstance(error, requests.RequestException | urllib3.exceptions.HTTPError):
        if isinstance(error, ValueError) and not isinstance(error, requests.ConnectionError):
            return ConfigError(f"{host} cannot be asked: {_say(error)}")
        return NetworkError(f"the connection to {host} broke: {_say(cause)}")
    if isinstance(error, OSError):
        named = [v for v in CA_VARIABLES if os.environ.get(v)]
        return ConfigError(
            f"cannot make a TLS connection to {host}: {one_line(str(error))}",
            hint=f"check the file that {named[0]} names" if named else None,
        )
    return NetworkError(f"{host} cannot be asked: {type(error).__name__}")


def _root(error: BaseException) -> BaseException:
    """Find what really happened below the wrappings of requests and urllib3."""
    seen = error
    for _ in range(10):
        inner = getattr(seen, "reason", None)
        if not isinstance(inner, BaseException):
            inner = next((a for a in seen.args if isinstance(a, BaseException)), None)
        if inner is None or inner is seen:
            break
        seen = inner
    return seen


def _say(error: BaseException) -> str:
    """Put a library's error into words without its wrappings, addresses of objects or URLs."""
    cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
    if isinstance(cause, OSError) and cause.strerror:
        return one_line(cause.strerror)
    text = str(error.args[-1]) if error.args else type(error).__name__
    _, _, said = text.rpartition(">: ")
    return one_line((said or text)[:300])


def _proxy(url: str) -> str:
    from requests.utils import get_environ_proxies, select_proxy

    proxy = select_proxy(url, get_environ_proxies(url)) or "of the environment"
    return str(proxy).rpartition("@")[2] if "@" in str(proxy) else str(proxy)
