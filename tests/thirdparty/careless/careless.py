"""A plugin that works, and breaks every rule of the conformance suite that it can."""

import argparse
import sys
import threading

from rpcli.errors import RpcliError
from rpcli.plugin import CommandSpec, ListCommand, ShowCommand, Surface

SURFACE = Surface(
    name="sloppy",
    schemas="careless_schemas",
    commands={
        "careless list": CommandSpec("", "list.v1", "list"),
        "careless show": CommandSpec("Show\nit", "show.v1", "list"),
        "careless gone": CommandSpec("Be gone", output="none"),
    },
)

threading.Thread(target=threading.Event().wait, daemon=True).start()


class List(ListCommand):
    columns = ("id", "extra")

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--silent")
        parser.add_argument("--quote", help="the option of a formatter")

    def take_action(self, options: argparse.Namespace) -> list[dict[str, object]]:
        del options
        sys.stderr.write("\x1b[1mlook\x1b[0m\n")
        return [{"id": "a", "surprise": 1}]


class Show(ShowCommand):
    """Show it."""

    columns = ("id",)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("id", metavar="ID", help="the id")

    def take_action(self, options: argparse.Namespace) -> dict[str, object]:
        raise RpcliError("never")
