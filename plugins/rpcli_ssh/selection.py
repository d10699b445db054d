"""Which pod a word means. Pure.

Rules: an id is exact and goes before every name; a name that fits several pods means none of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from rpcli.plugin import Conflict, NotFound, PodSnapshot


def find_pod(pods: Sequence[PodSnapshot], word: str) -> PodSnapshot:
    """Find a pod by its id, or else by its name.

    :raises NotFound: there is none
    :raises Conflict: the name fits several, whose ids are in the message
    """
    for pod in pods:
        if pod.id == word:
            return pod
    named = [pod for pod in pods if pod.name == word]
    if not named:
        raise NotFound(f"there is no pod with the id or name '{word}'", id=word)
    if len(named) > 1:
        ids = ", ".join(pod.id for pod in named)
        raise Conflict(f"the name '{word}' fits several pods: {ids}", hint="give an id")
    return named[0]
