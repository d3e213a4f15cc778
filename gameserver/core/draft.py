"""The lobby while one command is decided, the decision that comes of it, and what follows from it.

A `Draft` is what the handlers of `decide` write on: it reads through to the lobby, keeps what is written apart, and
collects what is to be told. So a handler sees what it wrote before, several handlers can be chained, and one that
raises leaves the lobby as it was. A table of it is an `_Overlay`: what was written hides what lies below.

Handlers add follow-ups, which `decide.drain` handles. A follow-up is a value, so what two handlers add is drawn once.
One that is being drawn still counts as waiting: what its handler changes in the same place needs no second look. They
are tuples, which hash without a Python call.
"""

from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from gameserver.core.commands import TimeUp
from gameserver.core.events import Answer, Event
from gameserver.core.lobby import At, Change, LadderRow, Lobby, OpenChallenge, Player, Room, Ticket, TournamentRow
from gameserver.core.match import Match
from gameserver.game import Game
from gameserver.values import value


class MatchFinished(NamedTuple):
    """Follow-up: a match has ended, which a tournament may wait for."""

    match: int


class RoomChanged(NamedTuple):
    """Follow-up: a room's row was written, and more may follow there."""

    room: int


class PlayerAvailable(NamedTuple):
    """Follow-up: a player may have become free for a tournament.

    By coming in, by being ready, by what a tournament keeps.
    """

    player: str


class TournamentChanged(NamedTuple):
    """Follow-up: a tournament's row was written, or one of its players may be free. Matches that can begin now do."""

    tournament: int


class SeekResumed(NamedTuple):
    """Follow-up: a player who looks for an opponent is free to meet one again.

    `held_by` is the row that kept them from it, a match or a tournament, as table and key. Players who are freed by two
    rows in one decision are drawn twice: the second time puts players who still wait at the end of their queue.
    """

    player: str
    held_by: tuple[str, int]


FollowUp = MatchFinished | RoomChanged | PlayerAvailable | TournamentChanged | SeekResumed


class _FollowUps(dict[type[FollowUp], dict[FollowUp, None]]):
    """Consequences to be drawn, by kind, each kind in the order in which it came."""

    __slots__ = ()

    def add(self, follow_up: FollowUp) -> None:
        """Have this drawn before the decision is over, once."""
        self.setdefault(type(follow_up), {})[follow_up] = None


K = TypeVar("K")
V = TypeVar("V")


class _Overlay(Generic[K, V]):
    """One table of a draft: what was written hides what lies below."""

    __slots__ = ("_below", "get", "written")

    def __init__(self, below: dict[K, V]) -> None:
        self._below = below
        self.written: dict[K, V | None] | None = None
        self.get: Callable[[K], V | None] = below.get
        """Gives the row as it stands now. Until something is written, that is the table's own look-up."""

    def __getitem__(self, key: K) -> V:
        row = self.get(key)
        if row is None:
            raise KeyError(key)
        return row

    def __setitem__(self, key: K, row: V | None) -> None:
        written = self.written
        if written is None:
            below, written = self._below.get, {}
            # Not a method: the overlay would hold itself, and every decision would leave work for the collector of
            # garbage. Not a `def` either: its annotations would be worked out anew for every overlay.
            self.written, self.get = written, lambda key: written[key] if key in written else below(key)
        written[key] = row

    def __delitem__(self, key: K) -> None:
        self[key] = None

    def __len__(self) -> int:
        return len(self._below) if self.written is None else sum(1 for _ in self.values())

    def clear(self) -> None:
        """Delete every row."""
        for key in (*self._below, *(self.written or ())):
            self[key] = None

    def values(self) -> Iterator[V]:
        """Every row, in the order of the lobby, new ones last."""
        written = self.written or {}
        for key, row in self._below.items():
            current = written.get(key, row)
            if current is not None:
                yield current
        for key, new in written.items():
            if key not in self._below and new is not None:
                yield new


class _Laid(Generic[K, V]):
    """A draft's overlay of one table, laid when it is first asked for: a decision touches few of them."""

    def __init__(self, table: str) -> None:
        self._table = table

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, draft: Any, owner: type) -> _Overlay[K, V]:
        overlay: _Overlay[K, V] = _Overlay(getattr(draft.lobby, self._table))
        draft.overlays.append((self._table, overlay))
        # From now on the instance's own attribute is found before this descriptor.
        vars(draft)[self._name] = overlay
        return overlay


