"""The conformance suite: what every surface and every command that is installed must keep to.

Rules: nothing is skipped in silence; a check that cannot be made is a finding.

In a plugin's own tests::

    from rpcli.testing import conformance_tests

    test_conformance = conformance_tests("rpcli-demo", invocations={"demo show": ["NVIDIA L4"]})
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rpcli.testing.subjects import CommandSubject, SurfaceSubject, Workbench, find_subjects

Check = Callable[[Any, Workbench], Iterator[str]]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong."""

    subject: str
    check: str
    problem: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.check}: {self.problem}"


@dataclass(frozen=True)
class Report:
    """What a run of the suite found.

    :param checked: every check that was made, as ``demo list: parser builds``
    """

    checked: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether something was checked and nothing found."""
        return bool(self.checked) and not self.findings

    def __str__(self) -> str:
        lines = [
            *map(str, self.findings),
            f"{len(self.checked)} checks, {len(self.findings)} findings",
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Case:
    """One check of one surface or command."""

    subject: SurfaceSubject | CommandSubject
    check: Check

    @property
    def name(self) -> str:
        """The check in words."""
        return self.check.__name__.replace("_", " ")

    def __str__(self) -> str:
        return f"{self.subject}: {self.name}"

    def findings(self, bench: Workbench) -> list[Finding]:
        """Make the check."""
        return [Finding(str(self.subject), self.name, text) for text in self._problems(bench)]

    def _problems(self, bench: Workbench) -> Iterator[str]:
        from rpcli.errors import RpcliError

        try:
            yield from self.check(self.subject, bench)
        except RpcliError as error:
            yield error.message
        except subprocess.TimeoutExpired as error:
            yield f"{' '.join(map(str, error.cmd))} did not end within {error.timeout:g} s"
        except AssertionError as error:
            yield str(error)
        except Exception as error:  # noqa: BLE001 - a stranger's code runs here
            yield f"{type(error).__name__}: {error}"


def cases(
    *distributions: str,
    scenario: str | Mapping[str, object] = "demo",
    invocations: Mapping[str, Sequence[str]] | None = None,
) -> list[Case]:
    """List the checks for distributions, or for everything that is installed.

    :param scenario: what the sandbox plays while commands run on it
    :param invocations: for a command that needs arguments: some with which it succeeds
    :raises LookupError: a distribution brings nothing, or an invocation is for no command
    """
    from rpcli.testing import command_checks, running_checks, surface_checks

    found = []
    for subject in find_subjects(distributions, scenario, invocations or {}):
        if isinstance(subject, SurfaceSubject):
            checks: tuple[Check, ...] = surface_checks.CHECKS
        else:
            checks = (*command_checks.CHECKS, *running_checks.CHECKS)
        found += [Case(subject, check) for check in checks]
    return found


def check_installed(
    *distributions: str,
    scenario: str | Mapping[str, object] = "demo",
    invocations: Mapping[str, Sequence[str]] | None = None,
) -> Report:
    """Run the suite and report; takes what :func:`cases` takes."""
    made = cases(*distributions, scenario=scenario, invocations=invocations)
    findings: list[Finding] = []
    for case in made:
        with tempfile.TemporaryDirectory(prefix="rpcli-conformance-") as folder:
            findings += case.findings(Workbench(Path(folder)))
    return Report(tuple(map(str, made)), tuple(findings))


def conformance_tests(
    *distributions: str,
    scenario: str | Mapping[str, object] = "demo",
    invocations: Mapping[str, Sequence[str]] | None = None,
) -> Callable[..., None]:
    """Give one parametrised pytest function, a case a check; takes what :func:`cases` takes."""
    import pytest

    made = cases(*distributions, scenario=scenario, invocations=invocations)

    @pytest.mark.parametrize("case", [pytest.param(case, id=str(case)) for case in made])
    def test_conformance(case: Case, tmp_path: Path, rpcli_env: Mapping[str, str]) -> None:
        """Nothing is wrong."""
        findings = case.findings(Workbench(tmp_path, rpcli_env))
        if findings:
            pytest.fail("\n".join(map(str, findings)), pytrace=False)

    return test_conformance
