"""What may be typed after the pod commands: every mistake ends before any request."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from rpcli.errors import UsageError
from rpcli.parser import Parser
from rpcli_pod.commands import Get, List, Update
from rpcli_pod.options import ListOptions, check_id, parse_ports


def parse(command, *argv):
    """Parse with the real parser, without an application around it."""
    made = command(SimpleNamespace(context=None), None, "pod x")
    parser = Parser("rpcli pod x")
    made.add_arguments(parser)
    return made.options(parser.parse_args(list(argv)))


def refusal(command, *argv):
    with pytest.raises(UsageError) as caught:
        parse(command, *argv)
    return caught.value


# ------------------------------------------------------------ pod list


def test_nothing_is_asked_for():
    assert parse(List) == ListOptions()
    assert ListOptions().is_default


def test_everything_is_asked_for():
    options = parse(
        *(
            List,
            "--status",
            "running,Exited",
            "--status",
            "TERMINATED",
            "--runtime-status",
            "Unknown",
        ),
        *("--name", "train-*", "--compute-type", "gpu", "--since", "7d", "--why"),
    )
    assert options == ListOptions(
        desired=frozenset({"RUNNING", "EXITED", "TERMINATED"}),
        runtime=frozenset({"unknown"}),
        name="train-*",
        compute_type="GPU",
        since=timedelta(days=7),
        why=True,
    )
    assert not options.is_default


def test_a_moment_is_asked_for():
    options = parse(List, "-a", "--created-after", "2026-01-15")
    assert options.created_after == datetime(2026, 1, 15, tzinfo=UTC)
    assert options.everything


@pytest.mark.parametrize(
    "argv",
    [("--all", "--status", "exited"), ("--since", "7d", "--created-after", "2026-01-15")],
)
def test_some_exclude_each_other(argv):
    # A15
    assert refusal(List, *argv).message == f"{argv[0]} and {argv[-2]} exclude each other"


@pytest.mark.parametrize("word", ["bogus", "run", "RUNNING ish", "paused"])
def test_a_status_outside_the_vocabulary_lists_it(word):
    # A15
    assert refusal(List, "--status", word).message == (
        f"--status '{word}': choose from RUNNING, EXITED, TERMINATED"
    )
    assert refusal(List, "--runtime-status", word).message == (
        f"--runtime-status '{word}': choose from running, initializing, stopped, terminated, "
        "unknown"
    )


@pytest.mark.parametrize("word", ["initializing", "Stopped", "unknown"])
def test_a_runtime_status_in_the_wrong_place_is_told_where_it_belongs(word):
    # A16
    error = refusal(List, "--status", word)
    assert "choose from RUNNING, EXITED, TERMINATED" in error.message
    assert error.hint == f"it is what a pod is doing: --runtime-status {word.lower()}"


@pytest.mark.parametrize("value", ["", " ", "running,", ",", "running,,exited"])
@pytest.mark.parametrize("flag", ["--status", "--runtime-status"])
def test_an_empty_status_is_no_status(flag, value):
    # A15
    assert refusal(List, flag, value).message.startswith(f"{flag} has an empty value: choose from")


def test_an_empty_name_would_hide_a_mistake():
    assert "--name is empty" in refusal(List, "--name", "").message


@pytest.mark.parametrize("value", ["", "TPU", "gpu,cpu"])
def test_a_compute_type_is_one_of_two(value):
    message = f"--compute-type '{value}': choose from GPU, CPU"
    assert refusal(List, "--compute-type", value).message == message


@pytest.mark.parametrize("value", ["0", "0s", "-5m", "5", "1w", "1y", "+1h", "5 m", "１h", ""])  # noqa: RUF001
def test_a_window_that_is_none_is_refused(value):
    # C18
    assert f"--since '{value}' is no" in refusal(List, f"--since={value}").message
    assert refusal(List, f"--created-after={value}").message.startswith("--created-after '")


# ------------------------------------------------------------ pod get, pod update


def test_get_takes_an_id():
    options = parse(Get, "p1", "--include-machine", "--include-network-volume", "--show-env")
    assert (options.pod_id, options.include_machine) == ("p1", True)
    assert (options.include_network_volume, options.show_env) == (True, True)


@pytest.mark.parametrize("text", ["", " ", "\t\n", ".", ".."])
def test_what_cannot_be_an_id_is_refused(text):
    # G02
    assert "id" in refusal(Get, text).message
    assert "id" in refusal(Update, text, "--ports", "22/tcp").message


@pytest.mark.parametrize("text", ["p1", "-x", "a b", "../..", "a/b", "...", "a?b=c"])
def test_what_is_odd_is_left_to_be_encoded(text):
    assert check_id(text) == text


def test_update_changes_something():
    assert refusal(Update, "p1").message == "nothing to change: give --ports"


@pytest.mark.parametrize(
    ("values", "ports"),
    [
        (["8888/http,22/tcp"], ("8888/http", "22/tcp")),
        (["8888/http, 22/tcp"], ("8888/http", "22/tcp")),
        (["22/TCP", "8888/http"], ("22/tcp", "8888/http")),
        (["22/tcp,22/tcp,22/udp"], ("22/tcp", "22/udp")),
        (["65535/tcp,70000/tcp"], ("65535/tcp", "70000/tcp")),
    ],
)
def test_ports_are_read(values, ports):
    assert parse_ports(values) == ports


@pytest.mark.parametrize(
    "value",
    ["22", "tcp", "22/", "/tcp", "22/sctp", "0/tcp", "022/tcp", "-1/tcp", "65536/tcp", "69999/tcp",
     "100000/tcp", "22/tcp/x", "22 tcp", "２2/tcp", "22\n/tcp"],  # noqa: RUF001
)  # fmt: skip
def test_what_is_no_port_is_refused(value):
    assert refusal(Update, "p1", f"--ports={value}").message == (
        f"--ports '{value}' is no port: give a number and http, tcp or udp, as in 8888/http,22/tcp"
    )


@pytest.mark.parametrize("value", ["", " ", ",", "22/tcp,", "22/tcp,,80/http"])
def test_an_empty_port_would_unpublish_by_mistake(value):
    assert "--ports has an empty value" in refusal(Update, "p1", "--ports", value).message
