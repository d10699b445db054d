"""Formats that are asserted, whatever else is installed: case E01."""

from __future__ import annotations

import pytest

from rpcli.contract.validate import DocumentValidator
from rpcli.contract.wellformed import FORMATS

GOOD = {
    "date-time": [
        "2026-11-29T08:00:00Z",
        "2026-11-29t08:00:00.123456789z",
        "2026-11-29T08:00:00+05:30",
        "2024-02-29T23:59:59-23:59",
        "2016-12-31T23:59:60Z",
        "2017-01-01T00:59:60+01:00",
    ],
    "date": ["2024-02-29", "0001-01-01"],
    "hostname": ["ssh.runpod.io", "a", "1", "x" * 63],
    "ipv4": ["127.0.0.1", "255.255.255.255"],
    "ipv6": ["::1", "2001:db8::7", "::ffff:1.2.3.4"],
    "uri": ["https://x.invalid/a?b#c", "urn:rpcli:x", "http://[::1]:80/", "mailto:a@b"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"],
}
BAD = {
    "date-time": [
        "not-a-date",
        "",
        "2026-11-29",
        "2026-11-29 08:00:00Z",
        "2026-11-29T08:00:00",
        "2026-11-29T08:00Z",
        "2026-02-29T08:00:00Z",
        "2026-11-29T24:00:00Z",
        "2026-11-29T08:00:61Z",
        "2026-11-29T08:00:60Z",
        "2026-11-29T08:00:00+24:00",
        "2026-11-29T08:00:00.Z",
        "2026-11-29T08:00:00Z\n",
        "\u0662\u0660\u0662\u0666-11-29T08:00:00Z",
        "2026-10-02 05:28:38.366 +0000 UTC",
        "0001-01-01T00:00:00+01:00",
    ],
    "date": ["2026-02-29", "20260228", "2026-2-28", ""],
    "hostname": ["", "-a", "a-", "a..b", "x" * 64, "a_b", "a b", ".".join(["x" * 60] * 5)],
    "ipv4": ["1.2.3", "1.2.3.256", "1.2.3.04", "1.2.3.4 ", "\u0661.2.3.4", ""],
    "ipv6": ["::1%eth0", "1.2.3.4", ":::", ""],
    "uri": [
        "/a",
        "x.invalid/a",
        "http://a b",
        "http://a:port/",
        "https://ü.invalid",
        "ht tp:a",
        "",
    ],
    "uuid": ["123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}", ""],
}


def pairs(table):
    return [(name, text) for name, texts in table.items() for text in texts]


def test_each_format_has_examples_of_both_kinds():
    assert set(GOOD) == set(BAD) == set(FORMATS)


@pytest.mark.parametrize(("name", "text"), pairs(GOOD))
def test_what_is_well_formed_fits(name, text):
    assert DocumentValidator({"format": name}).violations(text) == []


@pytest.mark.parametrize(("name", "text"), pairs(BAD))
def test_what_is_not_well_formed_is_told(name, text):
    assert [v.rule for v in DocumentValidator({"format": name}).violations(text)] == ["format"]


@pytest.mark.parametrize("value", [123, None, True, [], {}])
def test_e01_what_is_no_string_is_left_to_the_type(value):
    # E01: non-strings pass a format, so a schema says "type" too.
    assert DocumentValidator({"format": "date-time"}).violations(value) == []
    found = DocumentValidator({"type": "string", "format": "date-time"}).violations(value)
    assert [v.rule for v in found] == ["type"]
