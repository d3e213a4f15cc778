"""Output of the lobby: an answer to each command, events to everybody concerned, and the codes of refusals.

Events carry what any adapter needs to say it in its own protocol, and nothing that the receiver may not know: moves and
prompts have passed the game's own `seen` and `prompt`. All times are points on the server's axis of milliseconds. An
event with a `release_ms` must not be sent before that time; what follows it to the same receiver waits behind it.

A refusal is a stable code with the facts that a sentence about it needs. Every adapter has a text for every code; a
test holds it to that. Codes are part of what a protocol author builds on: they may be added to, and their values, which
some clients are told, never change.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from attrs import Factory

from gameserver.chance import Contributions
from gameserver.drawing import Picture, Side
from gameserver.time_control import NO_TIME_LIMIT, TimeControl
from gameserver.values import evolved, value


class Code(StrEnum):
    """Reason of a refusal. The facts that come with a code are named behind it."""

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
    BANK_NOT_SHOWN = "bank not shown"  # player, example: a clock that the player's client can follow
    UNKNOWN_CHALLENGE = "unknown challenge"  # number
    CHALLENGE_UNCLEAR = "challenge unclear"  # count: open ones, where none was named
    NO_SUCH_ROOM = "no such room"  # room, last: rooms are numbered from 0
    ROOM_FULL = "room full"  # room
    ROOM_KEPT = "room kept"  # room: the player's own match waits there
    IN_ROOM = "in room"  # room
    NOT_IN_ROOM = "not in room"
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
    LADDER_REFUSED = "ladder refused"  # why
    BAD_CONTRIBUTION = "bad contribution"  # data: no 1 to 32 bytes in hex
    SERVER_FAULT = "server fault"  # why


@value
class Accepted:
    """Answer: the command was carried out."""


@value
class TournamentCreated(Accepted):
    """Answer to `CreateTournament`: it was announced, under this number."""

    number: int


@value
class Rejected:
    """Answer: the command was refused, and nothing changed. `facts` fill the sentence that an adapter says."""

    code: Code
    facts: Mapping[str, str] = Factory(dict)


Answer = Accepted | Rejected


@value
class PlayerShown:
    """One line of the list of players."""

    name: str
    protocol: str
    house: bool = False
    games: tuple[str, ...] | None = None
    """The games that a house player knows; None for a person, who may play any."""
    match: int | None = None
    """The match that a person plays now, in which nobody can be challenged; None for the house."""


@value
class PlayersListed:
    """The answer to `ListPlayers`: people in the order of their entering, then the house."""

    players: tuple[PlayerShown, ...]
    unlisted: tuple[PlayerShown, ...] = ()
    """House players who can be challenged, too. A real client reads only 256 bytes, so they are left out above."""


@value
class GamesListed:
    """The answer to `ListGames`, sorted by name."""

    games: tuple[str, ...]


@value
class ChallengeOpened:
    """Event to a player who is challenged.

    `seat` is yours where the challenger has chosen one of two; None is drawn by lot.
    """

    number: int
    challenger: str
    game: str
    clock: TimeControl
    seat: int | None = None


@value
class ChallengeClosed:
    """Event to a player: a challenge to you is no longer open. The player who accepts one is not told this of it."""

    number: int


@value
class Said:
    """Event of a chat line to you."""

    sender: str
    text: str


@value
class Displaced:
    """Event to a player's old connection: you have come in by another one, and this one is to end."""


@value
class RoomShown:
    """A room with a free place, or one that waits for its players' start. `host` is the player who sat down first."""

    number: int
    host: str | None


@value
class RoomsListed:
    """The answer to `ListRooms`, sorted by number; told on entering too, where the protocol has rooms."""

    rooms: tuple[RoomShown, ...]


class UnseatedWhy(StrEnum):
    """The reason why a player no longer has a place in a room."""

    LEFT = "left"
    NOT_STARTED = "not started"
    NOT_RESTARTED = "not restarted"
    OPPONENT_LEFT = "opponent left"
    TOURNAMENT_OVER = "tournament over"


@value
class Seated:
    """Event to a player who has a place in a room.

    `opponent` sat there before you; nobody hears of players who come later.
    """

    room: int
    opponent: str | None


@value
class Unseated:
    """Event to a player who no longer has a place in the room; these are the rooms."""

    room: int
    why: UnseatedWhy
    rooms: tuple[RoomShown, ...]


class TicketStatus(StrEnum):
    """The state of a ticket's search."""

    WAITING = "waiting"
    FOUND = "found"
    """There is an opponent; the match is opened when both are here."""
    SEATED = "seated"
    """The match has been opened."""


@value
class TicketShown:
    """Event on the state of your ticket.

    Told when it is taken out, when its player arrives, and when its opponent changes.

    `match` is set once it is seated.
    """

    ticket: str
    status: TicketStatus
    game: str
    opponent: str | None = None
    match: int | None = None
    public_id: str = ""
    """The match's id for both players, where that is not the id of this ticket."""


