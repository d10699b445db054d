"""Faults of a server, as data: which request one strikes, and what is answered instead.

Rules: the first fault that fits a request and is not used up strikes it, and only what no fault
before it took counts for a fault; a fault that puts an answer of its own in the place of a route's
keeps the request from the state, unless it says ``handled``. How the bytes go is told in
:mod:`rpcli.sandbox.wire`.
"""

from __future__ import annotations

import base64
import json
import random
import threading
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rpcli.sandbox.answers import Reply
from rpcli.sandbox.wire import RAW_KEYS

#: Keys that put another answer in the place of the route's.
_BODIES = frozenset(("body", "bodyBase64", "nested"))
_REPLACING = _BODIES | {"redirect", "silent", "raw"}
#: Statuses whose answers have no body.
_BODILESS = frozenset((204, 304))
_BLANKS = b" " * (1 << 16)


class Asked(NamedTuple):
    """What a fault looks at of a request.

    :param path: as it was sent, without the query
    :param headers: the names of those that came, in small letters
    """

    plane: str | None
    route: str | None
    method: str
    path: str
    headers: Collection[str] = ()

    def words(self) -> dict[str, str | None]:
        """Give what a fault names in words of its own."""
        return {
            "plane": self.plane,
            "route": self.route,
            "method": self.method,
            "path": self.path,
        }


@dataclass
class Fault:
    """One fault, how many requests have come to it, and how many it has struck."""

    spec: Mapping[str, Any]
    seen: int = 0
    hits: int = 0

    def fits(self, asked: Asked) -> bool:
        """Whether it is about such requests at all."""
        spec = self.spec
        fits = all(spec.get(key, value) == value for key, value in asked.words().items())
        return fits and ("when" not in spec or spec["when"]["header"].lower() in asked.headers)

    def strikes(self) -> bool:
        """Count a request that fits, and say whether it is struck."""
        self.seen += 1
        turn = self.seen - self.spec.get("after", 0) - 1
        if turn < 0:
            return False
        hits, rest = divmod(turn, self.spec.get("every", 1))
        times = self.spec.get("times")
        if rest != 0 or (times is not None and hits >= times):
            return False
        self.hits += 1
        return True

    def resolved(self) -> Mapping[str, Any]:
        """Give it as it strikes this time: each cut by chance has its own place and kind."""
        cut = self.spec.get("cut", {})
        if "random" not in cut and not isinstance(cut.get("how"), list):
            return self.spec
        made = {key: value for key, value in cut.items() if key != "random"}
        if "random" in cut:
            seed = f"{cut['random'].get('seed', 0)} {self.hits}"
            chance = random.Random(seed)  # noqa: S311 - to be had again, and no secret
            made["after"] = chance.randint(*cut["random"]["between"])
        if isinstance(cut.get("how"), list):
            made["how"] = cut["how"][self.hits % len(cut["how"])]
        return {**self.spec, "cut": made}


@dataclass
class Faults:
    """All faults of a sandbox, in their order."""

    _faults: list[Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, spec: Mapping[str, Any]) -> None:
        """Arm one, behind those that are armed."""
        with self._lock:
            self._faults.append(Fault(spec))

    def clear(self) -> None:
        """Disarm all."""
        with self._lock:
            self._faults.clear()

    def specs(self) -> list[dict[str, Any]]:
        """Give those that are armed, each with how many requests have come to it (``seen``)."""
        with self._lock:
            return [{**fault.spec, "seen": fault.seen} for fault in self._faults]

    def strike(self, asked: Asked) -> Mapping[str, Any] | None:
        """Give the fault that a request meets; None: it goes its way."""
        with self._lock:
            for fault in self._faults:
                if fault.fits(asked) and fault.strikes():
                    return fault.resolved()
        return None


def replaces(fault: Mapping[str, Any]) -> bool:
    """Whether a fault keeps the request from the state."""
    if "handled" in fault:
        return not fault["handled"]
    return has_answer(fault)


def has_body(fault: Mapping[str, Any]) -> bool:
    """Whether a fault brings a body of its own."""
    return not _BODIES.isdisjoint(fault)


