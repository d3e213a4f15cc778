"""Plays a match on record again to a live client: the opponent's moves, the dice and the think times are the record's.

The scene is that of a check. The client decides for itself; where it decides otherwise than it did, the match on record
is no guide any more. Then the replay stops and tells both decisions, or the opponent goes on as a house player does.

A match may begin in the middle, where the protocol shows a position to who takes a seat back: a stand-in plays the
client's recorded moves up to there, and its connection breaks.

The game is as it was on record: with its options, and with dice that fall as they fell. The lobby draws from a match's
seed, which no record has, and a seed with the wished dice cannot be searched for. So it is wrapped: whatever is drawn,
a position takes the recorded values instead, and shows them. When the recorded ones are used up, or do not fit because
the match takes another course, the lobby's own count.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

import trio
from attrs import define, evolve, field

from gameserver.check.acts import admitted, comes_in
from gameserver.check.checker import CannotCheck, Prepared, Terms, directed, server_terms
from gameserver.check.director import Director, Patience, ScenarioFailed, SituationNotReached
from gameserver.check.match_acts import MATCH_S, begin_match, called, match_under_way
from gameserver.check.opponent import Opponent
from gameserver.check.report import Level
from gameserver.check.scenario import Scenario
from gameserver.check.scene import CannotStart, moves_in
from gameserver.check.server_under_check import ServerTerms, SkippingClock
from gameserver.check.steps import CLIENT, ComesIn
from gameserver.core.events import EndReason
from gameserver.core.identity import is_reserved_name
from gameserver.core.match import Match
from gameserver.drawing import Picture, Side
from gameserver.game import Chance, Choose, Game, Outcome, PlayedGame, PlayedMatch, Seat, Series, State, Strategy, Turn
from gameserver.logs import first_error
from gameserver.plugins import Plugins
from gameserver.records.match_record import MatchRecord, MoveRecord
from gameserver.system import WrongPlaceholder
from gameserver.time_control import NO_TIME_LIMIT
from gameserver.values import value

_OPPONENT = "OPPONENT"

_AS_IT_IS = Scenario("replay", "", "a match on record", Level.CURIOUS, "", "", "", ())
"""A network without faults, and a server without changes."""
# Ten minutes, by judgement: the program of the client has to start.
_PATIENT = {"match": {"drop_grace_s": 600.0}}
"""The seat of a stand-in that has dropped out waits for the client."""

_ENDINGS: Mapping[str, str] = {
    EndReason.LATE: "made no move in time",
    EndReason.ILLEGAL: "made an illegal move",
    EndReason.RESIGNED: "gave up",
    EndReason.DROPPED: "lost its connection",
}


@value
class Recorded:
    """The match on record that is replayed to a client. `seat` is the client's."""

    record: MatchRecord
    match: PlayedMatch
    seat: int

    @property
    def player(self) -> str:
        """The name that the client of a replay is told to use."""
        return _allowed(self.match.players[self.seat])

    @property
    def opponent(self) -> str:
        """The name of the other player of a replayed match."""
        return _allowed(self.match.players[1 - self.seat])

    def decisions(self, game: int) -> Sequence[MoveRecord]:
        """The recorded moves of one game of a replayed match, from 1, without draws."""
        return [move for move in self.record.moves if move.game == game and move.seat is not None]


def _allowed(name: str) -> str:
    """The name, changed where nobody may come in under it, as with those of the house."""
    return f"as-{name}" if is_reserved_name(name) else name


@value
class Manner:
    """The choices of the user about a replay."""

    from_move: int = 1
    """The first move that is the client's to make, or its opponent's, counted over the whole match without draws."""
    waits: bool = True
    """True if the opponent takes the time that it took."""
    goes_on: str | None = None
    """The house player as whom the opponent plays on when the client has decided otherwise, such as `greedy`; None if
    the replay stops there."""


@value
class _OtherDecision:
    """A place in the match where the client decided otherwise. `number` counts moves of the match from 1."""

    number: int
    then: str
    """The client's act in the match on record, as the end of `in match 7 it ...`."""
    now: str
    """Its act now."""
    board: str
    """The position before it, as the client may see it."""


@value
class ReplayedMatch:
    """The outcome of a replay to a client. `faults` are sentences about what the client did wrong."""

    same: int
    """The client's decisions that were the same as then, from the beginning on."""
    decision: _OtherDecision | None
    faults: tuple[str, ...]
    result: str
    """The client's result now; empty if the match was not played to its end."""
    output: tuple[str, ...]


