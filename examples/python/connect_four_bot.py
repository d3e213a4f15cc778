"""A bot for 3D Connect Four, a JSON object a line: a model to copy. Standard library only.

python3 connect_four_bot.py --name ann [--secret S] [--host H] [--port P] [--matches K] [--room N] [--seed N]
    [--retry-for SECONDS]

It wins if it can, blocks if it must, and plays at random otherwise.

Four habits keep it out of trouble:
1. A message is known by its "event", its values by their keys; whatever else a message or the server says is ignored.
2. A line is complete when its end of line has come: one read may hold half a line, or three.
3. The server does not repeat our own moves. They are on our board as soon as they are sent, and come off if refused.
4. No message says who begins. Moves alternate, so whoever is asked for one after an even number of them did.
"""

import argparse
import json
import random
import re
import socket
import time
from functools import partial
from itertools import product
from typing import Any

LOGIN_TIMEOUT_S = 10  # to connect and enter the lobby; afterwards an opponent may keep us waiting for long
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 2.0  # between two tries to come back: each pause is twice the one before
FREE, ALONE = "No player1 yet", "No player2 yet"  # instead of the opponent's name in a room
RESULTS = {"you": ("win", "1:-1"), "opponent": ("loss", "-1:1"), "draw": ("draw", "0:0")}  # by what "winner" says
say = partial(print, flush=True)  # flush: whoever reads our output through a pipe sees each line at once


def all_lines() -> list[int]:
    """The 76 lines of four, each a number with a bit set for each of its cells."""
    lines = []
    for start, step in product(product(range(4), repeat=3), product((-1, 0, 1), repeat=3)):
        cells = [tuple(at + n * way for at, way in zip(start, step, strict=True)) for n in range(4)]
        # Of two opposite directions only one counts, else each line would be there twice.
        if step > (0, 0, 0) and all(0 <= at < 4 for at in cells[-1]):
            lines.append(sum(1 << (16 * y + 4 * x + z) for y, x, z in cells))
    return lines


LINES = all_lines()


class Board:
    """Column = 4 * y + x, and holds four stones; the cell at height z has bit 4 * column + z in its side's stones."""

    def __init__(self, moves: list[int | None]) -> None:
        self.stones = [0, 0]  # of the player who moved first, and of the other
        self.heights = [0] * 16
        for number, column in enumerate(moves):
            if column is not None and self.heights[column] < 4:
                self.stones[number % 2] |= 1 << (4 * column + self.heights[column])
                self.heights[column] += 1

    def wins(self, column: int, side: int) -> bool:
        """Does a stone in this column complete a line of `side`?"""
        after = self.stones[side] | 1 << (4 * column + self.heights[column])
        return any(after & line == line for line in LINES)


