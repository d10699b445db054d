"""The state function: the specification's table over the full cross product of the inputs."""

from __future__ import annotations

from itertools import islice
from typing import get_args

import podstate_table as table

from rpcli.domain.pod import Maintenance, PodSnapshot, RuntimeSignal
from rpcli.domain.podstate import (
    RUNTIME_STATUSES,
    PodState,
    RuntimeStatus,
    derive_state,
    state_of,
)


def test_every_combination_gives_what_the_table_says() -> None:
    assert list(islice(table.violations(derive_state), 10)) == []


def test_every_row_of_the_table_is_used_by_some_combination() -> None:
    labels = {label for label, _ in table.CHANGES}
    used = {
        table.row_of(generation, status, signal, change)
        for generation in table.GENERATIONS
        for status in table.STATUSES
        for signal in table.SIGNALS
        for change in labels
    }
    assert used == set(table.ROWS)


def test_the_statuses_are_a_closed_set() -> None:
    assert get_args(RuntimeStatus) == RUNTIME_STATUSES
    assert {row.status for row in table.ROWS} == set(RUNTIME_STATUSES)


def test_a_maintenance_window_counts_only_where_a_moment_is_given() -> None:
    window = Maintenance(start=table.NOW)
    state = derive_state("v2", "STARTING", RuntimeSignal.ABSENT, None, maintenance=window)
    assert state == PodState("initializing", "starting")


def test_the_state_of_a_snapshot_uses_all_its_signals() -> None:
    snapshot = PodSnapshot(
        id="p1",
        name="a",
        generation="classic",
        desired_status="RUNNING",
        state_status="EXITED",
        signal=RuntimeSignal.PRESENT,
        last_status_change="Exited by User",
    )
    assert state_of(snapshot, table.NOW) == PodState("stopped", "stopped_by_user")
    waiting = PodSnapshot(
        id="p2",
        name="b",
        generation="v2",
        desired_status="RUNNING",
        state_status="RUNNING",
        signal=RuntimeSignal.ABSENT,
        maintenance=Maintenance(start=table.NOW),
    )
    assert state_of(waiting, table.NOW) == PodState("initializing", "host_maintenance")
    assert state_of(waiting, None) == PodState("initializing", "awaiting_container")
