"""People are counted before a tournament begins; house players are always there and do not count."""

import io
from contextlib import nullcontext
from typing import Any

import click
import pytest
from attrs import define
from click.testing import CliRunner

from gameserver.cli import agreement, tournament_run
from gameserver.cli import tournament as cli
from gameserver.cli.common import plain_console
from gameserver.cli.tournament_gathering import absent_people, gathering_line, people_here
from gameserver.tournaments.lifecycle.act_table import teacher_acts
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


START = cli.act_command("start", teacher_acts()["start"])


@define
class Gathering:
    """A server with a tournament of ann and bob, of whom only ann is logged in."""

    begun: int = 0

    def get(self, *path: str) -> Any:
        if path == ("status",):
            return {"players": [player("ann")], "tickets": []}
        found = view("ann", "bob", "house-random") | {"number": 1, "name": "Cup", "phase": "gathering"}
        found["phase"] = "running" if self.begun else "gathering"
        return {"tournaments": [found]} if path == ("tournaments",) else found

    def post(self, *path: str, **_body: Any) -> Any:
        assert path[-1] == "start"
        self.begun += 1
        return {"name": "Cup", "players": 3}


MISSING = "Not logged in: bob. Their matches wait for them"


@pytest.mark.parametrize("command", ["start", "run"])
@pytest.mark.parametrize(
    ("is_terminal", "is_sure", "typed", "begins", "said"),
    [
        (True, False, "y\n", 1, "Begin without them?"),
        (True, False, "n\n", 0, "Begin without them?"),
        (True, True, "", 1, MISSING),
        (False, False, "", 0, "give --yes"),
        (False, True, "", 1, MISSING),
    ],
)
def test_it_says_who_is_missing_and_asks_before_it_begins(
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    is_terminal: bool,
    is_sure: bool,
    typed: str,
    begins: int,
    said: str,
) -> None:
    server: Any = Gathering()
    for module in (agreement, tournament_run):
        monkeypatch.setattr(module, "is_terminal", lambda: is_terminal)
    monkeypatch.setattr(cli, "running_server", lambda *_where: nullcontext(server))

    @click.command()
    def gather() -> None:
        tournament_run._gather(
            plain_console(io.StringIO()), server, 1, None, None, "Ms Reed", "roster", is_sure=is_sure
        )

    if command == "run":
        # On a terminal it asks for Enter first.
        done = CliRunner().invoke(gather, input=f"\n{typed}" if is_terminal else "")
    else:
        done = CliRunner().invoke(START, ["--yes"] if is_sure else [], input=typed)
    assert server.begun == begins, done.output
    assert said in done.output
    assert MISSING in done.output


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
