"""The sixteen lints: for each, schemas that offend and schemas that do not."""

from __future__ import annotations

from typing import Any

import pytest

from rpcli.contract.lints import LINTS, Finding, lint
from rpcli.contract.validate import validate_document

ID = "https://x.invalid/schemas/demo/list.v1.json"
OTHER = "https://x.invalid/schemas/demo/show.v1.json"
SHIPPED = {OTHER: {"$id": OTHER, "$defs": {"t": {"type": "string", "description": "A text."}}}}


def text(**more: Any) -> dict[str, Any]:
    return {"type": "string", "description": "A text.", **more}


def number(**more: Any) -> dict[str, Any]:
    return {"type": "integer", "description": "A number.", **more}


def props(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": properties}


def run(schema: dict[str, Any], file: str | None = None) -> list[Finding]:
    return lint(schema, lambda d, v: validate_document(schema, d, v), load=SHIPPED.get, file=file)


def found(rule: str, schema: dict[str, Any], file: str | None = None) -> list[str]:
    return [finding.pointer for finding in run(schema, file) if finding.rule == rule]


MOMENT = {"format": "date-time", "pattern": "Z$"}
TOKENS = {"x-extensible-enum": ["up", "down"], "x-enum-descriptions": {"up": "U", "down": "D"}}
CLOSED = {
    "enum": ["up", "down"],
    "x-closed-because": "there is no third",
    "description": "up, down",
}
VARIANTS = [props("k", k={"const": 1, "description": "1"}), props("k", k={"const": 2})]

# rule: [(schema, where it offends)]
OFFENDING: dict[str, list[tuple[dict[str, Any], str]]] = {
    "OUT-L01": [
        ({"additionalProperties": False}, ""),
        (props(a={**props(b=text()), "unevaluatedProperties": False}), "/properties/a"),
        ({"allOf": [{"additionalProperties": False}]}, "/allOf/0"),
    ],
    "OUT-L02": [
        (props(s={"enum": ["a"]}), "/properties/s"),
        (props(s={**CLOSED, "x-closed-because": " "}), "/properties/s"),
        (props(s={**CLOSED, **TOKENS}), "/properties/s"),
    ],
    "OUT-L03": [
        (props(error=text()), "/properties/error"),
        (props(problem=text(), name=text()), "/properties/problem"),
        (props(ssh=props(message=text())), "/properties/ssh/properties/message"),
    ],
    "OUT-L04": [
        (props(schemaVersion={"const": "1.0"}), "/properties/schemaVersion"),
        (props(schemaVersion=text()), "/properties/schemaVersion"),
        (props(format_version=text(enum=["1"], pattern="^1$")), "/properties/format_version"),
    ],
    "OUT-L05": [
        (props(a={"type": "string"}), "/properties/a"),
        (props(a=True), "/properties/a"),
        (props(a={"$ref": "#/$defs/t"}) | {"$defs": {"t": {"type": "string"}}}, "/properties/a"),
        (props(s=text(**{"x-extensible-enum": ["up"]})), "/properties/s"),
        (props(s=text(**TOKENS | {"x-extensible-enum": ["up"]})), "/properties/s"),
        (props(s={**CLOSED, "description": "up is upwards"}), "/properties/s"),
    ],
    "OUT-L06": [
        (props(t=text(format="date-time")), "/properties/t"),
        (props(t=text(format="date-time", pattern="^2")), "/properties/t"),
        (props(createdAt=text()), "/properties/createdAt"),
        (props(seen_at=text(pattern="Z$")), "/properties/seen_at"),
    ],
    "OUT-L07": [
        (props(uptimeSeconds=number()), "/properties/uptimeSeconds"),
        (props(costPerHr=number()), "/properties/costPerHr"),
        (props(size=number()), "/properties/size"),
        (props(size=number(**{"x-unit": "GB"})), "/properties/size"),
        (props(uptimeSeconds=number(**{"x-unit": "ms"})), "/properties/uptimeSeconds"),
        (
            props(a={"$ref": "#/$defs/n"}) | {"$defs": {"n": number(**{"x-unit": "s"})}},
            "/properties/a",
        ),
    ],
    "OUT-L08": [
        (props(a={"type": ["string", "null"], "description": "A."}), "/properties/a"),
        (props(a={"anyOf": [text(), {"type": "null"}]}), "/properties/a"),
        (props(a={"enum": ["x", None], "description": "x"}), "/properties/a"),
        (props(a={"const": None}), "/properties/a"),
    ],
    "OUT-L09": [
        (props(a=text()) | {"examples": [{"a": "1"}, {"a": "2"}]}, "/examples"),
        (props("o", o=props(a=text())) | {"examples": [{"o": {"a": "1"}}] * 2}, "/examples"),
        (
            {"type": "array", "items": props(a=text()), "examples": [[{"a": "1"}, {"a": "2"}]]},
            "/examples",
        ),
    ],
    "OUT-L10": [
        ({"type": "array"}, ""),
        ({"type": "array", "x-ordered-by": "x", "x-unordered": True}, ""),
        ({"type": "array", "x-ordered-by": ""}, ""),
        (props(a={"type": ["array", "null"]}), "/properties/a"),
        ({"type": "array", "x-ordered-by": "id", "items": props("id", id=text())}, ""),
    ],
    "OUT-L11": [
        ({}, "/$id"),
        ({"$id": 7}, "/$id"),
        ({"$id": "demo/list.v1.json"}, "/$id"),
        ({"$id": "https://x.invalid/list.json"}, "/$id"),
        ({"$id": "https://x.invalid/demo/list.v0.json"}, "/$id"),
        ({"$id": "https://x.invalid/demo/list.v1.json#top"}, "/$id"),
        ({"$id": "https://x.invalid/demo/list.v1.json/more"}, "/$id"),
        ({"$id": "https://x.invalid/demo/show.v1.json"}, "/$id"),
    ],
    "OUT-L12": [
        ({}, "/examples"),
        ({"examples": [{}]}, "/examples"),
        ({"examples": {}}, "/examples"),
        (props("a", a=text()) | {"examples": [{"a": "x"}, {}]}, "/examples/1"),
        (props(a=text()) | {"examples": [{"a": "x"}, {"b": 1}]}, "/examples/1"),
        (props(a=text(**TOKENS)) | {"examples": [{"a": "new"}, {}]}, "/examples/0"),
        (props(a=text()) | {"examples": [{}, {}]}, "/examples"),
        (props(o=props(a=text())) | {"examples": [{"o": {}}, {}]}, "/examples"),
    ],
    "OUT-L13": [
        ({"oneOf": [props(a=text()), props(b=text())]}, "/oneOf"),
        ({"anyOf": [props("k", k={"const": 1}), props("k", k={"const": 1})]}, "/anyOf"),
        ({"oneOf": [props(k={"const": 1}), props(k={"const": 2})]}, "/oneOf"),
        (props(a={"oneOf": [{"required": ["x"]}, {"required": ["y"]}]}), "/properties/a/oneOf"),
    ],
    "OUT-L14": [
        ({"$ref": "http://127.0.0.1:9/s.json"}, ""),
        (props(a={"$ref": "https://x.invalid/schemas/demo/gone.v1.json"}), "/properties/a"),
        (props(a={"$ref": "#/$defs/nothing"}), "/properties/a"),
        (props(a={"$ref": f"{OTHER}#/$defs/nothing"}), "/properties/a"),
    ],
    "OUT-L15": [
        (props(old=text(deprecated=True)), "/properties/old"),
        (props(old=text(deprecated=True, **{"x-removal": "2.0"})), "/properties/old"),
        (props(old=text(deprecated=True, **{"x-replacement": "new"})), "/properties/old"),
        (props(state=text()) | {"x-removed": ["state"]}, ""),
        ({"x-removed": [1]}, ""),
    ],
    "OUT-L16": [
        ({"x-mine": 1}, ""),
        (props(a=text(nullable=True)), "/properties/a"),
        ({"definitions": {}}, ""),
        ({"$anchor": "here"}, ""),
        ({"$dynamicRef": "#here"}, ""),
        ({"if": {"x-mine": 1}}, "/if"),
        (props(a=text(format="phone")), "/properties/a"),
    ],
}

# rule: schemas without an offence against it
INNOCENT: dict[str, list[dict[str, Any]]] = {
    "OUT-L01": [
        {"additionalProperties": True},
        {"additionalProperties": text()},
        {"not": {"additionalProperties": False}},
        props(additionalProperties=text()),
    ],
    "OUT-L02": [props(s=CLOSED), props(s=TOKENS), {"if": {"properties": {"s": {"enum": ["a"]}}}}],
    "OUT-L03": [
        props(error=text(), code=text()),
        props(error=text(), exitReason=text()),
        props(problem=text(), health=TOKENS),
        props(error={"$ref": "#/$defs/t"}, kind={"const": "x"}) | {"$defs": {"t": text()}},
        props(error=props(a=text())),
        props(error=TOKENS),
    ],
    "OUT-L04": [props(schemaVersion=text(pattern="^1\\.")), props(version=text(const="1"))],
    "OUT-L05": [
        props(a=text(), s=TOKENS | {"description": "S."}, c=CLOSED),
        props(a={"$ref": "#/$defs/t"}) | {"$defs": {"t": text()}},
        props(a={"$ref": f"{OTHER}#/$defs/t"}) | {"$id": ID},
        {"if": {"properties": {"a": {"const": 1}}}, "then": {"properties": {"a": {}}}},
    ],
    "OUT-L06": [props(t=text(**MOMENT), createdAt=text(**MOMENT)), props(createdAt=number())],
    "OUT-L07": [
        props(uptimeSeconds=number(**{"x-unit": "s"}), memoryInGb=number(**{"x-unit": "GB"})),
        props(costPerHr=number(**{"x-unit": "USD/h"}), price=number(**{"x-unit": "USD/h"})),
        props(
            diskThroughputMBps=number(**{"x-unit": "MB/s"}), upMbps=number(**{"x-unit": "Mbit/s"})
        ),
        props(gpuCount=number(), port=number(), volume=text(), damage=number()),
    ],
    "OUT-L08": [
        props("a", a={"type": ["string", "null"]}),
        props(a=text()),
        props(a={"type": ["string", "null"], "description": "null: none; absent: not known."}),
    ],
    "OUT-L09": [
        props("a", a=text()) | {"examples": [{"a": "1"}, {"a": "2"}]},
        props(a=text()) | {"examples": [{"a": "1"}, {}]},
        {"oneOf": VARIANTS, "examples": [{"k": 1}, {"k": 2}]},
        {"$ref": "#/$defs/d", "$defs": {"d": props("a", a=text())}, "examples": [{"a": "1"}] * 2},
    ],
    "OUT-L10": [
        {"type": "array", "x-ordered-by": "name", "items": props("name", name=text())},
        {"type": "array", "x-unordered": True},
        {
            "type": "array",
            "x-ordered-by": "id",
            "uniqueItems": True,
            "items": props("id", id=text()),
        },
        props(items=text()),
        {"contains": {"type": "array"}},
    ],
    "OUT-L11": [{"$id": ID}, {"$id": "https://x.invalid/a/b/demo/list.v1.json"}],
    "OUT-L12": [
        props("a", a=text(), b=text()) | {"examples": [{"a": "x", "b": "y"}, {"a": "x"}]},
        {"oneOf": VARIANTS, "examples": [{"k": 1}, {"k": 2}]},
        {"type": "array", "items": props("a", a=text()), "examples": [[{"a": "x"}], []]},
        {"additionalProperties": props("a", a=text()), "examples": [{"any": {"a": "x"}}, {}]},
    ],
    "OUT-L13": [
        {"oneOf": VARIANTS},
        {"anyOf": [text(), {"type": "null"}]},
        {"anyOf": [props(a=text()), {"type": "null"}]},
        {"oneOf": [{"$ref": "#/$defs/a"}, VARIANTS[1]], "$defs": {"a": VARIANTS[0]}},
        {"if": {"anyOf": [{"required": ["x"]}, {"required": ["y"]}]}},
    ],
    "OUT-L14": [
        props(a={"$ref": "#/$defs/t"}) | {"$defs": {"t": text()}},
        props(a={"$ref": f"{OTHER}#/$defs/t"}),
        props(a={"$ref": "show.v1.json#/$defs/t"}) | {"$id": ID},
        {"$ref": "#"},
    ],
    "OUT-L15": [
        props(old=text(deprecated=True, **{"x-removal": "2.0", "x-replacement": "new"})),
        props(state=text(deprecated=False)) | {"x-removed": ["status"]},
    ],
    "OUT-L16": [
        {"$schema": "x", "$comment": "x", "title": "x", "x-stability": "beta"},
        props(a=text(format="uri"), **{"x-mine": text()}),
        {"examples": [{"x-mine": 1, "nullable": True}]},
    ],
}


def cases(table: dict[str, list[Any]]) -> list[Any]:
    return [
        pytest.param(rule, case, id=f"{rule}-{index}")
        for rule, some in table.items()
        for index, case in enumerate(some)
    ]


def test_there_are_sixteen_and_each_has_examples_of_both_kinds():
    rules = [f"OUT-L{number:02}" for number in range(1, 17)]
    assert list(LINTS) == list(OFFENDING) == list(INNOCENT) == rules
    assert all(one.text for one in LINTS.values())


@pytest.mark.parametrize(("rule", "case"), cases(OFFENDING))
def test_an_offence_is_found_where_it_is(rule, case):
    schema, place = case
    file = "demo/list.v1" if rule == "OUT-L11" else None
    assert found(rule, schema, file) == [place]


@pytest.mark.parametrize(("rule", "schema"), cases(INNOCENT))
def test_what_is_right_is_no_offence(rule, schema):
    file = "demo/list.v1" if rule == "OUT-L11" else None
    assert found(rule, schema, file) == []


def test_a_finding_is_a_rule_a_place_and_what_is_wrong():
    (finding,) = (f for f in run(props(error=text())) if f.rule == "OUT-L03")
    assert str(finding).startswith("OUT-L03 at /properties/error: text for people")
    assert str(run({})[0]).startswith("OUT-L11 at /$id")


def test_one_schema_that_keeps_them_all():
    schema = {
        "$id": ID,
        "type": "array",
        "x-ordered-by": "id",
        "uniqueItems": True,
        "items": props(
            "id", "health", id=text(), health=TOKENS | {"description": "H."}, problem=text()
        ),
        "examples": [
            [{"id": "1", "health": "down", "problem": "x"}],
            [{"id": "2", "health": "up"}],
        ],
    }
    assert run(schema, "demo/list.v1") == []
