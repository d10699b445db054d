"""Command lines of ssh: what may be in one, and that the real ssh reads it as it is meant."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snapshots import KEY, NO_KEY

from rpcli.domain.pod import SshEndpoint
from rpcli.domain.sshcommand import (
    Target,
    check_host,
    check_target,
    direct_argv,
    is_global_address,
    is_plain_word,
    proxy_argv,
)

TARGET = Target("root", "203.0.113.7", 22017)


@pytest.mark.parametrize(
    ("given_", "taken"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", "127.0.0.1"),
        (" 203.0.113.7\n", "203.0.113.7"),  # F03: no line may be broken
        ("2001:db8::1", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1%eth0"),
        ("::ffff:203.0.113.7", "::ffff:203.0.113.7"),
        ("ssh.runpod.io", "ssh.runpod.io"),
        ("ssh.runpod.io.", "ssh.runpod.io."),
        ("my_host-1", "my_host-1"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("1e100.example", "1e100.example"),
    ],
)
def test_an_address_or_a_host_name_is_taken(given_, taken):
    # F05
    assert check_host(given_) == taken


@pytest.mark.parametrize(
    "text",
    ["", " ", "-oProxyCommand=x", "a b", "1.2.3.4; rm -rf ~", "$(id)", "`id`", "a\nb", "a\0b",
     "..", ".", "1.2.3", "1.2.3.4.5", "256.1.1.1", "0x7f.1", "0x7f000001", "2130706433", "01.2.3.4",
     "1.2.3.4%e", "2001:db8::1%", "2001:db8::1%e h", "2001:db8::g", "[::1", "::1]", "user@host",
     "host:22", "a..b", "-a.example", "a-.example", "ex ample", "exämple", "a" * 64,
     ".".join(["a" * 60] * 5), "%h", "a/b"],
)  # fmt: skip
def test_anything_else_is_refused(text):
    assert check_host(text) is None
    assert check_target(SshEndpoint(text, 22, "root")) is None


@pytest.mark.parametrize("user", ["", "-l", "a b", "a@b", "$(id)", "a\nb", "x;y", "é"])
def test_a_user_is_a_plain_word(user):
    assert check_target(SshEndpoint("203.0.113.7", 22, user)) is None


@pytest.mark.parametrize("port", [0, -1, 65_536])
def test_a_port_is_in_range(port):
    assert check_target(SshEndpoint("203.0.113.7", port, "root")) is None


def test_a_target_is_what_was_checked():
    found = check_target(SshEndpoint("[2001:db8::1]", 22017, "7h9k-64411eb2"))
    assert found == Target("7h9k-64411eb2", "2001:db8::1", 22017)


@given(st.text())
def test_no_text_becomes_more_than_one_word(text):
    host = check_host(text)
    if host is not None:
        assert shlex.split(host) == [host] == [shlex.quote(host)]
        assert not host.startswith("-")


@pytest.mark.parametrize(
    ("text", "yes"),
    [("1.1.1.1", True), ("100.65.0.119", False), ("10.0.0.1", False), ("", False), ("host", False),
     ("2606:4700::1", True), ("fd00::1", False), ("127.0.0.1", False), (" 1.1.1.1 ", True)],
)  # fmt: skip
def test_global_addresses_are_told_from_others(text, yes):
    assert is_global_address(text) is yes


@pytest.mark.parametrize("text", ["p1", "7h9k2m4n6p", "pod_abc-1.2"])
def test_an_id_is_plain(text):
    assert is_plain_word(text)


@pytest.mark.parametrize("text", ["", "-x", "a b", "a,b", "*", "!a", "a\n", 'a"b', "é", "a/b"])
def test_an_id_that_could_mean_more_is_not(text):
    assert not is_plain_word(text)


def test_a_direct_command():
    argv = direct_argv(TARGET, "p1", KEY)
    assert shlex.join(argv) == (
        "ssh -p 22017 -i /srv/me/.runpod/ssh/runpodctl-ssh-key -o HostKeyAlias=p1 root@203.0.113.7"
    )


def test_without_a_key_there_is_no_identity():
    # F07
    assert direct_argv(TARGET, "p1", NO_KEY) == [
        *("ssh", "-p", "22017", "-o", "HostKeyAlias=p1", "root@203.0.113.7")
    ]
    refused = KEY._replace(usable=False)
    assert "-i" not in direct_argv(TARGET, "p1", refused)


def test_a_proxy_command_has_no_alias():
    proxy = Target("7h9k-64411eb2", "ssh.runpod.io", 22)
    assert proxy_argv(proxy, NO_KEY) == ["ssh", "7h9k-64411eb2@ssh.runpod.io"]
    assert proxy_argv(proxy._replace(port=2222), KEY)[1:5] == ["-p", "2222", "-i", KEY.path]


def test_checking_is_never_switched_off():
    # F01
    text = shlex.join(direct_argv(TARGET, "p1", KEY) + proxy_argv(TARGET, KEY))
    assert "StrictHostKeyChecking" not in text
    assert "UserKnownHostsFile" not in text


# ------------------------------------------------------------ the real ssh


@pytest.fixture(scope="module")
def ssh() -> str:
    found = shutil.which("ssh")
    if found is None:
        pytest.skip("there is no ssh on this machine")
    return found


def _configuration(ssh: str, argv: list[str]) -> dict[str, list[str]]:
    """Give what ssh makes of a command line, by ``ssh -G``."""
    line = [ssh, "-G", "-F", "none", *argv[1:]]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    found: dict[str, list[str]] = {}
    for text in done.stdout.splitlines():
        name, _, value = text.partition(" ")
        found.setdefault(name, []).append(value)
    return found


@pytest.mark.parametrize("host", ["203.0.113.7", "2001:db8::1", "fe80::1%lo", "ssh.runpod.io"])
def test_ssh_reads_the_command_as_it_is_meant(ssh, host):
    # F01, F05
    found = _configuration(ssh, direct_argv(TARGET._replace(host=host), "p1", NO_KEY))
    assert found["hostname"] == [host]
    assert found["user"] == ["root"]
    assert found["port"] == ["22017"]
    assert found["hostkeyalias"] == ["p1"]
    assert found["stricthostkeychecking"] == ["ask"]


@pytest.mark.parametrize(
    "folder", ["plain", "a b", 'a "q" b', "a'b", "100%", "%h/%%", "a\\b %n", "a;b $x `y`"]
)
def test_ssh_opens_the_very_file_of_the_key(ssh, tmp_path, folder):
    """It is seen in what ssh says of its identities once a server has greeted it."""
    path = tmp_path / folder / "key"
    path.parent.mkdir(parents=True)
    path.write_text("no key, and yet a file\n")
    with _Greeter() as greeter:
        argv = direct_argv(
            Target("root", "127.0.0.1", greeter.port), "p1", KEY._replace(path=str(path))
        )
        shell = shlex.join([ssh, "-v", "-F", "none", "-o", "BatchMode=yes", *argv[1:]])
        done = subprocess.run(
            ["/bin/sh", "-c", shell],
            capture_output=True,
            check=False,
            timeout=60,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
    told = done.stderr.decode("utf-8", "replace")
    lines = [line for line in told.splitlines() if "identity file" in line.lower()]
    shown = str(path).replace("\\", "\\\\")  # ssh escapes a backslash in what it logs
    assert f"debug1: identity file {shown} type -1" in lines, told
    assert "not accessible" not in told


class _Greeter:
    """Greets as sshd does, and hangs up."""

    def __enter__(self) -> _Greeter:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._thread = threading.Thread(target=self._greet)
        self._thread.start()
        return self

    def _greet(self) -> None:
        try:
            client, _ = self._server.accept()
        except OSError:
            return
        with client:
            client.sendall(b"SSH-2.0-greeter\r\n")

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join()
