"""What each frame is printed as, by the real command, in each format."""

from __future__ import annotations

import json

import pytest
import yaml
from log_script import (
    CHUNKED,
    EVENTS,
    LAST_CHUNK,
    NO_MORE,
    RETRY,
    LogScript,
    chunk,
    closed,
    event,
    numbered,
    opened,
)

POD = ("pod", "logs", "p")
FOLLOW = (*POD, "--follow")
#: Every character that some reader of lines takes for the end of one.
BREAKS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
#: What moves a cursor, sets a title, fills a clipboard, turns text around.
HOSTILE = "\x1b[2Ja\x1b]52;c;eA==\x07b\x1b]8;;http://x\x1b\\c\x9bm\u202ed\re\bf\x7fg\u2066h"


def show(rpcli_run, *parts: bytes, argv=(), head=EVENTS):
    """Follow an answer until the server has no more: the documents are those of a snapshot."""
    with LogScript(p=[closed(RETRY), closed(*parts, head=head), NO_MORE]) as script:
        return rpcli_run(*FOLLOW, *argv, env=script.environment())


def lines(result) -> list[str]:
    return [record["line"] for record in result.lines]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_bytes_one_by_one_are_the_same_as_all_at_once(rpcli_run, end):
    # B03
    parts = b'data: {"source":"container",\ndata: "line":"x \xe2\x98\x83","ts":"t"}\n\n'
    body = (numbered(1) + parts + numbered(2)).replace(b"\n", end)
    whole = show(rpcli_run, body)
    each = b"".join(chunk(body[n : n + 1]) for n in range(len(body)))
    single = show(rpcli_run, each, head=CHUNKED)
    assert single.stdout == whole.stdout
    assert lines(whole) == ["line 1", "x \u2603", "line 2"]


def test_a_bom_in_three_chunks_costs_no_event(rpcli_run):
    # B01
    body = b"\xef\xbb\xbf" + event("first") + event("\ufeffsecond", "2")
    each = b"".join(chunk(body[n : n + 1]) for n in range(3)) + chunk(body[3:])
    for result in (show(rpcli_run, body), show(rpcli_run, each, head=CHUNKED)):
        assert lines(result) == ["first", "\ufeffsecond"]


def test_blank_lines_of_another_style_end_an_event(rpcli_run):
    # B02
    one, two = event("a").rstrip(b"\n"), event("b").rstrip(b"\n")
    assert lines(show(rpcli_run, one + b"\n\r\n" + two + b"\r\n\r" + b": x\n\n")) == ["a", "b"]


def test_several_data_lines_are_one_payload(rpcli_run):
    # B05
    body = b'data: {"source":"container",\ndata: "line":"x","ts":"t"}\n\n'
    assert show(rpcli_run, body).lines == [{"source": "container", "line": "x", "ts": "t"}]


@pytest.mark.parametrize("charset", ["", "; charset=iso-8859-1"])
def test_separators_within_a_line_end_nothing(rpcli_run, charset):
    # B04
    data = {"source": "container", "line": f"a{BREAKS}b", "ts": "t"}
    body = f"id: 1\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
    kind = f"Content-Type: text/event-stream{charset}".encode()
    head = b"HTTP/1.1 200 OK\r\n" + kind + b"\r\nConnection: close\r\n\r\n"
    result = show(rpcli_run, body, head=head)
    # As other readers split it: still one line.
    assert [json.loads(line) for line in result.stdout.splitlines()] == [data]
    text = show(rpcli_run, body, head=head, argv=("-f", "text"))
    assert len(text.stdout.splitlines()) == 1


def test_a_line_that_was_split_before_it_came_stays_split(rpcli_run):
    # B18
    first, second = "\u2603" * 5461 + "\ufffd", "\ufffd" + "\u2603" * 100
    assert lines(show(rpcli_run, event(first), event(second, "2"))) == [first, second]


def test_half_a_pair_of_surrogates_is_printed_in_every_format(rpcli_run):
    # B27
    body = (
        b"retry: 10\n\n"
        + rb'data: {"source":"container","line":"\ud83d cut","ts":"t"}'
        + b"\n\n"
        + event("later")
    )
    assert lines(show(rpcli_run, body)) in (["\ud83d cut", "later"], ["\ufffd cut", "later"])
    documents = list(yaml.safe_load_all(show(rpcli_run, body, argv=("-f", "yaml")).stdout))
    assert [d["line"][1:] for d in documents] == [" cut", "ater"]
    text = show(rpcli_run, body, argv=("-f", "text"))
    assert text.status == 0
    assert text.stdout.splitlines()[0].endswith(" cut")
    assert text.stdout.splitlines()[1].endswith("later")


def test_a_payload_of_another_shape_is_kept(rpcli_run):
    # B30
    raw = ["plain text", "42", "null", '["x"]', '{"line":7}', '{"line":null}', "", "NaN"]
    raw += [
        "[" * 100_000,
        '{"source":"container","line":"x","ts":' + "9" * 5000 + "}",
        '{"line":"x',
    ]
    frames = [f"id: {n}\ndata: {data}\n\n".encode() for n, data in enumerate(raw)]
    result = show(rpcli_run, *frames, event("later", "99"))
    assert result.status == 0
    assert result.lines[:-1] == [
        {"source": "unknown", "line": data, "ts": None, "raw": True} for data in raw
    ]
    assert lines(result)[-1] == "later"


