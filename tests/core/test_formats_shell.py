"""``eval`` sets variables and does no more, in real shells: case D03."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory_sink import MemorySink, options_of, shown

from rpcli.formats.shell import ShellFormatter
from rpcli.rows import ABSENT

SHELL = ShellFormatter()
PATH = "/usr/bin:/bin"
SHELLS = [name for name in ("sh", "dash", "bash", "busybox", "ksh", "zsh") if shutil.which(name)]
HOSTILE = [
    'say "hi"',
    "$(touch pwned)",
    "`touch pwned`",
    "x\nPATH=/nowhere\ntouch pwned\n",
    "'; touch pwned; '",
    "' \"$(touch pwned)\" '",
    "\\'; touch pwned #",
    "${PATH:=x}",
    "a\\",
    "!!",
    "~ * ? [a] {a,b}",
    "\t leading and trailing \n\n",
    "-n",
    "",
    "é 日 😀 \u202e \x1b[2J \r\x07",
    "name=1; readonly name",
]


def evaluated(shell: str, text: str, names: list[str], folder: Path) -> list[str]:
    """What the variables hold after ``eval "$(…)"``, in a folder that must stay empty."""
    script = 'eval "$(cat)" || exit 9; for name; do eval "printf \'%s\\0\' \\"\\$$name\\""; done'
    script += '; printf %s "$PATH"'
    start = [shell, *(["sh"] if shell == "busybox" else []), "-c", script, "test", *names]
    done = subprocess.run(
        start,
        input=text.encode(),
        capture_output=True,
        check=True,
        cwd=folder,
        env={"PATH": PATH, "LC_ALL": "C.UTF-8"},
    )
    assert done.stderr == b""
    assert list(folder.iterdir()) == []
    *values, path = done.stdout.decode().split("\0")
    assert path == PATH
    return values


@pytest.mark.parametrize("shell", SHELLS)
def test_d03_hostile_names_are_data(shell: str, tmp_path: Path) -> None:
    document = {f"v{n}": text for n, text in enumerate(HOSTILE)}
    assert evaluated(shell, shown(SHELL, document), list(document), tmp_path) == HOSTILE


@pytest.mark.parametrize("shell", SHELLS)
@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(texts=st.lists(st.text(st.characters(), max_size=20), min_size=1, max_size=20))
def test_d03_every_text_survives(shell: str, tmp_path: Path, texts: list[str]) -> None:
    document = {f"v{n}": text for n, text in enumerate(texts)}
    expected = [
        "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in t) for t in texts
    ]
    assert evaluated(shell, shown(SHELL, document), list(document), tmp_path) == expected


@pytest.mark.parametrize("shell", SHELLS)
def test_d03_no_name_of_a_field_does_harm_either(shell: str, tmp_path: Path) -> None:
    document = {
        "PATH": "/nowhere",
        "IFS": "x",
        "a b; touch pwned #": "1",
        "$(touch pwned)": "2",
        "1st": "3",
        "": "4",
        "état": "5",
        "status": "6",
    }
    names = ["PATH_", "IFS_", "a_b__touch_pwned__", "__touch_pwned_", "_1st", "_tat", "status_"]
    values = ["/nowhere", "x", "1", "2", "3", "5", "6"]
    assert evaluated(shell, shown(SHELL, document), names, tmp_path) == values


def test_exact_lines() -> None:
    document = {
        "id": "abc",
        "name": "it's",
        "desiredStatus": "RUNNING",
        "n": 1,
        "locked": False,
        "cost": 0.5,
        "none": None,
        "gone": ABSENT,
        "ports": ["22/tcp"],
    }
    assert shown(SHELL, document) == (
        "id=abc\n"
        "name='it'\"'\"'s'\n"
        "desiredStatus=RUNNING\n"
        "n=1\n"
        "locked=false\n"
        "cost=0.5\n"
        "none=''\n"
        "gone=''\n"
        "ports='[\"22/tcp\"]'\n"
    )


@pytest.mark.parametrize(
    ("prefix", "name"), [("pod_", "pod_id"), ("POD-", "POD_id"), ("1", "_1id"), ("a b", "a_bid")]
)
def test_a_prefix_makes_valid_names(prefix: str, name: str) -> None:
    sink = MemorySink()
    SHELL.emit_one(("id",), ("x",), sink, options_of(SHELL, "--prefix", prefix))
    assert sink.text == f"{name}=x\n"


@pytest.mark.parametrize(
    ("name", "shown_as"),
    [
        ("status", "status_"),
        ("argv", "argv_"),
        ("path", "path_"),
        ("PATH", "PATH_"),
        ("_", "_"),
        ("paths", "paths"),
        ("Path", "Path"),
        ("actions", "actions"),
    ],
)
def test_names_that_a_shell_keeps_for_itself(name: str, shown_as: str) -> None:
    assert shown(SHELL, {name: "x"}) == f"{shown_as}=x\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_what_is_nested_is_json(shell: str, tmp_path: Path) -> None:
    env: dict[str, Any] = {"KEY": "it's $HOME\n\x00\ud83d", "n": [1, None]}
    (value,) = evaluated(shell, shown(SHELL, {"env": env}), ["env"], tmp_path)
    assert json.loads(value) == {"KEY": "it's $HOME\n\x00\ufffd", "n": [1, None]}


def test_what_goes_to_a_terminal_moves_no_cursor() -> None:
    document = {"name": "\x1b[2J\u202e"}
    assert shown(SHELL, document, sink=MemorySink(tty=True)) == "name='\\x1b[2J\\u202e'\n"
    assert shown(SHELL, document, sink=MemorySink()) == "name='\x1b[2J\u202e'\n"
