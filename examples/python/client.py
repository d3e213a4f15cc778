"""The network part of the bot: the text protocol of the game server. Nothing in here is about winning.

Four habits keep it out of trouble:
1. A line is complete when its end has come. One read from the network may hold half a line, or three.
2. The fields of a line are looked up by their key, never by their position. Unknown keys and lines are ignored.
3. `OK` and `ERR` answer commands, in the order in which they were sent. Every other line is news, which may come in
   between: the bot moves because of YOURTURN and changes its board because of MOVE, never because of an `OK`.
4. A lost connection is not the end: log in again, and the server shows a match that is still going on from the start.

Everything that is said is logged: `<` is a line from the server, `>` a line to it, `-` a remark of the bot.
"""

import re
import socket
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from board import ME, OPPONENT, SIZES, Board

# SVR GAME MOVE {PLAYER: "ann", MOVE: "44", DETAILS: ""}; YOURTURN may come without the braces.
EVENT = re.compile(r"SVR GAME ([A-Z ]+?) ?(\{.*\})?")
# PLAYER: "ann". A value ends where the next key or the closing brace comes: a name may have a comma or a quote in it.
FIELD = re.compile(r'(\w+)\s*:\s*"(.*?)"\s*(?=,\s*\w+\s*:|\}$)')
END_OF_LINE = re.compile(rb"[\r\n]+")  # CR LF, LF or CR; empty lines are skipped
ASKING = re.compile("(login|subscribe|challenge) ")
CONNECT_TIMEOUT_S = 10
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 2.0  # between two tries to come back: each pause is twice the one before
RETRY_PAUSE_S = 1  # before the same challenge again
# Over soon: the server has not noticed yet that our old connection is dead, or it is being restarted.
PASSING = re.compile("ERR (duplicate name|the server is stopping)", re.IGNORECASE)
# No new match begins; the server lets those that are going on end, and closes the connection.
STOPPING = re.compile("ERR the server is about to stop", re.IGNORECASE)


class GiveUp(Exception):
    """The bot cannot go on; the message says why."""


@dataclass
class Options:
    """The name, the server and the game: what the command line says."""

    host: str
    port: int
    name: str
    game: str = ""  # look for opponents at this game; without it wait to be called or challenged, as in a tournament
    challenge: str = ""  # challenge this player again and again instead
    secret: str = ""
    matches: int = 0  # how many to play; 0 means until the bot is stopped
    retry_for: int = 60  # seconds to try to come back after a lost connection
    silence: int = 20  # seconds without a line after which the server is asked for a sign of life


