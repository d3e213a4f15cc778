"""A replay of a game for spectators: every position, and every step as spectators may see it.

A match keeps its moves and its present position, which is all that playing it needs. Spectators also
want the positions between, and the words for each move. These are computed here from the moves and
draws, and only while somebody watches. A known replay is continued, so that a move costs a move. If a
game's code fails, the replay's positions end there.

A `MatchReplay` is the whole match: its present state, and the position after any of its steps. It is the same type
for a live match and for a record, so a page need not know whether its match is still being played.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from attrs import evolve, field
from cattrs.preconf.orjson import make_converter

from gameserver.core.events import By, EndReason, Result
from gameserver.core.match import PlayedMove
from gameserver.drawing import Picture, Side
from gameserver.game import Game, Seat, State
from gameserver.read_model.views import BoardView, ChanceView, ClockView, MatchView, PlyView, RestartView, SeatView
from gameserver.records.explanations import explanation
from gameserver.records.match_record import MatchRecord, RestartRecord, SeatRecord, SeatResult
from gameserver.values import value

CANNOT_BE_SHOWN = (
    "This position cannot be shown: its game is not on this server any more, its rules have changed since, or its code "
    "failed here"
)
# In lines that a phone has room for.
_PRUNED = "The moves were pruned\nfrom the records:\nno position is left."
HIDDEN = "?"
HOUSE = "house"
"""The protocol of house players on record."""
_CONVERTER = make_converter()


@value
class GameReplay:
    """The replay of one game so far.

    `states[n]` is the position after n moves; if the game's code failed, they end early.
    """

    game: Game[Any]
    number: int
    """The number of the game in its match, from 1."""
    states: tuple[State[Any], ...]
    moves: tuple[PlayedMove, ...] = ()

    def continued(self, moves: tuple[PlayedMove, ...]) -> "GameReplay":
        """Continue the replay of a game up to the last of `moves`, which begin with the known moves."""
        states = list(self.states)
        if len(states) == len(self.moves) + 1:
            states += _played_on(self.game, states[-1], moves[len(self.moves) :])
        return evolve(self, states=tuple(states), moves=moves)

    def steps(self, *, first_number: int, opened_ms: int, is_over: bool) -> tuple[PlyView, ...]:
        """Every move and draw in the replay of a game, numbered from `first_number`.

        Hidden moves are shown once the match is over.
        """
        return tuple(
            PlyView(
                number=first_number + index,
                game=self.number,
                seat=step.seat,
                text=self._text(index, is_over=is_over),
                details=self._details(index),
                by=step.by.value,
                think_ms=step.think_ms,
                at_ms=step.at_ms - opened_ms,
                noun=self.game.draw_noun if step.seat is None else "",
            )
            for index, step in enumerate(self.moves)
        )

    def board(self, step: int, *, is_small: bool = False, seat: Seat | None = None) -> BoardView:
        """The board in the replay of a game after `step` steps, or its picture for narrow screens.

        `seat` sees what is its own.
        """
        if step >= len(self.states):
            return BoardView(CANNOT_BE_SHOWN)
        state = self.states[step]
        try:
            picture = _picture(state, seat, is_small=is_small)
            before = _picture(self.states[step - 1], seat, is_small=is_small) if step else None
            return BoardView(state.board(seat), picture, before, sides_of(state, self.game.seats))
        except Exception:  # noqa: BLE001 - a game's own code: the page says that the board cannot be shown
            return BoardView(CANNOT_BE_SHOWN)

    @property
    def ending(self) -> str:
        """The end of a replayed game in the game's words; empty while it goes on, and where it gives none."""
        if len(self.states) != len(self.moves) + 1:
            return ""
        try:
            return self.states[-1].ending
        except Exception:  # noqa: BLE001 - a game's own code: a word less
            return ""

    def _text(self, index: int, *, is_over: bool) -> str:
        step = self.moves[index]
        if is_over:
            return step.text
        if index + 1 >= len(self.states):
            return HIDDEN
        state = self.states[index + 1]
        try:
            if step.seat is None:
                return self.game.seen_draw(state, values_of(step.text), None)
            return self.game.seen(state, self.game.read_move(step.text), step.seat, None)
        except Exception:  # noqa: BLE001 - a game's own code: nothing is shown rather than a secret
            return HIDDEN

    def _details(self, index: int) -> str:
        """The game's `reaction` to a move. It is asked after the draws that follow, because it may tell of them."""
        if self.moves[index].seat is None:
            return ""
        last = index
        # A game's reaction may tell of the draw that a move led to.
        while last + 1 < len(self.moves) and self.moves[last + 1].seat is None:
            last += 1
        if last + 1 >= len(self.states):
            return ""
        try:
            return self.states[last + 1].reaction(None)
        except Exception:  # noqa: BLE001 - a game's own code: a word less
            return ""


