"""YAML: a view of the document in the same order of keys."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rpcli.formats.json import Sink
from rpcli.rows import Rows, named


class YamlFormatter:
    """A list of mappings, one mapping, or one YAML document a record."""

    human = False

    def add_argument_group(self, parser: argparse.ArgumentParser) -> None:
        """Take no options."""

    def emit_list(
        self,
        column_names: Sequence[str],
        data: Iterable[Sequence[Any]],
        stdout: Sink,
        parsed_args: argparse.Namespace,  # noqa: ARG002 - cliff's signature
    ) -> None:
        """Print a sequence of mappings."""
        if isinstance(data, Rows):
            stdout.write(_dump([dict(document) for document in data.documents()]))
        else:
            stdout.write(_dump([named(column_names, row) for row in data]))

    def emit_one(
        self,
        column_names: Sequence[str],
        data: Sequence[Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,  # noqa: ARG002 - cliff's signature
    ) -> None:
        """Print one mapping."""
        stdout.write(_dump(named(column_names, data)))

    def emit_record(
        self,
        record: Mapping[str, Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,  # noqa: ARG002 - cliff's signature
    ) -> None:
        """Print one document."""
        stdout.write("---\n" + _dump(dict(record)))


def _dump(value: Any) -> str:
    import yaml  # slow to import: only who wants yaml pays

    text: str = yaml.safe_dump(
        _plain(value), sort_keys=False, allow_unicode=True, default_flow_style=False, width=1 << 20
    )
    return text


def _plain(value: Any) -> Any:
    """Keep to what YAML can say: no shared objects (aliases), no lone surrogates."""
    if isinstance(value, Mapping):
        return {_plain(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8") if not value.isascii() else value
    return value
