"""A new act upon a tournament is a class, a handler and a row: everything else finds it in the table."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import attrs
import pytest
from click.testing import CliRunner

from gameserver.admin.listener import guide
from gameserver.cli import tournament as cli
from gameserver.core.commands import Conduct
from gameserver.core.lobby import At
from gameserver.journal.codec import read_row, write_row
from gameserver.journal.recovery import replay
from gameserver.tournaments.act_table import ACTS, PLAYER, ActField, TeacherAct, apply
from gameserver.tournaments.model import SERVER, Act, ActRefused, Ruling, Tournament, TournamentPhase
from tests.admin.support import post
from tests.support.games import catalogue
from tests.tournaments.test_act_table import in_phase
from tests.web.teaching import CUP, hall, look, refusal, submit


@attrs.frozen
class Penalise(Act):
    """A player loses points."""

    player: str
    half_points: int = 0
    by: str = SERVER
    why: str = ""


def penalise(tournament: Tournament, act: Penalise) -> Tournament:
    if act.half_points > 3:
        raise ActRefused(f"{act.player} cannot lose so much")
    return tournament.ruled(Ruling(f"penalty of {act.half_points} half points", act.by, act.why, player=act.player))


HALF_POINTS = ActField("half_points", "Half points", "a penalty", "Say how many half points", kind=int, most=9)
SPEC = TeacherAct(
    type=Penalise,
    tag="penalise",
    handler=penalise,
    phases=(TournamentPhase.GATHERING, TournamentPhase.RUNNING),
    cannot="penalise anybody",
    fields=(PLAYER, HALF_POINTS),
    needs_why=True,
    button="Take points away",
    help="Take points away from a player.",
    done="The player has lost points.",
    done_to="{player} loses {half_points} half points in {name}",
)


@pytest.fixture(autouse=True)
def _row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ACTS, "penalise", SPEC)


def test_tournament_and_journal_know_it() -> None:
    act = Penalise("p01", 2, "Ms Reed", "late again")
    assert apply(in_phase(TournamentPhase.RUNNING), act).rulings[-1].player == "p01"
    with pytest.raises(ActRefused, match="league is over and cannot penalise anybody now"):
        apply(in_phase(TournamentPhase.OVER), act)
    row = write_row(7, At(12, 11, 0), Conduct(1, act))
    assert b'"act":"penalise"' in row.body
    assert read_row(row)[0] == Conduct(1, act)


async def test_api_takes_it_and_journals_it() -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP | {"entry": "roster", "roster": "ann\r\nbob\r\n"})
        path = "/api/tournaments/1/penalise"
        assert (await post(running, path, {"player": "ann", "half_points": 10})).status == 400
        refused = await post(running, path, {"player": "ann", "half_points": 4})
        assert (refused.status, refused.json["error"]) == (409, "ann cannot lose so much")
        done = await post(running, path, {"player": "ann", "half_points": 2, "why": "late", "by": "Ms Reed"})
        assert done.status == 200
        replayed = replay(running.journal, catalogue()).lobby
        assert replayed.tournaments[1].state.rulings == (
            Ruling("penalty of 2 half points", "Ms Reed", "late", player="ann"),
        )


async def test_page_has_a_button_and_an_input_for_it() -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP | {"entry": "roster", "roster": "ann\r\nbob\r\n"})
        page = await look(running, "/tournaments/1")
        (form,) = [part for part in page.split("<form") if "Take points away</button>" in part]
        assert 'formaction="/tournaments/1/penalise"' in form
        assert re.search(r'Half points <input name="half_points"[^>]* inputmode="numeric"', form)
        typed = {"player": "ann", "half_points": "", "why": "late"}
        answer = await submit(running, "/tournaments/1/penalise", typed)
        assert (answer.status, refusal(answer)) == (400, "Say how many half points")
        done = await submit(running, "/tournaments/1/penalise", typed | {"half_points": "3"})
        assert "The player has lost points." in await look(running, done.headers["location"])
        assert "penalty of 3 half points" in await look(running, "/tournaments/1")


def test_command_line_has_a_command_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    class Server:
        def get(self, *_path: str) -> Any:
            return {"tournaments": [{"number": 4, "name": "Cup", "phase": "running"}]}

        def post(self, *path: str, **body: Any) -> Any:
            asked.append((path, body))
            return {"name": "Cup"}

    @contextmanager
    def running_server(*_where: object) -> Iterator[Server]:
        yield Server()

    monkeypatch.setattr(cli, "running_server", running_server)
    command = cli.act_command("penalise", SPEC)
    done = CliRunner().invoke(command, ["ann", "2", "--why", "late", "--by", "Ms Reed"])
    assert done.output == "ann loses 2 half points in Cup\n"
    body = {"player": "ann", "half_points": 2, "why": "late", "by": "Ms Reed"}
    assert asked == [(("tournaments", "4", "penalise"), body)]
    assert "--why" in CliRunner().invoke(command, ["ann", "2"]).output
    assert CliRunner().invoke(command, ["ann", "10", "--why", "x"]).exit_code == 2


def test_guide_tells_of_it() -> None:
    row = (
        "`POST /api/tournaments/NUMBER/penalise` with `player`, `half_points`, `why` | take points away from a player |"
    )
    assert row in guide()