@value
class MatchReplay:
    """The replay of a match. `game_replays` are its games so far; `view` has everything except the positions."""

    view: MatchView
    game_replays: tuple[GameReplay, ...] = field(repr=False)
    ends: tuple[int, ...] = field(init=False, repr=False)
    """The number of each game's last step so far."""

    @ends.default
    def _sums(self) -> tuple[int, ...]:
        return tuple(accumulate(len(game_replay.moves) for game_replay in self.game_replays))

    @property
    def last_step(self) -> int:
        """The number of the last step in a match's replay; 0 before the first."""
        return self.ends[-1] if self.ends else 0

    def board(self, step: int, *, is_small: bool = False, seat: Seat | None = None) -> BoardView:
        """The board in a match's replay after a step, in the last game that has begun by then. Step 0 is the start.

        `seat` is the one whose player looks. While the match goes on, a page shows what a spectator sees.
        """
        step = max(0, min(step, self.last_step))
        game = min(bisect_right(self.ends, step - 1), len(self.game_replays) - 1)
        if game < 0:
            return self._no_board
        first = self.ends[game - 1] if game else 0
        return self.game_replays[game].board(step - first, is_small=is_small, seat=seat if self.view.is_over else None)

    @property
    def present(self) -> BoardView:
        """The present board in a match's replay. If a game has just begun, this is its start."""
        if not self.game_replays:
            return self._no_board
        return self.game_replays[-1].board(len(self.game_replays[-1].moves))

    @property
    def _no_board(self) -> BoardView:
        return BoardView(_PRUNED if self.view.moves_pruned else CANNOT_BE_SHOWN)

    @property
    def ending(self) -> str:
        """The end of the last game of a match's replay, in the game's words."""
        return self.game_replays[-1].ending if self.game_replays else ""


def recorded_replay(record: MatchRecord, games: Mapping[str, Game[Any]]) -> MatchReplay:
    """Makes the replay of a match on record, as spectators may see it.

    `games` are by name in lower case. A game that is no longer installed has no positions.

    The record states the result. Its moves are played again only to show the positions.
    """
    game_replays = tuple(_game_replays(record, games))
    # Else a game is not installed, or has changed: its moves are shown as they were recorded, without positions.
    is_whole = sum(len(game_replay.moves) for game_replay in game_replays) == len(record.moves)
    is_whole = is_whole and not record.moves_pruned
    shown = steps_of(game_replays, opened_ms=0, is_over=True) if is_whole else _bare_steps(record)
    files = tuple(sorted(games[record.game.lower()].exports)) if is_whole and record.game.lower() in games else ()
    return MatchReplay(_view_of(record, shown, files), game_replays if is_whole else ())


def game_replay_of(game: Game[Any], options: Any, number: int, moves: tuple[PlayedMove, ...] = ()) -> GameReplay:
    """Makes the replay of a game for spectators, from its start."""
    try:
        states: tuple[State[Any], ...] = (game.start(options),)
    except Exception:  # noqa: BLE001 - a game's own code: the moves are shown nevertheless
        states = ()
    return GameReplay(game, number, states).continued(moves)


def sides_of(state: State[Any], seats: int) -> tuple[Side, ...]:
    """Each seat's colour and score in a replayed position; empty if the game gives none that can be shown."""
    try:
        sides = tuple(state.sides(None))
    except Exception:  # noqa: BLE001 - a game's own code: the board is shown without them
        return ()
    return sides if len(sides) == seats and all(isinstance(side, Side) for side in sides) else ()


def _picture(state: State[Any], seat: Seat | None, *, is_small: bool) -> Picture | None:
    return state.small_picture(seat) if is_small else state.picture(seat)


def values_of(text: str) -> tuple[int, ...]:
    """The numbers of a draw that is replayed, as `PlayedMove` has them."""
    return tuple(int(word) for word in text.split())


