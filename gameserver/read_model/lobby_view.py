"""How somebody comes to see what everybody may see: the gallery, as a handler of the HTTP listener is given it.

        async def lobby_page(request: Request) -> Response:
            showing = await gallery_of(request).look()
            return HTMLResponse(page_of(showing.players, showing.matches))

What it shows is always in the journal: a page shows nothing that a crash could take back.
"""

from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from typing import Protocol, TypeVar

from attrs import field, frozen

from gameserver.core.messages.commands import HousePlayer
from gameserver.core.state.lobby import OpenChallenge, Player
from gameserver.core.state.match import Match
from gameserver.core.state.room import Room
from gameserver.core.state.ticket import Ticket
from gameserver.core.state.tournament import TournamentRow
from gameserver.endpoints import LOBBY_KEY, HasScope
from gameserver.policies import Rules
from gameserver.read_model import live
from gameserver.read_model.metrics import ServerMetrics
from gameserver.read_model.replay import MatchReplay
from gameserver.read_model.views import (
    BoardView,
    HousePlayerSummary,
    ListenerSummary,
    MatchSummary,
    OfferSummary,
    PlayerSummary,
)
from gameserver.records.reader import RecordReader
from gameserver.tournaments.output.view import TournamentSummary, TournamentView, tournament_summary

ReadT = TypeVar("ReadT")


@frozen(eq=False)
class LobbyView:
    """The lobby at one moment. Its rows are the lobby's own and hold secrets: they are looked at only from here."""

    version: int
    """Rises with every change."""
    now_ms: int
    games: tuple[str, ...] = ()
    _players: tuple[Player, ...] = field(default=(), repr=False)
    _house: tuple[HousePlayer, ...] = field(default=(), repr=False)
    _matches: Mapping[int, Match] = field(factory=dict, repr=False)
    _queues: Mapping[str, tuple[str, ...]] = field(factory=dict, repr=False)
    _challenges: tuple[OpenChallenge, ...] = field(default=(), repr=False)
    _tables: tuple[Room, ...] = field(default=(), repr=False)
    _tickets: tuple[Ticket, ...] = field(default=(), repr=False)
    _tournaments: tuple[TournamentRow, ...] = field(default=(), repr=False)
    _rules: Rules = field(factory=Rules, repr=False)
    _tell: Callable[[Match], MatchReplay] = field(default=live.match_replay_of, repr=False)

    @cached_property
    def players(self) -> tuple[PlayerSummary, ...]:
        """Everybody who is here, in the order of their coming."""
        return tuple(map(live.player_summary, self._players))

    @cached_property
    def house(self) -> tuple[HousePlayerSummary, ...]:
        """The house players."""
        return tuple(map(live.house_player_summary, self._house))

    @cached_property
    def matches(self) -> tuple[MatchSummary, ...]:
        """The live matches, the latest first."""
        return tuple(live.match_summary(match) for match in reversed(tuple(self._matches.values())))

    @cached_property
    def offers(self) -> tuple[OfferSummary, ...]:
        """What is open."""
        return live.offers(self._queues, self._challenges, self._tables, self._tickets, self._rules.table_game)

    @cached_property
    def tournaments(self) -> tuple[TournamentSummary, ...]:
        """The tournaments, the latest first."""
        return tuple(
            tournament_summary(row.state, number=row.number, ran_ms=row.has_run_ms(self.now_ms), now_ms=self.now_ms)
            for row in reversed(self._tournaments)
        )

    def has_tournament(self, number: int) -> bool:
        """True if there is a tournament of this number."""
        return any(row.number == number for row in self._tournaments)

    def tournament_mark(self, number: int) -> object:
        """A value that changes whenever that tournament does, or one of its matches."""
        row = next((row for row in self._tournaments if row.number == number), None)
        matches = () if row is None else tuple(pairing.match or 0 for pairing in row.state.open)
        return (row, tuple(map(self._matches.get, matches)))

    def match(self, number: int) -> MatchReplay | None:
        """A live match as spectators see it; None where there is none of this number."""
        row = self._matches.get(number)
        return None if row is None else self._tell(row)

    def board(self, number: int) -> BoardView | None:
        """The present board of a live match, without what came before: for pages of many boards."""
        row = self._matches.get(number)
        return None if row is None else live.present_board(row)

    def mark_of(self, number: int) -> object:
        """A value that changes whenever that match does; None while there is none of this number."""
        return self._matches.get(number)


Select = Callable[[LobbyView], object]
"""What of the lobby somebody watches, as a value that is equal while nothing of it has changed."""


class ReadModel(Protocol):
    """The gallery."""

    metrics: ServerMetrics
    """What the server has done since its start."""
    listeners: tuple[ListenerSummary, ...]
    """Where each protocol is spoken."""

    def now_ms(self) -> int:
        """The server's clock."""

    async def look(self) -> LobbyView:
        """The lobby as it stands."""

    async def change(self, topic: Hashable, select: Select, seen: int) -> LobbyView:
        """Wait until what `select` picks has changed since the version `seen`, and for one's turn.

        All who watch the same `topic` share one `select`. Viewers are let in a few at a time, so
        that many of them cost a match nothing: each comes to see the latest, and may miss what was before.
        """

    async def read(self, look_up: Callable[[RecordReader], ReadT]) -> ReadT:
        """Look something up in the records, off the event loop."""

    async def tournament(self, number: int) -> TournamentView | None:
        """A tournament as everybody may see it, of the lobby or on record; worked out in a thread: it takes a while."""

    keeps_wire_logs: bool
    """True if what is said on connections is kept for their players."""

    async def own_wire_log(self, player: str, secret: str, session: int, address: str) -> str:
        """The wire log of who shows the player's secret, by the session of a request. Raises `NotShown`."""

    async def match_replay(self, match: int) -> MatchReplay | None:
        """A match, live or on record; None where there never was one."""


def read_model_of(request: HasScope) -> ReadModel:
    """The read model, for a handler that is given a Starlette request."""
    read_model: ReadModel = request.scope[LOBBY_KEY].read_model
    return read_model
