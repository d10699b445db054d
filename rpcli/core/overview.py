"""The texts of help that list commands: they load descriptors, and no command."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Collection, Sequence

from rpcli.discovery import SURFACES, Discovery, Provider, load_surface
from rpcli.errors import PluginError, UsageError
from rpcli.surface import Surface
from rpcli.terminal import one_line

#: Seconds that the descriptors of strangers may take together before help does without them.
PATIENCE = 1.0
OTHER = "Other commands"


def root_help(discovery: Discovery, parser: argparse.ArgumentParser) -> str:
    """Give what ``rpcli --help`` prints."""
    surfaces = surfaces_for_help(discovery)
    parts = [
        "usage: rpcli [global options] <command> [options]",
        str(parser.description),
        *_sections(discovery, surfaces, ""),
        _global_options(parser),
        "Help for one command: 'rpcli help <command>'. For machines: 'rpcli commands -f json'.",
    ]
    return "\n\n".join(parts) + "\n"


def group_help(discovery: Discovery, group: str) -> str:
    """Give what ``rpcli pod`` prints: the commands that begin so."""
    surfaces = surfaces_for_help(discovery)
    parts = [
        f"usage: rpcli {group} <command> [options]",
        *_sections(discovery, surfaces, f"{group} "),
        f"Help for one command: 'rpcli help {group} <command>'.",
    ]
    return "\n\n".join(parts) + "\n"


def surfaces_for_help(discovery: Discovery) -> list[tuple[Provider, Surface]]:
    """Load descriptors; one of a stranger that fails, or is slow, is left out."""
    found = [(p, load_surface(p)) for p in discovery.all(SURFACES) if p.builtin]
    foreign = [p for p in discovery.all(SURFACES) if not p.builtin]
    loaded: dict[int, Surface] = {}

    def load_foreign() -> None:
        for n, provider in enumerate(foreign):
            try:
                loaded[n] = load_surface(provider)
            except PluginError:
                continue  # 'rpcli plugin list' tells of it; help is no place for that

    if foreign:
        # A daemon: an import that never ends must not keep help, or the process, from ending.
        thread = threading.Thread(target=load_foreign, daemon=True)
        thread.start()
        thread.join(PATIENCE)
    return [*found, *((foreign[n], surface) for n, surface in sorted(loaded.items()))]


def _sections(
    discovery: Discovery, surfaces: list[tuple[Provider, Surface]], beginning: str
) -> list[str]:
    commands = {w: p for w, p in discovery.commands().items() if w.startswith(beginning)}
    width = max((len(words) for words in commands), default=0)
    sections: dict[str, list[str]] = {}
    told: set[str] = set()
    ordered = sorted(surfaces, key=lambda s: (not s[0].builtin, s[1].name == "core", s[1].name))
    for provider, surface in ordered:
        heading = one_line(surface.summary or surface.name)
        for words in sorted(surface.commands):
            if words in commands and commands[words].owner == provider.owner:
                told.add(words)
                line = _line(words, surface.commands[words].summary, provider, width)
                sections.setdefault(heading, []).append(line)
    for words in sorted(commands.keys() - told):
        sections.setdefault(OTHER, []).append(_line(words, "", commands[words], width))
    return ["\n".join([f"{heading}:", *lines]) for heading, lines in sections.items()]


def _line(words: str, summary: str, provider: Provider, width: int) -> str:
    origin = "" if provider.builtin else f" ({provider.distribution})"
    return f"  {words:<{width}}  {one_line(summary + origin)}".rstrip()


def _global_options(parser: argparse.ArgumentParser) -> str:
    text = parser.format_help()
    _, _, options = text.partition("global options:\n")
    return "Global options, anywhere before '--':\n" + options.rstrip("\n")


def unknown_command(typed: Sequence[str], names: Collection[str]) -> UsageError:
    """Make the error for words that are no command, with the nearest that are."""
    from difflib import get_close_matches

    words = " ".join(typed)
    near = get_close_matches(words, sorted(names), n=3, cutoff=0.6)
    groups = get_close_matches(typed[0], {name.split()[0] for name in names}, n=1, cutoff=0.5)
    family = [name for name in sorted(names) if name.split()[0] in groups]
    nearest = near or family[:5]
    hint = (
        f"did you mean {', '.join(repr(n) for n in nearest)}?" if nearest else "see 'rpcli --help'"
    )
    return UsageError(f"unknown command '{words}'", hint=hint)
