"""Settings: the flag, then the environment, then the file, then the default.

Rules: nothing is read before it is asked for; an empty or blank variable is unset; the key's value
is in no message and in no ``repr``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, cast
from urllib.parse import urlsplit

from rpcli.configfile import KEY_PLACES, ConfigFile
from rpcli.errors import ConfigError, NoCredentials

Api = Literal["v2", "classic"]
ContractMode = Literal["off", "warn", "enforce"]

REST_V2: Final = "https://api.runpod.io/v2"
REST_V1: Final = "https://rest.runpod.io/v1"
GRAPHQL: Final = "https://api.runpod.io/graphql"
INVOKE: Final = "https://api.runpod.ai/v2"
#: Seconds of wall clock that a read may take, retries included.
TIMEOUT: Final = 30.0
CONNECT_TIMEOUT: Final = 10.0


class Setting(NamedTuple):
    """One setting: its value, where it comes from, and the variable or place that holds it."""

    name: str
    value: Any
    source: str  #: ``flag``, ``environment``, ``file``, ``default``, ``sandbox`` or ``unset``
    origin: str | None = None


class ApiKey:
    """An API key; its text never shows by accident."""

    __slots__ = ("source", "value")

    def __init__(self, value: str, source: str) -> None:
        self.value = value
        self.source = source

    def __repr__(self) -> str:
        return f"ApiKey(from {self.source})"


class Settings:
    """Where to go, with which key, and how to print."""

    def __init__(
        self,
        env: Mapping[str, str],
        file: Callable[[], ConfigFile],
        *,
        api: str | None = None,
        sandbox: Mapping[str, str] | None = None,
    ) -> None:
        self._env = env
        self._read_file = file
        self._api_flag = api
        self._sandbox = sandbox

    @cached_property
    def _file(self) -> ConfigFile:
        return self._read_file()

    def sandboxed(self, environment: Mapping[str, str]) -> Settings:
        """Give these settings with every address, and the key, replaced by the sandbox's own."""
        return Settings(self._env, self._read_file, api=self._api_flag, sandbox=environment)

    # -- the choice of a control plane

    @cached_property
    def api_setting(self) -> Setting:
        """The control plane.

        :raises ConfigError: a word that is none
        """
        found = self._first("api", flag=self._api_flag, variable="RPCLI_API", place=("rpcli", "api"))
        if found.source == "unset":
            if self._variable("RUNPOD_API_URL") and not self._sandbox:
                # It names a v1 host: whoever set it means v1.
                return Setting("api", "classic", "environment", "RUNPOD_API_URL")
            return Setting("api", "v2", "default")
        if found.value not in ("v2", "classic"):
            raise ConfigError(f"{found.origin} is '{found.value}': choose v2 or classic")
        return found

    @property
    def api(self) -> Api:
        """``v2`` or ``classic``."""
        return cast(Api, self.api_setting.value)

    # -- addresses

    @cached_property
    def rest_v2_url(self) -> str:
        """The base of REST v2, without a slash at its end."""
        return self._url(self._rest_v2)

    @cached_property
    def rest_v1_url(self) -> str:
        """The base of REST v1."""
        return self._url(self._rest_v1)

    @cached_property
    def graphql_url(self) -> str:
        """The address of GraphQL."""
        return self._url(self._graphql)

    @cached_property
    def invoke_url(self) -> str:
        """The base of the queue."""
        return self._url(self._invoke)

    @property
    def _rest_v2(self) -> Setting:
        return self._address("restV2Url", ("RUNPOD_REST_V2_URL",), ("rpcli", "restV2Url"), REST_V2)

    @property
    def _rest_v1(self) -> Setting:
        return self._address("restApiUrl", ("RUNPOD_API_URL",), ("restApiUrl",), REST_V1)

    @property
    def _graphql(self) -> Setting:
        return self._address("apiUrl", ("RUNPOD_GRAPHQL_URL",), ("apiUrl",), GRAPHQL)

    @property
    def _invoke(self) -> Setting:
        names = ("RUNPOD_INVOKE_URL", "RUNPOD_ENDPOINT_BASE_URL")
        return self._address("invokeUrl", names, ("rpcli", "invokeUrl"), INVOKE)

    def _address(
        self, name: str, variables: tuple[str, ...], place: tuple[str, ...], default: str
    ) -> Setting:
        if self._sandbox is not None:
            return Setting(name, self._sandbox[variables[0]], "sandbox")
        for variable in variables:
            value = self._variable(variable)
            if value:
                return Setting(name, value, "environment", variable)
        value = self._file.text(*place)
        if value:
            return Setting(name, value, "file", self._file.origin(*place))
        return Setting(name, default, "default")

    def _url(self, setting: Setting) -> str:
        return check_url(setting.value, setting.origin or setting.name)

    # -- numbers and words

    @cached_property
    def timeout_setting(self) -> Setting:
        """Seconds that a read may take in all.

        :raises ConfigError: not a number between 0 and a day
        """
        value = self._file.number("rpcli", "timeout")
        if value is None:
            return Setting("timeout", TIMEOUT, "default")
        origin = self._file.origin("rpcli", "timeout")
        if not 0 < value <= 86400:
            raise ConfigError(f"{origin}: seconds between 0 and 86400 are wanted")
        return Setting("timeout", value, "file", origin)

    @property
    def timeout(self) -> float:
        """Seconds of wall clock that a read may take, retries included."""
        return float(self.timeout_setting.value)

    @property
    def connect_timeout(self) -> float:
        """Seconds that a connection may take to be made."""
        return min(CONNECT_TIMEOUT, self.timeout)

    @property
    def allow_http(self) -> bool:
        """Whether the key may travel unencrypted to another machine."""
        return self._variable("RPCLI_ALLOW_HTTP") == "1"

    @property
    def contract_mode(self) -> ContractMode:
        """What happens to a document that does not fit its schema.

        :raises ConfigError: a word that is none of off, warn, enforce
        """
        word = self._variable("RPCLI_CONTRACT") or "off"
        if word not in ("off", "warn", "enforce"):
            raise ConfigError(f"RPCLI_CONTRACT is '{word}': choose off, warn or enforce")
        return cast(ContractMode, word)

    def configured_format(self) -> tuple[str, str] | None:
        """Give the format that the environment or the file wants, and where it says so."""
        found = self._first("format", variable="RPCLI_FORMAT", place=("rpcli", "format"))
        return None if found.source == "unset" else (str(found.value), str(found.origin))

    # -- the key

    def api_key(self) -> ApiKey:
        """Give the key.

        :raises NoCredentials: there is none, or one that cannot be a header
        """
        found = self._key
        if found.source == "unset":
            raise NoCredentials(
                f"no API key: looked at {', then '.join(self._key_places())}",
                hint=self._key_hint(),
            )
        text = str(found.value)
        if not (text.isascii() and text.isprintable()) or " " in text:
            raise NoCredentials(
                f"the API key from {found.origin} cannot be sent: it has characters that no key has"
            )
        return ApiKey(text, str(found.origin))

    @cached_property
    def _key(self) -> Setting:
        if self._sandbox is not None:
            return Setting("apiKey", self._sandbox["RUNPOD_API_KEY"], "sandbox", "the sandbox")
        value = self._variable("RUNPOD_API_KEY")
        if value:
            origin = "the RUNPOD_API_KEY environment variable"
            return Setting("apiKey", value, "environment", origin)
        for place in KEY_PLACES:
            text = self._file.text(*place)
            if text:
                return Setting("apiKey", text, "file", self._file.origin(*place))
        return Setting("apiKey", None, "unset")

    def _key_places(self) -> list[str]:
        places = ", ".join(".".join(place) for place in KEY_PLACES)
        return ["the RUNPOD_API_KEY environment variable", f"{self._file.path} ({places})"]

    def _key_hint(self) -> str:
        if self._variable("RUNPOD_POD_ID"):
            return (
                "in a pod the key is in RUNPOD_API_KEY of its first process: a session over ssh "
                "has it after 'source /etc/rp_environment'"
            )
        return "set RUNPOD_API_KEY, or try 'rpcli --sandbox pod list' without an account"

    # -- all of them

    def describe(self) -> list[Setting]:
        """Give each setting with its source; of the key the source only.

        :raises ConfigError: one of them cannot be used
        """
        format_ = self._first("format", variable="RPCLI_FORMAT", place=("rpcli", "format"))
        contract = "environment" if self._variable("RPCLI_CONTRACT") else "default"
        http = "environment" if self._variable("RPCLI_ALLOW_HTTP") else "default"
        return [
            self._key._replace(value=None),
            self.api_setting,
            format_,
            self._rest_v2._replace(value=shown_url(self.rest_v2_url)),
            self._rest_v1._replace(value=shown_url(self.rest_v1_url)),
            self._graphql._replace(value=shown_url(self.graphql_url)),
            self._invoke._replace(value=shown_url(self.invoke_url)),
            self.timeout_setting,
            _from_variable("contract", self.contract_mode, contract, "RPCLI_CONTRACT"),
            _from_variable("allowHttp", str(self.allow_http).lower(), http, "RPCLI_ALLOW_HTTP"),
        ]

    def _first(
        self,
        name: str,
        *,
        flag: str | None = None,
        variable: str,
        place: tuple[str, ...],
    ) -> Setting:
        if flag is not None:
            return Setting(name, flag, "flag", f"--{name}")
        value = self._variable(variable)
        if value:
            return Setting(name, value, "environment", variable)
        value = self._file.text(*place)
        if value:
            return Setting(name, value, "file", self._file.origin(*place))
        return Setting(name, None, "unset")

    def _variable(self, name: str) -> str:
        return self._env.get(name, "").strip()


