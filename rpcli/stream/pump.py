"""Read one connection to its end, in the thread of its reader.

Rules: it decides nothing; how a connection ended is a value, and only a bug is raised.
"""

from __future__ import annotations

from collections.abc import Callable

from rpcli.errors import Aborted, RpcliError
from rpcli.stream.decoder import Decoded, Decoder
from rpcli.stream.ports import Connection
from rpcli.stream.verdict import End, How


def pump(
    connection: Connection,
    decoder: Decoder,
    opened: Callable[[], None],
    took: Callable[[Decoded, int], None],
) -> End:
    """Open a connection, and hand on what it brings.

    :param opened: told once, as soon as the server has answered
    :param took: told of what came and of its size in bytes, also where it is no record yet; what
        it raises ends the connection, and is raised
    """
    answered = False
    try:
        if not connection.open():
            return End(How.NOTHING, opened=True)
        answered = True
        opened()
        while chunk := connection.read():
            took(decoder.feed(chunk), len(chunk))
        return End(How.CLOSED, opened=True, torn=decoder.is_torn)
    except Aborted:
        return End(How.ABORTED, answered)
    except RpcliError as error:
        return End(How.FAILED, answered, decoder.is_torn, error)
    finally:
        connection.abort()
