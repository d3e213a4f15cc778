"""Plays a policy that was trained in an environment in a lobby: `play(policy, "Reversi", "ann")`.

It speaks the text protocol, as the bots of `examples/` do: lines may come in pieces, fields are looked up by key, moves
are made because of YOURTURN, and the position follows from the MOVE lines (`gameserver.followed_match`).
"""

import re
import socket
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from os import PathLike
from time import sleep
from typing import Any

from attrs import Factory, define

from gameserver.environment import coded_game, needed_module
from gameserver.followed_match import FollowedMatch, UnknownPosition, rehearse
from gameserver.game import Coding, Game

__all__ = ["Policy", "play"]

Policy = Callable[[Any, Any], int]
"""An agent's way to play: `(observation, action_mask) -> action`, with the arrays and numbers of its environment."""

_EVENT = re.compile(r"SVR GAME ([A-Z ]+?) ?(\{.*\})?")
# A value ends where the next key or the closing brace comes: a name may have a comma in it.
_FIELD = re.compile(r'(\w+)\s*:\s*"(.*?)"\s*(?=,\s*\w+\s*:|\}$)')
_LATE = "Turn timelimit reached"
"""DETAILS of a move that the server made in a late player's place, instead of what the game says of it."""
_SILENCE_S = 30
"""A server that has said nothing for so long is asked for a sign of life; in as long again it is given up."""
_print = partial(print, flush=True)  # whoever reads our output through a pipe sees each line at once
_RETRY_PAUSE_S = 1
"""Before a request for a match that was refused is made again: the opponent plays somebody else."""


def play(
    policy: Policy,
    game_name: str,
    name: str,
    *,
    host: str = "localhost",
    port: int = 7789,
    secret: str = "",
    challenge: str = "",
    subscribe: bool = False,
    matches: int | None = None,
    config: "str | PathLike[str] | None" = None,
    report: Callable[[str], object] = _print,
) -> Counter[str]:
    """Plays a policy's matches under this name; tells how many were a "win", a "loss" and a "draw".

    Challenges this player each time, or subscribes to the game; without both it waits for a tournament or a
    challenge. Plays on without an end if `matches` is None. `config` is as for `environment`, `report` is given
    a line about each match. A connection that was lost is not made again: a new call under the same name goes on with
    the match, if the server keeps the seat. Raises `ValueError` for a game whose lines do not tell the position, and
    `ConnectionError` if the server is not there, refuses or is gone, each with one line for the user.
    """
    game, options, coding = coded_game(game_name, {}, config)
    if game.series(options) is not None:
        raise ValueError(f"agents cannot play {game.name} here: its matches are several games, and no line tells which")
    try:
        rehearse(game, options, coding)
    except UnknownPosition as error:
        raise ValueError(f"agents cannot play {game.name} here: {error}") from None
    observed = needed_module().observed
    wish = f'challenge "{challenge}" "{game.name}"' if challenge else f"subscribe {game.name}" if subscribe else ""
    try:
        with socket.create_connection((host, port), _SILENCE_S) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            session = _Session(connection, policy, game, options, coding, observed, name, wish, matches, report)
            session.run(secret)
            return session.results
    except OSError as error:
        raise ConnectionError(f"{name} plays no more at {host}, port {port}: {error}") from error


