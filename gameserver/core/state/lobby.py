"""The lobby as a value: tables of frozen rows, which nobody changes but `apply`, with the changes of a decision.

Tables are dicts and keep the order in which rows came; nothing iterates a set, so the same commands give the
same lobby in any process. `core.state.draft` has the lobby while one command is decided.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import Factory, define, field

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import (
    ChallengeTimeUp,
    HousePlayer,
    RoomTimeUp,
    TicketTimeUp,
    TimeUp,
    TournamentTimeUp,
)
from gameserver.core.messages.events import PlayerShown, PlayersListed
from gameserver.core.state.match import Match
from gameserver.core.state.room import Room
from gameserver.core.state.ticket import Ticket
from gameserver.core.state.ticket_lookup import seat_named, ticket_named
from gameserver.core.state.tournament import TournamentRow
from gameserver.game import Game
from gameserver.policies import Rules
from gameserver.values import value

Change = tuple[str, Any, Any]
"""Table, key, new row; None deletes the row."""


@value
class At:
    """The time of a decision, and the time at which the bytes of its command were read.

    A command is judged (in time or late) by `stamp_ms`; what it starts begins at `now_ms`. Both are
    on the server's axis. `wall_ms` is the time of day, in milliseconds since 1970: it goes into
    records and decides nothing.
    """

    now_ms: int
    stamp_ms: int
    wall_ms: int = 0


@value(slots=False)
class Player:
    """A player who is in the lobby now."""

    name: str
    session: int
    protocol: str
    address: str
    capabilities: tuple[Capability, ...]
    match: int | None = None
    seek: str | None = None
    """The game looked for. During a match it waits; in the queue of that game otherwise."""
    seek_turn_time_ms: int | None = None
    """The time for a turn that the player would like at the game looked for; None for the server's own."""
    challenge: int | None = None
    """The number of the challenge this player has made."""
    room: int | None = None
    """The number of the room in which this player has a place."""
    is_proven: bool = False
    """True if a secret has shown who it is."""
    identity: str = ""
    """The identity that the player has come in with by a ticket; empty for one who logged in by the name."""
    key: str = field(default="", repr=False)
    """As in `Enter`."""
    late_answer_until_ms: int = 0
    """The latest time until which a question waits for an answer that is owed to an ended match. If it has passed, the
    player is not waited for until a move of theirs counts. 0: none is owed."""

    @property
    def sits(self) -> bool:
        """True if the player sat down in a room by themselves, and so looks for an opponent only there."""
        return self.room is not None and Capability.ROOMS in self.capabilities

    @property
    def is_listed(self) -> bool:
        """True if others can challenge this player, if only in a room."""
        return Capability.CHALLENGE in self.capabilities or self.room is not None


@value
class KnownIdentity:
    """An identity and the name that the server made of it. The name stays with it, as results are kept by name."""

    name: str
    identity: str


@value
class OpenChallenge:
    """One player's request to another."""

    number: int
    challenger: str
    to: str
    game: str
    turn_time_ms: int | None
    due_ms: int | None = None
    """The time at which the house accepts it; None for a challenge to a player."""
    seat: int | None = None
    """The seat that the challenger wants; None leaves it to the lot."""

    @property
    def names(self) -> tuple[str, str]:
        """The two players: in the order of their seats if one was chosen."""
        return (self.to, self.challenger) if self.seat == 1 else (self.challenger, self.to)


@value(slots=False)
class ServerState:
    """The state of the server as a whole. It has no journal row of its own before the first start."""

    boot: int = 0
    seed: str = field(default="", repr=False)
    rules: Rules = Factory(Rules)
    house: tuple[HousePlayer, ...] = ()
    games: Mapping[str, int] = Factory(dict)
    """The versions of the games at the last start: what is replayed was decided by them."""
    next_match: int = 1
    next_challenge: int = 0
    next_tournament: int = 1
    stop_by_ms: int | None = None
    """The latest time at which the server stops; None unless it is about to."""

    @property
    def drains(self) -> bool:
        """True if no new match begins."""
        return self.stop_by_ms is not None


Timed = tuple[str, int | str]
"""A row with something due at a time, or that may have: its table, and its key."""

TIMED_TABLES = frozenset({"matches", "rooms", "tickets", "tournaments", "challenges"})

TimedCommand = TimeUp | RoomTimeUp | TicketTimeUp | TournamentTimeUp | ChallengeTimeUp
TimedRow = Match | Room | Ticket | TournamentRow | OpenChallenge


