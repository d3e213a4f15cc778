"""What is taken home: read back by the readers of those formats."""

import csv
import io

import pytest
from attrs import evolve

from gameserver.exports.tournament_report import file_name
from gameserver.tournaments.acts import RegisterEntrant, StartTournament
from gameserver.tournaments.lifecycle.act_table import apply
from gameserver.tournaments.model import PairingStatus, Tournament
from gameserver.tournaments.output.csv_files import (
    Grading,
    crosstable_csv,
    grades_csv,
    matches_csv,
    standings_csv,
)
from gameserver.tournaments.output.csv_text import CsvStyle, csv_line
from gameserver.tournaments.output.result_lines import idle_rounds
from gameserver.tournaments.output.trf import trf
from gameserver.tournaments.plan import Draw, Format, Plan
from gameserver.tournaments.presets import SWISS_TIE_BREAKS, preset
from gameserver.tournaments.scoring.crosstable import round_table
from gameserver.tournaments.scoring.standings import standings
from tests.tournaments.playing import World, entered, finished, started
from tests.tournaments.tables import played

ARENA = Plan("arena", "Reversi", Format.ARENA, duration_ms=20_000)
LATE = Plan("league", "Reversi", Format.ROUND_ROBIN)
SWISS = Plan("Course cup", "Reversi", Format.SWISS, draw=Draw.RATING)
FIVE = played(SWISS, ["A-B 1-0, C-D 1/2", "E-A 0-1, B-C 1-0", "D-E +:-, A-C 0-1"], {1: "E", 2: "D", 3: "B"})


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_crosstable_of_a_swiss_has_the_opponent_the_seat_and_the_result_of_each_round():
    """The order is D with 2.5 points, then A, B, C, E. E comes late to the first round here, which gives no point."""
    late = evolve(FIVE, byes=FIVE.byes[1:]).with_entrant(evolve(FIVE.entrant("E"), from_round=2))
    cells = round_table(late, standings(late))
    assert [[cell.text for cell in row] for row in cells] == [
        ["4b½", "bye", "5w+"],
        ["3w1", "5b1", "4w0"],
        ["2b0", "4w1", "bye"],
        ["1w½", "3b0", "2b1"],
        ["late", "2w0", "1b-"],
    ]
    assert [cell.opponent for cell in cells[0]] == ["C", "", "E"]
    assert rows_of(crosstable_csv(late))[:2] == [
        ["line", "rank", "player", "round 1", "round 2", "round 3", "points"],
        ["1", "1", "D", "4b½", "bye", "5w+", "2.5"],
    ]
    twice = played(SWISS.changed(games=2), ["A-B 1-0, B-A 1/2"])
    assert [[cell.text for cell in row] for row in round_table(twice, standings(twice))] == [["2w1b½"], ["1b0w½"]]


def test_round_without_an_opponent_names_the_virtual_one():
    """D has 2.5 points, so Buchholz adds 2.5 for the bye."""
    cup = evolve(FIVE, plan=SWISS.changed(tie_breaks=SWISS_TIE_BREAKS))
    late = cup.with_entrant(evolve(cup.entrant("B"), from_round=2))
    assert [(one.round, one.player, one.words) for one in idle_rounds(late)] == [
        (1, "E", "bye, 1 point; in Buchholz a virtual opponent with 1 point"),
        (1, "B", "late entry, 0 points; in Buchholz a virtual opponent with 2 points"),
        (2, "D", "bye, 1 point; in Buchholz a virtual opponent with 2.5 points"),
        (3, "B", "bye, 1 point; in Buchholz a virtual opponent with 2 points"),
    ]
    assert {one.words for one in idle_rounds(FIVE)} == {"bye, 1 point"}, "no Buchholz"
    assert idle_rounds(finished(SWISS, 4)) == ()


@pytest.mark.parametrize("name", ["hanze", "swiss", "cup", "league", "arena"])
def test_csv_has_a_line_for_everybody_whatever_the_format(name):
    short = {"duration_ms": 9000} if name == "arena" else {}
    tournament = finished(preset(name, "course", "Reversi", **short), 7)
    for text in (standings_csv(tournament), crosstable_csv(tournament), grades_csv(tournament, Grading())):
        head, *lines = rows_of(text)
        assert len({line[head.index("player")] for line in lines}) == 7
        assert {len(line) for line in lines} == {len(head)}
    assert [line[1] for line in rows_of(standings_csv(tournament))[1:]] == [row.name for row in standings(tournament)]


