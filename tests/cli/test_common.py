"""Names on a terminal: they are what students chose, and are shown as they are."""

import io
import re
from collections.abc import Iterable
from typing import Any

import pytest

from gameserver.cli import admin, tournament_text
from gameserver.cli.common import plain_console
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import RegisterEntrant, StartTournament, Tournament
from gameserver.tournaments.presets import preset
from gameserver.tournaments.view import as_json, tournament_view
from tests.tournaments.playing import finished

ODD = ["[/b]", "[red]ann", ":smile:", "[link=x]"]


@pytest.fixture
def console():
    console = plain_console(io.StringIO())
    console.width = 200
    return console


def league_of(names: Iterable[str], name: str = "Cup") -> dict[str, Any]:
    """The view of a league of these that has begun."""
    tournament = Tournament(preset("league", name, "Reversi"), "5e" * 32)
    for entrant in names:
        tournament = apply(tournament, RegisterEntrant(entrant))
    return as_json(tournament_view(apply(tournament, StartTournament(0))))


def test_every_table_of_a_tournament_shows_odd_names_as_they_are(console):
    view = league_of(ODD, "[bold]Cup[/]")
    console.print(tournament_text.headline(view))
    for part in (tournament_text.standings, tournament_text.crosstable):
        console.print(part(view, 200))
    console.print(tournament_text.listing([view], 200))
    said = console.file.getvalue()
    assert said.count("[bold]Cup[/]") == 2
    assert [said.count(name) for name in ODD] == [2, 2, 2, 2]


def test_the_status_shows_odd_names_as_they_are(console):
    player = {"protocol": "strategic", "address": "::1", "match": None, "seeks": None, "room": None}
    players = [{"name": name, "is_proven": False, **player} for name in ODD]
    nothing_else = dict.fromkeys(("matches", "rooms", "queues", "tickets", "attacks"), ())
    for table in admin._tables({"players": players, **nothing_else}, 200):
        console.print(table)
    assert all(name in console.file.getvalue() for name in ODD)


@pytest.mark.parametrize("width", [60, 80])
def test_points_are_never_cut_however_long_a_name_is(console, width):
    console.width = width
    view = league_of(("ann", "a-name-of-which-nobody-knows-the-end" * 3))
    rows = [{**row, "points": "18.5", "played": 30, "note": "withdrawn"} for row in view["standings"]]
    console.print(tournament_text.standings({**view, "standings": rows}, width))
    said = console.file.getvalue()
    assert "points" in said
    assert said.count("18.5") == 2
    assert "…" not in said


@pytest.mark.parametrize(
    ("players", "width", "cell", "tables"),
    [
        (24, 80, "½½", 2),
        (24, 200, "½½", 1),
        (2, 60, "½½", 1),
        (3, 40, "½½", 2),
        (17, 80, "½", 2),
        (24, 80, "½", 2),
        (60, 80, "½", 5),
    ],
)
def test_a_crosstable_has_every_opponent_in_every_width(console, players, width, cell, tables):
    console.width = width
    view = league_of(f"a-name-of-some-length-{number:02}" for number in range(1, players + 1))
    cells = [["*" if row == column else cell for column in range(players)] for row in range(players)]
    rows = [{**row, "points": "30.5"} for row in view["standings"]]
    console.print(tournament_text.crosstable({**view, "standings": rows, "crosstable": cells}, width))
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    said = "\n".join(lines)
    assert said.count(cell) == players * (players - 1)
    assert said.count("30.5") == players * tables
    assert said.count("against ") == (tables if tables > 1 else 0)
    assert "…" not in said


def test_table_without_rows_says_so(console):
    view = as_json(tournament_view(Tournament(preset("cup", "Cup", "Reversi"), "5e" * 32)))
    for table in (
        tournament_text.matches(view, 80),
        tournament_text.standings(view, 80),
        tournament_text.listing([], 80),
    ):
        console.print(table)
        assert console.file.getvalue().rstrip().endswith("\nnone")
        console.file.truncate(0)
    assert tournament_text.headline(view).startswith("Cup (Reversi, knockout, best of 3): gathering")


@pytest.mark.parametrize(("which", "cell"), [("swiss", r" \dw[01½]b[01½] "), ("arena", r" p0\d \d½?-\d")])
def test_crosstable_goes_by_round_in_a_swiss_and_by_opponent_in_an_arena(console, which, cell):
    console.width = 60
    short = {"duration_ms": 9000} if which == "arena" else {}
    view = as_json(tournament_view(finished(preset(which, "Cup", "Reversi", **short), 7)))
    console.print(tournament_text.crosstable(view, 60))
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    assert re.search(cell, "\n".join(lines))
    assert ("bye" in console.file.getvalue()) == (which == "swiss")
    console.width = 200
    console.print(tournament_text.matches(view, 200, only_open=False))
    assert ("in Buchholz a virtual opponent with " in console.file.getvalue()) == (which == "swiss")


@pytest.mark.parametrize("width", [60, 80])
def test_the_status_fits_its_terminal(console, width):
    console.width = width
    names = [f"a-name-of-some-length-{number}" for number in range(3)]
    player = {"protocol": "strategic", "address": "2001:db8:85a3::8a2e:370:7334", "match": 7, "room": 3}
    players = [{"name": name, "is_proven": True, "seeks": "Connect-four-3D", **player} for name in names]
    match = {"match": 10_123, "game": "Connect-four-3D", "moves": 12, "phase": "playing", "opened_wall_ms": 0}
    told = {
        "players": players,
        "matches": [match | {"players": names[:2], "awaited": names[:1], "away": []}],
        "rooms": [{"number": 3, "phase": "playing", "players": names[:2], "match": 10_123}],
        "queues": [{"game": "Connect-four-3D", "players": names}],
        "tickets": [{"game": "Tavli", "player": names[0], "opponent": names[1], "is_here": False}],
        "attacks": [{"name": names[0], "tries": 5, "addresses": ["2001:db8::1"], "since_ms": 0, "last_ms": 0}],
    }
    for table in admin._tables(told, width):
        console.print(table)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert sum("10123" in line for line in lines) == 2
    assert "…" not in console.file.getvalue()
