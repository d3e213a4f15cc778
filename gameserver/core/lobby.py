"""The lobby as a value, and a draft of its next value.

`Lobby` holds tables of frozen rows. Nobody changes it but `apply`, with the changes of a decision.
`Draft` is what the handlers of `decide` write on: it reads through to the lobby, keeps what is
written apart, and collects what is to be told. So a handler sees what it wrote before, several
handlers can be chained, and one that raises leaves the lobby as it was.

Tables are dicts and keep the order in which rows came; nothing iterates a set, so the same commands
give the same lobby in any process.
"""

from collections.abc import Mapping
from typing import Any

from attrs import Factory, define, field

from gameserver.core.commands import ChallengeTimeUp, HousePlayer, TableTimeUp, TicketTimeUp, TimeUp, TournamentTimeUp
from gameserver.core.events import Answer, Event
from gameserver.core.match import Match
from gameserver.core.overlay import Laid, Overlay
from gameserver.core.table import Table
from gameserver.core.ticket import Ticket
from gameserver.core.ticket_lookup import seat_named, ticket_named
from gameserver.core.tournament import TournamentRow
from gameserver.game import Game
from gameserver.policies import Rules
from gameserver.values import frozen


@frozen
class At:
    """The time of a decision, and the time at which the bytes of its command were read.

    A command is judged (in time or late) by `stamp_ms`; what it starts begins at `now_ms`. Both are
    on the server's axis. `wall_ms` is the time of day, in milliseconds since 1970: it goes into
    records and decides nothing.
    """

    now_ms: int
    stamp_ms: int
    wall_ms: int = 0


@frozen(slots=False)
class Player:
    """Somebody who is in the lobby now."""

    name: str
    session: int
    protocol: str
    address: str
    carries: tuple[str, ...]
    match: int | None = None
    seek: str | None = None
    """The game looked for. During a match it waits; in the queue of that game otherwise."""
    challenge: int | None = None
    """The number of the challenge this player has made."""
    table: int | None = None
    """The table at which this player has a place."""
    is_proven: bool = False
    """Whether a secret has shown who it is."""

    @property
    def is_listed(self) -> bool:
        """Whether others can do something with this player: it can be challenged, if only at a table."""
        return "challenge" in self.carries or self.table is not None


@frozen
class OpenChallenge:
    """One player's request to another."""

    number: int
    challenger: str
    to: str
    game: str
    turn_time_ms: int | None
    due_ms: int | None = None
    """When the house accepts it; None for a challenge to a player."""


@frozen(slots=False)
class Server:
    """What belongs to the server as a whole. It has no journal row of its own before the first start."""

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
    """When the server stops at the latest; None as long as it is not to stop."""

    @property
    def drains(self) -> bool:
        """Whether no new match begins."""
        return self.stop_by_ms is not None


Timed = tuple[str, int | str]
"""A row at which something happens by itself some day: its table, and its key."""

TIMED_TABLES = frozenset({"matches", "tables", "tickets", "tournaments", "challenges"})

TimedCommand = TimeUp | TableTimeUp | TicketTimeUp | TournamentTimeUp | ChallengeTimeUp
TimedRow = Match | Table | Ticket | TournamentRow | OpenChallenge


def time_up_of(timed: Timed, quiet: tuple[int, ...] | None = None) -> TimedCommand:
    """The command that says that something is due there; `quiet` as in `TimeUp`."""
    table, key = timed
    if table == "matches" and isinstance(key, int):
        return TimeUp(key, quiet=quiet)
    command: TimedCommand = _TIME_UP[table](key)
    return command


_TIME_UP: Mapping[str, Any] = {
    "tables": TableTimeUp,
    "tickets": TicketTimeUp,
    "tournaments": TournamentTimeUp,
    "challenges": ChallengeTimeUp,
}

Change = tuple[str, Any, Any]
"""Table, key, new row; None deletes the row."""


