"""The application: from words to an exit status, and from every exception to one error object.

Rules: stdout carries the result only; there is at most one error object, and it is the last line of
stderr; a traceback appears under ``--debug`` alone.
"""

from __future__ import annotations

import argparse
import traceback
from collections.abc import Collection, Sequence
from typing import Any

from cliff.app import App
from cliff.commandmanager import CommandManager

from rpcli import __version__
from rpcli.argv import Found, cut, find_command, requested_format
from rpcli.command import Command, command_class
from rpcli.context import Context, GlobalOptions
from rpcli.discovery import COMMANDS, Discovery, load
from rpcli.errors import InternalError, PluginError, RpcliError
from rpcli.formatting import MACHINE_FORMATS
from rpcli.log import Log
from rpcli.output import PipeClosed
from rpcli.parser import HelpRequested, Parser, add_global_options
from rpcli.terminal import one_line, printable, shorten

#: Characters of an error that are told: what was typed may be of any length.
LONGEST_MESSAGE = 2000
DESCRIPTION = "What is running on RunPod, why it is not ready, how to get in, what it is saying."


class Commands(CommandManager):
    """cliff's manager over what :class:`Discovery` found: exact words, loaded when they are run."""

    def __init__(self, discovery: Discovery) -> None:
        self.discovery = discovery
        super().__init__(COMMANDS)

    def _load_commands(self) -> None:
        self.group_list.append(COMMANDS)
        self.commands.update(
            {words: provider.entry_point for words, provider in self.discovery.commands().items()}
        )

    def add_command(self, name: str, command_class: Any) -> None:
        """Ignore cliff's own help and complete: both are entry points here like all others."""

    def load(self, words: str) -> type[Command]:
        """Import the one command that was asked for.

        :raises PluginError: it cannot be imported, or is no command of ours
        """
        provider = self.discovery.commands()[words]
        return command_class(load(provider), provider)


