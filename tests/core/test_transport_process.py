"""The transport in a process of its own: warnings as errors, an interrupt, what is imported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import loopback
import pytest
from stub import PATIENCE, Talk, reply, serve
from wire import KEY

GET = """
import sys
from pathlib import Path
from rpcli.clock import Clock
from rpcli.config import load_settings
from rpcli.errors import RpcliError
from rpcli.transport import Transport
import os
transport = Transport(load_settings(os.environ, Path(os.environ["HOME"])), Clock(), trace=print)
try:
    for outcome in transport.together(lambda: transport.rest_v2("GET", "pods"), lambda: 1):
        print(outcome.value, outcome.error)
finally:
    transport.close()
"""


def environment(home: Path, url: str, **more: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "RUNPOD_API_KEY": KEY,
        "RUNPOD_REST_V2_URL": f"{url}/v2",
        "PYTHONPATH": str(Path(loopback.__file__).parent),
    } | more


def run(home: Path, url: str, *options: str, code: str = GET) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        env=environment(home, url),
        capture_output=True,
        text=True,
        timeout=PATIENCE * 3,
        check=False,
    )


@pytest.mark.parametrize("options", [("-W", "error"), ("-W", "error", "-OO"), ("-X", "dev")])
def test_warnings_as_errors_and_no_asserts(tmp_path: Path, options: tuple[str, ...]) -> None:
    """D27: also those that the libraries give while they are imported."""
    with serve(reply({"a": 1})) as stub:
        ran = run(tmp_path, stub.url, *options)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[1:] == ["{'a': 1} None", "1 None"]
    assert KEY not in ran.stdout


WARNS_AT_IMPORT = """
import warnings
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "requests":
            warnings.warn("this version does not match that one")
import sys
sys.meta_path.insert(0, Finder())
"""

WRONG_CLOCK = """
import datetime
import urllib3.connection
urllib3.connection.RECENT_DATE = datetime.date(2200, 1, 1)
"""


@pytest.mark.parametrize("start", [WARNS_AT_IMPORT, WRONG_CLOCK])
def test_a_warning_of_a_library_is_no_error(tmp_path: Path, start: str) -> None:
    """D27: an odd set of versions, a machine whose clock is wrong."""
    from stub import CERTIFICATE

    with serve(reply({"a": 1}), tls=True) as stub:
        ran = subprocess.run(
            [sys.executable, "-W", "error", "-c", start + GET],
            env=environment(tmp_path, stub.url, REQUESTS_CA_BUNDLE=str(CERTIFICATE)),
            capture_output=True,
            text=True,
            timeout=PATIENCE * 3,
            check=False,
        )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "{'a': 1} None" in ran.stdout


def test_an_interrupt_ends_the_wait_at_once(tmp_path: Path) -> None:
    """The server never answers, and the process ends while it still does not."""
    with serve(Talk.wait_until_left) as stub:
        process = subprocess.Popen(
            [sys.executable, "-c", GET],
            env=environment(tmp_path, stub.url),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            assert stub.asked.wait(PATIENCE * 3)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGINT
        assert stderr.rstrip().endswith("KeyboardInterrupt")
        assert stub.left.wait(PATIENCE)
    assert len(stub.requests) == 1
    assert KEY not in stdout + stderr


def test_nothing_heavy_is_imported_before_the_first_request(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from rpcli.clock import Clock
from rpcli.config import load_settings
from rpcli.transport import Transport
Transport(load_settings({}, Path("/nowhere")), Clock()).close()
heavy = "requests urllib3 ssl http.client email tomllib random asyncio logging".split()
print([name for name in heavy if name in sys.modules])
"""
    ran = run(tmp_path, "http://127.0.0.1:9", code=code)
    assert (ran.stdout, ran.stderr) == ("[]\n", "")


def test_a_secret_is_in_no_log_of_the_libraries(tmp_path: Path) -> None:
    """D22: urllib3 logs each request at DEBUG, and errors have URLs in them."""
    code = f"import logging\nlogging.basicConfig(level=logging.DEBUG)\n{GET}"
    with serve(lambda talk: talk.reset()) as stub:
        ran = run(tmp_path, stub.url, code=code)
    assert "urllib3.connectionpool" in ran.stderr
    assert "the connection to 127.0.0.1" in ran.stdout
    assert KEY not in ran.stdout + ran.stderr
