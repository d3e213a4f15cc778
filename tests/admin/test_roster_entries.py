"""Students whom a teacher enters by a table that also has their GammonX clients."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from gameserver.admin.tournament_api import APPLICATION
from gameserver.authentication.roster import Roster
from gameserver.endpoints import HttpEndpoint
from tests.admin.support import BEARER, get, post, serving_admin
from tests.support.serving import Running

ANN, STRANGER = "fdd907ca-794a-43f4-83e6-cadfabc57c45", "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6"
CUP = {"preset": "hanze", "name": "Cup", "game": "tic-tac-toe", "entry": "roster"}


@asynccontextmanager
async def hall(tmp_path: Path) -> AsyncIterator[Running]:
    file = tmp_path / "class.csv"
    file.write_text(f"name,secret,gammonx_id\nann,apple,{ANN}\nbob,,\n", encoding="utf-8")
    roster = Roster(file, trio.current_time)
    roster.load()
    async with serving_admin((HttpEndpoint("/api/tournaments", APPLICATION),), roster=roster) as running:
        yield running


@pytest.mark.parametrize(
    "entry", [{"player": "ann"}, {"player": "ann", "gammonx_id": ANN.upper()}, {"player": ANN}, {"player": ANN.upper()}]
)
async def test_guid_is_its_student(tmp_path: Path, entry: dict[str, str]) -> None:
    async with hall(tmp_path) as running:
        created = await post(running, "/api/tournaments", CUP | {"roster": [entry, {"player": "bob"}]})
        assert created.status == 201
        shown = (await get(running, "/api/tournaments/1", BEARER)).json
        assert sorted(row["name"] for row in shown["standings"]) == ["ann", "bob"]


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"player": STRANGER}, "is the PlayerId of a GammonX client, and no player has it as a name"),
        ({"player": "bob", "gammonx_id": STRANGER}, "does not give the gammonx_id"),
        ({"player": "bob", "gammonx_id": ANN}, "would come as another player; let lobby.roster name this table"),
    ],
)
async def test_guid_that_would_come_as_another_player_is_refused(
    tmp_path: Path, entry: dict[str, str], says: str
) -> None:
    async with hall(tmp_path) as running:
        refused = await post(running, "/api/tournaments", CUP | {"roster": [entry]})
        assert refused.status == 400
        assert says in refused.json["error"]


async def test_guid_can_be_added_later(tmp_path: Path) -> None:
    async with hall(tmp_path) as running:
        await post(running, "/api/tournaments", CUP)
        assert (await post(running, "/api/tournaments/1/add", {"player": ANN})).status == 200
        assert (await post(running, "/api/tournaments/1/add", {"player": STRANGER})).status == 400
        shown = (await get(running, "/api/tournaments/1", BEARER)).json
        assert [row["name"] for row in shown["standings"]] == ["ann"]
