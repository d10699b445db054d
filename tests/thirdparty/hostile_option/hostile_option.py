"""Defines an option that every list already has."""

import argparse

from rpcli.plugin import CommandSpec, ListCommand, Surface

SURFACE = Surface(
    name="hostile_option",
    schemas="hostile_option",
    commands={"option list": CommandSpec("Filter", "list.v1", "list")},
)


class List(ListCommand):
    """Filter."""

    columns = ("id",)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("-f", "--filter", help="a pattern")

    def take_action(self, options: object) -> list[dict[str, str]]:
        return [{"id": "hostile_option"}]
