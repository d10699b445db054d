"""The pytest plugin: fixtures ``sandbox``, ``rpcli_run`` and ``contract``.

Rules: it is loaded in every run of pytest on a machine where rpcli is installed, so it imports
nothing of rpcli, and nothing that pytest has not imported itself, before a fixture is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rpcli.sandbox import Sandbox
    from rpcli.testing.runner import Runner


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        "markers",
        "scenario(name_or_mapping): what the sandbox fixture plays, by name or as a mapping "
        "(default: demo)",
    )


@pytest.fixture
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Run a RunPod control plane in the test's own process, on a port of loopback.

    ``@pytest.mark.scenario(...)`` chooses what it plays. ``sandbox.requests()`` lists every request
    that came, ``sandbox.advance(seconds)`` turns its clock, ``sandbox.environment()`` gives the
    variables that lead there.
    """
    from rpcli.sandbox import Sandbox

    marker = request.node.get_closest_marker("scenario")
    with Sandbox(marker.args[0] if marker else "demo") as running:
        yield running


@pytest.fixture
def rpcli_env() -> dict[str, str]:
    """Add nothing to the environment of ``rpcli_run``; override this fixture to add something."""
    return {}


@pytest.fixture
def rpcli_run(request: pytest.FixtureRequest, tmp_path: Path, rpcli_env: dict[str, str]) -> Runner:
    """Run the real command in a process: ``rpcli_run("pod", "list").json``.

    In a test that uses the ``sandbox`` fixture too, the command talks to that sandbox.
    """
    from rpcli.testing.runner import Runner

    variables = dict(rpcli_env)
    if "sandbox" in request.fixturenames:
        variables |= request.getfixturevalue("sandbox").environment()
    return Runner(tmp_path / "rpcli-run", variables)


@pytest.fixture
def contract() -> Callable[[str, Any], None]:
    """Hold a document to a schema: ``contract("pod list", result.json)``.

    The schema is named by the words of a command, or by its reference (``core.error``). The
    document must fit both views: the published one, and the strict one, which knows every key.
    """
    from rpcli.testing.documents import check_document

    return check_document
