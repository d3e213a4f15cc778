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
from gameserver.cli.outage import AWAY, Outage
from gameserver.cli.tournament_screen import FIRST, screen
from gameserver.tournaments.acts import Begin, Pair, RegisterEntrant, Report, StartTournament
from gameserver.tournaments.lifecycle.act_table import apply
from gameserver.tournaments.model import Tournament, Verdict
from gameserver.tournaments.output.view import Separation, as_json, tournament_view
from gameserver.tournaments.pairing.planner import next_pairings
from gameserver.tournaments.presets import preset

SIZES = [(80, 24), (120, 40), (60, 20)]
PLAYERS = [2, 10, 24, 60]
LONG = "abcdefghijklmnopqrstuvwxyz" * 3


def long_name(number: int) -> str:
    """A name of 64 letters."""
    return f"{number:02}{LONG}"[:64]


def view_of(players: int, which: str = "hanze", name: Any = long_name) -> dict[str, Any]:
    """A tournament of which half of the first games are over."""
    tournament = Tournament(
        preset(which, "Spring cup of the second year, groups A to F, all bots", "Reversi"), "5eed" * 8
    )
    for number in range(players):
        tournament = apply(tournament, RegisterEntrant(name(number)))
    tournament = apply(tournament, StartTournament(0))
    names = [entrant.name for entrant in tournament.entrants]
    pairings = next_pairings(tournament, set(names), 0)
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


HELD_UP = {"player": "dan", "for_ms": 9_000, "why": "to move"}


@pytest.mark.parametrize(
    ("waiting", "line"),
    [
        ({"players": ["dan"], "for_ms": 42_999, "why": "not here", "hold": None}, "waiting for dan, 0:42 (not here)"),
        ({"players": ["dan"], "for_ms": 62_000, "why": "to move", "hold": None}, "waiting for dan, 1:02"),
        ({"players": ["dan"], "for_ms": 4_999, "why": "to move", "hold": None}, ""),
        (
            {"players": ["cyd", "dan"], "for_ms": 62_000, "why": "", "hold": HELD_UP},
            "waiting for dan, 0:09",
        ),
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
