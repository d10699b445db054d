"""What is built is what is in the tree: every package, every schema, every data file."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from tree import ROOT, listed

IGNORED = shutil.ignore_patterns(
    ".git",
    ".tox",
    ".venv*",
    "build",
    "dist",
    "*.egg-info",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
)
SOURCES = {"rpcli": "rpcli", "rpcli/schemas": "schemas", "": "plugins"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of a copy of the tree, and the wheel of that sdist."""
    folder = tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT, folder / "tree", ignore=IGNORED)
    _python("-c", "import setuptools.build_meta as b; b.build_sdist('..')", cwd=folder / "tree")
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        # Python 3.11.0 to 3.11.3 have no filters, later ones warn where none is named.
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(folder / "unpacked", **safely)
    (source,) = (folder / "unpacked").iterdir()
    _python("-c", "import setuptools.build_meta as b; b.build_wheel('../..')", cwd=source)
    return folder


def _python(*argv: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, *argv], cwd=cwd, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _expected() -> set[str]:
    """Everything under the source folders, by the name that it is installed under."""
    found = set()
    for package, folder in SOURCES.items():
        for file in (ROOT / folder).rglob("*"):
            relative = file.relative_to(ROOT / folder)
            parts = {p for p in relative.parts if p == "__pycache__" or p.endswith(".egg-info")}
            if file.is_file() and not parts and file.suffix != ".pyc":
                found.add(f"{package}/{relative.as_posix()}".lstrip("/"))
    return found


def test_the_wheel_has_everything_and_nothing_else(built):
    (wheel,) = built.glob("*.whl")
    names = {n for n in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in n}
    assert names == _expected()


def test_the_declared_packages_are_those_of_the_tree():
    packages = {
        name.rpartition("/")[0].replace("/", ".")
        for name in _expected()
        if name.endswith("/__init__.py")
    }
    assert packages == set(listed("options", "packages"))


def test_the_sdist_has_what_a_build_needs(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"setup.cfg", "pyproject.toml", "README.md", "LICENSE"} <= names


def test_the_wheel_runs_from_an_empty_folder(built, tmp_path, rpcli_run):
    (wheel,) = built.glob("*.whl")
    target = tmp_path / "target"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    # The path comes before what is installed beside it: the schemas must come from there too.
    probe = "import rpcli.schemas as s; print(s.__file__)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", probe],
        env=rpcli_run.environment({"PYTHONPATH": str(target)}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()).is_relative_to(target)
    result = rpcli_run("--version", env={"PYTHONPATH": str(target)})
    assert result.status == 0
    assert result.stdout == f"rpcli {wheel.name.split('-')[1]}\n"
