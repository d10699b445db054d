"""YAML: the same document as the JSON, in the same order of keys.

Rules: it is made from the JSON, so the two can never differ; what another reader of YAML could
take for a number or a truth value (``1e3``, ``0o17``, ``y``) is quoted; text that could harm a
terminal is escaped.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from rpcli.formats.json import documents_of, encode
from rpcli.formats.sink import Sink
from rpcli.rows import named
from rpcli.terminal import one_line

if TYPE_CHECKING:
    import yaml

#: PyYAML quotes what YAML 1.1 as it reads it would not give back as text. Readers of YAML 1.2, and
#: stricter ones of 1.1, see more numbers and truth values than that.
_AMBIGUOUS = re.compile(r"[-+.]{0,2}[0-9][0-9a-fA-FoOxX_.,:+-]*|[yYnN]")


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
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print a sequence of mappings.

        :raises InternalError: a document is not JSON
        """
        stdout.write(_dump(list(documents_of(column_names, data))))

    def emit_one(
        self,
        column_names: Sequence[str],
        data: Sequence[Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print one mapping.

        :raises InternalError: it is not JSON
        """
        stdout.write(_dump(named(column_names, data)))

    def emit_record(
        self,
        record: Mapping[str, Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print one document of a stream.

        :raises InternalError: it is not JSON
        """
        stdout.write("---\n" + _dump(record))


def _dump(value: Any) -> str:
    import yaml  # slow to import: only who wants YAML pays

    document = json.loads(encode(value))
    shown = json.dumps(document, ensure_ascii=False)
    text: str = yaml.dump(
        document,
        Dumper=_dumper(),
        sort_keys=False,
        # Escapes all that is not ASCII where any of it could harm a terminal.
        allow_unicode=one_line(shown) == shown,
        default_flow_style=False,
        width=1 << 30,
    )
    return text


@cache
def _dumper() -> type[yaml.SafeDumper]:
    import yaml

    # The pure Python emitter, always: libyaml's prints other bytes, and is not everywhere.
    class Dumper(yaml.SafeDumper):
        """Quotes more than PyYAML does."""

    def represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        style = "'" if _AMBIGUOUS.fullmatch(text) else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, represent)
    return Dumper
