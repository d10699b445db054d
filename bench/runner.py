"""Measure commands in turn with pyperf, and give the ratio of their medians."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyperf


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the report; ``ratio`` is ours against theirs."""

    name: str
    ours: float
    theirs: float
    mark: float

    def to_document(self) -> dict[str, object]:
        ratio = self.ours / self.theirs
        return {
            "name": self.name,
            "ours": round(self.ours, 4),
            "theirs": round(self.theirs, 4),
            "ratio": round(ratio, 3),
            "mark": self.mark,
            "reached": ratio <= self.mark,
        }


def compare(
    name: str,
    ours: Sequence[str],
    theirs: Sequence[str],
    mark: float,
    *,
    rounds: int,
    env: Mapping[str, str],
    their_env: Mapping[str, str] | None = None,
) -> Row:
    """Run two commands in turn and compare their medians, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"ours": Path(folder) / "ours.json", "theirs": Path(folder) / "theirs.json"}
        for _ in range(rounds):
            _measure(files["ours"], ours, env)
            _measure(files["theirs"], theirs, env if their_env is None else their_env)
        medians = {key: _median(path) for key, path in files.items()}
    return Row(name, medians["ours"], medians["theirs"], mark)


def _measure(file: Path, command: Sequence[str], env: Mapping[str, str]) -> None:
    names = ",".join(env)
    pyperf_command = [sys.executable, "-m", "pyperf", "command", "--append", str(file)]
    how = ["--processes=1", "--values=5", "--warmups=1", "--loops=1", f"--inherit-environ={names}"]
    subprocess.run(
        [*pyperf_command, *how, "--", *command],
        env=dict(env),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _median(file: Path) -> float:
    suite = pyperf.BenchmarkSuite.load(str(file))
    return float(suite.get_benchmarks()[0].median())
