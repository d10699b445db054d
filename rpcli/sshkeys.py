"""Find the ssh key of this machine where the platform's own client keeps it.

Rules: ``~/.runpod/ssh/runpodctl-ssh-key`` first, then ``RunPod-Key-Go`` of old, then any other
private key in that folder that the account has; one that the account has goes first. Nothing is
written or changed, and no content of a private key is ever shown.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from rpcli.domain.publickey import (
    LocalKey,
    canonical_key,
    fingerprint_of,
    is_in_account,
    read_private_key,
)

__all__ = ["LocalKey", "find_local_key"]

FOLDER = (".runpod", "ssh")
NAMES = ("runpodctl-ssh-key", "RunPod-Key-Go")
#: Bytes of a file that are read: no key is as large.
_LARGEST = 1 << 16
#: Other files of the folder that are looked at.
_MOST_OTHERS = 64
#: The modes under which ssh ignores a private key.
_LOOSE = stat.S_IRWXG | stat.S_IRWXO


def find_local_key(home: Path, account_keys: Sequence[str] | None) -> LocalKey:
    """Find the key that ssh should be given.

    :param account_keys: the public keys of the account; None where they are unknown
    :returns: one that ``exists`` where there is one; its ``problem`` says what is wrong with it
    """
    folder = home.joinpath(*FOLDER)
    keys = [_look_at(folder / name) for name in NAMES]
    usable = [key for key in keys if key.usable]
    for key in (*usable, *_others(folder)):
        if is_in_account(key.public, account_keys):
            return key
    there = [key for key in keys if key.exists]
    troubled = [key for key in keys if key.problem]
    return next(iter((*usable, *there, *troubled)), keys[0])


def _others(folder: Path) -> Iterator[LocalKey]:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names only, and no entry is opened
    except OSError:
        return
    strangers = [n for n in names if n not in NAMES and not n.endswith(".pub")]
    for name in strangers[:_MOST_OTHERS]:
        key = _look_at(folder / name)
        if key.usable:
            yield key


def _look_at(path: Path) -> LocalKey:
    shown = str(path)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return LocalKey(shown, exists=False, problem=_why_missing(path))
    except OSError as error:
        return LocalKey(shown, exists=False, problem=f"{shown}: {error.strerror}")
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "no file"
        return LocalKey(shown, exists=False, problem=f"{shown} is {what}, and no ssh key")
    try:
        private = read_private_key(_read(path))
    except OSError as error:
        return LocalKey(shown, exists=True, problem=f"{shown} cannot be read: {error.strerror}")
    if private.refusal is not None:
        problem = f"{shown} is not an OpenSSH private key: {private.refusal}"
        return LocalKey(shown, exists=True, problem=problem)
    return _private_key(path, mode, private.public)


def _private_key(path: Path, mode: int, own: str | None) -> LocalKey:
    shown = str(path)
    beside = _public_beside(path)
    public = own or beside
    problem = None
    if "${" in shown:
        problem = f"{shown}: ssh replaces what stands in ${{}} in a path, and cannot be given it"
    elif mode & _LOOSE and os.name == "posix":
        problem = (
            f"{shown} has mode {stat.S_IMODE(mode):04o}, and ssh ignores a private key that others "
            f"can read: chmod 600 {shlex.quote(shown)}"
        )
    elif own is not None and beside is not None and own != beside:
        problem = f"{shown}.pub is the public half of another key, and ssh offers that one"
    return LocalKey(
        shown,
        exists=True,
        usable="${" not in shown,
        public=public,
        fingerprint=fingerprint_of(public) if public else None,
        problem=problem,
    )


def _why_missing(path: Path) -> str | None:
    if path.is_symlink():
        return f"{path} is a link that leads nowhere"
    if _public_beside(path) is not None:
        return f"{path}.pub is there, and the private key is not"
    return None


def _public_beside(path: Path) -> str | None:
    """Read the public half in the ``.pub`` beside a private key."""
    try:
        return canonical_key(_read(path.with_name(f"{path.name}.pub")).partition("\n")[0])
    except OSError:
        return None  # it is optional


def _read(path: Path) -> str:
    # Not blocking: whoever left a pipe there must not hold every command.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_LARGEST).decode("utf-8", "replace")