def written(column: int) -> str:
    """Column 6 is b2: the letter is y, the digit is x."""
    return "abcd"[column // 4] + str(column % 4)


def column_of(move: object) -> int | None:
    """The column that a move names; None if it names none."""
    named = re.fullmatch("([a-d])([0-3])", move) if isinstance(move, str) else None
    return 4 * "abcd".index(named[1]) + int(named[2]) if named else None


class Bot:
    """One player. `on_line` sorts what the server says, the methods after it act on it."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.random = random.Random(options.seed)
        self.sent = ""  # the last action
        self.playing, self.opponent = False, ""
        self.moves: list[int | None] = []  # the columns of the game so far, None for a move that we were not told
        self.before_ours = 0  # how many moves there were when we were asked for ours
        self.refused: set[int] = set()  # columns that the server did not take, this turn
        self.room = self.kept_room = -1  # where we sit; where a seat may wait for us after a lost connection
        self.full: set[int] = set()  # rooms that were full when we came
        self.played = 0  # matches finished
        self.is_in = False  # are we logged in?
        self.was_in = False  # did the lobby ever let us in? Then a lost connection is worth another try

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
                    raise SystemExit(f"connect_four_bot: no server at {where}: {why}") from None
                elif why != told:  # say it once, not at each try
                    say(f"not back yet ({why})")
                told = why
                time.sleep(pause_s)
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def one_connection(self) -> None:
        """From "connect" to the last result. A player who reconnects goes to the same room, for the same seat."""
        self.playing = False  # if our match still runs, "started" tells its moves
        if self.room >= 0:
            self.kept_room = self.room
        with (
            socket.create_connection((self.options.host, self.options.port), LOGIN_TIMEOUT_S) as self.socket,
            self.socket.makefile(encoding="utf-8", errors="replace") as lines,
        ):
            proof = {"secret": self.options.secret} if self.options.secret else {}
            self.send("connect", name=self.options.name, **proof)
            for line in lines:  # a file collects bytes until a line is complete, however the network cut them up
                self.on_line(line.strip())
                if self.sent == "disconnect":
                    return
        raise ConnectionError("the server closed it")

    def send(self, action: str, **more: object) -> None:
        """Send one action. Some have no answer until the other player acts, a good move has none at all."""
        self.sent = action
        self.socket.sendall((json.dumps({"action": action} | more) + "\n").encode())

    def on_line(self, line: str) -> None:
        """Act on an event; show any other line and ignore it."""
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        event = message.get("event") if isinstance(message, dict) else None
        if event == "lobby":
            self.on_lobby(message.get("free lobbies", []))
        elif event == "game":
            opponent = message.get("opponent", ALONE)
            say(f"in room {self.room}, waiting" if opponent == ALONE else f"in room {self.room} with {opponent}")
            self.send("start")  # no answer until the other has started, too
        elif event == "started":
            self.on_started(message)
        elif event == "make move" and self.playing:
            self.make_move()
        elif event == "opponent moved" and self.playing:
            self.note_move(self.opponent, message.get("move"))
        elif event == "game over" and self.playing:
            self.on_result(message.get("winner"))
        elif event == "error":
            self.on_error(str(message.get("reason")), message)
        else:
            say(f"server says: {line}")

    def on_lobby(self, free_lobbies: list[dict[str, Any]]) -> None:
        """We are in the lobby: we came in, or left, or a room was full, or nobody was left to play with."""
        if self.played == self.options.matches:
            return self.send("disconnect")
        if not self.is_in:
            say(f"logged in as {self.options.name}")
        self.was_in = self.is_in = True
        self.playing = False
        self.socket.settimeout(None)
        self.room, self.kept_room = self.choose_room(free_lobbies), -1
        return self.send("join", **{"room number": self.room})

    def choose_room(self, free_lobbies: list[dict[str, Any]]) -> int:
        """Where our seat is kept, else the room we were told, else somebody who waits, else the first free room."""
        rooms = {lobby["room number"]: lobby["opponent"] for lobby in free_lobbies}
        own = [room for room, host in rooms.items() if room == self.kept_room or host == self.options.name]
        if self.options.room is not None and not own:
            return self.options.room
        left = [room for room in rooms if room not in self.full]
        waiting = [room for room in left if rooms[room] != FREE]
        if not own + waiting + left:
            raise SystemExit("connect_four_bot: there is no free room, try again later")
        return (own + waiting + left)[0]

    def on_started(self, message: dict[str, Any]) -> None:
        """A new game, or ours shown again after we came back: then with all its moves."""
        self.opponent = message.get("opponent", "?")
        self.moves = [column_of(move) for move in message.get("moves", [])]
        so_far = f", {len(self.moves)} moves so far" if self.moves else ""
        say(f"match of Connect-four-3D against {self.opponent}{so_far}")
        self.playing = True
        self.full.clear()
        self.refused.clear()

    def make_move(self) -> None:
        """Win, block, or play anywhere."""
        self.before_ours = len(self.moves)
        side, board = len(self.moves) % 2, Board(self.moves)
        legal = [column for column in range(16) if board.heights[column] < 4 and column not in self.refused]
        wins = [column for column in legal if board.wins(column, side)]
        blocks = [column for column in legal if board.wins(column, 1 - side)]
        column = self.random.choice(wins or blocks or legal or range(16))
        self.note_move(self.options.name, written(column))
        self.send("move", move=written(column))

    def note_move(self, player: str, move: object) -> None:
        """Put a move on our board."""
        say(f"move {player} {move}")
        self.moves.append(column_of(move))
        if player == self.opponent:
            self.refused.clear()

    def on_result(self, winner: object) -> None:
        """The match is over; play another against the same opponent, or go."""
        result, score = RESULTS.get(str(winner), ("draw", "0:0"))
        say(f"RESULT {result} {self.opponent} {score}")
        self.playing, self.played = False, self.played + 1
        # "restart" is answered by "started", or by "lobby" if the opponent has left; "exit game" by "lobby".
        self.send("restart" if self.played < self.options.matches else "exit game")

    def on_error(self, reason: str, message: dict[str, Any]) -> None:
        """An error. After one about a move the next message says how to go on; any other needs an action of ours."""
        why = f"{reason}: {message.get('message')}"
        say(f"server says: {why}")
        if reason == "lobby entry denied" and self.was_in:  # the server is stopping, or still holds our old connection
            raise ConnectionError("entry denied")
        if reason == "game full" and self.room != self.options.room:  # somebody was faster
            self.full.add(self.room)
            self.room = -1
            self.send("connect")  # shows the lobby again
        elif reason == "time elapsed":  # a move was made in our place; ours, if it is on its way, does not count
            del self.moves[self.before_ours :]
            self.note_move(self.options.name, message.get("move"))
        elif reason in ("invalid move", "move denied"):  # "make move" comes next
            self.refused.update(column for column in self.moves[self.before_ours :] if column is not None)
            del self.moves[self.before_ours :]
        elif self.sent != "move":
            raise SystemExit(f"connect_four_bot: the server refused '{self.sent}': {why}")


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description="Play 3D Connect Four on a game server.")
    parser.add_argument("--host", default="localhost", help="where the server runs (%(default)s)")
    parser.add_argument("--port", default=9090, type=int, help="its port for this protocol (%(default)s)")
    parser.add_argument("--name", required=True, type=str.strip, help="the name to play under: 1 to 16 letters, digits")
    parser.add_argument("--secret", default="", type=str.strip, help="your secret, where the teacher gave you one")
    parser.add_argument("--matches", default=1, type=int, help="how many to play (%(default)s)")
    parser.add_argument("--room", type=int, help="play in this room, not with anybody who waits")
    parser.add_argument("--seed", type=int, help="choose the same moves again")
    parser.add_argument("--retry-for", default=60, type=int, help="seconds to retry after an outage (%(default)s)")
    options = parser.parse_args()
    if not 1 <= options.port <= 65535 or options.matches < 1 or min(options.room or 0, options.retry_for) < 0:
        parser.error("--port goes from 1 to 65535, --matches begins at 1, --room and --retry-for at 0")
    Bot(options).run()


if __name__ == "__main__":
    main()
