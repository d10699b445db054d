"""Lints of single properties: what they are called, what they say, which unit they have. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rpcli.contract.keywords import named
from rpcli.contract.lint_subject import Found, Property, Subject

#: Names under which one writes text for people.
_MESSAGES = frozenset(
    {"detail", "error", "hint", "message", "problem", "remediation", "text", "warning"}
)
_TOKEN_NAME = re.compile(r"(?:^|_)(?:code|reason)$|(?:Code|Reason)$")
_STAMP_NAME = re.compile(r"(?:schema|contract|format)_?version$", re.IGNORECASE)
_MOMENT_NAME = re.compile(r"(?:[a-z]At|_at|[tT]imestamp)$")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
#: Words of names that stand for a duration, a size, a rate or money.
_QUANTITIES = frozenset(
    {
        "age",
        "amount",
        "balance",
        "bandwidth",
        "bps",
        "bytes",
        "cost",
        "delay",
        "disk",
        "duration",
        "elapsed",
        "gb",
        "gib",
        "hours",
        "hr",
        "kb",
        "kib",
        "latency",
        "mb",
        "mbps",
        "mib",
        "memory",
        "millis",
        "minutes",
        "ms",
        "price",
        "seconds",
        "secs",
        "size",
        "speed",
        "spend",
        "storage",
        "tb",
        "throughput",
        "timeout",
        "ttl",
        "uptime",
        "volume",
    }
)
#: What a name has in it where it carries a unit.
_IN_NAME: Mapping[str, tuple[str, ...]] = {
    "ns": ("nano", "ns"),
    "us": ("micro", "us"),
    "ms": ("milli", "ms"),
    "s": ("sec",),
    "min": ("minute", "min"),
    "h": ("hour", "hr"),
    "d": ("day",),
    "B": ("byte",),
    "kB": ("kb",),
    "MB": ("mb",),
    "GB": ("gb",),
    "TB": ("tb",),
    "KiB": ("kib",),
    "MiB": ("mib",),
    "GiB": ("gib",),
    "MB/s": ("mbps",),
    "Mbit/s": ("mbps",),
    "USD": ("usd", "cost", "price", "spend", "balance", "amount"),
    "USD/h": ("perhr", "perhour", "price"),
    "%": ("percent", "pct"),
}


def messages_have_a_token(subject: Subject) -> Found:
    """OUT-L03."""
    for found in subject.properties:
        if found.name.lower() not in _MESSAGES or not _is_free_text(subject, found.schema):
            continue
        siblings = named(found.host.schema, "properties").items()
        if not any(_is_token(subject, n, s) for n, s in siblings if n != found.name):
            yield found.pointer, "text for people needs a code or a reason beside it"


def version_stamps_have_a_pattern(subject: Subject) -> Found:
    """OUT-L04."""
    for found in subject.properties:
        if _STAMP_NAME.search(found.name):
            fixed = subject.values(found.schema, "const") + subject.values(found.schema, "enum")
            if fixed or not subject.values(found.schema, "pattern"):
                yield found.pointer, "a version stamp has the pattern of its major, and no const"


def everything_is_described(subject: Subject) -> Found:
    """OUT-L05."""
    for found in subject.properties:
        if not any(map(_is_text, subject.values(found.schema, "description"))):
            yield found.pointer, "it has no description"
    for node in subject.descriptions:
        tokens = [*node.schema.get("enum", ()), *node.schema.get("x-extensible-enum", ())]
        described = named(node.schema, "x-enum-descriptions")
        words = set(re.findall(r"[\w-]+", str(node.schema.get("description", ""))))
        for token in tokens:
            if isinstance(token, str) and token not in words and not described.get(token):
                yield node.pointer, f"the token '{token}' is not described"
        for token in described:
            if token not in tokens:
                yield node.pointer, f"'{token}' is described, and is no token of the set"


def moments_are_utc(subject: Subject) -> Found:
    """OUT-L06."""
    for node in subject.descriptions:
        pattern = str(node.schema.get("pattern", ""))
        if node.schema.get("format") == "date-time" and not pattern.endswith("Z$"):
            yield node.pointer, "a date-time needs a pattern that ends in Z$"
    for found in subject.properties:
        is_text = "string" in subject.types(found.schema)
        is_moment = "date-time" in subject.values(found.schema, "format")
        if is_text and not is_moment and _MOMENT_NAME.search(found.name):
            yield found.pointer, "its name is that of a moment: say format date-time"


def quantities_have_a_unit(subject: Subject) -> Found:
    """OUT-L07."""
    for found in subject.properties:
        if not {"integer", "number"} & subject.types(found.schema):
            continue
        units = subject.values(found.schema, "x-unit")
        words = {word.lower() for word in _WORD.findall(found.name)}
        if not units and words & _QUANTITIES:
            yield found.pointer, "a duration, a size, a rate or money needs x-unit"
        for unit in units:
            marks = _IN_NAME.get(unit, ())
            if marks and not any(mark in found.name.lower() for mark in marks):
                yield found.pointer, f"its name does not carry the unit {unit}"


def absent_or_null(subject: Subject) -> Found:
    """OUT-L08."""
    for found in subject.properties:
        if found.name in _required(subject, found) or not _admits_null(subject, found.schema):
            continue
        texts = " ".join(map(str, subject.values(found.schema, "description"))).lower()
        if not ("absent" in texts and "null" in texts):
            yield found.pointer, "it can be absent and null: choose one, or say what each means"


def _required(subject: Subject, found: Property) -> set[str]:
    return {name for names in subject.values(found.host.schema, "required") for name in names}


def _admits_null(subject: Subject, schema: Any) -> bool:
    for part in subject.parts(schema):
        kinds = part.schema.get("type", [])
        if "null" in ([kinds] if isinstance(kinds, str) else kinds):
            return True
        if None in part.schema.get("enum", ()) or part.schema.get("const", "") is None:
            return True
    return False


def _is_free_text(subject: Subject, schema: Any) -> bool:
    fixed = ("enum", "const", "x-extensible-enum")
    return "string" in subject.types(schema) and not any(subject.values(schema, k) for k in fixed)


def _is_token(subject: Subject, name: str, schema: Any) -> bool:
    if _TOKEN_NAME.search(name):
        return True
    return any(subject.values(schema, k) for k in ("enum", "const", "x-extensible-enum"))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
