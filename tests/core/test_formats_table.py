"""Tables in windows of any size: cases C25, D10, D29."""

from __future__ import annotations

import argparse
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_sink import MemorySink, listed, parsed, shown
from wcwidth import wcswidth

from rpcli.formats import layout
from rpcli.formats.table import TableFormatter
from rpcli.output import Stdout
from rpcli.rows import ABSENT, Rows

TABLE = TableFormatter()
PODS: list[dict[str, Any]] = [
    {"id": "9sv4kx2b01", "name": "train", "status": "running", "$/hr": 0.49, "uptime": "3d"},
    {
        "id": "7qm8zt5c02",
        "name": "a name that goes on and on for no good reason",
        "status": "initializing (awaiting_container)",
        "$/hr": 12.5,
    },
]
COLUMNS = ("id", "name", "status", "$/hr", "uptime")
FORTY = [
    {"id": f"pod{n:07}", **{f"field{c}": f"value {c} of pod {n} " * (c % 3 + 1) for c in range(9)}}
    for n in range(40)
]


def on_a_terminal(width: int | None, **more: Any) -> MemorySink:
    return MemorySink(width=width, tty=True, **more)


def test_columns_stand_under_their_headings_and_numbers_to_the_right() -> None:
    assert listed(TABLE, PODS, COLUMNS) == (
        "id          name                                           "
        "status                             $/hr  uptime\n"
        "9sv4kx2b01  train                                          "
        "running                            0.49  3d\n"
        "7qm8zt5c02  a name that goes on and on for no good reason  "
        "initializing (awaiting_container)  12.5\n"
    )


def test_the_widest_text_is_shortened_first_and_the_status_is_kept() -> None:
    assert listed(TABLE, PODS, COLUMNS, on_a_terminal(80)) == (
        "id          name                 status                             $/hr  uptime\n"
        "9sv4kx2b01  train                running                            0.49  3d\n"
        "7qm8zt5c02  a name that goes o…  initializing (awaiting_container)  12.5\n"
    )


def test_whole_columns_go_before_the_status_loses_a_letter() -> None:
    columns = (*COLUMNS, "image")
    pods = [{**pod, "image": "an/image:of-some-length"} for pod in PODS]
    wide = listed(TABLE, pods, columns, on_a_terminal(90))
    assert "image" in wide
    narrow = listed(TABLE, pods, columns, on_a_terminal(74))
    assert "image" not in narrow
    assert "initializing (awaiting_container)" in narrow
    assert "a name that …" in narrow


def test_where_the_status_has_no_room_records_stand_one_below_the_other() -> None:
    shown = listed(TABLE, PODS, COLUMNS, on_a_terminal(50))
    assert "status  initializing (awaiting_container)\n" in shown


def test_and_where_even_that_is_too_wide_records_stand_one_below_the_other() -> None:
    assert listed(TABLE, PODS, COLUMNS, on_a_terminal(30)) == (
        "id      9sv4kx2b01\n"
        "name    train\n"
        "status  running\n"
        "$/hr    0.49\n"
        "uptime  3d\n"
        "\n"
        "id      7qm8zt5c02\n"
        "name    a name that goes on and on for no good reason\n"
        "status  initializing (awaiting_container)\n"
        "$/hr    12.5\n"
        "uptime\n"
    )


def test_in_a_very_narrow_window_nothing_is_aligned() -> None:
    assert listed(TABLE, PODS[:1], COLUMNS, on_a_terminal(10)) == (
        "id: 9sv4kx2b01\nname: train\nstatus: running\n$/hr: 0.49\nuptime: 3d\n"
    )