def replay(plugins: Plugins, terms: Terms, recorded: Recorded, manner: Manner) -> ReplayedMatch:
    """Checks a live client by replaying a match on record with it, in an event loop of its own.

    Raises `CannotCheck`.
    """
    clock = SkippingClock()
    ready = Prepared(_AS_IT_IS, _server_terms(plugins, terms, recorded))
    terms = evolve(terms, name=recorded.player)
    try:
        return trio.run(partial(_replay, terms, ready, recorded, manner, clock), clock=clock)
    except BaseExceptionGroup as group:
        # Ctrl-C comes out of trio in a group, too: its user should see no traceback.
        cause = first_error(group)
        if isinstance(cause, SituationNotReached):
            raise CannotCheck(f"match {recorded.record.match} cannot be played again: {cause}") from None
        if isinstance(cause, CannotStart | WrongPlaceholder):
            raise CannotCheck(str(cause)) from None
        raise cause from None  # Ctrl-C, or a mistake of ours


async def _replay(
    terms: Terms, ready: Prepared, recorded: Recorded, manner: Manner, clock: SkippingClock
) -> ReplayedMatch:
    chance = Random(terms.seed)  # noqa: S311 - the same again for the same seed
    async with directed(terms, ready, terms.directory / "client.log", chance, clock, Patience()) as director:
        watch = _Watch(recorded, director, manner)
        faults: tuple[str, ...] = ()
        try:
            await watch.run()
        except ScenarioFailed as failed:
            faults = (str(failed),)
            await director.settle()
    output = tuple(director.scene.client.output_lines())
    return ReplayedMatch(watch.same, watch.decision, faults, watch.result, output)


def _server_terms(plugins: Plugins, terms: Terms, recorded: Recorded) -> ServerTerms:
    settings: dict[str, Mapping[str, Any]] = {**_PATIENT}
    clock = recorded.record.clock
    if terms.turn_time_s is None and recorded.record.time_control != NO_TIME_LIMIT:
        settings |= {one: {**settings.get(one, {}), "clock": clock} for one in ("match", "rooms", "tickets")}
    game = as_recorded(recorded.match)
    known = evolve(plugins, games={**plugins.games, game.name.lower(): game})
    return server_terms(known, terms, settings, terms.turn_time_s, f"{terms.seed:064x}")


@define(eq=False)
class _RecordedOpponent(Opponent):
    """A player who moves as the record says, as long as the match goes as it went."""

    recorded: Recorded = field(kw_only=True)
    manner: Manner = field(kw_only=True)
    has_left_record: bool = field(default=False, init=False)

    async def move(self, match: Match) -> None:
        """Make the recorded move, after the time that it took then."""
        self.is_asked = False
        step = _recorded_step(self.recorded, match)
        seat = match.seat_of(self.name)
        if step is not None and step.seat == seat and not self.has_left_record:
            if self.manner.waits:
                await trio.sleep(step.think_ms / 1000)
            await self.send(f"move {step.move}")
        elif self.manner.goes_on is not None:
            strategy: Strategy = match.game.strategies.get(self.manner.goes_on, _at_random)
            await self.send(
                f"move {match.game.write_move(strategy(_inner_state(match.state), seat, self.chance.choice))}"
            )


def _at_random(state: State[Any], seat: int, choose: Choose[Any]) -> Any:
    return choose(state.legal_moves(seat))


def _recorded_step(recorded: Recorded, match: Match) -> MoveRecord | None:
    made = sum(move.seat is not None for move in match.moves)
    decisions = recorded.decisions(match.game_number)
    return decisions[made] if made < len(decisions) else None


