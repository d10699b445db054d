"""Describe the commands and surfaces of one distribution.

Strangers are described in a process of their own, with a time limit: their imports may do anything.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rpcli.command import command_class
from rpcli.discovery import COMMANDS, SURFACES, Discovery, Provider, load, load_surface
from rpcli.errors import RpcliError
from rpcli.parser import Parser, add_global_options
from rpcli.surface import API_VERSION, CommandSpec, Surface
from rpcli.terminal import one_line

#: Seconds that importing and describing one stranger's distribution may take.
TIME_LIMIT = 10.0


_APPEND = (argparse._AppendAction, argparse._CountAction)


@dataclass(frozen=True, slots=True)
class Report:
    """What one distribution brings: documents of ``plugin list`` and of ``commands``."""

    surfaces: tuple[Mapping[str, Any], ...]
    commands: tuple[Mapping[str, Any], ...]


def inspect_all(discovery: Discovery) -> list[Report]:
    """Describe everything that is installed; rpcli itself first, then by distribution."""
    owners = sorted(
        {p.owner: p for p in discovery.everything()}.items(),
        key=lambda item: (not item[1].builtin, item[0]),
    )
    children = {owner: _Child(owner) for owner, p in owners if not p.builtin}
    reports = [
        inspect_distribution(discovery, owner)
        if owner not in children
        else children[owner].report(discovery)
        for owner, _ in owners
    ]
    return [*reports, *_left_out(discovery)]


def inspect_distribution(discovery: Discovery, owner: str) -> Report:
    """Import and describe what one distribution brings, in this process."""
    problems: list[str] = []
    surfaces = _surfaces(discovery, owner, problems)
    commands = []
    for words, provider in discovery.commands().items():
        if provider.owner == owner:
            claims = [s for s in surfaces if words in s.commands]
            commands.append(_command(discovery, words, provider, claims))
    problems += [f"{c['name']}: {c['problem']}" for c in commands if "problem" in c]
    problems += _lost_names(discovery, owner)
    first = next(p for p in discovery.everything() if p.owner == owner)
    described = [_surface(first, s.name, s.api, sorted(s.commands), problems) for s in surfaces]
    if not described:
        names = [c["name"] for c in commands]
        if names and not problems:
            problems.append("it has no surface")
        described = [_surface(first, None, None, names, problems)]
    return Report(tuple(described), tuple(commands))


def describe_parser(parser: argparse.ArgumentParser) -> dict[str, list[dict[str, Any]]]:
    """Describe the arguments and options of a parser, its hidden ones left out."""
    arguments: list[dict[str, Any]] = []
    options: list[dict[str, Any]] = []
    for action in parser._actions:
        if action.help == argparse.SUPPRESS or action.dest == "help":
            continue
        entry: dict[str, Any] = {
            "help": action.help or "",
            "required": action.required,
            "repeatable": action.nargs in ("*", "+") or isinstance(action, _APPEND),
        }
        if action.choices is not None:
            entry["choices"] = [str(c) for c in action.choices]
        if not action.option_strings:
            arguments.append({"name": str(action.metavar or action.dest), **entry})
            continue
        if action.nargs != 0:
            entry["metavar"] = str(action.metavar or action.dest.upper())
            if isinstance(action.default, str | int | float):
                entry["default"] = str(action.default)
        options.append({"flags": list(action.option_strings), **entry})
    return {"arguments": arguments, "options": options}


def _command(
    discovery: Discovery, words: str, provider: Provider, claims: list[Surface]
) -> dict[str, Any]:
    spec = claims[0].commands[words] if claims else CommandSpec("", output="none")
    document: dict[str, Any] = {
        "name": words,
        "summary": spec.summary,
        "distribution": provider.distribution,
        "version": provider.version,
        "output": spec.output,
        "formats": sorted(discovery.formatters(spec.output)),
        "arguments": [],
        "options": [],
        "health": "ok",
    }
    if claims:
        document["surface"] = claims[0].name
        if spec.schema:
            document["schema"] = f"{claims[0].name}.{spec.schema.partition('.')[0]}"
    problem = None if claims else "no surface claims it"
    try:
        document |= describe_parser(_parser(discovery, words, provider))
    except Exception as error:  # noqa: BLE001 - a stranger's code, told and not hidden
        problem = error.message if isinstance(error, RpcliError) else f"its parser: {error}"
    if problem:
        document |= {"health": "failed", "problem": one_line(problem)}
    return document


def _parser(discovery: Discovery, words: str, provider: Provider) -> argparse.ArgumentParser:
    from rpcli.context import Context
    from rpcli.output import Stderr, Stdout

    class Frame:
        context = Context(env={}, stdout=Stdout(None), stderr=Stderr(None), discovery=discovery)
        parser = Parser("rpcli")

    add_global_options(Frame.parser, shown=True)
    return command_class(load(provider), provider)(Frame(), None, words).described_parser()


def _surfaces(discovery: Discovery, owner: str, problems: list[str]) -> list[Surface]:
    surfaces = []
    for provider in discovery.all(SURFACES):
        if provider.owner == owner:
            try:
                surfaces.append(load_surface(provider))
            except RpcliError as error:
                problems.append(error.message)
    return surfaces


def _surface(
    provider: Provider,
    name: str | None,
    api: int | None,
    commands: Iterable[str],
    problems: list[str],
) -> dict[str, Any]:
    document: dict[str, Any] = {} if name is None else {"surface": name}
    document |= {"distribution": provider.distribution, "version": provider.version}
    if api is not None:
        document["api"] = api
    document |= {"commands": list(commands), "health": "failed" if problems else "ok"}
    if problems:
        document["problem"] = one_line("; ".join(problems))
    return document


def _lost_names(discovery: Discovery, owner: str) -> list[str]:
    """Tell which names a distribution wanted and somebody else has."""
    return [
        f"the {group.split('.')[2]} '{provider.entry_point.name.replace('_', ' ')}' "
        f"belongs to {discovery.winners(group)[provider.entry_point.name].distribution}"
        for group in discovery.groups()
        for provider in discovery.all(group)
        if provider.owner == owner
        and provider in discovery.losers(group, provider.entry_point.name)
    ]


def _left_out(discovery: Discovery) -> list[Report]:
    reports = []
    for owner, providers in sorted(discovery.other_versions().items()):
        groups = ", ".join(sorted({p.entry_point.group for p in providers}))
        document = _surface(
            providers[0],
            None,
            None,
            [],
            [
                f"made for another version of the plugin API ({groups}); "
                f"this rpcli speaks {API_VERSION}"
            ],
        )
        document["health"] = "incompatible"
        if not any(p.owner == owner for p in discovery.everything()):
            reports.append(Report((document,), ()))
    for owner, reason in sorted(discovery.broken.items()):
        entry = {"distribution": owner, "version": "unknown", "commands": [], "health": "failed"}
        reports.append(Report(({**entry, "problem": reason},), ()))
    return reports


class _Child:
    """One stranger's distribution, being described in a process of its own."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self._folder = tempfile.TemporaryDirectory(prefix="rpcli-")
        self._answer = Path(self._folder.name) / "report.json"
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "rpcli.core.inspection", owner, str(self._answer)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        )

    def report(self, discovery: Discovery) -> Report:
        """Wait for the answer, and make one where none came."""
        health, problem = "failed", ""
        try:
            status = self._process.wait(TIME_LIMIT)
            problem = f"importing it ended the process with status {status}"
            answer = json.loads(self._answer.read_text(encoding="utf-8"))
            return Report(tuple(answer["surfaces"]), tuple(answer["commands"]))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            health, problem = "timeout", f"importing it took more than {TIME_LIMIT:g} s"
        except (OSError, ValueError, KeyError):
            pass  # the problem is already in words
        finally:
            self._folder.cleanup()
        return self._failed(discovery, health, problem)

    def _failed(self, discovery: Discovery, health: str, problem: str) -> Report:
        mine = [p for p in discovery.all(COMMANDS) if p.owner == self.owner]
        first = next(p for p in discovery.everything() if p.owner == self.owner)
        names = sorted(p.entry_point.name.replace("_", " ") for p in mine)
        surface = {**_surface(first, None, None, names, [problem]), "health": health}
        commands = [
            {
                "name": words,
                "summary": "",
                "distribution": p.distribution,
                "version": p.version,
                "output": "none",
                "formats": [],
                "arguments": [],
                "options": [],
                "health": health,
                "problem": problem,
            }
            for words, p in discovery.commands().items()
            if p.owner == self.owner
        ]
        return Report((surface,), tuple(commands))


def _main(owner: str, answer: str) -> None:
    report = inspect_distribution(Discovery.scan(), owner)
    text = json.dumps({"surfaces": report.surfaces, "commands": report.commands})
    Path(answer).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2])
