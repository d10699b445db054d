"""Settings: which one wins, and where each comes from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from wire import write_config

from rpcli.config import Settings, load_settings
from rpcli.errors import ConfigError, RpcliError, UsageError


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".runpod").mkdir()
    return tmp_path


def settings(
    home: Path, env: Mapping[str, str] | None = None, *, api: str | None = None
) -> Settings:
    return load_settings(env or {}, home, api=api)


# -- the choice of a control plane


@pytest.mark.parametrize(
    ("flag", "env", "text", "api", "source", "origin"),
    [
        (None, {}, "", "v2", "default", None),
        (None, {"RUNPOD_API_URL": "https://h/v1"}, "", "classic", "environment", "RUNPOD_API_URL"),
        (None, {"RUNPOD_API_URL": " "}, "", "v2", "default", None),
        (None, {}, "restApiUrl = 'https://h/v1'", "v2", "default", None),
        (None, {"RUNPOD_API_URL": "https://h/v1"}, "[rpcli]\napi = 'v2'", "v2", "file", "file"),
        (
            None,
            {"RPCLI_API": "classic"},
            "[rpcli]\napi = 'v2'",
            "classic",
            "environment",
            "RPCLI_API",
        ),
        ("v2", {"RPCLI_API": "classic"}, "[rpcli]\napi = 'classic'", "v2", "flag", "--api"),
        ("classic", {}, "", "classic", "flag", "--api"),
        (None, {"RPCLI_API": " classic "}, "", "classic", "environment", "RPCLI_API"),
    ],
)
def test_who_chooses_the_control_plane(
    home: Path,
    flag: str | None,
    env: dict[str, str],
    text: str,
    api: str,
    source: str,
    origin: str | None,
) -> None:
    path = write_config(home, text)
    found = settings(home, env, api=flag)
    assert found.api == api
    setting = next(s for s in found.describe() if s.name == "api")
    assert (setting.value, setting.source) == (api, source)
    assert setting.origin == (f"{path} (rpcli.api)" if origin == "file" else origin)


@pytest.mark.parametrize(
    ("flag", "env", "text", "kind", "message"),
    [
        (None, {"RPCLI_API": "v3"}, "", ConfigError, "RPCLI_API is 'v3': choose v2 or classic"),
        (None, {"RPCLI_API": "x" * 99}, "", ConfigError, f"RPCLI_API is '{'x' * 40}...': choose"),
        (None, {}, "[rpcli]\napi = 'rpa_SECRET'", ConfigError, "(rpcli.api) has another word"),
        (None, {}, "[rpcli]\napi = 2", ConfigError, "rpcli.api must be a text in quotes"),
        (None, {}, "rpcli = 2", ConfigError, "rpcli must be a table"),
        ("V2", {}, "", UsageError, "--api is 'V2': choose v2 or classic"),
    ],
)
def test_a_word_that_is_no_control_plane(
    home: Path,
    flag: str | None,
    env: dict[str, str],
    text: str,
    kind: type[RpcliError],
    message: str,
) -> None:
    write_config(home, text)
    with pytest.raises(kind) as caught:
        _ = settings(home, env, api=flag).api
    assert message in caught.value.message
    assert "SECRET" not in caught.value.message


# -- addresses


@pytest.mark.parametrize(
    ("attribute", "variable", "file", "default"),
    [
        (
            "rest_v2_url",
            "RUNPOD_REST_V2_URL",
            "[rpcli]\nrestV2Url = '{}'",
            "https://api.runpod.io/v2",
        ),
        ("rest_v1_url", "RUNPOD_API_URL", "restApiUrl = '{}'", "https://rest.runpod.io/v1"),
        ("rest_v1_url", "RUNPOD_API_URL", "restapiurl = '{}'", "https://rest.runpod.io/v1"),
        ("graphql_url", "RUNPOD_GRAPHQL_URL", "apiUrl = '{}'", "https://api.runpod.io/graphql"),
        ("graphql_url", "RUNPOD_GRAPHQL_URL", "apiurl = '{}'", "https://api.runpod.io/graphql"),
        (
            "invoke_url",
            "RUNPOD_INVOKE_URL",
            "[rpcli]\ninvokeUrl = '{}'",
            "https://api.runpod.ai/v2",
        ),
    ],
)
def test_each_address_has_its_variable_its_key_and_its_default(
    home: Path, attribute: str, variable: str, file: str, default: str
) -> None:
    assert getattr(settings(home), attribute) == default
    write_config(home, file.format("https://file.example/x/"))
    assert getattr(settings(home), attribute) == "https://file.example/x"
    env = {variable: "https://user:pw@env.example//x/"}
    assert getattr(settings(home, env), attribute) == "https://env.example/x"
    with pytest.raises(ConfigError, match=variable):
        getattr(settings(home, {variable: "env.example/x"}), attribute)
    write_config(home, file.format("SECRET:x"))
    with pytest.raises(ConfigError, match=r"config\.toml \(") as caught:
        getattr(settings(home), attribute)
    assert "SECRET" not in caught.value.message


@pytest.mark.parametrize("bare", ["https://api.runpod.io", "https://api.runpod.io/"])
def test_graphql_may_be_named_by_its_bare_host(home: Path, bare: str) -> None:
    """The platform's clients write both."""
    write_config(home, f"apiUrl = '{bare}'")
    assert settings(home).graphql_url == "https://api.runpod.io/graphql"
    env = {"RUNPOD_GRAPHQL_URL": "http://127.0.0.1:8080"}
    assert settings(home, env).graphql_url == "http://127.0.0.1:8080/graphql"


