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
from protocols.wording import echo, filled

CONSTANTS: Mapping[Reason, str] = {
    Reason.TIME_ELAPSED: "move took too long",
    Reason.GAME_FULL: "the game is full at the moment",
    Reason.MISSING_KEYS: "invalid keys used",
    Reason.NO_SUCH_LOBBY: "there is no such lobby",
    Reason.INVALID_MOVE: "the move was not permitted",
    Reason.MOVE_DENIED: "the move was not permitted",
    Reason.LOBBY_ENTRY_DENIED: "name or IP is already used or invalid characters",
}
"""The beginning of each error. The original had no words for `no such lobby`: it hung."""

REFUSALS: Mapping[Code, tuple[Reason, str]] = {
    Code.NOT_ENTERED: (Reason.MISSING_KEYS, "connect with a name first"),
    Code.ALREADY_ENTERED: (Reason.MISSING_KEYS, "you are in the lobby already"),
    Code.NAME_TAKEN: (Reason.LOBBY_ENTRY_DENIED, "somebody called {name} is here already, choose another name"),
    Code.NAME_HELD: (
        Reason.LOBBY_ENTRY_DENIED,
        "a match waits for {name}, who can only return from the same computer by the same protocol; take another name",
    ),
    Code.TOKEN_WRONG: (Reason.LOBBY_ENTRY_DENIED, "that is not the token of {name}"),
    Code.UNPROVEN: (
        Reason.LOBBY_ENTRY_DENIED,
        'the name {name} belongs to somebody with a secret; if it is you, connect with "secret" in addition to "name"',
    ),
    Code.PROOF_WRONG: (Reason.LOBBY_ENTRY_DENIED, "that is not the secret of {name}; ask the teacher for yours"),
    Code.PROOF_TOO_OFTEN: (
        Reason.LOBBY_ENTRY_DENIED,
        "that is not the secret of {name} either; ask the teacher for yours, then connect again",
    ),
    Code.NAME_SLIP: (
        Reason.LOBBY_ENTRY_DENIED,
        "no {name} is on the list of players, but a name one letter away is; correct it, or come without a secret",
    ),
    Code.NOT_LISTED: (Reason.LOBBY_ENTRY_DENIED, "{name} is not on the list of players; ask the teacher"),
    Code.NAME_RESERVED: (Reason.LOBBY_ENTRY_DENIED, "the name {name} is reserved, choose another"),
    Code.NAME_INVALID: (Reason.LOBBY_ENTRY_DENIED, "{why}"),
    Code.UNKNOWN_GAME: (Reason.NO_SUCH_LOBBY, "the rooms are for {game}, which this server does not have"),
    Code.UNKNOWN_PLAYER: (Reason.MISSING_KEYS, "there is nobody called {player}"),
    Code.CHALLENGE_SELF: (Reason.MISSING_KEYS, "you cannot play against yourself"),
    Code.IN_MATCH: (Reason.MISSING_KEYS, "you are in a match"),
    Code.IN_TOURNAMENT: (Reason.MISSING_KEYS, "a tournament is running, and its players play only each other"),
    Code.OTHER_IN_MATCH: (Reason.MISSING_KEYS, "{player} is in a match"),
    Code.NO_CHALLENGES: (Reason.MISSING_KEYS, "{player} cannot be challenged"),
    Code.GAME_NOT_PLAYED: (Reason.MISSING_KEYS, "{player} does not play {game}"),
    Code.BAD_OPTIONS: (Reason.MISSING_KEYS, "{game} cannot be played with these options: {why}"),
    Code.HOUSE_ONLY: (Reason.MISSING_KEYS, "only house players offer practice or other options, not {player}"),
    Code.TURN_TIME_OUT_OF_RANGE: (Reason.MISSING_KEYS, "a turn can take {min_s} to {max_s} seconds"),
    Code.UNKNOWN_CHALLENGE: (Reason.MISSING_KEYS, "there is no challenge {number}"),
    Code.CHALLENGE_UNCLEAR: (Reason.MISSING_KEYS, "it is not clear which challenge is meant"),
    Code.NO_SUCH_ROOM: (Reason.NO_SUCH_LOBBY, "you asked for {room}, rooms are numbered from 0 to {last}"),
    Code.ROOM_FULL: (Reason.GAME_FULL, "room {room} is taken, join another one"),
    Code.ROOM_KEPT: (Reason.MISSING_KEYS, "your game waits in room {room}, join that one"),
    Code.IN_ROOM: (Reason.MISSING_KEYS, "you are in room {room} already"),
    Code.NOT_IN_ROOM: (Reason.MISSING_KEYS, "you are in no room, join one first"),
    Code.READY_ALREADY: (Reason.MISSING_KEYS, "you have started already, wait for the other player"),
    Code.NOT_IN_MATCH: (Reason.MISSING_KEYS, "the game that it was meant for is over"),
    Code.TICKET_OPEN: (Reason.MISSING_KEYS, "you are already looking for an opponent"),
    Code.TICKETS_FULL: (Reason.MISSING_KEYS, "there are {count} tickets from {address} whose players have not come"),
    Code.NO_SUCH_TICKET: (Reason.MISSING_KEYS, "there is no ticket {ticket}"),
    Code.NOT_YOUR_TICKET: (Reason.MISSING_KEYS, "the ticket {ticket} is another player's"),
    Code.TICKET_SEATED: (Reason.MISSING_KEYS, "the match of the ticket {ticket} has begun"),
    Code.NOT_STARTED: (Reason.MISSING_KEYS, "the game has not begun"),
    Code.NOT_YOUR_TURN: (Reason.INVALID_MOVE, "it is not your turn"),
    Code.TURN_NOT_BEGUN: (Reason.INVALID_MOVE, "it is not your turn yet"),
    Code.TOO_LATE: (Reason.TIME_ELAPSED, "{move} was played for you"),
    Code.ILLEGAL_MOVE: (Reason.INVALID_MOVE, "{why}"),
    Code.SAY_SELF: (Reason.MISSING_KEYS, "it is pointless to talk to yourself"),
    Code.CANNOT_RECEIVE: (Reason.MISSING_KEYS, "{player} cannot receive messages: {why}"),
    Code.STOPPING: (
        Reason.GAME_FULL,
        "the server is about to stop, no new game begins; come back when it is up again",
    ),
    Code.STALE: (Reason.MISSING_KEYS, "too late, the game has gone on"),
    Code.UNKNOWN_TOURNAMENT: (Reason.MISSING_KEYS, "there is no tournament {tournament}"),
    Code.TOURNAMENT_REFUSED: (Reason.MISSING_KEYS, "not possible: {why}"),
    Code.SERVER_FAULT: (Reason.MISSING_KEYS, "no, the server made a mistake, not you: {why}"),
}
"""The lobby's refusals. Some belong to commands that this protocol never sends; they have words all the same."""


