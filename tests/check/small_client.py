"""A small client for Tic-tac-toe over the text protocol, with one fault of its own; tests start it.

python3 small_client.py HOST PORT NAME FAULT
"""

import re
import socket
import sys
import time
from contextlib import suppress
from typing import TextIO


def main(host: str, port: str, name: str, fault: str) -> None:
    if fault == "does not start":
        raise SystemExit(3)
    with socket.create_connection((host, int(port))) as connection, connection.makefile() as lines:
        if fault != "does not log in":
            connection.sendall(f"login {name}\n".encode())
        with suppress(ConnectionError):
            play(connection, lines, fault)
    if fault == "hangs after a lost connection":
        time.sleep(0.2)
        again = socket.create_connection((host, int(port)))
        again.sendall(f"login {name}\n".encode())
    if fault != "quits":
        time.sleep(60)


def play(connection: socket.socket, lines: TextIO, fault: str) -> None:
    free: list[int] = []
    for line in lines:
        if line.startswith("SVR GAME MATCH"):
            free = list(range(9))
            if fault == "moves because of MATCH":
                connection.sendall(b"move 4\n")
        elif line.startswith("SVR GAME MOVE"):
            free = [square for square in free if f'MOVE: "{square}"' not in line]
            if fault == "dies in a match" and len(free) < 8:  # the first move is made while the match opens
                raise ValueError("no such square")
        elif line.startswith("SVR GAME YOURTURN"):
            take_turn(connection, 0 if fault == "moves illegally" else free[0], fault)
        elif re.match("SVR GAME (WIN|LOSS|DRAW)", line) and fault in {"quits", "closes its connection"}:
            return


def take_turn(connection: socket.socket, move: int, fault: str) -> None:
    is_first = move == 0
    if fault == "uses much memory" and not is_first:
        kept = bytearray(400_000_000)
        kept[::4096] = b"x" * len(kept[::4096])
        time.sleep(60)
    if fault == "prints without end" and not is_first:
        while True:
            print("no line")
    if fault == "sleeps":
        time.sleep(1.5)
    if fault != "hangs":
        connection.sendall(f"move {move}\n".encode())


main(*sys.argv[1:])
