"""The ssh key of this machine."""

from __future__ import annotations

import os
import shutil

import pytest
from snapshots import FINGERPRINT, KEYS, PUBLIC_KEY

from rpcli.sshkeys import find_local_key

NEW, OLD = "runpodctl-ssh-key", "RunPod-Key-Go"
KEY = " ".join(PUBLIC_KEY.split()[:2])


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / ".runpod" / "ssh"
    made.mkdir(parents=True, mode=0o700)
    return made


@pytest.fixture
def put(folder):
    """Copy a sample to a name, with or without its public half."""

    def copy(sample, name, *, pub=True, mode=0o600):
        shutil.copyfile(KEYS / sample, folder / name)
        (folder / name).chmod(mode)
        if pub:
            shutil.copyfile(KEYS / f"{sample}.pub", folder / f"{name}.pub")
        return folder / name

    return copy


def find(folder, account_keys=None):
    return find_local_key(folder.parents[1], account_keys)


def public(name):
    return (KEYS / f"{name}.pub").read_text()


def test_nothing_is_there(tmp_path):
    # F07: no folder, and a key of the user's own is none of ours
    (tmp_path / ".ssh").mkdir()
    shutil.copyfile(KEYS / "ed25519", tmp_path / ".ssh" / "id_ed25519")
    key = find_local_key(tmp_path, [PUBLIC_KEY])
    assert (key.exists, key.usable, key.public, key.problem) == (False, False, None, None)
    assert key.path == str(tmp_path / ".runpod" / "ssh" / NEW)
    assert not (tmp_path / ".runpod").exists()


def test_a_key_with_its_public_half(put, folder):
    path = put("ed25519", NEW)
    key = find(folder)
    assert (key.path, key.exists, key.usable) == (str(path), True, True)
    assert (key.public, key.fingerprint, key.problem) == (KEY, FINGERPRINT, None)


@pytest.mark.parametrize("sample", ["ed25519", "ed25519_encrypted"])
def test_the_public_half_is_read_from_the_private_key(put, folder, sample):
    put(sample, NEW, pub=False)
    assert find(folder).public == " ".join(public(sample).split()[:2])


def test_a_pem_key_has_its_public_half_beside_it(put, folder):
    put("rsa_pem", NEW)
    assert find(folder).fingerprint == "SHA256:NCQizy5Kuj5cCL3KvGU4J3dvNvWcSDZ79C9Of900mYU"


def test_a_pem_key_without_one_is_a_key_all_the_same(put, folder):
    put("rsa_pem", NEW, pub=False)
    key = find(folder)
    assert (key.usable, key.public, key.fingerprint, key.problem) == (True, None, None, None)


def test_the_new_name_goes_before_the_old(put, folder):
    # F07
    old = put("rsa_pem", OLD)
    assert find(folder).path == str(old)
    new = put("ed25519", NEW)
    assert find(folder).path == str(new)


def test_a_key_that_the_account_has_goes_first(put, folder):
    # F13
    new, old = put("ed25519", NEW), put("rsa_pem", OLD)
    third = put("ed25519_encrypted", "of-another-tool")
    assert find(folder, [public("rsa_pem")]).path == str(old)
    assert find(folder, [public("ed25519_encrypted")]).path == str(third)
    assert find(folder, [public("rsa_pem"), public("ed25519")]).path == str(new)
    assert find(folder, []).path == str(new)
    assert find(folder, None).path == str(new)


def test_other_files_of_the_folder_count_only_where_the_account_has_them(put, folder):
    put("ed25519", "of-another-tool")
    (folder / "known_hosts").write_text("host ssh-rsa AAAA\n")
    (folder / "sub").mkdir()
    assert find(folder, []).exists is False
    assert find(folder, [PUBLIC_KEY]).exists is True


def test_only_a_public_half_is_no_key(put, folder):
    # F07
    shutil.copyfile(KEYS / "ed25519.pub", folder / f"{NEW}.pub")
    key = find(folder, [PUBLIC_KEY])
    assert (key.exists, key.usable) == (False, False)
    assert key.problem == f"{folder / NEW}.pub is there, and the private key is not"


