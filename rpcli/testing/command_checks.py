"""Checks of a command that is not run. Each gives a text for each thing that is wrong."""

# ruff: noqa: ARG001 - every check has the same signature
from __future__ import annotations

import argparse
import ast
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from rpcli.testing.subjects import CommandSubject, Workbench

#: What a plugin may import of rpcli; everything else may change without notice.
DOORS = ("rpcli.plugin", "rpcli.testing")

_PROBE = """
import importlib, sys, threading
before = set(threading.enumerate())
importlib.import_module(sys.argv[1])
started = [thread.name for thread in threading.enumerate() if thread not in before]
sys.exit(f"it starts the threads {started}" if started else 0)
"""


def name_is_not_taken(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """The name is this distribution's alone."""
    winner = subject.discovery.commands()[subject.words]
    if winner != subject.provider:
        yield f"the name belongs to {winner.distribution}"


def one_surface_claims_it(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """Exactly one surface claims the command, of its own distribution."""
    from rpcli.discovery import SURFACES, load_surface
    from rpcli.errors import PluginError

    claims = []
    for provider in subject.discovery.all(SURFACES):
        try:
            claimed = subject.words in load_surface(provider).commands
        except PluginError:
            continue  # a descriptor that does not load fails its own check
        if claimed:
            claims.append(f"{provider.entry_point.name} ({provider.distribution})")
    if not claims:
        yield "no surface claims it"
    elif len(claims) > 1:
        yield f"several surfaces claim it: {', '.join(claims)}"


def output_fits_its_base(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """A list is a ListCommand, and so on: the surface and the class say the same."""
    from rpcli.command import ActionCommand, ListCommand, ShowCommand
    from rpcli.streamcommand import StreamCommand

    bases: dict[str, type] = {"list": ListCommand, "show": ShowCommand, "stream": StreamCommand}
    base = bases.get(subject.spec.output, ActionCommand)
    if not issubclass(subject.load(), base):
        yield f"its output is '{subject.spec.output}', and its class is no {base.__name__}"


def schema_is_sound(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """There is a schema; it is valid 2020-12 and keeps the authoring rules, examples included."""
    from rpcli.testing.documents import schema_problems

    if not subject.prints_documents:
        if subject.spec.schema:
            yield f"its output is '{subject.spec.output}', and a schema is named"
    elif not subject.spec.schema:
        yield "it prints documents and has no schema"
    else:
        yield from schema_problems(subject.surface, subject.words)


def columns_match_the_schema(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """The columns are the properties of a document: none that it lacks, none left out."""
    from rpcli.testing.documents import properties

    if not subject.prints_documents or not subject.spec.schema:
        return
    columns = getattr(subject.load(), "columns", ())
    known = properties(subject.surface, subject.words)
    if len(columns) != len(set(columns)):
        yield "a column is named twice"
    if extra := sorted(set(columns) - known):
        yield f"columns that the schema lacks: {', '.join(extra)}"
    if missing := sorted(known - set(columns)):
        yield f"properties that are no column: {', '.join(missing)}"


def it_is_described(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """The class has a docstring, which is its help, and the surface a summary of one line."""
    if not (vars(subject.load()).get("__doc__") or "").strip():
        yield "its class has no docstring"
    summary = subject.spec.summary
    if not summary.strip() or len(summary.splitlines()) != 1:
        yield "its summary is not one line"


def parser_builds(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """No option is defined twice, with any formatter; nothing can be abbreviated."""
    from rpcli.formatting import load_formatter

    try:
        if subject.parser().allow_abbrev:
            yield "its parser takes abbreviations"
        if subject.prints_documents:
            kind = subject.spec.output
            for name in subject.discovery.formatters(kind):
                formatter, _ = load_formatter(subject.discovery, kind, name)
                formatter.add_argument_group(subject.parser())
    except argparse.ArgumentError as error:
        yield str(error)


def every_argument_has_help(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """Each argument and option says what it is for."""
    for action in subject.parser()._actions:
        if not action.help:
            yield f"{' '.join(action.option_strings) or action.dest} has no help"


def importing_it_is_quiet(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """To import the command's module prints nothing and starts no thread."""
    runner = bench.runner()
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-P", "-c", _PROBE, subject.provider.entry_point.module],
        env=runner.environment(),
        cwd=runner.cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    for stream, data in (("stdout", done.stdout), ("stderr", done.stderr)):
        if data:
            yield f"importing it writes to {stream}: {data[:200].decode(errors='replace')!r}"
    if done.returncode and not done.stderr:
        yield f"importing it ends the process with status {done.returncode}"


def it_uses_the_public_api(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """The modules of its package import of rpcli what is public, and nothing else."""
    package = subject.provider.entry_point.module.partition(".")[0]
    if package == "rpcli":
        return  # the core's own commands stand behind the door
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        yield f"there is no source of '{package}' to read"
        return
    origin = Path(spec.origin)
    files = [origin] if spec.submodule_search_locations is None else origin.parent.rglob("*.py")
    for file in sorted(files):
        for name in _imports(ast.parse(file.read_bytes())):
            if name.partition(".")[0] == "rpcli" and not name.startswith(DOORS):
                yield f"{file.name} imports {name}"


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module == "rpcli":
                yield from (f"rpcli.{alias.name}" for alias in node.names)
            else:
                yield node.module


CHECKS = (
    name_is_not_taken,
    one_surface_claims_it,
    output_fits_its_base,
    schema_is_sound,
    columns_match_the_schema,
    it_is_described,
    parser_builds,
    every_argument_has_help,
    importing_it_is_quiet,
    it_uses_the_public_api,
)
