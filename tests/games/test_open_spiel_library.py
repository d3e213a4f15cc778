"""The table `[openspiel]`: which games it brings, what it leaves out with which reason, and what it does not accept."""

import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from gameserver import plugins
from gameserver.config import structure
from gameserver.config_file import ConfigError
from tests.support.own_plugins import OWN


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
        "Reversi = clobber: the name 'Reversi' is taken by Reversi, from games.reversi; take another one",
    ]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("games = 7", '7 should be "default", or a list such as ["chess", {name = "Hex-13"'),
        ('games = "chess"', "'chess' should be \"default\", or a list"),
        ('games = ["chess", 7]', '7 should be the name of a game, such as "chess", or a table {name = "Hex-13"'),
        ('games = [""]', "'' should be the name of a game"),
        ('games = [["chess"]]', "['chess'] should be the name of a game"),
        ('games = [{name = "Hex-13"}]', "{'name': 'Hex-13'} should be the name of a game"),
        ('games = [{name = "Hex-13", game = 13}]', "{'name': 'Hex-13', 'game': 13} should be"),
        ('games = [{name = "Hex", game = "hex", size = 13}]', "'size': 13} should be"),
    ],
)
def test_what_is_no_list_of_games_is_one_clear_line(table: str, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        games_of(table)
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
