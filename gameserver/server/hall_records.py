"""The read model of another hall's records. What is live there is on that hall's own pages."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import trio

from gameserver.game import Game
from gameserver.read_model.halls import Halls
from gameserver.read_model.lobby_view import LobbyView, ReadT, RecordsModel
from gameserver.read_model.replay import MatchReplay
from gameserver.read_model.views import ListenerSummary
from gameserver.records.reader import RecordReader
from gameserver.server.archive import Archive
from gameserver.server.tournament_digests import TournamentDigests
from gameserver.tournaments.podium import Place
from gameserver.tournaments.view import TournamentSummary, TournamentView


class HallRecords:
    """Shows what is on record, in an empty lobby."""

    listeners: tuple[ListenerSummary, ...] = ()
    """Those of this server are not that hall's."""

    def __init__(
        self,
        archive: Archive,
        games: Mapping[str, Game[Any]],
        now_ms: Callable[[], int],
        halls: Halls,
        of_hall: Callable[[str], RecordsModel | None],
    ) -> None:
        self.now_ms = now_ms
        self.halls = halls
        self.of_hall = of_hall
        self._archive = archive
        self._digests = TournamentDigests(archive.reader, archive.off_the_loop)
        self._empty = LobbyView(version=0, now_ms=0, games=tuple(game.name for game in games.values()))

    async def look(self, *, exact: bool = False) -> LobbyView:
        """An empty lobby that knows the installed games."""
        await trio.lowlevel.checkpoint()
        return self._empty

    async def read(self, look_up: Callable[[RecordReader], ReadT]) -> ReadT:
        """Look something up in the records."""
        return await self._archive.read(look_up)

    async def tournament(self, number: int, *, exact: bool = False) -> TournamentView | None:
        """A tournament as it is on record."""
        return await self._archive.tournament(number)

    async def current_tournaments(self) -> tuple[TournamentSummary, ...]:
        """None: the other hall keeps its own."""
        await trio.lowlevel.checkpoint()
        return ()

    async def places(self, numbers: Sequence[int]) -> Mapping[int, tuple[Place, ...]]:
        """The final places of tournaments that are over."""
        return {number: await self._digests.places((), number) for number in numbers}

    async def match_replay(self, match: int) -> MatchReplay | None:
        """A match on record."""
        return await self._archive.match_replay(match)

    async def match_file(self, match: int, ending: str) -> str | None:
        """A finished match as a file."""
        return await self._archive.match_file(match, ending)
