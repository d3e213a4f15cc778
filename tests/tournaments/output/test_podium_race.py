"""The stakes of each player: the podium, or staying in a knockout."""

import pytest
from attrs import evolve

from gameserver.tournaments import knockout
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.history import History
from gameserver.tournaments.model import Cancel, Pause, Report, Tournament, TournamentPhase, Verdict, WithdrawEntrant
from gameserver.tournaments.presets import preset
from gameserver.tournaments.progress import (
    AT_RISK,
    CHASING,
    IN,
    LAST,
    OUT,
    bracket_chances,
    podium_race,
    still_to_play,
)
from gameserver.tournaments.standings import StandingsRow, standings
from gameserver.tournaments.view import tournament_view
from tests.tournaments.playing import World, entered, finished, started

LEAGUE = preset("league", "League", "Reversi", cycles=1)
SWISS = preset("swiss", "Swiss", "Reversi")


def race(points: str, tournament: Tournament) -> str:
    """The race by players with these points (in units; a win is 2), the first first: `!` at risk, `+` chasing."""
    rows = standings(tournament)
    given = [int(one) for one in points.split()]
    shown = [
        evolve(row, rank=at, points=units, played=4)
        for at, (row, units) in enumerate(zip(rows, given, strict=True), start=1)
    ]
    return marks(podium_race(tournament, shown), shown)


def marks(found, rows: list[StandingsRow]) -> str:
    return "".join({AT_RISK: "!", CHASING: "+"}.get(found.get(row.name, ""), ".") for row in rows)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ("10 8 6 4 3 2", "..!+.."),
        ("10 8 6 5 4 2", "..!++."),
        ("10 7 6 5 4 2", ".!!++."),
        ("10 8 6 3 3 2", "......"),
        ("4 4 4 4 4 4", "!!!+++"),
    ],
)
def test_one_win_behind_is_a_risk(points: str, expected: str) -> None:
    assert race(points, started(LEAGUE, 6)) == expected


def test_player_without_a_game_left_chases_nobody() -> None:
    world = World(started(LEAGUE, 6), 1)
    while world.tournament.round < 1 or len(still_to_play(world.tournament)) == 6:
        world.tick()
    done = {row.name for row in standings(world.tournament)} - still_to_play(world.tournament)
    for name in done:
        assert all(name not in one.seats for one in world.tournament.open)
    rows = standings(world.tournament)
    level = [evolve(row, rank=at, points=4, played=4) for at, row in enumerate(rows, start=1)]
    chasing = {name for name, chance in podium_race(world.tournament, level).items() if chance == CHASING}
    assert chasing == {row.name for row in level[3:]} - done


@pytest.mark.parametrize("plan", [LEAGUE, SWISS], ids=["league", "swiss"])
def test_players_still_to_play_are_told_until_the_last_game(plan) -> None:
    world = World(started(plan, 7), 4)
    found: list[frozenset[str]] = []
    while world.tournament.phase is TournamentPhase.RUNNING:
        found.append(still_to_play(world.tournament))
        world.tick()
    assert len(found[0]) == 7
    assert found[-1], "a game was to come"
    assert still_to_play(evolve(world.tournament, phase=TournamentPhase.RUNNING)) == frozenset()


def test_there_is_no_race_before_the_first_game_or_after_the_last() -> None:
    for tournament in (entered(LEAGUE, 6), started(LEAGUE, 6), finished(LEAGUE, 6)):
        assert podium_race(tournament, standings(tournament)) == {}
    cancelled = apply(started(LEAGUE, 6), Cancel("Ms Reed"))
    assert race("4 4 4 4 4 4", cancelled) == "......"
    assert race("4 4 4 4 4 4", apply(started(LEAGUE, 6), Pause(0))) == "!!!+++"


def test_a_player_who_has_left_chases_nobody() -> None:
    tournament = started(LEAGUE, 6)
    last = standings(tournament)[-1].name
    left = apply(tournament, WithdrawEntrant(last))
    assert last not in still_to_play(left)


def chances(tournament: Tournament) -> dict[str, str]:
    return dict(bracket_chances(tournament, knockout.nodes_now(History.of(tournament))))


def decide(world: World) -> None:
    world.pair()
    for pairing in world.playing:
        world.do(Report(pairing.number, pairing.match, Verdict.FIRST))


def test_in_a_knockout_the_first_loss_is_the_last() -> None:
    world = World(started(preset("cup", "Cup", "Reversi", games=1, third_place=False), 8), 1)
    assert set(chances(world.tournament).values()) == {IN}
    decide(world)
    found = chances(world.tournament)
    assert sorted(found.values()) == [IN] * 4 + [OUT] * 4
    assert chances(finished(preset("cup", "Cup", "Reversi"), 8)) == {}


def test_in_a_double_elimination_the_second_loss_is_the_last() -> None:
    world = World(started(preset("cup", "Cup", "Reversi", format="double-elimination", games=1), 8), 1)
    decide(world)
    assert sorted(chances(world.tournament).values()) == [IN] * 4 + [LAST] * 4
    decide(world)
    found = chances(world.tournament)
    assert sorted(found.values()) == [IN] * 2 + [LAST] * 4 + [OUT] * 2


def test_without_a_loss_a_player_stands_no_lower_than_those_who_have_one() -> None:
    """A bye in the losers' part once put a player who had lost above all who had not."""
    world = World(started(preset("cup", "Cup", "Reversi", format="double-elimination", games=1), 24), 2)
    decide(world)
    view = tournament_view(world.tournament)
    unbeaten = [line.rank for line in view.standings if line.chances == IN]
    beaten = [line.rank for line in view.standings if line.chances == LAST]
    assert max(unbeaten) <= min(beaten)
