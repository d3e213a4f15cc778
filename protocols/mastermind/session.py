"""What is known of one connection, and what its messages ask for.

The protocol has no login: whoever sends a NewGame plays the house, under a name that the lobby makes
up. So the first NewGame becomes two commands, one after the other: enter, and challenge. After
that every message is one command.

    stage     NewGame          Guess            Retreat
    arrived   enter, then as   no active game   no active game
    idle      challenge        no active game   no active game
    playing   challenge        play             resign

A NewGame during a game abandons that game; the client is not told, as it was not by the original.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from attrs import define, evolve, field

from games.mastermind.code import write_code
from gameserver.protocol import Challenge, Command, Enter, Peer, Play, Reply, Resign
from gameserver.values import frozen
from protocols.mastermind import schema
from protocols.mastermind.options import MastermindOptions
from protocols.mastermind.profiles import NO_ACTIVE_GAME, OTHER_LENGTH, OUT_OF_RANGE, Profile
from protocols.mastermind.schema import Error, ErrorType, Guess, NewGame, ParseFault, Retreat

GAME = "Mastermind"
HOUSE = "house-random"
NAME_PREFIX = "mm-"

Asked = Command | Reply


class Stage(StrEnum):
    """Where a connection stands."""

    ARRIVED = "arrived"
    IDLE = "idle"
    PLAYING = "playing"


@frozen
class Running:
    """The game that is played: its match, how large it is, and how often was guessed."""

    match: int
    size: NewGame
    tries: int = 0


@define
class MastermindSession:
    """One connection's state, apart from bytes on their way."""

    peer: Peer
    profile: Profile
    options: MastermindOptions
    has_spoken: bool = False
    entered: bool = False
    wanted: NewGame | None = None
    """The game that was asked for last; it waits until its player has entered."""
    running: Running | None = field(default=None)

    @property
    def stage(self) -> Stage:
        """Where the connection stands."""
        if self.running is not None:
            return Stage.PLAYING
        return Stage.IDLE if self.entered else Stage.ARRIVED

    def forget_tries(self) -> None:
        """Count none: after a retreat the original told of no tries, however many there were."""
        if self.running is not None:
            self.running = evolve(self.running, tries=0)


def reply(error: Error) -> Reply:
    """An error as an answer without the lobby."""
    return Reply(schema.write(error))


def read_line(conversation: MastermindSession, line: bytes) -> Asked:
    """What a message asks for."""
    try:
        request = schema.read_request(line)
    except ParseFault as fault:
        return reply(conversation.profile.unread(fault))
    conversation.has_spoken = True
    return DIALOGUE[conversation.stage][type(request)](conversation, request)


def challenge(conversation: MastermindSession) -> Challenge:
    """Ask the house for the game that is wanted."""
    wanted = conversation.wanted
    assert wanted is not None, "a challenge follows a NewGame"
    size = {
        "code_length": wanted.code_length,
        "value_count": wanted.nbr_colors,
        "max_turns": wanted.max_tries,
        "secret_is_drawn": True,
    }
    return Challenge(conversation.peer.session, HOUSE, GAME, options=size, practice=True)


def _enter(conversation: MastermindSession, request: NewGame) -> Asked:
    if (fault := _size_fault(conversation.options, request)) is not None:
        return reply(fault)
    conversation.wanted = request
    peer = conversation.peer
    return Enter(peer.session, NAME_PREFIX, "mastermind", peer.address, anonymous=True)


def _new_game(conversation: MastermindSession, request: NewGame) -> Asked:
    if (fault := _size_fault(conversation.options, request)) is not None:
        return reply(fault)
    conversation.wanted = request
    return challenge(conversation)


def _size_fault(options: MastermindOptions, size: NewGame) -> Error | None:
    """Why this server has no game of that size."""
    limits = (
        ("NbrColors", size.nbr_colors, options.nbr_colors_max),
        ("CodeLength", size.code_length, options.code_length_max),
        ("MaxTries", size.max_tries, options.max_tries_max),
    )
    for name, given, most in limits:
        if not 1 <= given <= most:
            return Error(f"{name} must be from 1 to {most}, not {given}", ErrorType.BAD_PARAMETERS)
    return None


def _guess(conversation: MastermindSession, request: Guess) -> Asked:
    running = conversation.running
    assert running is not None, "DIALOGUE lets nobody guess without a game"
    if len(request.guess) != running.size.code_length:
        return reply(OTHER_LENGTH)
    if not all(0 <= colour < running.size.nbr_colors for colour in request.guess):
        return reply(OUT_OF_RANGE)
    return Play(conversation.peer.session, write_code(request.guess), running.match)


def _retreat(conversation: MastermindSession, request: Retreat) -> Asked:
    assert conversation.running is not None, "DIALOGUE lets nobody retreat without a game"
    return Resign(conversation.peer.session, match=conversation.running.match)


def _no_game(conversation: MastermindSession, request: Guess | Retreat) -> Asked:
    return reply(NO_ACTIVE_GAME)


Handler = Callable[[MastermindSession, Any], Asked]

DIALOGUE: Mapping[Stage, Mapping[type, Handler]] = {
    Stage.ARRIVED: {NewGame: _enter, Guess: _no_game, Retreat: _no_game},
    Stage.IDLE: {NewGame: _new_game, Guess: _no_game, Retreat: _no_game},
    Stage.PLAYING: {NewGame: _new_game, Guess: _guess, Retreat: _retreat},
}