@define
class _Session:
    """One connection of an agent to the text protocol."""

    connection: socket.socket
    policy: Policy
    game: Game[Any]
    options: Any
    coding: Coding[Any]
    observed: Callable[..., Mapping[str, Any]]
    name: str
    wish: str
    """The command that asks for a match; empty to wait for one."""
    matches: int | None
    report: Callable[[str], object]
    results: Counter[str] = Factory(Counter)
    unanswered: deque[str] = Factory(deque)
    """Commands without an answer yet: OK and ERR come in the order of the commands, with other lines in between."""
    challenges: dict[str, None] = Factory(dict)
    """The numbers of open challenges to us, oldest first."""
    opponent: str = ""
    """The opponent of the match that is going on; empty if there is none."""
    begins: bool = False
    followed: FollowedMatch | None = None
    """None if the match is of another game, or cannot be followed: it is given up."""

    def run(self, secret: str) -> None:
        """Play from login to logout."""
        try:
            self.send(f"login {self.name}", secret)
            for line in self.lines():
                if line == "OK" or line.startswith("ERR"):
                    self.on_answer(self.unanswered.popleft() if self.unanswered else "", line)
                elif event := _EVENT.fullmatch(line):
                    self.on_event(event[1], defaultdict(str, _FIELD.findall(line)))
                if self.matches is not None and self.results.total() >= self.matches:
                    return
        finally:
            # Also after Ctrl-C and an error of the policy, so that the opponent need not wait.
            with suppress(OSError):
                self.send("logout")

    def lines(self) -> Iterator[str]:
        unfinished = b""
        while True:
            try:
                received = self.connection.recv(65536)
            except TimeoutError:
                if self.unanswered:
                    raise ConnectionError(f"no sign of life for {_SILENCE_S} s") from None
                self.send("get gamelist")
                continue
            if not received:
                raise ConnectionError("the server closed the connection")
            *complete, unfinished = (unfinished + received).split(b"\r\n")
            yield from (line.decode(errors="replace") for line in complete)

    def send(self, command: str, secret: str = "") -> None:
        self.unanswered.append(command)
        self.connection.sendall(f"{command} {secret}".strip().encode() + b"\r\n")

    def on_answer(self, command: str, answer: str) -> None:
        if answer == "OK":
            if command.startswith("login "):
                self.ask_for_match()
            return
        if self.opponent and command == self.wish:
            return  # a match has begun, or goes on after a login
        self.report(f"the server refused {command!r}: {answer}" if command else f"the server says: {answer}")
        if command.startswith("login "):
            raise ConnectionError(answer)
        # A refused move came too late or too early. If it is still our turn, YOURTURN comes again.
        if not command or command != self.wish:
            return
        if not self.results:
            raise ConnectionError(f"{command}: {answer}")
        sleep(_RETRY_PAUSE_S)
        self.ask_for_match()

    def ask_for_match(self) -> None:
        if self.wish:
            self.send(self.wish)
        elif self.challenges:
            number = next(iter(self.challenges))
            del self.challenges[number]
            self.send(f"challenge accept {number}")

    def on_event(self, kind: str, fields: Mapping[str, str]) -> None:
        match kind:
            case "CHALLENGE" if fields["GAMETYPE"] == self.game.name:
                self.challenges[fields["CHALLENGENUMBER"]] = None
                if not (self.wish or self.opponent):
                    self.ask_for_match()
            case "CHALLENGE CANCELLED":
                self.challenges.pop(fields["CHALLENGENUMBER"], None)
            case "MATCH":  # a new one, or after a login the one that is going on, followed by its moves
                self.opponent, self.begins = fields["OPPONENT"], fields["PLAYERTOMOVE"] != fields["OPPONENT"]
                self.followed = None
                if fields["GAMETYPE"] == self.game.name:
                    self.followed = FollowedMatch.begun(self.game, self.options, self.coding)
            case "MOVE" | "YOURTURN":
                try:
                    self.on_turn(fields["TURNMESSAGE"]) if kind == "YOURTURN" else self.on_move(fields)
                except UnknownPosition as error:
                    self.report(f"giving the match against {self.opponent} up: {error}")
                    self.followed = None
                    self.send("forfeit")
            case "WIN" | "LOSS" | "DRAW":
                self.on_result(kind.lower(), fields)

    def on_move(self, fields: Mapping[str, str]) -> None:
        if self.followed is not None:  # an illegal move leaves no position that fits, and only the result follows
            told = None if fields["DETAILS"] == _LATE else fields["DETAILS"]
            self.followed.moved(fields["MOVE"], told, by_us=fields["PLAYER"] != self.opponent)

    def on_turn(self, prompt: str) -> None:
        if self.followed is None:
            raise UnknownPosition(f"it is no match of {self.game.name}")
        seat, state, moves = self.followed.asked(prompt)
        seen = self.observed(self.coding, state, seat, moves)
        action = int(self.policy(seen["observation"], seen["action_mask"]))
        if action not in moves:
            # It would lose the match. The first legal move costs a good move.
            self.report(f"the policy chose the illegal action {action}, playing {min(moves)} instead")
            action = min(moves)
        self.send(f"move {self.game.write_move(moves[action])}")

    def on_result(self, result: str, fields: Mapping[str, str]) -> None:
        if comment := fields["COMMENT"]:
            self.report(f"end of match: {comment}")
        scores = fields["PLAYERONESCORE"], fields["PLAYERTWOSCORE"]  # of the player who began, and of the other
        own, other = scores if self.begins else scores[::-1]
        self.report(f"RESULT {result} {self.opponent} {own}:{other}")
        self.opponent = ""
        self.results[result] += 1
        if self.results.total() != self.matches:
            self.ask_for_match()
