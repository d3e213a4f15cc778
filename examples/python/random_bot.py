"""A bot that plays random legal moves in Tic-tac-toe, Reversi and 3D Connect Four: a model to copy.

Standard library only.

python3 random_bot.py --name ann --game Reversi [--host H] [--port P] [--matches K] [--challenge OPPONENT] [--seed S]
    [--retry-for SECONDS]

Three habits keep it out of trouble:
1. The fields of a message are looked up by their key, never by their position.
2. A line is complete when its end of line has come: one read may hold half a line, or three.
3. `OK` and `ERR` answer commands, in the order they were sent; every other line is news, and news may come in between.
   The bot moves because of YOURTURN and changes its board because of MOVE, never because of an `OK`.
"""

import argparse
import random
import re
import socket
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from functools import partial

GAME_EVENT = re.compile(r"SVR GAME ([A-Z ]+?) ?(?:\{.*\})?")  # SVR GAME MOVE {PLAYER: "ann", MOVE: "44", DETAILS: ""}
FIELD = re.compile(r'(\w+)\s*:\s*"([^"]*)"')  # PLAYER: "ann"
END_OF_LINE = re.compile(rb"[\r\n]+")  # LF, CR LF, or CR; a file from `makefile()` would wait for what follows a CR
LOGIN_TIMEOUT_S = 10  # to connect and log in; afterwards an opponent may keep us waiting for long
PASSING = re.compile("ERR (duplicate name|the server is stopping)", re.IGNORECASE)  # our old connection; a restart
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 2.0  # between two tries to come back: each pause is twice the one before
STOPPING = re.compile("ERR the server is about to stop", re.IGNORECASE)
ONE, TWO = 0, 1  # player one moves first, and is black in Reversi
say = partial(print, flush=True)  # flush: whoever reads our output through a pipe sees each line at once


class Board:
    """Tic-tac-toe, and what all boards share. Cells are numbered row by row from the top left."""

    def __init__(self, size: int = 9) -> None:
        self.cells: list[int | None] = [None] * size

    def gains(self, cell: int, side: int) -> list[int]:
        """The cells that become `side`'s if it plays on this one; none at all if that is not legal."""
        return [cell] if self.cells[cell] is None else []

    def legal(self, side: int) -> list[int]:
        """The cells where `side` may play."""
        return [cell for cell in range(len(self.cells)) if self.gains(cell, side)]

    def play(self, cell: int, side: int) -> None:
        """Make that move. The server decides who has won; a bot need not know."""
        for gained in self.gains(cell, side):
            self.cells[gained] = side


class Reversi(Board):
    """Cell = row * 8 + column. A move must turn at least one disc over."""

    def __init__(self) -> None:
        super().__init__(64)
        self.cells[28] = self.cells[35] = ONE
        self.cells[27] = self.cells[36] = TWO

    def gains(self, cell: int, side: int) -> list[int]:
        """The cell itself, and every disc enclosed between it and another disc of `side`."""
        turned: list[int] = []
        for down, right in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]:
            run: list[int] = []  # the opponent's discs in this direction, until one of our own closes the row
            row, column = cell // 8 + down, cell % 8 + right
            while 0 <= row < 8 and 0 <= column < 8 and (owner := self.cells[row * 8 + column]) is not None:
                if owner == side:
                    turned += run
                    break
                run.append(row * 8 + column)
                row, column = row + down, column + right
        return [cell, *turned] if turned and self.cells[cell] is None else []


class ConnectFour3D(Board):
    """A move is a column, 4 * y + x. It holds four stones, in the cells from 4 * column; the next one falls on top."""

    def __init__(self) -> None:
        super().__init__(64)

    def gains(self, cell: int, side: int) -> list[int]:
        """The lowest free cell of the column `cell`."""
        return [at for at in range(4 * cell, 4 * cell + 4) if cell < 16 and self.cells[at] is None][:1]


GAMES: dict[str, type[Board]] = {"Tic-tac-toe": Board, "Reversi": Reversi, "Connect-four-3D": ConnectFour3D}