@pytest.mark.parametrize("width", [None, 1, 5, 20, 80, 200])
def test_d29_forty_pods_of_ten_columns_in_any_window(width: int | None) -> None:
    text = listed(TABLE, FORTY, tuple(FORTY[0]), on_a_terminal(width))
    for pod in FORTY:
        assert text.count(pod["id"]) == 1
    for name in FORTY[0]:
        assert name in text
    lines = text.splitlines()
    if width in (None, 200):
        assert len(lines) == 41
        assert width is None or max(map(len, lines)) <= width
        assert ("…" in text) == (width == 200)
    else:
        assert len(lines) == 40 * 10 + 39
        assert "…" not in text


def test_d29_a_window_without_columns_is_one_of_unknown_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for columns in ("0", "", "x", "-5"):
        monkeypatch.setenv("COLUMNS", columns)
        stdout = Stdout(Terminal())
        assert stdout.width is None
        TABLE.emit_list(("id",), Rows([{"id": "a" * 500}], ("id",)), stdout, parsed())


@pytest.mark.parametrize("width", range(1, 130))
def test_no_line_of_a_table_is_wider_than_the_window(width: int) -> None:
    text = listed(TABLE, PODS, COLUMNS, on_a_terminal(width))
    assert "9sv4kx2b01" in text
    assert "7qm8zt5c02" in text
    assert "12.5" in text
    if text.startswith("id          name"):
        assert max(map(len, text.splitlines())) <= width


def test_wide_characters_take_two_columns() -> None:
    pods = [{"id": "1", "name": "日本語の名前"}, {"id": "2", "name": "e\u0301a"}, {"id": "3"}]
    pods = [{**pod, "end": "|"} for pod in pods]
    assert listed(TABLE, pods, ("id", "name", "end")) == (
        "id  name          end\n"
        " 1  日本語の名前  |\n"
        " 2  e\u0301a            |\n"
        " 3                |\n"
    )
    assert listed(TABLE, pods, ("id", "name", "end"), on_a_terminal(19)) == (
        "id  name        end\n 1  日本語の…   |\n 2  e\u0301a          |\n 3              |\n"
    )


def test_an_identifier_is_kept_wherever_it_stands() -> None:
    pods = [{"name": "n" * 30, "id": "i" * 30}]
    assert listed(TABLE, pods, ("name", "id"), on_a_terminal(45)).splitlines()[1] == (
        "n" * 12 + "…  " + "i" * 30
    )


def test_without_an_id_the_first_column_is_the_one_that_is_kept() -> None:
    rows = [{"name": "n" * 30, "summary": "s" * 30}]
    assert listed(TABLE, rows, ("name", "summary"), on_a_terminal(45)).splitlines()[1] == (
        "n" * 30 + "  " + "s" * 12 + "…"
    )


@pytest.mark.parametrize(
    ("given", "width"),
    [({"max_width": 40}, 40), ({"fit_width": True}, 80), ({"max_width": -1}, None)],
)
def test_a_pipe_has_the_width_that_is_asked_for(given: dict[str, Any], width: int | None) -> None:
    rows = [{"id": "a", "text": "x" * 300}]
    longest = max(map(len, listed(TABLE, rows, ("id", "text"), **given).splitlines()))
    assert longest == (width or 304)


def test_max_width_counts_more_than_the_terminal() -> None:
    rows = [{"id": "a", "text": "x" * 300}]
    text = listed(TABLE, rows, ("id", "text"), on_a_terminal(80), max_width=120)
    assert max(map(len, text.splitlines())) == 120


def test_a_formatter_that_is_given_no_options_has_its_defaults() -> None:
    sink = MemorySink()
    TABLE.emit_list(("id",), [("a",)], sink, argparse.Namespace())
    assert sink.text == "id\na\n"


def test_an_empty_table_is_nothing_unless_it_is_asked_for() -> None:
    assert listed(TABLE, [], ("id", "name")) == ""
    assert listed(TABLE, [], ("id", "name"), print_empty=True) == "id  name\n"
    assert listed(TABLE, [{"a": 1}], ()) == ""