class SeatsBy(StrEnum):
    """The reason why a match's players have the seats that they have; docs/fairness.md explains each."""

    UNKNOWN = ""  # of a match that was opened before this was noted
    DRAWN = "drawn"
    TOURNAMENT = "tournament"
    LADDER = "ladder"
    CHALLENGE = "challenge"
    PRACTICE = "practice"
    ROOM = "room"
    ARRIVAL = "arrival"


@value
class TicketClosed:
    """Event to a ticket's player: it has led to nothing and is gone."""

    ticket: str


@value
class MatchPaired:
    """Event to a player in a match that begins when everybody has said that they are ready.

    `game` and `options` are the match's; what is played first may be another game, if there are
    several.
    """

    match: int
    game: str
    options: Any
    players: tuple[str, ...]
    seat: int
    clock: TimeControl
    identities: tuple[str, ...] = ()
    """Each player's id in their own protocol; empty for players who are known by their names."""
    ready_by_ms: int | None = None
    """Until when you have to be ready; None while nobody's time runs."""
    match_ids: tuple[str, ...] = ()
    """The ids by which you may call the match; the first is what it is called to both. Empty without a ticket."""
    commitment: str = ""
    """As in `MatchOpened`."""
    seats_by: SeatsBy = SeatsBy.UNKNOWN


@value
class SeatReady:
    """Event of a match: the player of a seat is ready for the next game."""

    match: int
    seat: int


@value
class OwnDrawShown:
    """Event to a player who is ready: your own value of the draw that falls when the others are.

    Nobody else is told.
    """

    match: int
    value: int


class By(StrEnum):
    """The author of a move."""

    PLAYER = "player"
    SERVER = "server"
    CHANCE = "chance"


@value
class MovePlayed:
    """Event of a move that was made: by a player, by the server in a late player's place, or a draw by chance.

    `number` is the move as an integer where the game has such; `seat` and `player` name nobody for
    a draw.
    """

    match: int
    seat: int | None
    player: str
    text: str
    number: int | None
    details: str
    by: By = By.PLAYER
    release_ms: int = 0
    words: str = ""
    """The move as people say it; empty if the game has no other words than `text`."""
    details_words: str = ""
    """The details without what `words` tell."""


@value
class MatchOpened:
    """Event to a player in a match whose game, the first or a later one by its `number`, begins now.

    `first` is the seat that moves first, `draws` are what chance did before.
    """

    match: int
    game: str
    players: tuple[str, ...]
    seat: int
    first: int
    clock: TimeControl
    number: int = 1
    options: Any = None
    draws: tuple[MovePlayed, ...] = ()
    commitment: str = ""
    """The SHA-256, in hex, of the secret from which the whole match's chance follows, and which is told afterwards."""
    seats_by: SeatsBy = SeatsBy.UNKNOWN


@value
class TurnStarted:
    """Event that these seats are to act. A refused move brings the same turn again, with the same deadline.

    `deadline_ms` is the end of your time, of the turn or of your bank, whichever comes first. `banks_ms` is what
    is left of each seat's bank as the turn begins, as in `MatchStatus`.
    """

    match: int
    turn: int
    seats: tuple[int, ...]
    prompt: str
    deadline_ms: int | None
    release_ms: int = 0
    banks_ms: tuple[int | None, ...] = ()


@value
class MoveRefused:
    """Event of an illegal move that costs its player the match.

    `said` is the move as it was sent, cut to 100 characters.
    """

    match: int
    seat: int
    player: str
    said: str
    why: str
    release_ms: int = 0


class EndReason(StrEnum):
    """The reason of a match's end. `VOID`, no player's fault, and `ABANDONED`, of a practice match, have no loser."""

    PLAYED = "played"
    RESIGNED = "resigned"
    LATE = "late"
    ILLEGAL = "illegal move"
    DROPPED = "dropped"
    ABANDONED = "abandoned"
    VOID = "void"


@value
class TurnTimeout:
    """A turn that ran out of time, in points of the server's axis: what a complaint is answered from."""

    began_ms: int
    deadline_ms: int
    margin_ms: int
    decided_ms: int
    read_ms: int | None = None
    """The time at which a move for it was read, after all that; None if none was."""
    is_bank: bool = False
    """True if it was the player's bank that ran out, not the time of the turn."""


@value(slots=False)
class Result:
    """The end of a game, or of a match: `points` are the game's own; `winners` is empty for a draw or a void.

    `by` is the seat that resigned, was late, moved illegally or dropped. `reason_text` is the game's own word on a
    normal end, `revealed` what it had hidden.
    """

    reason: EndReason
    points: tuple[int, ...]
    winners: tuple[int, ...]
    by: int | None = None
    reason_text: str = ""
    revealed: str = ""
    why: str = ""
    """The server's note for the log and the record: the rule that was broken, the fault that was met. Like `lapse` and
    `rule` it is empty in an event: `Why` has as much of them as the loser may know."""
    lapse: TurnTimeout | None = None
    rule: str = ""
    """The rule that an illegal move broke, in the game's words."""

    @property
    def told(self) -> "Result":
        """The result of a game or match as events tell it to players: without the server's own notes."""
        # A rule and a margin tell how far the server lets a client go; `Rules.reasons` says who may know.
        return evolved(self, why="", lapse=None, rule="")

    def for_seat(self, seat: int | None) -> str:
        """The result of a game or match as one seat has it: `win`, `loss` or `draw`, which a void one is, too."""
        if not self.winners:
            return "draw"
        return "win" if seat in self.winners else "loss"


