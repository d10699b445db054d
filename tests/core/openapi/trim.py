"""Cut a published OpenAPI document down to some of its paths, and to the schemas that they use.

    python tests/core/openapi/trim.py FULL.json TRIMMED.json PREFIX...

FULL.json is the platform's document, as it publishes it under https://rest.runpod.io/v1/openapi.json
and https://api.runpod.io/v2/openapi.json. The files beside this one were made so:

    trim.py rest-v1.openapi.json rest-v1.json /pods
    trim.py rest-v2.openapi.json rest-v2.json /v2/pods /v2/account/ssh-keys /v2/network-volumes \
        /v2/serverless/{id}/workers

Kept: the paths under the prefixes, all components that they lead to, and every word that decides
whether something conforms. Dropped: descriptions (but those of responses, which OpenAPI requires),
examples, and extensions.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_WORDS = ("description", "example", "examples", "summary", "tags", "externalDocs", "title")
#: Under these a key is a name that somebody chose, not a word of OpenAPI.
_NAMED = (
    "properties", "patternProperties", "schemas", "responses", "headers", "parameters", "paths",
    "content", "components",
)  # fmt: skip


def trim(document: dict[str, Any], prefixes: list[str]) -> dict[str, Any]:
    """Give a document with only the paths that are, or lie under, one of some prefixes."""
    paths = {
        path: bare(item)
        for path, item in document["paths"].items()
        if any(path == prefix or path.startswith(f"{prefix}/") for prefix in prefixes)
    }
    info = document["info"]
    return {
        "openapi": document["openapi"],
        "info": {"title": info["title"], "version": info["version"]},
        "paths": paths,
        "components": _used_components(document, paths),
    }


def bare(node: Any, *, named: bool = False, response: bool = False) -> Any:
    """Give a part of a document without its prose.

    :param named: whether the keys are names, to be kept whatever they are
    :param response: whether it is a response, whose description OpenAPI requires
    """
    if isinstance(node, list):
        return [bare(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    kept = {}
    for key, value in node.items():
        if not named and (key in _WORDS or key.startswith("x-")):
            if response and key == "description":
                kept[key] = " ".join(str(value).split()).partition(". ")[0]
            continue
        names = not named and key in _NAMED
        kept[key] = _responses(value) if names and key == "responses" else bare(value, named=names)
    return kept


def _responses(responses: dict[str, Any]) -> dict[str, Any]:
    return {status: bare(entry, response=True) for status, entry in responses.items()}


def references(node: Any) -> Iterator[str]:
    """Give every reference in a part of a document."""
    if isinstance(node, dict):
        target = node.get("$ref")
        if isinstance(target, str):
            yield target
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def _used_components(document: dict[str, Any], paths: dict[str, Any]) -> dict[str, Any]:
    used: dict[str, dict[str, Any]] = {}
    wanted = set(references(paths))
    while wanted:
        _, _, kind, name = wanted.pop().split("/")
        if name in used.get(kind, {}):
            continue
        part = bare(document["components"][kind][name], response=kind == "responses")
        used.setdefault(kind, {})[name] = part
        wanted.update(references(part))
    return {kind: dict(sorted(parts.items())) for kind, parts in sorted(used.items())}


if __name__ == "__main__":
    full, trimmed, *wanted_prefixes = sys.argv[1:]
    text = json.dumps(
        trim(json.loads(Path(full).read_text(encoding="utf-8")), wanted_prefixes),
        indent=1,
        ensure_ascii=False,
    )
    Path(trimmed).write_text(text + "\n", encoding="utf-8")
