"""The real command in a real terminal of any size: cases D04, D29."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "rpcli", "config", "show"]


def environment(home: Path, **more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8", **more}


def in_a_window(columns: int, env: dict[str, str], *words: str) -> tuple[int, str]:
    """Run the command with its stdout on a terminal; give its exit status and what was printed."""
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([*COMMAND, *words], stdout=writer, stderr=writer, env=env) as process:
        os.close(writer)
        data = b"".join(iter(lambda: _read(reader), b""))
    os.close(reader)
    return process.returncode, data.decode().replace("\r\n", "\n")


def _read(reader: int) -> bytes:
    try:
        return os.read(reader, 1 << 16)
    except OSError as error:
        if error.errno == errno.EIO:  # how Linux says that nobody writes any more
            return b""
        raise


@pytest.mark.parametrize("columns", [0, 1, 5, 20, 60, 80, 200])
def test_d29_a_window_of_any_width(columns: int, tmp_path: Path) -> None:
    status, text = in_a_window(columns, environment(tmp_path))
    assert status == 0, text
    for name in ("apiKey", "restV2Url", "https://api.runpod.io/v2", "timeout"):
        assert name in text
    assert text.endswith("\n")
    assert text.startswith("name: ") == (columns in (1, 5, 20))
    if columns >= 60:
        assert max(map(len, text.splitlines())) <= columns


@pytest.mark.parametrize("value", ["0", "", "-3", "wide"])
def test_d29_an_odd_columns_variable_is_as_good_as_none(value: str, tmp_path: Path) -> None:
    odd = in_a_window(80, environment(tmp_path, COLUMNS=value))
    assert odd == in_a_window(80, environment(tmp_path))
    assert odd[0] == 0


def test_columns_counts_more_than_the_window(tmp_path: Path) -> None:
    narrow = in_a_window(200, environment(tmp_path, COLUMNS="10"))
    assert narrow == in_a_window(10, environment(tmp_path))


@pytest.mark.parametrize("form", ["json", "table"])
@pytest.mark.parametrize("value", ["", "auto", "true", "1"])
def test_d04_the_variables_of_cliff_change_nothing(form: str, value: str, tmp_path: Path) -> None:
    def run(**more: str) -> subprocess.CompletedProcess[bytes]:
        env = environment(tmp_path, **more)
        return subprocess.run([*COMMAND, "-f", form], env=env, capture_output=True, check=False)

    plain = run()
    odd = run(CLIFF_MAX_TERM_WIDTH=value, CLIFF_FIT_WIDTH=value)
    assert (odd.returncode, odd.stdout, odd.stderr) == (0, plain.stdout, plain.stderr)
    if form == "json":
        assert {item["name"] for item in json.loads(odd.stdout)} >= {"api", "timeout"}