@value
class Why:
    """The reason for which a player lost, in more detail than the `EndReason`.

    `rule` is the rule that an illegal move broke, in the game's words. `clock` are the match's terms. `late_ms` is how
    long after the player's time the move came, if it came at all, and `is_bank` tells that this was the bank's.
    `after_restart` if an illegal move was the player's first one since the server was started again, when all moves,
    the own ones too, were told again.
    """

    rule: str = ""
    clock: TimeControl = NO_TIME_LIMIT
    late_ms: int | None = None
    after_restart: bool = False
    is_bank: bool = False


@value
class GameEnded:
    """Event that a game of a match is over."""

    match: int
    result: Result
    number: int = 1
    ready_by_ms: int | None = None
    """Until when to be ready for the next game, where there is one."""
    why: Why | None = None
    """For the player who lost; None where the server is set to keep it back."""


@value
class MatchEnded:
    """Event that a match is over; its players are free.

    It follows the `GameEnded` of the last game, if one was being played.

    The points and winners of its `result` are those of all games together.
    """

    match: int
    result: Result


@value
class SeatDropped:
    """Event of a match: a player lost the connection, and the seat stays until `return_by_ms`."""

    match: int
    seat: int
    player: str
    return_by_ms: int


@value
class SeatReturned:
    """Event of a match: a player is back in the seat."""

    match: int
    seat: int
    player: str
    ready_by_ms: int | None = None
    """Until when to be ready for the game that the match waits for, from now on."""


@value
class MatchShown:
    """Event to a player who is back in a seat: the match as it stands, each move as you may see it."""

    match: int
    game: str
    players: tuple[str, ...]
    seat: int
    first: int
    clock: TimeControl
    moves: tuple[MovePlayed, ...]
    paired: MatchPaired
    """The match as a whole, of which `game` and `options` may be one of several games."""
    number: int = 1
    options: Any = None
    played: tuple[GameEnded, ...] = ()
    """The games before this one."""
    ready: tuple[int, ...] | None = None
    """Before a game: the seats that are ready for it."""
    own_draw: int | None = None
    """Same as in `OwnDrawShown`."""
    away: tuple[tuple[int, int], ...] = ()
    """The seats whose players are away, each with the time until which it is kept."""


@value
class MatchStatus:
    """The answer to `ShowMatch`: how your match stands.

    `awaited` are the seats that have to act, or to say that they are ready. `left_ms` is what is
    left of their time, running or not; None where no clock is set.
    """

    match: int
    game: str
    players: tuple[str, ...]
    seat: int
    awaited: tuple[int, ...]
    left_ms: int | None
    clock: TimeControl = NO_TIME_LIMIT
    banks_ms: tuple[int | None, ...] = ()
    """The time left of each seat's bank, None for the house's; empty without banks."""


@value
class BoardShown:
    """The answer to `ShowBoard`: the position as lines of text, as your seat may see it.

    The fields after `lines` are filled in where the picture was asked for.
    """

    match: int
    lines: tuple[str, ...]
    game: str = ""
    step: int = 0
    """The number of moves and draws that led to the position."""
    picture: Picture | None = None
    """None where the game has none, too."""
    moves: tuple[str, ...] = ()
    """Your legal moves now, as `Game.write_move` has it; the first of them where there are very many."""
    moves_total: int = 0
    sides: tuple[Side, ...] = ()
    awaited: tuple[int, ...] = ()
    """The seats that have to act, or to say that they are ready."""
    turn: int = 0
    prompt: str = ""
    """The game's words to you, where you are to act."""
    deadline_ms: int | None = None
    banks_ms: tuple[int | None, ...] = ()
    """As in `MatchStatus`."""


@value
class FairnessShown:
    """The answer to `ShowFairness`: what the server has committed to, each as a SHA-256 in hex.

    The first two are of the current epoch, the last two of the last epoch whose seed was told.
    """

    epoch: int
    commitment: str
    match: int | None = None
    """Your own match, if you are in one."""
    match_commitment: str = ""
    seats_by: SeatsBy = SeatsBy.UNKNOWN
    contributions: Contributions = ()
    told_epoch: int | None = None
    told_seed: str = ""


Event = (
    PlayersListed
    | GamesListed
    | RoomsListed
    | Seated
    | Unseated
    | TicketShown
    | TicketClosed
    | Displaced
    | ChallengeOpened
    | ChallengeClosed
    | MatchPaired
    | SeatReady
    | OwnDrawShown
    | MatchOpened
    | TurnStarted
    | MovePlayed
    | MoveRefused
    | GameEnded
    | MatchEnded
    | SeatDropped
    | SeatReturned
    | MatchShown
    | MatchStatus
    | BoardShown
    | FairnessShown
    | Said
)
