"""Makes the adapters of new connections, each with the context that tells it of the server.

The context has a guide for each game that brings none, and the URL of the pages as the peer reaches them.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any

import structlog
from attrs import asdict, define, field

from gameserver.authentication.names import roll_call
from gameserver.authentication.roster import ADMIN_TOKEN
from gameserver.authentication.secret_queue import SecretQueue
from gameserver.database.connection import DatabaseError
from gameserver.game import Game, Seat, State
from gameserver.http.host_context import HostContext, http_date
from gameserver.http.own_names import OwnNames
from gameserver.protocol import Adapter, Context, PastMatch, Peer, RecordsAway, WireProtocol
from gameserver.read_model.views import Attack
from gameserver.records.reader import Wanted
from gameserver.server.invitation import pages_url
from gameserver.server.live_read_model import LiveReadModel
from gameserver.server.setup import Setup
from gameserver.transport.listener import Listening
from gameserver.wire_log.files import WireLog
from gameserver.wire_log.recording_adapter import RecordingAdapter

# Judgement: about two lines of a terminal.
_MOVES_SHOWN_MAX = 16
# A game of a third party may draw for ever.
_DRAWS_MAX = 100
"""Draws before the first turn; a game that asks for more is shown without moves."""

LOSES = "An illegal move loses a match between text players. In a match with players of other protocols it is refused."

log = structlog.get_logger()


@define
class AdapterFactory:
    """Makes the protocol adapters of new connections. `now_ms` is the server's axis of time."""

    _setup: Setup
    _read_model: LiveReadModel
    _wire_log: WireLog
    _now_ms: Callable[[], int]
    _secret_queue: SecretQueue
    own_names: OwnNames = field(init=False)
    _contexts: dict[tuple[int, str], Context] = field(factory=dict, init=False)
    """A context for each listener and address of this machine, shared by the connections there."""
    _records_are_away: bool = field(default=False, init=False)
    """True if the last lookup failed. Clients may ask again at once, so only the first failure is logged."""

    def __attrs_post_init__(self) -> None:
        self.own_names = OwnNames(self._setup.url, lambda: self._setup.wall_ms() / 1000)

    def adapter(self, listening: Listening, peer: Peer) -> Adapter:
        """Makes the protocol adapter of a new connection, recorded in the wire log if there is one.

        Raises what protocols raise.
        """
        protocol = listening.protocol
        # A listener lives as long as the server, so its id is not given to another.
        key = (id(listening), peer.reached)
        context = self._contexts.get(key)
        if context is None:
            context = self._contexts[key] = self._context(listening, peer.reached)
        adapter = protocol.adapter(peer, context)
        return adapter if protocol.carries_others else self._recorded(adapter, peer, protocol)

    def _context(self, listening: Listening, reached: str) -> Context:
        limits, games = self._setup.limits, self._setup.games.values()
        url = pages_url(self._read_model.listeners, reached, self._setup.url)
        own = Context(
            profile=listening.profile,
            options=listening.options,
            games=tuple(sorted(game.name for game in games)),
            line_bytes_max=limits.line_bytes_max,
            guides={game.name: game.guide for game in games if game.guide},
            built_guide=self._built_guide,
            aliases={alias: game.name for game in games for alias in game.aliases},
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
            http_date=partial(http_date, self._setup.wall_ms),
            read_model=self._read_model,
            student_ids=self._setup.roster.student_ids,
            students=self._setup.roster.students,
            roll_call=partial(roll_call, self._setup.roster),
            attacks=self._attacks,
            own_names=self.own_names,
            warnings_before=self._warnings_before,
            forecast_before=self._forecast_before,
            forecast_left=self._forecast_left,
            wrong_token=self._wrong_token,
            wire_log_of=self._wire_log.read,
        )

    async def _warnings_before(self, *asked: Any) -> Sequence[str]:
        from gameserver.server.preflight import warnings_before  # noqa: PLC0415 - a start does without

        return await warnings_before(self._setup, self._read_model, *asked)

    async def _forecast_before(self, *asked: Any) -> tuple[Sequence[str], str]:
        from gameserver.server.forecasts import forecast_before  # noqa: PLC0415 - a start does without

        return await forecast_before(self._setup, self._read_model, *asked)

    async def _forecast_left(self, number: int) -> Sequence[str]:
        from gameserver.server.forecasts import forecast_left  # noqa: PLC0415 - a start does without

        return await forecast_left(self._setup, self._read_model, number)

    def _own_page_of(self, url: str, player: str, session: int) -> str:
        return f"{url}/own?link={self._read_model.token_of(player, session)}" if url else ""

    async def _last_match_of(self, player: str) -> PastMatch | None:
        try:
            heads = await self._read_model.read(lambda reader: reader.heads(Wanted(player=player, count=1)))
        except DatabaseError as error:
            if not self._records_are_away:
                log.warning("players are not told of their last match: the records cannot be read", why=str(error))
            self._records_are_away = True
            # Not the error itself, which passed for a bug of the adapter: while PostgreSQL restarted, each bot that
            # asked was thrown out.
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
        # A wrong token waits in the queue like a wrong secret.
        await self._secret_queue.turn(ADMIN_TOKEN, address, session)

    def _date_at(self, axis_ms: int) -> str:
        wall_ms = self._setup.wall_ms() + axis_ms - self._now_ms()
        return datetime.fromtimestamp(wall_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


# Made by running the game: asked for by every `help`, and never different.
@lru_cache(maxsize=64)
def built_guide(game: Game[Any]) -> str:
    """Builds for new adapters the guide that a game does not bring: legal moves, prompt and board at the start.

    For a game that brings no guide.
    """
    try:
        shown = tuple(_start_of(game))
    except Exception as error:  # noqa: BLE001 - a third party's code; the page does without it
        log.warning("help shows no start position: the game's code failed", game=game.name, why=repr(error))
        shown = ()
    return "\n".join((*shown, LOSES))


def _start_of(game: Game[Any]) -> Iterator[str]:
    options = game.options_type()
    series = game.series(options)
    if series is not None and series.next_game is not None:
        game, options = series.next_game
        yield f"A match of several games; the first is {game.name}."
    state = _first_turn(game, options)
    if state.turn.seats:
        yield from _turn_of(game, state, state.turn.seats[0])


def _first_turn(game: Game[Any], options: Any) -> State[Any]:
    """The state at the first turn; any draws before it give, as an example, their lowest numbers."""
    state: State[Any] = game.start(options)
    for _ in range(_DRAWS_MAX):
        if state.chance is None:
            break
        state = state.drawn((1,) * state.chance.count)
    return state


def _turn_of(game: Game[Any], state: State[Any], seat: Seat) -> Iterator[str]:
    moves = state.legal_moves(seat)
    shown = [_words(game, move) for move in moves[:_MOVES_SHOWN_MAX]]
    more = len(moves) - len(shown)
    yield f"Legal moves at the start: {', '.join(shown)}{f' and {more} more' if more else ''}"
    if moves:
        yield f"For example: move {game.write_move(moves[0])}"
    prompt = state.prompt(seat)
    if prompt:
        yield f"TURNMESSAGE at the start: {prompt}"
    yield ""
    yield "The board at the start:"
    yield from ("  " + line for line in state.board(seat).splitlines())
    yield ""


def _words(game: Game[Any], move: Any) -> str:
    """A move as it is written, with its number if that differs."""
    text, number = game.write_move(move), game.move_number(move)
    return text if number is None or str(number) == text else f"{text} (or {number})"
