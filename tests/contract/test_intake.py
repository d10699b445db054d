"""What is taken as a schema: nothing is fetched, one dialect is read. Cases E02 and E03."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from rpcli.contract.validate import DocumentValidator, validate_document
from rpcli.errors import ContractError

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def message(schema: dict[str, Any]) -> str:
    with pytest.raises(ContractError) as caught:
        DocumentValidator(schema)
    return f"{caught.value.message} ({caught.value.hint})"


class Listener:
    """A real server that counts who connects, and answers nobody."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.connections = 0
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            with connection:
                if connection.recv(64) == b"stop":
                    return
                self.connections += 1

    def stop(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(b"stop")
        self._thread.join()
        self._socket.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    running = Listener()
    yield running
    running.stop()


def test_the_listener_counts(listener):
    with socket.create_connection(("127.0.0.1", listener.port)) as connection:
        connection.sendall(b"GET /")
        assert connection.recv(1) == b""
    assert listener.connections == 1


REMOTE = [
    {"$ref": "{url}"},
    {"properties": {"a": {"items": {"$ref": "{url}#/$defs/x"}}}},
    {"$id": "{url}", "properties": {"a": {"$ref": "other.json"}}},
    {"$defs": {"x": {"$id": "{url}", "$ref": "more.json"}}, "$ref": "#/$defs/x"},
    {"x-mine": {"$ref": "{url}"}, "$ref": "#/x-mine"},
    {"not": {"$ref": "{url}"}},
]


@pytest.mark.parametrize("schema", REMOTE)
@pytest.mark.parametrize("view", ["published", "enforced", "strict"])
def test_e02_a_remote_reference_makes_no_connection(listener, schema, view):
    url = f"http://127.0.0.1:{listener.port}/s.json"
    schema = json.loads(json.dumps(schema).replace("{url}", url))
    with pytest.raises(ContractError, match=r"unresolvable reference '.+'"):
        validate_document(schema, {"a": [{}]}, view)
    assert listener.connections == 0


@pytest.mark.parametrize("keyword", ["$dynamicRef", "$schema"])
def test_e02_nor_does_any_other_keyword_with_an_address(listener, keyword):
    url = f"http://127.0.0.1:{listener.port}/s.json"
    with pytest.raises(ContractError, match=r"unresolvable reference|dialect"):
        validate_document({keyword: url}, {"a": 1}, "published")
    assert listener.connections == 0


def test_e02_what_ships_resolves_with_the_network_off():
    """In a process of its own that can make no socket."""
    code = (
        "import sys\n"
        "def refuse(event, args):\n"
        "    if event.startswith('socket.'): raise SystemExit(event)\n"
        "sys.addaudithook(refuse)\n"
        "from rpcli.contract.registry import folder_of\n"
        "from rpcli.contract.validate import validate_document\n"
        "schema = folder_of('rpcli.schemas.pod').read('get.v1')\n"
        "print(len(validate_document(schema, schema.body['examples'][0], 'strict')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("0\n", "", 0)


@pytest.mark.parametrize(
    "dialect",
    ["http://x/y", "http://json-schema.org/draft-07/schema#", "", 7, f"{DIALECT}/x"],
)
def test_e03_an_unknown_dialect_is_refused_by_name(dialect):
    text = message({"$schema": dialect})
    assert f"dialect '{dialect}'" in text
    assert "2020-12" in text


def test_e03_an_embedded_dialect_too():
    text = message({"$defs": {"a": {"$schema": "http://x/y"}}})
    assert "at /$defs/a is written in the dialect 'http://x/y'" in text


@pytest.mark.parametrize("dialect", [DIALECT, f"{DIALECT}#"])
def test_e03_the_known_dialect_is_taken(dialect):
    assert [
        str(violation) for violation in validate_document({"$schema": dialect, "type": "string"}, 1)
    ] == ["the document: type"]


def test_e03_items_as_an_array_is_the_form_of_older_drafts():
    text = message({"properties": {"a": {"items": [{"type": "string"}]}}})
    assert "at /properties/a has an array under 'items'" in text
    assert "prefixItems" in text


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"type": "text"}, "/type: "),
        ({"properties": {"a": {"pattern": "("}}}, "/properties/a/pattern: format"),
        ({"required": "a"}, "/required: type"),
        ({"properties": []}, "/properties: type"),
        ({"allOf": {}}, "/allOf: type"),
        ({"$defs": {"a": 1}}, "/$defs/a: type"),
        ({"x-extensible-enum": "a"}, "'x-extensible-enum' is no list"),
    ],
)
def test_a_schema_that_is_none_is_refused_with_the_place(schema, place):
    assert place in message(schema)


def test_e08_a_schema_that_is_too_deep_is_an_error():
    schema: dict[str, Any] = {}
    for _ in range(3000):
        schema = {"items": schema}
    assert "nested too deeply" in message(schema)
