"""What the platform says in the log of a pod or worker about its container.

The words are those that its own clients and users have published.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime

from rpcli.sandbox.logfeed import due
from rpcli.sandbox.logline import Voice
from rpcli.sandbox.logstore import Log
from rpcli.sandbox.stamp import nanoseconds

_LAYERS = 3


def boot(log: Log, image: str, begin: datetime, runs: datetime, *, pulls: datetime | None) -> None:
    """Let the lines of a start come.

    :param begin: when the container is created
    :param runs: when it is started
    :param pulls: when its image is fetched; None: it is there
    """
    lines = [(begin, f"create container {image}")]
    if pulls is not None:
        step = (runs - pulls) / (2 * _LAYERS)
        for n in range(_LAYERS):
            layer = _hash(f"{image} {n}")
            lines.append((pulls + 2 * n * step, f"{layer} Pulling fs layer"))
            lines.append((pulls + (2 * n + 1) * step, f"{layer} Pull complete"))
    _say(log, begin, [*lines, (runs, _started(image))])


def fail(log: Log, image: str, begin: datetime, ends: datetime) -> None:
    """Let the lines of a start come whose image cannot be fetched."""
    fetching = f"create container: still fetching image {image}"
    tries = [(begin + n * (ends - begin) / 4, fetching) for n in range(1, 4)]
    _say(log, begin, [(begin, f"create container {image}"), *tries])


def restart(log: Log, name: str, image: str, when: datetime) -> None:
    """Let the lines of a container that is replaced in its place come."""
    texts = (f"stop container {_hash(name)}", f"create container {image}", _started(image))
    _say(log, when, [(when, text) for text in texts])


def stop(log: Log, name: str, when: datetime) -> None:
    """Let nothing more come, and the line of a container that is stopped."""
    log.halt(nanoseconds(when))
    _say(log, when, [(when, f"stop container {_hash(name)}")])


def remove(log: Log, name: str, when: datetime) -> None:
    """Let the line of a container that is taken away come."""
    _say(log, when, [(when, f"remove container {_hash(name)}")])


def _say(log: Log, begin: datetime, lines: Iterable[tuple[datetime, str]]) -> None:
    first = nanoseconds(begin)
    log.feed(iter([due(nanoseconds(when), Voice("system", text), first) for when, text in lines]))


def _started(image: str) -> str:
    return f"start container for {image}: begin"


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:12]
