"""A game as the lobby sees it: phases, the dice, passes, the cube, undoing, and what is refused."""

import pytest

from games.backgammon import GAME
from games.backgammon.board import board_of
from games.backgammon.cube import Cube
from games.backgammon.notation import Word
from games.backgammon.options import GameOptions
from games.backgammon.phases import TurnPhase
from games.backgammon.state import TURNS_MAX, UNDOS_MAX, GameState
from games.backgammon.variants import BACKGAMMON, FEVGA, PLAKOTO, TAVLA
from games.tavla import GAME as TAVLA_GAME
from gameserver.game import Chance, IllegalMove, Outcome, Turn


def state_on(variant, mine, theirs, *, dice=None, mover=0, options=None, cube=None, pinned=({}, {})):
    """White's checkers and black's, each by their own points; with dice the mover has rolled, else it is to roll."""
    board = board_of(variant, (mine, theirs), pinned)
    state = GameState(options or GameOptions(), board, cube, TurnPhase.ROLLING, mover)
    return state.drawn(dice) if dice else state


def after(state, *steps):
    """The state after moves as they are written, and draws as tuples."""
    for step in steps:
        if isinstance(step, tuple):
            state = state.drawn(step)
        else:
            (seat,) = state.turn.seats
            state = state.play(seat, GAME.read_move(step))
    return state


class TestOpening:
    def test_the_opening_dice_can_be_those_of_the_first_turn(self):
        state = after(GAME.start(GameOptions(plays_opening_dice=True, by_hand=(True, True))), (6, 2))
        assert (state.mover, state.phase, state.rolled) == (0, TurnPhase.MOVING, (6, 2))

    def test_a_tie_of_such_dice_is_rolled_again_by_hand(self):
        state = after(GAME.start(GameOptions(plays_opening_dice=True, by_hand=(True, True))), (4, 4))
        assert (state.phase, state.turn, state.chance) == (TurnPhase.TIED, Turn(1, (0, 1)), None)
        assert state.reaction(0) == "white rolls 4, black 4"
        assert state.prompt(1).startswith("a tie, roll again | ")
        assert state.legal_moves(0) == state.legal_moves(1) == [Word.ROLL]
        state = state.play(1, Word.ROLL)
        assert (state.turn, state.legal_moves(1)) == (Turn(1, (0,)), ())
        with pytest.raises(IllegalMove, match="not your turn"):
            state.play(1, Word.ROLL)
        state = state.play(0, Word.ROLL)
        assert (state.chance, state.turn) == (Chance(2, 6), Turn(2, ()))
        assert after(state, (3, 3)).turn == Turn(3, (0, 1)), "as often as it takes"
        assert after(state, (1, 3)).turn == Turn(2, (1,))

    def test_seat_that_does_not_roll_by_hand_is_not_waited_for_after_a_tie(self):
        state = after(GAME.start(GameOptions(plays_opening_dice=True, by_hand=(False, True))), (4, 4))
        assert state.turn.seats == (1,)
        assert after(state, "roll").chance == Chance(2, 6)


class TestTurn:
    def test_nobody_plays_out_of_turn(self):
        state = after(TAVLA_GAME.start(GameOptions(starter=0)), (3, 1))
        assert state.legal_moves(1) == ()
        with pytest.raises(IllegalMove, match="not your turn"):
            state.play(1, ((8, 5),))


class TestUndo:
    def test_it_has_a_limit(self):
        state = after(TAVLA_GAME.start(GameOptions(starter=0)), (2, 2))
        for _ in range(UNDOS_MAX):
            state = after(state, "13/11", "undo")
        assert Word.UNDO not in after(state, "13/11").legal_moves(0)


class TestCube:
    def test_dropping_loses_what_the_game_was_worth(self):
        state = after(GAME.start(GameOptions(starter=1)), "double", "accept", (3, 1), "8/5 6/5", "double", "decline")
        assert state.outcome == Outcome((2, 0), (0,), "double dropped"), "white owned the cube and doubled"

    def test_values_and_owners(self):
        cube, owners = Cube(), [0, 1, 0, 1, 0, 1]
        assert cube.may_be_offered_by(0)
        assert cube.may_be_offered_by(1)
        for power, owner in enumerate(owners, start=1):
            cube = cube.taken_by(owner)
            assert (cube.value, cube.owner) == (2**power, owner)
            assert not cube.may_be_offered_by(1 - owner)
            with pytest.raises(ValueError, match="nobody could"):
                cube.taken_by(owner)
        assert not cube.may_be_offered_by(1)


LAST = {1: 1, 0: 14}


