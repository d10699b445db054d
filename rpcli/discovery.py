"""Find commands, surfaces and formatters in the installed metadata, and load the one asked for.

Rules: listing imports nothing and trusts no cache; a built-in name cannot be taken over (rpcli's
own distribution wins, then alphabetical order); what a plugin does at import stays its trouble.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from stevedore import ExtensionManager

from rpcli.errors import PluginError
from rpcli.surface import API_VERSION, Surface

PREFIX = "rpcli.v"
COMMANDS = f"rpcli.v{API_VERSION}.command"
SURFACES = f"rpcli.v{API_VERSION}.surface"
FORMATTERS = f"rpcli.v{API_VERSION}.formatter"
#: The distribution whose names nobody takes over.
OWN = "rpcli"


class Provider(NamedTuple):
    """One entry point, and the distribution that brings it; nothing of it is imported."""

    entry_point: importlib.metadata.EntryPoint
    dist: importlib.metadata.Distribution
    owner: str  #: the distribution's name, normalised

    @property
    def builtin(self) -> bool:
        """Whether rpcli itself brings it."""
        return self.owner == OWN

    @property
    def distribution(self) -> str:
        """The distribution's name as it writes it."""
        return _metadata(self.dist, "Name") or self.owner

    @property
    def version(self) -> str:
        """The distribution's version, ``unknown`` where its metadata does not say."""
        return _metadata(self.dist, "Version") or "unknown"

    def __str__(self) -> str:
        return f"{self.entry_point.value} of {self.distribution}"


class Discovery:
    """What is installed, by group and name; each name has one winner and perhaps some losers."""

    def __init__(
        self, providers: Iterable[Provider], broken: Mapping[str, str] | None = None
    ) -> None:
        self._groups: dict[str, dict[str, list[Provider]]] = {}
        for provider in providers:
            names = self._groups.setdefault(provider.entry_point.group, {})
            names.setdefault(provider.entry_point.name, []).append(provider)
        for names in self._groups.values():
            for rivals in names.values():
                rivals.sort(key=lambda p: (not p.builtin, p.owner, p.entry_point.value))
        #: Distributions whose entry points cannot be read, with the reason: known once all are.
        self.broken = dict(broken or {})

    @classmethod
    def scan(cls) -> Discovery:
        """Read the metadata of everything that is installed; nothing is imported."""
        broken: dict[str, str] = {}
        return cls(_scan(broken), broken)

    def winners(self, group: str) -> dict[str, Provider]:
        """Give the provider of each name of a group, in alphabetical order."""
        return {name: self._groups[group][name][0] for name in sorted(self._groups.get(group, {}))}

    def losers(self, group: str, name: str) -> list[Provider]:
        """Give those who wanted a name that somebody else has."""
        return self._groups.get(group, {}).get(name, [])[1:]

    def all(self, group: str) -> list[Provider]:
        """Give every provider of a group, winners and losers."""
        return [
            p for name in sorted(self._groups.get(group, {})) for p in self._groups[group][name]
        ]

    def commands(self) -> dict[str, Provider]:
        """Give the provider of each command by its words (an underscore is a space)."""
        return {name.replace("_", " "): p for name, p in self.winners(COMMANDS).items()}

    def formatters(self, kind: str) -> dict[str, Provider]:
        """Give the provider of each format for ``list``, ``show`` or ``stream``."""
        return self.winners(f"{FORMATTERS}.{kind}")

    def everything(self) -> list[Provider]:
        """Give every provider of this version of the plugin API, whatever it provides."""
        current = f"{PREFIX}{API_VERSION}."
        return [
            p
            for group in sorted(self._groups)
            if group.startswith(current)
            for p in self.all(group)
        ]

    def groups(self) -> list[str]:
        """Name the groups of this version of the plugin API that something is in."""
        return sorted(g for g in self._groups if g.startswith(f"{PREFIX}{API_VERSION}."))

    def other_versions(self) -> dict[str, list[Provider]]:
        """Give what was made for another version of the plugin API, by distribution."""
        found: dict[str, list[Provider]] = {}
        current = f"{PREFIX}{API_VERSION}."
        for group, names in self._groups.items():
            if not group.startswith(current):
                for rivals in names.values():
                    for provider in rivals:
                        found.setdefault(provider.owner, []).append(provider)
        return found

    def surface_of(self, words: str) -> tuple[Provider, Surface]:
        """Load the surface that claims a command: only surfaces of the command's own distribution.

        :raises PluginError: no surface claims it
        """
        owner = self.commands()[words].owner
        for provider in self.all(SURFACES):
            if provider.owner == owner:
                surface = load_surface(provider)
                if words in surface.commands:
                    return provider, surface
        raise PluginError(
            f"no surface of {self.commands()[words].distribution} claims the command '{words}'",
            id=words,
        )


