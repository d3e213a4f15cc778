"""Plays a policy that was trained in an environment in a lobby: `play(policy, "Reversi", "ann")`.

It speaks the text protocol, as the bots of `examples/` do: fields are looked up by key, moves are made because of
YOURTURN, and the position follows from the MOVE lines (`gameserver.followed_match`).
"""

import re
import socket
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

from attrs import Factory, define

from gameserver.environment import environment
from gameserver.followed_match import FollowedMatch, UnknownPosition, rehearse

if TYPE_CHECKING:
    from gameserver.game_environment import GameEnvironment

__all__ = ["Policy", "play"]

Policy = Callable[[Any, Any], int]
"""An agent's way to play: `(observation, action_mask) -> action`, with the arrays and numbers of its environment."""

_EVENT = re.compile(r"SVR GAME ([A-Z ]+?) ?(\{.*\})?")
# A value ends where the next key or the closing brace comes: a name may have a comma in it.
_FIELD = re.compile(r'(\w+)\s*:\s*"(.*?)"\s*(?=,\s*\w+\s*:|\}$)')
_LATE = "Turn timelimit reached"
"""DETAILS of a move that the server made in a late player's place, instead of what the game says of it."""
_tell = partial(print, flush=True)  # whoever reads our output through a pipe sees each line at once
_RETRY_PAUSE_S = 1
"""Before a challenge that was refused is made again: the opponent plays somebody else."""


def play(
    policy: Policy,
    game_name: str,
    name: str,
    *,
    host: str = "localhost",
    port: int = 7789,
    secret: str = "",
    challenge: str = "",
    matches: int | None = None,
    config: str | Path | None = None,
) -> Counter[str]:
    """Plays a policy's matches under this name; tells how many were a "win", a "loss" and a "draw".

    Challenges this player each time, or else waits for a tournament or a challenge. Plays on without an end if
    `matches` is None. `config` is as for `environment`. Prints a line about each match. A connection that was lost is
    not made again: a new call under the same name goes on with the match, if the server keeps the seat. Raises
    `ValueError` for a game whose lines do not tell the position, and `ConnectionError` if the server is not there,
    refuses or is gone, each with one line for the user.
    """
    env: GameEnvironment = environment(game_name, config=config).unwrapped
    try:
        rehearse(env.game, env.options, env.coding)
    except UnknownPosition as error:
        raise ValueError(f"agents cannot play {env.game.name} here: {error}") from None
    try:
        with socket.create_connection((host, port)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            session = _Session(connection, policy, env, name, challenge, matches)
            session.run(secret)
            return session.results
    except OSError as error:
        raise ConnectionError(f"{name} plays no more at {host}, port {port}: {error}") from error


@define
class _Session:
    """One connection of an agent to the text protocol."""

    connection: socket.socket
    policy: Policy
    env: "GameEnvironment"
    name: str
    challenge: str
    """The player to challenge for each match; empty to wait for one."""
    matches: int | None
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
            for line in self.connection.makefile(encoding="utf-8", errors="replace", newline="\r\n"):
                told = line.rstrip("\r\n")
                if told == "OK" or told.startswith("ERR"):
                    self.on_answer(self.unanswered.popleft() if self.unanswered else "", told)
                elif event := _EVENT.fullmatch(told):
                    self.on_event(event[1], defaultdict(str, _FIELD.findall(told)))
                if self.results.total() == self.matches:
                    return
            raise ConnectionError("the server closed the connection")
        finally:
            # Also after Ctrl-C and an error of the policy, so that the opponent need not wait.
            with suppress(OSError):
                self.send("logout")

    def send(self, command: str, secret: str = "") -> None:
        self.unanswered.append(command)
        self.connection.sendall(f"{command} {secret}".strip().encode() + b"\r\n")

    def on_answer(self, command: str, answer: str) -> None:
        asks = command.startswith("challenge ") and self.challenge
        if answer == "OK":
            if command.startswith("login "):
                self.ask_for_match()
            return
        if asks and self.opponent:
            return  # a match has begun, or goes on after a login
        _tell(f"the server refused {command!r}: {answer}" if command else f"the server says: {answer}")
        # A refused move came too late or too early. If it is still our turn, YOURTURN comes again.
        if command.startswith("login ") or (asks and not self.results):
            raise ConnectionError(answer)
        if asks:
            sleep(_RETRY_PAUSE_S)
            self.ask_for_match()

    def ask_for_match(self) -> None:
        if self.challenge:
            self.send(f'challenge "{self.challenge}" "{self.env.game.name}"')
        elif self.challenges:
            number = next(iter(self.challenges))
            del self.challenges[number]
            self.send(f"challenge accept {number}")

    def on_event(self, kind: str, fields: Mapping[str, str]) -> None:
        match kind:
            case "CHALLENGE" if fields["GAMETYPE"] == self.env.game.name:
                self.challenges[fields["CHALLENGENUMBER"]] = None
                if not (self.challenge or self.opponent):
                    self.ask_for_match()
            case "CHALLENGE CANCELLED":
                self.challenges.pop(fields["CHALLENGENUMBER"], None)
            case "MATCH":  # a new one, or after a login the one that is going on, followed by its moves
                self.opponent, self.begins = fields["OPPONENT"], fields["PLAYERTOMOVE"] != fields["OPPONENT"]
                self.followed = None
                if fields["GAMETYPE"] == self.env.game.name:
                    self.followed = FollowedMatch.begun(self.env.game, self.env.options, self.env.coding)
            case "MOVE" | "YOURTURN":
                try:
                    self.on_turn(fields["TURNMESSAGE"]) if kind == "YOURTURN" else self.on_move(fields)
                except UnknownPosition as error:
                    _tell(f"giving the match against {self.opponent} up: {error}")
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
            raise UnknownPosition(f"it is no match of {self.env.game.name}")
        seat, state, moves = self.followed.asked(prompt)
        seen = self.env.observed(state, seat, moves)
        action = int(self.policy(seen["observation"], seen["action_mask"]))
        if action not in moves:
            # It would lose the match. The first legal move costs a good move.
            _tell(f"the policy chose the illegal action {action}, playing {min(moves)} instead")
            action = min(moves)
        self.send(f"move {self.env.game.write_move(moves[action])}")

    def on_result(self, result: str, fields: Mapping[str, str]) -> None:
        if comment := fields["COMMENT"]:
            _tell(f"end of match: {comment}")
        scores = fields["PLAYERONESCORE"], fields["PLAYERTWOSCORE"]  # of the player who began, and of the other
        own, other = scores if self.begins else scores[::-1]
        _tell(f"RESULT {result} {self.opponent} {own}:{other}")
        self.opponent = ""
        self.results[result] += 1
        if self.results.total() != self.matches:
            self.ask_for_match()
