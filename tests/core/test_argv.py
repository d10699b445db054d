"""Words, options and ``--`` before any parser sees them."""

from __future__ import annotations

import pytest

from rpcli.argv import cut, find_command, requested_format

KNOWN = ("pod list", "pod get", "ssh info", "commands", "sandbox serve")


@pytest.mark.parametrize(
    ("argv", "command", "rest"),
    [
        (["pod", "list"], "pod list", ()),
        (["pod", "list", "-f", "json"], "pod list", ("-f", "json")),
        (["--sandbox", "pod", "list"], "pod list", ("--sandbox",)),
        (["--api", "classic", "pod", "get", "x"], "pod get", ("--api", "classic", "x")),
        (["--api=classic", "pod", "get", "x"], "pod get", ("--api=classic", "x")),
        (["pod", "--debug", "list"], "pod list", ("--debug",)),
        (["-f", "json", "pod", "list"], "pod list", ("-f", "json")),
        (["-vq", "commands"], "commands", ("-vq",)),
        # the value of an option is never taken for a word of the command
        (["--log-file", "pod", "pod", "list"], "pod list", ("--log-file", "pod")),
        (["pod", "get", "list"], "pod get", ("list",)),
        (["pod", "get", "--sandbox", "pod"], "pod get", ("--sandbox", "pod")),
    ],
)
def test_the_command_is_found_between_global_options(argv, command, rest):
    found = find_command(argv, KNOWN)
    assert (found.command, found.rest) == (command, rest)


@pytest.mark.parametrize(
    ("argv", "typed"),
    [
        ([], ()),
        (["po", "li"], ("po", "li")),
        (["pod"], ("pod",)),
        (["pod", "li"], ("pod", "li")),
        (["pod", "lgs", "p1"], ("pod", "lgs")),
        (["s", "i", "p1"], ("s", "i")),
        (["--bogus", "pod", "list"], ()),
        (["POD", "list"], ("POD", "list")),
        ([""], ("",)),
    ],
)
def test_no_part_of_a_word_is_a_command(argv, typed):
    found = find_command(argv, KNOWN)
    assert found.command is None
    assert found.typed == typed


def test_what_follows_two_dashes_is_kept_verbatim():
    assert cut(["a", "--", "-b", "--", "--debug"]) == (["a"], ["-b", "--", "--debug"])
    assert cut(["a", "-b"]) == (["a", "-b"], None)
    assert cut(["a", "--"]) == (["a"], [])


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["pod", "list"], None),
        (["-f", "json"], "json"),
        (["-fjson"], "json"),
        (["--format=yaml"], "yaml"),
        (["--output", "table"], "table"),
        (["-o", "json", "-f", "yaml"], "yaml"),
        (["-f"], None),
        (["-f", ""], ""),
    ],
)
def test_the_format_is_known_before_parsing(argv, word):
    assert requested_format(argv) == word
