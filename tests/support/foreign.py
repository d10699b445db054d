"""Put a foreign distribution where Python finds it, as an installer would, without building it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

#: The distributions of strangers, one folder each.
STRANGERS = Path(__file__).parents[1] / "thirdparty"


@dataclass(frozen=True)
class Installed:
    """A distribution that was put in place.

    :param marker: a file that the distribution's module writes when it is imported
    """

    name: str
    site: Path
    marker: Path

    @property
    def imported(self) -> bool:
        """Whether any process has imported it."""
        return self.marker.exists()


def install(source: Path, site: Path, name: str | None = None) -> Installed:
    """Copy modules and entry points from a folder, and write the metadata around them.

    :param source: a folder with modules and an ``entry_points.txt``
    :param site: a folder on the path of the processes that are to find it
    """
    name = name or source.name
    marker = site.parent / f"{name}.was-imported"
    metadata = site / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    for module in source.glob("*.py"):
        text = module.read_text(encoding="utf-8")
        confession = f"import pathlib\n\npathlib.Path({str(marker)!r}).touch()\n"
        (site / module.name).write_text(confession + text, encoding="utf-8")
    for package in source.glob("*/__init__.py"):
        shutil.copytree(package.parent, site / package.parent.name)
    shutil.copy(source / "entry_points.txt", metadata / "entry_points.txt")
    head = f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n"
    (metadata / "METADATA").write_text(head, encoding="utf-8")
    (metadata / "INSTALLER").write_text("tests\n", encoding="utf-8")
    files = sorted(p for p in site.rglob("*") if p.is_file())
    record = "".join(f"{p.relative_to(site).as_posix()},,\n" for p in files)
    (metadata / "RECORD").write_text(record, encoding="utf-8")
    return Installed(name, site, marker)
