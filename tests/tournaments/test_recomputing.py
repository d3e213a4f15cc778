"""A reader that has nothing but a file comes to the same points and tie-breaks as the server."""

import csv
import io
import json
from fractions import Fraction
from functools import cache

import pytest
from attrs import evolve

from gameserver.core.lobby import TournamentRow
from gameserver.exports.tournament_report import EXPORTS
from gameserver.tournaments.files import FileOptions, crosstable_csv, trf
from gameserver.tournaments.model import (
    Correct,
    Disqualify,
    Finish,
    PairingStatus,
    RegisterEntrant,
    Tournament,
    TournamentPhase,
    Verdict,
    WithdrawEntrant,
)
from gameserver.tournaments.plan import Draw, Effect, Format, Plan, RoundMode, Scoring, TieBreak
from gameserver.tournaments.standings import Ledger, figures
from tests.tournaments import trf_reader
from tests.tournaments.playing import World, finished, started

KINDS = (TieBreak.SONNEBORN_BERGER, TieBreak.BUCHHOLZ, TieBreak.BUCHHOLZ_CUT_1, TieBreak.MEDIAN_BUCHHOLZ)
SCORINGS = {"chess": Scoring(), "football": Scoring(3, 1, 0, 3, 0, 1), "thirds": Scoring(3, 2, 1, 2, 1, 3)}


@cache
def troubled(plan: Plan, seed: int) -> Tournament:
    """A tournament with no-shows, voided games, withdrawals, late entries, a disqualification and corrections."""
    world = World(started(plan, 7), seed, faults=0.12)
    for tick in range(2):
        if world.tournament.phase is TournamentPhase.RUNNING:
            world.tick()
            if tick == 0 and not plan.is_bracket:
                world.do(RegisterEntrant("late"))
    if world.tournament.phase is TournamentPhase.RUNNING and len(world.tournament.active) > 3:
        world.do(WithdrawEntrant(world.tournament.active[2].name))
        world.do(Disqualify(world.tournament.active[1].name, "ms", "cheated"))
    tournament = world.run()
    if not plan.is_bracket:
        done = [one for one in tournament.pairings if one.status is PairingStatus.DONE]
        for pairing, verdict in zip(done[::3], (Verdict.SECOND, Verdict.DRAW, Verdict.BOTH_LOSE), strict=False):
            world.do(Correct(pairing.number, verdict, "ms", "misread"))
    return world.tournament


def plans() -> list[tuple[str, Plan]]:
    found = []
    for format_ in Format:
        effects = Effect if format_ in {Format.ROUND_ROBIN, Format.GAUNTLET} else (Effect.KEEP, Effect.REVERSE)
        for effect in effects:
            if format_ in {Format.KNOCKOUT, Format.DOUBLE_ELIMINATION} and effect is not Effect.KEEP:
                continue
            for scoring, games in (("chess", 1), ("chess", 2), ("football", 3), ("thirds", 1)):
                plan = Plan("any", "Reversi", format_, draw=Draw.RATING, duration_ms=8_000, games=games, voids_max=1)
                plan = evolve(plan, scoring=SCORINGS[scoring], disqualification=effect)
                if plan.has_fixtures:
                    plan = evolve(plan, withdrawal=effect, pacing=RoundMode.CONTINUOUS)
                found.append((f"{format_}, {effect}, {scoring}, {games}", plan))
    return found


PLANS = plans()
each_plan = pytest.mark.parametrize("plan", [plan for _, plan in PLANS], ids=[name for name, _ in PLANS])


def expected(tournament: Tournament) -> dict[str, list[Fraction]]:
    """Points and tie-breaks of everybody, as exact numbers."""
    ledger, unit = Ledger.of(tournament), tournament.plan.scoring.unit
    names = [name for name in ledger.points if tournament.entrant(name) is not None]
    found = {name: [Fraction(ledger.points[name], unit)] for name in names}
    for kind in KINDS:
        divisor = unit * (2 if kind is TieBreak.SONNEBORN_BERGER else 1)
        for name, figure in figures(ledger, kind, names).items():
            assert figure is not None
            found[name].append(Fraction(figure, divisor))
    return found


@each_plan
@pytest.mark.parametrize("seed", range(2))
def test_trf_gives_points_and_tie_breaks(plan, seed):
    tournament = troubled(plan, seed)
    report = trf_reader.read(trf(tournament))
    found = trf_reader.figures(report)
    # Where points cannot be written with one decimal, the report counts in the plan's units.
    unit = plan.scoring.unit if plan.scoring is SCORINGS["thirds"] else 1
    assert {
        name: [
            one / unit for one in (of.points, of.sonneborn_berger, of.buchholz, of.buchholz_cut_1, of.median_buchholz)
        ]
        for name, of in found.items()
    } == expected(tournament)
    assert {one.name: one.points for one in report.players.values()} == {name: of.points for name, of in found.items()}
    assert report.rounds >= max((result.column for one in report.players.values() for result in one.results), default=0)


