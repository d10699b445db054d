"""Ssh keys as text: which key a line holds, whether two are the same, what a private key is. Pure.

Sources: a public key is RFC 4253, section 6.6, in base64; a line of them is ``authorized_keys`` of
sshd(8), with options in front where there are any; a private key of OpenSSH is its PROTOCOL.key.

Rules: a key is its type and its blob, whatever is written around them; no message holds any of the
content of a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

_ARMOUR = re.compile(
    r"-----BEGIN OPENSSH PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+)-----END OPENSSH PRIVATE KEY-----"
)
_PEM_PRIVATE = re.compile(r"-----BEGIN (?:(?:RSA|EC|DSA|ENCRYPTED) )?PRIVATE KEY-----")
_PUBLIC_HEADS = ("---- BEGIN SSH2 PUBLIC KEY ----", "-----BEGIN PUBLIC KEY-----")
_MAGIC = b"openssh-key-v1\0"
#: Bytes before the number of keys in a private key of OpenSSH: three texts (cipher, kdf, options).
_TEXTS_BEFORE = 3


class LocalKey(NamedTuple):
    """The ssh key of this machine, as far as it is there.

    :param path: where it is, or where the platform's own client would keep it
    :param exists: a private key file is there
    :param usable: ssh can be given it
    :param public: its public half, as ``ssh-ed25519 AAAA…``, where that can be learned
    :param problem: what is wrong with it, and what to do, in one line
    """

    path: str
    exists: bool
    usable: bool = False
    public: str | None = None
    fingerprint: str | None = None
    problem: str | None = None


class PrivateKeyText(NamedTuple):
    """What a private key file tells: its public half, or why ssh cannot take it."""

    public: str | None = None
    refusal: str | None = None


def canonical_key(line: object) -> str | None:
    """Give ``type blob`` of a line that holds a public key; None where it holds none."""
    words = line.split() if isinstance(line, str) else []
    for kind, text in pairwise(words):
        blob = _decode(text)
        if blob and _text_at(blob, 0) == kind.encode("utf-8", "replace") and _is_whole(blob, kind):
            return f"{kind} {text.rstrip('=')}"
    return None


def fingerprint_of(line: str) -> str | None:
    """Give the fingerprint of a public key as ssh-keygen prints it, ``SHA256:…``."""
    key = canonical_key(line)
    blob = _decode(key.split()[1]) if key else None
    if blob is None:
        return None
    from base64 import b64encode
    from hashlib import sha256

    return "SHA256:" + b64encode(sha256(blob).digest()).decode().rstrip("=")


def is_in_account(public: str | None, account_keys: Iterable[str] | None) -> bool | None:
    """Tell whether an account has a key; None where one of them is unknown."""
    if public is None or account_keys is None:
        return None
    wanted = canonical_key(public)
    return wanted is not None and any(canonical_key(line) == wanted for line in account_keys)


def read_private_key(text: str) -> PrivateKeyText:
    """Tell what the text of a private key file is."""
    head = text.lstrip("\ufeff \t\r\n")
    if match := _ARMOUR.match(head):
        public = _public_half("".join(match[1].split()))
        return PrivateKeyText(public) if public else PrivateKeyText(refusal="it is damaged")
    if _PEM_PRIVATE.match(head):
        return PrivateKeyText()
    if head.startswith("PuTTY-User-Key-File-"):
        return PrivateKeyText(
            refusal="it is a key of PuTTY: export it with puttygen, -O private-openssh"
        )
    if head.startswith(_PUBLIC_HEADS) or canonical_key(head[:16_384].partition("\n")[0]):
        return PrivateKeyText(refusal="it is a public key")
    return PrivateKeyText(refusal="it is something else")


def _public_half(armoured: str) -> str | None:
    """Read the first public key in a private key of OpenSSH; it is not encrypted there."""
    from base64 import b64encode

    data = _decode(armoured)
    if data is None or not data.startswith(_MAGIC):
        return None
    at = len(_MAGIC)
    for _ in range(_TEXTS_BEFORE):
        skipped = _text_at(data, at)
        if skipped is None:
            return None
        at += 4 + len(skipped)
    blob = _text_at(data, at + 4)
    kind = _text_at(blob, 0) if blob else None
    if blob is None or not kind:
        return None
    return canonical_key(f"{kind.decode('ascii', 'replace')} {b64encode(blob).decode()}")


def _is_whole(blob: bytes, kind: str) -> bool:
    """Tell whether a blob ends where its parts do: half a key was pasted otherwise."""
    if "-cert-" in kind:
        return True  # its parts are not all texts
    at = 0
    while at < len(blob):
        part = _text_at(blob, at)
        if part is None:
            return False
        at += 4 + len(part)
    return True


def _text_at(data: bytes, at: int) -> bytes | None:
    """Read a text of RFC 4251: four bytes of length, and as many bytes."""
    if at + 4 > len(data):
        return None
    end = at + 4 + int.from_bytes(data[at : at + 4])
    return data[at + 4 : end] if end <= len(data) else None


def _decode(text: str) -> bytes | None:
    from binascii import Error, a2b_base64

    bare = text.rstrip("=")
    try:
        return a2b_base64(bare + "=" * (-len(bare) % 4), strict_mode=True)
    except (Error, ValueError):
        return None
