"""Settings: which one wins, where each comes from, and that the key shows nowhere."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from rpcli.config import ApiKey, Settings, load_settings
from rpcli.errors import ConfigError, NoCredentials, RpcliError, UsageError


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".runpod").mkdir()
    return tmp_path


def write(home: Path, text: str | bytes) -> Path:
    path = home / ".runpod" / "config.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def settings(
    home: Path, env: Mapping[str, str] | None = None, *, api: str | None = None
) -> Settings:
    return load_settings(env or {}, home, api=api)


# -- the key


@pytest.mark.parametrize(
    ("text", "key", "place"),
    [
        ("apikey = 'rpa_A'", "rpa_A", "apikey"),
        ("apiKey = 'rpa_A'", "rpa_A", "apiKey"),
        ('[default]\napi_key = "rpa_B"', "rpa_B", "default.api_key"),
        ('apikey = "rpa_A"\n[default]\napi_key = "rpa_B"', "rpa_A", "apikey"),
        ('apikey = "rpa_A"\napiKey = "rpa_C"', "rpa_C", "apiKey"),
        ('apikey = "  "\n[default]\napi_key = " rpa_B\\n"', "rpa_B", "default.api_key"),
        (b"\xef\xbb\xbfapikey = 'rpa_A'", "rpa_A", "apikey"),
        (b"apikey = 'rpa_A'\r\n", "rpa_A", "apikey"),
        ("default = 1\napikey = 'rpa_A'", "rpa_A", "apikey"),
    ],
)
def test_the_key_is_found_in_every_shape_of_file(
    home: Path, text: str | bytes, key: str, place: str
) -> None:
    """A09: the shapes of the platform's tools, in one documented order; a BOM is skipped."""
    path = write(home, text)
    found = settings(home).api_key()
    assert (found.value, found.source) == (key, f"{path} ({place})")


@pytest.mark.parametrize("blank", ["", "   ", "\n"])
def test_a_blank_variable_is_unset(home: Path, blank: str) -> None:
    """A08."""
    write(home, "apikey = 'rpa_A'")
    assert settings(home, {"RUNPOD_API_KEY": blank}).api_key().value == "rpa_A"


def test_the_environment_wins_and_is_named(home: Path) -> None:
    """A11."""
    write(home, "apikey = 'rpa_A'")
    found = settings(home, {"RUNPOD_API_KEY": "rpa_E"}).api_key()
    assert (found.value, found.source) == ("rpa_E", "the RUNPOD_API_KEY environment variable")


def test_no_key_names_every_place_in_order(home: Path) -> None:
    """A28."""
    path = write(home, "")
    with pytest.raises(NoCredentials) as caught:
        settings(home).api_key()
    assert caught.value.message == (
        "no API key: looked at the RUNPOD_API_KEY environment variable, then "
        f"{path} (apiKey, apikey, default.api_key)"
    )
    assert "rpcli --sandbox" in str(caught.value.hint)
    assert caught.value.error_code == "no_credentials"


def test_no_key_in_a_pod_says_where_a_pod_has_it(home: Path) -> None:
    """A28."""
    with pytest.raises(NoCredentials, match="no such file") as caught:
        settings(home, {"RUNPOD_POD_ID": "p1"}).api_key()
    assert "in a pod the key is normally in RUNPOD_API_KEY" in str(caught.value.hint)


@pytest.mark.parametrize("key", ["rpa_SECRET\n", " rpa_SECRET", "\trpa_SECRET\r\n"])
def test_white_space_around_a_key_is_taken_off(home: Path, key: str) -> None:
    """G01."""
    assert settings(home, {"RUNPOD_API_KEY": key}).api_key().value == "rpa_SECRET"


@pytest.mark.parametrize(
    "key",
    ["rpa_SE\nCRET", "rpa_SECRET☃", "rpa_SECRETé", "rpa_SE CRET", "SECRET\x7f", "SECRET\udcff"],
)
@pytest.mark.parametrize("where", ["environment", "file"])
def test_a_key_that_cannot_be_a_header_is_told_without_it(home: Path, key: str, where: str) -> None:
    """G01."""
    env = {"RUNPOD_API_KEY": key}
    if where == "file":
        if "\udcff" in key:
            pytest.skip("a TOML file cannot hold it")
        escaped = "".join(f"\\u{ord(c):04x}" for c in key)
        write(home, f'apikey = "{escaped}"')
        env = {}
    with pytest.raises(NoCredentials, match="cannot be sent") as caught:
        settings(home, env).api_key()
    told = str(caught.value.to_document()) + repr(caught.value)
    assert "SE" not in told
    assert ("RUNPOD_API_KEY" in told) is (where == "environment")


