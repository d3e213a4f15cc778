"""`gameserver tournament run` while the server comes and goes."""

import io
import re
import shlex
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import click
import pytest
from attrs import define, field
from click.testing import CliRunner

from gameserver.admin.client import NotReached
from gameserver.cli import common, tournament
from gameserver.cli import tournament as cli
from gameserver.cli.common import WrongSettings, plain_console
from gameserver.cli.main import main
from gameserver.cli.tournament import gathering_line, people_in
from gameserver.cli.tournament_options import creation, read_roster, student_ids_in
from gameserver.cli.tournament_text import to_decide
from gameserver.tournaments.act_table import apply, teacher_acts
from gameserver.tournaments.model import Cancel, RegisterEntrant, StartTournament, Tournament
from gameserver.tournaments.presets import preset
from gameserver.tournaments.view import as_json, tournament_view
from tests.support.tables import lines, table


def view(ready: list[str], *missing: str) -> dict[str, Any]:
    return {"phase": "gathering", "gathering": {"ready": ready, "missing": [*missing]}}


@define
class ShakyServer:
    """A server that is away at every third request; what it was asked to do before that is done or not."""

    loses_answers: bool
    phase: str = "gathering"
    asked: int = 0
    created: list[str] = field(factory=list)

    def _answer(self) -> None:
        self.asked += 1
        if self.asked % 3 == 1:
            raise NotReached("no server answers")

    def get(self, *path: str) -> Any:
        self._answer()
        listed = [{"number": at, "name": name, "phase": self.phase} for at, name in enumerate(self.created, start=1)]
        shown = view(["ann", "bob"]) | {"phase": self.phase}
        return {"tournaments": listed} if path == ("tournaments",) else shown

    def post(self, *path: str, **body: Any) -> Any:
        if not self.loses_answers:
            self._answer()
        if path[-1] == "start":
            assert self.phase == "gathering", "it can be started once"
            self.phase = "running"
        else:
            self.created.append(body["name"])
        if self.loses_answers:
            self._answer()
        plan = {"format": "round-robin", "games": 1, "game": "Reversi", "clock": "turn 10s"}
        return plan | {"number": len(self.created)}


@pytest.mark.parametrize("loses_answers", [True, False])
def test_it_is_created_and_begun_once_however_often_the_server_is_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], loses_answers: bool
) -> None:
    monkeypatch.setattr(tournament.time, "sleep", lambda _: None)
    server: Any = ShakyServer(loses_answers)
    console = plain_console(io.StringIO())
    plan = {"game": "Reversi", "preset": "hanze", "settings": (), "entry": "logged-in", "roster": None, "house": ()}
    found = tournament._patiently(console, lambda: tournament._found_or_created(server, "Cup", plan, "Ms Reed"))
    tournament._gather(console, server, found, 2, None, "Ms Reed")
    assert (server.created, server.phase, found) == (["Cup"], "running", 1)
    assert capsys.readouterr().out == "round robin at Reversi, turn 10s\n"


def test_a_file_says_that_the_tournament_has_begun_and_how_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament, "POLL_S", 0.0)
    begun = Tournament(preset("hanze", "Cup", "Reversi"), "5e" * 32)
    for name in ("ann", "bob"):
        begun = apply(begun, RegisterEntrant(name))
    begun = apply(begun, StartTournament(0))
    stopped = apply(begun, Cancel(1_000, "Ms Reed", "fire alarm"))
    views = [as_json(tournament_view(one)) for one in (begun, begun, stopped)]

    console = plain_console(io.StringIO())
    tournament._watch(console, cast("Any", SimpleNamespace(get=lambda *_path: views.pop(0))), 1)
    said = [line for line in console.file.getvalue().splitlines() if line.startswith("Cup (Reversi, round robin): ")]
    assert [line.partition(": ")[2].partition(",")[0] for line in said] == ["running", "cancelled"]


@pytest.mark.parametrize(
    ("kind", "which", "is_warned"), [("grades", "cup", True), ("trf", "cup", False), ("grades", "swiss", False)]
)
def test_grades_of_a_cup_are_exported_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, kind: str, which: str, is_warned: bool
) -> None:
    view = as_json(tournament_view(Tournament(preset(which, "Cup", "Reversi"), "5e" * 32), number=1))

    server = SimpleNamespace(
        get=lambda *path: {"tournaments": [view]} if path == ("tournaments",) else view,
        text=lambda *_path, **_options: "the file\n",
    )
    monkeypatch.setattr(tournament, "running_server", lambda *_where: nullcontext(server))
    done = CliRunner().invoke(tournament.tournament, ["export", kind])
    assert done.exit_code == 0, done.output
    assert done.stdout == "the file\n"
    assert ("warning: grades mean little after a knockout" in done.stderr) is is_warned


