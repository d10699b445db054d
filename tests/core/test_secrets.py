"""The key in no error and no log: not the half of it, and not as JSON writes it. D22."""

from __future__ import annotations

import json

import pytest

KEY = "rpa_SECRETKEY9f8e7d6c5b4a3210ZZYY"


def _account(key, **fault):
    return {"account": {"apiKey": key}, "pods": [], "faults": [fault]}


@pytest.mark.parametrize("api", ["v2", "classic"])
@pytest.mark.parametrize("before", [*range(60, 105, 5), 990, 2000])
def test_an_excerpt_that_is_cut_inside_the_key_shows_none_of_it(sandbox, rpcli_run, api, before):
    key = sandbox.api_key
    for body in (f"<{'A' * before}{key}{'B' * 300}", {"error": f"{'A' * before}{key} B"}):
        for status in (200, 500):
            sandbox.clear_faults()
            sandbox.add_fault({"status": status, "body": body})
            result = rpcli_run("ssh", "connect", "--debug", env={"RPCLI_API": api})
            assert result.status == 1
            assert key[:8] not in result.stderr


@pytest.mark.scenario(_account("rpa_\"x\\y'z", status=404, body={"error": "saw rpa_\"x\\y'z"}))
def test_a_key_of_odd_characters_is_found_in_json_too(sandbox, rpcli_run):
    key = sandbox.api_key
    for argv in (("pod", "get", key), ("ssh", "connect"), ("pod", "list", "--debug")):
        result = rpcli_run(*argv)
        assert result.status == 1
        for written in (key, json.dumps(key)[1:-1], repr(key)[1:-1]):
            assert written not in result.stderr
        assert result.error["code"] == "not_found"


@pytest.mark.scenario(
    {
        "pods": [],
        "faults": [
            {"plane": "v2", "route": "/v2/account/ssh-keys", "silent": True},
            {"plane": "graphql", "silent": True},
        ],
    }
)
@pytest.mark.parametrize("flag", ["-v", "--debug"])
def test_the_error_is_the_last_line_whatever_is_still_under_way(sandbox, rpcli_run, flag):
    result = rpcli_run("pod", "get", "p1", flag)
    assert result.error["code"] == "not_found"


@pytest.mark.parametrize(
    ("code", "told"),
    [("usage_error", "not_found"), ("INTERNAL_ERROR", "not_found"), ("POD_LOST", "pod_lost")],
)
@pytest.mark.scenario({"pods": []})
def test_an_api_cannot_speak_in_our_place(sandbox, rpcli_run, code, told):
    sandbox.add_fault({"status": 404, "body": {"title": "x", "detail": "gone", "code": code}})
    assert rpcli_run("pod", "list").error["code"] == told


def test_an_error_has_a_length(sandbox, rpcli_run):
    result = rpcli_run("pod", "list", "--sort-column", "x" * 100_000)
    assert (result.status, result.error["code"]) == (2, "usage_error")
    assert len(result.stderr) < 10_000
