"""Why a command was refused: stable codes, each with the facts that a sentence about it needs.

Every adapter has a text for every code; a test holds it to that. Codes are part of what a protocol
author builds on: they may be added to, and their values, which some clients are told, never change.
"""

from enum import StrEnum


class Code(StrEnum):
    """The facts that come with a code are named behind it."""

    NOT_ENTERED = "not entered"
    ALREADY_ENTERED = "already entered"
    NAME_TAKEN = "name taken"  # name
    NAME_HELD = "name held"  # name: its empty seat belongs to another address
    UNPROVEN = "unproven"  # name: the roster binds it to a secret
    PROOF_WRONG = "proof wrong"  # name
    PROOF_TOO_OFTEN = "proof too often"  # name: the connection's last wrong secret, which ends it
    NAME_SLIP = "name slip"  # name: a secret came with it, and one letter away is a name that the roster binds
    NOT_LISTED = "not listed"  # name: only those on the roster may come in
    TOKEN_WRONG = "token wrong"  # noqa: S105 - name: a token came that is not the one of this ticket
    NAME_RESERVED = "name reserved"  # name
    NAME_INVALID = "name invalid"  # name, why
    UNKNOWN_GAME = "unknown game"  # game
    UNKNOWN_PLAYER = "unknown player"  # player; like: a name that may have been meant, where there is one
    CHALLENGE_SELF = "challenge self"
    IN_MATCH = "in match"
    IN_TOURNAMENT = "in tournament"  # a tournament is on whose players meet nobody else meanwhile
    OTHER_IN_MATCH = "other in match"  # player
    NO_CHALLENGES = "no challenges"  # player: its protocol cannot carry one
    BAD_OPTIONS = "bad options"  # game, why
    HOUSE_ONLY = "house only"  # player: only the house plays by other options, or for practice
    GAME_NOT_PLAYED = "game not played"  # player, game: a house player does not know it
    TURN_TIME_OUT_OF_RANGE = "turn time out of range"  # min_s, max_s
    UNKNOWN_CHALLENGE = "unknown challenge"  # number
    CHALLENGE_UNCLEAR = "challenge unclear"  # count: open ones, where none was named
    NO_SUCH_ROOM = "no such table"  # room, last: rooms are numbered from 0
    ROOM_FULL = "table full"  # room
    ROOM_KEPT = "table kept"  # room: the player's own match waits there
    IN_ROOM = "at table"  # room
    NOT_IN_ROOM = "not at table"
    READY_ALREADY = "ready already"  # room
    TICKET_OPEN = "ticket open"  # the player has one already
    TICKETS_FULL = "tickets full"  # address, count: so many of its tickets wait for players who are not there
    NO_SUCH_TICKET = "no such ticket"  # ticket
    NOT_YOUR_TICKET = "not your ticket"  # ticket
    TICKET_SEATED = "ticket seated"  # ticket: it cannot be given back any more
    NOT_IN_MATCH = "not in match"  # player, where it is asked how that player's match stands
    NOT_STARTED = "not started"  # the next game of the match waits for its players
    NOT_YOUR_TURN = "not your turn"  # player
    TURN_NOT_BEGUN = "turn not begun"  # player: the turn is theirs, but they have not been told yet
    TOO_LATE = "too late"  # move: played in the player's place before this answer came, which is dropped
    ILLEGAL_MOVE = "illegal move"  # move, why
    SAY_SELF = "say self"  # player
    CANNOT_RECEIVE = "cannot receive"  # player, why
    STOPPING = "stopping"  # no new match begins: the server is about to stop
    STALE = "stale"  # a timer or a house move that the match no longer waits for
    UNKNOWN_TOURNAMENT = "unknown tournament"  # tournament
    TOURNAMENT_REFUSED = "tournament refused"  # why
    SERVER_FAULT = "server fault"  # why
