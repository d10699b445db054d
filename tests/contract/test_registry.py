"""Where schemas are found: a stranger's package alike, and nothing that cannot be read."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rpcli.contract.authoring import command_findings, schema_findings
from rpcli.contract.enforce import check_output
from rpcli.contract.registry import SchemaFolder, command_schema, find, folder_of, references
from rpcli.contract.validate import validate_document
from rpcli.errors import ContractError
from rpcli.surface import CommandSpec, Surface

BASE = "https://stranger.invalid/schemas/stranger"
POD = "https://rpcli.invalid/schemas/pod/list.v1.json#/$defs/pod"
Make = Callable[..., Surface]


def listing(**properties: Any) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{BASE}/list.v1.json",
        "type": "array",
        "x-ordered-by": "name",
        "items": {"type": "object", "required": ["name"], "properties": properties},
        "examples": [[{"name": "a"}, {"name": "b"}], []],
    }


NAME = {"type": "string", "description": "A name."}


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Any) -> Make:
    """Make a package with schemas, and a surface that points there; nothing knows it before."""
    package = f"stranger_{abs(hash(request.node.nodeid))}"
    monkeypatch.syspath_prepend(tmp_path)

    def make(init: str | None = "", **files: Any) -> Surface:
        folder = tmp_path / package / "schemas"
        folder.mkdir(parents=True)
        (tmp_path / package / "__init__.py").write_text("")
        if init is not None:
            (folder / "__init__.py").write_text(init)
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            (folder / f"{name}.v1.json").write_text(text)
        importlib.invalidate_caches()
        commands = {
            f"stranger {name}": CommandSpec("S", f"{name}.v1", "list") for name in ("list", "gone")
        }
        return Surface(name="stranger", schemas=f"{package}.schemas", commands=commands)

    return make


def message(act: Callable[[], object]) -> str:
    with pytest.raises(ContractError) as caught:
        act()
    return f"{caught.value.message} ({caught.value.hint})"


@pytest.mark.parametrize("init", ["", None], ids=["package", "namespace"])
def test_a_stranger_s_schemas_are_found_like_our_own(stranger, init):
    surface = stranger(init, list=listing(name=NAME))
    assert references(surface) == ["stranger.list"]
    assert find("stranger.list", [surface]) is command_schema(surface, "stranger list")
    assert find("stranger.list.v1", [surface]).major == 1
    assert find("stranger.list", [surface]).property_names() == ("name",)
    assert command_findings(surface, "stranger list") == []
    check_output(surface, "stranger list", [{"name": "x"}])
    with pytest.raises(ContractError, match=r"/0/zz: unevaluatedProperties$"):
        check_output(surface, "stranger list", [{"name": "x", "zz": 1}])


def test_our_own_are_found_by_reference():
    assert str(find("core.error")) == "rpcli.schemas.core/error.v1.json"
    assert find("core.error") is folder_of("rpcli.schemas.core").read("error.v1")


def test_a_stranger_may_refer_to_our_schemas_and_to_its_own(stranger):
    other = {"$id": f"{BASE}/show.v1.json", "$defs": {"gpu": NAME}}
    surface = stranger(
        list=listing(name=NAME, pod={"$ref": POD}, gpu={"$ref": "show.v1.json#/$defs/gpu"}),
        show=other,
    )
    schema = find("stranger.list", [surface])
    assert set(schema.bundled["$defs"]) == {POD.partition("#")[0], f"{BASE}/show.v1.json"}
    pod = find("pod.list", [Surface("pod", "rpcli.schemas.pod")]).body["examples"][0][0]
    assert validate_document(schema, [{"name": "x", "pod": pod, "gpu": "L4"}], "strict") == []
    document = [{"name": "x", "pod": {**pod, "zz": 1}, "gpu": 1}]
    places = {v.pointer for v in validate_document(schema, document, "enforced")}
    assert places == {"/0/pod/zz", "/0/gpu"}


@pytest.mark.parametrize(
    "reference",
    [
        "https://stranger.invalid/elsewhere.json",
        "https://rpcli.invalid/schemas/pod/nothing.v1.json",
        "https://rpcli.invalid/schemas/../../secret.v1.json",
        "https://rpcli.invalid/schemas/pod/list.v1.json#/$defs/nothing",
        "file:///etc/passwd",
        "#/$defs/nothing",
        "show.v1.json",
        "list.v1.json#anchor",
        7,
    ],
)
def test_a_reference_that_leads_nowhere_is_an_error_with_its_place(stranger, reference):
    surface = stranger(list=listing(name={"$ref": reference}))
    schema = find("stranger.list", [surface])
    (finding,) = schema_findings(schema, "stranger")
    assert f"{surface.schemas}/list.v1.json" in finding.message
    if reference == 7:
        assert "/items/properties/name/$ref: type" in finding.message
    else:
        text = f"unresolvable reference '{reference}' at /items/properties/name"
        assert text in message(lambda: validate_document(schema, []))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is not JSON: line 1, column 1"),
        ('{"a":\n  nope}', "is not JSON: line 2, column 3"),
        ('{"a": NaN}', "is not JSON: NaN is no JSON"),
        ('{"type": "array", "type": "object"}', "is not JSON: a key is there twice"),
        ("[" * 100_000, "is not JSON: it is nested too deeply"),
        ("[]", "is no JSON object"),
        ("true", "is no JSON object"),
    ],
)
def test_a_file_that_is_no_schema_is_named(stranger, content, told):
    surface = stranger(list=content)
    text = message(lambda: check_output(surface, "stranger list", []))
    assert f"the schema {surface.schemas}/list.v1.json {told}" in text
    (finding,) = command_findings(surface, "stranger list")
    assert told in finding.message


def test_text_that_is_no_utf8_is_named(stranger, tmp_path):
    surface = stranger()
    (next(tmp_path.glob("*/schemas")) / "list.v1.json").write_bytes(b'{"title": "\xff"}')
    text = message(lambda: check_output(surface, "stranger list", []))
    assert "is not JSON: it is not UTF-8" in text


def test_a_schema_that_is_not_there_is_named(stranger):
    surface = stranger(list=listing(name=NAME))
    for act in (
        lambda: check_output(surface, "stranger gone", []),
        lambda: find("stranger.gone", [surface]),
    ):
        assert f"there is no schema {surface.schemas}/gone.v1.json" in message(act)


@pytest.mark.parametrize("name", ["../list.v1", "list", "list.v0", "list.v1.json", "List.v1", ""])
def test_a_name_that_is_none_is_not_looked_for(stranger, name):
    surface = stranger(list=listing(name=NAME))
    assert "no name of a schema file" in message(lambda: folder_of(surface.schemas).read(name))


@pytest.mark.parametrize("reference", ["nothing.list", "list", "", "stranger.", "a.b.c", "../x.y"])
def test_an_unknown_reference_lists_the_surfaces(stranger, reference):
    surface = stranger(list=listing(name=NAME))
    assert "surfaces: core, stranger" in message(lambda: find(reference, [surface]))


@pytest.mark.parametrize("init", ["raise RuntimeError('no')", "import sys\nsys.exit(3)", "1 +"])
def test_a_package_that_fails_at_import_is_named(stranger, init):
    surface = stranger(init, list=listing(name=NAME))
    text = message(lambda: check_output(surface, "stranger list", []))
    assert f"package of schemas '{surface.schemas}' cannot be imported" in text


@pytest.mark.parametrize("package", ["no_such_package", "", ".", "no such package"])
def test_a_package_that_is_not_there_is_named(package):
    assert "cannot be imported" in message(lambda: folder_of(package))


def test_what_was_read_is_kept(stranger):
    surface = stranger(list=listing(name=NAME))
    assert folder_of(surface.schemas) is folder_of(surface.schemas)
    assert find("stranger.list", [surface]) is find("stranger.list", [surface])


def test_the_highest_major_is_the_one_that_is_meant(tmp_path):
    for major in (1, 2, 10):
        (tmp_path / f"list.v{major}.json").write_text(json.dumps({"title": str(major)}))
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "list.vx.json").write_text("")
    folder = SchemaFolder(tmp_path, "a folder")
    assert folder.names() == ["list.v1", "list.v2", "list.v10"]
    assert folder.newest("list").body == {"title": "10"}
    assert str(folder.read("list.v2")) == "a folder/list.v2.json"


def test_a_folder_that_is_none_is_named(tmp_path):
    assert "no folder of schemas nowhere" in message(SchemaFolder(tmp_path / "x", "nowhere").names)


def test_nothing_of_a_stranger_is_imported_to_find_our_own(stranger):
    surface = stranger("raise RuntimeError('no')")
    assert find("core.error", [surface]).major == 1
    assert surface.schemas not in sys.modules
