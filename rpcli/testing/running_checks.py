"""Checks of a command that is run, as a process of its own, on a sandbox.

Each gives a text for each thing that is wrong.
"""

# ruff: noqa: ARG001 - every check has the same signature
from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rpcli.testing.result import Result
from rpcli.testing.runner import Runner
from rpcli.testing.subjects import CommandSubject, Workbench

#: Seconds that one run may take.
PATIENCE = 60.0
#: Places where a command must print the same document: the poorest terminal, far from UTC.
_ODD: Mapping[str, str] = {
    "LC_ALL": "C",
    "PYTHONIOENCODING": "ascii",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
    "TZ": "Pacific/Kiritimati",
    "TERM": "dumb",
    "COLUMNS": "1",
}


def unknown_words_are_usage_errors(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """A flag, format or field that there is not: exit status 2, no request, nothing on stdout."""
    wrong: list[tuple[str, ...]] = [("--no-such-flag",)]
    if subject.prints_documents:
        wrong += [("-f", "no-such-format"), ("-f", "json", "-c", "no-such-field")]
    with _sandboxed(subject, bench) as (runner, requests):
        for words in wrong:
            result = runner(*subject.argv, *words, timeout=PATIENCE)
            if result.status != 2 or (result.error or {}).get("code") != "usage_error":
                yield f"{' '.join(words)} is no usage_error with exit status 2\n{result}"
            yield from _impure(result)
        if made := requests():
            yield f"{made} requests were made before the words were checked"


def help_needs_no_account(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """Help is there without a key, on stdout, both ways of asking."""
    words = subject.words.split()
    runner = bench.runner()
    for argv in (("help", *words), (*words, "--help")):
        result = runner(*argv, timeout=PATIENCE)
        if result.status or not result.stdout.startswith("usage: ") or result.stderr:
            yield f"no help\n{result}"


def arguments_are_given(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """A command that needs arguments was given some to be checked with."""
    required = [a for a in subject.parser()._actions if a.required]
    if subject.prints_documents and required and subject.invocation is None:
        names = ", ".join(str(action.metavar or action.dest) for action in required)
        yield f"it needs {names}: give the suite invocations={{{subject.words!r}: [...]}}"


def document_fits_the_schema(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """Without a terminal and without ``-f`` stdout is the document, in both views of its schema."""
    if subject.prints_documents:
        with _sandboxed(subject, bench) as (runner, _):
            yield from _unfit(subject, runner(*subject.argv, timeout=PATIENCE))


def surroundings_change_nothing(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """The document is the same kind of document in an ASCII locale, far from UTC."""
    if subject.prints_documents:
        with _sandboxed(subject, bench) as (runner, _):
            result = runner(*subject.argv, "-f", "json", env=_ODD, timeout=PATIENCE)
            yield from _unfit(subject, result)


def every_format_prints(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """Each format that there is for its kind works, and writes to stdout alone."""
    if not subject.prints_documents:
        return
    for name in subject.discovery.formatters(subject.spec.output):
        with _sandboxed(subject, bench) as (runner, _):
            result = runner(*subject.argv, "-f", name, timeout=PATIENCE)
            if result.status:
                yield f"-f {name} fails\n{result}"
            yield from _impure(result)


def closed_pipe_is_silent(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """Whoever read stdout has gone: exit status 141, and nothing is said."""
    if not subject.prints_documents:
        return
    with _sandboxed(subject, bench) as (runner, _):
        read, write = os.pipe()
        os.close(read)
        try:
            done = subprocess.run(  # noqa: S603 - our own interpreter and module
                runner.command(*subject.argv),
                env=runner.environment(),
                cwd=runner.cwd,
                stdin=subprocess.DEVNULL,
                stdout=write,
                stderr=subprocess.PIPE,
                timeout=PATIENCE,
                check=False,
            )
        finally:
            os.close(write)
        result = Result(subject.argv, done.returncode, b"", done.stderr)
        silent = not [line for line in result.stderr.splitlines() if not line.startswith("rpcli: ")]
        # A stream that has no record never writes, and so never learns of it.
        expected = (0, 141) if subject.spec.output == "stream" else (141,)
        if result.status not in expected or not silent:
            yield f"a closed pipe is not silent, or not exit status 141\n{result}"


def failure_is_one_error_object(subject: CommandSubject, bench: Workbench) -> Iterator[str]:
    """Without a key it works, or fails with one error object and nothing on stdout."""
    from rpcli.testing.documents import violations

    if not subject.prints_documents:
        return
    result = bench.runner()(*subject.argv, "-f", "json", timeout=PATIENCE)
    if result.status:
        if result.error is None:
            yield f"its failure is no error object on the last line of stderr\n{result}"
        else:
            yield from violations("core.error", result.error)
        if result.stdout_bytes:
            yield f"it fails, and stdout is not empty\n{result}"
    yield from _impure(result)


@contextmanager
def _sandboxed(
    subject: CommandSubject, bench: Workbench
) -> Iterator[tuple[Runner, Callable[[], int]]]:
    """Give a runner on a sandbox of its own, and the count of the requests that came."""
    from rpcli.sandbox import Sandbox

    with Sandbox(subject.scenario) as sandbox:
        yield bench.runner(sandbox.environment()), lambda: len(sandbox.requests())


def _unfit(subject: CommandSubject, result: Result) -> Iterator[str]:
    """Say what keeps a run from being a success whose stdout is the document."""
    from rpcli.testing.documents import document_violations

    yield from _impure(result)
    if result.status:
        yield f"it does not succeed\n{result}"
    else:
        documents = result.lines if subject.spec.output == "stream" else [result.json]
        for document in documents:
            yield from document_violations(subject.surface, subject.words, document)


def _impure(result: Result) -> Iterator[str]:
    """Say what is on a stream and does not belong there."""
    if b"\x1b" in result.stdout_bytes + result.stderr_bytes:
        yield f"there are escape sequences where there is no terminal\n{result}"
    lines = result.stderr.splitlines()
    if result.error is not None:
        lines.pop()
    stray = [line for line in lines if not line.startswith("rpcli: ")]
    if stray:
        yield f"stderr has lines that are neither notes nor the error object\n{result}"


CHECKS = (
    unknown_words_are_usage_errors,
    help_needs_no_account,
    arguments_are_given,
    document_fits_the_schema,
    surroundings_change_nothing,
    every_format_prints,
    closed_pipe_is_silent,
    failure_is_one_error_object,
)
