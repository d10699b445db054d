import pytest

from rpcli.testing import conformance_tests

test_conformance = conformance_tests("rpcli-demo")


@pytest.mark.scenario("demo")
def test_list_counts_every_pod_with_a_gpu(sandbox, rpcli_run, contract):
    result = rpcli_run("demo", "list", "-f", "json")
    contract("demo list", result.json)
    assert result.status == 0
    assert sum(row["pods"] for row in result.json) > 1
    assert [request["route"] for request in sandbox.requests()] == ["/v2/pods"]
