"""Ssh keys as text."""

from __future__ import annotations

import base64
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snapshots import FINGERPRINT, KEYS, PUBLIC_KEY

from rpcli.domain.publickey import (
    canonical_key,
    fingerprint_of,
    is_in_account,
    read_private_key,
)

KIND, BLOB, _ = PUBLIC_KEY.split()
KEY = f"{KIND} {BLOB}"


@pytest.mark.parametrize(
    "line",
    [
        PUBLIC_KEY,
        KEY,
        f"  {KIND}\t{BLOB}   somebody else@host with words\n",
        f'command="echo hi there",no-pty {KIND} {BLOB} x',
        f"from=10.0.0.0/8 {KIND} {BLOB}",
    ],
)
def test_a_key_is_its_type_and_blob_whatever_is_around_them(line):
    assert canonical_key(line) == KEY
    assert is_in_account(PUBLIC_KEY, [line]) is True


@pytest.mark.parametrize(
    "line",
    ["", "null", "None", "# a comment", KIND, BLOB, f"{KIND} AAAA", f"ssh-rsa {BLOB}",
     f"{KIND} {BLOB[:-8]}", f"{KIND} {BLOB[:30]}!{BLOB[30:]}", "ssh-ed25519 ☃", None, 5],
)  # fmt: skip
def test_what_is_no_key_is_none(line):
    # A22: the platform writes the text null where an account has no key
    assert canonical_key(line) is None
    assert fingerprint_of(str(line)) is None


def test_padding_makes_no_other_key():
    blob = b"\0\0\0\x07ssh-rsa" + b"\0\0\0\x01\x05"
    padded = base64.b64encode(blob).decode()
    assert padded.endswith("=")
    assert canonical_key(f"ssh-rsa {padded}") == canonical_key(f"ssh-rsa {padded.rstrip('=')}")


def test_the_fingerprint_is_that_of_ssh_keygen():
    assert fingerprint_of(PUBLIC_KEY) == FINGERPRINT


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_a_new_key_is_read_as_ssh_keygen_reads_it(tmp_path, kind):
    keygen = shutil.which("ssh-keygen")
    if keygen is None:
        pytest.skip("there is no ssh-keygen on this machine")
    path = tmp_path / "key"
    subprocess.run([keygen, "-q", "-t", kind, "-N", "", "-f", path], check=True)
    shown = subprocess.run([keygen, "-lf", path], check=True, capture_output=True, text=True)
    public = read_private_key(path.read_text()).public
    assert public == canonical_key((tmp_path / "key.pub").read_text())
    assert fingerprint_of(public) == shown.stdout.split()[1]


def test_a_certificate_is_a_key_too():
    kind = "ssh-ed25519-cert-v01@openssh.com"
    blob = len(kind).to_bytes(4) + kind.encode() + b"\0\0\0\x01n" + (7).to_bytes(8)
    line = f"{kind} {base64.b64encode(blob).decode()}"
    assert canonical_key(line) == line.rstrip("=")


def test_membership_is_unknown_where_a_side_is():
    # F10
    assert is_in_account(None, [PUBLIC_KEY]) is None
    assert is_in_account(PUBLIC_KEY, None) is None
    assert is_in_account(PUBLIC_KEY, []) is False
    assert is_in_account(PUBLIC_KEY, ["null", "garbage", ""]) is False


@pytest.mark.parametrize("name", ["ed25519", "ed25519_encrypted"])
def test_the_public_half_is_in_a_private_key_of_openssh(name):
    found = read_private_key((KEYS / name).read_text())
    assert found.public == canonical_key((KEYS / f"{name}.pub").read_text())
    assert found.refusal is None


def test_a_pem_key_is_one_whose_public_half_is_elsewhere():
    found = read_private_key((KEYS / "rsa_pem").read_text())
    assert (found.public, found.refusal) == (None, None)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        # F08
        ("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n", "PuTTY"),
        (PUBLIC_KEY, "a public key"),
        ("---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n", "a public key"),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n", "a public key"),
        ("", "something else"),
        ("hello", "something else"),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n", "something else"),
        (
            "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
            "damaged",
        ),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA", "something else"),
    ],
)
def test_what_is_no_private_key_says_what_it_is(text, what):
    found = read_private_key(text)
    assert found.public is None
    assert what in found.refusal


def test_no_refusal_shows_what_is_in_the_file():
    found = read_private_key("PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\nc2VjcmV0\n")
    assert "c2VjcmV0" not in found.refusal


@given(st.data())
def test_a_damaged_key_is_never_a_fault_of_ours(data):
    text = (KEYS / "ed25519").read_text()
    at = data.draw(st.integers(0, len(text) - 1))
    cut = data.draw(st.integers(0, 200))
    put = data.draw(st.text(max_size=5))
    found = read_private_key(text[:at] + put + text[at + cut :])
    assert found.public is None or canonical_key(found.public) == found.public
