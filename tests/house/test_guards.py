"""The guards of the tests themselves: loopback only, and no trace left behind."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest
from loopback import LeftLoopback
from tree import ROOT

TESTS = ROOT / "tests"


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("8.8.8.8", 53)])
def test_another_machine_is_out_of_reach(address):
    with socket.socket() as client, pytest.raises(LeftLoopback):
        client.connect(address)


def test_a_name_of_another_machine_is_not_even_looked_up():
    with pytest.raises(LeftLoopback):
        socket.getaddrinfo("api.runpod.io", 443)


def test_an_invalid_name_does_not_resolve():
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("nosuch.invalid", 443)


def test_loopback_is_there():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(("localhost", server.getsockname()[1])).close()


def test_processes_that_tests_start_are_guarded_too(rpcli_run):
    code = "import socket; socket.create_connection(('192.0.2.1', 80))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=rpcli_run.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "LeftLoopback" in done.stderr


@pytest.mark.parametrize(
    ("body", "trace"),
    [
        ("os.environ['RPCLI_X'] = '1'", "the environment"),
        ("os.chdir('/')", "the working folder"),
        ("logging.getLogger().addHandler(logging.NullHandler())", "the root logger"),
        ("warnings.warn('old', DeprecationWarning)", "DeprecationWarning: old"),
    ],
)
def test_a_test_that_leaves_a_trace_fails(tmp_path, body, trace):
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text("utf-8"))
    (tmp_path / "test_it.py").write_text(
        f"import logging, os, warnings\n\ndef test_it():\n    {body}\n"
    )
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)),
            *("-c", str(ROOT / "setup.cfg"), "--rootdir", str(tmp_path)),
            *("-o", f"pythonpath={TESTS / 'support'}"),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert trace in done.stdout
