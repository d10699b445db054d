"""Hold answers, and the bodies that are sent, to the published OpenAPI documents.

``tests/core/openapi`` has the two documents, trimmed; REST v1 is OpenAPI 3.0.3, REST v2 is 3.1.0.
Paths are those of the sandbox: ``/v1/pods/abc``, ``/v2/pods/abc``; formats are not asserted.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openapi_schema_validator import OAS30Validator, OAS31Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT4, DRAFT202012

DOCUMENTS = Path(__file__).parents[1] / "core" / "openapi"


@dataclass(frozen=True)
class Operation:
    """One operation of a published document.

    :ivar template: its path as the sandbox serves it, ``/v1/pods/{podId}``
    """

    api: Api
    method: str
    template: str
    spec: Mapping[str, Any]

    @property
    def statuses(self) -> frozenset[int]:
        """The statuses that are documented one by one."""
        return frozenset(int(status) for status in self.spec["responses"] if status.isdecimal())


class Api:
    """A published document, and a validator for what is under a pointer in it."""

    def __init__(self, name: str, prefix: str) -> None:
        self.name = name
        self.document = json.loads((DOCUMENTS / f"{name}.json").read_text(encoding="utf-8"))
        old = self.document["openapi"].startswith("3.0.")
        self._validator: Any = OAS30Validator if old else OAS31Validator
        specification: Any = DRAFT4 if old else DRAFT202012
        resource = Resource(contents=self.document, specification=specification)
        self._registry: Any = Registry().with_resource(f"urn:{name}", resource)
        self.operations = [
            Operation(self, method.upper(), prefix + path, spec)
            for path, item in self.document["paths"].items()
            for method, spec in item.items()
            if method != "parameters"
        ]

    def follow(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give what a part of the document refers to, or the part itself."""
        while "$ref" in node:
            words = node["$ref"].removeprefix("#/").split("/")
            node = functools.reduce(lambda part, word: part[word], words, self.document)
        return node

    def faults(self, schema: Mapping[str, Any], value: object) -> list[str]:
        """Say where a value does not conform to a schema of the document."""
        absolute = json.loads(json.dumps(schema).replace('"#/', f'"urn:{self.name}#/'))
        found = self._validator(absolute, registry=self._registry).iter_errors(value)
        return [f"{error.json_path}: {error.message}" for error in found]


@functools.cache
def published() -> tuple[Api, ...]:
    """Give both documents."""
    return Api("rest-v1", "/v1"), Api("rest-v2", "")


def find_operation(method: str, path: str) -> Operation:
    """Find the operation of a request; its path may have a query.

    :raises AssertionError: none is documented
    """
    path = path.partition("?")[0]
    for api in published():
        for operation in api.operations:
            pattern = re.sub(r"\{\w+\}", "[^/]+", operation.template)
            if operation.method == method and re.fullmatch(pattern, path):
                return operation
    raise AssertionError(f"{method} {path} is not documented, or trim.py left it out")


def assert_conforms(
    method: str, path: str, status: int, body: object, content_type: str | None = None
) -> None:
    """Hold an answer to the published document.

    :param body: the decoded JSON; None for an empty body
    :param content_type: held to the documented ones where it is given
    :raises AssertionError: the status is not documented, or the answer does not conform
    """
    operation = find_operation(method, path)
    responses = operation.spec["responses"]
    told = f"{method} {operation.template} {status}"
    node = responses.get(str(status), responses.get("default"))
    assert node is not None, f"{told} is not documented"
    content = operation.api.follow(node).get("content", {})
    if not content:
        assert status != 204 or body is None, f"{told}: a body where there is none"
        return
    if content_type is not None:
        assert content_type.partition(";")[0] in content, f"{told}: {content_type}"
    (media,) = content.values()
    faults = operation.api.faults(media["schema"], body)
    assert not faults, "\n".join([told, *faults])


def assert_request_conforms(method: str, path: str, body: object) -> None:
    """Hold the body of a request to the published document.

    :raises AssertionError: it does not conform, or none is documented
    """
    operation = find_operation(method, path)
    told = f"the body of {method} {operation.template}"
    assert "requestBody" in operation.spec, f"{told} is not documented"
    request = operation.api.follow(operation.spec["requestBody"])
    faults = operation.api.faults(request["content"]["application/json"]["schema"], body)
    assert not faults, "\n".join([told, *faults])
