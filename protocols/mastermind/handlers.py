"""The messages of a client, the stages at which they are taken, and their answers.

The protocol has no login: a client that sends a NewGame plays the house, under a name that the lobby makes
up. So the first NewGame becomes two commands, one after the other: enter, and challenge. After
that every message is one command.

    stage     NewGame          Guess            Retreat
    arrived   enter, then as   no active game   no active game
    idle      challenge        no active game   no active game
    playing   challenge        play             resign

A NewGame during a game abandons that game; the client is not told, as it was not by the original.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from games.mastermind.board import CODE_LENGTH_MAX, TURNS_MAX, VALUE_COUNT_MAX, write_code
from gameserver.protocol import Answer, Challenge, Command, Enter, Play, Query, Rejected, Reply, Resign
from protocols.mastermind import schema
from protocols.mastermind.profiles import NO_ACTIVE_GAME, OTHER_LENGTH, OUT_OF_RANGE, refusal
from protocols.mastermind.schema import Error, ErrorType, Guess, NewGame, ParseFault, Retreat
from protocols.mastermind.session import MastermindSession, MastermindStage

GAME = "Mastermind"
# Any player of the house would do: the server draws the code.
_HOUSE = "house-random"
# The original had no names.
_NAME_PREFIX = "mm-"

Asked = Command | Reply


def _reply(error: Error) -> Reply:
    return Reply(schema.write(error))


def read_line(session: MastermindSession, line: bytes) -> Asked:
    """Handles a `Type|JSON` line of a Mastermind client, as its stage allows: a command, or a reply."""
    try:
        request = schema.read_request(line)
    except ParseFault as fault:
        return _reply(session.profile.unread(fault))
    # There is no login: one message that can be read is enough to stay.
    session.has_spoken = True
    return HANDLERS[session.stage][type(request)](session, request)


def answered(session: MastermindSession, asked: Command | Query, answer: Answer) -> bytes:
    """Handles the lobby's answer to a Mastermind client's command: a refusal gets a message.

    Acceptance has none; after an Enter the challenge follows.
    """
    if isinstance(answer, Rejected):
        return schema.write(refusal(answer))
    if isinstance(asked, Enter):
        session.entered = True
        session.follow_up = partial(_second_command, session)
    elif isinstance(asked, Resign):
        session.forget_tries()
    return b""


def _second_command(session: MastermindSession) -> Challenge:
    session.follow_up = None
    return challenge(session)


def challenge(session: MastermindSession) -> Challenge:
    """Asks the house for the Mastermind game that the client wants."""
    wanted = session.wanted
    assert wanted is not None, "a challenge follows a NewGame"
    size = {
        "code_length": wanted.code_length,
        "value_count": wanted.nbr_colors,
        "max_turns": wanted.max_tries,
        "secret_is_drawn": True,
    }
    return Challenge(session.peer.session, _HOUSE, GAME, options=size, practice=True)


def _enter(session: MastermindSession, request: NewGame) -> Asked:
    if (fault := _size_fault(request)) is not None:
        return _reply(fault)
    session.wanted = request
    peer = session.peer
    return Enter(peer.session, _NAME_PREFIX, "mastermind", peer.address, anonymous=True)


def _new_game(session: MastermindSession, request: NewGame) -> Asked:
    if (fault := _size_fault(request)) is not None:
        return _reply(fault)
    session.wanted = request
    return challenge(session)


def _size_fault(size: NewGame) -> Error | None:
    """The error if there is no game of that size; None if there is."""
    # The original checked nothing: 0 colours ended the connection. The document speaks of "parameters out of range".
    limits = (
        ("NbrColors", size.nbr_colors, VALUE_COUNT_MAX),
        ("CodeLength", size.code_length, CODE_LENGTH_MAX),
        ("MaxTries", size.max_tries, TURNS_MAX),
    )
    for name, given, most in limits:
        if not 1 <= given <= most:
            return Error(f"{name} must be from 1 to {most}, not {given}", ErrorType.BAD_PARAMETERS)
    return None


def _guess(session: MastermindSession, request: Guess) -> Asked:
    running = session.running
    assert running is not None, "HANDLERS lets nobody guess without a game"
    # The length is checked before the range, as in the original.
    if len(request.guess) != running.size.code_length:
        return _reply(OTHER_LENGTH)
    if min(request.guess) < 0 or max(request.guess) >= running.size.nbr_colors:
        return _reply(OUT_OF_RANGE)
    return Play(session.peer.session, write_code(request.guess), running.match)


def _retreat(session: MastermindSession, request: Retreat) -> Asked:
    assert session.running is not None, "HANDLERS lets nobody retreat without a game"
    return Resign(session.peer.session, match=session.running.match)


def _no_game(session: MastermindSession, request: Guess | Retreat) -> Asked:
    return _reply(NO_ACTIVE_GAME)


Handler = Callable[[MastermindSession, Any], Asked]

HANDLERS: Mapping[MastermindStage, Mapping[type, Handler]] = {
    # At a Retreat without a game the original panicked and closed this connection, without a message.
    MastermindStage.ARRIVED: {NewGame: _enter, Guess: _no_game, Retreat: _no_game},
    MastermindStage.IDLE: {NewGame: _new_game, Guess: _no_game, Retreat: _no_game},
    MastermindStage.PLAYING: {NewGame: _new_game, Guess: _guess, Retreat: _retreat},
}