@define(eq=False)
class _Watch:
    """Follows the match, and compares the client's decisions with those on record."""

    recorded: Recorded
    director: Director
    manner: Manner
    same: int = 0
    decision: _OtherDecision | None = None
    result: str = ""
    _opponent: _RecordedOpponent = field(init=False)
    _is_at_end: bool = False
    """True where the match on record ended, and not by the client."""

    async def run(self) -> None:
        """Begin the match, or its middle, and follow it to where it ends."""
        scene = self.director.scene
        self._opponent = self._player(self.recorded.opponent)
        scene.opponents[_OPPONENT] = self._opponent
        await admitted(self.director, self._opponent)
        recorded = self.recorded
        if self.manner.from_move > 1:
            names = (recorded.player, recorded.opponent)
            await self._play_up_to(names if recorded.seat == 0 else names[::-1])
            await comes_in(self.director, ComesIn(CLIENT))
        else:
            await comes_in(self.director, ComesIn(CLIENT))
            first = CLIENT if self.recorded.seat == 0 else _OPPONENT
            await begin_match(self.director, _OPPONENT, self.director.game, first)
        match = await match_under_way(self.director)
        scene.allow(match)
        await self._follow(match.id)

    def _player(self, name: str) -> _RecordedOpponent:
        scene = self.director.scene
        parts = (name, scene.server, scene.chance, scene.changed)
        return _RecordedOpponent(*parts, recorded=self.recorded, manner=self.manner)

    async def _play_up_to(self, names: tuple[str, ...]) -> None:
        """Have a stand-in play the client's moves before the first that is the client's, and drop out."""
        scene, count = self.director.scene, self.manner.from_move - 1
        stand_in = self._player(self.recorded.player)
        players = (stand_in, self._opponent)
        for player in players:
            player.manner = evolve(self.manner, waits=False)
        scene.opponents[CLIENT] = stand_in
        await admitted(self.director, stand_in)
        called(scene, self.director.game, names)

        def is_reached() -> bool:
            match = stand_in.match
            if match is not None:
                scene.allow(match, count)
            return match is not None and moves_in(match) >= count

        await self.director.until(
            is_reached, MATCH_S, lambda: SituationNotReached("the match did not get to that move")
        )
        await stand_in.reset()
        del scene.opponents[CLIENT]
        self._opponent.manner = self.manner

    async def _follow(self, number: int) -> None:
        scene = self.director.scene
        while not self._is_through():
            match = scene.match
            if match is None or match.id != number:
                break
            self._compare([(move.seat, move.text) for game in match.games for move in game.moves])
            self.director.watch()
            await scene.change()
        if scene.server.journal.has_record(number):
            record = scene.server.records()[-1]
            self._compare([(move.seat, move.move) for move in record.moves])
            own = next(seat for seat in record.seats if seat.player == self.recorded.player)
            self.result = own.result.value
            self.director.watch()

    def _is_through(self) -> bool:
        """True where the match on record is no guide any more, and nobody goes on."""
        return self.manner.goes_on is None and (self.decision is not None or self._is_at_end)

    def _compare(self, now: Sequence[tuple[int | None, str]]) -> None:
        """Look for the first decision that is another one than on record."""
        if self.decision is not None:
            return
        then = [move for move in self.recorded.record.moves if move.seat is not None]
        made = [(seat, text) for seat, text in now if seat is not None]
        seat = self.recorded.seat
        for index, (mover, text) in enumerate(made):
            if index >= len(then) or (then[index].seat, then[index].move) != (mover, text):
                if mover == seat:
                    self._decided(index, then, text)
                return
        self.same = sum(move.seat == seat for move in then[max(0, self.manner.from_move - 1) : len(made)])
        self._is_at_end = len(made) >= len(then) and not self.director.scene.is_clients_turn

    def _decided(self, index: int, then: Sequence[MoveRecord], now: str) -> None:
        self._opponent.has_left_record = True
        said = self._ending() if index >= len(then) else f"played {then[index].move}"
        board = _board_before(self.recorded.match, index, self.recorded.seat)
        self.decision = _OtherDecision(index + 1, said, f"played {now}", board)

    def _ending(self) -> str:
        record = self.recorded.record
        why = f" ({record.why})" if record.why else ""
        return f"{_ENDINGS.get(record.reason, f'ended the match, {record.reason}')}{why}"


def _board_before(match: PlayedMatch, index: int, viewer: int) -> str:
    """The position before a move of a match, counted from 0 through all games and without draws."""
    made = 0
    for game in match.games:
        seats: list[int | None] = [seat for seat, _ in game.steps]
        for place, state in enumerate(game.positions()):
            if made == index and (place == len(seats) or seats[place] is not None):
                return state.board(viewer)
            made += place < len(seats) and seats[place] is not None
    return ""


_Draws = tuple[tuple[int, ...], ...]
"""The values of each draw of a game, in their order."""


def as_recorded(match: PlayedMatch) -> Game[Any]:
    """Wraps the game of a match on record for a replay: every match of it has that one's options and draws."""
    return _recorded(match.game, tuple(map(_draws_of, match.games)), match.options)


def _draws_of(game: PlayedGame) -> _Draws:
    return tuple(tuple(int(word) for word in text.split()) for seat, text in game.steps if seat is None)


