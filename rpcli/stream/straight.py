"""The straight path: frames as the service sends them, many at a time. Pure.

One shape is taken: an id, and one line of data whose JSON has ``source``, ``line`` and ``ts`` in
this order, without blanks, in printable ASCII and with no escape sequence that could be written in
another way. Its text is the text of the record, so that it need not be decoded. Whatever differs in
a single byte is left to the general decoder, which gives the same for these frames.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from rpcli.stream.records import Record

_TEXT = r'(?:[ !#-\[\]-~]+|\\["\\bfnrt]|\\u001b)*'
_WORD = r"[ !#-\[\]-~]*"
_DATA = rf'(\{{"source":"({_WORD})","line":"{_TEXT}","ts":"({_WORD})")\}}'
# It begins with a literal, which is searched for fast; only then it is asked what stands before.
_FRAME = re.compile(
    r"id: (?:(?<=\n\nid: )|(?<=\Aid: ))([!-~][ -~]*)\n"
    rf"data: {_DATA}\n\n"
)
_GROUPS = 4
_make = Record._make


def parts(text: str) -> Iterator[list[Record] | str]:
    """Take whole frames apart, in their order: records, and frames that are left to others.

    :param text: whole frames, with LF only
    """
    pieces = _FRAME.split(text)
    rest = pieces[:: _GROUPS + 1]
    columns = (pieces[n :: _GROUPS + 1] for n in range(1, _GROUPS + 1))
    taken = map(_make, zip(*columns, strict=True))
    if not any(rest):
        yield list(taken)
        return
    for left in rest:
        if left:
            yield left
        yield list(islice(taken, 1))