class Client:
    """One player on the server. `on_line` sorts what the server says, the methods after it act on it."""

    def __init__(self, options: Options, choose: Callable[[Board, list[int]], int]) -> None:
        self.options = options
        self.choose = choose
        self.unanswered: deque[str] = deque()  # commands whose OK or ERR has not come yet
        self.challenges: dict[str, str] = {}  # challenges to us that are open: the challenger by the number
        self.board: Board | None = None  # None if we cannot play the game
        self.i_begin = False
        self.opponent = ""
        self.playing = False
        self.played = 0  # how many matches are over
        self.is_in = False  # are we logged in?
        self.was_in = False  # have we ever been? Then a lost connection is worth another try
        self.has_asked = False  # have we asked for a match since we logged in?

    # ---- the connection

    def run(self) -> None:
        """Play all matches, over as many connections as it takes."""
        pause_s, last_try = FIRST_PAUSE_S, 0.0
        while not self.is_done():
            try:
                self.one_connection()
            except OSError as problem:  # refused, reset, timed out, closed: in Python all are OSError
                if self.is_in:
                    self.is_in = False
                    pause_s, last_try = FIRST_PAUSE_S, time.monotonic() + self.options.retry_for
                elif not self.was_in or time.monotonic() > last_try:
                    raise GiveUp(f"no server at {self.options.host}, port {self.options.port}: {problem}") from None
                self.log("-", f"no connection ({problem}), trying again in {pause_s} s")
                time.sleep(pause_s)
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def is_done(self) -> bool:
        """Have all matches been played?"""
        return 0 < self.options.matches <= self.played

    def one_connection(self) -> None:
        """From login to logout. Whatever was known of a match is forgotten: the server shows it again."""
        self.unanswered.clear()
        self.challenges.clear()
        self.playing = self.has_asked = False
        self.socket = socket.create_connection((self.options.host, self.options.port), CONNECT_TIMEOUT_S)
        try:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # send each command at once
            self.socket.settimeout(1)  # not for ever: on Windows Ctrl-C would have to wait for the next line
            self.send(f"login {self.options.name}", self.options.secret)
            for line in self.lines():
                self.on_line(line)
                if self.is_done():
                    break
            self.send("logout")
        except KeyboardInterrupt:  # leave at once, so that the opponent need not wait for us
            with suppress(OSError):  # the connection may be gone as well
                self.send("logout")
            raise
        finally:
            self.socket.close()

    def lines(self) -> Iterator[str]:
        """Each line as soon as it is complete, however the network cuts the bytes up."""
        unfinished, silent_s = b"", 0
        while True:
            try:
                received = self.socket.recv(4096)
            except TimeoutError:  # nothing came for a second
                silent_s += 1
                if silent_s == self.options.silence:
                    self.send("get gamelist")  # a server that is there answers; one that is not cannot tell us
                elif silent_s == 2 * self.options.silence:
                    raise ConnectionError(f"no sign of life for {silent_s} s") from None
                continue
            if not received:
                raise ConnectionError("the server closed it")
            silent_s = 0
            *complete, unfinished = END_OF_LINE.split(unfinished + received)
            for line in complete:
                if line.strip():
                    yield line.decode("utf-8", errors="replace").strip()

    def send(self, command: str, secret: str = "") -> None:
        """Send one command; its answer comes later. A secret goes behind it and is never logged."""
        self.log(">", command)
        self.unanswered.append(command)
        self.socket.sendall(f"{command} {secret}".strip().encode() + b"\r\n")

    def log(self, mark: str, text: str) -> None:
        """Print a line of the log. Redirected into a file, the log of a match can be played again as a test."""
        now = time.time()
        print(f"{time.strftime('%H:%M:%S', time.localtime(now))}.{int(now * 1000) % 1000:03} {mark} {text}", flush=True)

    # ---- what the server says

    def on_line(self, line: str) -> None:
        """Sort one line: the answer to the oldest open command, or news."""
        self.log("<", line)
        if line == "OK" or line.startswith("ERR"):
            self.on_answer(self.unanswered.popleft() if self.unanswered else "", line)
            return
        event = EVENT.fullmatch(line)
        if event:  # everything else is the banner, a chat message, a list, or something new: nothing to do
            self.on_event(event[1], dict(FIELD.findall(line)))

    def on_answer(self, command: str, answer: str) -> None:
        """The server accepted this command (`OK`), or refused it (`ERR` and why)."""
        if answer == "OK":
            if command.startswith("login "):
                self.was_in = self.is_in = True
                self.send("get gamelist")  # a match of ours that is still going on is shown before the answer
            elif command == "get gamelist" and not self.has_asked:
                self.has_asked = True
                self.ask_for_match()
        elif PASSING.match(answer) and self.was_in:
            raise ConnectionError(answer)
        elif command.startswith("challenge accept "):  # that challenge is gone
            self.ask_for_match()
        elif self.playing or STOPPING.match(answer):
            pass  # a tournament was faster than we were; or the server will close the connection in a moment
        elif command.startswith("challenge ") and self.played > 0:
            time.sleep(RETRY_PAUSE_S)  # our opponent is busy, or has lost the connection as well
            self.ask_for_match()
        elif ASKING.match(command):
            raise GiveUp(f"the server refused '{command}': {answer}")
        # A refused move came too late or too early. If it is still our turn, YOURTURN comes again.

    def ask_for_match(self) -> None:
        """Look for the next opponent, unless a match has begun already."""
        if self.playing:
            return
        if self.options.challenge:
            self.send(f'challenge "{self.options.challenge}" "{self.options.game}"')
        elif self.challenges:  # the oldest first
            number = next(iter(self.challenges))
            self.log("-", f"accepting the challenge of {self.challenges.pop(number)}")
            self.send(f"challenge accept {number}")
        elif self.options.game:
            self.send(f"subscribe {self.options.game}")

    def on_event(self, kind: str, fields: dict[str, str]) -> None:
        """Something happened in the game, or is about to."""
        if kind == "MATCH":
            self.on_match(fields)
        elif kind == "CHALLENGE":
            self.on_challenge(fields)
        elif kind == "CHALLENGE CANCELLED":
            self.challenges.pop(fields.get("CHALLENGENUMBER", ""), None)
        elif kind == "MOVE" and self.playing:
            self.on_move(fields)
        elif kind == "YOURTURN" and self.playing:  # nothing counts turns: if the opponent must pass, it comes twice
            self.on_turn()
        elif kind in ("WIN", "LOSS", "DRAW") and self.playing:
            self.on_result(kind.lower(), fields)

    def on_challenge(self, fields: dict[str, str]) -> None:
        """Accept it if we have nothing better to do, else after the match."""
        game = fields.get("GAMETYPE", "")
        if self.options.challenge or game not in SIZES or self.options.game not in ("", game):
            return
        self.challenges[fields.get("CHALLENGENUMBER", "")] = fields.get("CHALLENGER", "")
        if not any(command.startswith("challenge accept ") for command in self.unanswered):
            self.ask_for_match()

    def on_match(self, fields: dict[str, str]) -> None:
        """A match begins, or is shown again after we came back. Either way it starts with an empty board."""
        game = fields.get("GAMETYPE", "")
        self.playing = True
        self.i_begin = fields.get("PLAYERTOMOVE") == self.options.name
        self.opponent = fields.get("OPPONENT", "")
        self.board = Board(game, i_begin=self.i_begin) if game in SIZES else None
        self.log("-", f"match of {game} against {self.opponent}, {'I begin' if self.i_begin else 'they begin'}")

    def on_turn(self) -> None:
        """Ask the strategy for a move, and send it."""
        moves = self.board.legal_moves(ME) if self.board else []
        if self.board is None or not moves:
            self.log("-", "there is nothing that I could play")
            self.send("forfeit")
            return
        try:
            move = self.choose(self.board.copy(), moves)
        except Exception:  # noqa: BLE001 - a bug in the strategy should cost a good move, not the tournament
            traceback.print_exc()
            move = -1
        if move not in moves:
            self.log("-", f"the strategy found no legal move, playing {moves[0]} instead of {move}")
            move = moves[0]
        self.send(f"move {move}")

    def on_move(self, fields: dict[str, str]) -> None:
        """Somebody moved: our own moves reach our board only here. An illegal one is announced too, and then loses."""
        player = ME if fields.get("PLAYER") == self.options.name else OPPONENT
        move = fields.get("MOVE", "")
        if self.board and re.fullmatch("[0-9]{1,2}", move) and int(move) in self.board.legal_moves(player):
            self.board.play(int(move), player)

    def on_result(self, result: str, fields: dict[str, str]) -> None:
        """The match is over. The scores are those of the player who began and of the other."""
        first, second = fields.get("PLAYERONESCORE", "?"), fields.get("PLAYERTWOSCORE", "?")
        mine, theirs = (first, second) if self.i_begin else (second, first)
        self.log("-", f"RESULT {result} {self.opponent} {mine}:{theirs}")
        self.playing = False
        self.played += 1
        if not self.is_done():
            self.ask_for_match()
