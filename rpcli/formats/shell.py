"""Assignments for a POSIX shell: ``eval "$(rpcli … -f shell)"`` sets variables and does no more.

Rules: every value survives ``eval`` unharmed; what is absent or null is set to nothing, so that no
value of the pod before stays behind; what is nested is JSON. A name that means something to a shell
itself (all capitals, as ``PATH`` is, or zsh's own, as ``status`` is) gets a ``_`` at its end.
"""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Sequence
from typing import Any

from rpcli.formats.cells import plain
from rpcli.formats.sink import Sink
from rpcli.terminal import printable

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]")
#: No variable can hold these: NUL ends a string, and half a surrogate pair is no text.
_IMPOSSIBLE = re.compile("[\0\ud800-\udfff]")
#: Names in lower case that are special to zsh or bash: to set one is an error, or has an effect.
_SPECIAL = re.compile(
    "aliases|argv|auto_resume|builtins|cdpath|commands|dirstack|errnos|fignore|fpath|funcstack"
    "|functions|galiases|histchars|history|historywords|jobdirs|jobstates|jobtexts|keymaps"
    "|mailpath|manpath|module_path|modules|nameddirs|options|parameters|patchars|path|pipestatus"
    "|prompt|psvar|reswords|saliases|signals|status|sysparams|termcap|terminfo|userdirs"
    "|usergroups|watch|widgets|zle_bracketed_paste|zsh_eval_context"
)


class ShellFormatter:
    """``name='value'`` lines."""

    human = False

    def add_argument_group(self, parser: argparse.ArgumentParser) -> None:
        """Take cliff's ``--prefix``."""
        parser.add_argument_group("shell").add_argument(
            "--prefix", default="", metavar="TEXT", help="what the names of variables begin with"
        )

    def emit_one(
        self,
        column_names: Sequence[str],
        data: Sequence[Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print an assignment a field."""
        prefix = getattr(parsed_args, "prefix", "")
        for name, value in zip(column_names, data, strict=True):
            text = _IMPOSSIBLE.sub("\ufffd", plain(value))
            if stdout.isatty():
                # eval reads a pipe. What goes to a terminal is looked at.
                text = printable(text)
            stdout.write(f"{_identifier(prefix + name)}={shlex.quote(text)}\n")


def _identifier(name: str) -> str:
    valid = _NOT_IN_NAMES.sub("_", name)
    if not valid or valid[0].isdigit():
        valid = f"_{valid}"
    return f"{valid}_" if valid.isupper() or _SPECIAL.fullmatch(valid) else valid