def _played_on(game: Game[Any], state: State[Any], moves: tuple[PlayedMove, ...]) -> Iterator[State[Any]]:
    for step in moves:
        try:
            if step.seat is None:
                state = state.drawn(values_of(step.text))
            else:
                state = state.play(step.seat, game.read_move(step.text))
        except Exception:  # noqa: BLE001 - a game's own code, or moves of rules that have changed
            return
        yield state


def steps_of(game_replays: tuple[GameReplay, ...], *, opened_ms: int, is_over: bool) -> tuple[PlyView, ...]:
    """The steps of all replayed games of a match, numbered throughout. A game that is over no longer hides anything."""
    steps: list[PlyView] = []
    for game_replay in game_replays:
        steps += game_replay.steps(
            first_number=len(steps) + 1, opened_ms=opened_ms, is_over=is_over or game_replay is not game_replays[-1]
        )
    return tuple(steps)


def restart_views(
    restarts: Iterable[RestartRecord], opened_ms: int, steps: Sequence[PlyView]
) -> tuple[RestartView, ...]:
    """Places restarts among a replay's steps, since its match opened at `opened_ms` of the server's own clock."""
    return tuple(
        RestartView(
            bisect_right(steps, one.at_ms - opened_ms, key=lambda step: step.at_ms),
            one.last_decision_at,
            one.up_at,
            one.away_ms,
        )
        for one in restarts
        if one.at_ms >= opened_ms
    )


def _view_of(record: MatchRecord, steps: tuple[PlyView, ...], files: tuple[str, ...]) -> MatchView:
    return MatchView(
        id=record.match,
        game=record.game,
        current=record.games[-1].game if record.games else record.game,
        game_number=max(1, len(record.games)),
        seats=tuple(SeatView(seat.player, seat.protocol, seat.protocol == HOUSE) for seat in record.seats),
        acting=(),
        clock=ClockView(text=record.clock),
        phase="over",
        steps=steps,
        result=result_of(record.reason, record.seats, record.reason_text, record.why),
        opened_at=record.opened_at,
        ended_at=record.ended_at,
        explanation=explanation(record),
        public_id=record.public_id,
        restarts=restart_views(record.restarts, record.opened_ms, steps),
        tournament=record.tournament,
        round=record.round,
        is_ladder=record.is_ladder,
        moves_pruned=record.moves_pruned,
        files=files,
        chance=_chance_of(record) if record.commitment else None,
    )


def _chance_of(one: MatchRecord) -> ChanceView:
    origin = one.seed_commitment, one.commitment, one.contributions, one.seats_by
    return ChanceView(*origin, one.key, one.chance_key, one.draws)


def result_of(reason: str, seats: tuple[SeatRecord, ...], reason_text: str, why: str) -> Result:
    """Works out for a replay the result that spectators see at its end, from a match on record.

    If it was lost otherwise than by play, `by` is the seat that lost.
    """
    losers = [seat.seat for seat in seats if seat.result is SeatResult.LOSS]
    return Result(
        reason=EndReason(reason),
        points=tuple(seat.points for seat in seats),
        winners=tuple(seat.seat for seat in seats if seat.result is SeatResult.WIN),
        by=losers[0] if reason != "played" and len(losers) == 1 else None,
        reason_text=reason_text,
        why=why,
    )


def _bare_steps(record: MatchRecord) -> tuple[PlyView, ...]:
    return tuple(
        PlyView(
            number=move.number,
            game=move.game,
            seat=move.seat,
            text=move.move,
            details="",
            by=move.by,
            think_ms=move.think_ms,
            at_ms=move.at_ms,
            noun="draw" if move.seat is None else "",
        )
        for move in record.moves
    )


def _game_replays(record: MatchRecord, games: Mapping[str, Game[Any]]) -> Iterator[GameReplay]:
    """The games of the match, as far as they can be played again."""
    for one in record.games:
        game = games.get(one.game.lower())
        # Other rules may refuse these moves, or take them for others.
        if game is None or game.version != one.game_version:
            return
        try:
            options: Any = _CONVERTER.loads(one.options, game.options_type)
        except Exception:  # noqa: BLE001 - options of a plug-in that has changed; the moves are shown without positions
            return
        moves = tuple(
            PlayedMove(move.seat, move.move, By(move.by), move.at_ms, move.think_ms)
            for move in record.moves
            if move.game == one.number
        )
        yield game_replay_of(game, options, one.number, moves)
