"""What is measured, and against what."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from bench import crowd, many_pods, streams
from bench.runner import PYTHON, RPCLI, Line, Row, compare, home
from rpcli.sandbox import Sandbox

PODS = {
    "rateLimit": "none",
    "pods": [
        {"id": f"pod{n:011}", "name": f"pod-{n}", "status": "RUNNING", "ports": ["22/tcp"]}
        for n in range(20)
    ],
}
V2_SCRIPT = """
import cliff.app, os, requests
key = {"Authorization": "Bearer " + os.environ["RUNPOD_API_KEY"], "User-Agent": "bench/1"}
print(requests.get(os.environ["RUNPOD_REST_V2_URL"] + "/pods?limit=1000", headers=key).json())
"""
CLASSIC_SCRIPT = """
import cliff.app, os, requests
key = {"Authorization": "Bearer " + os.environ["RUNPOD_API_KEY"], "User-Agent": "bench/1"}
session = requests.Session()
print(session.get(os.environ["RUNPOD_API_URL"] + "/pods", headers=key).json())
query = (
    "{ myself { pods { id desiredStatus lastStatusChange runtime { uptimeInSeconds "
    "ports { ip isIpPublic privatePort publicPort type } } machine { podHostId } } } }"
)
print(session.post(os.environ["RUNPOD_GRAPHQL_URL"], json={"query": query}, headers=key).json())
"""
ONE_CALL = """
import cliff.app, os, requests
key = {"Authorization": "Bearer " + os.environ["RUNPOD_API_KEY"], "User-Agent": "bench/1"}
print(requests.get(os.environ["RUNPOD_REST_V2_URL"] + "/pods/pod00000000000", headers=key).json())
"""


def version(rounds: int) -> list[Row]:
    with home() as env:
        base = [PYTHON, _script(env, "import cliff.app\n")]
        return [compare("version", [*RPCLI, "--version"], base, 1.15, rounds=rounds, env=env)]


def pod_list(rounds: int) -> list[Row]:
    rows = []
    with Sandbox(PODS) as sandbox, home() as env:
        for api, script in (("v2", V2_SCRIPT), ("classic", CLASSIC_SCRIPT)):
            ours = [*RPCLI, "pod", "list", "-f", "json"]
            variables = {**env, **sandbox.environment(), "RPCLI_API": api}
            theirs = [PYTHON, _script(env, script)]
            rows.append(
                compare(f"pod list, {api}", ours, theirs, 1.10, rounds=rounds, env=variables)
            )
    return rows


def pod_list_in_a_crowd(rounds: int) -> list[Row]:
    """Measure with 300 strangers and 50 plugins installed, one of them slow and one broken."""
    with Sandbox(PODS) as sandbox, home() as env, tempfile.TemporaryDirectory() as folder:
        crowd.install(Path(folder))
        alone = {**env, **sandbox.environment()}
        crowded = {**alone, "PYTHONPATH": folder}
        line = [*RPCLI, "pod", "list", "-f", "json"]
        if _output(line, crowded) != _output(line, alone):
            raise SystemExit("the crowd changed stdout")
        return [
            compare(
                "pod list in a crowd", line, line, 1.15, rounds=rounds, env=crowded, their_env=alone
            )
        ]


def pod_get(rounds: int) -> list[Row]:
    """Measure the latency of ``pod get`` where each endpoint takes 200 ms."""
    slow = {**PODS, "faults": [{"latency": 0.2}]}
    rows = []
    with Sandbox(slow) as sandbox, home() as env:
        for api in ("v2", "classic"):
            ours = [*RPCLI, "pod", "get", "pod00000000000", "-f", "json"]
            variables = {**env, **sandbox.environment(), "RPCLI_API": api}
            one = [PYTHON, _script(env, ONE_CALL)]
            rows.append(compare(f"pod get, {api}", ours, one, 1.3, rounds=rounds, env=variables))
    return rows


def ten_thousand(rounds: int) -> list[Row]:
    """Measure from bodies in memory to bytes written, in a process that has the imports."""
    ours, theirs = many_pods.measure(max(rounds, 3))
    peak, allowed = many_pods.peak_memory()
    return [
        Row("pod list -a, 10,000 pods", statistics.median(ours), statistics.median(theirs), 2.0),
        Row("peak memory, 10,000 pods (MiB; against the bodies)", peak, allowed, 3.0),
    ]


def _script(env: dict[str, str], text: str) -> str:
    path = Path(env["HOME"]) / f"script{abs(hash(text))}.py"
    path.write_text(text)
    return str(path)


def _output(line: list[str], env: dict[str, str]) -> bytes:
    done = subprocess.run(line, env=env, stdout=subprocess.PIPE, check=True)
    # the uptimes go on between two runs
    return b"\n".join(part.split(b'"uptimeSeconds"')[0] for part in done.stdout.splitlines())


ALL: dict[str, Callable[[int], Sequence[Line]]] = {
    "version": version,
    "pod list": pod_list,
    "pod list in a crowd": pod_list_in_a_crowd,
    "pod get": pod_get,
    "ten thousand pods": ten_thousand,
    **streams.ALL,
}
