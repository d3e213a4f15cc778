"""Keeps this server's view of all halls fresh: it tells of its own hall every two seconds, and hears of all.

Pages read what was heard last, so however many look, the database is asked once. With a data file there is one hall,
and nothing to ask.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import structlog
import trio

from gameserver.game import Game
from gameserver.halls import HallSettings
from gameserver.read_model.halls import HallView, hall_view
from gameserver.read_model.lobby_view import ReadModel
from gameserver.records.reader import DirectoryError, HallDirectory, HallNews, HallSeen
from gameserver.server.archive import Archive
from gameserver.server.hall_records import HallRecords

EXCHANGE_EVERY_S = 2.0
AT_ONCE_MAX = 2
"""Threads that read the records of one hall."""

log = structlog.get_logger()


class LiveHalls:
    """All halls, as they were heard of last. `directory` is None where there is only this one."""

    def __init__(
        self,
        directory: HallDirectory | None,
        settings: HallSettings,
        games: Mapping[str, Game[Any]],
        now_ms: Callable[[], int],
        *,
        threads: bool = True,
    ) -> None:
        self.own = settings.name
        self.others: tuple[str, ...] = ()
        self.url = settings.url
        self._directory = directory
        self._games = games
        self._now_ms = now_ms
        self._views: Mapping[str, HallView] = {}
        """The other halls by name."""
        self._records: dict[str, HallRecords] = {}
        self._is_cut_off = False
        self._threads = threads

    def view_of(self, name: str) -> HallView | None:
        """Another hall, as it was heard of last."""
        return self._views.get(name)

    def views(self, own: HallNews) -> tuple[HallView, ...]:
        """All halls in the order of their names."""
        views = {**self._views, self.own: hall_view(HallSeen(own, "", 0.0), is_here=True)}
        return tuple(views[name] for name in sorted(views))

    def of_hall(self, name: str) -> HallRecords | None:
        """The records of another hall."""
        if self._directory is None or name not in self._views:
            return None
        if name not in self._records:
            limiter = trio.CapacityLimiter(AT_ONCE_MAX) if self._threads else None
            archive = Archive(self._directory.reader(name), self._games, limiter)
            self._records[name] = HallRecords(archive, self._games, self._now_ms, self, self.of_hall)
        return self._records[name]

    async def run(self, read_model: ReadModel, changed: Callable[[], None]) -> None:
        """Exchange news for ever; `changed` is called when those of another hall have."""
        if self._directory is None:
            return
        while True:
            news = (await read_model.look()).news(self.own, self.url)
            try:
                exchange = partial(self._directory.exchange, news)
                # A server that stops does not wait for a database that is away.
                threaded = partial(trio.to_thread.run_sync, exchange, abandon_on_cancel=True)
                heard = await threaded() if self._threads else exchange()
            except DirectoryError as error:
                self._cut_off(str(error))
            else:
                self._is_cut_off = False
                if self._hear(heard):
                    changed()
            await trio.sleep(EXCHANGE_EVERY_S)

    def close(self) -> None:
        """Let go of the database."""
        if self._directory is not None:
            self._directory.close()

    def _hear(self, heard: Sequence[HallSeen]) -> bool:
        """Take the news of all halls in; True if another hall's differ from before."""
        views = {one.news.name: hall_view(one) for one in heard if one.news.name != self.own}
        if views == self._views:
            return False
        self._views, self.others = views, tuple(sorted(views))
        return True

    def _cut_off(self, why: str) -> None:
        """Say once that the halls do not hear of each other."""
        if not self._is_cut_off:
            log.warning("the other halls cannot be heard of; pages show what was heard last", why=why)
        self._is_cut_off = True