WHAT_A_MOVE_IS = "a move names a column, a letter from a to d and a digit from 0 to 3, such as b2"


@value
class Profile:
    """One dialect."""

    name: str
    explains: bool = True
    """True if errors go on after the constant text, and name the move that they are about."""
    denied: Reason = Reason.INVALID_MOVE
    """The reason of a move that was not permitted."""

    def error(self, reason: Reason, why: str, move: str | None = None) -> bytes:
        """An error; `why` is a sentence that follows a colon."""
        if reason is Reason.INVALID_MOVE:
            reason = self.denied
        constant = CONSTANTS[reason]
        if not self.explains:
            return schema.write(schema.Error(reason, message=constant))
        return schema.write(schema.Error(reason, None if move is None else echo(move), f"{constant}: {why}"))

    def refusal(self, rejected: Rejected, move: str | None = None) -> bytes:
        """The error for a refusal of the lobby; `move` is the refused move, if it was one."""
        reason, sentence = REFUSALS[rejected.code]
        if move is not None and reason is Reason.MISSING_KEYS:
            reason = Reason.INVALID_MOVE
        return self.error(reason, filled(sentence, rejected.facts), move)


_DOCUMENT = Profile("document")
PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (_DOCUMENT, evolve(_DOCUMENT, name="0.5.3", explains=False, denied=Reason.MOVE_DENIED))
}
"""By name; the first is the default."""
