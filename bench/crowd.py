"""Install a crowd: distributions that have nothing to do with rpcli, and plugins that do."""

from __future__ import annotations

from pathlib import Path

STRANGERS = 300
PLUGINS = 50


def install(folder: Path) -> None:
    """Write the metadata of a crowd into a folder for ``PYTHONPATH``."""
    for n in range(STRANGERS):
        _write(folder, f"stranger{n:03}", f"[console_scripts]\nstranger{n} = stranger{n:03}:main\n")
    for n in range(PLUGINS):
        name = f"crowd{n:02}"
        _write(
            folder,
            name,
            f"[rpcli.v1.surface]\n{name} = {name}:SURFACE\n\n"
            f"[rpcli.v1.command]\n{name}_list = {name}:List\n",
        )
        body = {0: "import time\ntime.sleep(2)\n", 1: "raise RuntimeError('broken')\n"}.get(n, "")
        (folder / f"{name}.py").write_text(body)


def _write(folder: Path, name: str, entry_points: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)