@pytest.mark.parametrize("argv", [(), ("--since", "2026-01-01T00:00:00Z", "--tail", "9")])
def test_a_time_that_is_none_costs_no_line(rpcli_run, argv):
    # E01
    times = ["not-a-date", 123, None, "", "2026-02-30T00:00:00Z", "9" * 400, ["x"], True]
    frames = [event(f"line {n}", str(n), ts=ts) for n, ts in enumerate(times)]
    # With an end, too: what has no time that can be read passes it.
    for more in ((), ("--until", "2027-01-01T00:00:00Z")):
        result = show(rpcli_run, *frames, event("last", "99"), argv=(*argv, *more))
        assert result.status == 0
        assert lines(result)[-1] == "last"
        for record, ts in zip(result.lines, times, strict=False):
            kept = record["line"].startswith("line ") and record["ts"] == ts
            assert kept or (record.get("raw") is True and "line " in record["line"])


def test_sixty_thousand_frames_of_a_snapshot(rpcli_run):
    # E05, as users have it; that one validator holds all where the contract is enforced is tested
    # with the validators
    frames = b"".join(event("x", str(n)) for n in range(60_000))
    with LogScript(p=opened(frames)) as script:
        env = script.environment() | {"RPCLI_CONTRACT": "off"}
        result = rpcli_run(*POD, "--max-wait", "50s", env=env)
    assert (result.status, result.stdout_bytes.count(b"\n")) == (0, 60_000)


def test_text_that_straddles_every_edge_of_a_chunk_stays_in_one_piece(rpcli_run):
    # C11
    texts = ["\u2603x" * (edge // 4 + shift) for edge in (1024, 4096, 8192) for shift in (-1, 0, 1)]
    body = b"".join(event(text, str(n)) for n, text in enumerate(texts))
    for size in (1024, 4096, 8192):
        parts = b"".join(chunk(body[n : n + size]) for n in range(0, len(body), size))
        assert lines(show(rpcli_run, parts, head=CHUNKED)) == texts


def test_an_entry_of_several_lines(rpcli_run):
    # C12
    body = event("Traceback:\n  File x\n") + event("after", "2")
    assert lines(show(rpcli_run, body)) == ["Traceback:\n  File x\n", "after"]
    text = show(rpcli_run, body, argv=("-f", "text")).stdout.splitlines()
    assert [line.partition("container")[2].strip() for line in text] == [
        "Traceback:", "File x", "after"
    ]  # fmt: skip
    assert len({line.partition("container")[0] for line in text}) == 1


def test_the_first_character_is_kept(rpcli_run):
    # C33
    texts = ["[x]", " x", "\tx", "{x", "", "   ", "\u3000x", "-", "after"]
    body = b"".join(event(text, str(n)) for n, text in enumerate(texts))
    assert lines(show(rpcli_run, body)) == texts
    shown = show(rpcli_run, body, argv=("-f", "text")).stdout.split("\n")
    before = shown[-2].removesuffix("after")
    assert [f"{line} ".removeprefix(before).rstrip(" ") for line in shown[:-1]] == [
        text.rstrip(" ") for text in texts
    ]


def test_no_format_lets_a_workload_drive_a_terminal(rpcli_run):
    # C25
    body = event(HOSTILE, source=f"con{HOSTILE}", ts=HOSTILE)
    for argv in ((), ("-f", "text"), ("-f", "yaml"), ("-f", "text", "--timestamps", "none")):
        shown = show(rpcli_run, body, argv=argv).stdout
        assert shown
        assert not set(shown) & set("\x1b\x07\x9b\u202e\r\b\x7f\u2066")
    assert lines(show(rpcli_run, body)) == [HOSTILE]


def test_no_message_lets_a_workload_drive_a_terminal(rpcli_run):
    # C25
    body = event(f"FATAL {HOSTILE}")
    result = show(rpcli_run, body, argv=("--fail-on", "FATAL.*"))
    assert result.status == 3
    assert not set(result.stderr) & set("\x1b\x07\x9b\u202e\r\b\x7f\u2066")


def test_what_only_some_servers_send_is_ignored(rpcli_run):
    """A whole body in chunks, with everything that the grammar lets pass."""
    odd = b": hello\n:\nid\nretry\nevent\nfoo\n\ndata\n\nevent: ping\ndata: x\n\n"
    result = show(rpcli_run, chunk(odd + numbered(1)) + LAST_CHUNK, head=CHUNKED)
    assert [line for line in lines(result) if line] == ["line 1"]


def test_whatever_the_bytes_are_it_ends_in_order(rpcli_run):
    junk = bytes(range(256)) * 40
    result = show(rpcli_run, junk + b"\n\n", event("after", "9"))
    assert "after" in lines(result)
    assert "Traceback" not in result.stderr
