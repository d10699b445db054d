"""The base classes of commands: list, show and action; that of streams has its own module.

Rules: ``options`` is pure and ends every usage error before any I/O; ``take_action`` reads, decides
and shapes; documents are plain mappings in which an unknown field is an absent key; only the bases
write to stdout.
"""

from __future__ import annotations

import argparse
import inspect
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rpcli.argv import requested_format
from rpcli.errors import PluginError, UsageError
from rpcli.formatting import (
    KINDS,
    add_width_options,
    choose_format,
    is_human,
    load_formatter,
)
from rpcli.parser import Parser, add_global_options
from rpcli.rows import ABSENT, Rows, sort_documents

if TYPE_CHECKING:
    from rpcli.context import Context

    class CliffCommand:
        """cliff's base as mypy sees it: ``take_action`` is narrowed by every command of ours."""

        app: Any

        def __init__(self, app: Any, app_args: Any, cmd_name: str | None) -> None: ...

else:
    from cliff.command import Command as CliffCommand

Document = Mapping[str, Any]


class Command(CliffCommand):
    """What all commands share: a parser of exact words, options before I/O, and a context."""

    conflict_handler = "error"
    #: Whether what follows ``--`` goes to ``args.passthrough`` instead of the positional arguments.
    passthrough: ClassVar[bool] = False
    ctx: Context
    words: str

    def __init__(self, app: Any, app_args: Any = None, cmd_name: str | None = None) -> None:
        # cliff would import every hook that is registered under the command's name.
        super().__init__(app, app_args, None)
        self.words = cmd_name or ""
        self.ctx = app.context

    def get_parser(self, prog_name: str) -> Parser:
        """Make the parser: the command's own arguments, then those that every command takes."""
        text = inspect.getdoc(type(self)) or ""
        parser = Parser(prog_name, description=text, epilog=self.epilog())
        self.add_arguments(parser)
        add_global_options(parser, shown=False)
        return parser

    def described_parser(self) -> Parser:
        """Make the parser with all that :meth:`parse` would add: for help, and for machines."""
        return self.get_parser(f"rpcli {self.words}")

    def epilog(self) -> str:
        """Close the help."""
        return "Options of every command: see 'rpcli --help'."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own arguments."""

    def options(self, args: argparse.Namespace) -> Any:
        """Make a frozen options object of what was parsed; pure.

        :raises UsageError: whatever is wrong with what was typed
        """
        return args

    def parse(self, argv: Sequence[str], tail: Sequence[str] | None) -> argparse.Namespace:
        """Parse the words of this command.

        :raises UsageError: they do not fit
        """
        args = self.parse_words(self.get_parser(f"rpcli {self.words}"), argv, tail)
        if self.passthrough:
            args.passthrough = None if tail is None else tuple(tail)
        return args

    def parse_words(
        self, parser: Parser, argv: Sequence[str], tail: Sequence[str] | None
    ) -> argparse.Namespace:
        """Parse, and let the global options take effect before anything else reads them."""
        args = parser.parse_line(argv, None if self.passthrough else tail)
        self.app.begin(args)
        return args

    @abstractmethod
    def take_action(self, options: Any) -> Any:
        """Do it."""

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Check the options, act, and give the exit status."""
        return self.take_action(self.options(parsed_args)) or 0


def command_class(factory: object, provider: object) -> type[Command]:
    """Give what an entry point named, where it is a command of ours.

    :raises PluginError: it is something else
    """
    if isinstance(factory, type) and issubclass(factory, Command):
        return factory
    raise PluginError(f"{provider} is no command: derive it from a base of rpcli.plugin")


class ActionCommand(Command):
    """A command whose output is prose, or nothing of ours."""

    def emit(self, text: str) -> None:
        """Write prose to stdout."""
        self.ctx.stdout.write(text)
        self.ctx.stdout.flush()