def load_surface(provider: Provider) -> Surface:
    """Load a descriptor.

    :raises PluginError: it is no :class:`Surface`, or was written for another API version
    """
    surface = load(provider)
    if not isinstance(surface, Surface):
        raise PluginError(
            f"{provider} is no surface: its value is of type {type(surface).__name__}"
        )
    if surface.api != API_VERSION:
        raise PluginError(
            f"{provider} was written for version {surface.api!r} of the plugin API; "
            f"this rpcli speaks {API_VERSION}"
        )
    return surface


def load(provider: Provider) -> Any:
    """Import what an entry point names, and keep what it prints off our stdout.

    :raises PluginError: the import failed in whatever way, ``sys.exit`` included
    """
    if provider.builtin:
        return _Single(provider.entry_point).plugin
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return _Single(provider.entry_point).plugin
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a plugin may do anything here, and must not end us
        raise PluginError(
            f"{provider} cannot be loaded: {type(error).__name__}: {error}",
            hint=f"see 'rpcli plugin list'; 'pip uninstall {provider.distribution}' removes it",
        ) from error


class _Single(ExtensionManager[Any]):
    """stevedore over one entry point that we found ourselves, without its list and its cache."""

    def __init__(self, entry_point: importlib.metadata.EntryPoint) -> None:
        self._entry_point = entry_point
        super().__init__(entry_point.group, on_load_failure_callback=_raise)

    def list_entry_points(self) -> list[importlib.metadata.EntryPoint]:
        return [self._entry_point]

    @property
    def plugin(self) -> Any:
        return self.extensions[0].plugin


def _raise(
    manager: ExtensionManager[Any],  # noqa: ARG001 - stevedore's signature
    entry_point: importlib.metadata.EntryPoint,  # noqa: ARG001
    error: BaseException,
) -> None:
    raise error


def _scan(broken: dict[str, str]) -> Iterator[Provider]:
    seen: set[str] = set()
    for dist in importlib.metadata.distributions(path=sys.path):
        owner = _owner(dist)
        # The first on the path is the one that imports; a later one of that name is shadowed.
        if owner in seen:
            continue
        seen.add(owner)
        try:
            text = dist.read_text("entry_points.txt")
            if not text or PREFIX not in text:
                continue
            found = [e for e in dist.entry_points if e.group.startswith(PREFIX)]
        except Exception as error:  # noqa: BLE001 - metadata of strangers, in whatever state
            broken[owner] = f"its entry points cannot be read: {type(error).__name__}"
            continue
        for entry_point in found:
            yield Provider(entry_point, dist, owner)


def _owner(dist: importlib.metadata.Distribution) -> str:
    """Name a distribution by its folder: to parse each METADATA would cost more than all else."""
    folder = getattr(getattr(dist, "_path", None), "name", "")
    stem, _, ending = folder.rpartition(".")
    name = stem.partition("-")[0] if ending in ("dist-info", "egg-info") else ""
    return (name or _metadata(dist, "Name") or "unknown").lower().replace("-", "_")


def _metadata(dist: importlib.metadata.Distribution, key: str) -> str:
    try:
        return str(dist.metadata[key] or "")
    except Exception:  # noqa: BLE001 - metadata of strangers, in whatever state
        return ""
