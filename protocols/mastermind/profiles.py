"""The dialects: the words of errors.

Because of a bug the original answered every unreadable message with the same words. `document`
has the words and types that its author intended; `original` has those that clients really saw.
"""

from collections.abc import Mapping

from gameserver.protocol import Code, Refusal, RefusalKind, Rejected
from gameserver.values import value
from protocols.mastermind.schema import Error, ErrorType, ParseFault
from protocols.wording import filled

# The original built its error by value and asked for a pointer, so that every parse error became this one. The
# students' client keeps it as a sample.
BROKEN = "I have no idea that happened"

# The original's words and types, of a server that was run.
NO_ACTIVE_GAME = Error("No active Game", ErrorType.NO_ACTIVE_GAME)
OTHER_LENGTH = Error("Another codelength expected", ErrorType.BAD_PARAMETERS)
OUT_OF_RANGE = Error("Guesses must be in correct range", ErrorType.BAD_PARAMETERS)

_REFUSALS: Mapping[Code, tuple[ErrorType, str]] = {
    Code.NOT_IN_MATCH: (ErrorType.NO_ACTIVE_GAME, NO_ACTIVE_GAME.message),
    Code.ILLEGAL_MOVE: (ErrorType.BAD_PARAMETERS, "{why}"),
    Code.BAD_OPTIONS: (ErrorType.BAD_PARAMETERS, "{why}"),
    Code.UNKNOWN_GAME: (ErrorType.EVERYTHING_IS_BROKEN, "This server does not have the game {game}"),
    Code.UNKNOWN_PLAYER: (
        ErrorType.EVERYTHING_IS_BROKEN,
        "This server has no house players to play against; its owner can set lobby.house_players = true",
    ),
    Code.GAME_NOT_PLAYED: (ErrorType.EVERYTHING_IS_BROKEN, "The house does not play {game} on this server"),
    Code.STOPPING: (
        ErrorType.EVERYTHING_IS_BROKEN,
        "The server is about to stop, no new game begins; come back when it is up again",
    ),
    Code.SERVER_FAULT: (
        ErrorType.EVERYTHING_IS_BROKEN,
        "The server made a mistake, not you; ask for a new game ({why})",
    ),
}
"""The lobby's refusals that a client can come to."""

_OTHERWISE = "This server cannot do that ({code})"
"""The words for refusals of commands that this protocol does not send."""

FAREWELLS: Mapping[RefusalKind, str] = {
    RefusalKind.STOPPING: "The server is stopping; connect again and ask for a new game when it is back",
    RefusalKind.LATE: "No message of this protocol came in time; connect again when you are ready to play",
}
"""Goodbyes whose usual words, about logins and saved matches, would be wrong here. Others keep the runtime's."""


def refusal(rejected: Rejected) -> Error:
    """The Error for the lobby's refusal, in words that both dialects of the Mastermind protocol share."""
    kind, sentence = _REFUSALS.get(rejected.code, (ErrorType.EVERYTHING_IS_BROKEN, _OTHERWISE))
    return Error(filled(sentence, {"code": rejected.code, **rejected.facts}), kind)


def farewell(refused: Refusal) -> Error:
    """The Error that ends a connection of the Mastermind protocol, alike in both of its dialects."""
    return Error(FAREWELLS.get(refused.kind, refused.why), ErrorType.EVERYTHING_IS_BROKEN)


@value
class MastermindProfile:
    """A dialect of the Mastermind protocol."""

    name: str
    explains: bool = True
    """True if a message that cannot be read is told apart from others."""

    def unread(self, fault: ParseFault) -> Error:
        """Makes the Error for a message that the Mastermind protocol cannot read."""
        if not self.explains:
            return Error(BROKEN, ErrorType.EVERYTHING_IS_BROKEN)
        return Error(str(fault), fault.error_type)


PROFILES: Mapping[str, MastermindProfile] = {
    profile.name: profile for profile in (MastermindProfile("document"), MastermindProfile("original", explains=False))
}
"""By name; the first is the default."""
