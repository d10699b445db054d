"""Errors of requests, urllib3 and the system, turned into ours at one seam."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlsplit

import requests
from requests.utils import get_environ_proxies, select_proxy
from urllib3 import exceptions as lower

from rpcli.domain.address import host_of, shown
from rpcli.errors import ConfigError, NetworkError, RpcliError, TimeoutExpired
from rpcli.terminal import one_line, shorten
from rpcli.transport.calls import LastingNetworkError, Limits

CA_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
_PROXY_SCHEMES = ("http", "https", "socks4", "socks4a", "socks5", "socks5h")
_PROXY_VARIABLES = ("https_proxy", "http_proxy", "all_proxy")


def proxy_of(url: str) -> str | None:
    """Give the proxy that the environment names for an address, as requests chooses it.

    :raises ConfigError: what is named is no address of a proxy
    """
    proxy = select_proxy(url, get_environ_proxies(url))
    if not proxy:
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    try:
        parts = urlsplit(proxy)
        is_proxy = parts.scheme in _PROXY_SCHEMES and parts.hostname and parts.port != 0
    except ValueError:
        is_proxy = False
    if not is_proxy:
        # Not repeated: there may be a password in it.
        raise ConfigError(f"what {_variable(proxy)} names is no address of a proxy")
    return proxy


class _Failure(NamedTuple):
    """An error of theirs, and what was under way."""

    error: Exception
    cause: BaseException  #: what really happened, below all wrappings
    host: str
    proxy: str | None
    limits: Limits

    @property
    def way(self) -> str:
        """The host, and the proxy on the way to it."""
        return f"{self.host} (through the proxy {shown(self.proxy)})" if self.proxy else self.host


def translate(error: Exception, url: str, proxy: str | None, limits: Limits) -> RpcliError:
    """Give our error for one of theirs.

    :param proxy: the proxy that the request went through
    """
    failure = _Failure(error, _innermost(error), host_of(url), proxy, limits)
    for kinds, make in _SEAM:
        if isinstance(error, kinds):
            return make(failure)
    return _of_address(failure)


def _of_proxy(failure: _Failure) -> RpcliError:
    said, proxy = _said(failure.cause), failure.proxy
    if proxy is None:
        return _of_connection(failure)
    if " 407 " in f" {said} ":
        return refused_by_proxy(proxy, failure.host)
    return NetworkError(
        f"the proxy {shown(proxy)} did not lead to {failure.host}: {said}",
        hint=f"it is named by {_variable(proxy)}",
    )


def refused_by_proxy(proxy: str, host: str) -> NetworkError:
    """Make the error for a proxy that answers 407."""
    return LastingNetworkError(
        f"the proxy {shown(proxy)} wants a user and a password to reach {host} (HTTP 407)",
        hint=f"put them into {_variable(proxy)}: http://user:password@{host_of(proxy)}",
    )


def _of_socks(failure: _Failure) -> RpcliError:
    proxy = failure.proxy
    if proxy is None or not proxy.lower().startswith("socks"):
        return _of_address(failure)
    return ConfigError(
        f"the proxy {shown(proxy)}, which {_variable(proxy)} names, needs PySocks",
        hint="pip install pysocks, beside rpcli",
    )


def _of_tls(failure: _Failure) -> RpcliError:
    cause = failure.cause
    said = cause.verify_message if isinstance(cause, ssl.SSLCertVerificationError) else _said(cause)
    text = f"TLS with {failure.way} failed: {said}"
    if not _is_about_certificates(cause):
        return NetworkError(text)
    hint = "is TLS opened on the way? name the certificate of who does it in REQUESTS_CA_BUNDLE"
    named = next((v for v in CA_VARIABLES if os.environ.get(v, "").strip()), None)
    if named:
        hint = f"the certificates that are trusted are those of {named}"
    return LastingNetworkError(text, hint=hint)


def _is_about_certificates(cause: BaseException) -> bool:
    """Whether a certificate was refused, or the file of those that are trusted."""
    if isinstance(cause, ssl.SSLCertVerificationError):
        return True
    return isinstance(cause, ssl.SSLError) and cause.library in ("X509", "PEM")


def _of_slow_connection(failure: _Failure) -> RpcliError:
    return TimeoutExpired(f"no connection to {failure.way} within {failure.limits.connect:g} s")


def _of_silence(failure: _Failure) -> RpcliError:
    return TimeoutExpired(f"{failure.way} was silent for {failure.limits.read:g} s")


def _of_address(failure: _Failure) -> RpcliError:
    return ConfigError(f"{failure.host} cannot be asked: {_said(failure.error)}")


def _of_machine(failure: _Failure) -> RpcliError:
    return ConfigError(f"no connection to {failure.host} can be made here: {_said(failure.error)}")


def _of_connection(failure: _Failure) -> RpcliError:
    said = _said(failure.cause)
    if isinstance(failure.cause, lower.NameResolutionError):
        return NetworkError(f"cannot find the address of {failure.way}: {said}")
    if isinstance(failure.cause, lower.NewConnectionError):
        return NetworkError(f"cannot connect to {failure.way}: {said}")
    return NetworkError(f"the connection to {failure.way} broke: {said}")


_Kinds = type[BaseException] | tuple[type[BaseException], ...]
#: The most specific first.
_SEAM: tuple[tuple[_Kinds, Callable[[_Failure], RpcliError]], ...] = (
    (requests.exceptions.ProxyError, _of_proxy),
    (requests.exceptions.InvalidSchema, _of_socks),
    ((requests.exceptions.SSLError, lower.SSLError), _of_tls),
    (requests.exceptions.ConnectTimeout, _of_slow_connection),
    ((requests.exceptions.ReadTimeout, lower.ReadTimeoutError), _of_silence),
    ((requests.exceptions.InvalidURL, lower.LocationValueError, UnicodeError), _of_address),
    ((requests.RequestException, lower.HTTPError), _of_connection),
    # Outside their own trees: a file of this machine, as the certificates that requests looks for.
    (OSError, _of_machine),
)


def _variable(proxy: str) -> str:
    """Find the variable that names a proxy."""
    bare = proxy.partition("://")[2]
    for name in _PROXY_VARIABLES:
        for spelled in (name, name.upper()):
            value = os.environ.get(spelled, "")
            if value and bare in value:
                return spelled
    return "the settings of the system"


def _innermost(error: BaseException) -> BaseException:
    """Find what really happened below the wrappings of requests and urllib3."""
    for _ in range(10):
        inner = getattr(error, "reason", None)
        if not isinstance(inner, BaseException):
            inner = getattr(error, "original_error", None)
        if not isinstance(inner, BaseException):
            inner = next((a for a in reversed(error.args) if isinstance(a, BaseException)), None)
        if inner is None:
            break
        error = inner
    return error


def _said(error: BaseException) -> str:
    """Put a library's error into few words, without addresses of objects and without passwords."""
    cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
    if isinstance(cause, ssl.SSLError):
        text = (cause.reason or cause.strerror or "it failed").lower().replace("_", " ")
    elif isinstance(cause, OSError) and cause.strerror:
        text = cause.strerror
    else:
        text = str(cause) or type(cause).__name__
        text = re.sub(r"^.*?object at 0x[0-9a-f]+>: |^\w+Connection\([^)]*\): ", "", text)
    text = re.sub(r"//[^/\s@]*@", "//", text)
    return shorten(one_line(text.strip()), 200)
