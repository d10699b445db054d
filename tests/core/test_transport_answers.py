"""What an answer with an error status becomes: its code, its text, its hint."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from stub import Talk, head, reply, serve
from wire import KEY, refused, refused_by

from rpcli.errors import ApiError, UnexpectedResponse

HTML = b"<!DOCTYPE html><html><title>Just a moment</title>" + b"x" * 5000


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "bad_request"),
        (401, "unauthorized"),
        (402, "payment_required"),
        (403, "forbidden"),
        (404, "not_found"),
        (408, "timeout"),
        (409, "conflict"),
        (410, "gone"),
        (418, "api_error"),
        (422, "bad_request"),
        (429, "rate_limited"),
        (500, "server_error"),
        (503, "server_error"),
        (599, "server_error"),
    ],
)
def test_a_status_has_its_code(tmp_path: Path, status: int, code: str) -> None:
    error = refused(tmp_path, reply({"error": "no"}, status))
    assert isinstance(error, ApiError)
    assert (error.error_code, error.status, error.api, error.exit_status) == (code, status, "v2", 1)
    assert error.message.startswith("no")


@pytest.mark.parametrize(
    ("body", "message", "code"),
    [
        ({"error": "boom", "message": "m"}, "boom", "bad_request"),
        ({"message": "boom", "detail": "d"}, "boom", "bad_request"),
        ({"error": None, "message": " boom "}, "boom", "bad_request"),
        ({"error": {"message": "boom", "code": "OUT_OF_STOCK"}}, "boom", "out_of_stock"),
        ({"error": "boom", "code": "No_Funds"}, "boom", "no_funds"),
        ({"error": "boom", "code": "not a token"}, "boom", "bad_request"),
        ({"error": "boom", "code": 17}, "boom", "bad_request"),
        ({"title": "T", "status": 400, "detail": "boom"}, "boom", "bad_request"),
        ({"title": "boom", "status": 400}, "boom", "bad_request"),
        (
            {"title": "T", "detail": "Validation failed.", "errors": ["a: x", "b: y"]},
            "Validation failed: a: x; b: y",
            "bad_request",
        ),
        ({"errors": [{"message": "boom"}, {"message": "b"}]}, "boom", "bad_request"),
        ({"errors": [{"message": "boom", "extensions": {"code": "X_Y"}}]}, "boom", "x_y"),
        ({"error": '{"message": "{\\"detail\\": \\"boom\\"}"}'}, "boom", "bad_request"),
        ('{"message": "boom"}', "boom", "bad_request"),
        ("boom", "boom", "bad_request"),
        ({"error": "a\nb\x1b[31m"}, "a\nb\x1b[31m", "bad_request"),  # exact: writers make it safe
        ({"error": "x" * 9999}, "x" * 999 + "…", "bad_request"),
    ],
)
def test_a_message_comes_out_of_its_envelope(
    tmp_path: Path, body: object, message: str, code: str
) -> None:
    """Never JSON inside JSON; a code that the API gives is passed through in lower case."""
    error = refused(tmp_path, reply(body, 400))
    assert (error.message, error.error_code) == (message, code)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (reply({"foo": "SECRET"}, 500), "{where} answered with HTTP 500"),
        (reply(b"", 500), "{where} answered with HTTP 500"),
        (reply(b"[" * 200_000, 500), "{where} answered with HTTP 500"),
        (reply([], 500), "{where} answered with HTTP 500"),
        (reply({"error": ["a", {}]}, 500), "{where} answered with HTTP 500"),
        (reply({"error": '{"foo": 1}'}, 500), "{where} answered with HTTP 500"),
        (
            reply(HTML, 502, Content_Type="text/html"),
            "{where} answered with HTTP 502 and text/html",
        ),
        (
            reply(b"upstream\x1b[2J died\n", 502, Content_Type="text/plain; charset=x"),
            "{where} answered with HTTP 502: upstream\\x1b[2J died",
        ),
    ],
)
def test_an_error_without_a_message_names_endpoint_and_status(
    tmp_path: Path, answer: bytes, message: str
) -> None:
    with serve(answer) as stub:
        error = refused_by(tmp_path, stub)
    assert error.message == message.format(where=f"{stub.host}/v2/pods")
    assert error.error_code == "server_error"


@pytest.mark.parametrize(
    ("in_file", "source"),
    [(False, "the RUNPOD_API_KEY environment variable"), (True, "config.toml (apikey)")],
)
def test_a_401_names_the_source_of_the_key_and_tries_no_other(
    tmp_path: Path, in_file: bool, source: str
) -> None:
    """A12: the file has another key, and it is left alone."""
    (tmp_path / ".runpod").mkdir()
    (tmp_path / ".runpod" / "config.toml").write_text(f"apikey = '{KEY}_FILE'\n")
    with serve(reply({"detail": "bad token"}, 401)) as stub:
        error = refused_by(tmp_path, stub, env={"RUNPOD_API_KEY": ""} if in_file else None)
    assert error.error_code == "unauthorized"
    assert error.message.startswith("bad token (the key is from ")
    assert error.message.endswith(f"{source})")
    assert len(stub.requests) == 1


def test_a_client_that_the_edge_refuses_is_told_why(tmp_path: Path) -> None:
    answer = reply(b"error code: 1010", 403, Content_Type="text/plain; charset=UTF-8")
    error = refused(tmp_path, answer)
    assert (error.error_code, error.status) == ("forbidden", 403)
    assert error.message.endswith("/v2/pods refused this client (error code: 1010)")
    assert "User-Agent" in str(error.hint)


def test_a_403_says_that_the_key_is_known(tmp_path: Path) -> None:
    error = refused(tmp_path, reply({"detail": "access denied"}, 403))
    assert error.message == "access denied"
    assert (
        error.hint
        == "the key from the RUNPOD_API_KEY environment variable is known, and may not do this"
    )


@pytest.mark.parametrize(
    ("headers", "hint"),
    [
        ({}, "try again later"),
        ({"Retry-After": "99999999"}, "try again in 86400 s"),
        (
            {"RateLimit": '"minute";r=0;t=99', "RateLimit-Policy": '"minute";q=60;w=60'},
            "try again in 99 s: the limit is 60 in 60 s",
        ),
    ],
)
def test_a_429_says_when_to_come_back(tmp_path: Path, headers: dict[str, str], hint: str) -> None:
    error = refused(tmp_path, reply({"detail": "slow down"}, 429, **headers))
    assert (error.error_code, error.status, error.hint) == ("rate_limited", 429, hint)


@pytest.mark.parametrize("status", [300, 302, 304, 399])
def test_a_status_that_says_nothing_is_no_success(tmp_path: Path, status: int) -> None:
    error = refused(tmp_path, reply(b"", status), lambda t: t.rest_v2("DELETE", "pods", "p1"))
    assert isinstance(error, UnexpectedResponse)
    assert f"answered with HTTP {status}, which says nothing" in error.message


def test_the_text_of_an_error_is_not_waited_for_forever(tmp_path: Path) -> None:
    """The status has said what went wrong: a cut, a bomb or an endless text does not hide it."""

    def cut(talk: Talk) -> None:
        talk.send(head(500, Content_Length="9999") + b'{"error": "bo')
        talk.reset()

    bomb = reply(gzip.compress(b" " * (200 << 20), 9), 500, Content_Encoding="gzip")
    broken = reply(b"no gzip", 500, Content_Encoding="gzip")
    for answer in (cut, bomb, broken):
        error = refused(tmp_path, answer)
        assert (error.error_code, error.status) == ("server_error", 500)


def test_an_endless_text_of_an_error_is_read_no_further_than_its_beginning(tmp_path: Path) -> None:
    sent = 0

    def endless(talk: Talk) -> None:
        nonlocal sent
        talk.send(head(500))
        try:
            while not talk.stub.stopping.is_set():
                talk.send(b"x" * (1 << 16))
                sent += 1 << 16
        except OSError:
            talk.stub.left.set()

    with serve(endless) as stub:
        error = refused_by(tmp_path, stub)
        assert stub.left.wait(20)
    assert (error.error_code, error.status) == ("server_error", 500)
    assert sent < 32 << 20, "what the sockets hold, and no more"
