"""A game as the lobby sees it: phases, the dice, passes, the cube, undoing, and what is refused."""

import pytest

from games.backgammon import BACKGAMMON as GAME
from games.backgammon import TAVLA as TAVLA_GAME
from games.backgammon.match import GameOptions
from games.backgammon.notation import Word
from games.backgammon.phases import Cube, TurnPhase
from games.backgammon.state import TURNS_MAX, UNDOS_MAX, GameState
from games.backgammon.variants import BACKGAMMON, FEVGA, PLAKOTO, TAVLA
from gameserver.game import Chance, IllegalMove, Outcome, Turn
from tests.games.backgammon.positions import board_of

BY_HAND = GameOptions(by_hand=(True, True))
BACKGAMMON_START = {24: 2, 13: 5, 8: 3, 6: 5}


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
    def test_each_side_rolls_a_die_until_they_differ(self):
        state = TAVLA_GAME.start(GameOptions())
        assert (state.chance, state.turn.seats) == (Chance(2, 6), ())
        state = after(state, (4, 4))
        assert (state.chance, state.phase) == (Chance(2, 6), TurnPhase.OPENING)
        state = after(state, (2, 5))
        assert (state.mover, state.phase) == (1, TurnPhase.ROLLING)
        assert after(state, (3, 1)).left == (1, 3)

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

    @pytest.mark.parametrize(
        ("by_hand", "plays", "begins"),
        [
            ((True, True), (True, False), False),
            ((True, True), (True, True), True),
            ((True, False), (True, False), True),
            ((False, True), (True, False), False),
            ((False, False), (False, False), False),
            ((False, False), True, True),
        ],
    )
    def test_the_opening_dice_are_played_if_all_want_it_who_roll(self, by_hand, plays, begins):
        options = GameOptions(plays_opening_dice=plays, by_hand=by_hand)
        assert options.starts_with_opening_dice is begins
        assert after(GAME.start(options), (6, 2)).phase is (TurnPhase.MOVING if begins else TurnPhase.TO_ROLL)
        assert options.tells_ties is (begins and any(by_hand))

    def test_only_seats_start(self):
        with pytest.raises(ValueError, match="starter"):
            GameOptions(starter=2)


class TestTurn:
    def test_turn_by_hand_is_roll_moves_and_end(self):
        state = TAVLA_GAME.start(GameOptions(starter=0, by_hand=(True, False)))
        assert state.legal_moves(0) == [Word.ROLL]
        state = after(state, "roll", (3, 1), "8/5", "6/5")
        assert (state.phase, state.turn.seats, state.number) == (TurnPhase.ENDING, (0,), 0)
        assert state.legal_moves(0) == [Word.UNDO, Word.END]
        state = after(state, "end")
        assert (state.mover, state.phase) == (1, TurnPhase.ROLLING), "the other one does not roll by hand"

    def test_the_order_in_which_a_play_is_written_does_not_matter(self):
        state = after(TAVLA_GAME.start(GameOptions(starter=0)), (6, 1))
        plays = ["13/7 8/7", "8/7 13/7", "8 7 13 7", "8/7, 13/7*"]
        assert len({after(state, play) for play in plays}) == 1

    def test_one_checker_can_go_with_several_dice(self):
        start = after(TAVLA_GAME.start(GameOptions(starter=0)), (6, 2))
        assert after(start, "24/16").position == after(start, "24/18 18/16").position
        assert after(start, "24/16").said == "24/22 22/16", "the lower die first, as in GammonX"
        double = after(TAVLA_GAME.start(GameOptions(starter=0)), (3, 3))
        assert after(double, "13/7 8/5(2)").position == after(double, "13/10 10/7 8/5 8/5").position

    def test_a_way_over_a_blocked_point_takes_the_other_die_first(self):
        state = state_on(TAVLA, {24: 1, 1: 14}, {7: 2, 1: 13}, dice=(6, 5))
        assert after(state, "24/13").said == "24/19 19/13"

    def test_a_turn_without_a_move_is_ended_by_hand(self):
        state = state_on(TAVLA, {25: 1, 6: 14}, dict.fromkeys(range(1, 7), 2) | {13: 3}, dice=(6, 5))
        assert (state.phase, state.legal_moves(0)) == (TurnPhase.ENDING, [Word.END])
        assert state.prompt(0).startswith("dice 5 6 cannot be played, end | ")
        passed = after(state, "pass")
        assert (passed.mover, passed.reaction(None)) == (1, "5 6 cannot be played")

    def test_dice_that_are_left_but_cannot_be_played_end_the_turn(self):
        state = state_on(TAVLA, {25: 2, 6: 13}, dict.fromkeys(range(1, 7), 2) | {13: 3}, dice=(6, 5))
        assert (state.left, state.phase) == ((5, 6), TurnPhase.ENDING)
        state = state_on(TAVLA, {25: 2, 6: 13}, dict.fromkeys((2, 3, 4, 5, 6), 2) | {13: 5}, dice=(1, 6))
        moved = after(state, "bar/24")
        assert (moved.mover, moved.position.count(0, 25)) == (1, 1)

    def test_hits_and_later_dice_are_told(self):
        state = state_on(TAVLA, {24: 1, 6: 14}, {5: 1, 1: 14}, dice=(4, 1))
        moved = after(state, "24/20* 6/5", (6, 3))
        assert moved.position.count(1, 25) == 1
        assert moved.reaction(0) == "6/5 24/20*, black rolls 6 3"

    def test_nobody_plays_out_of_turn(self):
        state = after(TAVLA_GAME.start(GameOptions(starter=0)), (3, 1))
        assert state.legal_moves(1) == ()
        with pytest.raises(IllegalMove, match="not your turn"):
            state.play(1, ((8, 5),))


