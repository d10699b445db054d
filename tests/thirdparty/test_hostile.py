"""Strangers that are slow, broken, loud or greedy touch nobody's command but their own."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

import pytest
from foreign import STRANGERS

#: Only what no clock changes, so that two runs can be compared byte by byte.
POD_LIST = ("pod", "list", "-a", "-f", "json", "-c", "id", "-c", "name", "-c", "desiredStatus")


@dataclass(frozen=True)
class Stranger:
    """What is expected of one of them.

    :param command: its own command; empty: it has none that can be typed
    :param error: the code of its own command; None: it works
    :param health: in ``plugin list``
    :param problem: a part of the problem there
    :param fatal: it ends whatever process imports it, and nothing can catch that
    :param listed: whether ``plugin list`` has it: it lists surfaces and commands
    """

    name: str
    command: str = ""
    error: str | None = "plugin_error"
    health: str = "failed"
    problem: str = ""
    fatal: bool = False
    listed: bool = True

    @property
    def distribution(self) -> str:
        return self.name.replace("_", "-")


ALL = [
    Stranger("hostile_sleeps", "sleeps list", error=None, health="ok"),
    Stranger("hostile_raises", "raises list", problem="AssertionError"),
    Stranger("hostile_prints", "prints list", error=None, health="ok"),
    Stranger("hostile_exits", "exits list", problem="SystemExit"),
    Stranger("hostile_dies", "dies list", problem="status 9", fatal=True),
    Stranger("hostile_takes", problem="belongs to rpcli"),
    Stranger("hostile_json", problem="the formatter 'json' belongs to rpcli"),
    Stranger("hostile_groups", "groups list", error="usage_error", health="incompatible"),
    Stranger("hostile_api", "api list", problem="version 2"),
    Stranger("hostile_orphan", "orphan list", problem="no surface"),
    Stranger("hostile_option", "option list", problem="conflicting option"),
    Stranger("hostile_missing", "missing list", problem="ModuleNotFoundError"),
    Stranger("hostile_type", "type list", problem="type list"),
    Stranger("hostile_corrupt"),
]


def _name(stranger: Stranger) -> str:
    return stranger.name


@pytest.fixture(params=ALL, ids=_name)
def stranger(request, install_plugin):
    """One of them, installed for what ``rpcli_run`` runs."""
    return request.param, install_plugin(request.param.name)


def test_every_folder_is_expected_something_of():
    folders = {path.name for path in STRANGERS.glob("hostile_*")}
    assert folders == {s.name for s in ALL}


def test_the_main_job_does_not_notice(sandbox, rpcli_run, install_plugin):
    # D16, D17, D19: not imported, so neither its time nor its words can reach us.
    alone = rpcli_run(*POD_LIST)
    assert alone.status == 0
    assert alone.stderr == ""
    assert alone.json
    installed = [install_plugin(s.name) for s in ALL]
    crowded = rpcli_run(*POD_LIST)
    assert crowded.stdout == alone.stdout
    assert crowded.status == 0
    # One warning, short, for the name that somebody wanted to take.
    (note,) = crowded.notes
    assert "hostile-takes" in note
    assert len(crowded.stderr.splitlines()) == 1
    assert [i.name for i in installed if i.imported] == []
    assert rpcli_run(*POD_LIST).stderr == crowded.stderr


def test_one_alone_is_not_noticed_either(sandbox, rpcli_run, stranger):
    expected, installed = stranger
    result = rpcli_run(*POD_LIST)
    assert result.status == 0
    assert {pod["id"] for pod in result.json}
    if expected.name == "hostile_takes":
        assert "hostile-takes" in result.notes[0]
        assert rpcli_run(*POD_LIST, "-q").stderr == ""
    else:
        assert result.stderr == ""
    assert not installed.imported


# Help imports descriptors, and nothing can catch os._exit: those that are fatal are left out.
@pytest.mark.parametrize("stranger", [s for s in ALL if not s.fatal], indirect=True, ids=_name)
def test_root_help_has_every_healthy_command(rpcli_run, stranger):
    # D18
    result = rpcli_run("--help")
    assert result.status == 0
    assert result.stdout.startswith("usage: rpcli")
    assert "pod list" in result.stdout
    assert "LOOK AT ME" not in result.stdout
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "stranger", [s for s in ALL if s.command and not s.fatal], indirect=True, ids=_name
)
def test_its_own_command_says_whose_fault_it_is(rpcli_run, stranger):
    expected, _ = stranger
    # Those that work print what no schema describes: they are held to none.
    mode = "enforce" if expected.error else "off"
    result = rpcli_run(*expected.command.split(), "-f", "json", env={"RPCLI_CONTRACT": mode})
    if expected.error is None:
        assert result.json == [{"id": expected.name}]
        assert result.status == 0
        return
    assert result.status == (2 if expected.error == "usage_error" else 1)
    assert result.stdout == ""
    assert result.error is not None
    assert result.error["code"] == expected.error
    if expected.error == "plugin_error":
        assert expected.distribution in json.dumps(result.error)


def test_plugin_list_tells_its_health(rpcli_run, stranger, contract):
    # D16
    expected, _ = stranger
    result = rpcli_run("plugin", "list", "-f", "json")
    assert result.status == 0
    assert result.stderr == ""
    contract("plugin list", result.json)
    names = (expected.distribution, expected.name)
    found = [item for item in result.json if item["distribution"] in names]
    assert {item["health"] for item in found} == ({expected.health} if expected.listed else set())
    assert all(expected.problem in item.get("problem", "") for item in found)
    ours = [item for item in result.json if item["distribution"] == "rpcli"]
    assert {item["health"] for item in ours} == {"ok"}


def test_commands_describes_the_healthy_ones(rpcli_run, stranger, contract):
    result = rpcli_run("commands", "-f", "json")
    assert result.status == 0
    contract("commands", result.json)
    by_name = {item["name"]: item for item in result.json}
    assert by_name["pod list"]["distribution"] == "rpcli"
    assert by_name["pod list"]["health"] == "ok"


def test_all_of_them_together(rpcli_run, install_plugin):
    for stranger in ALL:
        install_plugin(stranger.name)
    listed = rpcli_run("plugin", "list", "-f", "json")
    assert listed.status == 0
    found = {item["distribution"] for item in listed.json}
    assert {"rpcli", *(s.distribution for s in ALL if s.command)} <= found
    described = rpcli_run("commands", "-f", "json")
    health = {item["name"]: item["health"] for item in described.json}
    assert health["pod list"] == "ok"
    assert {s.command: s.health for s in ALL if s.command and s.error != "usage_error"}.items() <= (
        health.items()
    )


def test_an_upgrade_in_place_is_seen_at_once(rpcli_run, install_plugin):
    # D11, D12, D14, D15: nothing is cached, so nothing can be stale, poisoned or piled up.
    installed = install_plugin("hostile_prints")
    old = rpcli_run("prints", "list", "-f", "json", env={"RPCLI_CONTRACT": "off"})
    assert old.status == 0
    (metadata,) = installed.site.glob("*.dist-info")
    points = metadata / "entry_points.txt"
    stamp = points.stat().st_mtime_ns
    points.write_text(points.read_text().replace("prints_list", "shouts_list"))
    os.utime(points, ns=(stamp + 1, stamp + 1))
    assert rpcli_run("prints", "list").status == 2
    assert "shouts list" in rpcli_run("--help").stdout
    assert [p for p in rpcli_run.home.rglob("*") if p.is_file()] == []
