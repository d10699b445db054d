from rpcli.testing import conformance_tests

test_conformance = conformance_tests("rpcli-demo", invocations={"demo show": ["NVIDIA L4"]})


def test_list_counts_every_pod_with_a_gpu(sandbox, rpcli_run, contract):
    result = rpcli_run("demo", "list", "-f", "json")
    contract("demo list", result.json)
    assert sum(row["pods"] for row in result.json) > 1
    assert len(sandbox.requests()) == 1
