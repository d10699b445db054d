"""Read the body of an answer, within bounds.

Rules: nothing unpacks to more than :data:`LARGEST`, in steps of 64 KiB; a body that ends before its
end is an error, unless the status already said that the request failed.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import urllib3

from rpcli.errors import UnexpectedResponse
from rpcli.terminal import one_line, shorten

#: Bytes of a body, unpacked. A list of 10,000 pods has about 15 MiB.
LARGEST = 64 << 20
#: Bytes of the body of an error: the message is at its beginning.
LARGEST_OF_ERROR = 256 << 10
_CHUNK = 1 << 16
_GZIP = 31  # zlib's word for: with the header and trailer of gzip


def read_body(raw: urllib3.BaseHTTPResponse, status: int, host: str) -> bytes:
    """Read a body, and unpack it.

    :raises UnexpectedResponse: it is too large, broken, or packed in a way that was not asked for
    """
    chunks: Iterator[bytes] = raw.stream(_CHUNK, decode_content=False)
    if is_gzip(raw, status, host):
        chunks = unpacked(chunks)
    if status >= 400:
        return _beginning(chunks)
    try:
        return _whole(chunks)
    except _TooLarge:
        raise UnexpectedResponse(
            f"{host} answered with more than {LARGEST >> 20} MiB", status=status
        ) from None
    except zlib.error:
        raise UnexpectedResponse(
            f"{host} answered with a body that cannot be unpacked", status=status
        ) from None


def is_gzip(raw: urllib3.BaseHTTPResponse, status: int, host: str) -> bool:
    """Whether a body is packed.

    :raises UnexpectedResponse: it is, in a way that was not asked for
    """
    packing = (raw.headers.get("Content-Encoding") or "identity").strip().lower()
    if packing not in ("identity", "gzip", "x-gzip"):
        shown = shorten(one_line(packing), 40)
        raise UnexpectedResponse(
            f"{host} packed its answer as {shown}, which was not asked for", status=status
        )
    return packing != "identity"


class EndsTooEarly(zlib.error):
    """What was packed has no end."""


class _TooLarge(Exception):
    pass


def _whole(chunks: Iterator[bytes]) -> bytes:
    parts, size = [], 0
    for chunk in chunks:
        size += len(chunk)
        if size > LARGEST:
            raise _TooLarge
        parts.append(chunk)
    return b"".join(parts)


def _beginning(chunks: Iterator[bytes]) -> bytes:
    parts, size = [], 0
    try:
        for chunk in chunks:
            parts.append(chunk)
            size += len(chunk)
            if size >= LARGEST_OF_ERROR:
                break
    except (urllib3.exceptions.HTTPError, OSError, zlib.error):
        # The status has already told what went wrong: an error does not get lost in its own text.
        pass
    return b"".join(parts)[:LARGEST_OF_ERROR]


def unpacked(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Unpack gzip step by step, so that a small body cannot fill the memory; a step may be empty.

    :raises EndsTooEarly: it ends too early
    :raises zlib.error: it is broken
    """
    unpacker: Any = zlib.decompressobj(_GZIP)
    started = False
    for chunk in chunks:
        data = chunk
        while data:
            if unpacker.eof:  # another member may follow the first
                unpacker = zlib.decompressobj(_GZIP)
            yield unpacker.decompress(data, _CHUNK)
            started = True
            data = unpacker.unconsumed_tail or unpacker.unused_data
    # What the window still holds comes out in steps too.
    while started and not unpacker.eof:
        rest = unpacker.decompress(unpacker.unconsumed_tail, _CHUNK)
        if not rest:
            raise EndsTooEarly
        yield rest