class Shell(App):
    """rpcli itself."""

    NAME = "rpcli"

    def __init__(self, context: Context, log: Log) -> None:
        self.context = context
        self.log = log
        super().__init__(DESCRIPTION, __version__, Commands(context.discovery))
        self.machine_errors = False

    def build_option_parser(
        self,
        description: str | None,
        version: str | None,
        argparse_kwargs: dict[str, Any] | None = None,
    ) -> argparse.ArgumentParser:
        """Make the parser of what may stand before a command."""
        parser = Parser("rpcli", description=description or "")
        add_global_options(parser, shown=True)
        return parser

    def run(self, argv: list[str]) -> int:
        """Run one command line and give its exit status."""
        self.machine_errors = self._machine_before_parsing(argv)
        debug = "--debug" in cut(argv)[0]
        try:
            status = self.run_subcommand(argv)
            self.context.stdout.flush()
        except HelpRequested as asked:
            return self._show(asked.text)
        except PipeClosed:
            return 141
        except RpcliError as error:
            return self.fail(error, debug)
        except Exception as error:  # noqa: BLE001 - the last place that could tell it
            return self.fail(_bug(error), debug, cause=error)
        return status

    def _show(self, text: str) -> int:
        try:
            self.context.stdout.machine = False
            self.context.stdout.require()
            self.context.stdout.write(text)
            self.context.stdout.flush()
        except PipeClosed:
            return 141
        except RpcliError as error:
            return self.fail(error, debug=False)
        return 0

    def run_subcommand(self, argv: list[str]) -> int:
        """Find the command, load it and nothing else, and run it."""
        line, tail = cut(argv)
        manager: Commands = self.command_manager  # type: ignore[assignment]
        found = find_command(line, manager.commands)
        if found.command is None:
            return self._no_command(found, line, tail, manager.commands)
        command = manager.load(found.command)(self, None, found.command)
        try:
            args = command.parse(found.rest, tail)
        except argparse.ArgumentError as error:
            raise PluginError(
                f"the command '{found.command}' "
                f"({manager.discovery.commands()[found.command]}) has an option twice: {error}"
            ) from error
        self.machine_errors = self._machine_after_parsing(command, args)
        self._note_rivals(found.command)  # only now is it known whether notes are wanted
        return command.run(args)

    def begin(self, args: argparse.Namespace) -> None:
        """Let the global options take effect."""
        self.context.options = GlobalOptions(
            api=args.api,
            sandbox=args.sandbox,
            scenario=args.scenario,
            verbose=args.verbose,
            quiet=args.quiet,
            log_file=args.log_file,
            debug=args.debug,
        )
        self.log.configure(
            verbose=args.verbose > 0,
            debug=args.debug,
            file=args.log_file,
            stderr=self.context.stderr,
        )

    def _note_rivals(self, words: str) -> None:
        losers = self.context.discovery.losers(COMMANDS, words.replace(" ", "_"))
        if losers:
            winner = self.context.discovery.commands()[words].distribution
            named = ", ".join(sorted({p.distribution for p in losers}))
            self.context.note(f"'{words}' of {named} is left out: the name belongs to {winner}")

    def _no_command(
        self,
        found: Found,
        line: Sequence[str],
        tail: Sequence[str] | None,
        names: Collection[str],
    ) -> int:
        from rpcli.core.overview import group_help, root_help, unknown_command

        group = " ".join(found.typed)
        if found.typed and any(name.startswith(f"{group} ") for name in names):
            rest = [t for t in line if t not in (*found.typed, "-h", "--help")]
            self.begin(Parser(f"rpcli {group}").and_global_options().parse_line(rest, tail))
            raise HelpRequested(group_help(self.context.discovery, group))
        if not found.typed:
            if any(token in ("-h", "--help") for token in line) or not line:
                raise HelpRequested(root_help(self.context.discovery, self.parser))
            self.parser.parse_line(line, tail)  # type: ignore[attr-defined]
            raise HelpRequested(root_help(self.context.discovery, self.parser))
        raise unknown_command(found.typed, names)

    def _machine_before_parsing(self, argv: Sequence[str]) -> bool:
        """Whether errors are JSON: by the words, then the environment, then the terminal."""
        known = {n for kind in ("list", "show", "stream") for n in self._formats(kind)}
        for word in (requested_format(cut(argv)[0]), self.context.env.get("RPCLI_FORMAT")):
            if word and word in known:
                return word in MACHINE_FORMATS
        return not self.context.stdout.isatty()

    def _formats(self, kind: str) -> Collection[str]:
        return self.context.discovery.formatters(kind)

    def _machine_after_parsing(self, command: Command, args: argparse.Namespace) -> bool:
        name = getattr(args, "format", None)
        if not isinstance(name, str) or not hasattr(args, "formatter"):
            return self.machine_errors
        return name in MACHINE_FORMATS or not (command.ctx.human or name == "shell")

    def fail(self, error: RpcliError, debug: bool, cause: BaseException | None = None) -> int:
        """Tell an error on stderr, once, and give its exit status."""
        stderr = self.context.stderr
        self.log.end()
        error.message = shorten(error.message, LONGEST_MESSAGE)
        error.id = error.id and shorten(error.id, LONGEST_MESSAGE)
        shown = cause or error
        if debug:
            for line in "".join(traceback.format_exception(shown)).rstrip().splitlines():
                stderr.line(self.log.redact(printable(line)))
        if self.machine_errors:
            import json

            stderr.line(self.log.redact(json.dumps(error.to_document())))
            return error.exit_status
        usage = getattr(error, "usage", None)
        for line in filter(None, (usage or "").splitlines()):
            stderr.line(self.log.redact(printable(line)))
        stderr.line(self.log.redact(f"error: {one_line(error.message)}"))
        if error.hint:
            stderr.line(self.log.redact(f"hint: {one_line(error.hint)}"))
        return error.exit_status


def _bug(error: Exception) -> InternalError:
    return InternalError(
        f"this is a bug of rpcli: {type(error).__name__}: {error}",
        hint="run it again with --debug and report what it prints",
    )
