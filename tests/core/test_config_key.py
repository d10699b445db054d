"""The key and the file that it may be in: every shape, every fault, and that it shows nowhere."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from wire import write_config

from rpcli.config import ApiKey, Settings, load_settings
from rpcli.errors import ConfigError, NoCredentials


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".runpod").mkdir()
    return tmp_path


def settings(home: Path, env: Mapping[str, str] | None = None) -> Settings:
    return load_settings(env or {}, home)


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
    path = write_config(home, text)
    found = settings(home).api_key()
    assert (found.value, found.source) == (key, f"{path} ({place})")


@pytest.mark.parametrize("blank", ["", "   ", "\n"])
def test_a_blank_variable_is_unset(home: Path, blank: str) -> None:
    """A08."""
    write_config(home, "apikey = 'rpa_A'")
    assert settings(home, {"RUNPOD_API_KEY": blank}).api_key().value == "rpa_A"


def test_the_environment_wins_and_is_named(home: Path) -> None:
    """A11."""
    write_config(home, "apikey = 'rpa_A'")
    found = settings(home, {"RUNPOD_API_KEY": "rpa_E"}).api_key()
    assert (found.value, found.source) == ("rpa_E", "the RUNPOD_API_KEY environment variable")


def test_no_key_names_every_place_in_order(home: Path) -> None:
    """A28."""
    path = write_config(home, "")
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
        write_config(home, f'apikey = "{escaped}"')
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
    path = write_config(home, "# mine\n\napikey = rpa_SECRET\n")
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
    path = write_config(home, data)
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
    path = write_config(home, text)
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
        path = write_config(home, "[rpcli]\ntimeout = 7")
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
    path = write_config(home, "not toml")
    lazily = settings(home, {"RUNPOD_API_KEY": "rpa_E", "RUNPOD_REST_V2_URL": "https://h/v2"})
    assert lazily.api_key().value == "rpa_E"
    assert lazily.rest_v2_url == "https://h/v2"
    path.write_text("apikey = 'rpa_A'")
    found = settings(home)
    assert found.api_key().value == "rpa_A"
    path.unlink()
    assert found.timeout == 30.0