def test_status_and_standings_have_the_teams(monkeypatch: pytest.MonkeyPatch) -> None:
    state = Tournament(preset("teams", "Cup", "Reversi", team_boards=1), "5e" * 32)
    for name, team in (("ann", "Reds"), ("bob", "[Blues]")):
        state = apply(state, RegisterEntrant(name, team=team))
    view = as_json(tournament_view(apply(state, StartTournament()))) | {"forecast": []}
    server = SimpleNamespace(get=lambda *path: {"tournaments": [view]} if path == ("tournaments",) else view)
    monkeypatch.setattr(tournament, "running_server", lambda *_where: nullcontext(server))
    for command in ("status", "standings"):
        done = CliRunner().invoke(tournament.tournament, [command])
        assert "match points" in done.stdout, done.output
        assert "[Blues]" in done.stdout


def test_the_line_says_how_many_are_missing_and_who() -> None:
    here, absent = people_in(view(["bob", "ann", "house-random"], "zoe"))
    assert gathering_line(here, absent, 3) == "2 of 3 players here, 1 still missing; here: ann, bob; not logged in: zoe"
    assert gathering_line([], [], 1) == "0 of 1 player here, 1 still missing"
    assert gathering_line(["ann", "bob"], [], None) == "2 players here; here: ann, bob"


START = cli.act_command("start", teacher_acts()["start"])


@define
class Gathering:
    """A server with a tournament of ann and bob, of whom only ann is logged in."""

    begun: int = 0

    def get(self, *path: str) -> Any:
        found = view(["ann", "house-random"], "bob") | {"number": 1, "name": "Cup"}
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
    monkeypatch: pytest.MonkeyPatch, command: str, is_terminal: bool, is_sure: bool, typed: str, begins: int, said: str
) -> None:
    server: Any = Gathering()
    for module in (common, tournament):
        monkeypatch.setattr(module, "is_terminal", lambda: is_terminal)
    monkeypatch.setattr(cli, "running_server", lambda *_where: nullcontext(server))

    @click.command()
    def gather() -> None:
        tournament._gather(plain_console(io.StringIO()), server, 1, None, None, "Ms Reed", is_sure=is_sure)

    if command == "run":
        # On a terminal it asks for Enter first.
        done = CliRunner().invoke(gather, input=f"\n{typed}" if is_terminal else "")
    else:
        done = CliRunner().invoke(START, ["--yes"] if is_sure else [], input=typed)
    assert server.begun == begins, done.output
    assert said in done.output
    assert MISSING in done.output


@pytest.mark.parametrize(("found", "code"), [(["The disk is full: free it.", "No roster: name one."], 1), ([], 0)])
def test_check_before_the_event_tells_what_would_hurt_and_begins_nothing(
    monkeypatch: pytest.MonkeyPatch, found: list[str], code: int
) -> None:
    asked = []

    def post(*path: str, **body: Any) -> Any:
        asked.append((path, body["game"], body["roster"]))
        return {"warnings": found, "forecast": ["About 3 matches."]}

    server = cast("Any", SimpleNamespace(post=post))
    monkeypatch.setattr(cli, "_server", lambda *_where: nullcontext(server))
    done = CliRunner().invoke(cli.run, ["--game", "Reversi", "--house", "house-random", "--check"])
    assert (done.exit_code, asked) == (code, [(("tournaments", "check"), "Reversi", [{"player": "house-random"}])])
    told = found or ["nothing was found that would hurt at the event"]
    assert done.output.splitlines() == ["About 3 matches.", *told]


@pytest.mark.parametrize("option", ["--until", "--start-at"])
@pytest.mark.parametrize(("text", "why"), [("soon", "write for example 15:45"), ("24:00", "no time of day")])
def test_a_time_that_is_none_is_refused(option: str, text: str, why: str) -> None:
    done = CliRunner().invoke(cli.create, ["cup", "--game", "Reversi", option, text])
    assert done.exit_code == 2
    assert f"{option}: '{text}'" in done.output
    assert why in done.output


def test_stages_that_are_none_are_refused() -> None:
    done = CliRunner().invoke(cli.create, ["cup", "--game", "Reversi", "--stages", "groups of 1, best 1 -> knockout"])
    assert done.exit_code == 2
    assert "a group of 1 has nobody to play with" in done.output