def test_the_old_key_serves_where_the_new_one_is_not_one(put, folder):
    shutil.copyfile(KEYS / "ed25519.pub", folder / f"{NEW}.pub")
    old = put("rsa_pem", OLD)
    key = find(folder)
    assert (key.path, key.problem) == (str(old), None)


def test_a_key_that_ssh_takes_goes_before_one_that_it_does_not(put, folder):
    (folder / NEW).write_text("PuTTY-User-Key-File-3: ssh-ed25519\n")
    assert find(folder).path == str(folder / NEW)
    old = put("rsa_pem", OLD)
    assert find(folder).path == str(old)


def test_a_folder_of_that_name_is_no_key(folder):
    # F07
    (folder / NEW).mkdir()
    key = find(folder)
    assert key.exists is False
    assert key.problem == f"{folder / NEW} is a folder, and no ssh key"


def test_a_link_that_leads_nowhere_is_no_key(folder):
    # F07
    (folder / NEW).symlink_to(folder / "gone")
    key = find(folder)
    assert key.exists is False
    assert key.problem == f"{folder / NEW} is a link that leads nowhere"


def test_a_link_to_a_key_is_one(put, folder):
    put("ed25519", "real")
    (folder / NEW).symlink_to(folder / "real")
    assert find(folder).usable is True


def test_a_pipe_of_that_name_does_not_hold_us(folder):
    os.mkfifo(folder / NEW)
    key = find(folder)
    assert key.exists is False
    assert "is no file, and no ssh key" in key.problem


@pytest.mark.parametrize(
    ("text", "what"),
    [
        # F08
        ("PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\nc2VjcmV0c2VjcmV0\n", "PuTTY"),
        (f"{PUBLIC_KEY}\n", "it is a public key"),
        ("", "it is something else"),
        ("c2VjcmV0c2VjcmV0" * 10_000, "it is something else"),
    ],
)
def test_another_kind_of_file_is_named_and_never_shown(folder, text, what):
    (folder / NEW).write_text(text)
    (folder / NEW).chmod(0o600)
    key = find(folder)
    assert (key.exists, key.usable) == (True, False)
    assert key.problem.startswith(f"{folder / NEW} is not an OpenSSH private key: ")
    assert what in key.problem
    assert "c2VjcmV0" not in repr(key)
    assert len(key.problem) < 300


def test_bytes_that_are_no_text_are_no_key(folder):
    (folder / NEW).write_bytes(bytes(range(256)) * 1_000)
    assert "is not an OpenSSH private key" in find(folder).problem


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_loose_mode_is_told_with_its_remedy_and_left_alone(put, folder, mode):
    # F06
    path = put("ed25519", NEW, mode=mode)
    key = find(folder)
    assert key.usable is True
    assert key.problem == (
        f"{path} has mode {mode:04o}, and ssh ignores a private key that others can read: "
        f"chmod 600 {path}"
    )
    assert path.stat().st_mode & 0o777 == mode


def test_a_public_half_of_another_key_is_told(put, folder):
    path = put("ed25519", NEW, pub=False)
    shutil.copyfile(KEYS / "ed25519_encrypted.pub", folder / f"{NEW}.pub")
    key = find(folder)
    assert key.public == KEY
    assert key.problem == f"{path}.pub is the public half of another key, and ssh offers that one"


def test_a_path_that_ssh_cannot_be_given(tmp_path):
    folder = tmp_path / "${USER}" / ".runpod" / "ssh"
    folder.mkdir(parents=True)
    shutil.copyfile(KEYS / "ed25519", folder / NEW)
    (folder / NEW).chmod(0o600)
    key = find(folder)
    assert (key.exists, key.usable) == (True, False)
    assert "ssh replaces what stands in ${}" in key.problem


def test_a_key_that_may_not_be_read(put, folder):
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    put("ed25519", NEW, mode=0o000)
    key = find(folder)
    assert (key.exists, key.usable) == (True, False)
    assert key.problem == f"{folder / NEW} cannot be read: Permission denied"


def test_a_home_that_is_no_folder(tmp_path):
    (tmp_path / "home").write_text("")
    key = find_local_key(tmp_path / "home", [PUBLIC_KEY])
    assert key.exists is False
    assert key.problem.endswith(": Not a directory")
