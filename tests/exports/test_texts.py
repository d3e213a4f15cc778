"""Score sheets, rows, SGF, and matches that the installed games cannot read."""

import csv
import io
import json

import pytest
from attrs import evolve

from gameserver.exports.matches import (
    NotReadable,
    csv_lines,
    frames,
    json_lines,
    match_rows,
    move_rows,
    played_match,
    score_sheet,
)
from gameserver.tournaments.csv_text import CsvStyle, is_at_risk
from tests.exports.matches import GAMES, played


def test_a_score_sheet() -> None:
    record = played("Tic-tac-toe", moves_max=2)
    first, second = (seat.player for seat in record.seats)
    winner = next(seat.player for seat in record.seats if seat.result == "win")
    one, two = record.moves
    assert score_sheet(record) == (
        '[Match "1"]\n[Game "Tic-tac-toe"]\n[Clock "turn 10s"]\n'
        '[Opened "1970-01-01T00:00:00.000+00:00"]\n[Ended "1970-01-01T00:00:00.000+00:00"]\n'
        f'[Player1 "{first}"]\n[Player2 "{second}"]\n'
        f'[Result "{first} {record.seats[0].points}, {second} {record.seats[1].points}"]\n'
        f'[Winner "{winner}"]\n[Termination "resigned"]\n'
        f"\n1. {first} {one.move}\n2. {second} {two.move}\n"
    )


def test_a_score_sheet_of_several_games_tells_where_each_begins() -> None:
    record = played("Tavli", length="cash")
    text = score_sheet(record)
    assert [line for line in text.splitlines() if line.startswith("[Game ")] == [
        '[Game "Tavli"]',
        '[Game "Portes"]',
        '[Game "Plakoto"]',
        '[Game "Fevga"]',
    ]
    assert text.count("\n[Round ") == 3
    assert '[Options "{\\"' in text


def test_rows_as_json_lines() -> None:
    records = [played("Tic-tac-toe"), played("Tavla", length="cash")]
    matches = [json.loads(line) for line in json_lines(match_rows(records))]
    assert [(row["game"], row["moves"], row["result1"]) for row in matches] == [
        (record.game, len(record.moves), record.seats[0].result) for record in records
    ]
    moves = [json.loads(line) for line in json_lines(move_rows(records))]
    assert len(moves) == sum(len(record.moves) for record in records)
    assert {row["by"] for row in moves} == {"player", "chance"}
    (timed, *_) = move_rows([evolve(records[0], moves=(evolve(records[0].moves[0], bank_ms=171_500),))])
    assert (matches[0]["clock"], timed["bank_ms"]) == ("turn 10s", 171_500)


def test_rows_tell_the_tournament_and_its_round() -> None:
    record = played("Tic-tac-toe")
    lone, paired = match_rows([record, evolve(record, tournament=7, round=3)])
    assert (lone["tournament"], lone["round"]) == (None, None)
    assert (paired["tournament"], paired["round"]) == (7, 3)
    (in_arena,) = match_rows([evolve(record, tournament=7, round=1)], {7})
    assert (in_arena["tournament"], in_arena["round"]) == (7, None)


def test_rows_for_a_spreadsheet_with_decimal_commas() -> None:
    """A move of Backgammon such as 8/5 is no date there either."""
    text = "".join(csv_lines(move_rows([played("Backgammon")]), CsvStyle.DUTCH))
    rows = list(csv.DictReader(io.StringIO(text), delimiter=";"))
    assert {row["by"] for row in rows} == {"player", "chance"}
    assert not [row["move"] for row in rows if is_at_risk(row["move"])]


def test_rows_as_csv_run_nothing_in_a_spreadsheet() -> None:
    record = played("Tic-tac-toe")
    seats = (evolve(record.seats[0], player='=HYPERLINK("http://x")'), *record.seats[1:])
    text = "".join(csv_lines(match_rows([evolve(record, seats=seats)])))
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["player1"] == '\'=HYPERLINK("http://x")'
    assert row["points2"] == str(record.seats[1].points), "a number below zero stays one"
    assert text.count("\r\n") == 2