def test_a_key_does_not_show_by_accident() -> None:
    key = ApiKey("rpa_SECRET", "a test")
    assert repr(key) == str(key) == f"{key}" == "ApiKey(from a test)"
    assert "SECRET" not in repr([key]) + repr({"key": key})
    assert not hasattr(key, "__dict__")
    assert pickle.loads(pickle.dumps(key)).value == "rpa_SECRET"


# -- the file


def test_a_file_that_is_no_toml_is_told_by_its_line(home: Path) -> None:
    """A09: a bare word is not 'no key', and it is not repeated."""
    path = write(home, "# mine\n\napikey = rpa_SECRET\n")
    with pytest.raises(ConfigError) as caught:
        settings(home).api_key()
    assert caught.value.message == f"{path}, line 3, column 10: this is not TOML"
    assert "SECRET" not in str(caught.value.to_document())
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"apikey = '''rpa_SECRET\n\n", ", line 2: this is not TOML"),
        (b"apikey = 'rpa_SECRET", ", line 1: this is not TOML"),
        (b"\napikey = 'rpa_SECRET'\nx = '\xff'", ", line 3: this is not UTF-8 text"),
        ("apikey = 'rpa_SECRET'".encode("utf-16"), ", line 1: this is not UTF-8 text"),
        (b"x = " + b"[" * 100_000, " is nested too deeply"),
        (b"x = " + b"9" * 5000, ": this is not TOML"),
        (b"#" * ((1 << 20) + 1), "it is larger than 1 MiB"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error(home: Path, data: bytes, where: str) -> None:
    path = write(home, data)
    with pytest.raises(ConfigError) as caught:
        settings(home).api_key()
    assert str(path) in caught.value.message
    assert where in caught.value.message
    assert "SECRET" not in str(caught.value.to_document())


@pytest.mark.parametrize(
    ("text", "place", "wanted"),
    [
        ("apikey = 12345", "apikey", "a text in quotes"),
        ("apikey = ['rpa_SECRET']", "apikey", "a text in quotes"),
        ("apiKey = {a = 'rpa_SECRET'}", "apiKey", "a text in quotes"),
        ("default = 'rpa_SECRET'", "default", "a table"),
        ("[default]\napi_key = true", "default.api_key", "a text in quotes"),
    ],
)
def test_a_wrong_type_is_told_by_its_place(home: Path, text: str, place: str, wanted: str) -> None:
    """E04: the place and the rule, not the value."""
    path = write(home, text)
    with pytest.raises(ConfigError) as caught:
        settings(home).api_key()
    assert caught.value.message == f"{path}: {place} must be {wanted}"


def test_a_home_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    found = settings(tmp_path / "nowhere", {"RUNPOD_API_KEY": "rpa_E"})
    assert found.api_key().value == "rpa_E"
    assert found.timeout == 30.0
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_in_the_place_of_a_folder_is_no_error(tmp_path: Path) -> None:
    (tmp_path / ".runpod").write_text("a file of this name")
    with pytest.raises(NoCredentials, match="no such file"):
        settings(tmp_path).api_key()


def test_something_that_is_no_file_is_an_error(home: Path) -> None:
    (home / ".runpod" / "config.toml").mkdir()
    with pytest.raises(ConfigError, match="it is not a file"):
        settings(home).api_key()


def test_an_empty_device_is_an_empty_file(home: Path) -> None:
    (home / ".runpod" / "config.toml").symlink_to("/dev/null")
    with pytest.raises(NoCredentials):
        settings(home).api_key()


AS_NOBODY = """
import os, sys, tomllib
from pathlib import Path
from rpcli.config import load_settings
from rpcli.errors import RpcliError
if os.geteuid() == 0:
    os.setuid(65534)
settings = load_settings({"RUNPOD_API_KEY": sys.argv[2]}, Path(sys.argv[1]))
try:
    print(settings.timeout, settings.api_key())
except RpcliError as error:
    print(error.to_document()["code"], error)
"""


@pytest.mark.parametrize(
    ("sealed", "key", "told"),
    [
        ("config.toml", "rpa_E", "config_error cannot read {path}: Permission denied"),
        # A home of somebody else, as in many containers: nobody can know whether there is a file.
        (".", "rpa_E", "30.0 ApiKey(from the RUNPOD_API_KEY environment variable)"),
        (".", "", "no_credentials no API key: looked at the RUNPOD_API_KEY environment variable, "
        "then {path} (its folder may not be looked into)"),
    ],
)  # fmt: skip
def test_a_file_that_may_not_be_read_is_an_error_and_a_home_is_none(
    sealed: str, key: str, told: str
) -> None:
    """A10."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        home.chmod(0o755)
        (home / ".runpod").mkdir()
        path = write(home, "[rpcli]\ntimeout = 7")
        (home / ".runpod" / sealed).chmod(0)
        ran = subprocess.run(
            [sys.executable, "-W", "error", "-c", AS_NOBODY, str(home), key],
            capture_output=True,
            text=True,
            check=False,
        )
        (home / ".runpod").chmod(0o755)
    assert (ran.stdout.strip(), ran.stderr) == (told.format(path=path), "")


def test_a_link_to_itself_is_an_error(home: Path) -> None:
    path = home / ".runpod" / "config.toml"
    path.symlink_to(path)
    with pytest.raises(ConfigError, match="cannot read"):
        settings(home).api_key()


def test_the_file_is_read_once_and_never_before_it_is_needed(home: Path) -> None:
    path = write(home, "not toml")
    lazily = settings(home, {"RUNPOD_API_KEY": "rpa_E", "RUNPOD_REST_V2_URL": "https://h/v2"})
    assert lazily.api_key().value == "rpa_E"
    assert lazily.rest_v2_url == "https://h/v2"
    path.write_text("apikey = 'rpa_A'")
    found = settings(home)
    assert found.api_key().value == "rpa_A"
    path.unlink()
    assert found.timeout == 30.0


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
    path = write(home, text)
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
    write(home, text)
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
    write(home, file.format("https://file.example/x/"))
    assert getattr(settings(home), attribute) == "https://file.example/x"
    env = {variable: "https://user:pw@env.example//x/"}
    assert getattr(settings(home, env), attribute) == "https://env.example/x"
    with pytest.raises(ConfigError, match=variable):
        getattr(settings(home, {variable: "env.example/x"}), attribute)
    write(home, file.format("SECRET:x"))
    with pytest.raises(ConfigError, match=r"config\.toml \(") as caught:
        getattr(settings(home), attribute)
    assert "SECRET" not in caught.value.message


@pytest.mark.parametrize("bare", ["https://api.runpod.io", "https://api.runpod.io/"])
def test_graphql_may_be_named_by_its_bare_host(home: Path, bare: str) -> None:
    """The platform's clients write both."""
    write(home, f"apiUrl = '{bare}'")
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
    write(home, f"[rpcli]\n{text}")
    found = settings(home)
    assert found.timeout == seconds
    assert found.connect_timeout == min(10.0, seconds)


@pytest.mark.parametrize(
    "value", ["0", "-1", "nan", "inf", "86401", "9" * 400, "true", "'5'", "[5]"]
)
def test_a_timeout_that_is_none(home: Path, value: str) -> None:
    write(home, f"[rpcli]\ntimeout = {value}")
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
    path = write(home, "[rpcli]\nformat = 'yaml'")
    assert settings(home).configured_format() == ("yaml", f"{path} (rpcli.format)")
    found = settings(home, {"RPCLI_FORMAT": "csv"})
    assert found.configured_format() == ("csv", "RPCLI_FORMAT")
    assert found.format == "csv"


# -- all of them


def test_every_setting_says_where_it_comes_from(home: Path) -> None:
    path = write(home, "apikey = 'rpa_SECRET'\n[rpcli]\ntimeout = 7\n")
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
    write(home, "apikey = 'rpa_MINE'\napiUrl = 'https://mine'\nrestApiUrl = 'https://mine'\n")
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
