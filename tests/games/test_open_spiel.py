"""Games of OpenSpiel: their rules here, which of them a config can ask for, and their players."""

import pickle
import random
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pyspiel
import pytest
from attrs import evolve

from games.open_spiel import minimax, rules
from games.open_spiel.catalogue import CATALOGUE
from games.open_spiel.rules import SpielGame, Unsuitable
from gameserver import plugins
from gameserver.config import structure
from gameserver.config_file import ConfigError
from gameserver.drawing import Disc, Label, Paint
from gameserver.game import IllegalMove, NoOptions, PlayedGame, PlayedMatch
from gameserver.server.thinkers import Thought, evaluation_of, packed, think_packed
from gameserver.testing import check_game
from tests.games.test_contract import check_how_to_play
from tests.support.own_plugins import OWN
from tests.support.tables import table

GAMES = {row.name: SpielGame(row.name, row.spiel) for row in CATALOGUE.values()}
GRIDS = ["Hex", "Go-9x9", "Connect-four", "Gomoku", "Checkers", "Breakthrough", "Amazons", "Lines-of-action"]
VARIANTS = (
    "go(board_size=19)",
    "go(board_size=19,handicap=3)",
    "hex(num_cols=7,num_rows=5,swap=True)",
    "hex(board_size=30)",
    "gomoku(size=4,dims=3)",
    "connect_four(rows=4,columns=12)",
    "checkers(rows=12,columns=10)",
    "breakthrough(rows=6,columns=9)",
    "amazons(board_size=6)",
)
"""Forms whose boards have other sizes, other first moves, or too many cells to be drawn."""

TO_KINGS = "b3c4 b5a4 a2b3 a6b5 c4a6 c6b5 b3c4 b7c6 c2b3 a4c2 a6b7 b5a4 b1a2 c2b1 "


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize(
    "moves_max",
    [
        25,
        pytest.param(None, marks=pytest.mark.slow),  # 10 s: whole random games, some of them of hundreds of moves
    ],
)
def test_a_default_game_keeps_the_contract(game, moves_max, monkeypatch):
    monkeypatch.setattr(game, "strategies", {})  # their own tests have them move
    monkeypatch.setattr(game, "evaluators", {})
    if moves_max is not None:
        monkeypatch.setattr(rules, "_rules", lambda spiel, load=rules._rules: evolve(load(spiel), moves_max=moves_max))
    check_game(game, games_played=1)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_position_is_the_same_in_another_process_and_a_turn_may_have_parts(game):
    state, chance = game.start(NoOptions()), random.Random(2)
    for _ in range(30):
        (seat,) = state.turn.seats
        after = state.play(seat, chance.choice(state.legal_moves(seat)))
        if after.outcome is not None:
            break
        assert after.turn.number == state.turn.number + (after.turn.seats != (seat,))
        state = after
    (seat,) = state.turn.seats
    there = pickle.loads(pickle.dumps(state))
    assert (there, there.turn, there.last_move) == (state, state.turn, state.last_move)
    assert (there.view(None), there.legal_moves(seat)) == (state.view(None), state.legal_moves(seat))


def test_a_match_is_of_one_openspiel_and_one_game(monkeypatch):
    """Under another one the same moves may lead elsewhere: the server voids the match."""
    before = SpielGame("Hex", "hex(board_size=11)")
    assert before.version == SpielGame("Hex", "hex(board_size=11)").version
    assert before.version != SpielGame("Hex", "hex(board_size=13)").version
    monkeypatch.setattr("games.open_spiel.rules.version", lambda _: "2.1.0")
    assert before.version != SpielGame("Hex", "hex(board_size=11)").version


@pytest.mark.parametrize(
    "game", [*GAMES.values(), *(SpielGame(spiel, spiel) for spiel in VARIANTS)], ids=lambda game: game.name
)
def test_every_move_is_made_by_touch_or_button_and_leaves_its_mark(game):
    state, chance = game.start(NoOptions()), random.Random(1)
    for _ in range(60):
        board = state.board(None)
        assert board.isascii()
        if not (seats := state.turn.seats):
            break
        picture = state.picture(seats[0])
        legal, move = state.legal_moves(seats[0]), chance.choice(state.legal_moves(seats[0]))
        state = state.play(seats[0], move)
        if picture is None:
            continue
        sizes = [shape.size for shape in picture.shapes if isinstance(shape, Label)]
        assert all(358 * size / picture.width >= 9 for size in sizes if game.name in GAMES), "legible on a phone"
        assert all(len(line) <= 79 for line in board.split("\n"))
        spots = {touch.move: touch.spots for touch in picture.touches}
        buttons = {"pass", "swap"} if picture.buttons is None else {*picture.buttons}
        assert {*spots} <= {*legal} <= {*spots} | buttons
        if move in spots and CATALOGUE[game.spiel.partition("(")[0]].name in GRIDS:
            shapes = state.picture(None).shapes
            new = {*shapes} - {*picture.shapes}
            pieces = {(shape.x, shape.y) for shape in new if isinstance(shape, Disc) and shape.fill}
            # A part of a turn of amazons may put down no piece.
            is_piece = "mazons" not in game.name
            marks = [shape for shape in shapes if getattr(shape, "stroke", None) == Paint.LAST]
            areas = [shape for shape in picture.shapes if getattr(shape, "spot", "") == spots[move][-1]]
            assert any(is_within(area, mark) for area in areas for mark in marks)
            assert not is_piece or any((mark.x, mark.y) in pieces for mark in marks)


