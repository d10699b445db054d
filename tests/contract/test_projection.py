"""The schema of what is left when some fields are asked for."""

from __future__ import annotations

from typing import Any

import pytest

from rpcli.contract.projection import project
from rpcli.contract.registry import Schema, folder_of
from rpcli.contract.validate import DocumentValidator


def schema(surface: str, name: str) -> Schema:
    return folder_of(f"rpcli.schemas.{surface}").read(name)


def told(found: Schema, columns: list[str], document: Any) -> list[str]:
    return [str(violation) for violation in validator(found, columns).violations(document)]


def validator(found: Schema, columns: list[str]) -> DocumentValidator:
    return DocumentValidator(project(found.bundled, columns), "strict")


def shown(document: Any, columns: list[str]) -> Any:
    if isinstance(document, list):
        return [shown(one, columns) for one in document]
    return {key: value for key, value in document.items() if key in columns}


EVERY = [("pod", "list.v1"), ("pod", "get.v1"), ("pod", "update.v1"), ("ssh", "info.v1")]
EVERY += [("core", "commands.v1"), ("core", "plugin-list.v1"), ("core", "error.v1")]


@pytest.mark.parametrize(("surface", "name"), EVERY)
def test_each_field_by_itself_and_every_other_fits(surface, name):
    found = schema(surface, name)
    fields = list(found.property_names())
    for columns in [*([field] for field in fields), fields[::2], fields[1::2], fields]:
        one = validator(found, columns)
        for example in found.body["examples"]:
            assert one.violations(shown(example, columns)) == []


def test_what_is_required_and_asked_for_must_be_there():
    found = schema("pod", "list.v1")
    assert told(found, ["id", "gpuId"], [{"gpuId": "L4"}]) == ["/0/id: required"]
    assert told(found, ["gpuId"], [{}]) == []


def test_what_was_not_asked_for_must_not_be_there():
    found = schema("pod", "get.v1")
    assert "/name: propertyNames" in told(found, ["id"], {"id": "x", "name": "y"})


def test_what_is_there_is_as_it_was_described():
    found = schema("pod", "list.v1")
    columns = ["runtimeStatus", "uptimeSeconds"]
    assert told(found, columns, [{"runtimeStatus": "asleep"}]) == ["/0/runtimeStatus: enum"]
    assert told(found, columns, [{"runtimeStatus": "running", "uptimeSeconds": -1}]) == [
        "/0/uptimeSeconds: minimum"
    ]
    ssh = {"ssh": {"ready": False}}
    assert told(schema("pod", "get.v1"), ["ssh"], ssh) == [
        "/ssh/status: required",
        "/ssh/error: required",
        "/ssh/reason: required",
    ]


def test_documents_that_become_equal_are_no_mistake():
    assert told(schema("pod", "list.v1"), ["gpuCount"], [{"gpuCount": 1}, {"gpuCount": 1}]) == []


def test_a_variant_cannot_be_told_without_what_tells_it():
    found = schema("ssh", "info.v1")
    assert told(found, ["id", "port"], {"id": "x", "port": 22}) == []
    assert told(found, ["id", "port"], {"id": "x"}) == []
    assert told(found, ["id", "port"], {"id": "x", "port": "22"}) != []