def test_sgf() -> None:
    record = played("Reversi")
    text = GAMES["reversi"].exports["sgf"](played_match(record, GAMES))
    black, white = (seat.points for seat in record.seats)
    assert f"CA[UTF-8]AP[gameserver]GM[2]SZ[8]GN[1]DT[1970-01-01]PB[{record.seats[0].player}]" in text
    assert f"RE[{'B' if black > white else 'W'}+{abs(black - white)}]" in text
    points = "".join(
        f";{'BW'[move.seat or 0]}[{chr(97 + int(move.move) % 8)}{chr(97 + int(move.move) // 8)}]"
        for move in record.moves
    )
    assert text.endswith(f"\n{points})\n")


@pytest.mark.parametrize(
    ("clock", "left_ms", "limits", "nodes"),
    [
        ("turn 10s", (None, None, None), "TM[0]OT[1x10 byo-yomi]", ("", "", "")),
        ("3m+2s, turn 60s", (172_500, 180_000, 900), "TM[180]OT[2 fischer]", ("BL[172.5]", "WL[180]", "BL[0.9]")),
        ("5s, 3 x 10s", (31_000, 30_000, 10_000), "TM[5]OT[3x10 byo-yomi]", ("BL[1]", "WL[10]OW[3]", "BL[10]OB[1]")),
        ("5m", (250_000, 0, 1), "TM[300]", ("BL[250]", "WL[0]", "BL[0.001]")),
    ],
)
def test_sgf_tells_the_clock_and_the_time_left(
    clock: str, left_ms: tuple[int | None, ...], limits: str, nodes: tuple[str, ...]
) -> None:
    record = played("Reversi", moves_max=3)
    moves = tuple(evolve(move, bank_ms=left) for move, left in zip(record.moves, left_ms, strict=True))
    text = GAMES["reversi"].exports["sgf"](played_match(evolve(record, clock=clock, moves=moves), GAMES))
    head, *rest = text.removeprefix("(;").removesuffix(")\n").split(";")
    assert head.endswith(f"]{limits}\n")
    assert [node.partition("]")[2] for node in rest] == list(nodes)


@pytest.mark.parametrize(
    ("reason", "ended"), [("resigned", "+R"), ("late", "+T"), ("illegal move", "+F"), ("void", "Void")]
)
def test_sgf_tells_how_it_ended(reason: str, ended: str) -> None:
    record = played("Reversi", moves_max=4)
    match = played_match(record, GAMES)
    game = evolve(match.games[0], reason=reason)
    text = GAMES["reversi"].exports["sgf"](evolve(match, games=(game,), players=("a]n\\n", "bob")))
    assert f"{ended}]" in text
    assert "PB[a\\]n\\\\n]" in text


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"game": "Chess"}, "Chess is not installed"),
        ({"game_version": 9}, "version 9 of Tic-tac-toe"),
        ({"options": '{"x":'}, "its options"),
    ],
)
def test_records_that_installed_games_cannot_read_are_reported(change: dict[str, object], why: str) -> None:
    with pytest.raises(NotReadable, match=why):
        played_match(evolve(played("Tic-tac-toe"), games=(), **change), GAMES)


def test_record_that_cannot_be_replayed_is_shown_without_boards_from_there() -> None:
    record = played("Backgammon")
    dice = next(number for number, move in enumerate(record.moves) if number > 4 and move.seat is None)
    shown = frames(evolve(record, moves=(*record.moves[:dice], *record.moves[dice + 1 :])), GAMES, None)
    told = [frame.happened for frame in shown if "from here on the boards cannot be shown" in frame.happened]
    assert len(told) == 1
    assert "Backgammon cannot replay it: IllegalMove: " in told[0]
    assert (len(shown), shown[1].board != "", shown[-1].board) == (len(record.moves) + 1, True, "")
