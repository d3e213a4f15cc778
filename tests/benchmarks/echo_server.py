"""The baseline: a bare line echo on trio's own streams, one task for each connection. Nothing can be simpler.

Run as a script with a port. It says nothing until it is spoken to.
"""

import sys
from functools import partial

import trio


async def echo(stream: trio.SocketStream) -> None:
    """Send back every line, as many at once as came at once."""
    unfinished = b""
    try:
        while data := await stream.receive_some(65_536):
            lines, newline, unfinished = (unfinished + data).rpartition(b"\n")
            if newline:
                await stream.send_all(lines + newline)
    except trio.BrokenResourceError:
        pass


if __name__ == "__main__":
    trio.run(partial(trio.serve_tcp, echo, int(sys.argv[1]), host="127.0.0.1"))