def extent_of(area):
    corners = getattr(area, "points", None)
    if corners is None:
        corners = ((area.x, area.y), (area.x + area.width, area.y + area.height))
    return [(min(values), max(values)) for values in zip(*corners, strict=True)]


def is_within(area, mark):
    (left, right), (top, bottom) = extent_of(area)
    return left < mark.x < right and top < mark.y < bottom


@pytest.mark.parametrize(
    ("name", "moves", "board"),
    [
        ("hex(board_size=3)", "b1 a3", "    a b c\n  1 . B .\n   2 . . .\n    3 W . ."),
        ("go(board_size=3)", "a1 c2", "    a b c\n  3 . . .\n  2 . . W\n  1 B . ."),
        ("gomoku(size=3)", "2,0 0,1", "    0 1 2\n  0 . W .\n  1 . . .\n  2 B . ."),
        ("connect_four(rows=2,columns=3)", "2 2", "    0 1 2\n    . . O\n    . . X"),
        (
            "checkers(rows=7,columns=3)",
            TO_KINGS,
            "    a b c\n  7 . W .\n  6 . . b\n  5 . . .\n  4 b . w\n  3 . . .\n  2 w . .\n  1 . B .\n",
        ),
        ("amazons(board_size=6)", "b1 d3 d4", "  6 . B . . B .\n  5 B . . . . B\n  4 . . . # . .\n  3 . . . W . .\n"),
        ("amazons(board_size=6)", "b1", "  1 . W . . W .\n"),
    ],
)
def test_a_board_is_told_in_the_names_of_its_moves(name, moves, board):
    assert board in after(name, moves).board(None)


def after(name, moves):
    game = GAMES.get(name) or SpielGame(name, name)
    state = game.start(game.options_type())
    for move in moves.split():
        state = state.play(state.turn.seats[0], game.read_move(move))
    return state


@pytest.mark.parametrize(
    ("name", "moves", "points", "ending"),
    table(__file__, "games, moves, the points of each seat, and how the game ended"),
)
def test_a_game_ends_as_its_players_expect(name, moves, points, ending):
    state = after(name, moves)
    assert " ".join(map(str, state.outcome.points)) == points
    assert state.ending == ending