@define
class Lobby:
    """Everybody and everything that is live. Finished matches are in the records, not here."""

    games: Mapping[str, Game[Any]]
    """By name in lower case. Not part of the value: the plug-ins found at this start."""
    server: dict[str, Server] = field(factory=lambda: {"": Server()})
    players: dict[str, Player] = field(factory=dict)
    sessions: dict[int, str] = field(factory=dict)
    queues: dict[str, tuple[str, ...]] = field(factory=dict)
    """For each game, who waits for an opponent and is free to play, first come first."""
    challenges: dict[int, OpenChallenge] = field(factory=dict)
    matches: dict[int, Match] = field(factory=dict)
    seated: dict[str, int] = field(factory=dict)
    """The match in which a player holds a seat, whether they are here or away."""
    tables: dict[int, Table] = field(factory=dict)
    tickets: dict[str, Ticket] = field(factory=dict)
    tournaments: dict[int, TournamentRow] = field(factory=dict)

    def due_ms(self, timed: Timed) -> int | None:
        """When the next thing happens at a row by itself; None if nothing does, or the row is gone."""
        table, key = timed
        row: TimedRow | None = getattr(self, table).get(key)
        return None if row is None else row.due_ms

    def awaited(self, timed: Timed) -> tuple[int, ...]:
        """The sessions that the next thing there is about: who is to act, sits at the table, or has the ticket."""
        table, key = timed
        row: TimedRow | None = getattr(self, table).get(key)
        found: tuple[int | None, ...] = ()
        if isinstance(row, Match):
            found = row.awaited_sessions
        elif isinstance(row, Table):
            players = (self.players.get(place.player) for place in row.places)
            found = tuple(player.session for player in players if player is not None and player.table == row.number)
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


class Draft:
    """What one decision has changed and told so far."""

    server_rows = Laid[str, Server]("server")
    players = Laid[str, Player]("players")
    sessions = Laid[int, str]("sessions")
    queues = Laid[str, tuple[str, ...]]("queues")
    challenges = Laid[int, OpenChallenge]("challenges")
    matches = Laid[int, Match]("matches")
    seated = Laid[str, int]("seated")
    tables = Laid[int, Table]("tables")
    tickets = Laid[str, Ticket]("tickets")
    tournaments = Laid[int, TournamentRow]("tournaments")

    def __init__(self, lobby: Lobby, at: At) -> None:
        self.lobby = lobby
        self.at = at
        self.games = lobby.games
        self.overlays: list[tuple[str, Overlay[Any, Any]]] = []
        """Those that were asked for, by table."""
        self.deliveries: list[tuple[int, Event]] = []
        self.finished: list[Match] = []
        self.freed: list[str] = []
        """Who came out of a match, and may look for the next one."""
        self.called: list[str] = []
        """Who may have become free for a tournament otherwise: by coming in, by being ready."""
        self.conducted: list[int] = []
        """Tournaments in which something changed."""
        self.unsettled: list[int] = []
        """Tables at which something changed, from which more may follow."""
        self.faults: list[str] = []
        self.dismissed: list[tuple[int, str]] = []

    @property
    def server(self) -> Server:
        """The server's own row."""
        return self.server_rows[""]

    @server.setter
    def server(self, server: Server) -> None:
        self.server_rows[""] = server

    def player_of(self, session: int) -> Player | None:
        """The player who entered by this session."""
        name = self.sessions.get(session)
        return None if name is None else self.players.get(name)

    def game_named(self, name: str) -> Game[Any] | None:
        """A game by its name, in any case."""
        return self.games.get(name.lower())

    def tell(self, session: int | None, event: Event) -> None:
        """Deliver an event; nobody is reached while a seat is empty."""
        if session is not None:
            self.deliveries.append((session, event))

    def changes(self) -> tuple[Change, ...]:
        """Everything that was written, table by table."""
        return tuple(
            [
                (table, key, row)
                for table, overlay in self.overlays
                if overlay.written is not None
                for key, row in overlay.written.items()
            ]
        )


@frozen
class Decision:
    """What a command led to. A rejection has no changes, but for that of a late answer; it may still tell something."""

    answer: Answer
    changes: tuple[Change, ...]
    deliveries: tuple[tuple[int, Event], ...]
    finished: tuple[Match, ...] = ()
    faults: tuple[str, ...] = ()
    """What a game's code did wrong without costing anybody a match; for the log."""
    dismissed: tuple[tuple[int, str], ...] = ()
    """Sessions whose connections are to be ended, each with what to tell its peer."""