class TestEnd:
    @pytest.mark.parametrize(
        ("variant", "loser", "points", "reason"),
        [
            pytest.param(BACKGAMMON, {24: 14, 0: 1}, 1, "", id="single"),
            pytest.param(BACKGAMMON, {18: 15}, 2, "gammon", id="gammon"),
            pytest.param(BACKGAMMON, {19: 1, 1: 14}, 3, "backgammon", id="backgammon at the edge of the home"),
            pytest.param(BACKGAMMON, {24: 1, 1: 14}, 3, "backgammon", id="backgammon on the last field"),
            pytest.param(BACKGAMMON, {25: 1, 2: 14}, 3, "backgammon", id="backgammon on the bar"),
            pytest.param(TAVLA, {25: 1, 2: 14}, 2, "gammon", id="never three in Tavla"),
            pytest.param(PLAKOTO, {24: 15}, 2, "gammon", id="Plakoto"),
            pytest.param(FEVGA, {25: 14, 24: 1}, 2, "gammon", id="Fevga"),
            pytest.param(FEVGA, {3: 14, 0: 1}, 1, "", id="Fevga, single"),
        ],
    )
    @pytest.mark.parametrize("winner", [0, 1])
    def test_points_for_each_kind_of_win(self, variant, loser, points, reason, winner):
        sides = (LAST, loser) if winner == 0 else (loser, LAST)
        state = state_on(variant, *sides, dice=(5, 4), mover=winner)
        ended = after(state, "1/off")
        won = (points, 0) if winner == 0 else (0, points)
        assert ended.outcome == Outcome(won, (winner,), reason)
        assert (ended.turn.seats, ended.legal_moves(winner)) == ((), ())
        with pytest.raises(IllegalMove, match="the game is over"):
            ended.play(winner, Word.END)

    def test_two_pinned_mothers_end_plakoto_at_once(self):
        pinned = ({24: 1}, {})
        state = state_on(PLAKOTO, {7: 1, 2: 13}, {24: 1, 1: 2, 10: 12}, dice=(6, 1), pinned=pinned)
        ended = after(state, "7/1 2/1")
        assert ended.outcome == Outcome((0, 0), (), "both mothers are pinned")
        assert (ended.left, ended.position.count(0, 7), ended.said) == ((6,), 1, "2/1*"), "nothing moves after that"

    def test_no_game_goes_on_for_ever(self):
        state = state_on(TAVLA, {24: 15}, {24: 15}, dice=(6, 1))
        blocked = GameState(state.options, state.position, None, TurnPhase.ENDING, turns=TURNS_MAX, left=(6, 6))
        assert blocked.play(0, Word.END).outcome == Outcome((0, 0), (), f"nobody won in {TURNS_MAX} turns")


class TestRefusals:
    @pytest.mark.parametrize(
        ("move", "says"),
        [
            ("7/6", "no checker on 7"),
            ("24/19 6/5", "24/19 is not possible: 19 is blocked"),
            ("13/9", "does not fit"),
            ("24/23 23/22 22/21", "3 moves are too many"),
            ("6/off", "on points 6 to 1"),
            ("bar/20", "no checker on bar"),
        ],
    )
    def test_say_which_rule_and_what_would_do(self, move, says):
        state = after(TAVLA_GAME.start(GameOptions(starter=0)), (5, 1))
        with pytest.raises(IllegalMove, match=says) as refusal:
            after(state, move)
        assert "possible with 1 5: 24/23 13/8 8/7 8/3 6/5" in str(refusal.value)

    def test_the_bar_comes_first(self):
        state = state_on(TAVLA, {25: 1, 13: 14}, {1: 15}, dice=(5, 1))
        with pytest.raises(IllegalMove, match="has to enter first"):
            after(state, "13/8")


def test_the_view_has_everything_in_the_fields_of_gammonx():
    state = after(GAME.start(GameOptions(starter=1)), "roll", (6, 5))
    assert state.view(None) == {
        "variant": "Backgammon",
        "phase": "moving",
        "mover": 1,
        "turn": 1,
        "rolled": [6, 5],
        "left": [5, 6],
        "cube": {"value": 1, "owner": None},
        "fields": [-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2],
        "pinned": None,
        "bar": [0, 0],
        "off": [0, 0],
        "pips": [167, 167],
    }


def test_the_prompt_has_the_position_as_the_mover_counts():
    state = state_on(PLAKOTO, {24: 13, 20: 1}, {24: 14, 5: 1}, dice=(2, 1), pinned=({5: 1}, {}))
    assert state.prompt(0) == "dice 1 2 | you 24:13 20:1 | other 20:1 1:14 | pinned you 5:1, other none"


def test_the_help_spells_out_roll_cube_and_resigning():
    said = GAME.guide
    for word in ("roll", "double", "take", "drop", "undo", "end", "forfeit", "24/18", "bar/", "/off"):
        assert word in said
    assert "double " not in TAVLA_GAME.guide
    assert max(map(len, GAME.guide.splitlines())) <= 120
