"""The docs say all there is, and nothing that there is not."""

from __future__ import annotations

import json
import re
import shlex
from functools import cache
from typing import Any

import pytest
from tree import ROOT, product_files

from rpcli import errors
from rpcli.argv import cut, find_command

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
#: The command that docs/plugins.md makes; test_docs_code.py runs it.
MADE_IN_THE_DOCS = {"name": "idle list", "options": [{"flags": ["--min-gb"]}]}
#: Read from the environment by the libraries below us, as their users expect.
LIBRARIES = {"NO_COLOR", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "NO_PROXY"}


@pytest.fixture(scope="module")
def described(tmp_path_factory) -> list[dict[str, Any]]:
    """Give what ``rpcli commands`` says of rpcli's own commands."""
    from rpcli.testing import Runner

    result = Runner(tmp_path_factory.mktemp("docs"))("commands", "-f", "json")
    assert result.status == 0, result
    return [item for item in result.json if item["distribution"] == "rpcli"]


@cache
def _global_flags() -> frozenset[str]:
    from rpcli.parser import Parser, add_global_options

    parser = Parser("rpcli")
    add_global_options(parser, shown=True)
    return frozenset(flag for action in parser._actions for flag in action.option_strings)


def _is_documented(word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", TEXT) is not None


def test_every_command_is_documented(described):
    missing = [c["name"] for c in described if not re.search(rf"\b{c['name']}\b", TEXT)]
    assert missing == []


def test_every_flag_is_documented(described):
    flags = {
        flag
        for command in described
        for option in command["options"]
        for flag in option["flags"]
        if flag.startswith("--")
    }
    assert len(flags) > 10
    missing = sorted(flag for flag in flags | _long(_global_flags()) if not _is_documented(flag))
    assert missing == []


def _long(flags: frozenset[str]) -> set[str]:
    return {flag for flag in flags if flag.startswith("--")}


def test_every_error_code_is_documented():
    classes = [errors.RpcliError]
    for kind in classes:
        classes += kind.__subclasses__()
    codes = {kind.code for kind in classes} | set(errors.HTTP_CODES.values()) | {"server_error"}
    assert len(codes) > 15
    assert sorted(code for code in codes if not _is_documented(code)) == []


def test_every_variable_is_documented():
    read = {
        name
        for file in product_files()
        for name in re.findall(r"\b(?:RPCLI|RUNPOD)_[A-Z0-9_]+\b", file.read_text("utf-8"))
    }
    assert {"RUNPOD_API_KEY", "RPCLI_API", "RPCLI_CONTRACT"} <= read
    assert sorted(name for name in read | LIBRARIES if not _is_documented(name)) == []


def test_every_word_of_an_open_or_closed_set_is_documented():
    """The statuses and reasons that a document may carry."""
    words: set[str] = set()
    for file in sorted((ROOT / "schemas").glob("*/*.json")):
        words |= set(_words(json.loads(file.read_text("utf-8"))))
    assert {"running", "initializing", "RUNNING"} <= words
    words -= {"GET", "POST", "PUT", "PATCH", "DELETE"}  # HTTP's own
    assert sorted(word for word in words if not _is_documented(word)) == []


def _words(node: Any) -> list[str]:
    if isinstance(node, list):
        return [word for inner in node for word in _words(inner)]
    if not isinstance(node, dict):
        return []
    own = [*node.get("enum", []), *node.get("x-extensible-enum", [])]
    rest = [v for k, v in node.items() if k not in ("examples", "enum", "x-extensible-enum")]
    return [w for w in own if isinstance(w, str)] + _words(rest)


def _documented_lines() -> list[tuple[str, str]]:
    """Give each ``rpcli …`` of a code block or a code span, and the page that it is on."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S)
        spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
        lines = [line for block in blocks for line in block.splitlines()] + spans
        for line in lines:
            command = re.split(r"\s[|&#]|\s\s#|&& ", line.strip().removeprefix("$ "))
            found += [(part.strip(), page.name) for part in command if part.startswith("rpcli ")]
    return sorted(set(found))


def test_every_documented_command_exists(described):
    # A29
    lines = _documented_lines()
    assert len(lines) > 10
    commands = {c["name"]: c for c in [*described, MADE_IN_THE_DOCS]}
    wrong = [f"{page}: {line}" for line, page in lines if not _exists(line, commands)]
    assert wrong == []


def _exists(line: str, commands: dict[str, dict[str, Any]]) -> bool:
    """Whether the words are a command, or begin one, and every long flag is one of its flags."""
    try:
        argv = cut(shlex.split(line.replace("…", ""), comments=True)[1:])[0]
    except ValueError:
        return False
    found = find_command(argv, commands)
    flags = {token.partition("=")[0] for token in argv if token.startswith("--")}
    if found.command is None:
        group = " ".join(found.typed)
        known = not group or any(name.startswith(f"{group} ") for name in commands)
        return known and flags <= _global_flags()
    own = {flag for option in commands[found.command]["options"] for flag in option["flags"]}
    return flags <= own | _global_flags()


@pytest.mark.parametrize("line", ["rpcli pod lst", "rpcli pod list --no-such", "rpcli 'pod"])
def test_a_wrong_line_would_be_seen(described, line):
    assert not _exists(line, {c["name"]: c for c in described})


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
