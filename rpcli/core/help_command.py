"""``rpcli help``."""

from __future__ import annotations

import argparse

from rpcli.core.overview import group_help, root_help, unknown_command
from rpcli.discovery import load
from rpcli.parser import HelpRequested
from rpcli.plugin import ActionCommand


class Help(ActionCommand):
    """Show help for a command, for a group of commands, or for rpcli."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Take the words of a command."""
        parser.add_argument("command", nargs="*", metavar="WORD", help="the words of a command")

    def take_action(self, options: argparse.Namespace) -> None:
        """Load the one command that help is wanted for, and no other.

        :raises UsageError: there is no such command
        """
        discovery = self.ctx.discovery
        words = " ".join(options.command)
        if not words:
            raise HelpRequested(root_help(discovery, self.app.parser))
        commands = discovery.commands()
        if words in commands:
            command = load(commands[words])(self.app, None, words)
            raise HelpRequested(command.described_parser().format_help())
        if any(name.startswith(f"{words} ") for name in commands):
            raise HelpRequested(group_help(discovery, words))
        raise unknown_command(options.command, commands)