class _LaidMatches(_Laid[int, Match]):
    """The same for matches. The overlay begins with the one that was written before it was laid."""

    def __get__(self, draft: Any, owner: type) -> _Overlay[int, Match]:
        overlay = super().__get__(draft, owner)
        written, draft.match_written = draft.match_written, None
        if written is not None:
            overlay[written.id] = written
        return overlay


class Draft:
    """The lobby while one command is decided: the changes and deliveries of that decision so far."""

    players = _Laid[str, Player]("players")
    sessions = _Laid[int, str]("sessions")
    queues = _Laid[str, tuple[str, ...]]("queues")
    challenges = _Laid[int, OpenChallenge]("challenges")
    matches = _LaidMatches("matches")
    seated = _Laid[str, int]("seated")
    rooms = _Laid[int, Room]("rooms")
    tickets = _Laid[str, Ticket]("tickets")
    tournaments = _Laid[int, TournamentRow]("tournaments")
    ladders = _Laid[str, LadderRow]("ladders")
    identities = _Laid[str, str]("identities")

    def __init__(self, lobby: Lobby, at: At, *, is_new: bool = False) -> None:
        self.lobby = lobby
        self.at = at
        self.is_new = is_new
        self.overdue: TimeUp | None = None
        self.games = lobby.games
        # Without an overlay: nearly every handler reads this row, and few write it.
        self.server = lobby.server[""]
        """The server's own row."""
        self.overlays: list[tuple[str, _Overlay[Any, Any]]] = []
        """Those that were asked for, by table."""
        self.match_written: Match | None = None
        """A match that was written before anything else of matches: for most moves that is all there is to write."""
        self.deliveries: list[tuple[int, Event]] = []
        self.finished: list[Match] = []
        self.follow_ups = _FollowUps()
        """Consequences to be drawn before the decision is over."""
        self.faults: list[str] = []
        self.dismissed: list[tuple[int, str]] = []
        self.wake: list[int | str] = []

    def write_match(self, match: Match) -> None:
        """Writes a match's next value to the draft of a decision, without an overlay as long as it is alone."""
        # The overlay was laid already: see `_Laid`.
        if "matches" in self.__dict__:
            self.matches[match.id] = match
        else:
            self.match_written = match

    def player_of(self, session: int) -> Player | None:
        """Finds the player who entered by this session, as the draft of a decision has it."""
        name = self.sessions.get(session)
        return None if name is None else self.players.get(name)

    def game_named(self, name: str) -> Game[Any] | None:
        """Finds a game of this server by its name, in any case, for the handler of a command."""
        return self.games.get(name.lower())

    def tell(self, session: int | None, event: Event) -> None:
        """Adds an event for a session to the deliveries of a decision; nobody is reached while a seat is empty."""
        if session is not None:
            self.deliveries.append((session, event))

    def changes(self) -> tuple[Change, ...]:
        """Lists all rows that were written in the draft of a decision, table by table."""
        server, match = self.server, self.match_written
        # Rows are frozen, so the same object is the same row.
        own: tuple[Change, ...] = () if server is self.lobby.server[""] else (("server", "", server),)
        # The usual case: a move changes its match alone.
        if match is not None and not self.overlays:
            return (*own, ("matches", match.id, match))
        if match is not None:
            self.matches  # noqa: B018 - lays the overlay, which takes the match in
        return (
            *own,
            *[
                (table, key, row)
                for table, overlay in self.overlays
                if overlay.written is not None
                for key, row in overlay.written.items()
            ],
        )


@value
class Decision:
    """The outcome of a command: answer, changes and deliveries.

    A rejection changes nothing but a late answer; it may still tell something.
    """

    answer: Answer
    changes: tuple[Change, ...]
    deliveries: tuple[tuple[int, Event], ...]
    finished: tuple[Match, ...] = ()
    faults: tuple[str, ...] = ()
    """Faults of a game's code that cost nobody a match; for the log."""
    dismissed: tuple[tuple[int, str], ...] = ()
    """Sessions whose connections are to be ended, each with what to tell its peer."""
    wake: tuple[int | str, ...] = ()
    """Tournaments that changed, or whose players may have become free, by number, and ladders where a player waits, by
    game: their directors should look at them."""
    overdue: TimeUp | None = None
    """A time-out that has to be decided before the command, which is then to be decided again."""
