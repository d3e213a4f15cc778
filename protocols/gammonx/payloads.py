"""Payloads: a match as its client sees it.

Every client sees itself as white: its own checkers are negative and go from field 0 up, its bar is
-1, and -100 is off the board. So black is told a board with the colours exchanged, and the way there
and back is the same for both: fields are counted from the far end of one's own points.
"""

from functools import lru_cache

from games.backgammon.board import Board
from games.backgammon.fields import fields_of, numbering, pinned_fields_of
from games.backgammon.lanes import BAR, OFF
from games.backgammon.match import Round
from games.backgammon.phases import TurnPhase
from games.backgammon.search import Dice, Hop
from games.backgammon.search import Sequence as Steps
from games.backgammon.state import GameState
from games.backgammon.thinning import thinned
from gameserver.values import value
from protocols.gammonx.guids import modus_of
from protocols.gammonx.match_state import POSITIONS_SHARED, OwnMatch
from protocols.gammonx.numbers import MODUS_OF, TYPE_OF, VARIANT_OF, GamePhase
from protocols.gammonx.schema import (
    BoardState,
    Commands,
    DiceRoll,
    GameRound,
    GameStatePayload,
    LegalMove,
    LobbyPayload,
    MatchStatePayload,
    MoveSequence,
    PlayerScore,
)

WHITE = 0
"""The colour that every player sees as its own."""


@value
class Dialect:
    """The form in which a game is told to a client."""

    maps_moves: bool = True
    """True if black's moves are on its own board, not on white's."""
    is_unowned_none: bool = False
    """True if a cube without an owner is None, not False."""


def group_name(match_id: str) -> str:
    """The name of the hub's group for a match."""
    return f"match_{match_id}"


def waiting_lobby(match_id: str, player: str, commands: Commands = ()) -> LobbyPayload:
    """A match without an opponent yet."""
    return LobbyPayload(match_id, group_name(match_id), player, None, match_found=False, allowed_commands=commands)


def lobby(view: OwnMatch, commands: Commands = ()) -> LobbyPayload:
    """A match with both players."""
    player1, player2 = view.players
    return LobbyPayload(
        view.match_id, group_name(view.match_id), player1, player2, match_found=True, allowed_commands=commands
    )


def match_state(view: OwnMatch, commands: Commands) -> MatchStatePayload:
    """The match."""
    rounds = [_round(view, index, each) for index, each in enumerate(view.score.rounds)]
    if view.is_playing and view.has_started:
        assert view.state is not None, "it has started"
        modus = MODUS_OF[view.state.position.variant.name]
        rounds.append(GameRound(len(rounds), modus, _phase(view.state), None, None, None))
    dice = view.start_dice or (None, None)
    player1, player2 = (
        PlayerScore(player, name, points, points, die)
        for player, name, points, die in zip(view.players, view.names, view.score.points, dice, strict=True)
    )
    winner = view.score.winner if view.is_over else None
    won, lost = (player1, player2) if winner == WHITE else (player2, player1)
    return MatchStatePayload(
        id=view.match_id,
        group_name=group_name(view.match_id),
        game_round=max(1, len(rounds)),
        game_rounds=tuple(rounds),
        variant=VARIANT_OF[view.variant_name],
        modus=modus_of(view.match_id),
        type=TYPE_OF[view.score.length],
        player1=player1,
        player2=player2,
        winner=None if winner is None else won.id,
        winner_points=None if winner is None else won.points,
        loser=None if winner is None else lost.id,
        loser_points=None if winner is None else lost.points,
        allowed_commands=commands,
    )


def _round(view: OwnMatch, index: int, played: Round) -> GameRound:
    winner = None if played.winner is None else view.players[played.winner]
    modus = MODUS_OF[played.variant.name]
    return GameRound(index, modus, GamePhase.GAME_OVER, winner, played.points, played.points)


