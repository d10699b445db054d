"""Which pods a list shows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from snapshots import classic_pod

from rpcli.domain.podstate import PodState
from rpcli_pod.filters import select_pods
from rpcli_pod.options import ListOptions

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def pod(name, desired="RUNNING", status="running", reason=None, **members):
    made = classic_pod(id=name, name=name, desired_status=desired, **members)
    return made, PodState(status, reason)


PODS = [
    pod("train-1", gpu_count=1, gpu_id="A40", created_at=NOW - timedelta(days=8)),
    pod("Train-2", status="initializing", gpu_count=2, created_at=NOW - timedelta(days=6)),
    pod("skewed", status="stopped", created_at=NOW),
    pod("stopped", "EXITED", "stopped", created_at=NOW - timedelta(days=7)),
    pod("gone", "TERMINATED", "terminated", gpu_id="L4"),
    pod("strange", "HIBERNATED", "unknown", "unrecognized_status"),
]


def names(**options):
    return [p.name for p, _ in select_pods(PODS, ListOptions(**options), NOW).pods]


def test_by_default_those_that_should_be_running():
    assert names() == ["train-1", "Train-2", "skewed", "strange"]


def test_all():
    assert names(everything=True) == [p.name for p, _ in PODS]


def test_by_what_somebody_asked_for():
    assert names(desired=frozenset({"EXITED"})) == ["stopped", "strange"]
    assert names(desired=frozenset({"EXITED", "TERMINATED"})) == ["stopped", "gone", "strange"]


def test_a_status_that_nobody_knows_is_always_listed():
    for desired in ("RUNNING", "EXITED", "TERMINATED"):
        assert "strange" in names(desired=frozenset({desired}))


def test_by_what_they_are_doing_whatever_was_asked_for():
    assert names(runtime=frozenset({"stopped"})) == ["skewed", "stopped"]
    assert names(runtime=frozenset({"unknown"})) == ["strange"]
    assert names(runtime=frozenset({"initializing"})) == ["Train-2"]


def test_both_at_once():
    both = {"desired": frozenset({"RUNNING"}), "runtime": frozenset({"stopped"})}
    assert names(**both) == ["skewed"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("train-*", ["train-1"]),
        ("*rain-?", ["train-1", "Train-2"]),
        ("[tT]rain-[!1]", ["Train-2"]),
        ("train", []),
        ("gone", ["gone"]),
    ],
)
def test_by_name(pattern, found):
    assert names(everything=True, name=pattern) == found


def test_by_compute_type():
    assert names(everything=True, compute_type="GPU") == ["train-1", "Train-2", "gone"]
    assert names(everything=True, compute_type="CPU") == ["skewed", "stopped", "strange"]


def test_by_time_of_creation():
    assert names(everything=True, since=timedelta(days=7)) == ["Train-2", "skewed", "stopped"]
    assert names(everything=True, created_after=NOW - timedelta(hours=1)) == ["skewed"]


def test_pods_without_a_time_of_creation_are_counted_and_left_out():
    found = select_pods(PODS, ListOptions(everything=True, since=timedelta(days=100)), NOW)
    assert [p.name for p, _ in found.pods] == ["train-1", "Train-2", "skewed", "stopped"]
    assert found.undated == 2


def test_only_those_are_counted_that_would_have_been_shown():
    options = ListOptions(since=timedelta(days=100), name="gone")
    assert select_pods(PODS, options, NOW).undated == 0
    assert select_pods(PODS, ListOptions(), NOW).undated == 0
