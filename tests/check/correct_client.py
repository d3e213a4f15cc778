"""A small client of the text protocol without a fault: `python correct_client.py HOST PORT NAME GAME`.

It plays random legal moves in Tic-tac-toe and Reversi for as long as it runs, on the boards of the example bot.
Those of `faulty_clients.txt` are this one with a single edit.
"""

import random
import re
import socket
import sys
import time

from random_bot import GAMES, ONE, TWO, Board

EVENT = re.compile(r"SVR GAME ([A-Z ]+?) ?(\{.*\})?")  # SVR GAME MOVE {PLAYER: "ann", MOVE: "44", DETAILS: ""}
FIELD = re.compile(r'(\w+): "(.*?)"(?=, \w+: "|\})')  # a value ends where the next key or the end of the map comes
PAUSE_S, TRIES = 0.1, 600  # between two tries to come back, and how many there are


class CorrectClient:
    """Reads whole lines, looks fields up by key, moves on YOURTURN, and comes back when the connection is lost."""

    def __init__(self, host: str, port: str, name: str, game: str) -> None:
        self.address, self.name, self.game = (host, int(port)), name, game
        self.random = random.Random(name)
        self.is_in = self.is_playing = False
        self.board, self.side = Board(), ONE

    @classmethod
    def main(cls) -> None:
        cls(*sys.argv[1:]).run()

    def run(self) -> None:
        tries = 0
        while tries < TRIES:
            try:
                self.play_until_it_closes()
            except OSError as problem:  # refused, reset, closed: a lost connection is not a lost match
                tries = 0 if self.is_in else tries + 1
                print("connection lost:", problem, flush=True)
            time.sleep(PAUSE_S)

    def play_until_it_closes(self) -> None:
        self.is_in = self.is_playing = False  # a match that still runs is shown again: MATCH, then every MOVE
        with socket.create_connection(self.address) as self.socket:
            self.send(f"login {self.name}")
            for line in self.lines():
                self.on_line(line)
        raise ConnectionError("the server closed it")

    def send(self, command: str) -> None:
        self.socket.sendall(command.encode() + b"\r\n")

    def read(self) -> bytes:
        return self.socket.recv(65536)

    def lines(self):
        rest = b""
        while data := self.read():
            *lines, rest = re.split(rb"[\r\n]+", rest + data)  # what follows the last end of line is not a line yet
            yield from (line.decode(errors="replace") for line in lines if line)

    def on_line(self, line: str) -> None:
        event = EVENT.fullmatch(line)
        if event is not None:
            self.on_event(event[1], event[2] or "")
        elif line == "OK":
            self.on_ok()
        elif line.startswith("ERR"):
            self.on_err(line)
        elif line.startswith("SVR MESSAGE"):
            self.on_chat(line)
        else:
            self.on_other(line)

    def on_ok(self) -> None:
        if not self.is_in:
            self.is_in = True
            self.look_for_match()

    def on_err(self, line: str) -> None:
        print(line, flush=True)
        if not self.is_in:  # the name is still taken by our old connection: try again
            raise ConnectionError(line)

    def on_chat(self, line: str) -> None:
        print(line, flush=True)

    def on_other(self, line: str) -> None:
        """The banner, lists, help, and what later servers may say."""

    def look_for_match(self) -> None:
        self.send(f"subscribe {self.game}")

    def fields(self, text: str) -> dict[str, str]:
        return dict(FIELD.findall(text))

    def on_event(self, kind: str, text: str) -> None:
        if kind == "MATCH":
            self.on_match(self.fields(text))
        elif kind == "YOURTURN" and self.is_playing:
            self.on_turn()
        elif kind == "MOVE" and self.is_playing:
            self.on_move(self.fields(text))
        elif kind in ("WIN", "LOSS", "DRAW") and self.is_playing:
            self.on_end(kind, self.fields(text))
        elif kind == "CHALLENGE":
            self.on_challenge(self.fields(text))
        elif kind == "CHALLENGE CANCELLED":
            self.on_cancelled(self.fields(text))

    def on_match(self, fields: dict[str, str]) -> None:
        self.is_playing = True
        is_first = self.begins(fields)
        self.board, self.side = GAMES[self.game](), ONE if is_first else TWO

    def begins(self, fields: dict[str, str]) -> bool:
        return fields["PLAYERTOMOVE"] == self.name

    def on_turn(self) -> None:
        self.send(f"move {self.random.choice(self.board.legal(self.side))}")

    def on_move(self, fields: dict[str, str]) -> None:
        side = self.side if fields["PLAYER"] == self.name else 1 - self.side
        if fields["MOVE"] in map(str, self.board.legal(side)):  # the opponent may have sent anything: then it is over
            self.board.play(int(fields["MOVE"]), side)

    def on_end(self, kind: str, fields: dict[str, str]) -> None:
        print(kind, fields.get("COMMENT", ""), flush=True)
        self.is_playing = False
        self.look_for_match()

    def on_challenge(self, fields: dict[str, str]) -> None:
        if not self.is_playing:
            self.send(f"challenge accept {fields['CHALLENGENUMBER']}")

    def on_cancelled(self, fields: dict[str, str]) -> None:
        """Nothing to do: an answer that crosses it is refused, and no match begins."""


if __name__ == "__main__":
    CorrectClient.main()
