"""The least that a change costs for many viewers: the same bytes, written to every connection, and nothing else.

Run as a script with a port. It answers whatever it is sent at first, and then sends a change every second.
"""

import sys
from functools import partial

import trio

PERIOD_S = 1.0
CHANGE_BYTES = 8_192
"""About what a change of a tournament's page has with a dozen boards. Fixed, so that versions can be compared."""
CHANGE = b"event: change\nid: 1-1-1\ndata: ".ljust(CHANGE_BYTES - 2, b"x") + b"\n\n"


async def follow(stream: trio.SocketStream) -> None:
    """Send every change."""
    try:
        await stream.receive_some(65_536)
        await stream.send_all(b": here\n\n")
        while True:
            await trio.sleep(PERIOD_S - trio.current_time() % PERIOD_S)
            await stream.send_all(CHANGE)
    except trio.BrokenResourceError:
        pass


if __name__ == "__main__":
    trio.run(partial(trio.serve_tcp, follow, int(sys.argv[1]), host="127.0.0.1"))
