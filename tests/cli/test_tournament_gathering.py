"""People are counted before a tournament begins; house players are always there and do not count."""

import io
from typing import Any

import pytest

from gameserver.cli import tournament_run
from gameserver.cli.common import plain_console
from gameserver.cli.tournament_gathering import absent_people, gathering_line, people_here
from tests.cli.test_tournament_run import player

HERE = [
    player("ann"),
    player("bob", seeks="Reversi"),
    player("cyd", seeks="Chess"),
    player("dan", is_callable=False),
    player("eve", table=4),
    player("fay", is_callable=False),
]
LOBBY = {"players": HERE, "tickets": [{"player": "fay", "game": "Reversi"}, {"player": "dan", "game": "Tavli"}]}


def view(*names: str) -> dict[str, Any]:
    return {"phase": "gathering", "game": "Reversi", "standings": [{"name": name} for name in names]}


@pytest.mark.parametrize(
    ("entry", "names", "found"),
    [
        ("logged-in", ("house-random", "house-random-2"), ["ann", "bob", "cyd", "eve", "fay"]),
        ("subscribed", ("house-random",), ["bob", "eve", "fay"]),
        ("subscribed", ("ann", "zoe"), ["ann", "bob", "eve", "fay"]),
        ("roster", ("ann", "zoe", "house-random"), ["ann"]),
        ("roster", ("house-random", "house-greedy"), []),
    ],
)
def test_people_who_would_play_now_are_counted(entry: str, names: tuple[str, ...], found: list[str]) -> None:
    assert people_here(LOBBY, view(*names), entry) == found


def test_the_line_says_how_many_are_missing_and_who() -> None:
    absent = absent_people(view("ann", "zoe", "house-random"), ["ann"])
    assert gathering_line(["ann"], absent, 3) == ("1 of 3 players here, 2 still missing; here: ann; not logged in: zoe")
    assert gathering_line([], [], 1) == "0 of 1 player here, 1 still missing"
    assert gathering_line(["ann", "bob"], [], None) == "2 players here; here: ann, bob"


def test_a_line_is_printed_only_if_those_who_are_missing_change(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0

    def sleep(pause_s: float) -> None:
        nonlocal now_s
        now_s += pause_s

    monkeypatch.setattr(tournament_run.time, "sleep", sleep)
    monkeypatch.setattr(tournament_run.time, "monotonic", lambda: now_s)
    present = ["", "bob", "bob cyd", "bob cyd ann", "cyd ann", "ann cyd dan"]

    class Server:
        def get(self, *path: str) -> Any:
            names = present[min(int(now_s / tournament_run.POLL_S), len(present) - 1)].split()
            return {"players": list(map(player, names)), "tickets": []} if path == ("status",) else view("ann")

    out = io.StringIO()
    tournament_run._wait_for(plain_console(out), Server(), 1, None, 5, "logged-in")  # type: ignore[arg-type]
    assert out.getvalue().splitlines() == [
        "0 players here; not logged in: ann",
        "3 players here; here: ann, bob, cyd",
        "3 players here; here: ann, cyd, dan",
    ]


def test_a_tournament_of_the_house_waits_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_run.time, "sleep", lambda _: None)
    out = io.StringIO()
    lobbies = iter([[], [], [player("ann")], [player("ann"), player("bob")]])
    asked: list[str] = []

    class Server:
        def get(self, *path: str) -> Any:
            asked.append(path[0])
            if path == ("status",):
                return {"players": next(lobbies), "tickets": []}
            return view("house-random", "house-greedy")

    tournament_run._wait_for(plain_console(out), Server(), 1, 2, None, "logged-in")  # type: ignore[arg-type]
    assert asked.count("status") == 4
    assert out.getvalue().splitlines() == [
        "0 of 2 players here, 2 still missing",
        "1 of 2 players here, 1 still missing; here: ann",
    ]