def test_the_trouble_is_there():
    """Every code of the report comes up somewhere in these tournaments."""
    codes = set()
    for _, plan in PLANS:
        for seed in range(2):
            report = trf_reader.read(trf(troubled(plan, seed)))
            codes |= {result.code for player in report.players.values() for result in player.results}
    assert codes == set("1=0+-DUZH")


def exported(tournament: Tournament, kind: str) -> str:
    row = TournamentRow(7, tournament)
    return EXPORTS[kind].make(row, 0, FileOptions())


@each_plan
def test_json_lines_give_points_and_tie_breaks(plan):
    tournament = troubled(plan, 1)
    head, *lines = map(json.loads, exported(tournament, "json").splitlines())
    counting = [line for line in lines if "counts" in line]
    assert [(one["name"], one["number"]) for one in head["entrants"]] == [
        (one.name, one.number) for one in tournament.entrants
    ]
    assert head["draw"] == plan.draw
    unit = head["scoring"]["unit"]
    points = {row["name"]: Fraction() for row in head["standings"]}
    for line in counting:
        players = line.get("players") or [line["first"], line["second"]]
        for name, won in zip(players, line["counts"]["points"], strict=True):
            if name in points:
                points[name] += Fraction(won, unit)
    assert points == {name: figures[0] for name, figures in expected(tournament).items()}
    assert _tie_breaks(head, counting, points) == {name: of[1:3] for name, of in expected(tournament).items()}


def _tie_breaks(head, lines, points):
    """Sonneborn-Berger and Buchholz, from the lines alone."""
    in_place = head["format"] in {"round-robin", "gauntlet"}
    one_by_one = in_place or head["format"] == "arena"
    found = {}
    for name, own in points.items():
        berger, met = Fraction(), {}
        for number, line in enumerate(lines):
            players = line.get("players") or [line["first"], line["second"]]
            if name not in players:
                continue
            result = line["counts"]["results"][players.index(name)]
            if len(players) == 1:
                met[line["round"]] = own
                berger += own if result == "bye" else 0
                continue
            opponent = players[1 - players.index(name)]
            is_played = line["counts"]["played"]
            counts = points[opponent] if is_played or in_place else own
            berger += {"win": Fraction(1), "draw": Fraction(1, 2), "loss": Fraction()}[result] * counts
            if one_by_one:
                met[number] = points[opponent]
            elif is_played:
                met[line["round"], opponent] = points[opponent]
            else:
                met.setdefault((line["round"], opponent), own)
        found[name] = [berger, sum(met.values(), Fraction())]
    return found


@each_plan
def test_matches_csv_gives_points(plan):
    tournament = troubled(plan, 2)
    points = dict.fromkeys(expected(tournament), 0.0)
    for line in csv.DictReader(io.StringIO(exported(tournament, "matches"))):
        assert line["tournament"] == "7"
        assert (line["round"] > "0") == (plan.format is not Format.ARENA), "an arena has no rounds"
        for player, won in (("player1", "points1"), ("player2", "points2")):
            if line[player] in points:
                points[line[player]] += float(line[won])
    assert points == pytest.approx({name: float(of[0]) for name, of in expected(tournament).items()}, abs=0.2)


def test_a_win_by_withdrawal_is_in_every_file():
    world = World(started(LEAGUE, 4), 5)
    world.tick()
    world.do(WithdrawEntrant("p02"))
    tournament = world.run()
    assert "p02 withdrawn" in exported(tournament, "matches")
    owed = [line for line in map(json.loads, exported(tournament, "json").splitlines()) if line["kind"] == "owed"]
    assert owed
    assert {line["reason"] for line in owed} == {"p02 withdrawn"}
    assert all(sorted(line["counts"]["results"]) == ["loss", "win"] and not line["counts"]["played"] for line in owed)
    report = trf_reader.read(trf(tournament))
    codes = {one.name: [result.code for result in one.results] for one in report.players.values()}
    assert codes["p02"].count("-") == len(owed)
    assert sum(of.count("+") for of in codes.values()) == len(owed)
    table = crosstable_csv(tournament)
    assert "'" not in table
    cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
    assert (cells.count("+"), cells.count("-")) == (len(owed), len(owed))


def test_a_report_of_many_games_keeps_its_columns():
    """A hundred points and more have no column for a decimal."""
    plan = Plan("series", "Reversi", Format.ROUND_ROBIN, games=10, scoring=Scoring(200, 100))
    report = trf_reader.read(trf(finished(plan, 2, 1)))
    assert sum(one.points for one in report.players.values()) == 2000
    assert report.worth["1"] == 200


def test_a_tournament_stopped_early_adds_up():
    world = World(started(LEAGUE, 8), 3, faults=0.1)
    world.tick()
    world.do(WithdrawEntrant(world.tournament.active[-1].name))
    world.do(Finish())
    found = trf_reader.figures(trf_reader.read(trf(world.tournament)))
    points = {name: of[0] for name, of in expected(world.tournament).items()}
    assert {name: of.points for name, of in found.items()} == points


LEAGUE = Plan("league", "Reversi", Format.ROUND_ROBIN, withdrawal=Effect.FORFEIT)
