"""What holds for every test: a home of its own, loopback only, and no trace left behind."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import loopback
import pytest
from foreign import STRANGERS, Installed, install

SUPPORT = Path(loopback.__file__).parent

loopback.install()

# Whoever starts something in the background lets it ignore SIGINT, and all that it starts with it;
# what is tested here must end by one.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A deadline would be an assertion about time.
hypothesis.settings.register_profile("rpcli", deadline=None)
hypothesis.settings.load_profile("rpcli")


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is read from, or written to, the home of whoever runs the tests."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("RUNPOD_", "RPCLI_", "XDG_", "CLIFF_")):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        for kind in ("CONFIG", "CACHE", "DATA", "STATE"):
            patch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
        yield


@pytest.fixture(autouse=True)
def _leaves_no_trace(_own_home: None) -> Iterator[None]:
    """A test that changes the environment, the folder or the log without undoing it fails."""
    before = _traces()
    yield
    after = _traces()
    changed = sorted(name for name in before if before[name] != after[name])
    if changed:
        environment = before["the environment"]
        assert isinstance(environment, dict)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(str(before["the working folder"]))
        pytest.fail(f"the test changed {', '.join(changed)} and did not undo it", pytrace=False)


def _traces() -> dict[str, object]:
    handlers = [h for h in logging.getLogger().handlers if type(h).__module__ != "_pytest.logging"]
    return {
        "the environment": {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"},
        "the working folder": str(Path.cwd()),
        "the handlers of the root logger": handlers,
        "the excepthook of threads": threading.excepthook,
    }


@pytest.fixture
def install_plugin(tmp_path: Path) -> Callable[[str], Installed]:
    """Install a distribution of ``tests/thirdparty`` by name, for what ``rpcli_run`` runs."""
    return lambda name: install(STRANGERS / name, tmp_path / "site")


@pytest.fixture
def rpcli_env(tmp_path: Path) -> dict[str, str]:
    """What ``rpcli_run`` adds to its clean environment here.

    Warnings are errors, other machines out of reach, and what ``install_plugin`` installs is found.
    """
    inherited = filter(None, [os.environ.get("PYTHONPATH")])
    path = [str(SUPPORT), str(tmp_path / "site"), *inherited]
    return {"PYTHONWARNINGS": "error", "PYTHONPATH": os.pathsep.join(path)}
