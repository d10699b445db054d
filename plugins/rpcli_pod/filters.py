"""Which pods a list shows. Pure.

Rules: a pod whose status this version does not know is listed whatever status was asked for, since
nobody can say that it is another one; one without a time of creation is in no window of time.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from fnmatch import fnmatchcase
from typing import NamedTuple

from rpcli.plugin import PodSnapshot, PodState
from rpcli_pod.options import DESIRED_STATUSES, ListOptions


class Selection(NamedTuple):
    """The pods that were asked for, and how many were left out for want of a time of creation."""

    pods: list[tuple[PodSnapshot, PodState]]
    undated: int


def select_pods(
    pods: Iterable[tuple[PodSnapshot, PodState]], options: ListOptions, now: datetime
) -> Selection:
    """Select pods, in their order.

    :param now: the time of day that ``--since`` counts back from, aware
    """
    begin = now - options.since if options.since is not None else options.created_after
    chosen = []
    undated = 0
    for pod, state in pods:
        if not (_has_status(pod, state, options) and _fits(pod, options)):
            continue
        if begin is not None and pod.created_at is None:
            undated += 1
        elif begin is None or (pod.created_at is not None and pod.created_at >= begin):
            chosen.append((pod, state))
    return Selection(chosen, undated)


def is_gpu_pod(pod: PodSnapshot) -> bool:
    """Tell whether a pod has GPUs."""
    return pod.gpu_count > 0 or pod.gpu_id is not None


def _has_status(pod: PodSnapshot, state: PodState, options: ListOptions) -> bool:
    if options.runtime is not None and state.status not in options.runtime:
        return False
    if pod.desired_status not in DESIRED_STATUSES:
        return True
    if options.is_default:
        return pod.desired_status == "RUNNING"
    return options.desired is None or pod.desired_status in options.desired


def _fits(pod: PodSnapshot, options: ListOptions) -> bool:
    if options.name is not None and not fnmatchcase(pod.name, options.name):
        return False
    return options.compute_type is None or is_gpu_pod(pod) == (options.compute_type == "GPU")
