"""The plugin that the docs make, and its tests that the docs show, are made and run."""

from __future__ import annotations

import configparser
import re
import subprocess
import sys

import pytest
from foreign import install
from tree import ROOT

FILE = re.compile(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```", re.M | re.S)


@pytest.fixture
def project(tmp_path):
    """The files of both pages, and the distribution where Python finds it."""
    folder = tmp_path / "project"
    for page in ("plugins.md", "testing.md"):
        for name, text in FILE.findall((ROOT / "docs" / page).read_text(encoding="utf-8")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    metadata = configparser.ConfigParser()
    metadata.read(folder / "setup.cfg")
    groups = metadata["options.entry_points"]
    points = "".join(f"[{group}]{lines}\n" for group, lines in groups.items())
    (folder / "entry_points.txt").write_text(points, encoding="utf-8")
    install(folder, tmp_path / "site", metadata["metadata"]["name"].replace("-", "_"))
    return folder


def test_the_pages_have_the_files(project):
    files = {p.relative_to(project).as_posix() for p in project.rglob("*") if p.is_file()}
    assert {"rpcli_idle/commands.py", "rpcli_idle/schemas/list.v1.json"} < files
    assert {"tests/test_idle.py", "tests/test_script.py"} < files


def test_the_project_can_be_installed(project, tmp_path):
    where = tmp_path / "installed"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run(
        [*command, "--no-build-isolation", "--target", str(where), str(project)],
        check=True,
        capture_output=True,
        timeout=100,
    )
    assert (where / "rpcli_idle" / "schemas" / "list.v1.json").is_file()


def test_the_tests_of_the_pages_pass(project, rpcli_run):
    path = f"{project}:{rpcli_run.environment()['PYTHONPATH']}"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=project,
        env=rpcli_run.environment({"PYTHONPATH": path, "PYTHONWARNINGS": None}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout


def test_the_example_of_the_tests_is_ten_lines(project):
    text = (project / "tests" / "test_idle.py").read_text(encoding="utf-8")
    assert len([line for line in text.splitlines() if line.strip()]) <= 10