def game_state(view: OwnMatch, commands: Commands, dialect: Dialect) -> GameStatePayload:
    """The game, which must have begun."""
    state = view.state
    assert state is not None, "there is a game"
    board = state.position if view.seat == WHITE else state.position.swapped()
    variant = board.variant
    over, active = state.phase is TurnPhase.OVER or not view.is_playing, view.active_seat
    return GameStatePayload(
        modus=MODUS_OF[variant.name],
        match_id=view.match_id,
        id=view.game_id,
        phase=GamePhase.GAME_OVER if over else _phase(state) if active == view.seat else GamePhase.WAITING_FOR_OPPONENT,
        active_turn=view.players[active],
        turn_number=state.turns,
        dice_rolls=_dice_rolls(state.rolled, state.left),
        move_sequences=() if over else _move_sequences(state, view.seat if dialect.maps_moves else WHITE),
        board_state=_board_state(board, state, view.seat, None if dialect.is_unowned_none else False),
        allowed_commands=commands,
    )


def _phase(state: GameState) -> GamePhase:
    match state.phase:
        case TurnPhase.MOVING:
            return GamePhase.MOVING if state.earlier else GamePhase.ROLLING
        case TurnPhase.ENDING:
            return GamePhase.WAITING_FOR_END_TURN
        case TurnPhase.OVER:
            return GamePhase.GAME_OVER
        case _:
            return GamePhase.WAITING_FOR_ROLL


def _dice_rolls(rolled: Dice, left: Dice) -> tuple[DiceRoll, ...]:
    """The dice as they fell; of equal ones the first are used first."""
    still = list(left)
    rolls: list[DiceRoll] = []
    for die in reversed(rolled):
        is_left = die in still
        if is_left:
            still.remove(die)
        rolls.insert(0, DiceRoll(die, used=not is_left))
    return tuple(rolls)


def _move_sequences(state: GameState, viewer: int) -> tuple[MoveSequence, ...]:
    """The plays, the same list for both players, in the fields of `viewer`'s board."""
    if state.phase is not TurnPhase.MOVING:
        return ()
    board, mover = state.position, state.mover
    fields = numbering(board.variant, WHITE if mover == viewer else 1 - WHITE)
    return tuple([_sequence(fields, steps) for steps in _playable(board, mover, state.left)])


@lru_cache(maxsize=POSITIONS_SHARED)
def _playable(board: Board, mover: int, left: Dice) -> tuple[Steps, ...]:
    """The sequences that are told, which are the dearest part of a payload and the same for both players."""
    return tuple(thinned(board.search(mover), board.checkers[mover], left))


def _sequence(fields: tuple[int, ...], steps: Steps) -> MoveSequence:
    moves = tuple([LegalMove(fields[step.source], fields[step.target]) for step in steps])
    return MoveSequence(moves, tuple([step.die for step in steps]))


def _board_state(board: Board, state: GameState, seat: int, unowned: bool | None) -> BoardState:  # noqa: FBT001
    cube = state.cube
    owned = unowned if cube is None or cube.owner is None else cube.owner == seat
    return BoardState(
        fields=fields_of(board),
        bear_off_count_white=board.count(0, OFF),
        bear_off_count_black=board.count(1, OFF),
        pinned_fields=pinned_fields_of(board),
        home_bar_count_white=board.count(0, BAR),
        home_bar_count_black=board.count(1, BAR),
        doubling_cube_value=0 if cube is None else cube.value,
        doubling_cube_owner=owned,
        pip_count_black=board.pips(1),
        pip_count_white=board.pips(0),
    )


def fields_shown(state: GameState, dialect: Dialect) -> tuple[int, ...]:
    """The field of each place as the mover's client numbers it."""
    return numbering(state.position.variant, WHITE if dialect.maps_moves else state.mover)


def hop_between(fields: tuple[int, ...], source: int, target: int) -> Hop | None:
    """The way between two of these fields; None where one of them is none, or the way leads back."""
    if source not in fields or target not in fields:
        return None
    hop = fields.index(source), fields.index(target)
    return hop if hop[0] > hop[1] else None
