"""Makes the adapters of new connections, each with the context that tells it of the server."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial

import structlog
from attrs import asdict, define, field

from gameserver.authentication.names import RollCaller
from gameserver.authentication.roster import ADMIN_TOKEN
from gameserver.authentication.secret_queue import SecretQueue
from gameserver.database.connection import DatabaseError
from gameserver.http.host_context import HostContext, HttpDate
from gameserver.http.own_names import OwnNames
from gameserver.protocol import Adapter, Context, PastMatch, Peer, RecordsAway, WireProtocol
from gameserver.read_model.views import Attack
from gameserver.records.reader import Wanted
from gameserver.server.built_guides import built_guide
from gameserver.server.live_read_model import LiveReadModel
from gameserver.server.pages_url import pages_url
from gameserver.server.setup import Setup
from gameserver.transport.listener import Listening
from gameserver.wire_log.files import WireLog
from gameserver.wire_log.recording_adapter import RecordingAdapter

log = structlog.get_logger()


@define
class AdapterFactory:
    """Makes adapters. `now_ms` is the server's axis of time."""

    _setup: Setup
    _read_model: LiveReadModel
    _wire_log: WireLog
    _now_ms: Callable[[], int]
    _secret_queue: SecretQueue
    own_names: OwnNames = field(init=False)
    _game_names: tuple[str, ...] = field(init=False)
    _guides: dict[str, str] = field(init=False)
    _aliases: dict[str, str] = field(init=False)
    _roll_caller: RollCaller = field(init=False)
    _http_date: HttpDate = field(init=False)
    _contexts: dict[tuple[int, str], Context] = field(factory=dict, init=False)
    """A context for each listener and address of this machine, shared by the connections there."""
    _records_are_away: bool = field(default=False, init=False)
    """True if the last lookup failed. Clients may ask again at once, so only the first failure is logged."""

    def __attrs_post_init__(self) -> None:
        self.own_names = OwnNames(self._setup.hall.url, lambda: self._setup.wall_ms() / 1000)
        self._roll_caller = RollCaller(self._setup.roster)
        self._http_date = HttpDate(self._setup.wall_ms)
        games = self._setup.games.values()
        self._game_names = tuple(sorted(game.name for game in games))
        self._guides = {game.name: game.guide for game in games if game.guide}
        self._aliases = {alias: game.name for game in games for alias in game.aliases}

    def adapter(self, listening: Listening, peer: Peer) -> Adapter:
        """The adapter of a new connection, recorded in the wire log if there is one. Raises what protocols raise."""
        protocol = listening.protocol
        key = (id(listening), peer.reached)
        context = self._contexts.get(key)
        if context is None:
            context = self._contexts[key] = self._context(listening, peer.reached)
        adapter = protocol.adapter(peer, context)
        return adapter if protocol.carries_others else self._recorded(adapter, peer, protocol)

    def _context(self, listening: Listening, reached: str) -> Context:
        limits = self._setup.limits
        url = pages_url(self._read_model.listeners, reached)
        own = Context(
            profile=listening.profile,
            options=listening.options,
            games=self._game_names,
            line_bytes_max=limits.line_bytes_max,
            guides=self._guides,
            built_guide=self._built_guide,
            aliases=self._aliases,
            login_timeout_s=limits.login_timeout_s,
            new_id=self._setup.new_id,
            date_at=self._date_at,
            last_match_of=self._last_match_of,
            own_page_of=partial(self._own_page_of, url),
            pages_url=url,
        )
        if not listening.protocol.carries_others:
            return own
        return HostContext(
            **asdict(own, recurse=False),
            options_of=self._setup.options_of,
            recorded=self._recorded,
            http_date=self._http_date,
            read_model=self._read_model,
            student_ids=self._setup.roster.student_ids,
            students=self._setup.roster.students,
            roll_call=self._roll_caller.call,
            attacks=self._attacks,
            own_names=self.own_names,
            wrong_token=self._wrong_token,
            wire_log_of=self._wire_log.read,
        )

    def _own_page_of(self, url: str, player: str, session: int) -> str:
        return f"{url}/own?link={self._read_model.token_of(player, session)}" if url else ""

    async def _last_match_of(self, player: str) -> PastMatch | None:
        try:
            heads = await self._read_model.read(lambda reader: reader.heads(Wanted(player=player, count=1)))
        except DatabaseError as error:
            if not self._records_are_away:
                log.warning("players are not told of their last match: the records cannot be read", why=str(error))
            self._records_are_away = True
            raise RecordsAway from error
        self._records_are_away = False
        if not heads:
            return None
        head = heads[0]
        own = next(seat for seat in head.seats if seat.player == player)
        others = tuple(seat.player for seat in head.seats if seat is not own)
        return PastMatch(head.match, head.game, others, own.result.value)

    def _built_guide(self, name: str) -> str:
        game = self._setup.games.get(name.lower())
        return "" if game is None else built_guide(game)

    def _recorded(self, adapter: Adapter, peer: Peer, protocol: WireProtocol) -> Adapter:
        adapter = self._setup.around(adapter, peer, protocol)
        return RecordingAdapter.around(adapter, peer, protocol, self._wire_log) if self._wire_log.is_on else adapter

    def _attacks(self) -> Sequence[Attack]:
        return self._setup.roster.throttle.under_attack(self._setup.wall_ms())

    async def _wrong_token(self, address: str, session: int) -> None:
        self._setup.roster.throttle.note(ADMIN_TOKEN, address)
        self._read_model.released()  # the teacher is shown it
        await self._secret_queue.turn(ADMIN_TOKEN, address, session)

    def _date_at(self, axis_ms: int) -> str:
        wall_ms = self._setup.wall_ms() + axis_ms - self._now_ms()
        return datetime.fromtimestamp(wall_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
