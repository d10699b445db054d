"""The schemas that ship: valid, lint-clean, and drawn where the examples say."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tree import ROOT

import rpcli.errors
from rpcli.contract.authoring import schema_findings
from rpcli.contract.registry import OWN_BASE, Schema, find, folder_of, references
from rpcli.contract.validate import validate_document
from rpcli.core import SURFACE as CORE
from rpcli.domain.pod import RuntimeSignal
from rpcli.domain.podstate import RUNTIME_STATUSES, derive_state
from rpcli.errors import HTTP_CODES, RpcliError
from rpcli_logs import SURFACE as LOGS
from rpcli_pod import SURFACE as POD
from rpcli_ssh import SURFACE as SSH

SURFACES = (CORE, LOGS, POD, SSH)
FILES = sorted((ROOT / "schemas").glob("[a-z]*/*.json"))
#: What is read and not printed: it is closed, so that a mistyped key is told.
READ = {"core.scenario"}
PRINTED = sorted({r for surface in SURFACES for r in references(surface)} - READ)
EXAMPLES = Path(__file__).parent / "examples"


def schema(reference: str) -> Schema:
    return find(reference, SURFACES)


def examples(kind: str) -> list[Any]:
    found = []
    for file in sorted(EXAMPLES.glob(f"*/*/{kind}/*.json")):
        surface, name = file.relative_to(EXAMPLES).parts[:2]
        found.append(pytest.param(f"{surface}.{name}", file, id=f"{surface}.{name}:{file.stem}"))
    return found


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("reference", PRINTED)
def test_a_schema_keeps_every_rule_for_authors(reference):
    findings = schema_findings(schema(reference), reference.partition(".")[0])
    assert [str(finding) for finding in findings] == []


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_the_id_is_that_of_the_file(file):
    assert read(file)["$id"] == f"{OWN_BASE}{file.parent.name}/{file.name}"
    assert read(file)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("reference", sorted(READ))
def test_a_schema_of_what_is_read_is_valid_and_its_examples_fit(reference):
    found = schema(reference)
    assert len(found.body["examples"]) >= 2
    for example in found.body["examples"]:
        assert validate_document(found, example, "published") == []
        assert validate_document(found, {**example, "mistyped": 1}, "published") != []


def test_every_schema_belongs_to_a_command_or_to_the_frame():
    claimed = {
        f"{surface.name}.{spec.schema.removesuffix('.v1')}"
        for surface in SURFACES
        for spec in surface.commands.values()
        if spec.schema
    }
    assert {*PRINTED, *READ} == claimed | {
        "core.error",
        "core.surface",
        "core.scenario",
        "logs.summary",
    }
    assert len(FILES) == len(PRINTED) + len(READ)


@pytest.mark.parametrize(("reference", "file"), examples("positive"))
def test_what_should_fit_fits_every_view(reference, file):
    for view in ("published", "enforced", "strict"):
        assert validate_document(schema(reference), read(file), view) == []


@pytest.mark.parametrize(("reference", "file"), examples("negative"))
def test_what_should_not_fit_fails_for_the_reason_in_its_name(reference, file):
    violations = validate_document(schema(reference), read(file), "strict")
    assert file.stem.partition("_")[0] in {violation.rule for violation in violations}


@pytest.mark.parametrize("reference", PRINTED)
def test_there_are_examples_of_both_kinds(reference):
    folder = EXAMPLES / reference.replace(".", "/")
    assert len(list((folder / "positive").iterdir())) >= 2
    assert len(list((folder / "negative").iterdir())) >= 5


def _objects(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        yield path
        for key, child in value.items():
            yield from _objects(child, (*path, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _objects(child, (*path, index))


@pytest.mark.parametrize(("reference", "file"), examples("positive"))
def test_an_unknown_key_breaks_the_strict_view_and_no_consumer(reference, file):
    """At every object, however deep: published objects are open, and no key ships unpinned."""
    document = read(file)
    maps = {("env",), ("commands",)}
    for path in _objects(document):
        if path in maps:
            continue
        changed = copy.deepcopy(document)
        at = changed
        for token in path:
            at = at[token]
        at["zz"] = 1
        assert validate_document(schema(reference), changed, "published") == []
        place = "".join(f"/{token}" for token in (*path, "zz"))
        for view in ("enforced", "strict"):
            violations = validate_document(schema(reference), changed, view)
            assert [str(v) for v in violations] == [f"{place}: unevaluatedProperties"]


@pytest.mark.parametrize(
    ("reference", "change"),
    [
        ("pod.list", {"runtimeStatusReason": "moved_by_runpod", "runtimeStatus": "stopped"}),
        ("pod.list", {"desiredStatus": "HIBERNATED", "platformStatus": "HIBERNATED"}),
        ("core.error", {"code": "gpu_on_fire"}),
        ("core.plugin-list", {"health": "sleepy"}),
    ],
)
def test_a_new_word_in_an_open_set_passes_at_run_time_only(reference, change):
    document = copy.deepcopy(schema(reference).body["examples"][-2])
    (document[0] if isinstance(document, list) else document).update(change)
    if reference == "pod.list":
        document[0].pop("uptimeSeconds", None)
    assert validate_document(schema(reference), document, "published") == []
    assert validate_document(schema(reference), document, "enforced") == []
    assert {v.rule for v in validate_document(schema(reference), document, "strict")} == {"enum"}


def test_the_words_of_the_runtime_state_are_those_of_the_schema():
    body = schema("pod.list").body["$defs"]
    assert body["runtimeStatus"]["enum"] == list(RUNTIME_STATUSES)
    statuses = body["pod"]["properties"]["platformStatus"]["x-extensible-enum"]
    statuses = [*statuses, *body["pod"]["properties"]["desiredStatus"]["x-extensible-enum"], "NEW"]
    changes = ["Exited by user:", "Exited by Runpod", "Outbid", "Terminated by user", None]
    changes += ["Terminated by RunPod: 1"]
    derived = {
        derive_state(generation, status, signal, change).reason
        for generation in ("v2", "classic")
        for status, signal, change in itertools.product(statuses, RuntimeSignal, changes)
    }
    reasons = body["pod"]["properties"]["runtimeStatusReason"]["x-extensible-enum"]
    assert derived - {None} == set(reasons) - {"host_maintenance"}
    info = schema("ssh.info").body["$defs"]["not_ready"]["properties"]["reason"]
    assert {*reasons, *RUNTIME_STATUSES} - {"running"} <= set(info["x-extensible-enum"])


def test_every_code_of_an_error_is_in_the_schema():
    raised = {
        value.code
        for value in vars(rpcli.errors).values()
        if isinstance(value, type) and issubclass(value, RpcliError)
    }
    codes = schema("core.error").body["properties"]["code"]["x-extensible-enum"]
    assert raised | set(HTTP_CODES.values()) | {"server_error"} == set(codes)


def test_the_ssh_of_a_pod_is_ssh_info_less_id_and_name():
    info = {"id": "a", "name": "b"}
    for example in schema("ssh.info").body["examples"]:
        rest = {key: value for key, value in example.items() if key not in info}
        pod = {**schema("pod.get").body["examples"][0], "ssh": rest}
        assert validate_document(schema("pod.get"), pod, "strict") == []
        pod["ssh"] = example
        assert {v.pointer for v in validate_document(schema("pod.get"), pod, "strict")} == {
            "/ssh/id",
            "/ssh/name",
        }


def test_a_list_shows_a_part_of_what_get_shows():
    fields = schema("pod.list").property_names()
    assert set(fields) < set(schema("pod.get").property_names())
    assert schema("pod.update").property_names() == schema("pod.get").property_names()
    for pod in schema("pod.get").body["examples"]:
        shown = {key: value for key, value in pod.items() if key in fields}
        assert validate_document(schema("pod.list"), [shown], "strict") == []


@pytest.mark.parametrize(
    ("count", "rule"), [(1, None), (1.0, None), ("1", "type"), (True, "type"), (1.5, "type")]
)
def test_e07_a_whole_number_is_an_integer_and_text_is_not(count, rule):
    document = copy.deepcopy(schema("pod.list").body["examples"][0])
    document[0]["gpuCount"] = count
    expected = [] if rule is None else [f"/0/gpuCount: {rule}"]
    assert [str(v) for v in validate_document(schema("pod.list"), document)] == expected


def test_the_folders_of_schemas_hold_nothing_else():
    for surface in SURFACES:
        names = folder_of(surface.schemas).names()
        assert names == sorted(names)
        assert len(names) == len(list((ROOT / "schemas" / surface.name).iterdir()))
