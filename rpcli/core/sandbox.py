"""``rpcli sandbox …``: a RunPod control plane on loopback."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass

from rpcli.plugin import ActionCommand, ListCommand, UsageError


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The port to bind; 0 is any that is free."""

    port: int


class Serve(ActionCommand):
    """Run a RunPod control plane on loopback, in the foreground.

    It prints the variables to export. --scenario names what it plays: one that ships, or a file.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Take the port."""
        parser.add_argument(
            "--port", default="0", metavar="N", help="the port on 127.0.0.1 (default: a free one)"
        )

    def options(self, args: argparse.Namespace) -> ServeOptions:
        """Check the port.

        :raises UsageError: it is no port
        """
        text = args.port
        if not (text.isascii() and text.isdigit() and int(text) < 65536):
            raise UsageError(f"--port {text}: a port is a number from 0 to 65535")
        return ServeOptions(int(text))

    def take_action(self, options: ServeOptions) -> None:
        """Serve until a signal ends it."""
        from rpcli.sandbox import Sandbox, serve

        serve(Sandbox(self.ctx.sandbox_name or "demo"), options.port, self._announce)

    def _announce(self, text: str) -> None:
        self.emit(text)


class Scenarios(ListCommand):
    """List the scenarios that ship: use one with --scenario NAME."""

    columns = ("name", "summary")

    def take_action(self, options: object) -> Iterable[dict[str, str]]:
        """Name them; nothing is started."""
        from rpcli.sandbox import scenario_names

        return [{"name": n, "summary": s} for n, s in scenario_names().items()]
