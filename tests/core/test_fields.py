"""Lenient readers: what can be used is, the rest is reported by place and type, never by value."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rpcli.controlplane.fields import Fields, Problems

NAN, INFINITY = float("nan"), float("inf")


def read(reader: str, value: object) -> tuple[object, str | None]:
    problems = Problems()
    found = getattr(Fields({"key": value}, "pods", problems, at=3), reader)("key")
    return found, problems.summary()


@pytest.mark.parametrize(
    ("reader", "value", "found"),
    [
        ("integer", 1, 1),
        ("integer", 0, 0),
        ("integer", 1.0, 1),
        ("integer", 22001.0, 22001),
        ("integer", None, None),
        ("port", 22001, 22001),
        ("port", "22001", 22001),
        ("port", 22001.0, 22001),
        ("port", None, None),
        ("number", 0.74, 0.74),
        ("number", "0.74", 0.74),
        ("number", 24.0, 24),
        ("number", "1e2", 100),
        ("number", 0, 0),
        ("text", "a", "a"),
        ("text", "", None),
        ("word", "a", "a"),
        ("flag", False, False),
        ("flag", None, None),
        ("moment", "2026-10-02T05:28:38Z", datetime(2026, 10, 2, 5, 28, 38, tzinfo=UTC)),
        ("moment", "", None),
        ("elements", [1, None], [1, None]),
        ("elements", None, []),
    ],
)
def test_what_can_be_used_is_not_reported(reader: str, value: object, found: object) -> None:
    assert read(reader, value) == (found, None)
    assert type(read(reader, value)[0]) is type(found)


@pytest.mark.parametrize(
    ("reader", "value", "found", "came"),
    [
        ("integer", "1", 1, "a text"),
        ("integer", True, None, "a boolean"),
        ("integer", 1.5, None, "a number"),
        ("integer", -1, None, "a number"),
        ("integer", INFINITY, None, "a number"),
        ("integer", "one", None, "a text"),
        ("integer", "9" * 5000, None, "a text"),
        ("integer", [1], None, "a list"),
        ("port", True, None, "a port"),
        ("port", 0, None, "a port"),
        ("port", 65536, None, "a port"),
        ("port", "22/tcp", None, "a port"),
        ("port", 10**400, None, "a port"),
        ("number", NAN, None, "a number"),
        ("number", INFINITY, None, "a number"),
        ("number", 10**400, None, "a number"),
        ("number", "nan", None, "a text"),
        ("number", "1_000", None, "a text"),
        ("number", "cheap", None, "a text"),
        ("number", "٣", None, "a text"),
        ("number", True, None, "a boolean"),
        ("text", 5, None, "a number"),
        ("text", ["a"], None, "a list"),
        ("word", None, "", "none came"),
        ("word", "", "", "none came"),
        ("word", 5, "", "a number"),
        ("flag", "true", None, "a text"),
        ("flag", 1, None, "a number"),
        ("moment", "yesterday", None, "a time"),
        ("child", [], None, "a list"),
        ("elements", {}, [], "an object"),
    ],
)
def test_the_rest_is_reported_at_its_path(
    reader: str, value: object, found: object, came: str
) -> None:
    result, summary = read(reader, value)
    assert result == found
    assert summary is not None
    assert summary.startswith("pods[3].key: ")
    assert came in summary
    assert len(summary) < 100


def test_a_path_leads_through_objects_and_lists() -> None:
    problems = Problems()
    pod = Fields({"runtime": {"ports": [None, {"ip": 5}, "x"]}}, "pods", problems, at=0)
    runtime = pod.child("runtime")
    assert runtime is not None
    (port,) = runtime.children("ports")
    assert port.text("ip") is None
    assert problems.summary() == (
        "pods[0].runtime.ports[0]: null was skipped; "
        "pods[0].runtime.ports[2]: a text was skipped; "
        "pods[0].runtime.ports[1].ip: a text was expected, a number came"
    )


def test_a_summary_names_a_few_places_and_counts_the_others_each_once() -> None:
    problems, notes = Problems(), list[str]()
    problems.tell(notes.append)
    assert notes == []
    for n in range(5):
        problems.add(f"pods[{n}]", "null was skipped")
        problems.add(f"pods[{n}]", "something else")
    problems.tell(notes.append)
    assert notes == [
        "the API gave what could not be used: pods[0]: null was skipped; "
        "pods[1]: null was skipped; pods[2]: null was skipped; and 2 more"
    ]
