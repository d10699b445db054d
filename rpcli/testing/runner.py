"""Run the real command in a process of its own, in an environment that is the same everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from rpcli.testing.result import Result

#: What a process needs of this machine to start at all; nothing else is inherited.
_INHERITED = (
    "PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONUTF8",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "TMPDIR",
    "COVERAGE_PROCESS_START",
)


class Runner:
    """Runs ``python -m rpcli`` with a home, a working folder and an environment of its own.

    No key, no variable of rpcli or RunPod and no configuration of this machine is inherited, and
    ``RPCLI_CONTRACT=enforce`` holds every document to its schema. Call it::

        result = rpcli_run("pod", "list", "-f", "json", env={"TZ": "UTC"}, stdin="", timeout=10)

    :param folder: an empty folder for the home (``home``) and the working folder (``work``)
    :param variables: what is added to the environment of every run, as those of a sandbox
    """

    def __init__(self, folder: Path, variables: Mapping[str, str] | None = None) -> None:
        self.home = folder / "home"
        self.cwd = folder / "work"
        self.variables = dict(variables or {})
        for made in (self.home, self.cwd):
            made.mkdir(parents=True, exist_ok=True)

    def command(self, *argv: str) -> list[str]:
        """Give what to execute, for tests that drive the process themselves."""
        # -P: a file in the working folder must not stand in for a module.
        return [sys.executable, "-P", "-m", "rpcli", *argv]

    def environment(self, env: Mapping[str, str | None] | None = None) -> dict[str, str]:
        """Give the environment of a run.

        :param env: what differs from the clean environment; None as a value leaves a variable out
        """
        clean = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        clean |= {
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_DATA_HOME": str(self.home / ".local" / "share"),
            "XDG_STATE_HOME": str(self.home / ".local" / "state"),
            "LC_ALL": "C.UTF-8",
            "RPCLI_CONTRACT": "enforce",
        }
        merged: dict[str, str | None] = {**clean, **self.variables, **(env or {})}
        return {name: value for name, value in merged.items() if value is not None}

    def __call__(
        self,
        *argv: str,
        env: Mapping[str, str | None] | None = None,
        stdin: str | bytes | None = None,
        timeout: float = 60.0,
    ) -> Result:
        """Run one command line to its end.

        :param env: what differs from the clean environment; None as a value leaves a variable out
        :param stdin: what the command can read; None: nothing, as under cron
        :param timeout: seconds after which the process is killed
        :raises subprocess.TimeoutExpired: it did not end in time
        """
        done = subprocess.run(  # noqa: S603 - our own interpreter and module
            self.command(*argv),
            env=self.environment(env),
            cwd=self.cwd,
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        return Result(argv, done.returncode, done.stdout, done.stderr)
