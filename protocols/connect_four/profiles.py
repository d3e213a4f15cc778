"""The dialects, and every error in their words.

No known client reads what an error says, but people do. So in `document` the constant text of the
original is followed by what is wrong and what to do. `0.5.3` uses the original's words: the bare
constants, `move denied` without the move, where the document has `invalid move` with it.
"""

from collections.abc import Mapping

from attrs import evolve

from gameserver.protocol import Code, Rejected
from gameserver.values import value
from protocols.connect_four import schema
from protocols.connect_four.schema import Reason
from protocols.wording import SENTENCES, echo, filled

CONSTANTS: Mapping[Reason, str] = {
    # The original's strings, of which it sent four: `no such lobby`, `invalid move` and `time elapsed` only its
    # document has.
    Reason.TIME_ELAPSED: "move took too long",
    Reason.GAME_FULL: "the game is full at the moment",
    Reason.MISSING_KEYS: "invalid keys used",
    Reason.NO_SUCH_LOBBY: "there is no such lobby",
    Reason.INVALID_MOVE: "the move was not permitted",
    Reason.MOVE_DENIED: "the move was not permitted",
    Reason.LOBBY_ENTRY_DENIED: "name or IP is already used or invalid characters",
}
"""The beginning of each error. The original had no words for `no such lobby`: it hung."""

_DENIALS = (
    *(Code.NAME_TAKEN, Code.NAME_HELD, Code.NAME_RESERVED, Code.NAME_INVALID, Code.NAME_SLIP, Code.NOT_LISTED),
    *(Code.UNPROVEN, Code.PROOF_WRONG, Code.PROOF_TOO_OFTEN, Code.TOKEN_WRONG),
)
_REASONS: Mapping[Code, Reason] = {
    **dict.fromkeys(_DENIALS, Reason.LOBBY_ENTRY_DENIED),
    Code.UNKNOWN_GAME: Reason.NO_SUCH_LOBBY,
    Code.NO_SUCH_ROOM: Reason.NO_SUCH_LOBBY,
    Code.ROOM_FULL: Reason.GAME_FULL,
    # The nearest of the document's words for a game that does not begin.
    Code.STOPPING: Reason.GAME_FULL,
    Code.NOT_YOUR_TURN: Reason.INVALID_MOVE,
    Code.ILLEGAL_MOVE: Reason.INVALID_MOVE,
}
"""Reasons of the lobby's refusals; all others are `missing keys`, as the original answered what cannot be done."""

_SENTENCES: Mapping[Code, str] = {
    **{code: sentence[0].lower() + sentence[1:] for code, sentence in SENTENCES.items()},
    Code.NOT_ENTERED: "connect with a name first",
    Code.ALREADY_ENTERED: "you are in the lobby already",
    Code.NAME_HELD: "a match waits for {name}, who can only return from the same computer by the same protocol; "
    "take another name",
    Code.UNPROVEN: "the name {name} belongs to somebody with a secret; if it is you, connect with "
    '"secret" in addition to "name"',
    Code.PROOF_TOO_OFTEN: "that is not the secret of {name} either; ask the teacher for yours, then connect again",
    Code.NAME_SLIP: "no {name} is on the list of players, but a name one letter away is; "
    "correct it, or come without a secret",
    Code.NOT_LISTED: "{name} is not on the list of players; ask the teacher",
    Code.NAME_INVALID: "{why}",
    Code.UNKNOWN_GAME: "the rooms are for {game}, which this server does not have",
    Code.IN_MATCH: "you are in a match",
    Code.NOT_IN_ROOM: "you are in no room, join one first",
    Code.READY_ALREADY: "you have started already, wait for the other player",
    Code.NOT_IN_MATCH: "the game that it was meant for is over",
    Code.NOT_STARTED: "the game has not begun",
    Code.ILLEGAL_MOVE: "{why}",
    Code.STOPPING: "the server is about to stop, no new game begins; come back when it is up again",
    Code.SERVER_FAULT: "no, the server made a mistake, not you: {why}",
}
"""Sentences of the lobby's refusals, each to follow a colon."""


def reason_of(code: Code) -> Reason:
    """Finds, for a refusal of the lobby, the reason that each dialect of 3D Connect Four has words for."""
    return _REASONS.get(code, Reason.MISSING_KEYS)


WHAT_A_MOVE_IS = "a move names a column, a letter from a to d and a digit from 0 to 3, such as b2"


@value
class ConnectFourProfile:
    """A dialect of the 3D Connect Four protocol: how much its errors explain."""

    name: str
    explains: bool = True
    """True if errors go on after the constant text, and name the move that they are about."""
    denied: Reason = Reason.INVALID_MOVE
    """The reason of a move that was not permitted."""

    def error(self, reason: Reason, why: str, move: str | None = None) -> bytes:
        """Writes an error of 3D Connect Four; `why` is a sentence that follows a colon."""
        # 0.5.3 says `move denied`, without the move; its document says `invalid move` with it.
        if reason is Reason.INVALID_MOVE:
            reason = self.denied
        constant = CONSTANTS[reason]
        if not self.explains:
            return schema.write(schema.Error(reason, message=constant))
        return schema.write(schema.Error(reason, None if move is None else echo(move), f"{constant}: {why}"))

    def refusal(self, rejected: Rejected, move: str | None = None) -> bytes:
        """Writes a refusal of the lobby as an error of 3D Connect Four; `move` is the refused move, if it was one."""
        reason = reason_of(rejected.code)
        # Whatever else is wrong, the client asked for a move, and looks for an error of one.
        if move is not None and reason is Reason.MISSING_KEYS:
            reason = Reason.INVALID_MOVE
        return self.error(reason, filled(_SENTENCES[rejected.code], rejected.facts), move)


_DOCUMENT = ConnectFourProfile("document")
PROFILES: Mapping[str, ConnectFourProfile] = {
    profile.name: profile
    for profile in (_DOCUMENT, evolve(_DOCUMENT, name="0.5.3", explains=False, denied=Reason.MOVE_DENIED))
}
"""By name; the first is the default."""
