"""Output of the lobby: answers, one to each command, and events, to everybody concerned.

Events carry what any adapter needs to say it in its own protocol, and nothing that the receiver may
not know: moves and prompts have passed the game's own `seen` and `prompt`. All times are points on
the server's axis of milliseconds. An event with a `release_ms` must not be sent before that time;
what follows it to the same receiver waits behind it.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from attrs import Factory

from gameserver.core.messages.lobby_events import (
    ChallengeClosed,
    ChallengeOpened,
    Displaced,
    GamesListed,
    PlayerShown,
    PlayersListed,
    RoomShown,
    RoomsListed,
    Said,
    Seated,
    TicketClosed,
    TicketShown,
    TicketStatus,
    Unseated,
    UnseatedWhy,
)
from gameserver.core.messages.rejections import Code
from gameserver.drawing import Picture, Side
from gameserver.values import value


@value
class MatchStanding:
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


__all__ = [
    "Accepted",
    "Answer",
    "BoardShown",
    "By",
    "ChallengeClosed",
    "ChallengeOpened",
    "Displaced",
    "EndReason",
    "Event",
    "GameEnded",
    "GamesListed",
    "MatchEnded",
    "MatchOpened",
    "MatchPaired",
    "MatchShown",
    "MatchStanding",
    "MovePlayed",
    "MoveRefused",
    "OwnDrawShown",
    "PlayerShown",
    "PlayersListed",
    "Rejected",
    "RoomShown",
    "RoomsListed",
    "Said",
    "SeatDropped",
    "SeatReady",
    "SeatReturned",
    "Seated",
    "TicketClosed",
    "TicketShown",
    "TicketStatus",
    "TournamentCreated",
    "TurnStarted",
    "Unseated",
    "UnseatedWhy",
    "Why",
]


@value
class Accepted:
    """The command was carried out."""


@value
class TournamentCreated(Accepted):
    """A tournament was announced, under this number."""

    number: int


@value
class Rejected:
    """The command was refused, and nothing changed. `facts` fill the sentence that an adapter says."""

    code: Code
    facts: Mapping[str, str] = Factory(dict)


Answer = Accepted | Rejected


class By(StrEnum):
    """The author of a move."""

    PLAYER = "player"
    SERVER = "server"
    CHANCE = "chance"


class EndReason(StrEnum):
    """Why a match ended. `VOID`, no player's fault, and `ABANDONED`, of a practice match, have no loser."""

    PLAYED = "played"
    RESIGNED = "resigned"
    LATE = "late"
    ILLEGAL = "illegal move"
    DROPPED = "dropped"
    ABANDONED = "abandoned"
    VOID = "void"


@value
class MatchPaired:
    """You are seated in a match that begins when everybody has said that they are ready.

    `game` and `options` are the match's; what is played first may be another game, if there are
    several.
    """

    match: int
    game: str
    options: Any
    players: tuple[str, ...]
    seat: int
    turn_time_ms: int | None
    identities: tuple[str, ...] = ()
    """Each player's id in their own protocol; empty for players who are known by their names."""
    ready_by_ms: int | None = None
    """Until when you have to be ready; None while nobody's time runs."""
    match_ids: tuple[str, ...] = ()
    """The ids by which you may call the match; the first is what it is called to both. Empty without a ticket."""


@value
class SeatReady:
    """Somebody is ready for the next game of your match."""

    match: int
    seat: int


@value
class OwnDrawShown:
    """You are ready, and this is your own value of the draw that falls when the others are. Nobody else is told."""

    match: int
    value: int


@value
class MatchOpened:
    """You are seated in a match whose game, the first or a later one by its `number`, begins now.

    `first` is the seat that moves first, `draws` are what chance did before.
    """

    match: int
    game: str
    players: tuple[str, ...]
    seat: int
    first: int
    turn_time_ms: int | None
    number: int = 1
    options: Any = None
    draws: "tuple[MovePlayed, ...]" = ()


@value
class TurnStarted:
    """These seats are to act. A refused move brings the same turn again, with the same deadline."""

    match: int
    turn: int
    seats: tuple[int, ...]
    prompt: str
    deadline_ms: int | None
    release_ms: int = 0


@value
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
    words: str = ""
    """The move as people say it; empty if the game has no other words than `text`."""
    details_words: str = ""
    """The details without what `words` tell."""


@value
class MoveRefused:
    """A move was illegal and costs its player the match. `said` is the move as it was sent, cut to 100 characters."""

    match: int
    seat: int
    player: str
    said: str
    why: str
    release_ms: int = 0


@value
class Why:
    """Why a player lost, in more detail than the `EndReason`.

    `rule` is the rule that an illegal move broke, in the game's words. `turn_time_ms` is what a turn
    may take, and `late_ms` how long after it the move came, if it came at all. `after_restart` if an illegal move was
    the player's first one since the server was started again, when all moves, the own ones too, were told again.
    """

    rule: str = ""
    turn_time_ms: int | None = None
    late_ms: int | None = None
    after_restart: bool = False


@value
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
    number: int = 1
    ready_by_ms: int | None = None
    """Until when to be ready for the next game, where there is one."""
    why: Why | None = None
    """For the player who lost; None where the server is set to keep it back."""

    def result_of(self, seat: int) -> str:
        """The game as a seat has it: `win`, `loss` or `draw`, which a void game is, too."""
        if not self.winners:
            return "draw"
        return "win" if seat in self.winners else "loss"


@value
class MatchEnded:
    """The match is over; its players are free. Follows the `GameEnded` of its last game, if one was being played.

    `points` and `winners` are those of all games together.
    """

    match: int
    reason: EndReason
    points: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()
    by: int | None = None


@value
class SeatDropped:
    """A player of your match lost the connection; the seat stays until `return_by_ms`."""

    match: int
    seat: int
    player: str
    return_by_ms: int


@value
class SeatReturned:
    """A player of your match is back."""

    match: int
    seat: int
    player: str
    ready_by_ms: int | None = None
    """Until when to be ready for the game that the match waits for, from now on."""


@value
class MatchShown:
    """You are back in your seat: the match as it stands, each move as you may see it."""

    match: int
    game: str
    players: tuple[str, ...]
    seat: int
    first: int
    turn_time_ms: int | None
    moves: tuple[MovePlayed, ...]
    number: int = 1
    options: Any = None
    whole: str = ""
    """The match's game, where several are played."""
    whole_options: Any = None
    played: tuple[GameEnded, ...] = ()
    """The games before this one."""
    ready: tuple[int, ...] | None = None
    """Before a game: the seats that are ready for it."""
    identities: tuple[str, ...] = ()
    ready_by_ms: int | None = None
    match_ids: tuple[str, ...] = ()
    """Same as in `MatchPaired`."""
    own_draw: int | None = None
    """Same as in `OwnDrawShown`."""
    away: tuple[tuple[int, int], ...] = ()
    """The seats whose players are away, each with the time until which it is kept."""


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
    | MatchStanding
    | BoardShown
    | Said
)
