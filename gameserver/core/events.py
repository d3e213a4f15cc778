"""What the lobby tells: answers, one to each command, and events, to everybody concerned.

Events carry what any adapter needs to say it in its own protocol, and nothing that the receiver may
not know: moves and prompts have passed the game's own `seen` and `prompt`. All times are points on
the server's axis of milliseconds. An event with a `release_ms` must not be sent before that time;
what follows it to the same receiver waits behind it.
"""

from collections.abc import Mapping
from enum import StrEnum

from attrs import Factory, frozen

from gameserver.core.rejections import Code


@frozen
class Accepted:
    """The command was carried out."""


@frozen
class Rejected:
    """The command was refused, and nothing changed. `facts` fill the sentence that an adapter says."""

    code: Code
    facts: Mapping[str, str] = Factory(dict)


Answer = Accepted | Rejected


class By(StrEnum):
    """Who made a move."""

    PLAYER = "player"
    SERVER = "server"
    CHANCE = "chance"


class EndReason(StrEnum):
    """Why a match ended. `VOID`, which is the server's doing, and `ABANDONED`, of a practice match, have no loser."""

    PLAYED = "played"
    RESIGNED = "resigned"
    LATE = "late"
    ILLEGAL = "illegal move"
    DROPPED = "dropped"
    ABANDONED = "abandoned"
    VOID = "void"


@frozen
class PlayerShown:
    """One line of the list of players."""

    name: str
    protocol: str
    house: bool = False


@frozen
class PlayersListed:
    """The answer to `ListPlayers`: people in the order of their entering, then the house."""

    players: tuple[PlayerShown, ...]


@frozen
class GamesListed:
    """The answer to `ListGames`, sorted by name."""

    games: tuple[str, ...]


@frozen
class TableShown:
    """A table with a free place, or one that waits for its players' start. `host` is who sat down first."""

    number: int
    host: str | None


@frozen
class TablesListed:
    """The answer to `ListTables`, sorted by number; told on entering too, where the protocol has tables."""

    tables: tuple[TableShown, ...]


class UnseatedWhy(StrEnum):
    """Why a player no longer has a place at a table."""

    LEFT = "left"
    NOT_STARTED = "not started"
    NOT_RESTARTED = "not restarted"
    OPPONENT_LEFT = "opponent left"


@frozen
class Seated:
    """You have a place at a table. `opponent` is who sat there before you; nobody hears of who comes later."""

    table: int
    opponent: str | None


@frozen
class Unseated:
    """You have no place at the table any more; these are the tables there are."""

    table: int
    why: UnseatedWhy
    tables: tuple[TableShown, ...]


@frozen
class OfferOpened:
    """You are challenged."""

    number: int
    challenger: str
    game: str
    turn_time_ms: int


@frozen
class OfferClosed:
    """A challenge to you is no longer open. Who accepts one is not told this of it."""

    number: int


@frozen
class MatchOpened:
    """You are seated in a match that begins now. `first` is the seat that moves first."""

    match: int
    game: str
    players: tuple[str, ...]
    seat: int
    first: int
    turn_time_ms: int | None


@frozen
class TurnStarted:
    """These seats are to act. A refused move brings the same turn again, with the same deadline."""

    match: int
    turn: int
    seats: tuple[int, ...]
    prompt: str
    deadline_ms: int | None
    release_ms: int = 0


@frozen
class MovePlayed:
    """A move was made: by a player, by the server in a late player's place, or a draw by chance.

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


@frozen
class MoveRefused:
    """A move was illegal and costs its player the match. `said` is the move as it was sent."""

    match: int
    seat: int
    player: str
    said: str
    why: str
    release_ms: int = 0


@frozen
class GameEnded:
    """A game of a match is over. `points` are the game's own; `winners` is empty for a draw or a void.

    `by` is the seat that resigned, was late, moved illegally or dropped. `reason_text` is the
    game's own word on a normal end, `revealed` what it had hidden.
    """

    match: int
    points: tuple[int, ...]
    winners: tuple[int, ...]
    reason: EndReason
    by: int | None = None
    reason_text: str = ""
    revealed: str = ""


@frozen
class MatchEnded:
    """The match is over; its players are free. Follows the `GameEnded` of its last game."""

    match: int
    reason: EndReason


@frozen
class SeatDropped:
    """A player of your match lost the connection; the seat stays until `return_by_ms`."""

    match: int
    seat: int
    player: str
    return_by_ms: int


@frozen
class SeatReturned:
    """A player of your match is back."""

    match: int
    seat: int
    player: str


@frozen
class MatchShown:
    """You are back in your seat: the match as it stands, each move as you may see it."""

    match: int
    game: str
    players: tuple[str, ...]
    seat: int
    first: int
    turn_time_ms: int | None
    moves: tuple[MovePlayed, ...]


@frozen
class Said:
    """A chat line to you."""

    sender: str
    text: str


Event = (
    PlayersListed
    | GamesListed
    | TablesListed
    | Seated
    | Unseated
    | OfferOpened
    | OfferClosed
    | MatchOpened
    | TurnStarted
    | MovePlayed
    | MoveRefused
    | GameEnded
    | MatchEnded
    | SeatDropped
    | SeatReturned
    | MatchShown
    | Said
)