def test_a_line_is_printed_only_if_those_who_are_missing_change(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0

    def sleep(pause_s: float) -> None:
        nonlocal now_s
        now_s += pause_s

    monkeypatch.setattr(tournament.time, "sleep", sleep)
    monkeypatch.setattr(tournament.time, "monotonic", lambda: now_s)
    present = ["", "bob", "bob cyd", "bob cyd ann", "cyd ann", "ann cyd dan"]

    def get(*_path: str) -> Any:
        names = present[min(int(now_s / tournament.POLL_S), len(present) - 1)].split()
        return view(names, *({"ann"} - {*names}))

    out, server = io.StringIO(), cast("Any", SimpleNamespace(get=get))
    tournament._wait_for(plain_console(out), server, 1, None, 5)
    assert out.getvalue().splitlines() == [
        "0 players here; not logged in: ann",
        "3 players here; here: ann, bob, cyd",
        "3 players here; here: ann, cyd, dan",
    ]


def test_a_tournament_of_the_house_waits_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament.time, "sleep", lambda _: None)
    out = io.StringIO()
    house = ["house-random", "house-greedy"]
    views = [view([*names, *house]) for names in ([], [], ["ann"], ["ann", "bob"])]
    tournament._wait_for(plain_console(out), cast("Any", SimpleNamespace(get=lambda *_path: views.pop(0))), 1, 2, None)
    assert views == []
    assert out.getvalue().splitlines() == [
        "0 of 2 players here, 2 still missing",
        "1 of 2 players here, 1 still missing; here: ann",
    ]


def written(folder: Path, text: str) -> Path:
    file = folder / "class.csv"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("text", lines(__file__, "rosters of ann, without a rating, and bob, with 1700"))
def test_rosters(tmp_path: Path, text: str) -> None:
    assert read_roster(written(tmp_path, text)) == [{"player": "ann", "rating": 0}, {"player": "bob", "rating": 1700}]


@pytest.mark.parametrize(("text", "says"), table(__file__, "rosters that cannot be used"))
def test_rosters_that_cannot_be_used(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(WrongSettings, match=says):
        read_roster(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("ann,1500\nbob\n", {}),
        ("\ufeffName;ID;Secret\nann;007;x\nbob;;\n", {"ann": "007"}),
        ("id\tname\n007\tbob\n", {"bob": "007"}),
        ("", {}),
    ],
)
def test_ids_for_the_grades(tmp_path: Path, text: str, ids: dict[str, str]) -> None:
    assert student_ids_in(written(tmp_path, text)) == ids
    assert student_ids_in(None) == {}


@pytest.mark.parametrize("text", ["house-random*0", "house-random*", "house-random*²", "house-random*1001"])
def test_as_many_house_players_as_there_can_be(text: str) -> None:
    with pytest.raises(WrongSettings, match="a number must follow the star"):
        creation("cup", "Reversi", "hanze", (), "roster", None, (text,), "Ms Reed")


def test_house_players_have_numbers() -> None:
    made = creation("cup", "Reversi", "hanze", ("games=2",), "roster", None, ("house-random*2",), "Ms Reed")
    assert [one["player"] for one in made["roster"]] == ["house-random", "house-random-2"]
    assert made["changes"] == {"games": 2}


HELD = {"number": 7, "first": "ann", "second": "bob", "status": "held", "reason": "a bug in the server"}
USAGE_ERROR = 2


def test_commands_for_a_held_game_are_complete(tmp_path: Path) -> None:
    (line,) = to_decide({"pairings": [HELD, HELD | {"status": "playing"}]})
    commands = re.findall(r"`gameserver (.+?)`", line)
    assert len(commands) == 2
    for command in commands:
        words = shlex.split(command.replace("RESULT", "second"))
        told = CliRunner().invoke(main, [*words, "--data", str(tmp_path / "none.sqlite3")])
        assert told.exit_code not in {0, USAGE_ERROR}, told.output


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("tournament create Cup --game Reversi --set clock=+2s", "--set"),
        ("match ann bob --game Reversi --clock +2s", "--clock"),
        ("rehearse --game Reversi --set clock=+2s", "--set"),
    ],
)
def test_a_clock_that_cannot_be_read_is_refused_in_a_line(command: str, option: str, tmp_path: Path) -> None:
    there = [] if command.startswith("rehearse") else ["--data", str(tmp_path / "none.sqlite3")]
    done = CliRunner().invoke(main, [*shlex.split(command), *there])
    assert done.exit_code == 2
    (line,) = done.output.splitlines()
    assert f"{option}: '+2s' is no clock: an increment needs a bank before it; write for example " in line
