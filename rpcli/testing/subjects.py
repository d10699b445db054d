"""What the conformance suite looks at: surfaces and commands, with all that belongs to them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rpcli.testing.runner import Runner

if TYPE_CHECKING:
    from rpcli.command import Command
    from rpcli.discovery import Discovery, Provider
    from rpcli.surface import CommandSpec, Surface


@dataclass(frozen=True)
class SurfaceSubject:
    """One entry point of the group of surfaces."""

    discovery: Discovery
    provider: Provider

    def __str__(self) -> str:
        return f"surface {self.provider.entry_point.name}"

    def load(self) -> Surface:
        """Load the descriptor.

        :raises PluginError: it cannot be loaded
        """
        from rpcli.discovery import load_surface

        return load_surface(self.provider)


@dataclass(frozen=True)
class CommandSubject:
    """One command that is installed.

    :param invocation: arguments with which the command succeeds on the scenario; None: not given
    """

    discovery: Discovery
    words: str
    provider: Provider
    scenario: str | Mapping[str, object] = "demo"
    invocation: tuple[str, ...] | None = None

    def __str__(self) -> str:
        return self.words

    @property
    def surface(self) -> Surface:
        """The surface that claims the command.

        :raises PluginError: none does
        """
        return self.discovery.surface_of(self.words)[1]

    @property
    def spec(self) -> CommandSpec:
        """What the surface says of the command."""
        return self.surface.commands[self.words]

    @property
    def prints_documents(self) -> bool:
        """Whether stdout is a document, or documents, of a schema."""
        return self.spec.output in ("list", "show", "stream")

    @property
    def argv(self) -> tuple[str, ...]:
        """The words of the command with arguments that let it succeed."""
        return (*self.words.split(), *(self.invocation or ()))

    def load(self) -> type[Command]:
        """Import the command's class.

        :raises PluginError: it cannot be imported, or is no command
        """
        from rpcli.command import Command
        from rpcli.discovery import load
        from rpcli.errors import PluginError

        factory = load(self.provider)
        if not (isinstance(factory, type) and issubclass(factory, Command)):
            raise PluginError(
                f"{self.provider} is no command: derive it from a base of rpcli.plugin"
            )
        return factory

    def parser(self) -> argparse.ArgumentParser:
        """Build the parser as the command line would.

        :raises argparse.ArgumentError: an option is defined twice
        """
        return self.load()(_Frame(self.discovery), None, self.words).get_parser(
            f"rpcli {self.words}"
        )


class _Frame:
    """As much of the application as building a parser takes: no stream, no environment."""

    def __init__(self, discovery: Discovery) -> None:
        from rpcli.context import Context
        from rpcli.output import Stderr, Stdout
        from rpcli.parser import Parser

        self.context = Context(
            env={}, stdout=Stdout(None), stderr=Stderr(None), discovery=discovery
        )
        self.parser = Parser("rpcli")


@dataclass(frozen=True)
class Workbench:
    """Where checks run commands.

    :param folder: an empty folder
    :param variables: what is added to the environment of every process
    """

    folder: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def runner(self, extra: Mapping[str, str] | None = None) -> Runner:
        """Make a runner with what is added on top."""
        return Runner(self.folder, {**self.variables, **(extra or {})})


def find_subjects(
    distributions: Sequence[str],
    scenario: str | Mapping[str, object],
    invocations: Mapping[str, Sequence[str]],
) -> list[SurfaceSubject | CommandSubject]:
    """List what distributions bring, in a fixed order; nothing of theirs is imported.

    :param distributions: their names; none: everything that is installed
    :raises LookupError: one of them brings nothing, or an invocation is for no command of theirs
    """
    from rpcli.discovery import COMMANDS, SURFACES, Discovery

    discovery = Discovery.scan()
    wanted = {name.lower().replace("-", "_").replace(".", "_") for name in distributions}
    providers = [*discovery.all(SURFACES), *discovery.all(COMMANDS)]
    for name in sorted(wanted - {p.owner for p in providers}):
        raise LookupError(f"no surface and no command of the distribution '{name}' is installed")
    subjects: list[SurfaceSubject | CommandSubject] = [
        SurfaceSubject(discovery, p)
        for p in discovery.all(SURFACES)
        if not wanted or p.owner in wanted
    ]
    for provider in discovery.all(COMMANDS):
        if not wanted or provider.owner in wanted:
            words = provider.entry_point.name.replace("_", " ")
            given = invocations.get(words)
            invocation = None if given is None else tuple(given)
            subjects.append(CommandSubject(discovery, words, provider, scenario, invocation))
    known = {s.words for s in subjects if isinstance(s, CommandSubject)}
    for words in sorted(invocations.keys() - known):
        raise LookupError(f"an invocation is given for '{words}', and there is no such command")
    return subjects
