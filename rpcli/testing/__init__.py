"""The test kit for plugins, and for scripts that read what rpcli prints.

Everything in ``__all__`` is public; the fixtures ``sandbox``, ``rpcli_run`` and ``contract`` come
with the pytest plugin that an installed rpcli brings. Documented in ``docs/testing.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rpcli.testing.conformance import Finding, Report, check_installed, conformance_tests
    from rpcli.testing.documents import check_document
    from rpcli.testing.result import Result
    from rpcli.testing.runner import Runner

__all__ = [
    "Finding",
    "Report",
    "Result",
    "Runner",
    "check_document",
    "check_installed",
    "conformance_tests",
]

_HOMES = {
    "Finding": "conformance",
    "Report": "conformance",
    "Result": "result",
    "Runner": "runner",
    "check_document": "documents",
    "check_installed": "conformance",
    "conformance_tests": "conformance",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for: pytest loads this package in every run."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
