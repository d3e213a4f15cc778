"""Matches in the middle of play, as values of the read model, without a server."""

import random
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any

from attrs import field, frozen

from gameserver.core.events import By, Result
from gameserver.core.match import PlayedMove
from gameserver.game import Game, State
from gameserver.read_model.read_model import LobbyView
from gameserver.read_model.replay import MatchReplay, game_replay_of, sides_of, steps_of
from gameserver.read_model.views import BoardView, ClockView, MatchSummary, MatchView, SeatView

NAMES = ("M" * 64, "محمد عبد الرحمن بن عبد الله الطويل", "李小龙和他的机器人", "Ωμέγα-Παπαδόπουλος", "ann", "bob")


def played(game: Game[Any], moves: int, chance: random.Random) -> Iterator[tuple[State[Any], PlayedMove]]:
    """Random moves and draws, each with the position after it, as far as the game goes."""
    state = game.start(game.options_type())
    for number in range(moves):
        if state.chance is not None:
            values = tuple(chance.randint(1, state.chance.sides) for _ in range(state.chance.count))
            state = state.drawn(values)
            yield state, PlayedMove(None, " ".join(map(str, values)), By.CHANCE, 900 * number, 0)
        else:
            seat = state.turn.seats[0]
            move = chance.choice(state.legal_moves(seat))
            state = state.play(seat, move)
            yield state, PlayedMove(seat, game.write_move(move), By.PLAYER, 900 * number, 850)
        if state.outcome is not None:
            return


@cache
def state_after(game: Game[Any], moves: int, seed: int = 1) -> State[Any]:
    """The position after some random moves and draws, one that is not over."""
    states = [game.start(game.options_type()), *(state for state, _ in played(game, moves, random.Random(seed)))]
    return next(state for state in reversed(states) if state.outcome is None)


def replay_of(
    game: Game[Any], moves: int, names: tuple[str, str] = ("ann", "bob"), result: Result | None = None, **changes: Any
) -> MatchReplay:
    """A match after some random moves and draws; it is over if a result is given."""
    steps = list(played(game, moves, random.Random(3)))
    state = steps[-1][0]
    game_replay = game_replay_of(game, game.options_type(), 1, tuple(move for _, move in steps))
    view = MatchView(
        id=12,
        game=game.name,
        current=game.name,
        game_number=1,
        seats=tuple(SeatView(name, "strategic") for name in names),
        acting=() if result else state.turn.seats,
        clock=ClockView(1_000_000, None, 60_000),
        phase="over" if result else "playing",
        steps=steps_of((game_replay,), opened_ms=0, is_over=result is not None),
        result=result,
        opened_at="2026-11-23T12:00:00.000+00:00",
        **changes,
    )
    return MatchReplay(view, (game_replay,))


def board_of(state: State[Any]) -> BoardView:
    return BoardView(state.board(None), state.small_picture(None), sides=sides_of(state, 2))


@frozen(eq=False)
class PlayedLobby(LobbyView):
    """A lobby of live matches alone."""

    played: tuple[Game[Any], ...] = field(kw_only=True)
    count: int = field(kw_only=True)
    is_stopped: bool = field(default=False, kw_only=True)
    """True if no clock runs, as while a tournament is paused."""

    def state(self, number: int) -> State[Any]:
        return state_after(self.played[number % len(self.played)], 5 + 7 * number % 37, number)

    @cached_property
    def matches(self) -> tuple[MatchSummary, ...]:
        return tuple(map(self._summary, range(1, self.count + 1)))

    def board(self, number: int) -> BoardView | None:
        return board_of(self.state(number)) if 1 <= number <= self.count else None

    def mark_of(self, number: int) -> object:
        """Always another one: what is rendered here is not kept."""
        return object()

    def waiting(self, number: int) -> None:
        """Nobody is waited for."""

    def _summary(self, number: int) -> MatchSummary:
        names = (NAMES * 2)[number % len(NAMES) :][:2] if number < len(NAMES) else (f"p{number}-x", f"player-{number}")
        clock = ClockView(None, 42_000, 60_000) if self.is_stopped else ClockView(1_000_000 + 1_700 * number)
        return MatchSummary(
            id=number,
            game=self.played[number % len(self.played)].name,
            seats=tuple(SeatView(name, "strategic") for name in names),
            acting=self.state(number).turn.seats,
            moves=number * 3,
            opened_wall_ms=0,
            clock=clock,
        )
