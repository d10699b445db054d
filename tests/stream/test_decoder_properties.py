"""The decoder against a slow one, written from the grammar, on bytes that nobody would send."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from rpcli.stream.decoder import Decoder
from rpcli.stream.records import Record

sys.path.append(str(Path(__file__).parent))
import reference

RECORD = '{"source":"container","line":"%s","ts":"2026-08-13T18:06:15Z"}'
PIECES = st.sampled_from(
    [b"\n", b"\r", b"\r\n", b"\n\n", b":", b" ", b"data", b"data:", b"data: ", b"id: ", b"id",
     b"event: ", b"message", b"error", b"ping", b"retry: ", b"7", b"\0", b"\xef\xbb\xbf", b"\xff",
     b"\xe2\x98\x83", b"\xe2", b"x", RECORD.encode() % b"a", b'{"source":"s","line":"\\u2603"}',
     b"id: 1\ndata: " + RECORD.encode() % b"b" + b"\n\n", b"2026-08-13T18:06:15Z"]
)  # fmt: skip
BODIES = st.lists(PIECES | st.binary(max_size=4), max_size=30).map(b"".join)
CUTS = st.lists(st.integers(0, 400), max_size=8).map(sorted)


def fed(body: bytes, cuts: list[int], **options: bool) -> tuple[list[Record], list, bool]:
    decoder = Decoder(**options)
    records, signals = [], []
    for begin, end in zip([0, *cuts], [*cuts, len(body)], strict=True):
        got = decoder.feed(body[begin:end])
        records += got.records
        signals += [tuple(signal) for signal in got.signals]
    return records, signals, decoder.is_torn


@settings(max_examples=600, deadline=None)
@given(BODIES, CUTS)
def test_it_decodes_as_the_grammar_says(body, cuts):
    records, signals, torn = fed(body, cuts)
    wanted = reference.decode(body)
    assert [(record.id, record.document()) for record in records] == wanted[0]
    assert (signals, torn) == wanted[1:]


# Frames as the service sends them, and those that differ from them a little.
CHARACTERS = st.sampled_from([*'aZ 09~!"\\/', "\n", "\t", "\x1b", "\x7f", "\u2603", "\U0001f600"])
TEXTS = st.lists(CHARACTERS | st.characters(), max_size=12).map("".join)
WRITTEN = st.sampled_from([True, False])


@st.composite
def frames(draw):
    import json

    ascii_only = draw(WRITTEN)
    document = {"source": draw(st.sampled_from(["container", "system", draw(TEXTS)]))}
    document |= {"line": draw(TEXTS), "ts": draw(st.sampled_from(["2026-01-01T00:00:00Z", None]))}
    data = json.dumps(document, ensure_ascii=ascii_only, separators=(",", ":"))
    id = draw(st.sampled_from(["1", "2026-01-01T00:00:00Z/000000000042", "a b", " x", ""]))
    frame = f"id: {id}\ndata: {data}\n\n".encode("utf-8", "replace")
    if draw(st.integers(0, 3)) == 0:
        place = draw(st.integers(0, len(frame) - 1))
        frame = frame[:place] + draw(st.binary(max_size=2)) + frame[place + 1 :]
    return frame


@settings(max_examples=600, deadline=None)
@given(st.lists(frames(), max_size=6).map(b"".join), CUTS)
def test_the_straight_path_gives_the_same_to_the_byte(body, cuts):
    assert fed(body, cuts) == fed(body, [], is_straight=False)


@settings(max_examples=300, deadline=None)
@given(BODIES, CUTS)
def test_small_caps_do_not_depend_on_the_chunks(body, cuts):
    def all_of(places: list[int]) -> list[tuple[str, str]]:
        decoder = Decoder(line_cap=16, frame_cap=40)
        parts = zip([0, *places], [*places, len(body)], strict=True)
        return [(r.id, r.body) for a, b in parts for r in decoder.feed(body[a:b]).records]

    assert all_of(cuts) == all_of([])
