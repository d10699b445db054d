"""The repository that the tests stand in, seen as files."""

from __future__ import annotations

import configparser
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Where the product's Python files are.
PRODUCT = ("rpcli", "plugins", "schemas")


def product_files() -> list[Path]:
    """Give every Python file of the product."""
    return sorted(f for folder in PRODUCT for f in (ROOT / folder).rglob("*.py"))


@cache
def setup_cfg() -> configparser.ConfigParser:
    """Read setup.cfg."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def listed(section: str, option: str) -> list[str]:
    """Give a list of setup.cfg, one entry a line."""
    return [line.strip() for line in setup_cfg()[section][option].splitlines() if line.strip()]


def entry_points(group: str) -> dict[str, str]:
    """Give the entry points of a group as setup.cfg writes them."""
    pairs = (line.partition("=") for line in listed("options.entry_points", group))
    return {name.strip(): value.strip() for name, _, value in pairs}


def tracked_files() -> list[Path] | None:
    """Give every file that is in version control; None where this is no clone."""
    if not (ROOT / ".git").exists():
        return None
    done = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    )
    names = (name for name in done.stdout.decode().split("\0") if name)
    return sorted(path for path in (ROOT / name for name in names) if path.is_file())
