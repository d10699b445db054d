"""Entry points, surfaces and schemas say the same: of rpcli itself, as setup.cfg declares it."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.resources

import pytest
from tree import entry_points, listed, setup_cfg

from rpcli.discovery import COMMANDS, OWN, SURFACES, Discovery
from rpcli.surface import Surface

GROUPS = [name for name in setup_cfg()["options.entry_points"] if name.startswith("rpcli.")]


def surfaces() -> list[Surface]:
    return [_load(value) for value in entry_points(SURFACES).values()]


def _load(value):
    module, _, name = value.partition(":")
    return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize("group", GROUPS)
def test_what_is_installed_is_what_is_declared(group):
    installed = {
        p.entry_point.name: p.entry_point.value
        for p in Discovery.scan().all(group)
        if p.owner == OWN
    }
    assert installed == entry_points(group)


@pytest.mark.parametrize("group", GROUPS)
def test_every_entry_point_leads_somewhere(group):
    for value in entry_points(group).values():
        assert _load(value) is not None


def test_surfaces_claim_each_command_once():
    claimed = sorted(words for surface in surfaces() for words in surface.commands)
    assert claimed == sorted(name.replace("_", " ") for name in entry_points(COMMANDS))


def test_schema_files_are_named_for_their_commands():
    for surface in surfaces():
        for words, spec in surface.commands.items():
            if spec.schema is None:
                assert spec.output in ("text", "none"), words
                continue
            parts = words.split()
            if parts[0] == surface.name and len(parts) > 1:
                parts = parts[1:]
            assert spec.schema == f"{'-'.join(parts)}.v1"
            anchor = importlib.resources.files(surface.schemas)
            assert anchor.joinpath(f"{spec.schema}.json").is_file(), words


def test_every_package_is_declared():
    declared = set(listed("options", "packages"))
    modules = [
        value.partition(":")[0] for group in GROUPS for value in entry_points(group).values()
    ]
    for module in modules:
        assert module in declared or module.rpartition(".")[0] in declared


def test_the_pytest_plugin_is_registered():
    (found,) = importlib.metadata.entry_points(group="pytest11", name="rpcli")
    assert found.value == "rpcli.testing.pytest_plugin"