@pytest.mark.parametrize(
    ("name", "ending", "scores"),
    [
        ("Ultimate-tic-tac-toe", "boards 2, 4, 6 in a row", [None, None]),
        ("Dots-and-boxes", "8 boxes to 8", [8, 8]),
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


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_guide_fits_a_terminal_and_its_example_can_be_played(game):
    check_how_to_play(game)
    assert game.guide.isascii()
    assert all(len(line) <= 71 for line in game.guide.split("\n"))
    example = re.search(r"^move (\S+)", game.guide, re.MULTILINE)[1]
    assert example in game.start(NoOptions()).legal_moves(0)


@pytest.mark.parametrize(
    ("name", "moves", "reason", "sgf"), table(__file__, "games, moves, how they ended, and their SGF")
)
def test_go_and_hex_are_exported_in_sgf(name, moves, reason, sgf):
    end = after(name, moves)
    game = GAMES.get(name) or SpielGame(name, name)
    steps = tuple((number % 2, move) for number, move in enumerate(moves.split()))
    winners = end.outcome.winners if reason == "played" else (1 - end.turn.seats[0],)
    played = PlayedGame(game, NoOptions(), steps, (0, 0), winners, reason)
    match = PlayedMatch(1, game, NoOptions(), ("ann", "bob"), "2026-01-02T03:04:05Z", (played,))
    kind, result, *nodes = sgf.split(";")
    players = "PB[bob]PW[ann]" if "HA[" in kind else "PB[ann]PW[bob]"
    told = f"(;FF[4]CA[UTF-8]AP[gameserver]{kind}GN[1]DT[2026-01-02]{players}{result}\n;{';'.join(nodes)})\n"
    assert game.exports["sgf"](match) == told


@pytest.mark.parametrize(("spiel", "first"), table(__file__, "forms of games, and the side that begins"))
def test_the_side_that_begins_has_seat_0(spiel, first):
    start = SpielGame("X", spiel).start(NoOptions())
    if start.chance is not None:
        start = start.drawn((1,))
    assert (start.turn.seats, start.sides(None)[0].name) == ((0,), first)


@pytest.mark.parametrize(
    ("name", "moves", "move", "spots"), table(__file__, "games, moves, a move, and the places that are touched for it")
)
def test_a_move_is_made_by_touching_its_places(name, moves, move, spots):
    state = after(name, moves)
    picture = state.picture(state.turn.seats[0])
    assert ", then ".join({touch.move: touch.spots for touch in picture.touches}[move]) == spots


@pytest.mark.parametrize(
    ("name", "moves", "spot"),
    [("Chess", "", "a2"), ("Chess", "e2e4", "h7"), ("Oware", "", "house a"), ("Oware", "c", "house a")],
)
def test_each_seat_has_its_own_side_of_the_board_below(name, moves, spot):
    state = after(name, moves)
    picture = state.picture(state.turn.seats[0])
    [place] = (shape for shape in picture.shapes if getattr(shape, "spot", "") == spot)
    (left, _), (top, _) = extent_of(place)
    assert left < 0.2 * picture.width
    assert top > 0.5 * picture.height


@pytest.mark.parametrize(
    ("name", "moves", "prompt"), table(__file__, "games, moves, and what the player to move is told")
)
def test_the_player_to_move_is_told_what_the_board_does_not_say(name, moves, prompt):
    state = after(name, moves)
    assert state.prompt(state.turn.seats[0]) == prompt


@pytest.mark.parametrize(
    ("clock", "tag"), [("3m+2s, turn 60s", "180+2"), ("5m", "300"), ("2m, 3 x 10s", "?"), ("turn 10s", "1/10")]
)
def test_pgn_tells_the_clock_and_the_time_left(clock, tag):
    left_ms = (172_500, 3_600_000, 900)
    game = PlayedGame(GAMES["Chess"], NoOptions(), ((0, "e2e4"), (1, "e7e5"), (0, "g1f3")), (0, 0), (), "void", left_ms)
    match = PlayedMatch(7, GAMES["Chess"], NoOptions(), ("a", "b"), "2026", (game,), clock)
    text = GAMES["Chess"].exports["pgn"](match)
    assert f'[TimeControl "{tag}"]\n' in text
    assert text.endswith(
        "\n\n1. e4 {[%clk 0:02:52.500]} 1... e5 {[%clk 1:00:00.000]} 2. Nf3\n{[%clk 0:00:00.900]} *\n\n"
    )


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
[TimeControl "-"]

{moves}

"""
    )


@pytest.mark.parametrize(
    ("name", "moves", "move", "refusal"), table(__file__, "games, moves, another spelling, and its refusal")
)
def test_another_spelling_is_refused_with_the_right_one(name, moves, move, refusal):
    state = after(name, moves)
    with pytest.raises(IllegalMove) as refused:
        state.play(state.turn.seats[0], GAMES[name].read_move(move))
    assert str(refused.value) == refusal


@pytest.mark.parametrize(("spiel", "reason"), table(__file__, "games that cannot be played"))
def test_a_game_that_cannot_be_played_is_refused_with_the_reason(spiel, reason):
    with pytest.raises(Unsuitable, match=f"^{reason.replace('?', '[?]').replace('(', '[(]')}$"):
        SpielGame("X", spiel)


def games_of(table: str) -> tuple[dict[str, Any], list[str]]:
    """The games that are brought, with OpenSpiel's string, and what is said of those left out."""
    _, options = structure(tomllib.loads(f"[openspiel]\n{table}"), OWN.configured)
    found = plugins.with_games_of_libraries(OWN, options)
    brought = {game.name: game.spiel for key, game in found.games.items() if key not in OWN.games}
    return brought, [f"{problem.source}: {problem.why}" for problem in found.problems]


def test_default_games_are_twelve_without_a_clash() -> None:
    brought, problems = games_of('games = ["go", "default", "chess"]')
    assert (len(brought), problems) == (12, [])
    page = (Path(__file__).parents[2] / "docs/open_spiel.md").read_text("utf-8")
    assert [f"| {name} | `{spiel}` |" for name, spiel in brought.items() if f"| {name} | `{spiel}` |" not in page] == []


def test_games_are_brought_or_left_out_with_the_reason() -> None:
    brought, problems = games_of(
        """games = [
            "nim", "CHESS", "go", {name = "Hex-13", game = "hex(board_size=13)"},
            "othello", "tic_tac_toe", "backgammon", "ches", "hex(board_size=5)", "kuhn_poker", "2048",
            {name = "Havannah", game = "havannah(board_size=-1)"}, {name = "Flat", game = "connect_four(rows=0)"},
            {name = "Hex-3000", game = "hex(board_size=3000)"}, {name = "Hex-0", game = "hex(board_size=-1)"},
            {name = "Gomoku-2000", game = "gomoku(size=2000)"},
            {name = "Reversi", game = "clobber"},
        ]"""
    )
    assert brought == {"Nim": "nim", "Chess": "chess", "Go-9x9": "go(board_size=9)", "Hex-13": "hex(board_size=13)"}
    assert [line.removeprefix("[openspiel] ") for line in problems] == [
        "othello: the name 'Othello' is taken by Reversi, from games.reversi; take another one",
        "tic_tac_toe: the name 'Tic-tac-toe' is taken by Tic-tac-toe, from games.tic_tac_toe; take another one",
        "backgammon: the name 'Backgammon' is taken by Backgammon, from games.backgammon; take another one",
        "ches: OpenSpiel has no game ches; did you mean chess?",
        'hex(board_size=5): a game with parameters needs a name: {name = "...", game = "hex(board_size=5)"}',
        "kuhn_poker: it hides something from its players, and OpenSpiel does not say what spectators may see",
        "2048: it has 1 player, and matches here are for two",
        "Havannah = havannah(board_size=-1): it crashed the process that tried it (SIGSEGV)",
        "Flat = connect_four(rows=0): its games have no second move",
        "Hex-3000 = hex(board_size=3000): it takes more than 200 MB of memory",
        "Hex-0 = hex(board_size=-1): its games have no second move",
        "Gomoku-2000 = gomoku(size=2000): it takes more than 200 MB of memory",
        "Reversi = clobber: the name 'Reversi' is taken by Reversi, from games.reversi; take another one",
    ]


@pytest.mark.parametrize(("value", "says"), table(__file__, "values of openspiel.games, and what is said of them"))
def test_what_is_no_list_of_games_is_one_clear_line(value: str, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        games_of(f"games = {value}")
    assert str(refused.value).startswith("openspiel.games: ")
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("table", "lines"), [("", 0), ("games = []", 0), ('games = ["nim", "chess"]', 1)])
def test_without_openspiel_there_is_one_line_if_a_game_is_asked_for(
    table: str, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    for module in ("rules", "catalogue"):
        monkeypatch.delitem(sys.modules, f"games.open_spiel.{module}", raising=False)
    brought, problems = games_of(table)
    assert (brought, len(problems)) == ({}, lines)
    assert all("pip install 'gameserver[openspiel]'" in line for line in problems)


def thought_of(name, level, state, seed="1"):
    answer = think_packed(packed(Thought(GAMES[name], state, state.turn.seats[0], level, seed * 64, "key")))
    assert not answer.fault
    return answer.move


@pytest.mark.parametrize("name", GAMES)
def test_each_level_moves_legally_and_alike_by_the_same_seed(name):
    at_random, state, positions = random.Random(5), GAMES[name].start(None), []
    while state.outcome is None:
        positions.append(state)
        seat = state.turn.seats[0]
        state = state.play(seat, at_random.choice(state.legal_moves(seat)))
    searched = [("novice", positions[0]), ("club", positions[len(positions) // 2]), ("master", positions[-1])]
    # These masters take half a second for a move, by the search of their clubs.
    for level, position in searched[: 2 if name in ("Chess", "Lines-of-action") else 3]:
        moves = [thought_of(name, level, position) for _ in range(2)]
        assert moves[0] in position.words
        assert moves[0] == moves[1]


def test_another_seed_may_give_another_move():
    start = GAMES["Hex"].start(None)
    assert len({thought_of("Hex", "novice", start, seed) for seed in "1234"}) > 1


@pytest.mark.parametrize(("name", "moves"), [("Chess", "e2e4 f7f5 d1h5"), ("Checkers", "e3f4 d6e5")])
def test_move_without_a_choice_is_not_searched(name, moves, monkeypatch):
    monkeypatch.setattr(minimax, "best_moves", None)
    monkeypatch.setattr(pyspiel, "MCTSBot", None)
    state = after(name, moves)
    assert [thought_of(name, "master", state)] == list(state.words)


@pytest.mark.parametrize(
    ("name", "moves", "level", "best"), table(__file__, "games, moves, a level, and the moves that it may choose")
)
def test_level_sees_what_decides_at_once(name, moves, level, best):
    assert thought_of(name, level, after(name, moves)) in best.split()


@pytest.mark.parametrize(
    ("name", "moves", "least", "most"),
    table(__file__, "games, moves, and the least and greatest chance of seat 0 in the master's opinion"),
)
def test_the_master_tells_the_chance_of_seat_0(name, moves, least, most):
    assert float(least) <= evaluation_of(GAMES[name], after(name, moves)) <= float(most)