class DisplayCommand(Command):
    """A command whose output is documents that a schema pins, in the format that was asked for."""

    #: ``list``, ``show`` or ``stream``: which formatters there are.
    kind: ClassVar[str]
    #: The keys of a document, in their order.
    columns: ClassVar[tuple[str, ...]] = ()

    def get_parser(self, prog_name: str) -> Parser:
        """Add ``-f``, ``-o`` and ``-c`` to the command's own arguments."""
        parser = super().get_parser(prog_name)
        names = sorted(self.ctx.discovery.formatters(self.kind))
        group = parser.add_argument_group("output")
        group.add_argument(
            "-f", "--format", metavar="FORMAT", help=f"the output format: {', '.join(names)}"
        )
        group.add_argument("-o", "--output", metavar="FORMAT", help="the same as --format")
        self.add_output_arguments(group)
        return parser

    def described_parser(self) -> Parser:
        """Add the options of tables to the others."""
        parser = super().described_parser()
        add_width_options(parser)
        return parser

    def add_output_arguments(self, group: argparse._ArgumentGroup) -> None:
        """Add what this kind of command knows about its output."""
        group.add_argument(
            "-c",
            "--column",
            action="append",
            default=[],
            metavar="FIELD",
            help="only this field; may be given again",
        )

    def parse(self, argv: Sequence[str], tail: Sequence[str] | None) -> argparse.Namespace:
        """Parse, with the options that the chosen formatter brings."""
        name = requested_format(argv)
        parser = self.get_parser(f"rpcli {self.words}")
        formatter = None
        if name in self.ctx.discovery.formatters(self.kind):
            formatter, _ = load_formatter(self.ctx.discovery, self.kind, name)
            formatter.add_argument_group(parser)
        add_width_options(parser)
        args = self.parse_words(parser, argv, tail)
        args.format = self._chosen(args)
        if formatter is None or args.format != name:
            formatter = self._late_formatter(args)
        args.formatter = formatter
        self.ctx.human = is_human(formatter, args.format)
        self.ctx.stdout.machine = not self.ctx.human
        self.check_columns(args)
        return args

    def _chosen(self, args: argparse.Namespace) -> str:
        if args.format is not None and args.output is not None and args.format != args.output:
            raise UsageError(f"-f {args.format} and -o {args.output} exclude each other")
        discovery = self.ctx.discovery
        asked = args.format if args.format is not None else args.output
        return choose_format(
            asked,
            None if asked is not None else self.ctx.settings.configured_format(),
            discovery.formatters(self.kind),
            {name for kind in KINDS for name in discovery.formatters(kind)},
            self.default_format(),
        )

    def default_format(self) -> str:
        """Give the format where nobody asked for one."""
        return "table" if self.ctx.stdout.isatty() else "json"

    def _late_formatter(self, args: argparse.Namespace) -> Any:
        """Load a formatter that the words did not name, with its options at their defaults."""
        formatter, _ = load_formatter(self.ctx.discovery, self.kind, args.format)
        extra = Parser("rpcli")
        formatter.add_argument_group(extra)
        for key, value in vars(extra.parse_args([])).items():
            if not hasattr(args, key):
                setattr(args, key, value)
        return formatter

    def check_columns(self, args: argparse.Namespace) -> None:
        """Refuse fields that no document of this command has.

        :raises UsageError: and which there are
        """
        self._require_known(getattr(args, "column", []), "-c")

    def _require_known(self, names: Iterable[str], flag: str) -> None:
        for name in names:
            if name not in self.columns:
                raise UsageError(
                    f"{flag} {name}: unknown field; choose from {', '.join(self.columns)}"
                )

    def enforce(self, document: object) -> None:
        """Hold a document to its schema, where that was asked for.

        :raises ContractError: it does not fit
        """
        mode = self.ctx.settings.contract_mode
        if mode == "off":
            return
        from rpcli.contract.enforce import check_output
        from rpcli.errors import ContractError

        _, surface = self.ctx.discovery.surface_of(self.words)
        try:
            check_output(surface, self.words, document)
        except ContractError as error:
            if mode == "enforce":
                raise
            self.ctx.note(f"contract: {error.message}")

    def _known_first(self, documents: Iterable[Document]) -> tuple[str, ...]:
        """Give the declared columns, then whatever else a document brings: nothing is lost."""
        extra = {key: None for d in documents for key in d if key not in self.columns}
        return (*self.columns, *extra)


