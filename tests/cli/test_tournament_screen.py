"""A running tournament at terminals of any size: what must be seen is there, in whole words, and fits."""

import io
import re
from itertools import pairwise
from typing import Any

import pytest
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress
from rich.text import Text

from gameserver.cli import tournament_text as tables
from gameserver.cli.fitted_table import NAME_WIDTH
from gameserver.cli.tournament import FIRST, screen
from gameserver.cli.tournament_text import AWAY, BACK, Outage, clock
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import Begin, Pair, RegisterEntrant, Report, StartTournament, Tournament, Verdict
from gameserver.tournaments.planner import Planner
from gameserver.tournaments.presets import preset
from gameserver.tournaments.view import Separation, as_json, tournament_view

SIZES = [(80, 24), (120, 40), (60, 20)]
PLAYERS = [2, 10, 24, 60]
LONG = "abcdefghijklmnopqrstuvwxyz" * 3


def long_name(number: int) -> str:
    """A name of 64 letters."""
    return f"{number:02}{LONG}"[:64]


def view_of(players: int, which: str = "hanze", name: Any = long_name) -> dict[str, Any]:
    """A tournament of which half of the first games are over."""
    tournament = Tournament(
        preset(which, "Spring cup of the second year, groups A to F, all bots", "Reversi"), "5eed" * 16
    )
    for number in range(players):
        tournament = apply(tournament, RegisterEntrant(name(number)))
    tournament = apply(tournament, StartTournament(0))
    names = [entrant.name for entrant in tournament.entrants]
    pairings = Planner().next_pairings(tournament, set(names), 0)
    assert isinstance(pairings, Pair)
    tournament = apply(tournament, pairings)
    for pairing in tournament.pairings:
        tournament = apply(tournament, Begin(pairing.number, 1000 + pairing.number))
    for pairing in tournament.pairings[: players // 4]:
        reason = "illegal move: the cell is taken"
        tournament = apply(tournament, Report(pairing.number, 1000 + pairing.number, Verdict.FIRST, reason, (1, 0)))
    separation = Separation(dict.fromkeys(names, (1, players)), [names[: players // 2], names[players // 2 :]])
    return as_json(tournament_view(tournament, number=1, separation=separation))


def drawn(what: RenderableType, width: int, height: int = 24) -> list[str]:
    """The lines of it at a terminal of this size."""
    file = io.StringIO()
    Console(file=file, width=width, height=height, markup=False, emoji=False, highlight=False).print(what)
    return file.getvalue().splitlines()


def screen_of(view: dict[str, Any], width: int, height: int) -> list[str]:
    bar = Progress(BarColumn(), MofNCompleteColumn())
    bar.add_task("", total=100, completed=12)
    return [line for line in drawn(screen(view, bar, width, height), width, height) if line.strip()]


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("players", PLAYERS)
def test_progress_and_the_first_ten_are_always_there(players: int, width: int, height: int) -> None:
    view = view_of(players)
    lines = screen_of(view, width, height)
    assert len(lines) < height
    assert max(map(len, lines)) <= width
    assert any(re.search(r"12/100", line) for line in lines[:5])
    assert any("games left" in line for line in lines[:3])
    for row in view["standings"][:FIRST]:
        found = [line for line in lines if line.startswith(f"{row['rank']} ")]
        assert row["name"][: NAME_WIDTH - 1] in found[0], "at least twenty columns, of which the last tells of a cut"
    assert not any(kind in line for kind in view["tie_breaks"] for line in lines)
    assert any("playing" in line for line in lines), "with room left, the games that are being played"


def test_what_is_left_out_is_counted() -> None:
    lines = screen_of(view_of(60), 80, 24)
    told = [line.strip() for line in lines if line.startswith("and ")]
    shown = sum("playing" in line for line in lines)
    assert told == ["and 50 more players", f"and {15 - shown} more games"]


@pytest.mark.parametrize("height", range(1, 30))
def test_a_low_terminal_keeps_the_order_of_importance(height: int) -> None:
    lines = screen_of(view_of(24), 80, height)
    assert "Spring cup" in lines[0]
    assert sum(bool(re.match(r"\d+ +1-24", line)) for line in lines) >= FIRST
    assert len(lines) < max(height, 17)


@pytest.mark.parametrize("which", ["hanze", "swiss"])
def test_tie_breaks_are_for_the_end_and_for_wide_terminals(which: str) -> None:
    view = view_of(10, which)
    narrow, wide = ("\n".join(drawn(tables.standings(view, width), width)) for width in (80, 120))
    assert "Buchholz" not in narrow
    assert "Sonneborn" not in narrow
    assert "Sonneborn-Berger" in wide
    apart = sum(one["group"] != below["group"] for one, below in pairwise(view["standings"]))
    assert len([line for line in wide.splitlines() if set(line.strip()) == {"─"}]) == 1 + apart > 1


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("players", PLAYERS)
def test_no_table_breaks_a_word_that_has_room(players: int, width: int, height: int) -> None:
    view = view_of(players)
    headings = {"rank strength(95%) player points played + = - note"}
    headings |= {
        "no. name game format state players done left time s",
        "round first second match result reason",
        "no room here for:",
        *view["tie_breaks"],
    }
    headings |= {tables.duration(view["eta_ms"])}
    texts = {str(value) for row in (view, *view["standings"], *view["pairings"]) for value in row.values()}
    texts |= {value for row in view["standings"] for value in row["tie_breaks"]} | {"1-60", f"1-{players}"}
    texts.add(tables.duration(view["eta_ms"]))
    whole = {word.rstrip(",") for text in headings | texts for word in text.split()}
    for table in (
        tables.standings(view, width),
        tables.matches(view, width, only_open=False),
        tables.matches(view, width),
        tables.listing([view | {"left": 7}, view | {"left": 7}], width),
    ):
        lines = drawn(table, width, height)
        assert max(map(len, lines)) <= width
        words = {word.rstrip(",") for line in lines for word in line.split() if set(word) != {"─"}}
        left = str(7 + view["playing"])
        pieces = {word for word in words - whole - {left} if len(word) < NAME_WIDTH}
        ends = [long_name(number) for number in range(players)]
        assert {word for word in pieces if not any(name.endswith(word) for name in ends)} == set()


def test_columns_without_room_are_named() -> None:
    assert "no room here for: format, players" in "\n".join(drawn(tables.listing([view_of(2)], 60), 60))


def test_an_arena_has_no_rounds() -> None:
    for which in ("arena", "swiss"):
        view = view_of(8, which)
        shown = "\n".join([*screen_of(view, 80, 24), *drawn(tables.matches(view, 120, only_open=False), 120)])
        assert ("round" in shown) == (which == "swiss"), shown
        assert f"running, {'' if which == 'arena' else 'round 1 of 4, '}2 done" in re.sub(r"\s+", " ", shown)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_while_the_server_is_away_the_screen_says_so_first_and_tells_no_time_left(width: int, height: int) -> None:
    now_s = [100.0]
    outage = Outage(lambda _: None, lambda: now_s[0])
    outage.begin()
    now_s[0] += 42.4
    outage.begin()
    view = view_of(24) | {"eta_ms": 30_000}
    assert "about 30 s" in "\n".join(drawn(screen(view, Text("bar"), width, height), width, height))
    lines = drawn(screen(view, Text("bar"), width, height, outage.note), width, height)
    assert " ".join(lines[: 1 + (width < 80)]) == f"{AWAY} 0:42"
    assert "about" not in "\n".join(lines)
    assert len(lines) < height
    outage.end()
    assert outage.note == ""


def test_an_outage_is_told_once_and_so_is_its_end() -> None:
    said: list[str] = []
    outage = Outage(said.append)
    outage.end()
    for _ in range(3):
        outage.begin()
    outage.end()
    outage.end()
    assert said == [AWAY, BACK]
    assert [clock(seconds) for seconds in (0.9, 61, 3723)] == ["0:00", "1:01", "1:02:03"]


HELD_UP = {"player": "dan", "for_ms": 9_000, "why": "to move"}


@pytest.mark.parametrize(
    ("waiting", "line"),
    [
        ({"players": ["dan"], "for_ms": 42_999, "why": "not here", "hold": None}, "waiting for dan, 0:42 (not here)"),
        ({"players": ["dan"], "for_ms": 62_000, "why": "to move", "hold": None}, "waiting for dan, 1:02"),
        ({"players": ["dan"], "for_ms": 4_999, "why": "to move", "hold": None}, ""),
        ({"players": ["cyd", "dan"], "for_ms": 62_000, "why": "", "hold": HELD_UP}, "waiting for dan, 0:09"),
        (
            {"players": ["cyd", "dan"], "for_ms": 62_000, "why": "", "hold": HELD_UP | {"for_ms": 900}},
            "waiting for cyd and dan, 1:02",
        ),
        (None, ""),
    ],
)
def test_the_screen_says_for_whom_everybody_waits(waiting: dict[str, Any] | None, line: str) -> None:
    view = view_of(24) | {"waiting": waiting}
    assert tables.waiting_line(view) == line
    shown = screen_of(view, 80, 24)
    assert not line or line in shown[:4]
    assert len(shown) < 24
    assert "waiting for" not in "\n".join(drawn(screen(view, Text("bar"), 80, 24, AWAY), 80, 24)), "it stands still"