def test_the_first_variable_of_the_queue_wins(home: Path) -> None:
    env = {"RUNPOD_ENDPOINT_BASE_URL": "https://second/v2"}
    assert settings(home, env).invoke_url == "https://second/v2"
    env["RUNPOD_INVOKE_URL"] = "https://first/v2"
    assert settings(home, env).invoke_url == "https://first/v2"


@pytest.mark.parametrize("attribute", ["rest_v2_url", "rest_v1_url", "graphql_url", "invoke_url"])
def test_plain_http_is_for_this_machine(home: Path, attribute: str) -> None:
    """G05: the error comes before any request, and names the variable."""
    variables = {
        "rest_v2_url": "RUNPOD_REST_V2_URL",
        "rest_v1_url": "RUNPOD_API_URL",
        "graphql_url": "RUNPOD_GRAPHQL_URL",
        "invoke_url": "RUNPOD_INVOKE_URL",
    }
    variable = variables[attribute]
    for local in ("127.0.0.1:1", "localhost", "[::1]:1"):
        env = {variable: f"http://{local}/x"}
        assert getattr(settings(home, env), attribute) == f"http://{local}/x"
    env = {variable: "http://u:SECRET@api.example/x"}
    with pytest.raises(ConfigError) as caught:
        getattr(settings(home, env), attribute)
    assert caught.value.message == (
        f"{variable} is plain http to api.example: the API key would travel unencrypted"
    )
    assert "RPCLI_ALLOW_HTTP=1" in str(caught.value.hint)
    for word in ("0", "true", "yes", ""):
        with pytest.raises(ConfigError):
            getattr(settings(home, env | {"RPCLI_ALLOW_HTTP": word}), attribute)
    allowed = settings(home, env | {"RPCLI_ALLOW_HTTP": "1"})
    assert getattr(allowed, attribute) == "http://api.example/x"


# -- numbers and words


@pytest.mark.parametrize(
    ("text", "seconds"), [("", 30.0), ("timeout = 5", 5.0), ("timeout = 0.5", 0.5)]
)
def test_the_timeout(home: Path, text: str, seconds: float) -> None:
    write_config(home, f"[rpcli]\n{text}")
    found = settings(home)
    assert found.timeout == seconds
    assert found.connect_timeout == min(10.0, seconds)


@pytest.mark.parametrize(
    "value", ["0", "-1", "nan", "inf", "86401", "9" * 400, "true", "'5'", "[5]"]
)
def test_a_timeout_that_is_none(home: Path, value: str) -> None:
    write_config(home, f"[rpcli]\ntimeout = {value}")
    with pytest.raises(ConfigError, match=r"rpcli\.timeout\)? must be"):
        _ = settings(home).timeout


@pytest.mark.parametrize("word", ["off", "warn", "enforce"])
def test_the_mode_of_the_contract(home: Path, word: str) -> None:
    assert settings(home).contract_mode == "off"
    assert settings(home, {"RPCLI_CONTRACT": f" {word} "}).contract_mode == word