def _hole(formatter: object) -> object:
    """Give what a formatter finds where a field is absent: cliff's own know None only."""
    return ABSENT if hasattr(formatter, "human") else None


class ListCommand(DisplayCommand):
    """A command that prints an array of documents."""

    kind = "list"
    #: What people are told on stderr where there is nothing to list.
    nothing: ClassVar[str] = "there is nothing to list"

    def add_output_arguments(self, group: argparse._ArgumentGroup) -> None:
        """Add sorting to the choice of columns."""
        super().add_output_arguments(group)
        group.add_argument(
            "--sort-column",
            action="append",
            default=[],
            metavar="FIELD",
            help="sort by this field; may be given again, the first counts most",
        )
        direction = group.add_mutually_exclusive_group()
        direction.add_argument(
            "--sort-ascending", dest="descending", action="store_false", help="smallest first"
        )
        direction.add_argument(
            "--sort-descending", dest="descending", action="store_true", help="largest first"
        )
        group.set_defaults(descending=False)

    def check_columns(self, args: argparse.Namespace) -> None:
        """Refuse unknown fields to show and to sort by."""
        super().check_columns(args)
        self._require_known(args.sort_column, "--sort-column")

    @abstractmethod
    def take_action(self, options: Any) -> Iterable[Document]:
        """Give the documents."""

    def human_row(self, document: Document) -> Mapping[str, object] | None:
        """Give one row for people under its headings; None: the document's own columns."""
        return None

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Read, hold to the contract, sort, and print."""
        options = self.options(parsed_args)
        self.ctx.stdout.require()
        documents: Sequence[Document] = list(self.take_action(options))
        self.enforce(documents)
        if parsed_args.sort_column:
            documents = sort_documents(documents, parsed_args.sort_column, parsed_args.descending)
        self._emit(documents, parsed_args)
        self.ctx.stdout.flush()
        if self.ctx.human and not documents:
            self.ctx.note(self.nothing)
        return 0

    def _emit(self, documents: Sequence[Document], args: argparse.Namespace) -> None:
        columns = tuple(dict.fromkeys(args.column))
        if self.ctx.human and not columns and documents:
            seen = [self.human_row(d) for d in documents]
            shown = [row for row in seen if row is not None]
            if len(shown) == len(documents):
                documents, columns = shown, tuple(shown[0])
        columns = columns or self._known_first(documents)
        rows = Rows(documents, columns, hole=_hole(args.formatter))
        args.formatter.emit_list(columns, rows, self.ctx.stdout, args)


class ShowCommand(DisplayCommand):
    """A command that prints one document."""

    kind = "show"

    @abstractmethod
    def take_action(self, options: Any) -> Document:
        """Give the document."""

    def human_document(self, document: Document) -> Document:
        """Give the document as people should see it."""
        return document

    def exit_status(self, document: Document, options: Any) -> int:
        """Give the exit status that goes with a document."""
        return 0

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Read, hold to the contract, and print."""
        options = self.options(parsed_args)
        self.ctx.stdout.require()
        document = self.take_action(options)
        self.enforce(document)
        shown = self.human_document(document) if self.ctx.human else document
        columns = tuple(dict.fromkeys(parsed_args.column))
        columns = columns or self._known_first([shown])
        rows = Rows([shown], columns, hole=_hole(parsed_args.formatter))
        parsed_args.formatter.emit_one(columns, rows[0], self.ctx.stdout, parsed_args)
        self.ctx.stdout.flush()
        return self.exit_status(document, options)
