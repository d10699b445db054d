"""What a command is given: lazy factories over everything below it.

Rules: nothing is opened before it is asked for, and :meth:`Context.close` ends all that was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rpcli.clock import Clock
from rpcli.output import Stderr, Stdout
from rpcli.terminal import one_line

if TYPE_CHECKING:
    from rpcli.config import Settings
    from rpcli.controlplane.protocol import ControlPlane
    from rpcli.discovery import Discovery
    from rpcli.sandbox import Sandbox
    from rpcli.sshkeys import LocalKey
    from rpcli.transport import Transport


class GlobalOptions(NamedTuple):
    """The options that every command takes."""

    api: str | None = None
    sandbox: bool = False
    scenario: str | None = None
    verbose: int = 0
    quiet: bool = False
    log_file: str | None = None
    debug: bool = False


class Context:
    """One invocation: its options, environment, streams and clients.

    :param secrets: told of each secret as soon as it is known, so that no trace shows it
    """

    def __init__(
        self,
        *,
        env: Mapping[str, str],
        stdout: Stdout,
        stderr: Stderr,
        discovery: Discovery,
        clock: Clock | None = None,
        trace: Callable[[str], None] | None = None,
        secrets: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.env = env
        self.stdout = stdout
        self.stderr = stderr
        self.discovery = discovery
        self.clock = clock or Clock()
        self.options = GlobalOptions()
        #: Whether the chosen format is for people.
        self.human = stdout.isatty()
        self._trace = trace
        self._secrets = secrets
        self._sandbox: Sandbox | None = None
        self._transport: Transport | None = None

    @cached_property
    def home(self) -> Path:
        """The user's home; it need not exist."""
        try:
            return Path(self.env.get("HOME") or "~").expanduser()
        except RuntimeError:
            # No HOME, and a user that the system does not know: common in containers.
            return Path("/nonexistent")

    @property
    def stdout_is_terminal(self) -> bool:
        """Whether a person looks at stdout."""
        return self.stdout.isatty()

    @property
    def debug(self) -> bool:
        """Whether tracebacks are wanted."""
        return self.options.debug

    def now(self) -> datetime:
        """The time of day, aware, in UTC."""
        return self.clock.now()

    def note(self, text: str) -> None:
        """Tell the person something beside the result: one line on stderr."""
        if not self.options.quiet:
            self.stderr.line(f"rpcli: {one_line(text)}")

    @cached_property
    def settings(self) -> Settings:
        """Where to go and with which key.

        :raises ConfigError: the file or a variable cannot be used
        """
        from rpcli.config import load_settings

        settings = load_settings(self.env, self.home, api=self.options.api)
        if self.sandbox_name is None:
            return settings
        return settings.sandboxed(self._start_sandbox(self.sandbox_name))

    @property
    def sandbox_name(self) -> str | None:
        """The scenario that the command runs against; None for the real platform."""
        if self.options.scenario:
            return self.options.scenario
        if self.options.sandbox:
            return "demo"
        named = self.env.get("RPCLI_SANDBOX", "").strip()
        return "demo" if named in ("1", "true") else named or None

    def _start_sandbox(self, scenario: str) -> Mapping[str, str]:
        from rpcli.sandbox import Sandbox

        self._sandbox = Sandbox(scenario)
        self._sandbox.start()
        return self._sandbox.environment()

    @cached_property
    def transport(self) -> Transport:
        """The one HTTP session of this invocation."""
        from rpcli.transport import Transport

        self._secrets(self.settings.api_key().value)
        self._transport = Transport(self.settings, self.clock, trace=self._trace)
        return self._transport

    @cached_property
    def plane(self) -> ControlPlane:
        """The control plane that was chosen."""
        from rpcli.controlplane import open_plane

        return open_plane(self.settings, self.transport, now=self.now, note=self.note)

    def local_key(self, account_keys: tuple[str, ...] | None = None) -> LocalKey:
        """Look for the ssh key of this machine, one that the account knows first."""
        from rpcli.sshkeys import find_local_key

        return find_local_key(self.home, account_keys)

    def close(self) -> None:
        """End the session and the sandbox, where there are any."""
        if self._transport is not None:
            self._transport.close()
        if self._sandbox is not None:
            self._sandbox.stop()
