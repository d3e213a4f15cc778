"""Wording: the default sentence of each of the lobby's refusals, and how facts are put into one.

A protocol takes `SENTENCES` for its refusals, and puts its own words over those that an original server said
otherwise, or that name a command of its clients. Most codes belong to commands that it never sends.
"""

from collections.abc import Mapping

from gameserver.protocol import Code

_ECHO_LENGTH_MAX = 100
_WHY_LENGTH_MAX = 240
"""The most characters repeated of a player's text, and of a reason. One client hangs up at a line over 1,024 bytes."""

SENTENCES: Mapping[Code, str] = {
    Code.NOT_ENTERED: "Log in with a name first",
    Code.ALREADY_ENTERED: "You have logged in on this connection already",
    Code.NAME_TAKEN: "Somebody called {name} is here already, choose another name",
    Code.NAME_HELD: "A match waits for {name}, who began it elsewhere; come back by the same browser or program, "
    "or take another name",
    Code.UNPROVEN: "The name {name} belongs to somebody with a secret; if it is you, log in with the secret",
    Code.PROOF_WRONG: "That is not the secret of {name}; ask the teacher for yours",
    Code.PROOF_TOO_OFTEN: "That is not the secret of {name} either, and this connection ends after so many wrong ones; "
    "ask the teacher for yours, then connect again",
    Code.NAME_SLIP: "There is no {name} on the list of players, but a name that differs by one letter; correct it, or "
    "come without a secret",
    Code.NOT_LISTED: "{name} is not on the list of players; ask the teacher to be put on it",
    Code.TOKEN_WRONG: "That is not the token of {name}",
    Code.NAME_RESERVED: "The name {name} is reserved, choose another",
    Code.NAME_INVALID: "Invalid name: {why}",
    Code.UNKNOWN_GAME: "There is no game {game} here; ask for the games",
    Code.UNKNOWN_PLAYER: "Nobody called {player} is here",
    Code.CHALLENGE_SELF: "You cannot challenge yourself",
    Code.IN_MATCH: "You are in a match; play it to its end or resign first",
    Code.IN_TOURNAMENT: "A tournament is running, whose players play only each other",
    Code.OTHER_IN_MATCH: "{player} is in a match at the moment",
    Code.NO_CHALLENGES: "{player} cannot be challenged, as that player's program knows no challenges; look for any "
    "opponent instead",
    Code.BAD_OPTIONS: "{game} cannot be played with these options: {why}",
    Code.HOUSE_ONLY: "Only house players play by other options, not {player}",
    Code.GAME_NOT_PLAYED: "{player} does not play {game}",
    Code.TURN_TIME_OUT_OF_RANGE: "A turn can take {min_s} to {max_s} seconds",
    Code.BANK_NOT_SHOWN: "{player}'s client cannot see the bank; limit the turn too, such as {example}",
    Code.UNKNOWN_CHALLENGE: "The challenge {number} is not open any more",
    Code.CHALLENGE_UNCLEAR: "There are {count} challenges to you; say which one by its number",
    Code.NO_SUCH_ROOM: "You asked for {room}, rooms are numbered from 0 to {last}",
    Code.ROOM_FULL: "Room {room} is taken, join another one",
    Code.ROOM_KEPT: "Your game waits in room {room}, join that one",
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
    Code.TOO_LATE: "Too late: {move} was played for you",
    Code.ILLEGAL_MOVE: "Illegal move: {why}",
    Code.SAY_SELF: "There is no need to write to yourself",
    Code.CANNOT_RECEIVE: "{player} cannot receive messages: {why}",
    Code.STOPPING: "The server is about to stop, no new match begins; come back when it is up again",
    Code.STALE: "Too late, the game has gone on",
    Code.UNKNOWN_TOURNAMENT: "There is no tournament {tournament}",
    Code.TOURNAMENT_REFUSED: "Not possible: {why}",
    Code.LADDER_REFUSED: "Not possible: {why}",
    Code.BAD_CONTRIBUTION: "'{data}' is not 1 to 32 bytes in hex; write two digits for each, such as 2a00ff",
    Code.SERVER_FAULT: "The server made a mistake, not you: {why}",
}
"""A sentence for every code, of what is wrong and what to do; it begins with a capital and has no full stop."""


class _Facts(dict[str, str]):
    """The facts of a rejection. One that is missing must not cost a player the connection."""

    # A missing fact is a bug of ours, and no reason to send nothing.
    def __missing__(self, key: str) -> str:
        return "?"


def echo(text: str, length_max: int = _ECHO_LENGTH_MAX) -> str:
    """Cuts a player's text to a length that every client survives, to repeat it in a sentence."""
    return text if len(text) <= length_max else f"{text[:length_max]}..."


def filled(sentence: str, facts: Mapping[str, str]) -> str:
    """Puts facts into the sentence of a refusal, which names them in braces."""
    cut = {key: echo(fact, _WHY_LENGTH_MAX if key == "why" else _ECHO_LENGTH_MAX) for key, fact in facts.items()}
    return sentence.format_map(_Facts(cut))
