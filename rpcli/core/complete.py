"""``rpcli complete``: a completion script for the shell."""

from __future__ import annotations

import argparse
import io

from cliff.complete import CompleteBash, CompleteDictionary, CompleteNoCode

from rpcli.core.inspection import inspect_all
from rpcli.plugin import ActionCommand

_SHELLS = {"bash": CompleteBash, "none": CompleteNoCode}


class Complete(ActionCommand):
    """Print a completion script: source <(rpcli complete)."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Take the name to complete for, and the shell."""
        parser.add_argument("--name", default="rpcli", help="the command to complete for")
        parser.add_argument(
            "--shell",
            default="bash",
            choices=sorted(_SHELLS),
            help="bash, or none for the data only",
        )

    def take_action(self, options: argparse.Namespace) -> None:
        """Describe every command that loads; one that does not costs nobody the completion."""
        words = CompleteDictionary()
        for report in inspect_all(self.ctx.discovery):
            for command in report.commands:
                words.add_command(command["name"].split(), _actions(command["options"]))
        script = io.StringIO()
        _SHELLS[options.shell](options.name, script).write(words.get_commands(), words.get_data())
        self.emit(script.getvalue())


def _actions(options: list[dict[str, list[str]]]) -> list[argparse.Action]:
    parser = argparse.ArgumentParser(add_help=False)
    return [parser.add_argument(*option["flags"]) for option in options]
