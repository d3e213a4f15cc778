"""The files to take home, read back by the readers of those formats."""

import csv
import io

import pytest
from attrs import evolve

from gameserver.core.lobby import TournamentRow
from gameserver.exports.tournament_report import EXPORTS, file_name
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.csv_text import CsvStyle, csv_line, is_at_risk
from gameserver.tournaments.files import (
    FileOptions,
    Grading,
    crosstable_csv,
    grades_csv,
    matches_csv,
    standings_csv,
    trf,
)
from gameserver.tournaments.model import RegisterEntrant, StartTournament
from gameserver.tournaments.plan import Draw, Format, Plan
from gameserver.tournaments.presets import SWISS_TIE_BREAKS, preset
from gameserver.tournaments.standings import crosstable, opponent_scores, round_table, standings
from gameserver.tournaments.view import idle_rounds
from tests.support.tables import lines
from tests.tournaments.playing import World, entered, finished
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
    twice = played(evolve(SWISS, games=2), ["A-B 1-0, B-A 1/2"])
    assert [[cell.text for cell in row] for row in round_table(twice, standings(twice))] == [["2w1b½"], ["1b0w½"]]


def test_crosstable_of_an_arena_is_a_list_by_opponent():
    arena = played(ARENA, ["A-B 1-0, C-D 1/2, B-A 1/2, B-A 1-0, D-A +:-"])
    rows = standings(arena)
    assert [row.name for row in rows] == ["A", "B", "D", "C"]
    found = [[(one.opponent, one.results, one.score) for one in own] for own in opponent_scores(arena, rows)]
    assert found == [
        [("B", "1½0", ("1½", "1½")), ("D", "-", ("0", "1"))],
        [("A", "0½1", ("1½", "1½"))],
        [("A", "+", ("1", "0")), ("C", "½", ("½", "½"))],
        [("D", "½", ("½", "½"))],
    ]
    assert rows_of(crosstable_csv(arena))[:2] == [["rank", "player", "opponent", "results"], ["1", "A", "B", "1 ½ 0"]]


def test_round_without_an_opponent_names_the_virtual_one():
    """D has 2.5 points, so Buchholz adds 2.5 for the bye."""
    cup = evolve(FIVE, plan=evolve(SWISS, tie_breaks=SWISS_TIE_BREAKS))
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


def test_crosstable_cell_of_several_games_is_not_read_as_a_number():
    tournament = finished(preset("league", "league", "Reversi"), 6)
    cells = [cell for row in rows_of(crosstable_csv(tournament))[1:] for cell in row[2:-1] if cell != "*"]
    assert len(cells) == 30
    assert {len(cell) for cell in cells} == {3}
    assert not any(cell.isdigit() for cell in cells)


def test_crosstable_cells_with_games_that_were_not_played_stay_what_they_are():
    """A spreadsheet makes a number of `- 1`, but not of a sign alone; no cell needs an apostrophe."""
    twice = played(evolve(LATE, cycles=2), ["A-B +:-, C-D 1-0", "B-A 1-0, D-C +:-"])
    cells = {cell for row in rows_of(crosstable_csv(twice))[1:] for cell in row[2:-1]}
    assert cells == {"*", "", "(+) 0", "(-) 1", "1 (-)", "0 (+)"}
    assert {"+", "-"} <= {cell for row in rows_of(crosstable_csv(evolve(FIVE, plan=LATE)))[1:] for cell in row}


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


@pytest.mark.parametrize("text", lines(__file__, "texts that a spreadsheet would change"))
def test_texts_that_a_spreadsheet_would_change_are_kept_by_an_apostrophe(text):
    assert csv_line([text], CsvStyle.DUTCH) == f"'{text}\r\n"


@pytest.mark.parametrize("text", lines(__file__, "texts that it leaves as they are"))
def test_other_texts_are_left_as_they_are(text):
    assert not is_at_risk(text)


@pytest.mark.parametrize("style", CsvStyle)
@pytest.mark.parametrize("name", ["hanze", "swiss", "cup", "league", "arena"])
def test_no_field_of_a_file_becomes_a_date(name, style):
    short = {"duration_ms": 9000} if name == "arena" else {}
    row = TournamentRow(3, finished(preset(name, "course", "Reversi", **short), 7, faults=0.1))
    for file in EXPORTS.values():
        if file.is_csv:
            text = file.make(row, 0, FileOptions(style=style))
            cells = [cell for line in csv.reader(io.StringIO(text), delimiter=style.separator) for cell in line]
            dangerous = [cell for cell in cells if is_at_risk(cell)]
            # Only numbers, with the sign that the style's spreadsheets expect.
            assert all(cell.replace(style.decimal_sign, "", 1).lstrip("-").isdigit() for cell in dangerous), dangerous


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


def test_trf_has_everything_in_its_columns():
    lines = trf(FIVE).splitlines()
    assert lines[0] == "012 Course cup"
    assert "XXR 3" in lines
    players = [line for line in lines if line.startswith("001")]
    assert [line[14:47].strip() for line in players] == ["A", "B", "C", "D", "E"]
    a, *_, e = players
    assert (a[4:8], a[80:84], a[85:89]) == ("   1", " 2.0", "   2")
    assert [a[91 + 10 * n : 99 + 10 * n] for n in range(3)] == ["   2 w 1", "   5 b 1", "   3 w 0"]
    assert [e[91 + 10 * n : 99 + 10 * n] for n in range(3)] == ["0000 - U", "   1 w 0", "   4 b -"]


def test_trf_of_long_and_odd_names_keeps_its_columns():
    long = apply(apply(entered(SWISS, 1), RegisterEntrant("x" * 60 + "\nline")), StartTournament(0))
    players = [line for line in trf(World(long).run()).splitlines() if line.startswith("001")]
    assert [line[47] for line in players] == [" ", " "]
    assert {len(line) for line in players} == {99}


def test_a_crosstable():
    tournament = evolve(FIVE, plan=LATE)
    rows = standings(tournament)
    names = [row.name for row in rows]
    table = crosstable(tournament, rows)
    cell = {(a, b): table[i][j] for i, a in enumerate(names) for j, b in enumerate(names)}
    assert (cell["A", "B"], cell["B", "A"], cell["C", "D"], cell["D", "E"], cell["E", "D"]) == ("1", "0", "½", "+", "-")
    assert (cell["A", "A"], cell["A", "D"]) == ("*", "")


@pytest.mark.parametrize("table_of", [crosstable, round_table])
def test_games_of_a_cell_are_in_their_order_whichever_came_on_record_first(table_of):
    done = played(Plan("league", "Reversi", Format.ROUND_ROBIN, games=2), ["A-B 1-0, B-A +:-"])
    first, second = (evolve(one, board=1, game=game) for game, one in enumerate(done.pairings, start=1))
    tables = [
        table_of(evolve(done, pairings=pairings), standings(done)) for pairings in ((first, second), (second, first))
    ]
    assert tables[0] == tables[1]
