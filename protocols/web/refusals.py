"""Every error in the protocol's words: a stable code, and a sentence that says what was wrong and what to do."""

from collections.abc import Mapping

from gameserver.protocol import Code, Rejected
from protocols.wording import filled

BAD_MESSAGE = "bad message"
BAD_KEY = "bad key"
TOO_MANY = "too many messages"
"""The codes of errors that the lobby does not hear of. All others are those of `Code`."""

NO_KEY_OF_OURS = "A key is the 22 characters of an earlier welcome; leave it out to be given a new one"

SENTENCES: Mapping[Code, str] = {
    Code.NOT_ENTERED: "Log in with a name first",
    Code.ALREADY_ENTERED: "You have logged in on this connection already",
    Code.NAME_TAKEN: "Somebody called {name} is here already, take another name",
    Code.NAME_HELD: "A match waits for {name}, who began it elsewhere; come back by the same browser, or take another "
    "name",
    Code.TOKEN_WRONG: "That is not the token of {name}",
    Code.UNPROVEN: "The name {name} belongs to somebody with a secret; if it is you, log in with the secret",
    Code.PROOF_WRONG: "That is not the secret of {name}; ask the teacher if you do not know yours",
    Code.PROOF_TOO_OFTEN: "That is not the secret of {name} either, and this connection ends after so many wrong ones; "
    "ask the teacher for yours, then come again",
    Code.NAME_SLIP: "There is no {name} on the list of players, but a name that differs by one letter; correct it, or "
    "come without a secret",
    Code.NOT_LISTED: "{name} is not on the list of players; ask the teacher to be put on it",
    Code.NAME_RESERVED: "The name {name} is reserved, take another one",
    Code.NAME_INVALID: "That name is not possible: {why}",
    Code.UNKNOWN_GAME: "There is no game {game} here; ask for the games",
    Code.UNKNOWN_PLAYER: "Nobody called {player} is here",
    Code.CHALLENGE_SELF: "You cannot challenge yourself",
    Code.IN_MATCH: "You are in a match; play it to its end or resign first",
    Code.IN_TOURNAMENT: "A tournament is running, whose players play only each other",
    Code.OTHER_IN_MATCH: "{player} is in a match at the moment",
    Code.NO_CHALLENGES: "{player} cannot be challenged, as that player's program knows no challenges; look for any "
    "opponent instead",
    Code.GAME_NOT_PLAYED: "{player} does not play {game}",
    Code.BAD_OPTIONS: "{game} cannot be played with these options: {why}",
    Code.HOUSE_ONLY: "Only house players play by other options, not {player}",
    Code.TURN_TIME_OUT_OF_RANGE: "A turn can take {min_s} to {max_s} seconds",
    Code.UNKNOWN_CHALLENGE: "The challenge {number} is not open any more",
    Code.CHALLENGE_UNCLEAR: "There are {count} challenges to you; say which one by its number",
    Code.NO_SUCH_ROOM: "There is no room {room}; the rooms have the numbers 0 to {last}",
    Code.ROOM_FULL: "Room {room} is full",
    Code.ROOM_KEPT: "Your own match waits in room {room}",
    Code.IN_ROOM: "You are in room {room} already",
    Code.NOT_IN_ROOM: "No match waits for you to be ready",
    Code.READY_ALREADY: "You are ready already; wait for the other player",
    Code.TICKET_OPEN: "You are already looking for an opponent",
    Code.TICKETS_FULL: "There are {count} tickets from {address} whose players have not come",
    Code.NO_SUCH_TICKET: "There is no ticket {ticket}",
    Code.NOT_YOUR_TICKET: "The ticket {ticket} is another player's",
    Code.TICKET_SEATED: "The match of the ticket {ticket} has begun",
    Code.NOT_IN_MATCH: "You are not in that match; it may be over",
    Code.NOT_STARTED: "The game has not begun; it waits for its players to be ready",
    Code.NOT_YOUR_TURN: "It is not your turn",
    Code.TURN_NOT_BEGUN: "Your turn had not begun when that move came; send it again",
    Code.TOO_LATE: "Too late, {move} was played for you",
    Code.ILLEGAL_MOVE: "That move is illegal: {why}",
    Code.SAY_SELF: "There is no need to write to yourself",
    Code.CANNOT_RECEIVE: "{player} cannot be written to: {why}",
    Code.STOPPING: "The server is about to stop, no new match begins; come back when it is up again",
    Code.STALE: "Too late, the match has gone on",
    Code.UNKNOWN_TOURNAMENT: "There is no tournament {tournament}",
    Code.TOURNAMENT_REFUSED: "That is not possible: {why}",
    Code.SERVER_FAULT: "The server made a mistake, not you: {why}",
}
"""The lobby's refusals. Some belong to commands that this protocol never sends; they have words all the same."""


def sentence(rejected: Rejected) -> str:
    """The words for a refusal."""
    return filled(SENTENCES[rejected.code], rejected.facts)
