"""Addresses of APIs: what can be used, what is shown, who gets the key."""

from __future__ import annotations

import re

import pytest

from rpcli.domain.address import (
    check_address,
    encode_segment,
    endpoint_of,
    host_of,
    is_loopback,
    keeps_key,
    shown,
)
from rpcli.errors import ConfigError, UsageError


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://api.runpod.io/v2", "https://api.runpod.io/v2"),
        ("https://api.runpod.io/v2/", "https://api.runpod.io/v2"),
        ("http://h//v2", "http://h/v2"),
        ("http://h//a///b//", "http://h/a/b"),
        ("http://h", "http://h"),
        ("http://h/", "http://h"),
        ("HTTPS://API.RunPod.IO/V2", "https://api.runpod.io/V2"),
        ("http://127.0.0.1:8080/v2", "http://127.0.0.1:8080/v2"),
        ("http://[::1]:8080/v2", "http://[::1]:8080/v2"),
        ("http://h:/v2", "http://h/v2"),
        ("https://user:pw@h/v2", "https://h/v2"),
        ("https://user@h:1", "https://h:1"),
        ("https://münchen.example/v2", "https://xn--mnchen-3ya.example/v2"),
        ("https://a_b.example./", "https://a_b.example."),
        ("http://h:65535", "http://h:65535"),
    ],
)
def test_an_address_comes_back_in_one_spelling(text: str, url: str) -> None:
    """G04, G05: slashes, and no user or password."""
    assert check_address(text, "RUNPOD_REST_V2_URL") == url


@pytest.mark.parametrize(
    "text",
    [
        *("127.0.0.1:8080/v2", "localhost:8080", "/v2", "//h/v2", "h", "ftp://h/v2", "file:///etc"),
        *("http://", "https://:80", "http:///v2", "http:/h/v2", "https://user:SECRET@"),
        *("http://h:99999", "http://h:0", "http://h:x1", "http://h:-1", "http://u:SECRET"),
        *(
            "http://u:p:SECRET@h:bad",
            "http://h h",
            "http://h/a b",
            "http://h/\tv2",
            "http://h\x7f/",
        ),
        *("http://h/v2?api_key=SECRET", "http://h/v2#SECRET", "http://h/v2?", "http://h/#"),
        *("http://[::1", "http://[zz]/", "http://[fe80::1%25eth0]/", "http://[SECRET]/"),
        *("http://a,b/", "http://-a/", "http://a..b/", f"http://{'a' * 64}/", "http://*/"),
        *("http://h\\@evil/", "http://\ud800/", f"http://{'a.' * 127}aa/", "http://.../"),
    ],
)
def test_what_is_no_address_is_told_by_the_name_of_its_variable(text: str) -> None:
    """G04, G05: the value itself is never repeated, since a password may be in it."""
    with pytest.raises(ConfigError, match=r"^RUNPOD_REST_V2_URL is not an address") as caught:
        check_address(text, "RUNPOD_REST_V2_URL")
    assert "SECRET" not in str(caught.value)
    assert caught.value.error_code == "config_error"


def test_what_is_shown_of_an_address_has_no_password() -> None:
    url = "https://user:p%40ss@h:1/a/b?x=1"
    assert shown(url) == "https://h:1/a/b?x=1"
    assert host_of(url) == "h:1"
    assert endpoint_of(url) == "h:1/a/b"


@pytest.mark.parametrize(
    ("url", "answer"),
    [
        ("http://localhost/", True),
        ("http://127.0.0.1:8080/", True),
        ("http://127.9.9.9/", True),
        ("http://[::1]/", True),
        ("http://0.0.0.0/", False),
        ("http://localhost.evil.example/", False),
        ("http://127.0.0.1.evil.example/", False),
        ("http://10.0.0.1/", False),
        ("http://user@127.0.0.1@evil.example/", False),
        ("http://evil.example/127.0.0.1", False),
    ],
)
def test_loopback_is_this_machine_and_no_name_that_looks_like_it(url: str, answer: bool) -> None:
    assert is_loopback(url) is answer


@pytest.mark.parametrize(
    ("start", "target", "answer"),
    [
        ("https://h/a", "https://h/b", True),
        ("https://h/a", "https://H./b", True),
        ("https://h/a", "https://h:443/b", True),
        ("http://h/a", "https://h/a", True),  # only more private
        ("http://h:80/a", "https://h:443/a", True),
        ("https://h/a", "http://h/a", False),
        ("https://h:443/a", "http://h:443/a", False),
        ("https://h/a", "https://h:8443/a", False),
        ("http://h:8080/a", "https://h/a", False),
        ("https://h/a", "https://other/a", False),
        ("https://h/a", "https://sub.h/a", False),
        ("http://127.0.0.1:1/a", "http://localhost:1/a", False),
        ("https://h/a", "https://h:bad/a", False),
        ("https://h/a", "ftp://h/a", False),
    ],
)
def test_the_key_goes_to_the_same_place_only(start: str, target: str, answer: bool) -> None:
    """B31."""
    assert keeps_key(start, target) is answer


@pytest.mark.parametrize(
    ("segment", "encoded"),
    [
        ("abc-1_~", "abc-1_~"),
        ("../../user", "..%2F..%2Fuser"),
        ("a/b", "a%2Fb"),
        ("a?b=c", "a%3Fb%3Dc"),
        ("a#f", "a%23f"),
        ("%2e%2e", "%252e%252e"),
        ("a b", "a%20b"),
        ("...", "..."),
        ("ü", "%C3%BC"),
        ("a\nb\0", "a%0Ab%00"),
        ("a;b:c@d", "a%3Bb%3Ac%40d"),
    ],
)
def test_a_segment_can_be_no_other_path(segment: str, encoded: str) -> None:
    """G02."""
    assert encode_segment(segment) == encoded
    assert not re.search(r"[/?#]", encoded)


@pytest.mark.parametrize("segment", ["", " ", "\t", ".", "..", "a\udcff"])
def test_a_segment_that_is_no_id_is_a_usage_error(segment: str) -> None:
    """G02."""
    with pytest.raises(UsageError, match="is no id") as caught:
        encode_segment(segment)
    assert caught.value.exit_status == 2
    str(caught.value).encode()