def test_c25_no_cell_moves_the_cursor_or_breaks_the_line() -> None:
    rows = [{"id": "a", "name": "\x1b[2J\r\n\t\x9b\u202e\u2028", "x": "|"}]
    assert listed(TABLE, rows, ("id", "name", "x")) == (
        "id  name                           x\na   \\x1b[2J\\r\\n\\t\\x9b\\u202e\\u2028  |\n"
    )


def test_d10_what_the_encoding_lacks_is_escaped_before_it_is_measured() -> None:
    raw = io.BytesIO()
    stdout = Stdout(io.TextIOWrapper(raw, encoding="ascii"))
    stdout.machine = False
    rows = [{"id": "a", "name": "pod-é-日", "x": "|"}, {"id": "b", "name": "y" * 40, "x": "|"}]
    TABLE.emit_list(
        ("id", "name", "x"), Rows(rows, ("id", "name", "x")), stdout, parsed(max_width=30)
    )
    stdout.flush()
    assert raw.getvalue() == (
        b"id  name                     x\n"
        b"a   pod-\\xe9-\\u65e5          |\n"
        b"b   yyyyyyyyyyyyyyyyyyyy...  |\n"
    )


def test_one_document_is_a_line_a_field_and_what_is_nested_is_told_by_its_way() -> None:
    document = {
        "id": "abc",
        "locked": False,
        "ports": ["22/tcp", "8888/http"],
        "env": {"A": "x\ny", "B": ""},
        "gone": ABSENT,
        "none": None,
        "ssh": {"ready": True, "ssh_key": {"path": "/k"}, "argv": []},
        "list": [{"a": 1}, [2, 3]],
        "empty": {},
    }
    assert shown(TABLE, document) == (
        "id                abc\n"
        "locked            false\n"
        "ports             22/tcp, 8888/http\n"
        "env.A             x\\ny\n"
        "env.B\n"
        "none\n"
        "ssh.ready         true\n"
        "ssh.ssh_key.path  /k\n"
        "ssh.argv\n"
        "list.0.a          1\n"
        "list.1            2, 3\n"
        "empty\n"
    )


@pytest.mark.parametrize("width", [1, 5, 20])
def test_one_document_in_a_narrow_window_is_cut_nowhere(width: int) -> None:
    command = "ssh -i ~/.runpod/ssh/key root@203.0.113.7 -p 40022"
    text = shown(TABLE, {"id": "abc", "ssh": {"ssh_command": command}}, sink=on_a_terminal(width))
    assert text == f"id: abc\nssh.ssh_command: {command}\n"


def test_one_document_without_fields_is_nothing() -> None:
    assert shown(TABLE, {}) == ""


CELLS = st.text(st.characters(), max_size=30) | st.none() | st.integers() | st.just(ABSENT)


@settings(deadline=None)
@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=4),
    st.none() | st.integers(1, 60),
    st.sampled_from(["utf-8", "ascii", "latin-1", "cp932"]),
)
def test_whatever_the_cells_hold_the_table_fits_and_is_safe(
    rows: list[tuple[Any, ...]], width: int | None, encoding: str
) -> None:
    sink = on_a_terminal(width, encoding=encoding)
    TABLE.emit_list(("id", "name", "n"), rows, sink, parsed())
    text = sink.text
    text.encode(encoding)
    lines = text.split("\n")[:-1]
    assert len(text.splitlines()) == len(lines)
    assert not any(set(line) & set("\x1b\x9b\u202e\t\r") for line in lines)
    assert all(line == line.rstrip(" ") for line in lines)
    if len(lines) == len(rows) + 1 and width is not None:
        assert max(map(wcswidth, lines)) <= width
    else:
        assert width is None or len(lines) == 4 * len(rows) - 1


def test_numbers_are_columns_of_nothing_else() -> None:
    rows = [
        ["1", "a1", "", "1,000", "-0.5", "50%", "1.2.3", "1e3"],
        ["22", "2", "", "", "+3", "7", "", ""],
    ]
    assert layout.numeric_columns(rows) == {0, 3, 4, 5}
    assert layout.numeric_columns([]) == set()
