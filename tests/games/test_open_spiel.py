"""Games of OpenSpiel: the contract, the words of their moves, and what cannot be played."""

import pytest

from games.open_spiel.catalogue import CATALOGUE
from games.open_spiel.rules import SpielGame, Unsuitable
from gameserver.game import IllegalMove, NoOptions, PlayedGame, PlayedMatch
from gameserver.testing import check_game

GAMES = {row.name: SpielGame(row.name, row.spiel) for row in CATALOGUE.values()}


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_default_game_keeps_the_contract(game, monkeypatch):
    monkeypatch.setattr(game, "strategies", {})  # their own tests have them move
    check_game(game, games_played=1, strategy_moves_max=1)


# By Sam Loyd.
SHORTEST_STALEMATE = "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6"


def after(name, moves):
    game = GAMES[name]
    state = game.start(game.options_type())
    for move in moves.split():
        state = state.play(state.turn.seats[0], game.read_move(move))
    return state


@pytest.mark.parametrize(
    ("name", "moves", "points", "ending"),
    [
        ("Chess", "f2f3 e7e5 g2g4 d8h4", (-1, 1), "checkmate"),
        ("Chess", "g1f3 g8f6 f3g1 f6g8 " * 2, (0, 0), "the same position three times"),
        ("Chess", SHORTEST_STALEMATE, (0, 0), "stalemate"),
        ("Go-9x9", "e5 pass pass", (1, -1), ""),
        ("Connect-four", "3 4 3 4 3 4 3", (1, -1), ""),
    ],
)
def test_a_game_ends_as_its_players_expect(name, moves, points, ending):
    state = after(name, moves)
    assert state.outcome.points == points
    assert state.ending == ending


@pytest.mark.parametrize(
    ("name", "ending", "scores"),
    [
        ("Ultimate-tic-tac-toe", "boards 2, 4, 6 in a row", [None, None]),
        ("Dots-and-boxes", "8 boxes each", [8, 8]),
        ("Oware", "32 seeds to 16", [16, 32]),
    ],
)
def test_the_end_says_why_and_beside_the_names_stand_the_scores(name, ending, scores):
    state = after(name, "")
    while state.outcome is None:
        [seat] = state.turn.seats
        state = state.play(seat, state.legal_moves(seat)[0])
    assert state.ending == ending
    assert [side.score for side in state.sides(None)] == scores


@pytest.mark.parametrize(
    ("spiel", "first"),
    [("chess", "white"), ("checkers", "white"), ("amazons", "white"), ("go", "black"), ("go(handicap=2)", "white")],
)
def test_the_side_that_begins_has_seat_0(spiel, first):
    assert SpielGame("X", spiel).start(NoOptions()).sides(None)[0].name == first


@pytest.mark.parametrize(
    ("name", "moves", "move", "spots"),
    [
        ("Chess", "e2e4 d7d5 e4d5 c7c6 d5c6 g8f6 c6b7 f6e4", "b7a8n", ("b7", "a8", "knight")),
        ("Chess", "e2e4 e7e5 g1f3 g8f6 f1e2 f8e7", "e1g1", ("e1", "g1")),
        ("Ultimate-tic-tac-toe", "", "4", ("board 4",)),
        ("Ultimate-tic-tac-toe", "4 2 7 3", "8", ("board 3, cell 8",)),
        ("Dots-and-boxes", "h,0,0 v,0,0", "v,2,4", ("down from row 2, column 4",)),
        ("Oware", "c f", "a", ("house a",)),
    ],
)
def test_a_move_is_made_by_touching_its_places(name, moves, move, spots):
    state = after(name, moves)
    picture = state.picture(state.turn.seats[0])
    assert {touch.move: touch.spots for touch in picture.touches}[move] == spots


