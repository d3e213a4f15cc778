"""`gameserver tournament run` while the server comes and goes."""

import io
from contextlib import nullcontext
from typing import Any, cast

import pytest
from attrs import define, field
from click.testing import CliRunner

from gameserver.admin.client import NotReached
from gameserver.cli import tournament, tournament_run
from gameserver.cli.common import plain_console
from gameserver.tournaments.acts import Cancel, RegisterEntrant, StartTournament
from gameserver.tournaments.lifecycle.act_table import apply
from gameserver.tournaments.model import Tournament
from gameserver.tournaments.output.view import as_json, tournament_view
from gameserver.tournaments.presets import preset


def player(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "seeks": None, "table": None, "is_callable": True} | fields


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
        if path == ("status",):
            return {"players": [player("ann"), player("bob")], "tickets": []}
        listed = [{"number": at, "name": name, "phase": self.phase} for at, name in enumerate(self.created, start=1)]
        return (
            {"tournaments": listed}
            if path == ("tournaments",)
            else {
                "phase": self.phase,
                "game": "Reversi",
                "standings": [],
            }
        )

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
        return {
            "number": len(self.created),
            "format": "round-robin",
            "games": 1,
            "game": "Reversi",
            "turn_time_ms": 10_000,
        }


@pytest.mark.parametrize("loses_answers", [True, False])
def test_it_is_created_and_begun_once_however_often_the_server_is_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], loses_answers: bool
) -> None:
    monkeypatch.setattr(tournament_run.time, "sleep", lambda _: None)
    server: Any = ShakyServer(loses_answers)
    console = plain_console(io.StringIO())
    plan = {"game": "Reversi", "preset": "hanze", "settings": (), "entry": "logged-in", "roster": None, "house": ()}
    found = tournament_run._patiently(console, lambda: tournament_run._found_or_created(server, "Cup", plan, "Ms Reed"))
    tournament_run._gather(console, server, found, 2, None, "Ms Reed", "logged-in")
    assert (server.created, server.phase, found) == (["Cup"], "running", 1)
    assert capsys.readouterr().out == "round robin at Reversi, 10 s for a turn\n"


def test_a_file_says_that_the_tournament_has_begun_and_how_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_run, "POLL_S", 0.0)
    begun = Tournament(preset("hanze", "Cup", "Reversi"), "5e" * 32)
    for name in ("ann", "bob"):
        begun = apply(begun, RegisterEntrant(name))
    begun = apply(begun, StartTournament(0))
    stopped = apply(begun, Cancel(1_000, "Ms Reed", "fire alarm"))
    views = [as_json(tournament_view(one)) for one in (begun, begun, stopped)]

    @define
    class Course:
        def get(self, *path: str) -> Any:
            return views.pop(0)

    console = plain_console(io.StringIO())
    tournament_run._watch(console, cast("Any", Course()), 1)
    said = [line for line in console.file.getvalue().splitlines() if line.startswith("Cup (Reversi, round robin): ")]
    assert [line.partition(": ")[2].partition(",")[0] for line in said] == ["running", "cancelled"]


@pytest.mark.parametrize(
    ("kind", "which", "is_warned"), [("grades", "cup", True), ("trf", "cup", False), ("grades", "swiss", False)]
)
def test_grades_of_a_cup_are_exported_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, kind: str, which: str, is_warned: bool
) -> None:
    view = as_json(tournament_view(Tournament(preset(which, "Cup", "Reversi"), "5e" * 32), number=1))

    class Server:
        def get(self, *path: str) -> Any:
            return {"tournaments": [view]} if path == ("tournaments",) else view

        def text(self, *_path: str, **_options: Any) -> str:
            return "the file\n"

    monkeypatch.setattr(tournament, "running_server", lambda *_where: nullcontext(Server()))
    done = CliRunner().invoke(tournament.tournament, ["export", kind])
    assert done.exit_code == 0, done.output
    assert done.stdout == "the file\n"
    assert ("warning: grades mean little after a knockout" in done.stderr) is is_warned
