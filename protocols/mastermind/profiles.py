"""The dialects: what an error says.

Because of a slip the original answered every unreadable message with the same words. `document`
has the words and types that its author had meant; `original` has what clients really saw.
"""

from collections.abc import Mapping

from attrs import frozen

from gameserver.adapter import Code, Rejected
from protocols.mastermind.schema import Error, ErrorType, ParseFault
from protocols.wording import filled

BROKEN = "I have no idea that happened"

NO_ACTIVE_GAME = Error("No active Game", ErrorType.NO_ACTIVE_GAME)
OTHER_LENGTH = Error("Another codelength expected", ErrorType.BAD_PARAMETERS)
OUT_OF_RANGE = Error("Guesses must be in correct range", ErrorType.BAD_PARAMETERS)

REFUSALS: Mapping[Code, tuple[ErrorType, str]] = {
    Code.NOT_IN_MATCH: (ErrorType.NO_ACTIVE_GAME, NO_ACTIVE_GAME.message),
    Code.NOT_YOUR_TURN: (ErrorType.NO_ACTIVE_GAME, "The code is not set yet"),
    Code.ILLEGAL_MOVE: (ErrorType.BAD_PARAMETERS, "{why}"),
    Code.BAD_OPTIONS: (ErrorType.BAD_PARAMETERS, "{why}"),
    Code.UNKNOWN_GAME: (ErrorType.EVERYTHING_IS_BROKEN, "This server does not have the game {game}"),
    Code.UNKNOWN_PLAYER: (ErrorType.EVERYTHING_IS_BROKEN, "The house does not play here (lobby.house_players)"),
    Code.GAME_NOT_PLAYED: (ErrorType.EVERYTHING_IS_BROKEN, "The house does not play {game} here"),
    Code.STALE: (ErrorType.NO_ACTIVE_GAME, NO_ACTIVE_GAME.message),
    Code.SERVER_FAULT: (ErrorType.EVERYTHING_IS_BROKEN, "The server made a mistake, not you: {why}"),
}
"""The lobby's refusals that a client can come to. Of all others, `OTHERWISE` is said."""

OTHERWISE = (ErrorType.EVERYTHING_IS_BROKEN, BROKEN)


def refusal(rejected: Rejected) -> Error:
    """What the lobby refused."""
    kind, sentence = REFUSALS.get(rejected.code, OTHERWISE)
    return Error(filled(sentence, rejected.facts), kind)


@frozen
class Profile:
    """One dialect."""

    name: str
    explains: bool = True
    """Whether a message that cannot be read is told apart from others."""

    def unread(self, fault: ParseFault) -> Error:
        """What is said of a message that cannot be read."""
        if not self.explains:
            return Error(BROKEN, ErrorType.EVERYTHING_IS_BROKEN)
        return Error(str(fault), fault.error_type)


PROFILES: Mapping[str, Profile] = {
    profile.name: profile for profile in (Profile("document"), Profile("original", explains=False))
}
"""By name; the first is the default."""
