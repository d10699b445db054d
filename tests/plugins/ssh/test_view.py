"""What people are told beside the documents of ssh."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from snapshots import FINGERPRINT, KEY, NO_KEY, PUBLIC_KEY, classic_pod, port

from rpcli.domain.pod import SshEndpoint
from rpcli.domain.podstate import PodState
from rpcli.domain.ssh import ssh_document
from rpcli_ssh.view import INFO_FIELDS, human_connections, human_info, notes_on

NOW = datetime(2026, 12, 1, 8, 40, tzinfo=UTC)
PROXY = SshEndpoint("ssh.runpod.io", 22, "p1-64411eb2")
RENTED = "Rented by User: Tue Dec 01 2026 08:00:00 GMT+0000 (Coordinated Universal Time)"


def notes(pod, state="running", key=KEY, account_keys=(PUBLIC_KEY,)):
    document = ssh_document(pod, PodState(state), key, account_keys)
    return list(notes_on(document, pod, key, NOW))


def test_a_connection_without_a_catch_needs_no_note():
    assert notes(classic_pod([port()])) == []


@pytest.mark.parametrize(("uptime", "told"), [(0, True), (29, True), (30, False), (None, False)])
def test_an_address_can_be_stale_for_half_a_minute(uptime, told):
    found = notes(classic_pod([port()], uptime=uptime))
    assert bool(found) is told
    if told:
        assert found[0].startswith(f"p1 has been up for {uptime} s: the address may still be that")


def test_a_key_that_the_account_lacks_is_told_with_what_to_do():
    # A21, F13: a port is published, which is not to say that anybody is let in
    (note,) = notes(classic_pod([port()]), account_keys=())
    assert note.startswith("port 22 is published, and the account does not have the key ")
    assert f"({FINGERPRINT})" in note
    assert f"add {KEY.path}.pub to the account's ssh keys" in note
    assert "ready" not in note


def test_nothing_is_said_of_an_account_that_is_unknown():
    # F10
    assert notes(classic_pod([port()]), account_keys=None) == []


def test_without_a_key_it_is_said_whose_is_used():
    # F07
    assert notes(classic_pod([port()]), key=NO_KEY) == [
        f"there is no key at {NO_KEY.path}: ssh tries your own keys"
    ]


def test_what_is_wrong_with_a_key_is_told_once():
    # F06, F08
    key = NO_KEY._replace(problem="it is a folder")
    assert notes(classic_pod([port()]), key=key) == ["it is a folder"]


def test_the_proxy_is_for_a_shell_only():
    # A20
    for ports in ([port()], []):
        assert notes(classic_pod(ports, ssh_proxy=PROXY)) == [
            "the proxy carries an interactive shell only: no scp, sftp, rsync or port forwarding"
        ]


def test_it_is_said_for_how_long_a_pod_has_been_initializing():
    # F12
    pod = classic_pod(last_status_change=RENTED)
    assert notes(pod, "initializing") == ["p1 has been initializing for 40m"]


@pytest.mark.parametrize("change", [None, "Rented by User:", RENTED.replace("Dec", "Jan", 1)])
def test_it_is_not_said_where_nobody_knows(change):
    known = change is not None and "Jan" in change
    pod = classic_pod(last_status_change=change)
    assert bool(notes(pod, "initializing")) is known
    assert notes(pod, "stopped") == []


def test_a_moment_in_the_future_is_not_believed():
    pod = classic_pod(last_status_change=RENTED.replace("2026", "2027"))
    assert notes(pod, "initializing") == []


def test_people_see_the_command_and_not_its_words():
    document = ssh_document(classic_pod([port()]), PodState("running"), KEY, None)
    assert set(document) <= set(INFO_FIELDS)
    assert set(document) - set(human_info(document, ())) == {"argv", "host_key_alias"}
    assert human_info(document, ("argv",))["argv"] == document["argv"]


def test_people_see_a_command_a_pod():
    document = ssh_document(classic_pod([port()]), PodState("running"), NO_KEY, None)
    assert human_connections([document]) == {"a (p1)": document["ssh_command"]}
    assert human_connections([]) == {}
