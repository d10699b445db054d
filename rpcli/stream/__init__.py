"""Log streams: decode, remember the place, follow, replay, and read many at once.

What decides (framing, decoding, the cursor, backoff, what an answer means, merging) is pure; what
waits is in :mod:`~rpcli.stream.hub`, :mod:`~rpcli.stream.pump` and the modules above them.
"""