def load_settings(env: Mapping[str, str], home: Path, *, api: str | None = None) -> Settings:
    """Make the settings of a user; the file is read when something in it is wanted."""
    path = home / ".runpod" / "config.toml"
    return Settings(env, lambda: ConfigFile(path), api=api)


def check_url(text: str, origin: str) -> str:
    """Check the address of an API, and give it without a slash at its end.

    :raises ConfigError: it cannot be one; ``origin`` is named, and no user or password in it
    """
    if any(c.isspace() for c in text) or not text.isprintable():
        raise ConfigError(f"{origin} is not a URL: it has white space or control characters in it")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise ConfigError(f"{origin} is not a URL: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(
            f"{origin} is not a URL: it must begin with https:// (or http://) and name a host"
        )
    if port == 0:
        raise ConfigError(f"{origin} is not a URL: there is no port 0")
    if parts.query or parts.fragment:
        raise ConfigError(f"{origin} must be a base address, without '?' or '#'")
    path = "/".join(segment for segment in parts.path.split("/") if segment)
    return f"{parts.scheme}://{parts.netloc}" + (f"/{path}" if path else "")


def shown_url(url: str) -> str:
    """Give an address without the user and password that may stand in it."""
    parts = urlsplit(url)
    return url.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine; no name is resolved."""
    if host == "localhost":
        return True
    import ipaddress  # slow to import: 'localhost' needs none of it

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _from_variable(name: str, value: str, source: str, variable: str) -> Setting:
    return Setting(name, value, source, variable if source == "environment" else None)