def _recorded(game: Game[Any], draws: Sequence[_Draws], options: Any) -> Game[Any]:
    """The wrapper, with what the game says of itself. `draws` are those of its games in turn."""

    class Recorded(_RecordedGame):
        options_type = game.options_type
        strategies = game.strategies
        exports = game.exports
        name, version, seats = game.name, game.version, game.seats
        aliases, guide, draw_noun = game.aliases, game.guide, game.draw_noun

    return Recorded(game, draws, options)


class _RecordedGame(Game[Any]):
    def __init__(self, inner: Game[Any], draws: Sequence[_Draws], options: Any) -> None:
        self.inner = inner
        self.draws = draws
        self.options = options

    def start(self, _options: Any) -> State[Any]:
        return _RecordedState(self.inner.start(self.options), self.draws[0] if self.draws else ())

    def series(self, _options: Any) -> Series | None:
        series = self.inner.series(self.options)
        return None if series is None else _RecordedSeries(series, tuple(self.draws))

    def read_move(self, text: str) -> Any:
        return self.inner.read_move(text)

    def write_move(self, move: Any) -> str:
        return self.inner.write_move(move)

    def move_number(self, move: Any) -> int | None:
        return self.inner.move_number(move)

    def seen(self, state: State[Any], move: Any, by: Seat, viewer: Seat | None) -> str:
        return self.inner.seen(_inner_state(state), move, by, viewer)

    def seen_draw(self, state: State[Any], values: tuple[int, ...], viewer: Seat | None) -> str:
        last = state.last if isinstance(state, _RecordedState) else values
        return self.inner.seen_draw(_inner_state(state), last, viewer)


def _inner_state(state: State[Any]) -> State[Any]:
    """The position as the game itself knows it."""
    return state.inner if isinstance(state, _RecordedState) else state


@value
class _RecordedSeries(Series):
    inner: Series
    draws: tuple[_Draws, ...]
    """Of the next game and those after it."""

    @property
    def next_game(self) -> tuple[Game[Any], Any] | None:
        found = self.inner.next_game
        if found is None:
            return None
        game, options = found
        return _recorded(game, self.draws[:1], options), options

    def after(self, outcome: Outcome) -> "_RecordedSeries":
        return _RecordedSeries(self.inner.after(outcome), self.draws[1:])

    def given_up(self, seat: Seat) -> "_RecordedSeries":
        return evolve(self, inner=self.inner.given_up(seat))

    @property
    def outcome(self) -> Outcome:
        return self.inner.outcome


@value
class _RecordedState(State[Any]):
    inner: State[Any]
    draws: _Draws
    """Those to come."""
    last: tuple[int, ...] = ()
    """The values of the last draw."""

    @property
    def turn(self) -> Turn:
        return self.inner.turn

    def legal_moves(self, seat: Seat) -> Sequence[Any]:
        return self.inner.legal_moves(seat)

    def play(self, seat: Seat, move: Any) -> "_RecordedState":
        return evolve(self, inner=self.inner.play(seat, move))

    @property
    def chance(self) -> Chance | None:
        return self.inner.chance

    def drawn(self, values: tuple[int, ...]) -> "_RecordedState":
        values, rest = self._next(values)
        return _RecordedState(self.inner.drawn(values), rest, values)

    def _next(self, values: tuple[int, ...]) -> tuple[tuple[int, ...], _Draws]:
        """The recorded values, if there are any that the position may draw, and those after them."""
        wanted = self.inner.chance
        if wanted is None or not self.draws:
            return values, ()
        fits = len(self.draws[0]) == wanted.count and max(self.draws[0]) <= wanted.sides
        return (self.draws[0], self.draws[1:]) if fits else (values, ())

    def awaiting_draw(self, seat: Seat) -> None:
        """Nobody is told a value beforehand: the lobby would tell its own."""

    @property
    def outcome(self) -> Outcome | None:
        return self.inner.outcome

    def resigned(self, seat: Seat) -> Outcome:
        return self.inner.resigned(seat)

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        return self.inner.view(viewer)

    def board(self, viewer: Seat | None) -> str:
        return self.inner.board(viewer)

    def picture(self, viewer: Seat | None) -> Picture | None:
        return self.inner.picture(viewer)

    def small_picture(self, viewer: Seat | None) -> Picture | None:
        return self.inner.small_picture(viewer)

    def sides(self, viewer: Seat | None) -> Sequence[Side]:
        return self.inner.sides(viewer)

    def prompt(self, seat: Seat) -> str:
        return self.inner.prompt(seat)

    def reaction(self, viewer: Seat | None) -> str:
        return self.inner.reaction(viewer)