def test_a_word_that_is_no_mode_of_the_contract(home: Path) -> None:
    with pytest.raises(ConfigError, match="RPCLI_CONTRACT is 'on': choose off, warn or enforce"):
        _ = settings(home, {"RPCLI_CONTRACT": "on"}).contract_mode


def test_the_format_is_handed_out_with_its_source(home: Path) -> None:
    assert settings(home).configured_format() is None
    assert settings(home).format is None
    path = write_config(home, "[rpcli]\nformat = 'yaml'")
    assert settings(home).configured_format() == ("yaml", f"{path} (rpcli.format)")
    found = settings(home, {"RPCLI_FORMAT": "csv"})
    assert found.configured_format() == ("csv", "RPCLI_FORMAT")
    assert found.format == "csv"


# -- all of them


def test_every_setting_says_where_it_comes_from(home: Path) -> None:
    path = write_config(home, "apikey = 'rpa_SECRET'\n[rpcli]\ntimeout = 7\n")
    env = {"RUNPOD_REST_V2_URL": "https://u:SECRET@h//v2/", "RPCLI_ALLOW_HTTP": "1"}
    found = {s.name: (s.value, s.source, s.origin) for s in settings(home, env).describe()}
    assert found == {
        "apiKey": (None, "file", f"{path} (apikey)"),
        "api": ("v2", "default", None),
        "format": (None, "unset", None),
        "restV2Url": ("https://h/v2", "environment", "RUNPOD_REST_V2_URL"),
        "restApiUrl": ("https://rest.runpod.io/v1", "default", None),
        "apiUrl": ("https://api.runpod.io/graphql", "default", None),
        "invokeUrl": ("https://api.runpod.ai/v2", "default", None),
        "timeout": (7.0, "file", f"{path} (rpcli.timeout)"),
        "contract": ("off", "default", None),
        "allowHttp": ("true", "environment", "RPCLI_ALLOW_HTTP"),
    }


def test_without_a_key_the_settings_can_be_shown(home: Path) -> None:
    found = settings(home).describe()[0]
    assert (found.name, found.value, found.source) == ("apiKey", None, "unset")


# -- the sandbox

SANDBOX = {
    "RUNPOD_API_KEY": "rpa_SANDBOX",
    "RUNPOD_REST_V2_URL": "http://127.0.0.1:5/v2",
    "RUNPOD_API_URL": "http://127.0.0.1:5/v1",
    "RUNPOD_GRAPHQL_URL": "http://127.0.0.1:5/graphql",
    "RUNPOD_INVOKE_URL": "http://127.0.0.1:5/queue/v2",
    "RPCLI_API": "v2",
}


def test_in_the_sandbox_only_its_own_key_and_addresses_count(home: Path) -> None:
    write_config(
        home, "apikey = 'rpa_MINE'\napiUrl = 'https://mine'\nrestApiUrl = 'https://mine'\n"
    )
    mine = {name: "https://mine/v" for name in SANDBOX if name.endswith("URL")}
    outside = settings(home, mine | {"RUNPOD_API_KEY": "rpa_ENV", "RUNPOD_API_URL": "https://mine"})
    found = outside.sandboxed(SANDBOX)
    assert found.is_sandboxed
    assert not outside.is_sandboxed
    assert (found.api_key().value, found.api_key().source) == ("rpa_SANDBOX", "the sandbox")
    assert found.rest_v2_url == SANDBOX["RUNPOD_REST_V2_URL"]
    assert found.rest_v1_url == SANDBOX["RUNPOD_API_URL"]
    assert found.graphql_url == SANDBOX["RUNPOD_GRAPHQL_URL"]
    assert found.invoke_url == SANDBOX["RUNPOD_INVOKE_URL"]
    assert found.api == "v2"
    assert "mine" not in repr([(s.value, s.origin) for s in found.describe()])
    assert {s.source for s in found.describe()} == {"sandbox", "default", "unset"}


@pytest.mark.parametrize(
    ("flag", "env"),
    [("classic", {}), (None, {"RPCLI_API": "classic"}), ("classic", {"RPCLI_API": "v2"})],
)
def test_in_the_sandbox_the_choice_of_a_control_plane_stays(
    home: Path, flag: str | None, env: dict[str, str]
) -> None:
    assert settings(home, env, api=flag).sandboxed(SANDBOX).api == "classic"
