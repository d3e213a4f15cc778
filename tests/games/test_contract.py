"""Every game keeps the contract: those of the package `games`, and the example of a third party's."""

import pytest

from games import connect_four_3d_players, reversi_players
from gameserver.game import Game
from gameserver.testing import check_game
from tests.support.example_games import PIG, ROCK_PAPER_SCISSORS
from tests.support.own_plugins import OWN

LONG_GAMES = ("Backgammon", "Tavla", "Tavli", "Portes", "Plakoto", "Fevga")
"""A random game of these has some hundred turns, so a few are as many positions as twenty of the others."""


@pytest.fixture
def shorter_thoughts(monkeypatch):
    """The best house players search less: the contract asks that their moves are legal, not good."""
    monkeypatch.setattr(connect_four_3d_players, "MASTER_NODES_MAX", 100)
    monkeypatch.setattr(reversi_players, "MASTER_NODES_MAX", 100)
    monkeypatch.setattr(reversi_players, "SOLVED_NODES_MAX", 2000)


@pytest.mark.usefixtures("shorter_thoughts")
@pytest.mark.parametrize("game", OWN.games.values(), ids=OWN.games)
def test_a_game_keeps_the_contract(game):
    is_long = game.name in LONG_GAMES
    # Portes and Tavla are moved as Backgammon is, and Tavli is a series that begins with Portes: whole games of these
    # are among the slow tests.
    games_played = 0 if game.name in {"Portes", "Tavla", "Tavli"} else 1 if is_long else 2
    # The levels' own tests play whole games: here a move or two show that what they answer is a move.
    check_game(game, games_played=games_played, strategy_moves_max=1 if is_long else 2)


@pytest.mark.slow
@pytest.mark.parametrize("game", [OWN.games[name.lower()] for name in LONG_GAMES], ids=LONG_GAMES)
def test_a_long_game_keeps_the_contract(game):
    check_game(game, seed=1, strategy_moves_max=40)


@pytest.mark.parametrize("game", OWN.games.values(), ids=OWN.games)
def test_people_are_told_how_to_play(game):
    check_how_to_play(game)


def check_how_to_play(game: Game) -> None:
    """In their own words: the guide is for programs, and speaks of what they read and write."""
    paragraphs = game.how_to_play.split("\n")
    assert 2 <= len(paragraphs) <= 6
    assert all(30 <= len(paragraph) <= 450 and paragraph.endswith(".") for paragraph in paragraphs)
    assert "Touch" in paragraphs[-1]
    assert not any(word.isupper() and len(word) > 1 for word in game.how_to_play.split())


@pytest.mark.parametrize("game", [PIG, ROCK_PAPER_SCISSORS], ids=lambda game: game.name)
def test_a_third_partys_game_keeps_the_contract(game):
    assert isinstance(game, Game)
    check_game(game, games_played=2)
