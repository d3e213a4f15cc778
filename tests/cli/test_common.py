"""Names on a terminal: they are what students chose, and are shown as they are."""

import io

import pytest

from gameserver.cli import admin, tournament_text
from gameserver.cli.common import plain_console
from gameserver.tournaments.acts import RegisterEntrant, StartTournament
from gameserver.tournaments.lifecycle.act_table import apply
from gameserver.tournaments.model import Tournament
from gameserver.tournaments.output.view import as_json, tournament_view
from gameserver.tournaments.presets import preset

ODD = ["[/b]", "[red]ann", ":smile:", "[link=x]"]


@pytest.fixture
def console():
    console = plain_console(io.StringIO())
    console.width = 200
    return console


def test_every_table_of_a_tournament_shows_odd_names_as_they_are(console):
    tournament = Tournament(preset("league", "[bold]Cup[/]", "Reversi"), "5e" * 32)
    for name in ODD:
        tournament = apply(tournament, RegisterEntrant(name))
    view = as_json(tournament_view(apply(tournament, StartTournament(0))))
    for part in (
        tournament_text.headline(view),
        tournament_text.standings(view, 200),
        tournament_text.crosstable(view),
        tournament_text.listing([view], 200),
    ):
        console.print(part)
    said = console.file.getvalue()
    assert said.count("[bold]Cup[/]") == 2
    assert [said.count(name) for name in ODD] == [2, 2, 2, 2]


def test_the_status_shows_odd_names_as_they_are(console):
    player = {"protocol": "strategic", "address": "::1", "match": None, "seeks": None, "table": None}
    players = [{"name": name, "is_proven": False, **player} for name in ODD]
    nothing_else = dict.fromkeys(("matches", "tables", "queues", "tickets", "attacks"), ())
    for table in admin._tables({"players": players, **nothing_else}):
        console.print(table)
    assert all(name in console.file.getvalue() for name in ODD)


@pytest.mark.parametrize("width", [60, 80])
def test_points_are_never_cut_however_long_a_name_is(console, width):
    console.width = width
    tournament = Tournament(preset("league", "Cup", "Reversi"), "5e" * 32)
    for name in ("ann", "a-name-of-which-nobody-knows-the-end" * 3):
        tournament = apply(tournament, RegisterEntrant(name))
    view = as_json(tournament_view(apply(tournament, StartTournament(0))))
    rows = [{**row, "points": "18.5", "played": 30, "note": "withdrawn"} for row in view["standings"]]
    console.print(tournament_text.standings({**view, "standings": rows}, width))
    said = console.file.getvalue()
    assert "points" in said
    assert said.count("18.5") == 2
    assert "…" not in said