@pytest.mark.parametrize(
    ("name", "moves", "spot"),
    [("Chess", "", "a2"), ("Chess", "e2e4", "h7"), ("Oware", "", "house a"), ("Oware", "c", "house a")],
)
def test_each_seat_has_its_own_side_of_the_board_below(name, moves, spot):
    state = after(name, moves)
    picture = state.picture(state.turn.seats[0])
    [place] = (shape for shape in picture.shapes if getattr(shape, "spot", "") == spot)
    assert place.x < 0.2 * picture.width
    assert place.y > 0.5 * picture.height


@pytest.mark.parametrize(
    ("name", "moves", "prompt"),
    [
        ("Chess", "e2e4 f7f6 d1h5", "your king is in check"),
        ("Chess", "e2e4 f7f6 d1h5 g7g6", ""),
        ("Ultimate-tic-tac-toe", "", "choose a board"),
        ("Ultimate-tic-tac-toe", "4 2", "a cell of board 2"),
        ("Dots-and-boxes", "h,0,0 h,1,0 v,0,0 v,0,1", "you closed a box: draw another line"),
        ("Dots-and-boxes", "h,0,0 h,1,0 v,0,0 v,0,1 h,2,0", ""),
    ],
)
def test_the_player_to_move_is_told_what_the_board_does_not_say(name, moves, prompt):
    state = after(name, moves)
    assert state.prompt(state.turn.seats[0]) == prompt


@pytest.mark.parametrize(
    ("moves", "winners", "reason", "ends"),
    [
        ("f2f3 e7e5 g2g4 d8h4", (1,), "played", ("0-1", "normal", "1. f3 e5 2. g4 Qh4# {checkmate} 0-1")),
        ("e2e4", (0,), "late", ("1-0", "time forfeit", "1. e4 1-0")),
        ("e2e4 e7e5", (), "void", ("*", "unterminated", "1. e4 e5 *")),
    ],
)
def test_a_chess_match_is_exported_as_pgn(moves, winners, reason, ends):
    steps = tuple((number % 2, move) for number, move in enumerate(moves.split()))
    game = PlayedGame(GAMES["Chess"], NoOptions(), steps, (0, 0), winners, reason)
    match = PlayedMatch(7, GAMES["Chess"], NoOptions(), ('Bo "B"', "cy"), "2026-11-29T01:25:25Z", (game,))
    result, termination, moves = ends
    assert (
        GAMES["Chess"].exports["pgn"](match)
        == f"""\
[Event "Match 7"]
[Site "?"]
[Date "2026.11.29"]
[Round "-"]
[White "Bo \\"B\\""]
[Black "cy"]
[Result "{result}"]
[Termination "{termination}"]

{moves}
"""
    )


@pytest.mark.parametrize(
    ("name", "moves", "move", "refusal"),
    [
        ("Chess", "", "Nf3", "write it as g1f3, not Nf3"),
        ("Chess", "", "e2e5", "e2e5 is not a legal move here; a2a3 would be"),
        ("Connect-four", "", "x3", "write it as 3, not x3"),
        ("Connect-four", "", "-1", "-1 is not a legal move here; 0 would be"),
        ("Lines-of-action", "", "b1-h1", "write it as b1h1, not b1-h1"),
    ],
)
def test_another_spelling_is_refused_with_the_right_one(name, moves, move, refusal):
    state = after(name, moves)
    with pytest.raises(IllegalMove) as refused:
        state.play(state.turn.seats[0], GAMES[name].read_move(move))
    assert str(refused.value) == refusal


@pytest.mark.parametrize(
    ("spiel", "reason"),
    [
        ("yacht", "a draw of it has 7,776 outcomes, more than 1,000"),
        ("blotto", "its players do not move one after the other"),
        ("2048", "it has 1 player, and matches here are for two"),
        ("maedn(players=4)", "it has 4 players, and matches here are for two"),
        ("conect_four", "OpenSpiel has no game conect_four; did you mean connect_four?"),
    ],
)
def test_a_game_that_cannot_be_played_is_refused_with_the_reason(spiel, reason):
    with pytest.raises(Unsuitable, match=f"^{reason.replace('?', '[?]').replace('(', '[(]')}$"):
        SpielGame("X", spiel)
