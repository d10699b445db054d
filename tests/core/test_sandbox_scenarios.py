"""Scenarios: those that ship, files of one's own, mappings, and what is wrong with them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st
from sandbox_calls import ask, ask_graphql
from tree import ROOT

from rpcli.contract.registry import find
from rpcli.contract.validate import validate_document
from rpcli.errors import ConfigError
from rpcli.sandbox import Sandbox, scenario_names
from rpcli.sandbox.scenario import load_scenario
from rpcli.sandbox.shape import errors

NAMES = list(scenario_names())
SCHEMA: dict[str, Any] = json.loads((ROOT / "schemas/core/scenario.v1.json").read_bytes())
SOURCES = sorted((ROOT / "rpcli/sandbox").glob("*.py"))


def violations(document: object) -> list[str]:
    return [str(found) for found in validate_document(find("core.scenario"), document, "published")]


# -- what ships


def test_what_ships_is_told_in_one_line_each() -> None:
    assert {"demo", "empty", "many", "skew", "states"} <= set(NAMES)
    for summary in scenario_names().values():
        assert summary
        assert "\n" not in summary


@pytest.mark.parametrize("name", NAMES)
def test_what_ships_fits_its_schema(name: str) -> None:
    assert violations(load_scenario(name)) == []
    assert errors(SCHEMA, load_scenario(name)) == []


@pytest.mark.parametrize("name", NAMES)
def test_what_ships_is_small(name: str) -> None:
    assert (ROOT / f"rpcli/sandbox/scenarios/{name}.json").stat().st_size < 4096


def test_demo_has_a_pod_of_each_kind() -> None:
    with Sandbox("demo") as sandbox:
        pods = {pod["name"]: pod for pod in ask(sandbox, "GET", "/v2/pods").json["pods"]}
        old = {pod["name"] for pod in ask(sandbox, "GET", "/v1/pods").json}
    assert pods.keys() == old
    assert pods["trainer"]["ssh"]["direct"]["host"] == "127.0.0.1"
    assert pods["pulling-an-image"]["runtime"] is None
    assert "22/tcp" not in pods["no-ssh-port"]["ports"]
    assert pods["no-public-address"]["ssh"]["direct"] is None
    assert pods["yesterdays-run"]["status"] == "EXITED"


def test_many_is_a_thousand() -> None:
    with Sandbox("many") as sandbox:
        assert len(ask(sandbox, "GET", "/v2/pods?limit=1000").json["pods"]) == 1000
        assert len(ask(sandbox, "GET", "/v1/pods").json) == 1000


def test_states_has_every_status_that_lists_show() -> None:
    with Sandbox("states") as sandbox:
        statuses = {pod["status"] for pod in ask(sandbox, "GET", "/v2/pods").json["pods"]}
    assert statuses == {"PROVISIONING", "STARTING", "RUNNING", "EXITED", "ERROR"}


def test_pod_key_reads_over_rest_and_not_over_graphql() -> None:
    with Sandbox("pod-key") as sandbox:
        assert ask(sandbox, "GET", "/v1/pods").status == 200
        assert ask(sandbox, "GET", "/v2/pods/pk0mine").status == 200
        assert ask(sandbox, "DELETE", "/v2/pods/pk0mine").status == 403
        assert ask_graphql(sandbox, "{ myself { id } }").status == 401


def test_flaky_fails_every_third_time() -> None:
    with Sandbox("flaky") as sandbox:
        statuses = [ask(sandbox, "GET", "/v2/pods").status for _ in range(6)]
    assert statuses == [503, 200, 200, 503, 200, 200]


# -- files


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("pods: [{id: p1, statsu: SECRET}]", "/pods/0/statsu"),
        ("pods: [{id: 7}]", "/pods/0/id"),
        ("pods: [{id: p1, status: SECRET}]", "/pods/0/status"),
        ("faults: [{plane: SECRET}]", "/faults/0/plane"),
        ("rateLimit: SECRET", "/rateLimit"),
        ("pods: [", "line"),
        ("- SECRET", "scenario"),
        ("SECRET", "scenario"),
        ("", "scenario"),
        ("\x00", "neither YAML nor JSON"),
        ("[" * 5000, "neither YAML nor JSON"),
        ("!!python/object/apply:os.system [SECRET]", "neither YAML nor JSON"),
        ("pods: [{id: p1, createdAt: SECRET}]", "RFC 3339"),
    ],
)
def test_a_file_that_does_not_fit_is_told(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(told)) as caught:
        Sandbox(str(file))
    assert "SECRET" not in caught.value.message
    assert str(file) in caught.value.message


@pytest.mark.parametrize("name", ["a.yaml", "a.yml", "a.json"])
def test_a_file_is_yaml_or_json(tmp_path: Path, name: str) -> None:
    yaml = "# mine\npods:\n  - {id: p1, graphql: {costPerHr: $nan}, createdAt: '2026-01-01'}\n"
    (tmp_path / name).write_text('{"pods": [{"id": "p1"}]}' if "json" in name else yaml)
    with Sandbox(str(tmp_path / name)) as sandbox:
        assert ask(sandbox, "GET", "/v2/pods/p1").status == 200


def test_a_time_of_yaml_is_a_text(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(
        "clock: {now: 2026-12-01T12:00:00Z, frozen: true}\npods: [{id: p1, createdAt: -1d}]"
    )
    with Sandbox(str(file)) as sandbox:
        assert ask(sandbox, "GET", "/_sandbox/clock").json == {"now": "2026-12-01T12:00:00Z"}


def test_a_name_or_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'nope': choose from demo"):
        Sandbox("nope")
    with pytest.raises(ConfigError, match="No such file"):
        Sandbox(str(tmp_path / "nope.yaml"))
    with pytest.raises(ConfigError, match="directory"):
        Sandbox(str(tmp_path))


# -- mappings


@pytest.mark.parametrize(
    ("scenario", "told"),
    [
        ({"pods": [{"id": "p", "statsu": 1}]}, "$.pods[0]: additional properties 'statsu'"),
        ({"pods": [{}]}, "$.pods[0]: missing property 'id'"),
        ({"pod": []}, "$: additional properties 'pod'"),
        ({"rateLimit": 5}, "$.rateLimit: fits none"),
        ({"faults": [{"times": 0}]}, "$.faults[0].times: less than 1"),
        ({"quirks": {"v1Errors": "odd"}}, "$.quirks.v1Errors: not one of"),
        ({"pods": [{"id": "p", "createdAt": "yesterday"}]}, "createdAt of p is neither RFC 3339"),
        ({"pods": [{"id": "p", "createdAt": "-999999999d"}]}, "createdAt of p is neither"),
        ({"pods": [{"id": "p"}, {"id": "p"}]}, "two pods have the id p"),
        ({"pods": [{"id": "p", "repeat": 2}]}, "two pods have the id p"),
    ],
)
def test_a_mapping_that_does_not_fit_is_told(scenario: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(told)):
        Sandbox(scenario)


MOMENT = {"now": "2026-12-01T12:00:00Z", "frozen": True}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("-90s", "2026-12-01T11:58:30Z"),
        ("+30m", "2026-12-01T12:30:00Z"),
        ("-2h", "2026-12-01T10:00:00Z"),
        ("+7d", "2026-12-08T12:00:00Z"),
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05Z"),
        ("2026-01-02", "2026-01-02T00:00:00Z"),
    ],
)
def test_times_are_given_or_counted_from_the_start(given: str, expected: str) -> None:
    with Sandbox({"clock": MOMENT, "pods": [{"id": "p", "createdAt": given}]}) as sandbox:
        assert ask(sandbox, "GET", "/v2/pods/p").json["createdAt"] == expected


def test_maintenance_may_be_counted_from_the_start() -> None:
    machine = {"maintenanceStart": "-1h", "maintenanceEnd": "2027-01-01", "maintenanceNote": "-1h"}
    query = "{ myself { pods { machine { maintenanceStart maintenanceEnd maintenanceNote } } } }"
    with Sandbox({"clock": MOMENT, "pods": [{"id": "p", "machine": machine}]}) as sandbox:
        (pod,) = ask_graphql(sandbox, query).json["data"]["myself"]["pods"]
    assert pod["machine"] == {
        "maintenanceStart": "2026-12-01T11:00:00.000Z",
        "maintenanceEnd": "2027-01-01",
        "maintenanceNote": "-1h",
    }


def test_copies_are_numbered() -> None:
    with Sandbox({"pods": [{"id": "a{n}b", "name": "pod {n}", "repeat": 2}]}) as sandbox:
        pods = ask(sandbox, "GET", "/v2/pods").json["pods"]
    assert [(pod["id"], pod["name"]) for pod in pods] == [
        ("a0000b", "pod 0000"),
        ("a0001b", "pod 0001"),
    ]


# -- the schema, its two readers, and the code


def test_no_keyword_of_the_schema_is_passed_over() -> None:
    """A keyword that the quick check does not know raises, wherever it stands."""
    with pytest.raises(ValueError, match="propertyNames"):
        errors({"propertyNames": {}}, {})
    for part in _parts(SCHEMA):
        errors(part, 7, SCHEMA)


def _parts(schema: Any) -> list[dict[str, Any]]:
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    inner += [schema[key] for key in ("items",) if key in schema]
    inner += (
        [schema["additionalProperties"]]
        if isinstance(schema.get("additionalProperties"), dict)
        else []
    )
    inner += schema.get("anyOf", [])
    return [schema, *(part for child in inner for part in _parts(child))]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 70000)
    | st.floats(-2, 2).filter(lambda number: not number.is_integer())
    | st.sampled_from(["", "none", "RUNNING", "GET", "v1", "close", "broken", "rpa_x", "-2h"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "x"]), inner)
    ),
    max_leaves=3,
)


@hypothesis.given(
    st.sampled_from([*SCHEMA["examples"], *(load_scenario(name) for name in NAMES)]), st.data()
)
def test_the_quick_check_and_the_validator_agree(base: dict[str, Any], data: st.DataObject) -> None:
    document = json.loads(json.dumps(base))
    node = document
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if isinstance(node, dict):
            keys += ["novel", "faults", "pods", "times", "status"]
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        known = isinstance(node, list) or key in node
        if known and isinstance(node[key], dict | list) and data.draw(st.booleans()):
            node = node[key]
            continue
        node[key] = data.draw(VALUES)
        break
    assert (errors(SCHEMA, document) == []) == (violations(document) == [])


def test_every_quirk_that_the_code_reads_is_in_the_schema_and_the_other_way_round() -> None:
    text = "\n".join(source.read_text("utf-8") for source in SOURCES)
    read = set(re.findall(r'quirks\.get\(\s*"(\w+)"', text)) | set(
        re.findall(r'quirks\["(\w+)"\]', text)
    )
    assert read == SCHEMA["properties"]["quirks"]["properties"].keys()


def test_every_key_of_the_schema_is_documented() -> None:
    page = (ROOT / "docs/sandbox.md").read_text("utf-8")
    keys = {key for part in _parts(SCHEMA) for key in part.get("properties", {})}
    assert sorted(key for key in keys if f"`{key}`" not in page) == []


def _blocks(language: str) -> list[str]:
    page = (ROOT / "docs/sandbox.md").read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.M | re.S)


@pytest.mark.parametrize("block", _blocks("yaml"))
def test_what_is_documented_can_be_played(tmp_path: Path, block: str) -> None:
    (tmp_path / "mine.yaml").write_text(block)
    with Sandbox(str(tmp_path / "mine.yaml")) as sandbox:
        assert ask(sandbox, "GET", "/v2/pods").json["pods"]


def test_what_is_documented_in_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = _blocks("python")
    exec(compile(block, "docs/sandbox.md", "exec"), {})
    assert "RUNPOD_REST_V2_URL" in capsys.readouterr().out


def test_the_platform_is_played_without_a_validator_or_yaml(tmp_path: Path) -> None:
    import subprocess
    import sys

    script = (
        "import sys; from rpcli.sandbox import Sandbox\n"
        "for scenario in ('demo', {'pods': [{'id': 'p'}]}):\n"
        "    with Sandbox(scenario): pass\n"
        "print(sorted({'jsonschema', 'yaml', 'graphql', 'requests'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout == "[]\n"
