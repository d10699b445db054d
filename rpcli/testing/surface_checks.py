"""Checks of a surface descriptor. Each gives a text for each thing that is wrong."""

# ruff: noqa: ARG001 - every check has the same signature
from __future__ import annotations

from collections.abc import Iterator

from rpcli.testing.subjects import SurfaceSubject, Workbench


def descriptor_fits_its_schema(subject: SurfaceSubject, bench: Workbench) -> Iterator[str]:
    """The descriptor loads and is what ``core.surface`` describes."""
    from rpcli.testing.documents import violations

    yield from violations("core.surface", subject.load().to_document())


def entry_point_has_its_name(subject: SurfaceSubject, bench: Workbench) -> Iterator[str]:
    """The name of the entry point is the surface's own."""
    name, own = subject.provider.entry_point.name, subject.load().name
    if name != own:
        yield f"the entry point is called '{name}' and the surface '{own}'"


def name_is_its_own(subject: SurfaceSubject, bench: Workbench) -> Iterator[str]:
    """No other distribution has a surface of that name: schema references must stay unique."""
    from rpcli.discovery import SURFACES

    mine = subject.provider
    for other in subject.discovery.all(SURFACES):
        if other.entry_point.name == mine.entry_point.name and other != mine:
            yield f"{other.distribution} has a surface of the same name"


def commands_are_installed(subject: SurfaceSubject, bench: Workbench) -> Iterator[str]:
    """Every command that it claims is an entry point of the same distribution."""
    commands = subject.discovery.commands()
    for words in subject.load().commands:
        if words not in commands:
            yield f"it claims '{words}', and no entry point brings that command"
        elif commands[words].owner != subject.provider.owner:
            yield f"it claims '{words}', which belongs to {commands[words].distribution}"


CHECKS = (
    descriptor_fits_its_schema,
    entry_point_has_its_name,
    name_is_its_own,
    commands_are_installed,
)
