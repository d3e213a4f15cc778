"""Events of players, games, rooms, tickets and challenges: everything that comes before a match.

Part of `gameserver.core.messages.events`, from where everything here is imported.
"""

from enum import StrEnum

from gameserver.values import value


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
    """You have a place in a room. `opponent` sat there before you; nobody hears of players who come later."""

    room: int
    opponent: str | None


@value
class Unseated:
    """You no longer have a place in the room; these are the rooms."""

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
    """A ticket of yours. Told when it is taken out, when its player arrives, and when its opponent changes.

    `match` is set once it is seated.
    """

    ticket: str
    status: TicketStatus
    game: str
    opponent: str | None = None
    opponent_identity: str = ""
    """Empty until the opponent has come: nobody is told of a player who may never come."""
    match: int | None = None
    public_id: str = ""
    """The match's id for both players, where that is not the id of this ticket."""


@value
class TicketClosed:
    """Your ticket has led to nothing and is gone."""

    ticket: str


@value
class Displaced:
    """You have come in by another connection; this one is to end."""


@value
class ChallengeOpened:
    """You are challenged. `seat` is yours where the challenger has chosen one of two; None is drawn by lot."""

    number: int
    challenger: str
    game: str
    turn_time_ms: int
    seat: int | None = None


@value
class ChallengeClosed:
    """A challenge to you is no longer open. The player who accepts one is not told this of it."""

    number: int


@value
class Said:
    """A chat line to you."""

    sender: str
    text: str
