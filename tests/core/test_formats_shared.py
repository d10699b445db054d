"""What holds for every formatter, ours and those written for other cliff programs."""

from __future__ import annotations

import argparse
import csv
import inspect
import io
import json
import subprocess
import sys
from importlib import metadata
from typing import Any

import pytest
import yaml
from cliff.formatters import base
from cliff.formatters.commaseparated import CSVLister
from cliff.formatters.json_format import JSONFormatter
from cliff.formatters.shell import ShellFormatter
from cliff.formatters.table import TableFormatter
from cliff.formatters.value import ValueFormatter
from cliff.formatters.yaml_format import YAMLFormatter
from memory_sink import MemorySink, options_of

from rpcli.rows import Rows

DOCUMENTS: list[dict[str, Any]] = [{"id": "a", "uptime": 7}, {"id": "b"}]
COLUMNS = ("id", "uptime")
HEAVY = {"yaml", "prettytable", "wcwidth", "csv", "requests", "jsonschema", "cliff", "ssl"}
OURS = [
    point
    for kind in ("list", "show", "stream")
    for point in metadata.entry_points(group=f"rpcli.v1.formatter.{kind}")
    if point.module.startswith("rpcli.")
]


def test_each_kind_has_its_formats() -> None:
    names = {(point.group.rpartition(".")[2], point.name) for point in OURS}
    assert names == {
        *(("list", name) for name in ("csv", "json", "table", "value", "yaml")),
        *(("show", name) for name in ("csv", "json", "shell", "table", "value", "yaml")),
        *(("stream", name) for name in ("json", "text", "yaml")),
    }


@pytest.mark.parametrize("point", OURS, ids=lambda p: f"{p.group.rpartition('.')[2]}-{p.name}")
def test_each_says_whom_it_is_for_and_takes_what_cliffs_take(point: metadata.EntryPoint) -> None:
    formatter = point.load()()
    assert formatter.human is (point.name in ("table", "text"))
    formatter.add_argument_group(argparse.ArgumentParser(conflict_handler="error"))
    kind = point.group.rpartition(".")[2]
    if kind == "stream":
        assert callable(formatter.emit_record)
        return
    theirs = {"list": base.ListFormatter.emit_list, "show": base.SingleFormatter.emit_one}[kind]
    ours = getattr(type(formatter), theirs.__name__)
    assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)


def test_loading_a_formatter_imports_nothing_heavy() -> None:
    modules = sorted({point.module for point in OURS})
    script = (
        "import importlib, json, sys\n"
        "before = set(sys.modules)\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
        "print(json.dumps(sorted({m.partition('.')[0] for m in set(sys.modules) - before})))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    imported = set(json.loads(done.stdout))
    assert "rpcli" in imported
    assert imported & HEAVY == set()


def printed(formatter: Any, rows: Rows) -> str:
    sink = MemorySink()
    formatter.emit_list(COLUMNS, rows, sink, options_of(formatter))
    return sink.text


def test_a_formatter_of_another_cliff_program_works_on_rows() -> None:
    rows = Rows(DOCUMENTS, COLUMNS, hole=None)
    assert json.loads(printed(JSONFormatter(), rows)) == [
        {"id": "a", "uptime": 7},
        {"id": "b", "uptime": None},
    ]
    assert yaml.safe_load(printed(YAMLFormatter(), rows)) == [
        {"id": "a", "uptime": 7},
        {"id": "b", "uptime": None},
    ]
    lines = csv.reader(io.StringIO(printed(CSVLister(), rows)))
    assert list(lines) == [["id", "uptime"], ["a", "7"], ["b", ""]]
    assert printed(ValueFormatter(), rows) == "a 7\nb None\n"
    assert "| a  |      7 |" in printed(TableFormatter(), rows)


def test_and_on_one_row() -> None:
    sink = MemorySink()
    formatter = ShellFormatter()
    row = Rows(DOCUMENTS, COLUMNS, hole=None)[0]
    formatter.emit_one(COLUMNS, row, sink, options_of(formatter))
    assert sink.text == 'id="a"\nuptime="7"\n'