class Bot:
    """One player. `on_line` sorts what the server says, the methods after it act on it."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.random = random.Random(options.seed)
        self.unanswered: deque[str] = deque()  # commands sent whose OK or ERR has not come yet
        self.playing, self.board, self.side, self.opponent = False, Board(), ONE, ""  # reset by every MATCH
        self.played = 0  # matches finished
        self.is_in = False  # are we logged in?
        self.was_in = False  # did a login ever succeed? Then a lost connection is worth another try

    def run(self) -> None:
        """Play all matches, over as many connections as it takes."""
        pause_s, last_try_s, told = FIRST_PAUSE_S, 0.0, ""
        while self.played < self.options.matches:
            try:
                self.one_connection()
            except OSError as problem:  # refused, reset, timed out, closed: in Python all are OSError
                why = problem.strerror or str(problem)
                if self.is_in:  # a lost connection is not a lost match: come back and play on
                    self.is_in = False
                    pause_s, last_try_s = FIRST_PAUSE_S, time.monotonic() + self.options.retry_for
                    say(f"connection lost ({why}), trying to come back for {self.options.retry_for} s")
                elif not self.was_in or time.monotonic() > last_try_s:
                    where = f"{self.options.host}, port {self.options.port}"
                    raise SystemExit(f"random_bot: no server at {where}: {why}") from None
                elif why != told:  # say it once, not at each try
                    say(f"not back yet ({why})")
                told = why
                time.sleep(pause_s)
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def one_connection(self) -> None:
        """From login to the last result. A player who logs in under the same name gets the seat back."""
        self.unanswered.clear()
        self.playing = False  # if our match still runs, the server shows it again: MATCH, then every MOVE so far
        with socket.create_connection((self.options.host, self.options.port), LOGIN_TIMEOUT_S) as self.socket:
            self.send(f"login {self.options.name}", self.options.secret)
            for line in self.lines():
                self.on_line(line)
                if self.played == self.options.matches:
                    return self.send("logout")
        raise ConnectionError("the server closed it")

    def lines(self) -> Iterator[str]:
        """Each line once it is complete, however the network cut the bytes up."""
        unfinished = b""
        while received := self.socket.recv(4096):
            *complete, unfinished = END_OF_LINE.split(unfinished + received)
            yield from (line.decode(errors="replace").strip() for line in complete if line)

    def send(self, command: str, secret: str = "") -> None:
        """Send one command; its answer comes some time later. A secret goes behind it and is never printed."""
        self.unanswered.append(command)
        self.socket.sendall(f"{command} {secret}".strip().encode() + b"\r\n")

    def ask_for_match(self) -> None:
        """Wait in the queue for anybody, or challenge somebody."""
        game, opponent = self.options.game, self.options.challenge
        say(f"challenging {opponent} at {game}" if opponent else f"waiting for a match of {game}")
        self.send(f'challenge "{opponent}" "{game}"' if opponent else f"subscribe {game}")

    def on_line(self, line: str) -> None:
        """Sort one line: the answer to the oldest open command, or news."""
        if line == "OK" or line.startswith("ERR"):
            self.on_answer(self.unanswered.popleft() if self.unanswered else "", line)
        else:
            self.on_news(line)

    def on_answer(self, command: str, answer: str) -> None:
        """The server accepted this command (`OK`) or refused it (`ERR` and why)."""
        if answer == "OK" and command.startswith("login "):
            say(f"logged in as {self.options.name}")
            self.was_in = self.is_in = True
            self.socket.settimeout(None)
            self.send("get gamelist")  # if a match of ours still runs, its MATCH comes before the answer to this
        elif answer == "OK" and command == "get gamelist" and not self.playing:
            self.ask_for_match()
        elif self.was_in and PASSING.match(answer):
            raise ConnectionError(answer)
        elif STOPPING.match(answer):  # it lets the running matches end, then closes the connection
            say(f"server says: {answer}")
        elif answer != "OK" and command and not command.startswith(("move ", "challenge accept ")):
            raise SystemExit(f"random_bot: the server refused '{command}': {answer}")
        elif answer != "OK":  # a refused move or yes came too late; if it is still our turn, the server asks again
            say(f"server says: {answer}")

    def on_news(self, line: str) -> None:
        """Act on a game event; show any other line and ignore it."""
        event = GAME_EVENT.fullmatch(line)
        kind = event[1] if event and (self.playing or event[1] in ("MATCH", "CHALLENGE")) else ""
        is_waiting = not (self.playing or self.options.challenge)
        fields = defaultdict(lambda: "?", FIELD.findall(line))  # by key, in whatever order; one that is missing is "?"
        if kind == "MATCH":  # a new match, or ours shown again after we came back: either way from the start
            say(f"match of {fields['GAMETYPE']} against {fields['OPPONENT']}, {fields['PLAYERTOMOVE']} begins")
            if fields["GAMETYPE"] not in GAMES:
                raise SystemExit(f"random_bot: this bot cannot play {fields['GAMETYPE']}")
            self.playing, self.board = True, GAMES[fields["GAMETYPE"]]()
            self.side = ONE if fields["PLAYERTOMOVE"] == self.options.name else TWO
            self.opponent = fields["OPPONENT"]
        elif kind == "YOURTURN":  # nothing counts turns here: if the opponent must pass, we are asked twice in a row
            moves = self.board.legal(self.side)
            self.send(f"move {self.random.choice(moves)}" if moves else "forfeit")
        elif kind == "MOVE":  # our own moves, too, reach our board only here
            say(f"move {fields['PLAYER']} {fields['MOVE']}")
            side = self.side if fields["PLAYER"] == self.options.name else 1 - self.side
            if re.fullmatch("[0-9]{1,2}", fields["MOVE"]) and int(fields["MOVE"]) in self.board.legal(side):
                self.board.play(int(fields["MOVE"]), side)  # an illegal move is announced as well, and then loses
        elif kind in ("WIN", "LOSS", "DRAW"):
            self.on_result(kind.lower(), fields)
        elif kind == "CHALLENGE" and is_waiting and fields["GAMETYPE"] == self.options.game:
            say(f"challenged by {fields['CHALLENGER']}")  # say yes: that ends the wait in the queue
            self.send(f"challenge accept {fields['CHALLENGENUMBER']}")
        else:
            say(f"server says: {line}")

    def on_result(self, result: str, fields: dict[str, str]) -> None:
        """The match is over. The scores are those of player one and two: ours is not always the first."""
        say(f"end of match: {fields['COMMENT'] or 'played out'}")
        scores = (fields["PLAYERONESCORE"], fields["PLAYERTWOSCORE"])
        say(f"RESULT {result} {self.opponent} {scores[self.side]}:{scores[1 - self.side]}")
        self.playing, self.played = False, self.played + 1
        if self.played < self.options.matches:
            self.ask_for_match()


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description="Play random legal moves on a game server.")
    parser.add_argument("--host", default="localhost", help="where the server runs (%(default)s)")
    parser.add_argument("--port", default=7789, type=int, help="its port for the text protocol (%(default)s)")
    parser.add_argument("--name", required=True, type=str.strip, help="the name to log in with")
    parser.add_argument("--secret", default="", type=str.strip, help="your secret, where the teacher gave you one")
    parser.add_argument("--game", required=True, choices=GAMES)
    parser.add_argument("--matches", default=1, type=int, help="how many to play (%(default)s)")
    parser.add_argument("--challenge", metavar="OPPONENT", help="challenge this player instead of waiting in the queue")
    parser.add_argument("--seed", type=int, help="choose the same moves again")
    parser.add_argument("--retry-for", default=60, type=int, help="seconds to retry after an outage (%(default)s)")
    options = parser.parse_args()
    if not 1 <= options.port <= 65535 or options.matches < 1 or options.retry_for < 0:
        parser.error("--port goes from 1 to 65535, --matches begins at 1, and --retry-for at 0")
    Bot(options).run()


if __name__ == "__main__":
    main()
