"""Jellyfish's text format, read back: the dice and moves in it lead to where the match went."""

import re

import pytest

from games.backgammon.board import start_of
from games.backgammon.variants import BAR, OFF
from gameserver.exports.matches import played_match
from gameserver.game import PlayedMatch
from tests.exports.matches import GAMES, played

PLAY = re.compile(r"(\d)(\d): (Cannot Move|(?:\d+/\d+\*?(?: |$))+)")


def mat(match: PlayedMatch) -> list[str]:
    return match.game.exports["mat"](match).splitlines()


def columns(line: str) -> tuple[str, str]:
    """The cells of both players in a numbered line."""
    cells = line[5:]
    return cells[:35].strip(), cells[35:].strip()


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("Backgammon", {}),
        ("Plakoto", {}),
        ("Fevga", {}),
        ("Backgammon", {"length": "5 points"}),
        ("Tavli", {"length": "cash"}),
        ("Tavla", {"length": "5 points", "plays_opening_dice": True}),
    ],
)
@pytest.mark.parametrize("seed", [1])
def test_exported_games_lead_to_the_same_positions(game: str, options: dict[str, object], seed: int) -> None:
    match = played_match(played(game, seed, **options), GAMES)
    lines = mat(match)
    heads = [number for number, line in enumerate(lines) if line.startswith(" Game ")]
    assert len(heads) == len(match.games)
    for head, end, one in zip(heads, [*heads[1:], len(lines)], match.games, strict=True):
        state = list(one.positions())[-1]
        board = start_of(state.position.variant)
        for line in lines[head + 2 : end]:
            for seat, cell in enumerate(columns(line) if re.match(r" *\d+\)", line) else ()):
                found = PLAY.fullmatch(cell)
                assert found or cell in {"", "Takes", "Drops"} or cell.startswith("Doubles => "), cell
                for source, target in re.findall(r"(\d+)/(\d+)", found[3]) if found else ():
                    board = board.moved(
                        seat, *({25: BAR, 0: OFF}.get(int(place), int(place)) for place in (source, target))
                    )
        assert board == state.position


def test_the_heads_and_the_score() -> None:
    match = played_match(played("Backgammon", 3, length="5 points"), GAMES)
    lines = mat(match)
    assert lines[:6] == [
        '; [Match ID "1"]',
        f'; [Player 1 "{match.players[0]}"]',
        f'; [Player 2 "{match.players[1]}"]',
        '; [EventDate "1970.01.01"]',
        '; [Variation "Backgammon"]',
        "",
    ]
    assert lines[6] == " 5 point match"
    won = [0, 0]
    for number, game in enumerate(match.games):
        head = lines[lines.index(f" Game {number + 1}") + 1]
        assert re.findall(r": (\d+)", head) == [str(points) for points in won]
        won = [before + points for before, points in zip(won, game.points, strict=True)]
    assert sum("Wins" in line for line in lines) == len(match.games)
    assert max(won) >= 5


def test_double_and_its_answer_are_in_their_players_columns() -> None:
    for seed in range(1, 30):
        lines = mat(played_match(played("Backgammon", seed, length="cash"), GAMES))
        words = [line for line in lines if "Doubles" in line]
        if words:
            assert re.search(r"Doubles => (2|4|8|16|32|64)\b", words[0])
            answers = [line for line in lines if "Takes" in line or "Drops" in line]
            assert len(answers) == len(words)
            return
    pytest.fail("nobody ever doubled")


def test_a_game_that_was_given_up_is_written_as_far_as_it_went() -> None:
    lines = mat(played_match(played("Backgammon", 4, moves_max=9, length="cash"), GAMES))
    assert "Wins 3 points" in lines[-1]
    assert sum(bool(re.match(r" *\d+\)", line)) for line in lines) > 0
