"""Scenarios: what the sandbox plays, from those that ship, a file, or a mapping.

Rules: what ships is checked by a test and not at run time; a file is held to its JSON Schema by a
validator, a mapping to the same schema by :mod:`rpcli.sandbox.shape`; no error repeats a value.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpcli.errors import ConfigError
from rpcli.sandbox.building import build_state
from rpcli.sandbox.shape import errors

if TYPE_CHECKING:
    import yaml

__all__ = ["build_state", "fault_errors", "load_scenario", "scenario_names"]

_ENDINGS = (".json", ".yaml", ".yml")


def scenario_names() -> dict[str, str]:
    """Give the scenarios that ship, by name, each with one line on it."""
    found = {}
    for entry in files("rpcli.sandbox").joinpath("scenarios").iterdir():
        if entry.name.endswith(".json"):
            found[entry.name.removesuffix(".json")] = json.loads(entry.read_bytes())["summary"]
    return dict(sorted(found.items()))


def load_scenario(wanted: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Load a scenario: a mapping, one that ships by its name, or a YAML or JSON file by its path.

    :raises ConfigError: there is no such scenario, or it does not fit the schema
    """
    if not isinstance(wanted, str):
        wrong = errors(_schema(), wanted)
        if wrong:
            raise ConfigError(f"the scenario does not fit its schema: {wrong[0]}")
        return wanted
    if "/" not in wanted and not wanted.endswith(_ENDINGS):
        shipped = files("rpcli.sandbox").joinpath("scenarios", f"{wanted}.json")
        if not shipped.is_file():
            names = ", ".join(scenario_names())
            raise ConfigError(
                f"there is no scenario '{wanted}': choose from {names}, or name a file"
            )
        document: Mapping[str, Any] = json.loads(shipped.read_bytes())
        return document
    return _read(Path(wanted))


def fault_errors(fault: object) -> list[str]:
    """Say what is wrong with one fault; empty where nothing is."""
    return errors({"$ref": "#/$defs/fault"}, fault, _schema())


def log_errors(lines: object) -> list[str]:
    """Say what is wrong with lines of a log; empty where nothing is."""
    return errors({"$ref": "#/$defs/logs"}, lines, _schema())


def worker_errors(worker: object) -> list[str]:
    """Say what is wrong with one worker; empty where nothing is."""
    return errors({"$ref": "#/$defs/worker"}, worker, _schema())


@functools.cache
def _schema() -> Mapping[str, Any]:
    text = files("rpcli.schemas").joinpath("core", "scenario.v1.json").read_bytes()
    schema: Mapping[str, Any] = json.loads(text)
    return schema


def _plain_loader() -> type[yaml.SafeLoader]:
    """Give a loader to which a time is a text, as it is in JSON."""
    import yaml

    class Loader(yaml.SafeLoader):
        """Knows no timestamps."""

    Loader.yaml_implicit_resolvers = {
        first: [(tag, form) for tag, form in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return Loader


def _read(path: Path) -> Mapping[str, Any]:
    import yaml  # only a file of somebody's own needs it; JSON is YAML too

    try:
        document = yaml.load(path.read_bytes(), _plain_loader())  # noqa: S506 - a safe one
    except OSError as error:
        raise ConfigError(f"cannot read the scenario {path}: {error.strerror or error}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else ""
        raise ConfigError(f"the scenario {path} is neither YAML nor JSON{where}") from None
    from rpcli.contract.registry import find
    from rpcli.contract.validate import validate_document

    violations = validate_document(find("core.scenario"), document, "published")
    # What the validator takes for an integer may be a float to Python: the quick check is stricter.
    wrong = violations or errors(_schema(), document)
    if wrong:
        raise ConfigError(f"the scenario {path} does not fit its schema: {wrong[0]}")
    checked: Mapping[str, Any] = document
    return checked
