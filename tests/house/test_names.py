"""Nothing in the repository names the machine or the folder that it was written on."""

from __future__ import annotations

import re

import pytest
from tree import ROOT, tracked_files

# Folders that exist on one machine only. /workspace is where the platform mounts volumes; the homes
# of a, ada and me are those of examples.
PLACES = re.compile(
    rb"(?<![\w.~-])/(?:home/(?!(?:a|ada|me)\b)\w+|Users/\w+|root/(?!\.)\w+|var/tmp/\w+|mnt/\w+|private/var)"
)


def test_no_file_names_a_place_of_one_machine():
    files = tracked_files()
    if files is None:
        pytest.skip("this is no clone: there is nothing to tell tracked files from others")
    found = {
        f"{file.relative_to(ROOT)}: {match.group().decode(errors='replace')}"
        for file in files
        if file.name != "test_names.py"
        for match in PLACES.finditer(file.read_bytes())
    }
    assert sorted(found) == []


@pytest.mark.parametrize("text", [b"see /home/jo/x", b"'/mnt/disk'", b"cd /var/tmp/x", b"/Users/a"])
def test_such_a_place_is_seen(text):
    assert PLACES.search(text)


@pytest.mark.parametrize(
    "text", [b"/workspace", b"/home/me/key", b"https://x.invalid/home/", b"~/.runpod", b"/root"]
)
def test_what_is_no_such_place_is_left_alone(text):
    assert not PLACES.search(text)
