"""Choose the format of a command's output, and load its formatter. Choosing is pure."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from rpcli.errors import ConfigError, PluginError, UsageError

if TYPE_CHECKING:
    from rpcli.discovery import Discovery, Provider

#: Under these an error is one JSON object on stderr.
MACHINE_FORMATS = frozenset(("json", "yaml", "csv", "value"))
KINDS = ("list", "show", "stream")


def choose_format(
    asked: str | None,
    configured: tuple[str, str] | None,
    names: Collection[str],
    everywhere: Collection[str],
    default: str,
) -> str:
    """Choose a format.

    :param asked: the word of ``-f`` or ``-o``
    :param configured: a word from the environment or the file, and where it stands
    :param names: the formats of this kind of command
    :param everywhere: the formats of every kind: a word among them is no mistake
    :raises UsageError: the flag's word is not among ``names``
    :raises ConfigError: the configured word is not among ``everywhere``
    """
    if asked is not None:
        if asked not in names:
            raise UsageError(f"unknown format '{asked}': choose from {', '.join(sorted(names))}")
        return asked
    if configured is not None:
        word, origin = configured
        if word not in everywhere:
            raise ConfigError(
                f"unknown format '{word}' in {origin}: choose from {', '.join(sorted(everywhere))}"
            )
        if word in names:
            return word
    return default


def load_formatter(discovery: Discovery, kind: str, name: str) -> tuple[Any, Provider]:
    """Make the formatter of a name.

    :raises PluginError: it cannot be loaded or made
    """
    from rpcli.discovery import load

    provider = discovery.formatters(kind)[name]
    factory = load(provider)
    try:
        return factory(), provider
    except Exception as error:
        raise PluginError(
            f"the formatter '{name}' ({provider}) cannot be made: {type(error).__name__}: {error}"
        ) from error


def add_width_options(parser: argparse.ArgumentParser) -> None:
    """Add what cliff's table formatter takes, where a formatter has not done so itself."""
    group = parser.add_argument_group("table")

    def add(flag: str, **how: Any) -> None:
        if flag not in parser._option_string_actions:
            group.add_argument(flag, **how)

    add(
        "--max-width",
        type=int,
        default=0,
        metavar="COLUMNS",
        help="the widest that a table may be; below 1: as wide as the terminal",
    )
    add(
        "--fit-width",
        action="store_true",
        help="fit tables to the terminal; in a pipe, to 80 columns",
    )
    add("--print-empty", action="store_true", help="print the heading of an empty table too")


def is_human(formatter: object, name: str) -> bool:
    """Whether a format is made for people: theirs say so, and the unknown is for machines."""
    human = getattr(formatter, "human", None)
    return human if isinstance(human, bool) else name in ("table", "text")