class TestUndo:
    def test_each_step_is_taken_back_with_its_die(self):
        start = after(GAME.start(GameOptions(starter=0, by_hand=(True, True))), "roll", (6, 2))
        moved = after(start, "24/16")
        assert (moved.left, moved.phase) == ((), TurnPhase.ENDING)
        once = after(moved, "undo")
        assert (once.left, once.position.count(0, 22)) == ((6,), 1)
        twice = after(once, "undo")
        assert (twice.position, twice.left, twice.earlier) == (start.position, start.left, ())
        assert Word.UNDO not in twice.legal_moves(0)

    @pytest.mark.parametrize(
        ("variant", "mine", "theirs", "move"),
        [
            pytest.param(TAVLA, {24: 1, 6: 14}, {5: 1, 1: 14}, "24/20*", id="a hit"),
            pytest.param(PLAKOTO, {24: 15}, {5: 1, 24: 14}, "24/20", id="a pin"),
            pytest.param(TAVLA, {4: 2, 0: 13}, {1: 15}, "4/off", id="a bear-off"),
            pytest.param(FEVGA, {25: 14, 24: 1}, {25: 14, 24: 1}, "bar/21", id="an entry"),
        ],
    )
    def test_hits_pins_and_exits_are_restored(self, variant, mine, theirs, move):
        state = state_on(variant, mine, theirs, dice=(4, 4), options=BY_HAND)
        assert after(state, move).position != state.position
        assert after(state, move, "undo").position == state.position

    def test_it_has_a_limit(self):
        state = after(TAVLA_GAME.start(GameOptions(starter=0)), (2, 2))
        for _ in range(UNDOS_MAX):
            state = after(state, "13/11", "undo")
        assert Word.UNDO not in after(state, "13/11").legal_moves(0)


class TestCube:
    def test_either_side_may_double_first_and_the_taker_next(self):
        state = GAME.start(GameOptions(starter=0))
        assert state.legal_moves(0) == [Word.ROLL, Word.DOUBLE]
        assert state.prompt(0).startswith("roll or double, cube 1 | ")
        offered = after(state, "double")
        assert (offered.turn, offered.mover, offered.turns) == (Turn(1, (1,)), 0, 1)
        assert offered.prompt(1).startswith("take or drop, cube 1 to 2 | ")
        taken = after(offered, "take")
        assert (taken.cube, taken.phase, taken.turn.number) == (Cube(2, 1), TurnPhase.ROLLING, 2)
        blacks = after(taken, (3, 1), "8/5 6/5")
        assert blacks.legal_moves(1) == [Word.ROLL, Word.DOUBLE]
        whites = after(blacks, "roll", (3, 1), "8/5 6/5")
        assert whites.phase is TurnPhase.ROLLING, "the cube is black's, so white's dice come at once"

    def test_dropping_loses_what_the_game_was_worth(self):
        state = after(GAME.start(GameOptions(starter=1)), "double", "accept", (3, 1), "8/5 6/5", "double", "decline")
        assert state.outcome == Outcome((2, 0), (0,), "double dropped"), "white owned the cube and doubled"

    def test_not_after_the_roll_and_not_beyond_64(self):
        rolled = after(GAME.start(GameOptions(starter=0)), "roll", (3, 1))
        with pytest.raises(IllegalMove, match="now you can play 1 3"):
            rolled.play(0, Word.DOUBLE)
        full = state_on(BACKGAMMON, BACKGAMMON_START, BACKGAMMON_START, dice=(3, 1), cube=Cube(64, 1))
        assert after(full, "8/5 6/5").phase is TurnPhase.ROLLING

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

    def test_the_cube_multiplies(self):
        state = state_on(BACKGAMMON, LAST, {25: 1, 2: 14}, dice=(5, 4), cube=Cube(4, 0))
        assert after(state, "1/off").outcome.points == (12, 0)

    def test_two_pinned_mothers_end_plakoto_at_once(self):
        pinned = ({24: 1}, {})
        state = state_on(PLAKOTO, {7: 1, 2: 13}, {24: 1, 1: 2, 10: 12}, dice=(6, 1), pinned=pinned)
        ended = after(state, "7/1 2/1")
        assert ended.outcome == Outcome((0, 0), (), "both mothers are pinned")
        assert (ended.left, ended.position.count(0, 7), ended.said) == ((6,), 1, "2/1*"), "nothing moves after that"

    @pytest.mark.parametrize(("game", "points"), [(GAME, 3), (TAVLA_GAME, 2)])
    def test_resigning_costs_the_most(self, game, points):
        state = game.start(GameOptions())
        assert state.resigned(0) == Outcome((0, points), (1,))
        assert state.resigned(1) == Outcome((points, 0), (0,))

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

    def test_both_dice_have_to_be_played_where_they_can(self):
        # After 10/8 the 6 could not be played any more: 2 is blocked.
        state = state_on(TAVLA, {10: 1, 3: 1, 1: 13}, {23: 2, 1: 13}, dice=(6, 2))
        assert state.legal_moves(0) == [((10, 4), (3, 1)), ((10, 4),), ((3, 1),)]
        with pytest.raises(IllegalMove, match="as many dice as possible"):
            after(state, "10/8")

    def test_higher_die_must_be_played_if_only_one_can_be(self):
        state = state_on(TAVLA, {10: 1, 0: 14}, {24: 2, 1: 13}, dice=(6, 3))
        assert state.legal_moves(0) == [((10, 4),)]

    def test_a_step_that_only_a_later_position_allows_is_refused(self):
        state = state_on(TAVLA, {25: 1, 13: 14}, {1: 15}, dice=(5, 1))
        assert after(state, "bar/20", "13/12").mover == 1
        with pytest.raises(IllegalMove):
            after(state, "13/12")


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
