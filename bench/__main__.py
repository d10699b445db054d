"""``python -m bench [--short]``: print one JSON document with every figure."""

from __future__ import annotations

import argparse
import json
import platform
import sys

from bench import rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", allow_abbrev=False)
    parser.add_argument("--short", action="store_true", help="only prove that it works")
    parser.add_argument("--only", metavar="TEXT", default="", help="rows with this in their name")
    args = parser.parse_args()
    rounds = 1 if args.short else 6
    figures = [
        row.to_document()
        for name, measure in rows.ALL.items()
        if args.only in name
        for row in measure(rounds)
    ]
    machine = {"python": platform.python_version(), "machine": platform.machine()}
    json.dump({"machine": machine, "rows": figures}, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
