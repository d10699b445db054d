"""Validation: no value told, every validator kept, no traceback. Cases E04, E05, E08."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import OrderedDict
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import jsonschema
import pytest

from rpcli.contract.enforce import check_output
from rpcli.contract.registry import SchemaFolder, find, folder_of
from rpcli.contract.validate import MOST, DocumentValidator, validate_document, validator_of
from rpcli.contract.violation import LONGEST_NAME, LONGEST_POINTER, Violation
from rpcli.errors import ContractError
from rpcli.surface import CommandSpec, Surface

POD = Surface(
    name="pod",
    schemas="rpcli.schemas.pod",
    commands={
        "pod list": CommandSpec("List", "list.v1", "list"),
        "pod gone": CommandSpec("Gone", "gone.v1", "list"),
        "pod talk": CommandSpec("Talk", output="text"),
    },
)
SECRET = "rpa_THIS_IS_A_SECRET"


def told(schema: dict[str, Any], document: object, view: Any = "enforced") -> list[str]:
    return [str(violation) for violation in validate_document(schema, document, view)]


LONG = "s" * 1_000_000


@pytest.mark.parametrize("value", [SECRET, LONG, [SECRET], {"k": SECRET}, 918273645])
def test_e04_no_message_holds_a_value(value):
    document = dict.fromkeys("tecpfnou", value)
    schema = {
        "properties": {
            "t": {"type": "null"},
            "e": {"enum": ["x"]},
            "c": {"const": "x"},
            "p": {"type": "null", "pattern": "^x"},
            "f": {"type": "boolean", "format": "date"},
            "n": {"not": {}},
            "o": {"oneOf": [{"const": 1}, {"const": 2}]},
        }
    }
    text = str(validate_document(schema, document))
    for secret in (SECRET, "918273645", "sss"):
        assert secret not in text
    assert len(text) < 1000
    assert told(schema, document)[-1] == "/u: unevaluatedProperties"


def test_e04_a_pod_with_a_token_and_one_wrong_type():
    pod = json.loads(json.dumps(find("pod.get", [POD]).body["examples"][0]))
    pod["env"] = {"HF_TOKEN": SECRET, "PORT": 8080}
    assert told(find("pod.get", [POD]), pod, "strict") == ["/env/PORT: type"]
    with pytest.raises(ContractError) as caught:
        check_output(POD, "pod list", [{"id": SECRET, "env": {SECRET: SECRET * 10}}])
    assert SECRET not in str(caught.value.to_document())
    assert "'pod list'" in caught.value.message
    assert "/0/name: required" in caught.value.message


def test_e04_the_names_of_keys_are_short_and_harmless():
    schema = {"additionalProperties": {"additionalProperties": {"type": "null"}}}
    (found,) = validate_document(schema, {LONG: {"\x1b[31m/~": 1}})
    assert found.pointer == f"/{'s' * (LONGEST_NAME - 1)}…/\\x1b[31m~1~0"
    deep: dict[str, Any] = {"type": "null"}
    document: Any = 1
    for _ in range(20):
        deep, document = {"additionalProperties": deep}, {LONG: document}
    (found,) = validate_document(deep, document)
    assert len(found.pointer) == LONGEST_POINTER


def test_e04_no_more_than_twenty_things_are_told():
    schema = {"additionalProperties": {"type": "null"}}
    assert len(validate_document(schema, dict.fromkeys("abcdefghijklmnopqrstuvwxyz", 1))) == MOST
    keys = [f"k{number}" for number in range(100)]
    assert len(validate_document({"required": keys}, {})) == MOST
    with pytest.raises(ContractError, match=r"and more$"):
        check_output(POD, "pod list", [{}])


@pytest.fixture
def counted(monkeypatch) -> dict[str, int]:
    """Count how often jsonschema checks a schema."""
    counts = {"check_schema": 0}
    original = jsonschema.Draft202012Validator.check_schema

    def check(cls: type, schema: Any, **more: Any) -> None:
        counts["check_schema"] += 1
        original(schema, **more)

    monkeypatch.setattr(jsonschema.Draft202012Validator, "check_schema", classmethod(check))
    return counts


def test_e05_a_schema_is_checked_once_for_sixty_thousand_documents(counted, tmp_path):
    """The validator of a schema that ships is kept from one document to the next."""
    validator_of.cache_clear()
    (tmp_path / "error.v1.json").write_text(json.dumps(find("core.error").body))
    schema = SchemaFolder(tmp_path, "a stranger's").read("error.v1")
    frame = {"error": "x", "code": "timeout"}
    for status in range(60_000):
        assert validate_document(schema, {**frame, "status": 100 + status % 500}) == []
    assert counted["check_schema"] == 1
    assert validator_of.cache_info().misses == 1
    assert validate_document(schema, frame, "published") == []
    assert counted["check_schema"] == 1


def test_our_own_schemas_are_not_checked_at_each_run(counted):
    """The other tests hold them valid; a run would pay for it more than for all else."""
    validator_of.cache_clear()
    assert validate_document(find("core.error"), {"error": "x", "code": "timeout"}) == []
    assert counted["check_schema"] == 0


def test_e05_commands_share_what_is_kept(counted):
    check_output(POD, "pod list", [])
    made, counted["check_schema"] = validator_of.cache_info().misses, 0
    for _ in range(100):
        check_output(POD, "pod list", [])
    assert validator_of.cache_info().misses == made
    assert counted["check_schema"] == 0


def nested(depth: int) -> Any:
    document: Any = {}
    for _ in range(depth):
        document = {"c": document}
    return document


RECURSIVE = {"$ref": "#/$defs/n", "$defs": {"n": {"properties": {"c": {"$ref": "#/$defs/n"}}}}}


@pytest.mark.parametrize("depth", [300, 3000, 100_000])
@pytest.mark.parametrize("schema", [RECURSIVE, {"type": "object", "additionalProperties": True}])
def test_e08_a_document_that_is_too_deep_is_an_error_and_no_traceback(schema, depth):
    validator = DocumentValidator(schema)
    if depth == 300 and schema is not RECURSIVE:
        assert validator.violations(nested(depth)) == []
        return
    with pytest.raises(ContractError, match="nested too deeply") as caught:
        validator.violations(nested(depth))
    assert caught.value.__suppress_context__


def test_e08_a_document_of_some_depth_is_checked():
    assert told(RECURSIVE, nested(10)) == []
    deep = nested(10)
    deep["c"]["c"]["d"] = 1
    assert told(RECURSIVE, deep) == ["/c/c/d: unevaluatedProperties"]


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"a": float("nan")}, "/a: json"),
        ({"a": [1, float("-inf")]}, "/a/1: json"),
        ({"a": datetime(2026, 1, 1, tzinfo=UTC)}, "/a: json"),
        ({"a": {1, 2}}, "/a: json"),
        ({"a": {22: 1}}, "/a: json"),
        (b"x", "the document: json"),
    ],
)
def test_what_no_json_can_hold_is_told(document, place):
    assert told({}, document) == [place]


def test_tuples_and_mappings_are_what_json_makes_of_them():
    schema = {"type": "array", "items": {"type": "object", "required": ["a"]}}
    document = (OrderedDict(a=1), MappingProxyType({"a": 2}))
    assert told(schema, document, "published") == []


def test_equal_elements_are_found_as_json_schema_has_it():
    schema = {"uniqueItems": True}
    assert told(schema, [1, True, "1", None, [1], {"a": 1}, {"a": True}, [], {}]) == []
    assert told(schema, [1, 2, 1.0, {"a": [1]}, {"a": [1.0]}]) == [
        "/2: uniqueItems",
        "/4: uniqueItems",
    ]
    assert told({"uniqueItems": False}, [1, 1]) == []
    assert told(schema, "aa") == []


VARIANTS = {
    "oneOf": [
        {
            "required": ["k", "a"],
            "properties": {"k": {"const": "A"}, "a": {"type": "string"}},
        },
        {"required": ["k", "b"], "properties": {"k": {"const": "B"}, "b": {"type": "integer"}}},
    ]
}


@pytest.mark.parametrize(
    ("document", "places"),
    [
        ({"k": "A", "a": 1}, ["/a: type"]),
        ({"k": "B"}, ["/b: required"]),
        ({"k": "B", "b": 1, "a": "x"}, ["/a: unevaluatedProperties"]),
        ({"k": "C"}, ["the document: oneOf"]),
        ({}, ["the document: oneOf"]),
        ("x", []),
    ],
)
def test_of_variants_the_one_that_was_meant_is_judged(document, places):
    schema = VARIANTS if document != "x" else {"oneOf": [{"type": "string"}, {"type": "integer"}]}
    assert told(schema, document) == places


def test_a_key_that_is_unknown_only_because_its_branch_failed_is_not_told():
    schema = {
        "allOf": [{"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}],
        "properties": {"o": {"$ref": "#/$defs/o"}},
        "$defs": {"o": {"properties": {"x": {"type": "string"}, "y": {"type": "string"}}}},
    }
    assert told(schema, {"a": 1, "b": "x"}) == ["/a: type"]
    assert told(schema, {"a": 1, "b": "x", "c": 1}) == ["/a: type", "/c: unevaluatedProperties"]
    assert told(schema, {"o": {"x": 1, "y": "1", "z": 1}}) == [
        "/o/x: type",
        "/o/z: unevaluatedProperties",
    ]


@pytest.mark.parametrize(
    ("schema", "document", "place"),
    [
        ({"required": ["a"]}, {}, "/a: required"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "/b: dependentRequired"),
        ({"additionalProperties": False}, {"a": 1}, "/a: additionalProperties"),
        (
            {
                "properties": {"a": {}},
                "patternProperties": {"^p": {}},
                "additionalProperties": False,
            },
            {"a": 1, "p": 1, "z": 1},
            "/z: additionalProperties",
        ),
        (
            {"propertyNames": {"pattern": "^a"}, "additionalProperties": True},
            {"z": 1},
            "/z: propertyNames",
        ),
        ({"properties": {"a": False}}, {"a": 1}, "/a: false"),
        ({"unevaluatedProperties": False}, {"a": 1}, "/a: unevaluatedProperties"),
        ({"unevaluatedProperties": {"type": "string"}}, {"a": 1}, "/a: unevaluatedProperties"),
    ],
)
def test_a_key_is_told_by_its_own_place(schema, document, place):
    assert told(schema, document, "published") == [place]


def test_a_violation_reads_as_a_place_and_a_rule():
    assert str(Violation("", "type")) == "the document: type"
    assert str(Violation("/a/0", "type")) == "/a/0: type"


def test_the_output_of_a_command_that_fits_passes():
    check_output(
        POD, "pod list", folder_of("rpcli.schemas.pod").read("list.v1").body["examples"][0]
    )


@pytest.mark.parametrize("words", ["pod talk", "pod no", "pod gone"])
def test_output_without_a_schema_cannot_be_enforced(words):
    with pytest.raises(ContractError, match="no schema"):
        check_output(POD, words, [])


def test_the_package_imports_nothing_heavy():
    """Nor does anything but validation itself need jsonschema."""
    code = (
        "import sys\n"
        "import rpcli.contract\n"
        "heavy = {'jsonschema', 'referencing', 'rpds', 'importlib.resources', 'json', 're'}\n"
        "light = {name for name in sys.modules if name.startswith('rpcli')}\n"
        "import rpcli.contract.enforce, rpcli.contract.views, rpcli.contract.lints\n"
        "import rpcli.contract.authoring, rpcli.contract.projection\n"
        "print(sorted(light), sorted({'jsonschema', 'referencing'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "['rpcli', 'rpcli.contract'] []\n"
