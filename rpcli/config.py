"""Settings: the flag, then the environment, then the file, then the default.

Rules: nothing is read before it is asked for; an empty or blank variable is unset; the key's value
is in no message and in no ``repr``; an address is handed out only if the key may be sent there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, cast

from rpcli.configfile import KEY_PLACES, ConfigFile, Place
from rpcli.domain import address
from rpcli.errors import ConfigError, NoCredentials, UsageError

Api = Literal["v2", "classic"]
ContractMode = Literal["off", "warn", "enforce"]

REST_V2: Final = "https://api.runpod.io/v2"
REST_V1: Final = "https://rest.runpod.io/v1"
GRAPHQL: Final = "https://api.runpod.io/graphql"
INVOKE: Final = "https://api.runpod.ai/v2"
#: Seconds of wall clock that a read may take, retries included.
TIMEOUT: Final = 30.0
LONGEST_TIMEOUT: Final = 86_400.0
#: Seconds that one attempt to connect may take.
CONNECT_TIMEOUT: Final = 10.0


class Setting(NamedTuple):
    """One setting: its value and where it comes from.

    :param source: ``flag``, ``environment``, ``file``, ``default``, ``sandbox`` or ``unset``
    :param origin: the flag, the variable, or the file and the key in it
    """

    name: str
    value: Any
    source: str
    origin: str | None = None


class ApiKey:
    """An API key; its text never shows by accident.

    :param source: where it comes from, in words
    """

    __slots__ = ("source", "value")

    def __init__(self, value: str, source: str) -> None:
        self.value = value
        self.source = source

    def __repr__(self) -> str:
        return f"ApiKey(from {self.source})"


class Settings:
    """Where to go, with which key, and how to print.

    :param env: the environment
    :param file: reads the configuration file; called once, and only if it is needed
    :param api: the word of ``--api``
    :param sandbox: the variables of a sandbox; its addresses and its key replace all others
    """

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

    @property
    def is_sandboxed(self) -> bool:
        """Whether everything goes to a sandbox."""
        return self._sandbox is not None

    def sandboxed(self, environment: Mapping[str, str]) -> Settings:
        """Give these settings with every address, and the key, replaced by the sandbox's own.

        What was chosen (the control plane, the format, the timeout) stays.
        """
        return Settings(self._env, self._read_file, api=self._api_flag, sandbox=environment)

    # -- the choice of a control plane

    @property
    def api(self) -> Api:
        """``v2`` or ``classic``.

        :raises ConfigError: a variable or the file has another word
        :raises UsageError: the flag has
        """
        return cast(Api, self._api.value)

    @cached_property
    def _api(self) -> Setting:
        chosen = self._chosen("api", "RPCLI_API", ("rpcli", "api"), flag=self._api_flag)
        if chosen.source == "unset":
            return self._implied_api()
        if chosen.value not in ("v2", "classic"):
            error = UsageError if chosen.source == "flag" else ConfigError
            raise error(f"{_named(chosen)}: choose v2 or classic")
        return chosen

    def _implied_api(self) -> Setting:
        if self._sandbox is not None:
            return Setting("api", self._sandbox.get("RPCLI_API", "v2"), "sandbox")
        if self._variable("RUNPOD_API_URL"):
            # It names a host of REST v1: whoever set it means that one.
            return Setting("api", "classic", "environment", "RUNPOD_API_URL")
        return Setting("api", "v2", "default")

    # -- addresses

    @property
    def rest_v2_url(self) -> str:
        """The base of REST v2, without a slash at its end.

        :raises ConfigError: it is no address, or the key would travel to it unencrypted
        """
        return self._reachable(self._rest_v2)

    @property
    def rest_v1_url(self) -> str:
        """The base of REST v1; raises as :attr:`rest_v2_url` does."""
        return self._reachable(self._rest_v1)

    @property
    def graphql_url(self) -> str:
        """The address of GraphQL; raises as :attr:`rest_v2_url` does.

        The platform's clients write it in full or as the bare host; a bare host gets ``/graphql``.
        """
        return self._reachable(self._graphql)

    @property
    def invoke_url(self) -> str:
        """The base of the queues of endpoints; raises as :attr:`rest_v2_url` does."""
        return self._reachable(self._invoke)

    @cached_property
    def _rest_v2(self) -> Setting:
        places: tuple[Place, ...] = (("rpcli", "restV2Url"),)
        return self._address("restV2Url", ("RUNPOD_REST_V2_URL",), places, REST_V2)

    @cached_property
    def _rest_v1(self) -> Setting:
        places: tuple[Place, ...] = (("restApiUrl",), ("restapiurl",))
        return self._address("restApiUrl", ("RUNPOD_API_URL",), places, REST_V1)

    @cached_property
    def _graphql(self) -> Setting:
        places: tuple[Place, ...] = (("apiUrl",), ("apiurl",))
        found = self._address("apiUrl", ("RUNPOD_GRAPHQL_URL",), places, GRAPHQL)
        if address.endpoint_of(found.value) == address.host_of(found.value):
            return found._replace(value=f"{found.value}/graphql")
        return found

    @cached_property
    def _invoke(self) -> Setting:
        names = ("RUNPOD_INVOKE_URL", "RUNPOD_ENDPOINT_BASE_URL")
        return self._address("invokeUrl", names, (("rpcli", "invokeUrl"),), INVOKE)

    def _address(
        self, name: str, variables: tuple[str, ...], places: tuple[Place, ...], default: str
    ) -> Setting:
        if self._sandbox is not None:
            return Setting(name, self._sandbox[variables[0]].rstrip("/"), "sandbox")
        for variable in variables:
            text = self._variable(variable)
            if text:
                url = address.check_address(text, variable)
                return Setting(name, url, "environment", variable)
        found = self._file.text(*places)
        if found:
            url = address.check_address(found.value, found.origin)
            return Setting(name, url, "file", found.origin)
        return Setting(name, default, "default")

    def _reachable(self, setting: Setting) -> str:
        """Keep the key off networks that could read it."""
        url = cast(str, setting.value)
        if address.is_plain(url) and not self.allow_http and not address.is_loopback(url):
            raise ConfigError(
                f"{setting.origin or setting.name} is plain http to {address.host_of(url)}: "
                "the API key would travel unencrypted",
                hint="use https, or set RPCLI_ALLOW_HTTP=1 if that network is yours",
            )
        return url

    @property
    def allow_http(self) -> bool:
        """Whether the key may travel unencrypted to another machine."""
        return self._variable("RPCLI_ALLOW_HTTP") == "1"

    # -- numbers and words

    @property
    def timeout(self) -> float:
        """Seconds of wall clock that a read may take, retries included.

        :raises ConfigError: not a number between 0 and a day
        """
        return cast(float, self._timeout.value)

    @cached_property
    def _timeout(self) -> Setting:
        found = self._file.number(("rpcli", "timeout"))
        if found is None:
            return Setting("timeout", TIMEOUT, "default")
        if not 0 < found.value <= LONGEST_TIMEOUT:
            raise ConfigError(f"{found.origin} must be seconds from 0 to {LONGEST_TIMEOUT:.0f}")
        return Setting("timeout", float(found.value), "file", found.origin)

    @property
    def connect_timeout(self) -> float:
        """Seconds that one attempt to connect may take."""
        return min(CONNECT_TIMEOUT, self.timeout)

    @property
    def contract_mode(self) -> ContractMode:
        """What happens to a document that does not fit its schema.

        :raises ConfigError: a word that is none of off, warn, enforce
        """
        return cast(ContractMode, self._contract.value)

    @property
    def _contract(self) -> Setting:
        word = self._variable("RPCLI_CONTRACT")
        if word is None:
            return Setting("contract", "off", "default")
        setting = Setting("contract", word, "environment", "RPCLI_CONTRACT")
        if word not in ("off", "warn", "enforce"):
            raise ConfigError(f"{_named(setting)}: choose off, warn or enforce")
        return setting

    @property
    def format(self) -> str | None:
        """The format that the environment or the file wants; the word is not checked here."""
        return cast("str | None", self._format.value)

    def configured_format(self) -> tuple[str, str] | None:
        """Give the format that the environment or the file wants, and where it says so."""
        found = self._format
        return None if found.source == "unset" else (str(found.value), str(found.origin))

    @cached_property
    def _format(self) -> Setting:
        return self._chosen("format", "RPCLI_FORMAT", ("rpcli", "format"))

    # -- the key

    def api_key(self) -> ApiKey:
        """Give the key.

        :raises NoCredentials: there is none, or one that cannot be a header
        """
        found = self._key
        if found.source == "unset":
            raise NoCredentials(
                f"no API key: looked at {', then '.join(self._key_places())}", hint=self._key_hint()
            )
        named = {
            "environment": f"the {found.origin} environment variable",
            "sandbox": "the sandbox",
        }
        source = named.get(found.source) or str(found.origin)
        text = str(found.value)
        if not (text.isascii() and text.isprintable()) or " " in text:
            raise NoCredentials(
                f"the API key from {source} cannot be sent: it has a character that no key has",
                hint="copy it again; it is one word of letters, digits and '_'",
            )
        return ApiKey(text, source)

    @cached_property
    def _key(self) -> Setting:
        if self._sandbox is not None:
            return Setting("apiKey", self._sandbox["RUNPOD_API_KEY"], "sandbox")
        value = self._variable("RUNPOD_API_KEY")
        if value:
            return Setting("apiKey", value, "environment", "RUNPOD_API_KEY")
        found = self._file.text(*KEY_PLACES)
        if found:
            return Setting("apiKey", found.value, "file", found.origin)
        return Setting("apiKey", None, "unset")

    def _key_places(self) -> list[str]:
        keys = ", ".join(".".join(place) for place in KEY_PLACES)
        return [
            "the RUNPOD_API_KEY environment variable",
            f"{self._file.path} ({self._file.missing or keys})",
        ]

    def _key_hint(self) -> str:
        if self._variable("RUNPOD_POD_ID"):
            return (
                "in a pod the key is normally in RUNPOD_API_KEY; a session over ssh has it after "
                "'source /etc/rp_environment'"
            )
        return "set RUNPOD_API_KEY; 'rpcli --sandbox pod list' needs none"

    # -- all of them

    def describe(self) -> list[Setting]:
        """Give each setting with its source; of the key the source only.

        :raises ConfigError: one of them cannot be used
        """
        http = Setting("allowHttp", "false", "default")
        if self._variable("RPCLI_ALLOW_HTTP"):
            value = str(self.allow_http).lower()
            http = Setting("allowHttp", value, "environment", "RPCLI_ALLOW_HTTP")
        return [
            self._key._replace(value=None),
            self._api,
            self._format,
            self._rest_v2,
            self._rest_v1,
            self._graphql,
            self._invoke,
            self._timeout,
            self._contract,
            http,
        ]

    def _chosen(
        self, name: str, variable: str, place: Place, *, flag: str | None = None
    ) -> Setting:
        if flag is not None:
            return Setting(name, flag, "flag", f"--{name}")
        text = self._variable(variable)
        if text:
            return Setting(name, text, "environment", variable)
        found = self._file.text(place)
        if found:
            return Setting(name, found.value, "file", found.origin)
        return Setting(name, None, "unset")

    def _variable(self, name: str) -> str | None:
        return self._env.get(name, "").strip() or None


def load_settings(env: Mapping[str, str], home: Path, *, api: str | None = None) -> Settings:
    """Make the settings of one invocation; nothing is read yet.

    :param home: the user's home; it need not exist
    :param api: the word of ``--api``, which wins over all others
    """
    path = home / ".runpod" / "config.toml"
    return Settings(env, lambda: ConfigFile(path), api=api)


def _named(setting: Setting) -> str:
    """Say where a wrong word stands; one of the file is not repeated: any may be the key."""
    if setting.source == "file":
        return f"{setting.origin} has another word than it can"
    word = str(setting.value)
    return f"{setting.origin} is '{word if len(word) <= 40 else word[:40] + '...'}'"
