"""The argument parser of every command: exact option names, and errors as values."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any, NoReturn

from rpcli.errors import UsageError

API_CHOICES = ("v2", "classic")


class HelpRequested(Exception):
    """Somebody asked for help; ``text`` goes to stdout."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class HelpFormatter(argparse.HelpFormatter):
    """argparse's own, in a readable width whatever the terminal says of itself."""

    def __init__(self, prog: str, **options: Any) -> None:
        options.setdefault("width", help_width())
        options.setdefault("max_help_position", 28)
        super().__init__(prog, **options)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Fill each paragraph by itself: argparse would make one of all."""
        paragraphs = text.split("\n\n")
        return "\n\n".join(
            super(HelpFormatter, self)._fill_text(p, width, indent) for p in paragraphs
        )


def help_width() -> int:
    """Columns for help: those of the terminal, between 40 and 100."""
    try:
        columns = int(os.environ.get("COLUMNS", "") or os.get_terminal_size().columns)
    except (OSError, ValueError):
        columns = 80
    return max(40, min(columns or 80, 100))


class Parser(argparse.ArgumentParser):
    """No abbreviations, no pager, no exit of its own; a doubled option is an error."""

    def __init__(self, prog: str, description: str = "", epilog: str | None = None) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=HelpFormatter,
            allow_abbrev=False,
            conflict_handler="error",
            add_help=False,
        )
        self.add_argument("-h", "--help", action=_Help, nargs=0, help="show this help and exit")

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would have printed.

        :raises UsageError: always
        """
        raise UsageError(
            message, usage=self.format_usage().strip(), hint=f"see '{self.prog} --help'"
        )

    def and_global_options(self) -> Parser:
        """Take what every command takes, too."""
        add_global_options(self, shown=False)
        return self

    def parse_line(self, argv: Sequence[str], tail: Sequence[str] | None) -> argparse.Namespace:
        """Parse the words before ``--``, and take what is behind it for positional arguments."""
        return self.parse_args([*argv] if tail is None else [*argv, "--", *tail])


class _Help(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        raise HelpRequested(parser.format_help())


def add_global_options(parser: argparse.ArgumentParser, *, shown: bool) -> None:
    """Add what every command takes; commands do not repeat it in their help."""
    group = parser.add_argument_group("global options")

    def add(*flags: str, help: str, **how: Any) -> None:
        group.add_argument(*flags, help=help if shown else argparse.SUPPRESS, **how)

    add("--api", choices=API_CHOICES, help="the control plane: v2 (default) or classic")
    add("--sandbox", action="store_true", help="run against a RunPod of its own, on loopback")
    add("--scenario", metavar="NAME|FILE", help="what the sandbox plays (default: demo)")
    add("-v", "--verbose", action="count", default=0, help="tell of each request on stderr")
    add("-q", "--quiet", action="store_true", help="no notes on stderr, errors only")
    add("--log-file", metavar="FILE", help="write the log of this run to a file")
    add("--debug", action="store_true", help="show tracebacks and each request")
    add("--version", action=_Version, nargs=0, help="show the version and exit")


class _Version(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        from rpcli import __version__

        raise HelpRequested(f"rpcli {__version__}\n")
