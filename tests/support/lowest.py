"""Write the lowest version of each dependency that setup.cfg allows, as requirements for pip."""

from __future__ import annotations

import sys
from pathlib import Path

from tree import listed


def lowest() -> list[str]:
    """Give ``name==version`` for each; what has no lower bound cannot be tested at it."""
    required = [line for line in listed("options", "install_requires") if not line.startswith("#")]
    unbound = [line for line in required if ">=" not in line]
    if unbound:
        raise SystemExit(f"no lower bound: {', '.join(unbound)}")
    return [line.partition(",")[0].replace(">=", "==") for line in required]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text("\n".join(lowest()) + "\n", encoding="utf-8")
