"""The three views: what is closed, where, and what stays as it is."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from rpcli.contract.validate import DocumentValidator, validate_document
from rpcli.contract.views import enforced, published, strict, view
from rpcli.errors import ContractError

RULES = json.loads((Path(__file__).parent / "compatibility_rules.json").read_text("utf-8"))


def fits(schema: dict[str, Any], document: object, name: Any) -> bool:
    return not DocumentValidator(schema, name).violations(document)


def string(**more: Any) -> dict[str, Any]:
    return {"type": "string", **more}


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["id"])
def test_the_views_tell_every_rule_s_documents_apart(rule):
    """What the new producer may print, and whether the old consumer takes it."""
    if rule["witness"] is not None:
        assert fits(rule["after"], rule["witness"], "strict")
        assert not fits(rule["before"], rule["witness"], "published")
    for document in rule["ok"]:
        assert fits(rule["after"], document, "strict")
        assert fits(rule["before"], document, "published")
    if rule["lost"] is not None:
        assert fits(rule["before"], rule["lost"], "strict")
        assert not fits(rule["after"], rule["lost"], "strict")


def test_the_rules_are_all_there():
    assert len(RULES) == 123
    assert sum(rule["witness"] is not None for rule in RULES) >= 54


# What is closed: (schema, documents that fit every view, documents that fit the published alone)
CLOSED = {
    "root": (obj(a=string()), [{}, {"a": "x"}], [{"b": 1}]),
    "nested": (obj(a=obj(b=string())), [{"a": {"b": "x"}}], [{"a": {"c": 1}}]),
    "items": ({"type": "array", "items": obj(a=string())}, [[], [{"a": "x"}]], [[{"b": 1}]]),
    "tuple": ({"type": "array", "prefixItems": [obj(a=string())]}, [[{}, 1]], [[{"b": 1}]]),
    "map_of_objects": (
        {"type": "object", "additionalProperties": obj(a=string())},
        [{"any": {"a": "x"}}],
        [{"any": {"b": 1}}],
    ),
    "pattern": (
        {"type": "object", "patternProperties": {"^p": obj(a=string())}},
        [{"p1": {"a": "x"}}],
        [{"p1": {"b": 1}}, {"q": 1}],
    ),
    "all_of_together": (
        {"allOf": [obj(a=string()), obj(b=string())]},
        [{"a": "x", "b": "y"}],
        [{"a": "x", "c": 1}],
    ),
    "ref_is_extended": (
        {"$ref": "#/$defs/base", **obj(b=string()), "$defs": {"base": obj(a=obj(x=string()))}},
        [{"a": {"x": "1"}, "b": "y"}],
        [{"c": 1}, {"a": {"y": 1}}],
    ),
    "variants_stay_apart": (
        {
            "oneOf": [
                {**obj(k={"const": 1}, a=obj(x=string())), "required": ["k"]},
                {**obj(k={"const": 2}, b=string()), "required": ["k"]},
            ]
        },
        [{"k": 1, "a": {"x": "1"}}, {"k": 2, "b": "y"}],
        [{"k": 1, "b": "y"}, {"k": 2, "a": {}}, {"k": 1, "a": {"y": 1}}],
    ),
    "then_adds_a_key": (
        {
            **obj(k={"type": "integer"}),
            "if": {"properties": {"k": {"const": 1}}},
            "then": obj(a=string()),
            "else": obj(b=string()),
        },
        [{"k": 1, "a": "x"}, {"k": 2, "b": "y"}],
        [{"k": 1, "b": "y"}, {"k": 2, "a": "x"}],
    ),
    "then_refines_a_nested_object": (
        {
            **obj(k={"type": "integer"}, ssh=obj(ip=string(), ready={"type": "boolean"})),
            "if": {"properties": {"k": {"const": 1}}},
            "then": {"properties": {"ssh": {"properties": {"ready": {"const": True}}}}},
        },
        [{"k": 1, "ssh": {"ip": "x", "ready": True}}, {"k": 2, "ssh": {"ip": "x"}}],
        [{"k": 1, "ssh": {"zz": 1}}, {"k": 2, "ssh": {"zz": 1}}],
    ),
    "two_contributions_to_a_nested_object": (
        {"allOf": [obj(a=obj(x=string())), obj(a=obj(y=string()))]},
        [{"a": {"x": "1", "y": "2"}}],
        [{"a": {"z": 1}}],
    ),
    "a_use_says_more_than_the_definition": (
        {
            "$ref": "#/$defs/base",
            **obj(a=obj(y=string())),
            "$defs": {"base": obj(a=obj(x=obj(deep=string())))},
        },
        [{"a": {"x": {"deep": "1"}, "y": "2"}}],
        [{"a": {"z": 1}}, {"a": {"x": {"other": 1}}}],
    ),
    "the_items_of_two_contributions": (
        {"allOf": [obj(a={"items": obj(x=string())}), obj(a={"items": obj(y=string())})]},
        [{"a": [{"x": "1", "y": "2"}]}],
        [{"a": [{"z": 1}]}],
    ),
    "recursion": (
        {
            "$ref": "#/$defs/node",
            "$defs": {"node": obj(v=string(), c={"items": {"$ref": "#/$defs/node"}})},
        },
        [{"v": "x", "c": [{"c": [{"v": "y"}]}]}],
        [{"c": [{"c": [{"w": 1}]}]}],
    ),
    "recursion_to_the_root": (
        obj(v=string(), c={"$ref": "#"}),
        [{"v": "x", "c": {"c": {"v": "y"}}}],
        [{"w": 1}, {"c": {"c": {"w": 1}}}],
    ),
    "recursion_to_the_root_with_more": (
        {**obj(c={"$ref": "#", **obj(more=string())}), "$id": "https://x.invalid/s/n.v1.json"},
        [{"c": {"more": "x", "c": {"more": "y"}}}],
        [{"more": "x"}, {"c": {"less": 1}}],
    ),
    "two_recursions_into_one_another": (
        {
            "allOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/m"}],
            "$defs": {
                "n": obj(a=string(), c={"$ref": "#/$defs/n"}),
                "m": obj(b=string(), c={"$ref": "#/$defs/m"}),
            },
        },
        [{"a": "1", "b": "2", "c": {"a": "1", "c": {"b": "2"}}}],
        [{"c": {"c": {"z": 1}}}],
    ),
    "variants_describe_a_key_each_in_its_way": (
        {
            "oneOf": [
                {**obj(k={"const": 1}, a=obj(x=string())), "required": ["k"]},
                {**obj(k={"const": 2}, a=obj(y=string())), "required": ["k"]},
            ]
        },
        [{"k": 1, "a": {"x": "1"}}, {"k": 2, "a": {"y": "1"}}],
        [{"k": 1, "a": {"y": "1"}}, {"k": 2, "a": {"x": "1"}}],
    ),
    "a_condition_that_does_not_hold_asks_for_nothing": (
        {
            **obj(k={"type": "integer"}, a=obj(x=string())),
            "if": {"properties": {"k": {"const": 1}}},
            "then": {"properties": {"a": {**obj(s=string()), "required": ["s"]}}},
        },
        [{"k": 2, "a": {"x": "1"}}, {"k": 1, "a": {"x": "1", "s": "2"}}],
        [{"k": 2, "a": {"z": 1}}, {"k": 1, "a": {"s": "2", "z": 1}}],
    ),
    "a_definition_with_a_key_of_the_same_name": (
        {
            "allOf": [obj(a=obj(x=string())), obj(a=obj(y=string()), b={"$ref": "#/$defs/d"})],
            "$defs": {"d": obj(a=obj(w=string()))},
        },
        [{"a": {"x": "1", "y": "2"}, "b": {"a": {"w": "3"}}}],
        [{"b": {"a": {"x": "1"}}}],
    ),
    "dependent_schemas": (
        {**obj(a=string()), "dependentSchemas": {"a": obj(b=string())}},
        [{"a": "x", "b": "y"}, {}],
        [{"b": "y"}],
    ),
}


@pytest.mark.parametrize("name", ["strict", "enforced"])
@pytest.mark.parametrize("case", CLOSED)
def test_every_object_is_closed_at_its_place(case, name):
    schema, inside, outside = CLOSED[case]
    for document in inside:
        assert fits(schema, document, name)
        assert fits(schema, document, "published")
    for document in outside:
        assert not fits(schema, document, name)
        assert fits(schema, document, "published")


# What stays as it is: (schema, a document that fits every view)
OPEN = {
    "a_map": ({"type": "object", "additionalProperties": string()}, {"any": "x"}),
    "open_on_purpose": ({**obj(a=string()), "additionalProperties": True}, {"zz": 1}),
    "anything": (obj(a={"description": "whatever"}), {"a": {"zz": 1}}),
    "anything_by_true": (obj(a=True), {"a": {"zz": 1}}),
    "no_object_at_all": (obj(a={"type": ["string", "array"]}), {"a": [{"zz": 1}]}),
    "a_condition": (
        {
            **obj(a=obj(x=string(), y=string())),
            "if": {"properties": {"a": {"required": ["x"]}}, "required": ["a"]},
            "then": {"properties": {"a": {"required": ["y"]}}},
        },
        {"a": {"x": "1", "y": "2"}},
    ),
    "a_denial": (
        {**obj(a=obj(x=string(), y=string())), "not": {"properties": {"a": {"required": ["z"]}}}},
        {"a": {"x": "1"}},
    ),
    "what_an_array_contains": (
        {"type": "array", "items": obj(a=string(), b=string()), "contains": {"required": ["a"]}},
        [{"a": "1", "b": "2"}],
    ),
}
OPEN["a_denial"][0]["not"]["required"] = ["a"]


@pytest.mark.parametrize("case", OPEN)
def test_what_is_open_on_purpose_stays_open(case):
    schema, document = OPEN[case]
    for name in ("published", "enforced", "strict"):
        assert fits(schema, document, name)


def test_a_condition_is_judged_as_it_was_written():
    """A closed question would be answered no, and what follows from it would no longer hold."""
    schema = OPEN["a_condition"][0]
    for name in ("published", "enforced", "strict"):
        assert not fits(schema, {"a": {"x": "1"}}, name)


SETS = obj(
    open=string(**{"x-extensible-enum": ["a", "b"]}),
    closed={"enum": ["a", "b"], "x-closed-because": "it is"},
)


@pytest.mark.parametrize(
    ("document", "views"),
    [
        ({"open": "a", "closed": "b"}, {"published", "enforced", "strict"}),
        ({"open": "new"}, {"published", "enforced"}),
        ({"closed": "new"}, set()),
        ({"open": 1}, set()),
    ],
)
def test_open_sets_close_in_the_strict_view_alone(document, views):
    every = ("published", "enforced", "strict")
    assert {name for name in every if fits(SETS, document, name)} == views


def test_an_open_set_in_a_condition_stays_open():
    schema = {
        **obj(a=string(), b=string()),
        "if": {"properties": {"a": {"x-extensible-enum": ["x"]}}},
        "then": {"required": ["b"]},
    }
    assert strict(schema)["if"] == schema["if"]
    assert not fits(schema, {"a": "new"}, "strict")


def test_an_open_set_of_names_closes_too():
    schema = {
        "type": "object",
        "additionalProperties": True,
        "propertyNames": {"x-extensible-enum": ["a"]},
    }
    assert fits(schema, {"a": 1}, "strict")
    assert not fits(schema, {"b": 1}, "strict")
    assert fits(schema, {"b": 1}, "enforced")


def test_what_fits_the_strict_view_fits_the_published():
    """Where two variants fit, closing one of them must not make the document fit."""
    schema = {"oneOf": [string(**{"x-extensible-enum": ["x"]}), string()]}
    assert fits(schema, "new", "strict")
    assert not fits(schema, "new", "published")
    assert [str(v) for v in validate_document(schema, "new", "strict")] == ["the document: oneOf"]


def test_the_published_view_is_the_schema_and_nothing_is_changed_in_place():
    schema = CLOSED["a_use_says_more_than_the_definition"][0]
    before = copy.deepcopy(schema)
    assert published(schema) == schema
    strict(schema)
    enforced(schema)
    assert schema == before
    assert published(schema) is not schema


def test_definitions_are_closed_where_they_are_used_and_not_where_they_are():
    schema = CLOSED["ref_is_extended"][0]
    closed = strict(schema)
    assert "unevaluatedProperties" not in closed["$defs"]["base"]
    assert closed["unevaluatedProperties"] is False
    assert closed["$defs"]["base"]["properties"]["a"]["unevaluatedProperties"] is False


def test_a_view_goes_by_its_name():
    assert view(SETS, "strict") == strict(SETS) != view(SETS, "enforced") == enforced(SETS)


def test_a_reference_out_of_the_schema_is_refused():
    with pytest.raises(ContractError, match="unresolvable reference"):
        strict({"$ref": "https://rpcli.invalid/schemas/pod/list.v1.json"})