def has_answer(fault: Mapping[str, Any]) -> bool:
    """Whether a fault brings an answer of its own, whatever a route would say."""
    return fault.get("status", 200) >= 300 or not _REPLACING.isdisjoint(fault)


def is_raw(fault: Mapping[str, Any]) -> bool:
    """Whether a fault is one of how the bytes go."""
    return not RAW_KEYS.isdisjoint(fault)


def told_headers(fault: Mapping[str, Any], answer: Reply) -> Reply:
    """Change what a stream says of itself, as a fault says."""
    headers: dict[str, Any] = dict(answer.headers)
    if "gzip" in fault:
        headers["Content-Encoding"] = "gzip"
    headers.update(fault.get("headers", {}))
    kind = fault.get("contentType", answer.content_type)
    status = fault.get("status", answer.status)
    return answer._replace(status=status, headers=headers, content_type=kind)


def distort(fault: Mapping[str, Any], answer: Reply, where: Mapping[str, object]) -> Reply:
    """Change what is answered, as a fault says; the document becomes bytes.

    :param where: what ``{port}`` and ``{path}`` of a redirect stand for
    """
    headers: dict[str, Any] = dict(answer.headers)
    status = fault.get("status", 302 if "redirect" in fault else answer.status)
    kind = fault.get("contentType", answer.content_type)
    data = _document(fault, answer)
    if "body" in fault and "contentType" not in fault:
        kind = "text/html" if data.startswith(b"<") else "application/json"
    if "redirect" in fault:
        headers["Location"] = fault["redirect"].format(**where)
    if "truncate" in fault:
        data = data[: fault["truncate"]]
    if fault.get("invalidUtf8"):
        data = with_bad_bytes(data)
    if "gzip" in fault:
        headers["Content-Encoding"] = "gzip"
        data = b"this is no gzip" if fault["gzip"] == "broken" else _gzip(fault, data)
    headers.update(fault.get("headers", {}))
    bare = status in _BODILESS and "body" not in fault
    return Reply(status, None if bare else data, headers, kind)


def _document(fault: Mapping[str, Any], answer: Reply) -> bytes:
    if "bodyBase64" in fault:
        return base64.b64decode(fault["bodyBase64"])
    if "nested" in fault:
        return b"[" * int(fault["nested"])
    if "body" in fault:
        body = fault["body"]
        return body.encode() if isinstance(body, str) else json.dumps(body).encode()
    if "elements" in fault and isinstance(answer.document, dict | list):
        return answer._replace(
            document=_with_elements(answer.document, fault["elements"])
        ).encoded()
    return answer.encoded()


def _with_elements(document: Any, elements: list[Any]) -> Any:
    """Put elements before those of the list that lies nearest to the top; nothing else changes."""
    copied = json.loads(json.dumps(document))
    level = [copied]
    while level:
        for node in level:
            if isinstance(node, list):
                node[:0] = elements
                return copied
        level = [child for node in level if isinstance(node, dict) for child in node.values()]
    return copied


def with_bad_bytes(data: bytes) -> bytes:
    """Spoil the first text that is a value, or the first text at all."""
    for mark in (b'":"', b'": "', b'"'):
        if mark in data:
            return data.replace(mark, mark + b"\xff\xfe", 1)
    return b"\xff\xfe" + data


def pieces(fault: Mapping[str, Any], data: bytes) -> Iterator[bytes]:
    """Give the body, and blanks behind it as a fault asks for, never in one piece."""
    yield data
    if "gzip" in fault:
        return  # they are in the compressed data
    left = fault.get("padding", 0)
    while left > 0:
        yield _BLANKS[:left]
        left -= len(_BLANKS)


def length(fault: Mapping[str, Any], data: bytes) -> int:
    """Give how many bytes :func:`pieces` gives."""
    return len(data) + (0 if "gzip" in fault else int(fault.get("padding", 0)))


def _gzip(fault: Mapping[str, Any], data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=31)
    packed = [packer.compress(data)]
    left = fault.get("padding", 0)
    while left > 0:
        packed.append(packer.compress(_BLANKS[:left]))
        left -= len(_BLANKS)
    return b"".join([*packed, packer.flush()])
