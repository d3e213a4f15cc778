"""A client of the text protocol that plays the moves of its command line, in this order."""

import socket
import sys


def main() -> None:
    host, port, name, *moves = sys.argv[1:]
    with socket.create_connection((host, int(port))) as connection, connection.makefile("rw", newline="\n") as wire:
        wire.write(f"login {name}\n")
        wire.flush()
        for line in wire:
            if line.startswith("SVR GAME YOURTURN") and moves:
                wire.write(f"move {moves.pop(0)}\n")
                wire.flush()


if __name__ == "__main__":
    main()