def time_up_of(timed: Timed, quiet: tuple[int, ...] | None = None) -> TimedCommand:
    """The command that says that something is due there; `quiet` as in `TimeUp`."""
    table, key = timed
    if table == "matches" and isinstance(key, int):
        return TimeUp(key, quiet=quiet)
    command: TimedCommand = _TIME_UP[table](key)
    return command


_TIME_UP: Mapping[str, Any] = {
    "rooms": RoomTimeUp,
    "tickets": TicketTimeUp,
    "tournaments": TournamentTimeUp,
    "challenges": ChallengeTimeUp,
}


@define
class PlayerList:
    """The list of players that was asked for last. It is long, and waiting clients ask again and again."""

    here: Sequence[Player] = ()
    house: Sequence[HousePlayer] = ()
    event: PlayersListed = field(factory=lambda: PlayersListed(()))

    def of(self, here: Sequence[Player], house: Sequence[HousePlayer]) -> PlayersListed:
        """The same list again for the same players. To compare takes little: most rows are the same objects."""
        if here != self.here or house != self.house:
            people = [PlayerShown(player.name, player.protocol, match=player.match) for player in here]
            computed = [PlayerShown(player.name, "house", house=True, games=player.games) for player in house]
            listed = [shown for shown, player in zip(computed, house, strict=True) if player.is_listed]
            unlisted = [shown for shown, player in zip(computed, house, strict=True) if not player.is_listed]
            self.here, self.house = here, house
            self.event = PlayersListed((*people, *listed), tuple(unlisted))
        return self.event


@define
class Lobby:
    """Everybody and everything that is live. Finished matches are in the records, not here."""

    games: Mapping[str, Game[Any]]
    """By name in lower case. Not part of the value: the plug-ins found at this start."""
    server: dict[str, ServerState] = field(factory=lambda: {"": ServerState()})
    players: dict[str, Player] = field(factory=dict)
    sessions: dict[int, str] = field(factory=dict)
    queues: dict[str, tuple[str, ...]] = field(factory=dict)
    """For each game, the players who wait for an opponent and are free to play, first come first served."""
    challenges: dict[int, OpenChallenge] = field(factory=dict)
    matches: dict[int, Match] = field(factory=dict)
    seated: dict[str, int] = field(factory=dict)
    """The match in which a player holds a seat, whether they are here or away."""
    rooms: dict[int, Room] = field(factory=dict)
    tickets: dict[str, Ticket] = field(factory=dict)
    tournaments: dict[int, TournamentRow] = field(factory=dict)
    identities: dict[str, KnownIdentity] = field(factory=dict)
    """The identities that the server has given a name, by that name; the oldest are forgotten."""
    player_list: PlayerList = field(factory=PlayerList, init=False, eq=False, repr=False)
    """A cache that is derived from the value and is no part of it."""

    def due_ms(self, timed: Timed) -> int | None:
        """The time of the next thing that happens at a row by itself; None if nothing does, or the row is gone."""
        table, key = timed
        row: TimedRow | None = getattr(self, table).get(key)
        return None if row is None else row.due_ms

    def awaited(self, timed: Timed) -> tuple[int, ...]:
        """The sessions of the players whom a row's next thing is about, such as the ones who are to act."""
        table, key = timed
        row: TimedRow | None = getattr(self, table).get(key)
        found: tuple[int | None, ...] = ()
        if isinstance(row, Match):
            found = row.awaited_sessions
        elif isinstance(row, Room):
            players = (self.players.get(place.player) for place in row.places)
            found = tuple(player.session for player in players if player is not None and player.room == row.number)
        elif isinstance(row, Ticket):
            found = (row.session,)
        return tuple(session for session in found if session is not None)

    def player_with(self, ticket: str, identity: str) -> str:
        """The name of the player who means a ticket, or the seat that it led to, by this id; empty if nobody does."""
        waiting = ticket_named(self, ticket, identity)
        if waiting is not None:
            return waiting.player
        found = seat_named(self, ticket, identity)
        return "" if found is None else found[0].seats[found[1]].player

    def apply(self, changes: tuple[Change, ...]) -> None:
        """Take over the changes of one decision."""
        for table, key, row in changes:
            rows = getattr(self, table)
            if row is None:
                rows.pop(key, None)
            else:
                rows[key] = row
