"""HTTP behind one seam: wall-clock deadlines, safe retries, strict bodies, a key that stays home.

Rules: nothing outside this package imports requests or urllib3, and nothing of it does before the
first request.
"""

from __future__ import annotations

from rpcli.domain.address import encode_segment
from rpcli.transport.client import Outcome, Transport, outcome
from rpcli.transport.exchange import Pending

__all__ = ["Outcome", "Pending", "Transport", "encode_segment", "outcome"]