@pytest.mark.parametrize("style", [CsvStyle.DUTCH, CsvStyle.GERMAN])
def test_csv_for_a_spreadsheet_with_decimal_commas(style):
    """There, 2.5 is the second of May."""
    for text in (
        standings_csv(FIVE, {"D": "1 to 3"}, style),
        crosstable_csv(FIVE, style),
        matches_csv(FIVE, 3, style),
        grades_csv(FIVE, Grading(), {}, style),
    ):
        head, *lines = csv.reader(io.StringIO(text), delimiter=";")
        numeric = ("points", "points1", "points2", "of", "grade")
        numbers = [cell for line in lines for name, cell in zip(head, line, strict=True) if name in numeric]
        assert numbers
        assert all(cell.replace(",", "", 1).isdigit() or cell == "" for cell in numbers)
    assert "7,0" in grades_csv(FIVE, Grading(), {"A": "s1001"}, style)
    assert "1,5" in standings_csv(FIVE, None, style)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "1-2",
            "3.5",
            "8/5",
            "1-2-2026",
            "12:30",
            "dec5",
            "MARCH1",
            "mei-5",
            "5 Mai",
            "ma 5 mei",
            "3 am",
            "10:30:15,5",
        ),
        *("=1", "+1", "@x", "- 1"),
        *("007", "1e5", "12E+3", "1.000", "1,5", ",5", "5 %", "€5", "5 €", "(5)", "3 1/2", "1234567890123456"),
        *("true", "WAAR", "onwaar", "wahr", "falsch"),
    ],
)
def test_texts_that_a_spreadsheet_would_change_are_kept_by_an_apostrophe(text):
    assert csv_line([text], CsvStyle.DUTCH) == f"'{text}\r\n"


@pytest.mark.parametrize(
    ("tournament", "number", "kind", "name"),
    [
        ("Reversi cup 2026", None, "standings", "reversi-cup-2026-standings.csv"),
        ("Reversi cup 2026", 7, "standings", "reversi-cup-2026-7-standings.csv"),
        ("../Été: à 3/4!", None, "standings", "été-à-3-4-standings.csv"),
        ("...", 4, "standings", "tournament-4-standings.csv"),
        ("x" * 300, None, "standings", "x" * 80 + "-standings.csv"),
        ("Cup", None, "trf", "cup.trf"),
        ("Cup", 7, "json", "cup-7.jsonl"),
    ],
)
def test_files_have_names_that_a_person_would_give(tournament, number, kind, name):
    assert file_name(tournament, kind, number) == name


def test_rank_intervals_come_beside_the_ranks():
    head, first, *_ = rows_of(standings_csv(FIVE, {"D": "1 to 3"}))
    assert head[:3] == ["rank", "rank by strength (95 %)", "player"]
    assert first[:3] == ["1", "1 to 3", "D"]


def test_a_name_that_is_a_formula_is_text_in_a_spreadsheet():
    tournament = apply(apply(entered(SWISS, 1), RegisterEntrant('=HYPERLINK("http://x")')), StartTournament(0))
    tournament = World(tournament).run()
    for text in (standings_csv(tournament), crosstable_csv(tournament), grades_csv(tournament, Grading())):
        assert "'=HYPERLINK" in text
        assert not any(cell.startswith("=") for row in rows_of(text) for cell in row)


@pytest.mark.parametrize(
    ("points", "of", "grading", "grade"),
    [
        (0, 8, Grading(), "1.0"),
        (8, 8, Grading(), "10.0"),
        (4, 8, Grading(), "5.5"),
        (1, 3, Grading(0, 100, 0), "33"),
        (1, 2, Grading(0, 1, 0), "1"),
        (0, 0, Grading(), "1.0"),
        (8, 8, Grading(6, 1, 1), "1.0"),
    ],
)
def test_grades(points, of, grading, grade):
    assert grading.grade(points, of) == grade


def test_grades_carry_the_students_ids():
    lines = rows_of(grades_csv(FIVE, Grading(), {"A": "s1001"}))
    assert ["s1001", "A", "2", "2", "3", "7.0"] in lines


def late_entry() -> Tournament:
    world = World(started(LATE, 4), 5)
    for _ in range(3):
        world.tick()
    world.do(RegisterEntrant("late"))
    world.do(RegisterEntrant("later"))
    return world.run()


@pytest.mark.parametrize(
    "tournament",
    [finished(preset("cup", "cup", "Reversi", games=1), 8, seed) for seed in (1, 2, 3)]
    + [finished(ARENA, 6), finished(SWISS.changed(games=2), 5), late_entry()],
    ids=["cup 1", "cup 2", "cup 3", "arena", "swiss", "late entry"],
)
def test_trf_has_every_game_once_for_both_of_its_players(tournament):
    """Extra games of a knockout, and an arena, which has no rounds, have columns too."""
    lines = [line for line in trf(tournament).splitlines() if line.startswith("001")]
    numbers = {line[14:47].strip(): int(line[4:8]) for line in lines}
    cells = {
        (int(line[4:8]), column): (int(line[at : at + 4]), line[at + 5], line[at + 7])
        for line in lines
        for column, at in enumerate(range(91, len(line), 10))
        if line[at : at + 4].strip() not in {"", "0000"}
    }
    opposite = {"w": "b", "b": "w", "1": "0", "0": "1", "=": "=", "+": "-", "-": "+"}
    for (player, column), (opponent, colour, sign) in cells.items():
        theirs = cells[opponent, column]
        assert theirs[:2] == (player, opposite[colour])
        assert theirs[2] == opposite[sign] or (sign, theirs[2]) == ("-", "-")
    for name, number in numbers.items():
        games = [one for one in tournament.pairings if name in one.seats and one.status is PairingStatus.DONE]
        assert sum(player == number for player, _ in cells) == len(games)
    rounds = next(int(line[4:]) for line in trf(tournament).splitlines() if line.startswith("XXR"))
    assert rounds >= max(column for _, column in cells) + 1
