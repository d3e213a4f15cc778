"""The answer to `get match` for a player who is in none: the last one, from the records.

The records are on disk, so this is work beside the connection. Until its answer is there no further
line is taken, because answers keep their order.
"""

from collections.abc import Callable

from attrs import define

from gameserver.protocol import PastMatch, RecordsAway, Reply, Work
from protocols.strategic import rendering
from protocols.strategic.session import StrategicSession

NO_MATCH = "You have not played any match yet; subscribe <game> finds an opponent"
RECORDS_AWAY = "Matches on record cannot be looked up now; ask again in a moment"


@define
class LastMatch:
    """One look-up, from the question to the answer: `next` is the session's follow-up until it gives the answer."""

    _session: StrategicSession
    _player: str
    _has_begun: bool = False
    _answer: bytes | None = None

    def next(self) -> Work | Reply | None:
        """The work, then nothing while it is done, then the answer."""
        if not self._has_begun:
            self._has_begun = True
            return Work(self._look_up)
        if self._answer is None:
            return None
        self._session.follow_up = None
        return Reply(self._answer)

    async def _look_up(self, _wake: Callable[[], None]) -> None:
        try:
            self._answer = self._told(await self._session.last_match_of(self._player))
        except RecordsAway:
            self._answer = rendering.err(RECORDS_AWAY)

    def _told(self, past: PastMatch | None) -> bytes:
        if past is None:
            return rendering.err(NO_MATCH)
        return rendering.OK + rendering.past_match_line(past, self._player, self._session)
