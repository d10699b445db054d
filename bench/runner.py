"""Measure commands in turn with pyperf, and give the ratio of their medians."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyperf

PYTHON = sys.executable
RPCLI = [PYTHON, "-m", "rpcli"]


class Line(Protocol):
    """A line of the report."""

    def to_document(self) -> dict[str, object]: ...


@dataclass(frozen=True, slots=True)
class Row:
    """Two things measured in turn; ``ratio`` is ours against theirs, at most the mark."""

    name: str
    ours: float
    theirs: float
    mark: float

    def to_document(self) -> dict[str, object]:
        ratio = self.ours / self.theirs
        return {**_two(self), "ratio": round(ratio, 3), "reached": ratio <= self.mark}


@dataclass(frozen=True, slots=True)
class Speed:
    """Two things measured in turn; ``times_as_fast`` is ours against theirs, at least the mark."""

    name: str
    ours: float
    theirs: float
    mark: float

    def to_document(self) -> dict[str, object]:
        speed = self.theirs / self.ours
        return {**_two(self), "times_as_fast": round(speed, 3), "reached": speed >= self.mark}


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing measured alone, at most the mark."""

    name: str
    value: float
    unit: str
    mark: float

    def to_document(self) -> dict[str, object]:
        return {
            "name": self.name,
            "value": round(self.value, 3),
            "unit": self.unit,
            "mark": self.mark,
            "reached": self.value <= self.mark,
        }


@dataclass(frozen=True, slots=True)
class Missing:
    """What could not be measured here, and the programs that it would take."""

    name: str
    missing: list[str]

    def to_document(self) -> dict[str, object]:
        return {"name": self.name, "missing": self.missing}


def _two(row: Row | Speed) -> dict[str, object]:
    ours, theirs = round(row.ours, 4), round(row.theirs, 4)
    return {"name": row.name, "ours": ours, "theirs": theirs, "mark": row.mark}


@contextlib.contextmanager
def home() -> Iterator[dict[str, str]]:
    """Give an environment with an empty home."""
    with tempfile.TemporaryDirectory() as folder:
        yield {"PATH": os.environ["PATH"], "HOME": folder}


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
    _pyperf(["pyperf", "command"], file, env, "--values=5", "--warmups=1", "--", *command)


def until_printed(
    lines: int, ours: Sequence[str], theirs: Sequence[str], *, rounds: int, env: Mapping[str, str]
) -> tuple[float, float]:
    """Run two commands in turn; give the medians of the seconds until each printed so many lines.

    They are ended then; none is expected to end by itself.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "ours.json", Path(folder) / "theirs.json"]
        for _ in range(rounds):
            for file, command in zip(files, (ours, theirs), strict=True):
                what = {"BENCH_LINES": str(lines), "BENCH_COMMAND": json.dumps(list(command))}
                _pyperf(["bench.counted"], file, {**env, **what}, "--values=1", "--warmups=0")
        return _median(files[0]), _median(files[1])


def _pyperf(module: Sequence[str], file: Path, env: Mapping[str, str], *how: str) -> None:
    """Let pyperf run a module, itself or one that uses it, and keep what it measures."""
    once = ["--append", str(file), "--processes=1", "--loops=1"]
    subprocess.run(
        [PYTHON, "-m", *module, *once, f"--inherit-environ={','.join(env)}", *how],
        env=dict(env),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _median(file: Path) -> float:
    suite = pyperf.BenchmarkSuite.load(str(file))
    return float(suite.get_benchmarks()[0].median())
